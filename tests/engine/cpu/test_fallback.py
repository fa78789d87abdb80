"""A mistake in onebuf costs time and never a result; errors of users stay theirs."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from native.twins import long_way

import onebuf
from onebuf import config
from onebuf.engine.cpu import fallback, launch, program, small_kernels, small_programs
from onebuf.engine.cpu.select import mask_select
from onebuf.engine.plan import decide, kernels
from onebuf.engine.step import factory, matvec
from onebuf.errors import CompileError, IndexRangeError
from onebuf.events import Compiled, FellBack, listening
from onebuf.scheduler import arena
from onebuf.scheduler.fuse import fusion

pytestmark = pytest.mark.falls_back
X = np.arange(12.0).reshape(3, 4)


@pytest.fixture(autouse=True)
def anew(monkeypatch: pytest.MonkeyPatch):
    """Nothing is known yet, and nobody was warned."""
    monkeypatch.setattr(decide, "_known", {})
    monkeypatch.setattr(decide, "_guards", {})
    monkeypatch.setattr(fallback, "total", 0)
    caches = [
        small_kernels.elementwise,
        small_kernels._fold,
        small_kernels._columns,
        matvec._launch,
    ]
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()


def expression(xp: Any, x: Any) -> Any:
    return xp.concat([x * 2 - 1, x + xp.max(x, axis=1, keepdims=True)], axis=1)


def fail_in(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, error: Exception) -> list[int]:
    """Let a function of ours fail as if our own code were at fault; how often it was called."""
    calls: list[int] = []

    def failing(*_: Any) -> Any:
        calls.append(1)
        raise error

    # `is_internal` knows code by its module, and this function stands for one of ours.
    source = {"__name__": "onebuf.mistake", "calls": calls, "error": error, "failing": failing}
    exec("def mistake(*_):\n    calls.append(1)\n    raise error\n", source)
    monkeypatch.setattr(module, name, source["mistake"])
    return calls


PLACES = [
    (fusion, "_finished"),
    (kernels, "fuse_matmuls"),
    (arena, "arena_of"),
    (factory, "kernel_step"),
    (launch, "program"),
    (program, "render"),
]
ERRORS = [AssertionError("no"), KeyError(7), CompileError("no"), IndexError("no"), ValueError("no")]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("place", PLACES, ids=lambda place: place[1])
def test_an_internal_error_is_counted_and_the_graph_is_interpreted(monkeypatch, place, error):
    calls = fail_in(monkeypatch, *place, error)
    program.forget()
    heard: list[Any] = []
    with config(eager_numel=0, tier="compile"), listening(heard.append):
        x = onebuf.asarray(X)
        with pytest.warns(RuntimeWarning, match="mistake in onebuf.*report"):
            got = np.asarray(expression(onebuf, x))
        np.testing.assert_array_equal(got, expression(np, X))
        assert calls
        with warnings.catch_warnings(), onebuf.counters() as counted:
            warnings.simplefilter("error")  # nobody is told twice
            tried = len(calls)
            for _ in range(10):
                np.testing.assert_array_equal(np.asarray(expression(onebuf, x)), got)
            assert len(calls) == tried, "what failed once is not tried again"
            assert counted.fallbacks == 0
    (fell,) = [event for event in heard if isinstance(event, FellBack)]
    assert type(error).__name__ in fell.error
    assert "test_fallback.py" in str(fell.origin)


def test_counters_count_it(monkeypatch):
    fail_in(monkeypatch, fusion, "_finished", KeyError(1))
    with config(eager_numel=0, tier="compile"), onebuf.counters() as counted:
        with pytest.warns(RuntimeWarning):
            (onebuf.asarray(X) + 1).realize()
        (onebuf.asarray(X) + 1 - 2).realize()
    assert counted.fallbacks == 2


@pytest.mark.parametrize("error", [MemoryError("no"), RecursionError("no"), KeyboardInterrupt()])
def test_what_interpreting_would_meet_too_is_raised(monkeypatch, error):
    fail_in(monkeypatch, fusion, "_finished", error)
    with config(eager_numel=0, tier="compile"):
        y = onebuf.asarray(X) + 1
        with pytest.raises(type(error)):
            y.realize()
        monkeypatch.undo()
        np.testing.assert_array_equal(np.asarray(y), X + 1)
    assert fallback.total == 0


def test_an_error_of_a_listener_is_not_ours(tmp_path):
    def listener(event: Any) -> None:
        if isinstance(event, Compiled):
            raise LookupError("of the user's own")

    program.forget()
    with config(eager_numel=0, tier="compile", cache_dir=str(tmp_path)):
        y = onebuf.asarray(X) + 1 - 3
        with pytest.raises(LookupError, match="own"), listening(listener):
            y.realize()
        np.testing.assert_array_equal(np.asarray(y), X + 1 - 3)
    assert fallback.total == 0


def test_a_wrong_index_is_the_users():
    with config(eager_numel=0, tier="compile"):
        y = onebuf.take(onebuf.asarray(X), onebuf.asarray([0, 9]), axis=0)
        with pytest.raises(IndexRangeError):
            y.realize()
    assert fallback.total == 0


def test_operations_on_small_arrays_are_numpys_then(monkeypatch):
    for name in ("elementwise", "fold", "columns"):
        fail_in(monkeypatch, small_programs, name, CompileError("no"))
    monkeypatch.setattr(small_kernels, "OFTEN", 0)
    monkeypatch.setattr(small_kernels, "_quick", {})
    x = onebuf.asarray(X)
    with long_way(), pytest.warns(RuntimeWarning, match="without one"):
        np.testing.assert_allclose(np.asarray(onebuf.exp(x)), np.exp(X))
    with long_way():
        _check_values(x)
    assert fallback.total >= 6


def _check_values(x):
    np.testing.assert_allclose(np.asarray(onebuf.sum(x, axis=0)), X.sum(axis=0))
    np.testing.assert_allclose(np.asarray(onebuf.sum(x, axis=1)), X.sum(axis=1))
    np.testing.assert_allclose(np.asarray(onebuf.pow(x, 1.5)), X**1.5)
    z = X + 1j
    np.testing.assert_allclose(np.asarray(onebuf.asarray(z) * onebuf.asarray(z)), z * z)
    np.testing.assert_allclose(np.asarray(onebuf.abs(onebuf.asarray(z))), abs(z))


def test_products_and_masks_are_numpys_then(monkeypatch):
    fail_in(monkeypatch, matvec, "prepare", CompileError("no"))
    fail_in(monkeypatch, mask_select, "_program", CompileError("no"))
    matrix = np.arange(200 * 300).reshape(200, 300)
    vector = np.arange(300)
    with config(tier="compile"):
        found = onebuf.asarray(matrix) @ onebuf.asarray(vector)
        with pytest.warns(RuntimeWarning):
            found.realize()
        np.testing.assert_array_equal(np.asarray(found), matrix @ vector)
        big = onebuf.asarray(matrix)
        mask = matrix % 3 == 0
        np.testing.assert_array_equal(np.asarray(big[onebuf.asarray(mask)]), matrix[mask])
        target = onebuf.asarray(matrix, copy=True)
        target[onebuf.asarray(mask)] = 5
        np.testing.assert_array_equal(np.asarray(target), np.where(mask, 5, matrix))
    assert fallback.total >= 2
