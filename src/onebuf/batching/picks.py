"""Batching rules of picks and scatters: places that arrays of indices name.

A pick has the axes of its indices where the first of them stands in the key; if other parts of the
key are between them, NumPy puts these axes first. The number of the example is one more array of
indices, in front of all others, so for a batch they come first in any case.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from onebuf import ops
from onebuf.batching.operand import Batch, Operand
from onebuf.dtypes import int64
from onebuf.graph import Node
from onebuf.machine import CPU
from onebuf.ops import scatter
from onebuf.ops.numpy import picking
from onebuf.ops.numpy.picking import SLOT, Key


class Batched(NamedTuple):
    """A key for a batch, with its indices; ``order`` is that of the axes of what it picks.

    Axis ``n`` of the batch of results is axis ``order[n]`` of what the key picks.
    """

    key: Key
    indices: list[Node]
    order: tuple[int, ...]


def pick(node: Node, operands: Sequence[Operand], batch: Batch) -> Node:
    """The elements that a key picks in each example."""
    x, *indices = operands
    found = _batched(picking.key_of(node), x, indices, len(node.shape), batch)
    return ops.permute(picking.pick(x.node, found.key, found.indices), found.order)


def put(node: Node, operands: Sequence[Operand], batch: Batch) -> Node:
    """A copy of each example in which other elements stand where a key picks."""
    x, values, *indices = operands
    x = Operand(x.repeated(batch.size), True)
    key = picking.key_of(node)
    shape = picking.picked_shape(x.shape, key, node.srcs[2:])
    found = _batched(key, x, indices, len(shape), batch)
    new = ops.expand(values.aligned(len(shape)), (batch.size, *shape))
    back = sorted(range(len(shape) + 1), key=found.order.__getitem__)
    return picking.put(x.node, found.key, found.indices, ops.permute(new, back))


def scatter_add(node: Node, operands: Sequence[Operand], batch: Batch) -> Node:
    """Slices added at indices; where these differ by example, each element has its own."""
    indices, updates = operands
    shape, axis = node.arg.static
    whole = (batch.size, *shape)
    if not indices.is_batched:
        return scatter.scatter_add(whole, indices.node, updates.node, axis + 1)
    before, count, after = shape[:axis], node.srcs[0].numel, shape[axis + 1 :]
    places = (batch.size, *(1,) * len(before), count, *(1,) * len(after))
    rows = (batch.size, *before, count, *after)
    at = ops.expand(ops.reshape(indices.node, places), rows)
    new = ops.reshape(updates.repeated(batch.size), rows)
    return scatter.scatter_add_along(whole, at, new, axis + 1)


def scatter_add_along(node: Node, operands: Sequence[Operand], batch: Batch) -> Node:
    """Elements added, each at its own index."""
    indices, updates = [operand.repeated(batch.size) for operand in operands]
    shape, axis = node.arg.static
    return scatter.scatter_add_along((batch.size, *shape), indices, updates, axis + 1)


def scatter_put(node: Node, operands: Sequence[Operand], batch: Batch) -> Node:
    """Elements of one axis replaced at indices."""
    x, indices, updates = operands
    whole = x.repeated(batch.size)
    places = [_numbers(batch.size, 1, whole), indices.node]
    return picking.put(whole, (SLOT, SLOT), places, updates.repeated(batch.size))


def _batched(key: Key, x: Operand, indices: Sequence[Operand], count: int, batch: Batch) -> Batched:
    """The key that picks in all examples what ``key`` picks in one, which has ``count`` axes."""
    first, is_split = _place(key, len(x.shape))
    ndim = max([len(index.shape) for index in indices], default=0)
    if not any(index.is_batched for index in indices):
        nodes = [index.node for index in indices]
        front = ndim if is_split else 0
        order = (front, *[n for n in range(count + 1) if n != front])
        return Batched((slice(None), *key), nodes, order)
    nodes = [index.aligned(ndim) for index in indices]
    if not x.is_batched:
        order = (first, *[n for n in range(count + 1) if n != first])
        return Batched(key, nodes, order)
    others = range(1 + ndim, count + 1)
    order = (0, *others[:first], *range(1, 1 + ndim), *others[first:])
    return Batched((SLOT, *key), [_numbers(batch.size, ndim, x.node), *nodes], order)


def _place(key: Key, ndim: int) -> tuple[int, bool]:
    """Where in a result the axes of the indices are, and whether other parts are between them."""
    used = sum([part is not None and part is not Ellipsis for part in key])
    before = 0
    first: int | None = None
    ended = False
    for part in key:
        if part is SLOT or isinstance(part, int | np.integer):
            if ended:
                return 0, True
            first = before if first is None else first
        else:
            before += ndim - used if part is Ellipsis else 1
            ended = first is not None
    return first or 0, False


def _numbers(size: int, ndim: int, like: Node) -> Node:
    """The numbers of the examples, which broadcast against indices of ``ndim`` axes."""
    numbers = ops.arange(0, size, 1, int64, like.device or CPU)
    return ops.reshape(numbers, (size, *(1,) * ndim))
