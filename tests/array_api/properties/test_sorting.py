"""Sorting and set functions: order, stability, and what is distinct."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from array_api.properties.arrays import (
    BOOL,
    COMPLEX,
    EVERY,
    INTEGERS,
    NARROW,
    REAL,
    STANDARD,
    Operand,
    agree,
    assert_apart,
    assert_bits,
    covers,
    each,
    examples,
    modes,
    operands,
)
from buffer.cases import in_mode
from hypothesis import given
from hypothesis import strategies as st

import onebuf as xp
from onebuf import OnebufError, dtypes

some = examples(50)


def order(array: Any, axis: int, descending: bool) -> Any:
    """The order of a stable sort: equal elements stay as they were, both ways round."""
    if not array.ndim:
        raise IndexError("there is no axis to sort along")
    if array.dtype == dtypes.bfloat16:
        array = array.astype(np.float32)  # NumPy sorts NaN of ml_dtypes anywhere
    if not descending:
        return np.argsort(array, axis=axis, kind="stable")
    back = np.argsort(np.flip(array, axis), axis=axis, kind="stable")
    return array.shape[axis] - 1 - np.flip(back, axis)


@each("sort", "argsort")
@some
@given(data=st.data(), descending=st.booleans(), stable=st.booleans(), mode=modes)
def test_sorting_is_stable_both_ways_round(
    name: str, data: st.DataObject, descending: bool, stable: bool, mode: str
) -> None:
    values = data.draw(st.sampled_from(["any", "ties"]))
    # The standard orders no complex numbers; NumPy does, by real and then by imaginary parts.
    x = data.draw(operands(BOOL + REAL + NARROW + COMPLEX, values=values))
    ndim = x.array.ndim
    axis = data.draw(st.integers(-ndim - 1, ndim))

    def theirs() -> Any:
        found = order(x.array, axis, descending)
        return found if name == "argsort" else np.take_along_axis(x.array, found, axis)

    agree(
        mode,
        lambda: getattr(xp, name)(x.buffer, axis=axis, descending=descending, stable=stable),
        theirs,
        x,
    )


@each("sort", "argsort")
@examples(10)
@given(data=st.data(), mode=modes)
def test_an_axis_that_is_not_there_is_an_index_error(
    name: str, data: st.DataObject, mode: str
) -> None:
    x = data.draw(operands(REAL + COMPLEX))
    ndim = x.array.ndim
    axis = data.draw(st.sampled_from([ndim, -ndim - 1, ndim + 7]))
    with pytest.raises(IndexError) as caught, in_mode(mode):
        getattr(xp, name)(x.buffer, axis=axis)
    assert isinstance(caught.value, OnebufError)
    x.check()


@covers("isin")
@some
@given(data=st.data(), invert=st.booleans(), mode=modes)
def test_isin_is_numpys(data: st.DataObject, invert: bool, mode: str) -> None:
    types = data.draw(st.sampled_from([STANDARD, INTEGERS, NARROW[:1]]))
    x, y = data.draw(operands(types)), data.draw(operands(types))
    agree(
        mode,
        lambda: xp.isin(x.buffer, y.buffer, invert=invert),
        lambda: np.isin(x.array, y.array, invert=invert),
        *(x, y),
    )


@covers("isin")
@some
@given(
    x=operands(STANDARD),
    number=st.sampled_from([True, 0, 1, 3, -1, 300, 0.5, 1j]),
    first=st.booleans(),
    mode=modes,
)
def test_isin_takes_a_number_on_either_side(
    x: Operand, number: Any, first: bool, mode: str
) -> None:
    buffers = (number, x.buffer) if first else (x.buffer, number)
    arrays = (number, x.array) if first else (x.array, number)
    agree(mode, lambda: xp.isin(*buffers), lambda: np.isin(*arrays), x)


def assert_distinct(values: Any, x: Operand) -> None:
    """Every element once, NaN as often as it occurs, and nothing else."""
    found, array = np.array(values.unwrap()), x.array.reshape(-1)
    assert (values.ndim, values.dtype) == (1, x.array.dtype)
    nan, lost = found != found, array != array
    assert nan.sum() == lost.sum()
    assert len(set(found[~nan].tolist())) == len(found[~nan])
    assert set(found[~nan].tolist()) == set(array[~lost].tolist())


@each("unique_values", "unique_counts", "unique_inverse", "unique_all")
@some
@given(x=operands(EVERY) | operands(EVERY, values="ties"), mode=modes)
def test_unique_elements_can_be_put_together_again(name: str, x: Operand, mode: str) -> None:
    with in_mode(mode):
        found = getattr(xp, name)(x.buffer)
    if name == "unique_values":
        assert_distinct(found, x)
        assert_apart(found, x.buffer)
        return
    assert_distinct(found.values, x)
    values = np.array(found.values.unwrap())
    flat = x.array.reshape(-1)
    for part in found:
        assert_apart(part, x.buffer)
    if "inverse_indices" in found._fields:
        inverse = found.inverse_indices
        assert (inverse.shape, inverse.dtype) == (x.array.shape, xp.int64)
        again = values[inverse.unwrap()]
        assert ((again == x.array) | ((again != again) & (x.array != x.array))).all()
    if "counts" in found._fields:
        assert (found.counts.shape, found.counts.dtype) == (values.shape, xp.int64)
        once = [1 if value != value else (flat == value).sum() for value in values]
        assert found.counts.tolist() == once
    if "indices" in found._fields:
        assert (found.indices.shape, found.indices.dtype) == (values.shape, xp.int64)
        first = found.indices.tolist()
        assert_bits(flat[first], values, zeros=False)
        for place, value in zip(first, values, strict=True):
            assert value != value or not (flat[:place] == value).any()
        assert len(set(first)) == len(first)
    x.check()


@pytest.mark.parametrize("dtype", dtypes.EXTENDED, ids=str)
@pytest.mark.parametrize("count", [5, 40])
def test_narrow_floats_are_sorted_as_numbers_with_nan_last(dtype: Any, count: int) -> None:
    rng = np.random.default_rng(count)
    array = rng.choice(np.array([2.0, -1.0, 0.5, np.nan, 3.0]), count).astype(dtype)
    x, wide = xp.asarray(array), array.astype(np.float32)
    assert repr(xp.sort(x).tolist()) == repr(np.sort(wide).tolist())
    assert xp.argsort(x).tolist() == np.argsort(wide, kind="stable").tolist()
    assert xp.unique_counts(x).counts.tolist() == np.unique_counts(wide).counts.tolist()
    ordered = xp.asarray([-1.0, 0.5, 2.0], dtype=dtype)
    assert xp.searchsorted(ordered, x).tolist() == np.searchsorted([-1, 0.5, 2], wide).tolist()
    assert xp.isin(x, ordered).tolist() == np.isin(wide, [-1, 0.5, 2]).tolist()
