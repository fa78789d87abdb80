"""Data type functions: asking about dtypes, and converting."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from onebuf import dtypes, ops
from onebuf.array_api.arguments import buffer_of, flag, public
from onebuf.buffer import Buffer
from onebuf.dtypes import DT
from onebuf.errors import ArgumentError, ArgumentTypeError
from onebuf.machine import Device
from onebuf.options import options

_NUMBER = bool | int | float | complex
_SCALARS = frozenset((bool, int, float, complex))
KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}


class FloatInfo(NamedTuple):
    """The limits of a floating type, as Python numbers."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DT


class IntegerInfo(NamedTuple):
    """The limits of an integer type."""

    bits: int
    max: int
    min: int
    dtype: DT


@public
def astype(
    x: Any, dtype: Any, /, *, copy: bool = True, device: str | Device | None = None
) -> Buffer:
    """``x`` converted to ``dtype``; itself if that changes nothing and ``copy`` is False."""
    if dtype is None:
        raise ArgumentTypeError("astype needs a dtype, got None")
    if x.__class__ is Buffer and copy is True and device is None:
        return x.astype(dtype)
    return buffer_of("astype", x).astype(dtype, copy=flag("astype", "copy", copy), device=device)


@public
def can_cast(from_: Any, to: Any, /, casting: str | None = None) -> bool:
    """Whether every value of a type is also one of another, by the rules of promotion.

    ``casting`` names one of NumPy's rules to ask instead, such as "same_kind".

    >>> can_cast(dtypes.int8, dtypes.int16), can_cast(dtypes.int64, dtypes.float32)
    (True, False)
    """
    source, target = _dtype(from_), dtypes.as_dtype(to)
    if casting is not None:
        return np.can_cast(source, target, casting)  # type: ignore[arg-type]
    return dtypes.promote(source, target) == target


@public
def finfo(type: Any, /) -> FloatInfo:
    """The limits of a floating type, or of a buffer's.

    >>> finfo(dtypes.float32).bits
    32
    """
    return _float_info(_dtype(type))


@cache
def _float_info(dtype: DT) -> FloatInfo:
    if dtypes.kind(dtype) not in "fc":
        raise ArgumentTypeError(f"finfo needs a floating type, got {dtype.name}; see iinfo")
    part = np.empty(0, dtype).real.dtype
    found: Any = ml_dtypes.finfo(part)  # type: ignore[no-untyped-call]
    return FloatInfo(
        bits=int(found.bits),
        eps=float(found.eps),
        max=float(found.max),
        min=float(found.min),
        smallest_normal=float(found.smallest_normal),
        dtype=part,
    )


@public
def iinfo(type: Any, /) -> IntegerInfo:
    """The limits of an integer type, or of a buffer's.

    >>> iinfo(dtypes.uint8).max
    255
    """
    return _integer_info(_dtype(type))


@cache
def _integer_info(dtype: DT) -> IntegerInfo:
    if dtypes.kind(dtype) not in "iu":
        raise ArgumentTypeError(f"iinfo needs an integer type, got {dtype.name}; see finfo")
    found = np.iinfo(dtype)
    return IntegerInfo(found.bits, int(found.max), int(found.min), dtype)


@public
def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether ``dtype`` is a type, of a kind, or any of several.

    >>> isdtype(dtypes.float32, "real floating"), isdtype(dtypes.int8, ("bool", dtypes.int8))
    (True, True)
    """
    found = dtypes.as_dtype(dtype)
    if isinstance(kind, tuple):
        return any(isdtype(found, one) for one in kind)
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ArgumentError(f"isdtype needs a dtype or one of {', '.join(KINDS)}; got {kind!r}")
        return dtypes.kind(found) in KINDS[kind]
    return found == dtypes.as_dtype(kind)


@public
def result_type(*arrays_and_dtypes: Any) -> DT:
    """The dtype that operands of these types give; Python's numbers follow the others.

    >>> result_type(dtypes.int8, dtypes.uint8, 3)
    dtype('int16')
    """
    scalars, others = [], []
    for x in arrays_and_dtypes:
        if x.__class__ is Buffer:
            others.append(x._node.dtype)
        elif x.__class__ in _SCALARS or _is_python_number(x):
            scalars.append(x)
        else:
            others.append(_dtype(x))
    if not arrays_and_dtypes:
        raise ArgumentError("result_type needs at least one buffer, dtype or number, got none")
    result = dtypes.promote(*others) if others else _default(scalars)
    for scalar in scalars:
        kind = next(base for base in ops.SCALARS if isinstance(scalar, base))
        result = dtypes.promote(result, dtypes.meet_scalar(result, kind))
    return result


def _is_python_number(x: Any) -> bool:
    return isinstance(x, _NUMBER) and not isinstance(x, np.generic)


def _default(scalars: list[Any]) -> DT:
    """The type of Python numbers where nothing else decides."""
    found: DT = dtypes.promote(*[dtypes.type_of_scalar(type(scalar)) for scalar in scalars])
    default = options().default_float
    if default.itemsize == 8 or dtypes.kind(found) not in "fc":
        return found
    return default if dtypes.kind(found) == "f" else dtypes.complex64


def _dtype(x: Any) -> DT:
    return x.dtype if isinstance(x, Buffer | np.ndarray | np.generic) else dtypes.as_dtype(x)
