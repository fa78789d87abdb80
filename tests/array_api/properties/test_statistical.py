"""Statistical functions: over one axis, several, all or none, with NumPy's dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from array_api.properties.arrays import (
    BOOL,
    EVERY,
    FLOATS,
    INTEGERS,
    NARROW,
    NUMERIC,
    REAL,
    Operand,
    agree,
    covers,
    deep_shapes,
    each,
    examples,
    modes,
    operands,
    several_axes,
    shapes,
)
from buffer.cases import in_mode
from hypothesis import given
from hypothesis import strategies as st

import onebuf as xp
from onebuf import OnebufError, dtypes

some = examples(50)
ULPS = 64
"""For at most 64 elements, in any order of summation."""


def wide(array: Any) -> Any:
    """What NumPy computes in: it knows no reductions of bfloat16, which count in float32."""
    return array.astype(np.float32) if array.dtype == dtypes.bfloat16 else array


def narrow(result: Any, x: Operand) -> Any:
    back = x.array.dtype == dtypes.bfloat16
    return np.asarray(result).astype(dtypes.bfloat16) if back else result


@each("max", "min")
@some
@given(data=st.data(), keepdims=st.booleans(), mode=modes)
def test_extremes_are_numpys(name: str, data: st.DataObject, keepdims: bool, mode: str) -> None:
    x = data.draw(operands(BOOL + REAL + NARROW))
    axis = data.draw(several_axes(x.array.ndim))
    agree(
        mode,
        lambda: getattr(xp, name)(x.buffer, axis=axis, keepdims=keepdims),
        lambda: narrow(getattr(np, name)(wide(x.array), axis=axis, keepdims=keepdims), x),
        x,
        zeros=False,
    )


@each("sum", "prod")
@some
@given(data=st.data(), keepdims=st.booleans(), mode=modes)
def test_totals_are_numpys(name: str, data: st.DataObject, keepdims: bool, mode: str) -> None:
    # Overflow and cancellation make floating results depend on the order; that of integers wraps.
    whole = data.draw(st.booleans())
    values = "any" if whole else "finite" if name == "sum" else "tame"
    x = data.draw(operands(INTEGERS if whole else EVERY, values=values))
    axis = data.draw(several_axes(x.array.ndim))
    dtype = data.draw(st.none() | st.sampled_from(INTEGERS if whole else NUMERIC))
    if dtype is not None and dtypes.kind(dtype) in "iuf" and x.array.dtype.kind in "fc":
        dtype = None  # that loses imaginary parts, or what no integer holds

    def theirs() -> Any:
        array = wide(x.array) if dtype is None else x.array.astype(dtype)
        found = getattr(np, name)(array, axis=axis, dtype=dtype, keepdims=keepdims)
        return narrow(found, x) if dtype is None else found

    agree(
        mode,
        lambda: getattr(xp, name)(x.buffer, axis=axis, dtype=dtype, keepdims=keepdims),
        theirs,
        x,
        ulps=ULPS,
        scale=300 if name == "sum" else 0,
    )


@each("sum", "prod", "mean", "max", "min")
@some
@given(data=st.data(), mode=modes)
def test_infinities_and_nan_reach_the_result(name: str, data: st.DataObject, mode: str) -> None:
    x = data.draw(operands(FLOATS, values="tame", cuts=("whole", "back", "step")))
    if not x.array.size:
        return
    special = data.draw(st.sampled_from([np.inf, -np.inf, np.nan]))
    place = data.draw(st.integers(0, x.array.size - 1))
    mask = np.arange(x.array.size).reshape(x.array.shape) == place
    x.array[...] = np.where(mask, special, x.array)
    with in_mode(mode):
        buffer = xp.where(xp.asarray(mask), special, x.buffer)
    agree(
        mode,
        lambda: getattr(xp, name)(buffer),
        lambda: getattr(np, name)(x.array),
        ulps=ULPS,
    )


@covers("mean")
@some
@given(data=st.data(), keepdims=st.booleans(), mode=modes)
def test_mean_is_numpys(data: st.DataObject, keepdims: bool, mode: str) -> None:
    x = data.draw(operands(EVERY, values="finite"))
    axis = data.draw(several_axes(x.array.ndim))
    agree(
        mode,
        lambda: xp.mean(x.buffer, axis=axis, keepdims=keepdims),
        lambda: narrow(np.mean(wide(x.array), axis=axis, keepdims=keepdims), x),
        x,
        ulps=ULPS,
        scale=10,
    )


@each("var", "std")
@some
@given(
    data=st.data(),
    correction=st.sampled_from([0, 1, 0.5, 2.0, 5]),
    keepdims=st.booleans(),
    mode=modes,
)
def test_spreads_are_numpys(
    name: str, data: st.DataObject, correction: float, keepdims: bool, mode: str
) -> None:
    x = data.draw(operands(BOOL + REAL + NARROW, values="finite"))
    axis = data.draw(several_axes(x.array.ndim))

    def theirs() -> Any:
        array = wide(x.array)
        found = getattr(np, name)(array, axis=axis, correction=correction, keepdims=keepdims)
        count = x.array.size // found.size if found.size else 1
        if count <= correction and found.size:
            # The standard: NaN. NumPy divides by zero, which can give infinity.
            found = np.full_like(found, np.nan)
        return narrow(found, x)

    agree(
        mode,
        lambda: getattr(xp, name)(x.buffer, axis=axis, correction=correction, keepdims=keepdims),
        theirs,
        x,
        ulps=ULPS,
        scale=10 if name == "var" else 1,
    )


@each("cumulative_sum", "cumulative_prod")
@some
@given(data=st.data(), include_initial=st.booleans(), mode=modes)
def test_running_totals_are_numpys(
    name: str, data: st.DataObject, include_initial: bool, mode: str
) -> None:
    values = "finite" if name == "cumulative_sum" else "tame"
    whole = data.draw(st.booleans())
    x = data.draw(operands(INTEGERS) if whole else operands(EVERY, values=values))
    ndim = x.array.ndim
    axis = data.draw(st.none() | st.integers(-ndim - 1, ndim))
    dtype = data.draw(st.none() | st.sampled_from(INTEGERS[3:] if whole else FLOATS))
    if x.array.dtype.kind == "c":
        dtype = None

    def theirs() -> Any:
        if not ndim:
            raise ValueError("the standard asks for one axis at least")
        array = wide(x.array) if dtype is None else x.array.astype(dtype)
        found = getattr(np, name)(array, axis=axis, dtype=dtype, include_initial=include_initial)
        return narrow(found, x) if dtype is None else found

    agree(
        mode,
        lambda: getattr(xp, name)(
            x.buffer, axis=axis, dtype=dtype, include_initial=include_initial
        ),
        theirs,
        x,
        ulps=ULPS,
        scale=300 if name == "cumulative_sum" else 0,
    )


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "var", "std"])
@examples(20)
@given(data=st.data(), mode=modes)
def test_a_method_is_the_function(name: str, data: st.DataObject, mode: str) -> None:
    x = data.draw(operands(REAL, deep_shapes, values="tame"))
    axis = data.draw(several_axes(x.array.ndim))
    function, method = getattr(xp, name), getattr(x.buffer, name)
    try:
        with in_mode(mode):
            wanted = function(x.buffer, axis=axis).tolist()
    except OnebufError:
        with pytest.raises(OnebufError), in_mode(mode):
            method(axis)
    else:
        with in_mode(mode):
            assert repr(method(axis).tolist()) == repr(wanted)


@each("sum", "prod", "max", "min", "mean", "var", "std", "cumulative_sum", "cumulative_prod")
@examples(10)
@given(data=st.data(), mode=modes)
def test_an_axis_that_is_not_there_is_an_index_error(
    name: str, data: st.DataObject, mode: str
) -> None:
    x = data.draw(operands(FLOATS, shapes))
    ndim = x.array.ndim
    # Reductions of 0-d arrays take axis 0 and -1, as NumPy's do.
    axis = data.draw(st.sampled_from([ndim or 1, -ndim - 1 if ndim else -2, ndim + 7]))
    with pytest.raises(IndexError) as caught, in_mode(mode):
        getattr(xp, name)(x.buffer, axis=axis)
    assert isinstance(caught.value, OnebufError)
    x.check()
