"""Nested lists and tuples as arrays, and the dtype that they imply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from onebuf import dtypes
from onebuf.dtypes import DT, Array
from onebuf.errors import (
    ArgumentError,
    ArgumentTypeError,
    DTypeError,
    ScalarRangeError,
    ShapeError,
)
from onebuf.graph import Node, Number
from onebuf.late import Late
from onebuf.ops import quietly

if TYPE_CHECKING:
    from onebuf import engine
else:
    engine = Late("onebuf.engine")


NARROW = {
    dtypes.int64: dtypes.int32,
    dtypes.float64: dtypes.float32,
    dtypes.complex128: dtypes.complex64,
}
"""The types of the strided-buffer document, in place of NumPy's."""

_PLAIN = frozenset((bool, int, float, complex))
_EXACT = 2.0**53
"""Up to here every integer is a float64, too."""


def parse(data: Any, dtype: DT | None, defaults: dict[DT, DT]) -> Array:
    """The elements of nested sequences of numbers.

    >>> parse([[1, 2], [3, 4]], None, NARROW)
    array([[1, 2],
           [3, 4]], dtype=int32)
    """
    if isinstance(data, str | bytes | dict | set) or data is None:
        raise ArgumentTypeError(
            f"Unsupported data: a buffer needs numbers, nested lists or tuples of them, or an "
            f"object that exports memory; got {type(data).__name__}"
        )
    plain = _readable(data)
    try:
        found = np.array(plain)
    except ValueError as error:
        raise ShapeError(
            f"nested data needs rows of one length at every level, got ragged rows ({error}); "
            f"pad the short ones"
        ) from None
    if found.size == 0 and found.dtype == np.float64:
        return found.astype(dtype or defaults.get(dtypes.float64, dtypes.float64))
    if found.dtype == np.float64 and _begins_whole(plain) and np.max(np.abs(found)) >= _EXACT:
        found = _whole(plain, dtype, found)
    if not dtypes.is_supported(found.dtype):
        if dtype is not None and dtypes.kind(dtype) in "iu" and _is_whole(found):
            info = np.iinfo(dtype)
            raise ScalarRangeError(
                f"{dtype.name} holds {info.min} to {info.max}, got {_describe(data)}"
            )
        raise DTypeError(f"a buffer needs numbers or bools, got {_describe(data)}")
    wanted = dtype or defaults.get(found.dtype, found.dtype)
    dtypes.check_real(found.dtype, wanted)
    if dtypes.kind(wanted) in "iu":
        if dtypes.kind(found.dtype) in "iu":
            _check_range(found, wanted, dtype is None)
        elif dtypes.kind(found.dtype) == "f":
            _check_finite(found, wanted)
    return found if wanted is found.dtype else np.asarray(quietly(found.astype, wanted))


def _readable(data: Any) -> Any:
    """Nested lists with numbers and arrays in the place of buffers, which NumPy reads at once.

    Of a buffer it would ask for a window, which costs more than the elements of a short list.
    """
    if data.__class__ is list or data.__class__ is tuple:
        if _PLAIN.issuperset(map(type, data)):
            return data
        return [part if part.__class__ in _PLAIN else _readable(part) for part in data]
    node = getattr(data, "_node", None)
    if isinstance(node, Number):
        return node.scalar
    return engine.read(node) if isinstance(node, Node) and engine.is_here(node) else data


def _begins_whole(data: Any) -> bool:
    """Whether the first number in nested lists is an integer."""
    while data.__class__ is list or data.__class__ is tuple:
        data = data[0]
    return not isinstance(data, float)


def _whole(data: Any, dtype: DT | None, found: Array) -> Array:
    """Integers that NumPy took for floats because some need int64 and others uint64."""
    exact = np.array(data, dtype=object)
    if not all(isinstance(item, int) for item in exact.flat):
        return found
    low, high = min(exact.flat), max(exact.flat)
    for wanted in (dtypes.int64, dtypes.uint64):
        info = np.iinfo(wanted)
        if info.min <= low and high <= info.max and (dtype is None or dtypes.kind(dtype) in "iu"):
            return exact.astype(wanted)
    return found


def _is_whole(found: Array) -> bool:
    """Whether NumPy left elements as objects because they are too large for all its integers."""
    return found.dtype == object and all(isinstance(item, int) for item in found.flat)


def _check_range(found: Array, wanted: DT, deduced: bool) -> None:
    info = np.iinfo(wanted)
    low, high = int(found.min()), int(found.max())
    if low < info.min or high > info.max:
        advice = "pass dtype='int64'" if deduced else "choose a wider dtype"
        raise ScalarRangeError(
            f"{wanted.name} holds {info.min} to {info.max}, got {low if low < info.min else high}; "
            f"{advice}"
        )


def _check_finite(found: Array, wanted: DT) -> None:
    """Raise for numbers that have no place among the integers, as ``int(nan)`` does."""
    if np.isnan(found).any():
        raise ArgumentError(
            f"cannot convert float NaN to integer: {wanted.name} has none; choose a float dtype"
        )
    if np.isinf(found).any():
        raise ScalarRangeError(
            f"cannot convert float infinity to integer: {wanted.name} has none; choose a float "
            f"dtype"
        )


def _describe(data: Any) -> str:
    """The first value in nested data that is not a number, or not one that a buffer can hold."""
    todo = [data]
    while todo:
        item = todo.pop()
        if isinstance(item, list | tuple):
            todo.extend(reversed(item))
        elif not isinstance(item, int | float | complex | np.number | np.bool):
            return f"{type(item).__name__}: {item!r}"
        elif isinstance(item, int) and not -(2**63) <= item < 2**64:
            return f"{item}, an integer beyond 64 bits"
    return type(data).__name__
