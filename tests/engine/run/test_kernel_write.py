"""Large writes in place are kernels, and give what NumPy's give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import onebuf as ob
from onebuf import Buffer, config, counters

SHAPE = (230, 210)
A = np.random.default_rng(0).random(SHAPE)
B = np.random.default_rng(1).random(SHAPE)


def add_everything(x: Any, y: Any) -> None:
    x += y * 2 + 1


def add_number(x: Any, y: Any) -> None:
    x += 1


def add_to_part(x: Any, y: Any) -> None:
    x[1:-1, 1:-1] += 0.25 * y[1:-1, 1:-1]


def multiply_with_itself(x: Any, y: Any) -> None:
    x *= x


def assign_expression(x: Any, y: Any) -> None:
    x[...] = y * 2


def assign_row(x: Any, y: Any) -> None:
    x[:] = y[0]


def assign_reversed(x: Any, y: Any) -> None:
    x[::-1] = y


def assign_columns(x: Any, y: Any) -> None:
    x[:, ::2] = y[:, ::2] - 1


def assign_number(x: Any, y: Any) -> None:
    x[5:200] = 3.0


def shift_down(x: Any, y: Any) -> None:
    x[1:] = x[:-1]


def add_shifted(x: Any, y: Any) -> None:
    x[1:] += x[:-1] * 2


def add_its_transpose(x: Any, y: Any) -> None:
    square = x[:200, :200]
    square += square.T


def subtract_largest(x: Any, y: Any) -> None:
    x -= x.max(axis=1, keepdims=True)


def take_rows(x: Any, y: Any) -> None:
    x[...] = y[[*range(1, SHAPE[0]), 0]]


WRITES = [
    *(add_everything, add_number, add_to_part, multiply_with_itself, assign_expression),
    *(assign_row, assign_reversed, assign_columns, assign_number, shift_down, add_shifted),
    *(add_its_transpose, subtract_largest, take_rows),
]


@pytest.mark.parametrize("tier", ["interpret", "compile", "auto"])
@pytest.mark.parametrize("write", WRITES, ids=lambda write: write.__name__)
def test_a_large_write_gives_what_numpys_gives(write: Callable[..., None], tier: Any):
    with config(tier=tier):
        for dtype in (np.float64, np.float32):
            x, y = ob.asarray(A.astype(dtype), copy=True), ob.asarray(B.astype(dtype))
            a, b = A.astype(dtype), B.astype(dtype)
            before = x * 3  # still to be computed, of the old elements
            write(x, y)
            write(a, b)
            np.testing.assert_array_equal(np.asarray(x), a)
            np.testing.assert_array_equal(np.asarray(before), A.astype(dtype) * 3)


@given(st.integers(0, 9), st.integers(1, 3), st.sampled_from([np.float64, np.float32, np.int16]))
def test_memory_may_begin_anywhere(first: int, step: int, dtype: Any):
    a = np.arange(40_000).astype(dtype)
    x = ob.asarray(a.copy())
    with config(tier="compile", eager_numel=100):
        part = x[first::step]
        part += x[first::step] * 2
        a[first::step] += a[first::step] * 2
        part[...] = part + 1
        a[first::step] = a[first::step] + 1
    np.testing.assert_array_equal(np.asarray(x), a)


def test_an_update_of_a_part_goes_over_memory_once():
    with config(tier="compile"):
        x, y = ob.asarray(A, copy=True), ob.asarray(B)
        x[1:] += y[1:] * 2
        with counters() as counted:
            x[1:] += y[1:] * 2
        part = A[1:].nbytes
        assert (counted.kernels, counted.copies, counted.bytes_allocated) == (1, 0, 0)
        assert (counted.bytes_read, counted.bytes_written) == (2 * part, part)


def test_an_index_out_of_range_leaves_the_target_as_it_was():
    rows = ob.asarray(np.full(SHAPE[0], SHAPE[0] + 5))
    with config(tier="compile"):
        x = ob.asarray(A, copy=True)
        with pytest.raises(IndexError):
            x[...] = ob.take(ob.asarray(B), rows, axis=0)
        np.testing.assert_array_equal(np.asarray(x), A)


def test_running_out_of_memory_leaves_the_target_as_it_was():
    with config(tier="compile"):
        x = ob.asarray(A, copy=True).realize()
        y = ob.cumulative_sum(ob.asarray(B).reshape(-1)).reshape(SHAPE)
        with config(memory_cap=1), pytest.raises(MemoryError):
            x += y.T.reshape(SHAPE)
        np.testing.assert_array_equal(np.asarray(x), A)


def test_memory_of_numpys_is_written_in_place():
    theirs = A.copy()
    x = ob.asarray(theirs)
    with config(tier="compile"):
        x += Buffer(B) * 2
    np.testing.assert_array_equal(theirs, A + B * 2)


def test_every_write_is_checked_where_that_is_asked_for():
    with config(tier="compile", check_bounds=True):
        x = ob.asarray(A, copy=True)
        x[1:] += ob.asarray(B)[1:]
        np.testing.assert_array_equal(np.asarray(x)[1:], A[1:] + B[1:])
