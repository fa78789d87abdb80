"""The batching rule of matrix products.

Rows of all examples that meet one and the same matrix are one product, not one for each example:
that is what makes a function of one example, mapped, as fast as the same function of a batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from onebuf import ops
from onebuf.batching.operand import Batch, Operand
from onebuf.graph import Node


def matmul(node: Node, operands: Sequence[Operand], batch: Batch) -> Node:
    """The product of each example."""
    x, y = operands
    shape = (batch.size, *node.shape)
    if not y.is_batched and len(y.shape) <= 2:
        rows = ops.reshape(x.node, (prod(x.node.shape[:-1]), x.node.shape[-1]))
        return ops.reshape(ops.matmul(rows, y.node), shape)
    if not x.is_batched and len(x.shape) <= 2 and len(y.shape) == 1:
        turned = x.node if len(x.shape) == 1 else ops.permute(x.node, (1, 0))
        return ops.matmul(y.node, turned)
    one = _matrix(x, (1, *x.shape[-1:]))
    two = _matrix(y, (*y.shape[-1:], 1))
    ndim = max(len(one.shape), len(two.shape))
    return ops.reshape(ops.matmul(one.aligned(ndim), two.aligned(ndim)), shape)


def _matrix(operand: Operand, shape: tuple[int, ...]) -> Operand:
    """The operand with matrices of ``shape`` in place of vectors."""
    if len(operand.shape) > 1:
        return operand
    outer = operand.node.shape[:1] if operand.is_batched else ()
    return Operand(ops.reshape(operand.node, (*outer, *shape)), operand.is_batched)
