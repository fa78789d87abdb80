"""Replays by the core are those of generated Python: what fits, what it gives, how it ends."""

from __future__ import annotations

import functools
import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from native.test_twins import OPERANDS, makers
from native.twins import check, long_way, needs_core

import onebuf
from onebuf import Buffer
from onebuf.capture import replays
from onebuf.capture.replays import form
from onebuf.machine import CPU
from onebuf.memory import POOL
from onebuf.native import core

pytestmark = needs_core

FUNCTIONS = {
    "chain": lambda x, y: onebuf.sqrt(abs(x * y + 1)) - x,
    "fold": lambda x, y: (x + y).sum(),
    "rows": lambda x, y: (x - x.max(axis=-1, keepdims=True)) * y,
    "two kernels": lambda x, y: onebuf.cumsum((x * y).flatten(), axis=0) * 2,
    "parts": lambda x, y: x[..., ::-1] + y[..., :1],
    "one": lambda x, y: -x,
    "pair": lambda x, y: (x + 1, y * 2),
    "given": lambda x, y: x,
}


@settings(max_examples=300, deadline=None)
@given(makers(), OPERANDS, st.sampled_from(sorted(FUNCTIONS)), st.booleans())
def test_a_replay_gives_what_python_gives(x: Any, y: Any, name: str, by_name: bool) -> None:
    g = onebuf.jit(FUNCTIONS[name])

    def call(x: Any, y: Any) -> Any:
        for _ in range(3):
            found = g(x, y=y) if by_name else g(x, y)
        return found

    check(lambda: (x(), y()), call)


@settings(max_examples=300, deadline=None)
@given(makers(), OPERANDS | makers())
def test_a_form_fits_what_lies_alike(x: Any, y: Any) -> None:
    array = x()._node.array
    if array is None:
        return
    other = y()
    fits = form(array)
    assert fits is not None
    assert fits(x()) == (not x()._is_number)
    found = other._node.array if type(other) is Buffer and not other._is_number else None
    alike = found is not None and (array.shape, array.strides) == (found.shape, found.strides)
    assert fits(other) == (alike and other._node.device is CPU and array.dtype is found.dtype)


def test_only_plain_buffers_that_are_stored_fit() -> None:
    class Mine(Buffer):
        __slots__ = ()

    x = onebuf.ones(5)
    fits = form(x._node.array)
    assert fits is not None
    late = (onebuf.ones(100_000) + 1)[:5]
    assert [fits(one) for one in (x, Mine(np.ones(5)), late, np.ones(5), None)] == [True] + 4 * [
        False
    ]
    assert core.Form(np.ones(5))() is False
    with pytest.raises(ValueError, match=r"^$"):
        core.Form(np.ones((1,) * 7))
    assert form(np.ones((1,) * 7)) is None


STEPS = {
    **{name: lambda x, y, f=f: f(x, y) for name, f in FUNCTIONS.items()},
    "library": lambda x, y: onebuf.sort(x * y) + 1,
    "many steps": lambda x, y: onebuf.sort(onebuf.sort(onebuf.sort(x + y) * x) * y) * 2,
    "products": lambda x, y: ((x[None, :] @ y[:, None]) * 2 + 1) @ y[None, :1] - 1,
    "library last": lambda x, y: onebuf.sort(x * y + 1),
    "chain of kernels": lambda x, y: functools.reduce(lambda a, _: a * y + x, range(150), x),
}


@pytest.mark.parametrize("kind", [Buffer, type("Mine", (Buffer,), {"__slots__": ()})])
@pytest.mark.parametrize("name", STEPS)
def test_every_quick_replay_fits_the_call_it_was_made_for(name: str, kind: type[Buffer]) -> None:
    g = onebuf.jit(STEPS[name])
    x, y = kind(np.arange(1.0, 7.0), copy=True), kind(np.arange(6.0) - 2.5, copy=True)
    wanted = g(x, y)
    entry = g._entries[0]
    assert (entry.quick is None) == (name in ("pair", "given"))
    if entry.quick is not None:
        found = entry.quick((x, y), {})
        assert type(found) is type(wanted)
        np.testing.assert_array_equal(found, wanted)
        assert g(x, y).tolist() == wanted.tolist()


def test_calls_that_fit_different_captures_take_turns() -> None:
    g = onebuf.jit(lambda x: x * 2 + 1)
    operands = [onebuf.arange(n, dtype=dtype) for n in (3, 40) for dtype in ("int32", "float64")]
    for x in operands:
        g(x)
    assert (g.captures, len(g.quick)) == (4, 4)
    before = g.replays
    for x in operands * 3:
        assert g(x).tolist() == (x * 2 + 1).tolist()
    assert (g.captures, g.replays) == (4, before + 12)
    g(onebuf.arange(7))
    assert g.captures == 5


