"""Batching rules of gathers: elements chosen by indices, where either may differ by example."""

from __future__ import annotations

from collections.abc import Sequence

from onebuf import ops
from onebuf.batching.operand import Batch, Operand
from onebuf.graph import Node


def take(node: Node, operands: Sequence[Operand], batch: Batch) -> Node:
    """Slices along an axis, chosen by indices that are the same for all slices of an example."""
    x, indices = operands
    axis: int = node.arg
    if not indices.is_batched:
        return ops.take(x.node, indices.node, axis + 1)
    if not x.is_batched:
        found = ops.take(x.node, indices.node, axis)
        others = [n for n in range(len(found.shape)) if n != axis]
        return ops.permute(found, (axis, *others))
    # Each example has indices of its own: one index for each place, the same across other axes.
    before, after = axis, len(x.shape) - axis - 1
    count = node.srcs[1].numel
    spread = ops.reshape(indices.node, (batch.size, *(1,) * before, count, *(1,) * after))
    found = ops.take_along_axis(x.node, spread, axis + 1)
    return ops.reshape(found, (batch.size, *node.shape))


def take_along(node: Node, operands: Sequence[Operand], batch: Batch) -> Node:
    """An index for each place: both operands broadcast, along the batch axis as well."""
    x, indices = [one.node if one.is_batched else ops.expand_dims(one.node, 0) for one in operands]
    return ops.take_along_axis(x, indices, node.arg + 1)
