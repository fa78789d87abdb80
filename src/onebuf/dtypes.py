"""Element types: real ``np.dtype`` objects, and the rules for mixing them.

Promotion is NumPy's, which contains the table of the array API standard; what NumPy leaves to
chance for the types of ``ml_dtypes`` (a Python float next to bfloat16) follows the same rule as
for the built-in floats: the scalar takes the type of the array.
"""

from __future__ import annotations

import builtins
from functools import cache
from math import isfinite
from typing import Any

import ml_dtypes
import numpy as np

from onebuf.errors import DTypeError, ScalarRangeError

Array = np.ndarray[Any, Any]
DT = np.dtype[Any]

bool = np.dtype("bool")  # noqa: A001 - the standard's own name
int8 = np.dtype("int8")
int16 = np.dtype("int16")
int32 = np.dtype("int32")
int64 = np.dtype("int64")
uint8 = np.dtype("uint8")
uint16 = np.dtype("uint16")
uint32 = np.dtype("uint32")
uint64 = np.dtype("uint64")
float16 = np.dtype("float16")
bfloat16 = np.dtype(ml_dtypes.bfloat16)
float8_e4m3fn = np.dtype(ml_dtypes.float8_e4m3fn)
float8_e5m2 = np.dtype(ml_dtypes.float8_e5m2)
float32 = np.dtype("float32")
float64 = np.dtype("float64")
complex64 = np.dtype("complex64")
complex128 = np.dtype("complex128")

STANDARD = (
    *(bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64),
    *(float32, float64, complex64, complex128),
)
"""The thirteen types of the array API standard."""

EXTENDED = (float16, bfloat16, float8_e4m3fn, float8_e5m2)
"""Narrow floats beyond the standard, for storage and exchange as much as for arithmetic."""

ALL = STANDARD + EXTENDED
BY_NAME = {dtype.name: dtype for dtype in ALL}

FIRST_ADDED = 256
"""NumPy numbers its own dtypes below this, and those added to it from here on."""

_SPECS: dict[Any, np.dtype[Any]] = {
    **BY_NAME,
    **{spec: dtype for dtype in ALL for spec in (dtype, dtype.type)},
}
"""Whatever names a dtype, as far as it is known in advance: as_dtype is called all the time."""

_KINDS = {dtype: "f" if dtype in EXTENDED else dtype.kind for dtype in ALL}
_PYTHON = {builtins.bool: bool, int: int64, float: float64, complex: complex128}

type_of_scalar = _PYTHON.__getitem__


class DType:
    """The three types of the strided-buffer document, and all others, by name.

    >>> DType.float32 is float32
    True
    """

    bool = bool
    int8, int16, int32, int64 = int8, int16, int32, int64
    uint8, uint16, uint32, uint64 = uint8, uint16, uint32, uint64
    float16, bfloat16, float32, float64 = float16, bfloat16, float32, float64
    float8_e4m3fn, float8_e5m2 = float8_e4m3fn, float8_e5m2
    complex64, complex128 = complex64, complex128


def as_dtype(spec: Any) -> np.dtype[Any]:
    """The supported, native-endian dtype that ``spec`` names.

    >>> as_dtype("float32"), as_dtype(int), as_dtype("bfloat16")
    (dtype('float32'), dtype('int64'), dtype(bfloat16))
    """
    if spec is None:  # np.dtype(None) would be float64
        raise _unsupported(spec)
    try:
        return _SPECS[spec]
    except (KeyError, TypeError):
        pass  # spelled in another way, or not a dtype at all
    try:
        return _SPECS[np.dtype(spec).newbyteorder("=")]
    except (KeyError, TypeError):
        raise _unsupported(spec) from None


def _unsupported(spec: object) -> DTypeError:
    return DTypeError(f"needed one of the dtypes {', '.join(BY_NAME)}; got {spec!r}")


def is_supported(dtype: np.dtype[Any]) -> builtins.bool:
    """Whether buffers can hold ``dtype`` in this byte order.

    >>> is_supported(np.dtype("float32")), is_supported(np.dtype(object))
    (True, False)
    """
    return dtype in _KINDS and dtype.isnative


_OWN = {id(dtype) for dtype in ALL}


def is_own(dtype: np.dtype[Any]) -> builtins.bool:
    """Whether ``dtype`` is the very object of its name that is here, and no equal one.

    >>> is_own(float32), is_own(np.dtype(">f4"))
    (True, False)
    """
    return id(dtype) in _OWN


def is_added(dtype: np.dtype[Any]) -> builtins.bool:
    """Whether ``ml_dtypes`` added ``dtype`` to NumPy, which then knows less about it.

    >>> is_added(bfloat16), is_added(float16)
    (True, False)
    """
    return dtype.num >= FIRST_ADDED


