"""The fft extension: every length, axis and norm; single precision stays single."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from array_api.properties.arrays import (
    COMPLEX,
    FLOATS,
    INTEGERS,
    NARROW,
    Array,
    agree,
    axis_tuples,
    each,
    examples,
    full_deep_shapes,
    modes,
    operands,
    several_axes,
)
from buffer.cases import in_mode
from hypothesis import assume, given
from hypothesis import strategies as st

import onebuf as xp
from onebuf import OnebufError, dtypes

some = examples(30)
ULPS = 64
norms = st.sampled_from(["backward", "ortho", "forward"])
FROM_REAL = {"rfft", "rfftn", "ihfft"}
TO_REAL = {"irfft", "hfft"}
"""These read one element of an axis that has none, where a length of the result is given: what
NumPy returns then is memory that nobody wrote, and no value to compare with."""


def floating(array: Array) -> Array:
    """What a transform works in: single or double precision."""
    if dtypes.kind(array.dtype) in "biu":
        return array.astype(np.float64)
    return array.astype(np.float32) if array.dtype in NARROW else array


def types(name: str) -> tuple[Any, ...]:
    return FLOATS + NARROW + INTEGERS[:2] + COMPLEX


def with_real(name: str, array: Array) -> Array:
    if name in FROM_REAL and array.dtype.kind == "c":
        raise TypeError("half a transform is enough for real numbers alone")
    return floating(array)


@each("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", of="fft.")
@some
@given(data=st.data(), norm=norms, mode=modes)
def test_a_transform_along_one_axis_is_numpys(
    name: str, data: st.DataObject, norm: str, mode: str
) -> None:
    x = data.draw(operands(types(name), values="finite"))
    ndim = x.array.ndim
    axis = data.draw(st.integers(-ndim - 1, ndim))
    n = data.draw(st.none() | st.integers(0, 7))
    assume(not (n and name in TO_REAL and -ndim <= axis < ndim and not x.array.shape[axis]))
    agree(
        mode,
        lambda: getattr(xp.fft, name)(x.buffer, n=n, axis=axis, norm=norm),
        lambda: getattr(np.fft, name)(with_real(name, x.array), n=n, axis=axis, norm=norm),
        x,
        ulps=ULPS,
        scale=30,
    )


@each("fftn", "ifftn", "rfftn", "irfftn", of="fft.")
@some
@given(data=st.data(), norm=norms, mode=modes)
def test_a_transform_along_several_axes_is_numpys(
    name: str, data: st.DataObject, norm: str, mode: str
) -> None:
    x = data.draw(operands(types(name), full_deep_shapes, values="finite"))
    ndim = x.array.ndim
    axes = data.draw(st.none() | axis_tuples(ndim).filter(len))
    count = ndim if axes is None else len(axes)
    lengths = st.lists(st.integers(1, 5), min_size=count, max_size=count).map(tuple)
    s = data.draw(st.none() | lengths)
    if s is not None and axes is None:
        axes = tuple(range(ndim))  # NumPy warns that it will mean the last axes by this
    agree(
        mode,
        lambda: getattr(xp.fft, name)(x.buffer, s=s, axes=axes, norm=norm),
        lambda: getattr(np.fft, name)(with_real(name, x.array), s=s, axes=axes, norm=norm),
        x,
        ulps=ULPS,
        scale=300,
    )


@each("fftfreq", "rfftfreq", of="fft.")
@some
@given(
    n=st.integers(0, 12),
    d=st.sampled_from([1.0, 0.5, 3.0, -2.0]),
    dtype=st.none() | st.sampled_from(FLOATS),
    mode=modes,
)
def test_frequencies_are_numpys(name: str, n: int, d: float, dtype: Any, mode: str) -> None:
    def theirs() -> Any:
        if n < 1:
            raise ValueError("there is no frequency of no samples")
        return getattr(np.fft, name)(n, d=d).astype(dtype or np.float64)

    agree(mode, lambda: getattr(xp.fft, name)(n, d=d, dtype=dtype), theirs)


@each("fftshift", "ifftshift", of="fft.")
@some
@given(data=st.data(), mode=modes)
def test_shifts_are_numpys(name: str, data: st.DataObject, mode: str) -> None:
    x = data.draw(operands())
    axes = data.draw(several_axes(x.array.ndim))

    def theirs() -> Any:
        if axes == () or not x.array.ndim:  # NumPy fails where there is nothing to do
            return x.array
        return getattr(np.fft, name)(x.array, axes=axes)

    agree(mode, lambda: getattr(xp.fft, name)(x.buffer, axes=axes), theirs, x)


@each("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftshift", "ifftshift", of="fft.")
@examples(10)
@given(data=st.data(), mode=modes)
def test_an_axis_that_is_not_there_is_an_index_error(
    name: str, data: st.DataObject, mode: str
) -> None:
    x = data.draw(operands(FLOATS))
    ndim = x.array.ndim
    axis = data.draw(st.sampled_from([ndim, -ndim - 1, ndim + 7]))
    keyword = {"axes": axis} if "shift" in name else {"axis": axis}
    with pytest.raises(IndexError) as caught, in_mode(mode):
        getattr(xp.fft, name)(x.buffer, **keyword)
    assert isinstance(caught.value, OnebufError)
    x.check()


@examples(30)
@given(data=st.data(), norm=norms, mode=modes)
def test_an_inverse_gives_the_elements_back(data: st.DataObject, norm: str, mode: str) -> None:
    x = data.draw(operands((xp.float64,), full_deep_shapes, "finite"))
    with in_mode(mode):
        whole = xp.fft.ifftn(xp.fft.fftn(x.buffer, norm=norm), norm=norm)
        half = xp.fft.irfft(xp.fft.rfft(x.buffer, norm=norm), n=x.array.shape[-1], norm=norm)
        moved = xp.fft.ifftshift(xp.fft.fftshift(x.buffer))
    np.testing.assert_allclose(np.asarray(whole).real, x.array, atol=1e-12)
    np.testing.assert_allclose(np.asarray(half), x.array, atol=1e-12)
    np.testing.assert_array_equal(np.asarray(moved), x.array)
