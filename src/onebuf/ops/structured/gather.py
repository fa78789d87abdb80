"""Elements of a layout taken by index: read through it at just the indices that are asked for."""

from __future__ import annotations

from onebuf.dtypes import int64
from onebuf.graph import Node
from onebuf.machine import CPU
from onebuf.ops.contraction import take
from onebuf.ops.creation import arange
from onebuf.ops.movement import expand, reshape
from onebuf.ops.structured.index_nodes import ranges, read_at


def taken(node: Node, indices: Node, axis: int) -> Node:
    """Slices of ``node`` along ``axis`` chosen by ``indices``."""
    extent, device = node.shape[axis], node.device or CPU
    shape = (*node.shape[:axis], *indices.shape, *node.shape[axis + 1 :])
    # A range taken by the indices has the same numbers, and finds those that are out of range.
    chosen = take(arange(0, extent, 1, int64, device), indices)
    around = ranges(
        (*node.shape[:axis], *[1] * len(indices.shape), *node.shape[axis + 1 :]), device
    )
    along = reshape(chosen, (*indices.shape, *[1] * (len(node.shape) - axis - 1)))
    after = around[axis + len(indices.shape) :]
    return expand(read_at(node, (*around[:axis], along, *after)), shape)
