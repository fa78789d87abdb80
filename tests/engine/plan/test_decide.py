"""A plan serves every graph with its plan key, and no other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from children import run

import onebuf as ob
from onebuf import Buffer, config
from onebuf.engine.plan import decide, kernels

RNG = np.random.default_rng(11)
A = RNG.standard_normal((6, 8))
B = RNG.standard_normal((6, 8))


@pytest.fixture(autouse=True)
def compiled():
    with config(eager_numel=0, tier="compile"):
        yield


@pytest.fixture
def grouped(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many nodes were to be stored each time that kernels were grouped."""
    asked: list[int] = []
    group = kernels.group_items

    def counting(items: Any, roots: Any, *more: Any) -> Any:
        asked.append(len(roots))
        return group(items, roots, *more)

    monkeypatch.setattr(kernels, "group_items", counting)
    monkeypatch.setattr(decide, "_known", {})
    monkeypatch.setattr(decide, "_guards", {})
    return asked


def compute(x: Buffer, y: Buffer, scale: float) -> Buffer:
    return (x * scale + y).sum(axis=0) - x[0]


def expected(x: Any, y: Any, scale: float) -> Any:
    return (x * scale + y).sum(axis=0) - x[0]


def test_a_second_graph_of_one_form_is_not_planned_again(grouped):
    for turn in range(12):  # past the turn at which a guard is written
        x, y = A + turn, B * turn
        found = compute(ob.asarray(x), ob.asarray(y), 1.5 + turn)
        np.testing.assert_allclose(np.asarray(found), expected(x, y, 1.5 + turn))
    assert grouped == [1]


DIFFERENT: dict[str, Callable[[Any, Any], tuple[Any, Any]]] = {
    "shape": lambda x, y: (x[:4], y[:4]),
    "dtype": lambda x, y: (x.astype(np.float32), y.astype(np.float32)),
    "one dtype": lambda x, y: (x.astype(np.float32), y),
    "strides": lambda x, y: (np.asfortranarray(x), y),
    "reversed": lambda x, y: (x[:, ::-1], y),
    "the same array": lambda x, y: (x, x),
    "broadcast": lambda x, y: (x, y[:1]),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_another_form_on_the_same_line_has_its_own_plan(name, grouped):
    for turn in range(8):
        x, y = (A, B) if turn % 2 else DIFFERENT[name](A, B)
        found = compute(ob.asarray(x), ob.asarray(y), 2.0)
        np.testing.assert_allclose(np.asarray(found), expected(x, y, 2.0), rtol=1e-5)
    if name != "the same array":  # that graph could run with the plan for two arrays
        assert len(grouped) == 2


def test_other_views_of_one_buffer_are_another_form(grouped):
    x = ob.asarray(A)
    for turn in range(10):
        part = x[turn % 2 :, 1:] * 2
        np.testing.assert_array_equal(np.asarray(part), A[turn % 2 :, 1:] * 2)
    assert len(grouped) == 2


def test_other_operations_on_one_line_are_another_form(grouped):
    x = ob.asarray(A)
    for turn in range(20):
        op, oracle = [(ob.exp, np.exp), (ob.abs, np.abs)][turn % 2]
        np.testing.assert_allclose(np.asarray(op(x) + 1), oracle(A) + 1, rtol=1e-14)
    assert len(grouped) == 2


def test_results_asked_for_together_are_told_apart_from_one_asked_for_twice(grouped):
    x = ob.asarray(A)
    for turn in range(10):
        one = x + turn
        two = one if turn % 2 else x + (turn + 0.5)
        ob.realize(one, two)
        np.testing.assert_array_equal(np.asarray(one), A + turn)
        np.testing.assert_array_equal(np.asarray(two), A + (turn if turn % 2 else turn + 0.5))


def test_a_plan_for_lines_that_are_stored_is_not_used_for_pending_ones():
    for turn in range(12):
        x = ob.asarray(A) * 2
        if turn % 3 == 0:
            x.realize()
        np.testing.assert_array_equal(np.asarray(x + 1), A * 2 + 1)


def test_interpreting_is_counted_when_a_plan_is_remembered(monkeypatch, grouped):
    monkeypatch.setattr(decide, "_spent", {})
    x = ob.asarray(np.arange(40_000.0))
    with config(tier="auto"):
        turns = 0
        while not grouped and turns < 1000:
            (x * 2 + 1).realize()
            turns += 1
    cost = 4 * x.nbytes / decide.BYTES_A_SECOND + 2 * decide.ITEM_SECONDS
    assert 1 < turns <= decide.COMPILE_SECONDS / cost + 2


def test_no_more_plans_are_kept_than_there_should_be(monkeypatch, grouped):
    monkeypatch.setattr(decide, "MOST_PLANS", 3)
    x = ob.asarray(np.arange(40.0))
    for length in range(1, 9):
        assert float((x[:length] * 2).sum()) == (np.arange(40.0)[:length] * 2).sum()
    assert len(decide._known) == 3


def test_the_compiler_is_loaded_when_that_has_paid_off():
    printed = run("""
        import sys
        import numpy as np
        import onebuf
        x = onebuf.asarray(np.ones(1_000_000), copy=True)
        loaded = []
        for turn in range(100):
            (x * 2 + turn).realize()
            loaded.append("llvmlite.binding" in sys.modules)
        print(loaded[0], loaded[3], loaded[-1])
    """)
    assert printed.split() == ["False", "False", "True"]
