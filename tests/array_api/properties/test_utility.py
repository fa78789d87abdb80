"""Utility functions: truth of all or some, and differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from array_api.properties.arrays import (
    EVERY,
    NUMERIC,
    STANDARD,
    agree,
    covers,
    each,
    examples,
    modes,
    operands,
    several_axes,
)
from buffer.cases import in_mode
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib.array_utils import normalize_axis_index

import onebuf as xp
from onebuf import OnebufError

some = examples(50)


@each("all", "any")
@some
@given(data=st.data(), keepdims=st.booleans(), mode=modes)
def test_truth_of_elements_is_numpys(
    name: str, data: st.DataObject, keepdims: bool, mode: str
) -> None:
    x = data.draw(operands(EVERY))
    axis = data.draw(several_axes(x.array.ndim))
    agree(
        mode,
        lambda: getattr(xp, name)(x.buffer, axis=axis, keepdims=keepdims),
        lambda: getattr(np, name)(x.array, axis=axis, keepdims=keepdims),
        x,
    )


@covers("approximately_equal")
@some
@given(data=st.data(), tolerance=st.floats(0, 3), mode=modes)
def test_arrays_are_approximately_equal_if_every_distance_is_less_than_the_tolerance(
    data: st.DataObject, tolerance: float, mode: str
) -> None:
    x = data.draw(operands((xp.float64,), values="finite"))
    y = data.draw(operands((xp.float64,), x.array.shape, "finite"))
    for other in (y, x):
        with in_mode(mode):
            found = xp.approximately_equal(x.buffer, other.buffer, tolerance)
        with np.errstate(all="ignore"):
            assert found == bool((np.abs(x.array - other.array) < tolerance).all())


@covers("diff")
@examples(120)
@given(data=st.data(), n=st.integers(-1, 3), mode=modes)
def test_differences_are_numpys(data: st.DataObject, n: int, mode: str) -> None:
    x = data.draw(operands(STANDARD, values="finite"))
    ndim = x.array.ndim
    axis = data.draw(st.integers(-ndim - 1, ndim))
    ends: dict[str, Any] = {}
    for name in ("prepend", "append"):
        if ndim and data.draw(st.booleans()):
            shape = list(x.array.shape)
            shape[axis if -ndim <= axis < ndim else 0] = data.draw(st.integers(0, 2))
            ends[name] = data.draw(operands((x.array.dtype,), tuple(shape), "finite"))

    def theirs() -> Any:
        # With n = 0 NumPy forgets the ends and does not look at the axis, unlike the standard.
        normalize_axis_index(axis, ndim)
        order = [ends.get("prepend"), x, ends.get("append")]
        whole = np.concat([part.array for part in order if part is not None], axis=axis)
        return np.diff(whole, n, axis)

    agree(
        mode,
        lambda: xp.diff(
            x.buffer, axis=axis, n=n, **{name: end.buffer for name, end in ends.items()}
        ),
        theirs,
        x,
        *ends.values(),
    )


@each("all", "any", "diff")
@examples(10)
@given(data=st.data(), mode=modes)
def test_an_axis_that_is_not_there_is_an_index_error(
    name: str, data: st.DataObject, mode: str
) -> None:
    x = data.draw(operands(NUMERIC))
    ndim = x.array.ndim
    # Reductions of 0-d arrays take axis 0 and -1, as NumPy's do.
    axis = data.draw(st.sampled_from([ndim or 1, -ndim - 1 if ndim else -2, ndim + 7]))
    with pytest.raises(IndexError) as caught, in_mode(mode):
        getattr(xp, name)(x.buffer, axis=axis)
    assert isinstance(caught.value, OnebufError)
    x.check()
