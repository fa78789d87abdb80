"""Values from nothing: constants, ranges and memory not yet written."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import ceil, isfinite, prod
from operator import index as as_int
from typing import Any

import numpy as np

from onebuf.dtypes import DT, int64, kind, typed_scalar
from onebuf.errors import (
    ArgumentError,
    ArgumentTypeError,
    DTypeError,
    OutOfMemory,
    ShapeError,
    ZeroStepError,
)
from onebuf.events import listeners
from onebuf.graph import ARANGE, EMPTY, FULL, Node, make
from onebuf.machine import CPU, Device
from onebuf.ops.allocation import place, pooled
from onebuf.ops.apply import general
from onebuf.ops.quiet import quietly
from onebuf.options import options

_CALM = 1 << 62
"""No sum or difference of integers below this leaves int64."""
MAX_NDIM = 64
"""As many axes as NumPy's arrays can have."""


def as_shape(shape: int | Sequence[int]) -> tuple[int, ...]:
    """A shape from what a caller passed: one integer or a sequence of them.

    >>> as_shape(3), as_shape([2, 3])
    ((3,), (2, 3))
    """
    extents: tuple[int, ...]
    if shape.__class__ is int and shape >= 0:
        return (shape,)
    if shape.__class__ is tuple and len(shape) <= MAX_NDIM:
        for extent in shape:
            if extent.__class__ is not int or extent < 0:
                break
        else:
            return shape
    try:
        extents = (as_int(shape),)  # type: ignore[arg-type]
    except TypeError:
        try:
            extents = tuple([as_int(extent) for extent in shape])  # type: ignore[union-attr]
        except TypeError:
            raise ArgumentTypeError(
                f"a shape needs an integer or a sequence of them, got {shape!r}"
            ) from None
    if any(extent < 0 for extent in extents):
        raise ShapeError(
            f"negative dimensions are not allowed: a shape needs extents that are 0 or more, got "
            f"{extents}"
        )
    if len(extents) > MAX_NDIM:
        raise ShapeError(f"a shape needs at most {MAX_NDIM} axes, got {len(extents)}")
    return extents


def full(shape: tuple[int, ...], value: Any, dtype: DT, device: Device = CPU) -> Node:
    """One value everywhere."""
    if not isinstance(value, bool | int | float | complex | np.generic):
        raise ArgumentTypeError(f"full needs one number to fill a buffer with, got {value!r}")
    if isinstance(value, complex) and kind(dtype) != "c":
        raise DTypeError(f"{dtype.name} cannot hold complex numbers, got {value!r}")
    if isinstance(value, np.generic):
        value = value.item()
    # Zeros differ in sign, and yet are equal.
    typed = _typed(value, dtype) if value or value.__class__ is int else _convert(value, dtype)
    numel = prod(shape)
    if numel * dtype.itemsize <= options().eager_nbytes and device is CPU and not listeners():
        result = place(shape, dtype, numel)
        result.array.fill(typed)  # type: ignore[union-attr]
        return result
    _check_size(numel, shape, dtype, device)
    return general(FULL, (), typed, shape, dtype, unique=True, device=device)


_ADDRESSES = 2**57
"""Bytes that no machine can address."""


def _check_size(numel: int, shape: tuple[int, ...], dtype: DT, device: Device) -> None:
    """Raise at once for what could never be put into memory."""
    nbytes = numel * dtype.itemsize
    if nbytes >= _ADDRESSES and device is CPU:
        message = f"{nbytes} bytes are needed for shape {shape} of {dtype.name}, got no such memory"
        if nbytes >= 2**63:
            raise ShapeError(f"array is too big: {message}; Maximum allowed dimension exceeded")
        raise OutOfMemory(f"Unable to allocate: {message}; choose a smaller shape")


def _convert(value: Any, dtype: DT) -> Any:
    return quietly(dtype.type, typed_scalar(value, dtype))


_typed = lru_cache(100, typed=True)(_convert)
"""The same for values that programs meet again and again."""


def empty(shape: tuple[int, ...], dtype: DT, device: Device = CPU) -> Node:
    """Elements of no particular value; if many, no memory is taken before the first use."""
    numel = prod(shape)
    if numel * dtype.itemsize <= options().eager_nbytes and device is CPU:
        return place(shape, dtype, numel)
    _check_size(numel, shape, dtype, device)
    return make(EMPTY, (), None, shape, dtype, unique=True, device=device)


def arange(start: Any, stop: Any, step: Any, dtype: DT, device: Device = CPU) -> Node:
    """``start``, ``start + step``, ... up to but not including ``stop``."""
    few = options().quick_numel
    if start.__class__ is stop.__class__ is step.__class__ is int and dtype is int64 and step:
        is_inside = -_CALM < start < _CALM and -_CALM < stop < _CALM
        if is_inside and (stop - start) // step <= few and device is CPU and not listeners():
            return pooled(np.arange(start, stop, step))
    for name, bound in (("start", start), ("stop", stop), ("step", step)):
        if bound.__class__ is int:
            continue
        if not isinstance(bound, int | float | np.integer | np.floating):
            raise ArgumentTypeError(f"arange needs real numbers, got {name}={bound!r}")
        if not isfinite(bound):
            reason = "cannot compute length" if bound != bound else "maximum allowed size exceeded"
            raise ArgumentError(f"{reason}: arange needs finite numbers, got {name}={bound}")
    if step == 0:
        raise ZeroStepError("arange needs a step other than 0, got 0")
    extent = max(0, _steps(start, stop, step))
    if extent and kind(dtype) in "iu":
        for element in (start, start + step)[:extent]:  # the others wrap around, as sums do
            typed_scalar(int(element), dtype)
    return general(ARANGE, (), (start, stop, step), (extent,), dtype, device=device)


def _steps(start: Any, stop: Any, step: Any) -> int:
    """How many steps it takes to reach ``stop``."""
    if start.__class__ is stop.__class__ is step.__class__ is int:
        return -((start - stop) // step)
    count: int = ceil((stop - start) / step)
    return count