def test_who_listens_hears_of_kernels_and_a_trace_sees_operations() -> None:
    g = onebuf.jit(lambda x: x * 2 + 1)
    x = onebuf.arange(5.0)
    g(x)
    g(x)
    with onebuf.counters() as counted:
        g(x)
    assert counted.kernels == 1
    outer = onebuf.jit(lambda x: g(x) - 1)
    assert outer(x).tolist() == (x * 2).tolist()
    assert "1 kernels" in outer.explain()
    with long_way():
        assert g(x).tolist() == (x * 2 + 1).tolist()


def test_errors_are_those_of_the_function_and_harm_no_later_call() -> None:
    g = onebuf.jit(lambda x, y: x + y)
    x = onebuf.arange(3)
    g(x, x * 1)
    for wrong in ((x,), (x, x, x), (x, onebuf.arange(4)), (x, object())):
        with pytest.raises(Exception) as quick:
            g(*wrong)
        with pytest.raises(Exception) as plain:
            (lambda x, y: x + y)(*wrong)
        assert quick.type is plain.type
        if quick.type is TypeError and len(wrong) != 2:
            assert str(quick.value).rpartition("()")[2] == str(plain.value).rpartition("()")[2]
            assert "<lambda>" in str(quick.value)
    assert g(x, x * 2).tolist() == [0, 3, 6]


@pytest.mark.parametrize("has_shelf", [True, False])
def test_there_may_be_more_results_than_a_shelf_has(
    has_shelf: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("onebuf.memory.cells.MOST_SHELVES", 10_000 if has_shelf else 0)
    numel = 91 + has_shelf
    x = onebuf.ones(numel)
    g = onebuf.jit(lambda x: x * 3)
    results = [g(x) for _ in range(300)]
    assert (((numel,), x.dtype) in POOL.shelves.by_kind) == has_shelf
    assert all(one.tolist() == [3.0] * numel for one in results)
    assert len({one._node.array.ctypes.data for one in results}) == 300


def test_a_launch_wants_its_operands() -> None:
    g = onebuf.jit(lambda x, y: x * y + 1)
    x = onebuf.ones(5)
    g(x, x + 1)
    direct = g._entries[0].capture.direct
    assert type(direct) is core.Launch
    assert direct(x, x).tolist() == [2] * 5
    for wrong in ((), (x,), (x, x, x), (x, None), (x, object())):
        with pytest.raises((TypeError, AttributeError)):
            direct(*wrong)
    with pytest.raises(TypeError):
        direct(x, y=x)


@pytest.mark.parametrize(
    "changed",
    [
        *({"slots": ((5, 0),)}, {"slots": ((-3, 0),)}, {"slots": (1,)}, {"slots": ((0, "a"),)}),
        *({"tail": b"123"}, {"tail": bytes(8 * 257)}, {"shelf": 1}, {"operands": -1}),
        {"shape": None, "slots": ((-1, 0),)},
    ],
    ids=lambda changed: ", ".join(changed),
)
def test_a_launch_that_would_leave_its_arguments_is_refused(changed: dict[str, Any]) -> None:
    given = {"tail": b"", "slots": ((0, 0),), "operands": 1, "shelf": None, "shape": (5,)}

    def made(tail: Any, slots: Any, operands: Any, shelf: Any, shape: Any) -> Any:
        result = (shelf, replays.place, shape, np.dtype("d"), 5, None)
        return core.Launch(1, None, tail, 1, False, slots, operands, *result)

    assert made(**given) is not None
    with pytest.raises((ValueError, TypeError)):
        made(**given | changed)


def test_threads_that_call_one_function_each_get_their_own_result() -> None:
    g = onebuf.jit(lambda x: x * 2 + 1)
    g(onebuf.arange(16.0))
    wrong: list[Any] = []

    def work(n: int) -> None:
        for k in range(400):
            x = onebuf.full((16 + k % 3,), float(n * k))
            if g(x).tolist() != [2.0 * n * k + 1] * (16 + k % 3):
                wrong.append((n, k))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_function_and_what_it_captured_die_together() -> None:
    x = onebuf.arange(5.0)
    g = onebuf.jit(lambda y: x * y)
    g(x + 1)
    dead = weakref.ref(g)
    g.me = g  # a cycle
    del g
    gc.collect()
    assert dead() is None
