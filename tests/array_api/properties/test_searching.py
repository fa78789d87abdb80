"""Searching functions: where elements are, how many there are, and which one to take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from array_api.properties.arrays import (
    BOOL,
    EVERY,
    NARROW,
    REAL,
    STANDARD,
    agree,
    broadcastable,
    covers,
    each,
    elements,
    examples,
    modes,
    of_array,
    operands,
    several_axes,
)
from buffer.cases import in_mode
from hypothesis import given
from hypothesis import strategies as st

import onebuf as xp
from onebuf import OnebufError, dtypes

some = examples(40)


@each("argmax", "argmin")
@some
@given(data=st.data(), keepdims=st.booleans(), mode=modes)
def test_positions_of_extremes_are_numpys(
    name: str, data: st.DataObject, keepdims: bool, mode: str
) -> None:
    values = data.draw(st.sampled_from(["any", "ties"]))
    x = data.draw(operands(BOOL + REAL + NARROW, values=values))
    ndim = x.array.ndim
    axis = data.draw(st.none() | st.integers(-ndim - 1, ndim))

    def theirs() -> Any:
        # NumPy compares in float32 what ml_dtypes adds, where NaN comes first as well
        array = x.array.astype(np.float32) if x.array.dtype == dtypes.bfloat16 else x.array
        return getattr(np, name)(array, axis=axis, keepdims=keepdims)

    agree(mode, lambda: getattr(xp, name)(x.buffer, axis=axis, keepdims=keepdims), theirs, x)


@covers("count_nonzero")
@some
@given(data=st.data(), keepdims=st.booleans(), mode=modes)
def test_count_nonzero_is_numpys(data: st.DataObject, keepdims: bool, mode: str) -> None:
    x = data.draw(operands(EVERY))
    axis = data.draw(several_axes(x.array.ndim))
    agree(
        mode,
        lambda: xp.count_nonzero(x.buffer, axis=axis, keepdims=keepdims),
        lambda: np.sum(x.array != 0, axis=axis, keepdims=keepdims),
        x,
    )


@covers("nonzero")
@some
@given(x=operands(EVERY), mode=modes)
def test_nonzero_is_numpys(x: Any, mode: str) -> None:
    got = agree(mode, lambda: xp.nonzero(x.buffer), lambda: np.nonzero(x.array), x)
    assert got is None or type(got) is tuple


@covers("searchsorted")
@some
@given(data=st.data(), side=st.sampled_from(["left", "right"]), mode=modes)
def test_searchsorted_is_numpys(data: st.DataObject, side: str, mode: str) -> None:
    dtype = data.draw(st.sampled_from(REAL))
    count = data.draw(st.integers(0, 6))
    unsorted = elements(dtype, (count,), data.draw(st.integers(0, 999)))
    unsorted = unsorted[~np.isnan(unsorted)]
    with_sorter = data.draw(st.booleans())
    order = np.argsort(unsorted, kind="stable")
    x1 = data.draw(of_array(unsorted if with_sorter else np.sort(unsorted)))
    sorter = data.draw(of_array(order)) if with_sorter else None
    x2 = data.draw(operands((dtype,)))
    agree(
        mode,
        lambda: xp.searchsorted(
            x1.buffer, x2.buffer, side=side, sorter=None if sorter is None else sorter.buffer
        ),
        lambda: np.searchsorted(np.sort(unsorted), x2.array, side=side),
        *(x1, x2),
    )


@covers("searchsorted")
@examples(30)
@given(data=st.data(), number=st.sampled_from([0, 2, 5, 2.5, True, -1, 300]), mode=modes)
def test_searchsorted_takes_one_number(data: st.DataObject, number: Any, mode: str) -> None:
    x1 = data.draw(of_array(np.array([1, 2, 2, 4], data.draw(st.sampled_from(REAL)))))
    agree(
        mode,
        lambda: xp.searchsorted(x1.buffer, number),
        lambda: np.searchsorted(x1.array, number),
        x1,
    )


@covers("where")
@some
@given(data=st.data(), mode=modes)
def test_where_is_numpys(data: st.DataObject, mode: str) -> None:
    one, two, three = data.draw(broadcastable(3))
    condition = data.draw(operands(BOOL, one))
    types = data.draw(st.sampled_from([STANDARD, EVERY[-1:], EVERY[-2:-1]]))
    x, y = data.draw(operands(types, two)), data.draw(operands(types, three))
    agree(
        mode,
        lambda: xp.where(condition.buffer, x.buffer, y.buffer),
        lambda: np.where(condition.array, x.array, y.array),
        *(condition, x, y),
    )


@covers("where")
@some
@given(
    data=st.data(),
    scalar=st.sampled_from([True, 0, 3, -1, 0.5, -0.0, 1j]),
    first=st.booleans(),
    mode=modes,
)
def test_where_takes_a_number_on_either_side(
    data: st.DataObject, scalar: Any, first: bool, mode: str
) -> None:
    one, two = data.draw(broadcastable())
    condition = data.draw(operands(BOOL, one))
    x = data.draw(operands(STANDARD, two))
    arrays = (scalar, x.array) if first else (x.array, scalar)
    buffers = (scalar, x.buffer) if first else (x.buffer, scalar)

    def theirs() -> Any:
        np.add(x.array, scalar)  # refuses numbers that the array cannot hold, where `where` wraps
        return np.where(condition.array, *arrays)

    agree(
        mode,
        lambda: xp.where(condition.buffer, *buffers),
        theirs,
        *(condition, x),
    )


@each("argmax", "argmin", "count_nonzero")
@examples(10)
@given(data=st.data(), mode=modes)
def test_an_axis_that_is_not_there_is_an_index_error(
    name: str, data: st.DataObject, mode: str
) -> None:
    x = data.draw(operands(REAL))
    ndim = x.array.ndim
    # Reductions of 0-d arrays take axis 0 and -1, as NumPy's do.
    axis = data.draw(st.sampled_from([ndim or 1, -ndim - 1 if ndim else -2, ndim + 7]))
    with pytest.raises(IndexError) as caught, in_mode(mode):
        getattr(xp, name)(x.buffer, axis=axis)
    assert isinstance(caught.value, OnebufError)
    x.check()