def kind(dtype: np.dtype[Any]) -> str:
    """One letter for the kind of number: b, i, u, f or c.

    Unlike ``dtype.kind`` it is ``f`` for bfloat16 and the 8-bit floats too.

    >>> kind(bfloat16), kind(uint8)
    ('f', 'u')
    """
    return _KINDS[dtype]


def check_real(source: np.dtype[Any], target: np.dtype[Any]) -> None:
    """Raise where a conversion would lose imaginary parts; whether a number is zero may be asked.

    >>> check_real(complex64, float32)
    Traceback (most recent call last):
    onebuf.errors.DTypeError: a conversion from complex64 to float32 would lose the imaginary ...
    """
    if source.kind == "c" and target.kind not in "cb":
        raise DTypeError(
            f"a conversion from {source.name} to {target.name} would lose the imaginary parts; "
            f"convert real(x), imag(x) or abs(x) instead"
        )


@cache
def promote(*types: np.dtype[Any]) -> np.dtype[Any]:
    """The type that holds values of all of ``types``.

    A narrow float of ``ml_dtypes`` counts as float16; two different narrow floats meet in float32.

    >>> promote(int32, float32), promote(bfloat16, float16), promote(int8, bfloat16)
    (dtype('float64'), dtype('float32'), dtype(bfloat16))
    """
    first = types[0]
    if types.count(first) == len(types):
        return _SPECS[first]
    narrow = {dtype for dtype in types if dtype in EXTENDED}
    common = np.result_type(*(float16 if dtype in narrow else dtype for dtype in types))
    if common == float16 and narrow:
        return narrow.pop() if len(narrow) == 1 else float32
    return BY_NAME[common.name]


def typed_scalar(value: Any, dtype: np.dtype[Any]) -> Any:
    """A Python scalar made ready to meet elements of ``dtype``; an error if it does not fit.

    >>> typed_scalar(300, int8)
    Traceback (most recent call last):
    onebuf.errors.ScalarRangeError: int8 holds -128 to 127, got 300, which is out of bounds; ...
    """
    if is_added(dtype):
        return value if isinstance(value, complex) else dtype.type(value)
    if dtype.kind in "iu" and value.__class__ in (int, float):
        low, high = _limits(dtype)
        if not low - 1 < value < high + 1:  # a fraction is cut off; NaN is nowhere
            raise ScalarRangeError(
                f"{dtype.name} holds {low} to {high}, got {value}, which is out of bounds; "
                f"convert with astype(...) first"
            )
    return value


@cache
def _limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    """The least and the largest integer of ``dtype``."""
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


@cache
def meet_scalar(dtype: np.dtype[Any], scalar: type) -> np.dtype[Any]:
    """The type a Python scalar takes next to an array of ``dtype``.

    The array's own type where that can hold the kind of number, else the one NumPy finds.

    >>> meet_scalar(float32, int), meet_scalar(float32, complex), meet_scalar(int32, float)
    (dtype('float32'), dtype('complex64'), dtype('float64'))
    """
    order = "biufc".index
    scalar_dtype = type_of_scalar(scalar)
    own, other = kind(dtype), kind(scalar_dtype)
    if other == "b" or (own != "b" and (order(other) <= order(own) or {own, other} == {"i", "u"})):
        return dtype
    if other == "c":
        return complex64 if own == "f" and dtype.itemsize <= 4 else complex128
    return scalar_dtype


def integer_of(value: float, dtype: np.dtype[Any]) -> int:
    """The integer that a float becomes, also one out of range: the same in every tier.

    Where NumPy has one answer on x86-64 it is NumPy's. A float is cut to a signed integer: of 64
    bits for int64, uint32 and uint64, of 32 bits for the others. What is out of its range, or no
    number, becomes the least one. Then the low bits are taken. uint64 counts from 2**63 above that.

    >>> [integer_of(x, uint8) for x in (-1.0, 300.7, 1e10, float("nan"))]
    [255, 44, 0, 0]
    >>> integer_of(float("inf"), int32)
    -2147483648
    """
    bits = 64 if dtype in (int64, uint32, uint64) else 32
    edge = 1 << (bits - 1)
    least = -edge
    shift = edge if dtype == uint64 and value >= edge else 0
    whole = int(value) - shift if isfinite(value) else least
    if not least <= whole < edge:
        whole = least
    count = 1 << (8 * dtype.itemsize)
    low = (whole + shift) % count
    return low if low <= np.iinfo(dtype).max else low - count
