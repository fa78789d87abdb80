"""When two arrays count as the same: to the bit, or as near as a function can be computed."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from onebuf.dtypes import Array, kind

PRECISION = {
    "float64": 1e-12,
    "complex128": 1e-11,
    "float32": 4e-6,
    "complex64": 1e-5,
    "float16": 4e-3,
    "bfloat16": 3e-2,
    "float8_e4m3fn": 0.15,
    "float8_e5m2": 0.3,
}
"""How far a function's value may be off, for its size: a few of its last bits."""


def assert_same(got: Array, wanted: Array, what: str = "", *, signed: bool = True) -> None:
    """The same dtype, shape and bits; a NaN may be any NaN.

    ``signed=False``: zeros may also differ in their sign.
    """
    _assert_alike(got, wanted, what)
    if kind(wanted.dtype) == "c":
        assert_same(got.real, wanted.real, what, signed=signed)
        assert_same(got.imag, wanted.imag, what, signed=signed)
        return
    if signed or kind(wanted.dtype) != "f":
        differ = _bits(got) != _bits(wanted)
    else:
        differ = np.asarray(got != wanted)
    if kind(wanted.dtype) == "f":
        differ &= ~(np.isnan(got) & np.isnan(wanted))
    _assert_none(differ, got, wanted, what)


def assert_close(got: Array, wanted: Array, what: str = "", *, precision: float = 0.0) -> None:
    """The same dtype and shape, and nearly the same values.

    What is no matter of precision is exact: where there are NaNs, infinities, zeros, and the sign
    of everything else.
    """
    _assert_alike(got, wanted, what)
    if kind(wanted.dtype) == "c":
        assert_close(got.real, wanted.real, what, precision=precision)
        assert_close(got.imag, wanted.imag, what, precision=precision)
        return
    if kind(wanted.dtype) != "f":
        assert_same(got, wanted, what)
        return
    near = precision or PRECISION[wanted.dtype.name]
    mine, theirs = np.asarray(got, np.float64), np.asarray(wanted, np.float64)
    size = np.where(np.isfinite(theirs), np.abs(theirs), 0.0)
    with np.errstate(invalid="ignore"):
        differ = np.abs(mine - theirs) > near * np.maximum(size, 1.0)
    special = ~np.isfinite(theirs) | ~np.isfinite(mine)
    same = (mine == theirs) | (np.isnan(mine) & np.isnan(theirs))
    differ = np.where(special, ~same, differ)
    matters = ((theirs == 0) & (mine == 0)) | (size > near)
    differ |= matters & ~np.isnan(theirs) & (np.signbit(mine) != np.signbit(theirs))
    _assert_none(differ, got, wanted, what)


def flushed(array: Array) -> Array:
    """``array`` with zeros in place of what is smaller than every normal number."""
    if kind(array.dtype) != "f":
        return array
    least = ml_dtypes.finfo(array.dtype).smallest_normal  # type: ignore[no-untyped-call]
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(array) < least, np.copysign(array.dtype.type(0), array), array)


def _assert_alike(got: Array, wanted: Array, what: str) -> None:
    mine, theirs = (got.dtype.name, got.shape), (wanted.dtype.name, wanted.shape)
    assert mine == theirs, f"{what}: needed {theirs}, got {mine}"


def _bits(array: Array) -> Array:
    return np.ascontiguousarray(array).reshape(array.shape).view(f"u{array.itemsize}")


def _assert_none(differ: Array, got: Array, wanted: Array, what: str) -> None:
    if not differ.any():
        return
    places = np.argwhere(differ)[:5].tolist()
    raise AssertionError(
        f"{what}: {int(differ.sum())} of {differ.size} elements differ, first at {places}: "
        f"got {got[differ][:5]}, needed {wanted[differ][:5]}"
    )
