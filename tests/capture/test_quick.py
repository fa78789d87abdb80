"""Quick programs: captures with products, gathers and library calls, as one generated function."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf import Buffer, jit
from onebuf.backends.numpy import matmul
from onebuf.capture import quick_lines
from onebuf.engine.cpu import blas
from onebuf.engine.step.plan import Plan
from onebuf.errors import IndexRangeError
from onebuf.memory import POOL

RNG = np.random.default_rng(3)
needs_blas = pytest.mark.skipif(
    blas.gemv_address(np.dtype("f")) is None, reason="needs the OpenBLAS of NumPy's wheels"
)


def numbers(*shape: int) -> Buffer:
    return onebuf.asarray(RNG.standard_normal(shape).astype("f"))


@pytest.fixture
def compiled():
    with onebuf.config(tier="compile"):
        yield


@pytest.fixture
def no_plans(monkeypatch: pytest.MonkeyPatch):
    """A function after which running a plan is a failure."""

    def run(self: Any, *args: Any) -> None:
        raise AssertionError("a plan was run")

    return lambda: monkeypatch.setattr(Plan, "run", run)


@needs_blas
@pytest.mark.parametrize("rows", ["one row", "one column", "a stack"])
def test_products_with_a_vector_are_called_by_pointer_with_the_bits_of_a_plain_call(
    rows, compiled, no_plans
):
    shapes = {
        "one row": ((1, 40), (70, 40), (70,)),
        "one column": ((70, 40), (1, 40), (1,)),
        "a stack": ((2, 3, 1, 40), (2, 3, 70, 40), (70,)),
    }

    def layer(x: Any, w: Any, b: Any) -> Any:
        h = x @ w.mT + b
        return h * onebuf.tanh(h) + h.sum()

    f = jit(layer)
    calls = [[numbers(*shape) for shape in shapes[rows]] for _ in range(4)]
    wanted = [np.asarray(layer(*arguments)) for arguments in calls]
    np.testing.assert_array_equal(f(*calls[0]), wanted[0])
    no_plans()
    for arguments, result in zip(calls, wanted, strict=True):
        np.testing.assert_array_equal(f(*arguments), result)


@needs_blas
def test_numpys_product_is_not_asked_in_a_replay(compiled, no_plans, monkeypatch):
    f = jit(lambda x, w: (x * 2) @ w)
    x, w = numbers(1, 30), numbers(30, 50)
    wanted = np.asarray(f(x, w))
    no_plans()
    monkeypatch.setattr(matmul, "_multiply", None)
    np.testing.assert_array_equal(f(x, w), wanted)


@needs_blas
def test_factors_may_be_parts_and_turned_parts_of_arguments_and_results(compiled, no_plans):
    def attend(x: Any, w: Any) -> Any:
        parts = x * 2
        q, k = parts[:, :8], parts[:, 8:]
        scores = q[:1] @ k.T
        return (scores @ k).reshape(2, 4) + w[2:4, 1:5] @ w[5, :4][:, None]

    f = jit(attend)
    arguments = numbers(6, 16), numbers(7, 9)
    wanted = np.asarray(attend(*arguments))
    f(*arguments)
    no_plans()
    np.testing.assert_array_equal(f(*arguments), wanted)
    more = numbers(6, 16), numbers(7, 9)
    x, w = (np.asarray(one) for one in more)
    scores = 2 * x[:1, :8] @ (2 * x[:, 8:]).T
    expected = (scores @ (2 * x[:, 8:])).reshape(2, 4) + w[2:4, 1:5] @ w[5, :4][:, None]
    np.testing.assert_allclose(f(*more), expected, rtol=1e-5)


def test_library_calls_are_part_of_it(compiled, no_plans):
    def f(x: Any, at: Any, new: Any) -> Any:
        x[:, at] = new * 2
        return onebuf.sort(x.sum(axis=1)) + 1

    g = jit(f)
    at = onebuf.asarray([2, 0])
    x, y = numbers(4, 5), numbers(4, 5)
    copies = [onebuf.asarray(np.array(one)) for one in (x, y)]
    new = numbers(4, 2)
    g(x, at, new)
    no_plans()
    found = g(y, at, new)
    for copy, changed in zip(copies, (x, y), strict=True):
        result = f(copy, at, new)
        np.testing.assert_array_equal(copy, changed)
    np.testing.assert_array_equal(found, result)


def test_an_error_of_a_library_says_where_and_changes_nothing(compiled):
    @jit
    def put(x: Any, at: Any, new: Any) -> Any:
        x[at] = new
        return x * 2

    x, new = numbers(5), numbers(2)
    put(x, onebuf.asarray([1, 2]), new)
    before = x.tolist()
    with pytest.raises(IndexError, match="out of bounds") as caught:
        put(x, onebuf.asarray([1, 5]), new)
    assert any("test_quick.py" in note for note in caught.value.__notes__)
    assert x.tolist() == before
    assert put.captures == 1


def test_an_index_outside_is_an_error_and_the_next_call_is_right(compiled):
    f = jit(lambda x, at: onebuf.take(x, at) * 2 + 1)
    x = onebuf.arange(5.0)
    assert f(x, onebuf.asarray([1, 4])).tolist() == [3, 9]
    with pytest.raises(IndexRangeError, match="7"):
        f(x, onebuf.asarray([1, 7]))
    assert f(x, onebuf.asarray([0, -1])).tolist() == [1, 9]
    assert f.captures == 1


def test_an_index_outside_of_many_is_an_error(compiled):
    f = jit(lambda x, at: onebuf.take(x, at) * 2 + 1)
    x, at = onebuf.arange(5.0), np.arange(100_000) % 5
    np.testing.assert_array_equal(f(x, onebuf.asarray(at)), at * 2 + 1)
    at[77_777] = 9
    with pytest.raises(IndexRangeError, match="9"):
        f(x, onebuf.asarray(at))


@needs_blas
def test_memory_is_let_go_of_after_the_last_step_that_needs_it(compiled, no_plans, monkeypatch):
    n, links = 1 << 18, 8
    wide, narrow = numbers(4, n), onebuf.full((n, 4), 1e-3, dtype="f").realize()

    @jit
    def chain(x: Any) -> Any:
        for _ in range(links):
            x = x @ wide @ narrow
        return x

    x = numbers(1, 4)
    chain(x)
    no_plans()
    monkeypatch.setattr(POOL, "_peak", POOL.stats().in_use)
    before = POOL._peak
    assert chain(x).shape == (1, 4)
    assert POOL._peak - before < 3 * n * 4  # each link has n floats


@needs_blas
def test_an_interrupt_in_the_middle_leaves_what_is_written_as_it_was(compiled, monkeypatch):
    state = onebuf.zeros((1, 30), dtype="f").realize()

    def step(x: Any, w: Any) -> Any:
        state[...] = state + x @ w
        return onebuf.sort(state) * 2

    f = jit(step)
    x, w = numbers(1, 20), numbers(20, 30)
    f(x, w)
    before = state.tolist()

    def interrupted(*args: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("onebuf.engine.step.numpy_step.compute", interrupted)
    with pytest.raises(KeyboardInterrupt):
        f(x, w)
    assert state.tolist() == before
    monkeypatch.undo()
    np.testing.assert_allclose(f(x, w), np.sort(2 * np.asarray(x @ w)) * 2, rtol=1e-5)


def test_random_bits_are_new_in_every_replay():
    f = jit(lambda x: onebuf.sort(x) + onebuf.random.random(3))
    x = onebuf.zeros(3)
    assert f(x).tolist() != f(x).tolist()


def test_a_program_of_many_calls_is_left_to_the_plan(compiled, monkeypatch):
    monkeypatch.setattr(quick_lines, "MOST_CALLS", 2)

    @jit
    def f(x: Any) -> Any:
        for _ in range(4):
            x = onebuf.sort(x) + x.sum()
        return x

    x = numbers(6)
    f(x)
    assert f._entries[0].capture.regions[0].program.quick is None
    wanted = np.asarray(x)
    for _ in range(4):
        wanted = np.sort(wanted) + wanted.sum()
    np.testing.assert_allclose(f(x), wanted, rtol=1e-4)
