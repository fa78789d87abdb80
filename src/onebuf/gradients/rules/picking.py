"""Gradients of picking and putting by several arrays of indices."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from onebuf.dtypes import int64
from onebuf.gradients.rules.arithmetic import unbroadcast
from onebuf.gradients.rules.table import differentiates_call
from onebuf.graph import BINARY, Node
from onebuf.machine import CPU, Device
from onebuf.ops import arange, binary, constant, full, reshape, ternary_where
from onebuf.ops.numpy.picking import Key, key_of, pick, picked_shape, put
from onebuf.ops.scatter import scatter_add


@differentiates_call("pick")
def _pick(node: Node, g: Node) -> tuple[Node | None, ...]:
    """Each gradient goes back to where its element was picked, be it several times."""
    x, *indices = node.srcs
    places = pick(_numbered(x.shape, x.device), key_of(node), indices)
    flat = scatter_add((x.numel,), reshape(places, (-1,)), reshape(g, (-1,)), 0)
    return (reshape(flat, x.shape), *[None] * len(indices))


@differentiates_call("put")
def _put(node: Node, g: Node) -> tuple[Node | None, ...]:
    """What was replaced gets nothing, and what replaced it gets its gradient."""
    x, values, *indices = node.srcs
    key = key_of(node)
    kept = put(g, key, indices, constant((), 0, x.dtype))
    return kept, _of_values(g, values, key, indices), *[None] * len(indices)


def _of_values(g: Node, values: Node, key: Key, indices: Sequence[Node]) -> Node:
    """The gradient of values that were put: of several for one place, the last one has it."""
    numbers = _numbered(picked_shape(g.shape, key, indices), g.device)
    nowhere = full(g.shape, -1, int64, g.device or CPU)
    stayed = pick(put(nowhere, key, indices, numbers), key, indices)
    is_last = binary(BINARY["equal"], stayed, numbers)
    found = ternary_where(is_last, pick(g, key, indices), constant((), 0, g.dtype))
    return unbroadcast(found, values.shape)


def _numbered(shape: tuple[int, ...], device: Device | None) -> Node:
    """The number of each element, in row-major order."""
    return reshape(arange(0, prod(shape), 1, int64, device or CPU), shape)
