"""Scatter: elements added to, or put at, places that indices name.

These are the adjoints of `onebuf.ops.take` and `onebuf.ops.take_along_axis`. The host has library
calls for them. Kernels have no writes to computed places, so elsewhere every place of the result
looks for the updates that belong to it: a fold over all of them, or a product where a library has
those. One update a row needs no fold, and is elementwise everywhere. Negative indices count from
the end. Updates of one place are added in their order.
"""

from __future__ import annotations

from math import prod

import numpy as np

from onebuf.dtypes import DT, Array, float32, int64, is_added
from onebuf.errors import IndexRangeError
from onebuf.graph import BINARY, REDUCE, Node
from onebuf.machine import CPU, home_of
from onebuf.ops.apply import binary, cast, constant, ternary_where
from onebuf.ops.contraction import matmul, take
from onebuf.ops.creation import arange
from onebuf.ops.library import library
from onebuf.ops.movement import expand, reshape
from onebuf.ops.reduction import reduce

Shape = tuple[int, ...]


def scatter_add(shape: Shape, indices: Node, updates: Node, axis: int) -> Node:
    """Zeros of ``shape`` to which slices of ``updates`` are added, at ``indices`` along ``axis``.

    ``updates`` has the shape that `onebuf.ops.take` gives: the axes of ``indices`` in place of
    ``axis``.

    >>> from onebuf.ops.allocation import pooled
    >>> rows = pooled(np.ones((3, 2)))
    >>> scatter_add((4, 2), pooled(np.array([0, 2, 2])), rows, 0).array
    array([[1., 1.],
           [0., 0.],
           [2., 2.],
           [0., 0.]])
    """
    before, count, after = prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :])
    number = indices.numel
    if number == 1 or not _is_host(updates):
        flat = reshape(_from_front(indices, count), (1, number, 1))
        parts = reshape(updates, (before, number, after))
        if number > 1 and (updates.device is None or updates.device.has_operations):
            return reshape(_product(flat, parts, count), shape)
        return reshape(_fold(flat, parts, count), shape)
    return library(
        _add_slices, (indices, updates), (shape, axis), shape, updates.dtype, "scatter_add"
    )


def scatter_add_along(shape: Shape, indices: Node, updates: Node, axis: int) -> Node:
    """Zeros of ``shape`` to which each of ``updates`` is added, at its own index along ``axis``.

    ``indices`` and ``updates`` have one shape, which differs from ``shape`` along ``axis`` alone.
    """
    before, count, after = prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :])
    number = updates.shape[axis]
    if number == 1 or not _is_host(updates):
        rows = (before, number, after)
        flat = reshape(_from_front(indices, count), rows)
        return reshape(_fold(flat, reshape(updates, rows), count), shape)
    return library(
        _add_elements, (indices, updates), (shape, axis), shape, updates.dtype, "scatter_add_along"
    )


def scatter_put(x: Node, indices: Node, updates: Node) -> Node:
    """A copy of ``x``, of one axis, in which ``updates`` stand at ``indices``.

    Of several updates of one place, the last one counts.
    """
    updates = cast(updates, x.dtype)
    if _is_host(x):
        return library(_put, (x, indices, updates), (), x.shape, x.dtype, "scatter_put")
    if not updates.numel:
        return x
    (count,), (number,) = x.shape, updates.shape
    at = reshape(_from_front(indices, count), (1, number))
    order = expand(reshape(_range(number, x), (1, number)), (count, number))
    is_there = binary(BINARY["equal"], at, reshape(_range(count, x), (count, 1)))
    last = reduce(REDUCE["max"], ternary_where(is_there, order, constant((), -1, int64)), 1)
    found = take(updates, binary(BINARY["maximum"], last, 0))
    return ternary_where(binary(BINARY["greater_equal"], last, 0), found, x)


def _is_host(node: Node) -> bool:
    """Whether a library call can compute on a node, now or when its trace is run."""
    return node.device is None or home_of(node.device).is_host


def _range(extent: int, like: Node) -> Node:
    return arange(0, extent, 1, int64, like.device or CPU)


