"""Traces: operations are recorded, reads are answered, writes change no memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf import Buffer
from onebuf.errors import LeakError
from onebuf.tracing import Rebuild, Trace, current


def traced(function: Callable[..., Any], *arrays: np.ndarray[Any, Any]) -> Any:
    """What a traced function gives, rebuilt on the buffers that it stood for."""
    trace = Trace()
    inputs = [trace.input(Buffer(array)._node) for array in arrays]
    with trace.recording():
        result = function(*map(Buffer._place, inputs))
    return np.asarray(Buffer._place(Rebuild(trace, trace.value_of).of(result._node)))


def both(function: Callable[..., Any], *arrays: np.ndarray[Any, Any]) -> None:
    """Compare a traced function with the same on NumPy's arrays."""
    found = traced(function, *[array.copy() for array in arrays])
    np.testing.assert_array_equal(found, function(*[array.copy() for array in arrays]))


GRID = np.arange(24.0).reshape(4, 6)


def test_nothing_is_computed_while_a_function_is_traced() -> None:
    with onebuf.counters() as counted:
        trace = Trace()
        node = trace.input(Buffer(GRID)._node)
        with trace.recording():
            x = Buffer._place(node)
            y = (x * 2 + 1).sum(axis=0)
            assert not y.is_realized
    assert counted.kernels == 0


def test_a_traced_buffer_says_the_device_that_it_stands_for() -> None:
    trace = Trace()
    node = trace.input(Buffer(GRID)._node)
    with trace.recording():
        x = Buffer._place(node)
        assert x.device == "CPU"
        assert str(x.device) == "CPU"
        assert onebuf.zeros(3, device=x.device).device == "CPU"


def test_new_buffers_are_recorded_as_well() -> None:
    trace = Trace()
    with trace.recording():
        made = onebuf.zeros(3)
        made[1] = 2
        listed = onebuf.asarray([1.0, 2.0])
        listed[0] = 5
        assert made.tolist() == [0, 2, 0]
        assert listed.tolist() == [5, 2]


def _set(x: Any, key: Any, value: Any) -> Any:
    x[key] = value
    return x


def _add(x: Any, key: Any, value: Any) -> Any:
    x[key] += value
    return x


KEYS: list[Any] = [
    slice(None),
    1,
    (2, 3),
    slice(1, 3),
    (slice(None), slice(1, 5)),
    (slice(None, None, 2), slice(None, None, -3)),
    (slice(3, 0, -1), 2),
    (slice(1, 1), slice(None)),
    ([0, 2], [1, 5]),
    ([1, 1, 3],),
    (slice(1, 3), [0, 4]),
    (..., 2),
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_a_write_by_any_key_is_what_it_is_in_memory(key: Any) -> None:
    both(lambda x: _set(x, key, 7.0), GRID)
    both(lambda x: _set(x, key, x[key] * 2), GRID)


@pytest.mark.parametrize("key", [key for key in KEYS if key != ([1, 1, 3],)], ids=str)
def test_an_update_by_any_key_is_what_it_is_in_memory(key: Any) -> None:
    both(lambda x: _add(x, key, 7.0), GRID)


def test_a_write_to_a_view_is_seen_by_its_base_and_by_other_views() -> None:
    def function(x: Any) -> Any:
        view, other = x.T[1:3], x[:, 1]
        view += 100
        return x * other[:, None]

    both(function, GRID)


def test_values_that_were_computed_before_a_write_stay() -> None:
    def function(x: Any) -> Any:
        before = x * 2
        part = x[1:] + 1
        x[1:3] = 0
        again = x * 2
        return before + again + part.sum()

    both(function, GRID)


def test_equal_expressions_before_and_after_a_write_are_two() -> None:
    def function(x: Any, y: Any) -> Any:
        first = y + x
        x[0] = 50
        return first * 100 + (y + x)

    both(function, GRID, GRID + 1)


def test_a_write_of_a_buffer_to_itself_reads_first() -> None:
    both(lambda x: _set(x, slice(None), x[::-1]), GRID)
    both(lambda x: _set(x, (slice(None), slice(0, 5)), x[:, 1:]), GRID)


def test_a_write_of_another_buffer_takes_its_elements_of_now() -> None:
    def function(x: Any, y: Any) -> Any:
        x[...] = y
        y[0] = 1000
        return x + y

    both(function, GRID, GRID + 1)


def test_memory_is_not_written() -> None:
    array = GRID.copy()
    traced(lambda x: _add(x, slice(1, 3), 5), array)
    np.testing.assert_array_equal(array, GRID)


def test_methods_that_write_in_place_are_recorded() -> None:
    def function(x: Any) -> Any:
        x.sort(axis=0)
        x.fill(3) if x.sum() < 0 else x.put([0, 5], [9, 9])
        return x

    both(function, GRID[::-1])


def test_an_index_may_be_a_value_that_is_traced() -> None:
    def function(x: Any, i: Any) -> Any:
        x[i[0], i[1]] = -1.0
        return x[i[1]] + x[i, i + 1].sum() + x[:, i].sum()

    both(function, GRID, np.array([3, 1]))


def test_a_read_inside_gives_the_value_of_the_call() -> None:
    def function(x: Any) -> Any:
        if x.sum() > 0 and float(x[1, 2]) == 8.0:
            x = x * int(x[2, 0])
        return x + x.tolist()[0][1]

    both(function, GRID)


def test_a_buffer_that_outlives_its_function_names_the_line_that_made_it() -> None:
    left = []
    traced(lambda x: left.append(x * 3) or x, GRID)
    with pytest.raises(LeakError, match=r"test_trace.py:\d+: traced\(lambda x: left.append"):
        left[0].tolist()
    with pytest.raises(LeakError, match="return it from the function"):
        (left[0] + 1).sum().item()


def test_a_value_cannot_be_written_to_a_buffer_outside() -> None:
    outside = onebuf.zeros(6)
    with pytest.raises(LeakError, match="as an argument, or return"):
        traced(lambda x: _set(outside, slice(None), x[0]), GRID)
    assert outside.tolist() == [0] * 6


def test_an_error_inside_closes_the_trace() -> None:
    with pytest.raises(ZeroDivisionError):
        traced(lambda x: x * (1 // 0), GRID)
    assert current() is None
    assert onebuf.zeros(2).is_realized


def test_traces_nest() -> None:
    def inner(x: Any) -> Any:
        return traced_here(lambda y: y * x + 1, x)

    def traced_here(function: Any, x: Any) -> Any:
        trace = Trace()
        node = trace.input(x._node)
        with trace.recording():
            result = function(Buffer._place(node))
        return Buffer._place(Rebuild(trace, trace.value_of).of(result._node))

    np.testing.assert_array_equal(traced(inner, GRID), GRID * GRID + 1)
