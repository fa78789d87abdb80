"""``tinygrad.dtype``: element types under tinygrad's names, each with its NumPy dtype."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from onebuf import dtypes as ours
from onebuf.errors import ArgumentTypeError


@dataclass(frozen=True, slots=True, eq=False)
class DType:
    """An element type: its size in bytes, its name in C, and its letter for ``memoryview``."""

    priority: int
    itemsize: int
    name: str
    fmt: str | None
    numpy: np.dtype[Any]
    """The dtype that onebuf has for it."""

    def __repr__(self) -> str:
        return f"dtypes.{_NAMES[self]}"

    def __reduce__(self) -> str | tuple[Any, ...]:
        return to_dtype, (_NAMES[self],)


class DTypes:
    """Every element type by name, and what kinds there are.

    >>> dtypes.half, dtypes.half.itemsize, dtypes.half.fmt
    (dtypes.half, 2, 'e')
    """

    bool = DType(0, 1, "bool", "?", ours.bool)
    int8 = DType(1, 1, "signed char", "b", ours.int8)
    uint8 = DType(2, 1, "unsigned char", "B", ours.uint8)
    int16 = DType(3, 2, "short", "h", ours.int16)
    uint16 = DType(4, 2, "unsigned short", "H", ours.uint16)
    int32 = DType(5, 4, "int", "i", ours.int32)
    uint32 = DType(6, 4, "unsigned int", "I", ours.uint32)
    int64 = DType(7, 8, "long", "q", ours.int64)
    uint64 = DType(8, 8, "unsigned long", "Q", ours.uint64)
    fp8e4m3 = DType(9, 1, "float8_e4m3", None, ours.float8_e4m3fn)
    fp8e5m2 = DType(10, 1, "float8_e5m2", None, ours.float8_e5m2)
    float16 = DType(11, 2, "half", "e", ours.float16)
    bfloat16 = DType(12, 2, "__bf16", None, ours.bfloat16)
    float32 = DType(13, 4, "float", "f", ours.float32)
    float64 = DType(14, 8, "double", "d", ours.float64)

    half, float, double = float16, float32, float64
    char, short, int, long = int8, int16, int32, int64
    uchar, ushort, uint, ulong = uint8, uint16, uint32, uint64

    default_float, default_int = float32, int32
    floats = (fp8e4m3, fp8e5m2, float16, bfloat16, float32, float64)
    uints = (uint8, uint16, uint32, uint64)
    sints = (int8, int16, int32, int64)
    ints = uints + sints
    all = (*floats, *ints, bool)

    def is_float(self, dtype: DType) -> builtins.bool:
        """Whether it is one of the floats."""
        return dtype in self.floats

    def is_int(self, dtype: DType) -> builtins.bool:
        """Whether it is one of the integers."""
        return dtype in self.ints

    def is_unsigned(self, dtype: DType) -> builtins.bool:
        """Whether it is one of the integers without a sign."""
        return dtype in self.uints

    def is_bool(self, dtype: DType) -> builtins.bool:
        """Whether it is the one for truth values."""
        return dtype is self.bool

    def min(self, dtype: DType) -> Any:
        """The least number of that type: minus infinity for the floats."""
        if self.is_float(dtype):
            return -builtins.float("inf")
        return False if self.is_bool(dtype) else builtins.int(np.iinfo(dtype.numpy).min)

    def max(self, dtype: DType) -> Any:
        """The greatest number of that type: infinity for the floats."""
        if self.is_float(dtype):
            return builtins.float("inf")
        return True if self.is_bool(dtype) else builtins.int(np.iinfo(dtype.numpy).max)


dtypes = DTypes()
"""Every element type by name."""

_NAMES = {
    dtype: name
    for name, dtype in vars(DTypes).items()
    if dtype in DTypes.all and not name.startswith("default")
}
"""The name that each goes by: the last one, as in tinygrad."""


def to_dtype(dtype: Any) -> DType:
    """The element type, which may be given by name."""
    found = getattr(dtypes, dtype.lower(), None) if isinstance(dtype, str) else dtype
    if not isinstance(found, DType):
        names = ", ".join(_NAMES[one] for one in DTypes.all)
        raise ArgumentTypeError(f"needed one of the dtypes {names}; got {dtype!r}")
    return found


_BY_NUMPY = {dtype.numpy: dtype for dtype in DTypes.all}


def from_numpy(dtype: np.dtype[Any]) -> DType:
    """The element type under tinygrad's name.

    >>> from_numpy(np.dtype("int16"))
    dtypes.short
    """
    found = _BY_NUMPY.get(dtype)
    if found is None:
        raise ArgumentTypeError(
            f"tinygrad has no element type {dtype.name}; convert the elements first, for example "
            "to float32"
        )
    return found


def least_upper_dtype(*given: DType) -> DType:
    """The element type that operands of these types are converted to.

    An integer beside a float becomes that float, however few bits it has.

    >>> least_upper_dtype(dtypes.int64, dtypes.half), least_upper_dtype(dtypes.uint8, dtypes.int8)
    (dtypes.half, dtypes.short)
    """
    return reduce(_upper, given)


def _upper(one: DType, two: DType) -> DType:
    floats = [dtype for dtype in (one, two) if dtypes.is_float(dtype)]
    if len(floats) == 1:
        return floats[0]
    if one is two:
        return one
    if floats:
        if one.itemsize == two.itemsize:
            return dtypes.half if one.itemsize == 1 else dtypes.float32
        return max(floats, key=lambda dtype: dtype.itemsize)
    found = np.promote_types(one.numpy, two.numpy)
    return dtypes.default_float if found.kind == "f" else from_numpy(found)