def _from_front(indices: Node, extent: int) -> Node:
    """Indices of which none is negative."""
    turned = binary(BINARY["add"], indices, extent)
    return ternary_where(binary(BINARY["less"], indices, 0), turned, indices)


def _fold(indices: Node, updates: Node, extent: int) -> Node:
    """The sum of the updates of each place; axis 1 of both operands counts updates."""
    number = updates.shape[1]
    places = reshape(_range(extent, updates), (1, extent, 1))
    nothing = constant((), 0, updates.dtype)
    if number == 1:
        return ternary_where(binary(BINARY["equal"], indices, places), updates, nothing)
    one = binary(
        BINARY["equal"],
        reshape(indices, (indices.shape[0], 1, number, indices.shape[2])),
        reshape(places, (1, extent, 1, 1)),
    )
    before, _, after = updates.shape
    chosen = ternary_where(one, reshape(updates, (before, 1, number, after)), nothing)
    return cast(reduce(REDUCE["sum"], chosen, 2), updates.dtype)


def _product(indices: Node, updates: Node, extent: int) -> Node:
    """The same by a matrix of zeros and ones, for indices that all rows share."""
    places = reshape(_range(extent, updates), (extent, 1))
    chosen = binary(BINARY["equal"], reshape(indices, (1, updates.shape[1])), places)
    return matmul(cast(chosen, updates.dtype), updates)


# -- on the host -----------------------------------------------------------------------------------

_WIDE = 16
"""Rows of at least so many elements are sorted and then added up, row by row."""


def _wide(dtype: DT) -> DT:
    """A type that NumPy adds well: not a small one, whose sums stall."""
    return float32 if is_added(dtype) or dtype == np.float16 else dtype


def _in_range(indices: Array, extent: int) -> Array:
    """Indices from the front; an error for those that are outside."""
    if indices.size and not -extent <= indices.min() <= indices.max() < extent:
        raise IndexRangeError(
            f"a scatter needs indices from {-extent} to {extent - 1}, got "
            f"{indices.min()} to {indices.max()}"
        )
    return np.where(indices < 0, indices + extent, indices)


def _add_slices(indices: Array, updates: Array, shape: Shape, axis: int) -> Array:
    before, count, after = prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :])
    flat = _in_range(indices, count).reshape(-1)
    parts = updates.reshape(before, flat.size, after).transpose(1, 0, 2)
    width = before * after
    rows = parts.reshape(flat.size, width).astype(_wide(updates.dtype), copy=False)
    found = np.zeros((count, width), rows.dtype)
    if not rows.size:
        return found.reshape(shape).astype(updates.dtype, copy=False)
    if width < _WIDE:
        np.add.at(found.reshape(-1), _spread(flat, width), rows.reshape(-1))
    else:
        _add_rows(found, flat, rows)
    turned = found.reshape(count, before, after).transpose(1, 0, 2)
    return turned.reshape(shape).astype(updates.dtype, copy=False)


def _spread(rows: Array, width: int) -> Array:
    """The positions of all elements of some rows."""
    return (rows[:, None] * width + np.arange(width)).reshape(-1)


def _add_rows(found: Array, places: Array, rows: Array) -> None:
    """Add rows to those of ``found``, the rows of one place at once."""
    order = np.argsort(places, kind="stable")
    ordered = places[order]
    rows = rows[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1)).tolist()
    for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
        np.add.reduce(rows[start:end], axis=0, out=found[ordered[start]])


def _add_elements(indices: Array, updates: Array, shape: Shape, axis: int) -> Array:
    before, count, after = prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :])
    at = _in_range(indices, count).reshape(before, updates.shape[axis], after)
    rows = np.arange(before)[:, None, None]
    flat = (rows * count + at) * after + np.arange(after)
    found = np.zeros(before * count * after, _wide(updates.dtype))
    np.add.at(found, flat.reshape(-1), updates.reshape(-1).astype(found.dtype, copy=False))
    return found.reshape(shape).astype(updates.dtype, copy=False)


def _put(x: Array, indices: Array, updates: Array) -> Array:
    found = x.copy()
    found[_in_range(indices, x.size)] = updates
    return found
