"""Creation functions. Python's numbers become NumPy's types: float64, int64, complex128."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from onebuf import dtypes, ops
from onebuf.buffer import Buffer
from onebuf.buffer.construction import as_node
from onebuf.machine import Device
from onebuf.machine import device as find_device
from onebuf.options import options

DT = np.dtype[Any]
Shape = int | Sequence[int]
Where = str | Device | None


def asarray(
    obj: Any, /, *, dtype: Any = None, device: Where = None, copy: bool | None = None
) -> Buffer:
    """A buffer on the memory of ``obj``, or with a copy of its elements.

    With ``copy=None`` memory is shared wherever that is possible, ``copy=True`` always copies,
    and ``copy=False`` raises where only a copy would do.

    >>> array = np.arange(3)
    >>> b = asarray(array)
    >>> array[0] = 7
    >>> b
    Buffer([7, 1, 2], shape=(3,), dtype=int64, device=CPU)
    """
    node = as_node(obj, dtype, copy, _defaults(), device)
    if isinstance(obj, Buffer) and node is obj._node:
        return obj
    return Buffer._value(node)


def zeros(shape: Shape, *, dtype: Any = None, device: Where = None) -> Buffer:
    """Zeros."""
    return full(shape, 0, dtype=_float(dtype), device=device)


def ones(shape: Shape, *, dtype: Any = None, device: Where = None) -> Buffer:
    """Ones."""
    return full(shape, 1, dtype=_float(dtype), device=device)


def empty(shape: Shape, *, dtype: Any = None, device: Where = None) -> Buffer:
    """Elements of no particular value; memory is taken at the first use."""
    find_device(device)
    return Buffer.empty(shape, _float(dtype))


def full(shape: Shape, fill_value: Any, *, dtype: Any = None, device: Where = None) -> Buffer:
    """One value everywhere."""
    find_device(device)
    if dtype is None:
        dtype = _dtype_of(fill_value)
    return Buffer.full(shape, fill_value, dtype)


def arange(
    start: Any,
    /,
    stop: Any = None,
    step: Any = 1,
    *,
    dtype: Any = None,
    device: Where = None,
) -> Buffer:
    """``start``, ``start + step``, ... up to but not including ``stop``.

    >>> arange(2, 8, 3)
    Buffer([2, 5], shape=(2,), dtype=int64, device=CPU)
    """
    find_device(device)
    if stop is None:
        start, stop = 0, start
    whole = all(isinstance(bound, int) for bound in (start, stop, step))
    chosen = dtypes.int64 if whole else options().default_float
    return Buffer._value(ops.arange(start, stop, step, dtypes.as_dtype(dtype or chosen)))


def zeros_like(x: Buffer, /, *, dtype: Any = None, device: Where = None) -> Buffer:
    """Zeros in the shape and dtype of ``x``."""
    return full(x.shape, 0, dtype=dtype or x.dtype, device=device)


def ones_like(x: Buffer, /, *, dtype: Any = None, device: Where = None) -> Buffer:
    """Ones in the shape and dtype of ``x``."""
    return full(x.shape, 1, dtype=dtype or x.dtype, device=device)


def _dtype_of(value: Any) -> DT:
    if isinstance(value, np.generic):
        return dtypes.as_dtype(value.dtype)
    if isinstance(value, bool | int | float | complex):
        found = dtypes.type_of_scalar(type(value))
        return _defaults().get(found, found)
    return _defaults().get(dtypes.float64, dtypes.float64)


def _float(dtype: Any) -> DT:
    return options().default_float if dtype is None else dtypes.as_dtype(dtype)


def _defaults() -> dict[DT, DT]:
    default = options().default_float
    if default.itemsize == 8:
        return {}
    return {dtypes.float64: default, dtypes.complex128: dtypes.complex64}
