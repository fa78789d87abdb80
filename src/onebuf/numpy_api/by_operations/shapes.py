"""Elements put together and repeated: NumPy says which element goes where, by moving indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.array_api.arguments import buffer_of, into
from onebuf.array_api.creation import arange
from onebuf.array_api.elementwise import clip, pow, remainder
from onebuf.array_api.indexing import take
from onebuf.array_api.manipulation import broadcast_to, concat, moveaxis
from onebuf.buffer import Buffer
from onebuf.dtypes import float64, int64, promote
from onebuf.layout import normalize_axis
from onebuf.numpy_api.by_operations.table import stands_for, without_form

_BY_INDEX = ("edge", "reflect", "symmetric", "wrap")


@stands_for(np.pad)
def pad(array: Any, pad_width: Any, mode: Any = "constant", *, constant_values: Any = 0) -> Buffer:
    """``array`` with a border of numbers, or of its own elements."""
    x = buffer_of("pad", array, "array")
    if mode not in ("constant", *_BY_INDEX) or isinstance(pad_width, dict):
        raise without_form("pad", f"mode={mode!r} and pad_width={pad_width!r}")
    widths = np.broadcast_to(np.asarray(pad_width), (x.ndim, 2)).tolist()
    values = np.broadcast_to(np.asarray(constant_values), (x.ndim, 2)).tolist()
    for axis, (before, after) in enumerate(widths):
        if mode == "constant":
            x = _bordered(
                _bordered(x, axis, (before, 0), values[axis][0]), axis, (0, after), values[axis][1]
            )
        elif before or after:
            x = take(x, np.pad(np.arange(x.shape[axis]), (before, after), mode), axis=axis)
    return x


def _bordered(x: Buffer, axis: int, widths: tuple[int, int], value: Any) -> Buffer:
    return x.pad([widths if n == axis else (0, 0) for n in range(x.ndim)], value)


@stands_for(np.delete)
def delete(arr: Any, obj: Any, axis: int | None = None) -> Buffer:
    """``arr`` without the slices ``obj`` along ``axis``."""
    x, along = _along("delete", arr, axis)
    return take(x, np.delete(np.arange(x.shape[along]), _indices(obj)), axis=along)


@stands_for(np.insert)
def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Buffer:
    """``arr`` with ``values`` before several indices along ``axis``."""
    x, along = _along("insert", arr, axis)
    extent = x.shape[along]
    number = len(np.insert(np.arange(extent), _indices(obj), 0)) - extent
    shape = (*x.shape[:along], number, *x.shape[along + 1 :])
    new = broadcast_to(buffer_of("insert", values).astype(x.dtype, copy=False), shape)
    places = np.insert(np.arange(extent), _indices(obj), np.arange(extent, extent + number))
    return take(concat([x, new], axis=along), places, axis=along)


@stands_for(np.resize)
def resize(a: Any, new_shape: Any) -> Buffer:
    """The elements under another shape, repeated or cut off as it needs."""
    x = buffer_of("resize", a).reshape(-1)
    return take(x, np.resize(np.arange(x.size), new_shape))


@stands_for(np.block)
def block(arrays: Any) -> Buffer:
    """Nested lists put together: the innermost along the last axis, and so on."""
    depth = _depth(arrays)
    ndim = max([depth, *[part.ndim for part in _leaves(arrays)]])
    return _joined(arrays, depth, ndim)


def _depth(arrays: Any) -> int:
    return 1 + max(map(_depth, arrays)) if isinstance(arrays, list) else 0


def _leaves(arrays: Any) -> list[Buffer]:
    if isinstance(arrays, list):
        return [leaf for part in arrays for leaf in _leaves(part)]
    return [buffer_of("block", arrays)]


def _joined(arrays: Any, depth: int, ndim: int) -> Buffer:
    if isinstance(arrays, list):
        return concat([_joined(part, depth - 1, ndim) for part in arrays], axis=-depth)
    x = buffer_of("block", arrays)
    return x.reshape((1,) * (ndim - x.ndim) + x.shape)


@stands_for(np.compress)
def compress(condition: Any, a: Any, axis: int | None = None, out: Any = None) -> Buffer:
    """The slices along ``axis`` where ``condition`` holds."""
    x, along = _along("compress", a, axis)
    return into("compress", out, take(x, np.flatnonzero(np.asarray(condition)), axis=along))


@stands_for(np.take)
def take_beyond(a: Any, indices: Any, axis: int | None = None, *, mode: str) -> Buffer:
    """Slices by indices, of which those out of bounds wrap around or are clipped."""
    x, along = _along("take", a, axis)
    places = buffer_of("take", indices).astype(int64)
    extent = x.shape[along]
    inside = remainder(places, extent) if mode == "wrap" else clip(places, 0, extent - 1)
    return take(x, inside, axis=along)


@stands_for(np.linspace)
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Numbers at even distances between ``start`` and ``stop``, which are traced."""
    first, last = _floats(start), _floats(stop)
    parts = num - 1 if endpoint else num
    whole = last - first
    made = first + _steps(num, parts, whole.ndim) * whole
    made = moveaxis(made if dtype is None else made.astype(dtype), 0, axis)
    return (made, whole / parts) if retstep else made


@stands_for(np.logspace)
def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Buffer:
    """Powers of ``base`` whose exponents are at even distances."""
    made = pow(buffer_of("logspace", base), linspace(start, stop, num, endpoint, axis=axis))
    return made if dtype is None else made.astype(dtype)


@stands_for(np.geomspace)
def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Buffer:
    """Numbers each of which is the one before it times the same ratio."""
    first, ratio = _floats(start), _floats(stop) / _floats(start)
    parts = num - 1 if endpoint else num
    made = first * pow(ratio, _steps(num, parts, ratio.ndim))
    return moveaxis(made if dtype is None else made.astype(dtype), 0, axis)


def _steps(num: int, parts: int, ndim: int) -> Buffer:
    """From 0 to 1, along a new first axis of what has ``ndim``."""
    return (arange(num, dtype=float64) / max(parts, 1)).reshape(-1, *(1,) * ndim)


@stands_for(np.vander)
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Buffer:
    """The powers of each element, the highest first."""
    column = _floats(x)
    exponents = arange(len(column) if N is None else N, dtype=float64)
    powers = pow(column.expand_dims(1), exponents)
    return powers if increasing else powers.flip(1)


def _along(name: str, x: Any, axis: int | None) -> tuple[Buffer, int]:
    buffer = buffer_of(name, x)
    if axis is None:
        return buffer.reshape(-1), 0
    return buffer, normalize_axis(axis, buffer.ndim, name)


def _indices(obj: Any) -> Any:
    """Indices as NumPy takes them."""
    return obj if isinstance(obj, slice | int) else np.asarray(obj)


def _floats(x: Any) -> Buffer:
    buffer = buffer_of("linspace", x)
    return buffer.astype(promote(buffer.dtype, float64), copy=False)
