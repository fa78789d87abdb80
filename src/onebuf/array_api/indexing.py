"""Indexing functions: elements taken by arrays of indices."""

from __future__ import annotations

from onebuf import ops
from onebuf.array_api.arguments import buffer_of, public
from onebuf.buffer import Buffer
from onebuf.buffer.operators import node_of
from onebuf.errors import ArgumentError
from onebuf.layout import normalize_axis


@public
def take(x: Buffer, indices: Buffer | int, /, *, axis: int | None = None) -> Buffer:
    """Slices of ``x`` along ``axis`` chosen by ``indices``."""
    x = buffer_of("take", x)
    if axis is None:
        if x.ndim != 1:
            raise ArgumentError(f"take needs an axis for shape {x.shape}, got None")
        axis = 0
    if isinstance(indices, int):  # not in the standard, but in NumPy: the slice there
        return x[(slice(None),) * normalize_axis(axis, x.ndim, "take") + (indices,)].copy()
    return Buffer._value(ops.take(node_of("take", x), node_of("take", indices), axis))


@public
def take_along_axis(x: Buffer, indices: Buffer, /, *, axis: int = -1) -> Buffer:
    """Elements of ``x`` chosen along ``axis`` by an index for each place.

    >>> take_along_axis(Buffer([[3, 1, 2]]), Buffer([[1, 2, 0]])).to_python()
    [[1, 2, 3]]
    """
    one, two = node_of("take_along_axis", x), node_of("take_along_axis", indices)
    return Buffer._value(ops.take_along_axis(one, two, axis))
