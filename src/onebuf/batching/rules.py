"""Batching rules: for each operation, how to apply it to all examples of a batch at once.

A rule takes the node of one example, its operands, of which at least one is batched, and what the
rules of a transformation share; it gives the node of the batch. Axes of an example come after the
batch axis, so every axis that an operation names moves by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from onebuf import ops
from onebuf.batching.gathers import take, take_along
from onebuf.batching.library_calls import library
from onebuf.batching.operand import Batch, Operand
from onebuf.batching.products import matmul
from onebuf.batching.views import view
from onebuf.engine import moved
from onebuf.graph import (
    BINARY,
    CAST,
    COMPLEX,
    CONCAT,
    COPY,
    LIBRARY,
    MATMUL,
    MOVE,
    PAD,
    REDUCE,
    SCAN,
    TAKE,
    TAKE_ALONG,
    UNARY,
    VIEW,
    WHERE,
    Node,
    Op,
    Rule,
)

BatchingRule = Callable[[Node, Sequence[Operand], Batch], Node]
"""(the node of one example, its operands, what rules share) -> the node of the batch."""


def _elementwise(node: Node, operands: Sequence[Operand], batch: Batch) -> Node:
    """Broadcasting does it, once the batch axis has the same place in all operands."""
    ndim = len(node.shape)
    srcs = tuple([operand.aligned(ndim) for operand in operands])
    return ops.general(node.op, srcs, node.arg, (batch.size, *node.shape), node.dtype)


def _reduce(node: Node, operands: Sequence[Operand], batch: Batch) -> Node:
    x = operands[0]
    axes, keepdims = node.arg
    if node.op.rule is Rule.INDEX and len(axes) != 1:  # a position among all elements
        flat = ops.reshape(x.node, (batch.size, node.srcs[0].numel))
        return ops.reshape(ops.reduce(node.op, flat, 1), (batch.size, *node.shape))
    return ops.reduce(node.op, x.node, tuple([axis + 1 for axis in axes]), keepdims)


def _scan(node: Node, operands: Sequence[Operand], batch: Batch) -> Node:
    axis = node.arg % len(node.shape) + 1
    shape = (batch.size, *node.shape)
    return ops.general(node.op, (operands[0].node,), axis, shape, node.dtype)


def _copy(node: Node, operands: Sequence[Operand], batch: Batch) -> Node:
    return ops.copied(operands[0].node)


def _pad(node: Node, operands: Sequence[Operand], batch: Batch) -> Node:
    return ops.pad(operands[0].node, ((0, 0), *node.arg.widths), node.arg.value)


def _concat(node: Node, operands: Sequence[Operand], batch: Batch) -> Node:
    return ops.concat([operand.repeated(batch.size) for operand in operands], node.arg + 1)


def _move(node: Node, operands: Sequence[Operand], batch: Batch) -> Node:
    return moved(operands[0].node, node.arg)


RULES: dict[Op, BatchingRule] = {
    **dict.fromkeys([*UNARY.values(), *BINARY.values()], _elementwise),
    **dict.fromkeys([CAST, COMPLEX, WHERE], _elementwise),
    **dict.fromkeys(REDUCE.values(), _reduce),
    **dict.fromkeys(SCAN.values(), _scan),
    CONCAT: _concat,
    COPY: _copy,
    LIBRARY: library,
    MATMUL: matmul,
    MOVE: _move,
    PAD: _pad,
    TAKE: take,
    TAKE_ALONG: take_along,
    VIEW: view,
}
"""The rule of each operation that has operands and that graphs are made of.

`onebuf.batching.custom` adds that of functions with gradients that a program gave.
"""
