"""Indexing functions: elements taken by arrays of indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf import dtypes, ops
from onebuf.buffer import Buffer
from onebuf.buffer.operators import node_of
from onebuf.errors import ArgumentError, DTypeError, IndexRangeError
from onebuf.layout import broadcast_shapes, normalize_axis


def take(x: Buffer, indices: Buffer, /, *, axis: int | None = None) -> Buffer:
    """Slices of ``x`` along ``axis`` chosen by ``indices``."""
    if axis is None:
        if x.ndim != 1:
            raise ArgumentError(f"take needs an axis for shape {x.shape}, got None")
        axis = 0
    return Buffer._value(ops.take(node_of("take", x), node_of("take", indices), axis))


def take_along_axis(x: Buffer, indices: Buffer, /, *, axis: int = -1) -> Buffer:
    """Elements of ``x`` chosen along ``axis`` by an index for each place.

    >>> take_along_axis(Buffer([[3, 1, 2]]), Buffer([[1, 2, 0]])).to_python()
    [[1, 2, 3]]
    """
    one, two = node_of("take_along_axis", x), node_of("take_along_axis", indices)
    if dtypes.kind(two.dtype) not in "iu":
        raise DTypeError(f"take_along_axis needs whole numbers as indices, got {two.dtype.name}")
    axis = normalize_axis(axis, len(one.shape), "take_along_axis")
    if len(two.shape) != len(one.shape):
        raise ArgumentError(
            f"take_along_axis needs as many dimensions in both, got {one.shape} and {two.shape}"
        )
    around = (*one.shape[:axis], 1, *one.shape[axis + 1 :])
    shape = broadcast_shapes(two.shape, around)
    return Buffer._value(ops.library(_along, (one, two), (axis,), shape, one.dtype))


def _along(x: Any, indices: Any, axis: int) -> Any:
    try:
        return np.take_along_axis(x, indices, axis)
    except IndexError:
        extent = x.shape[axis]
        beyond = next(int(place) for place in indices.flat if not -extent <= place < extent)
        raise IndexRangeError(
            f"take_along_axis needs indices in {-extent}..{extent - 1} along axis {axis}, got "
            f"{beyond}"
        ) from None
