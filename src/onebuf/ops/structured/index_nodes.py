"""Index expressions as nodes: arithmetic on ranges, which kernels compute as they go.

A layout says which index each of its stored elements has. With that as nodes, any operand can be
read at just these indices: nothing but the stored elements of a result is ever computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from onebuf.dtypes import int64, kind
from onebuf.graph import BINARY, CONSTANT, UNARY, Node, settle
from onebuf.layout.arrangement.packing import Tables
from onebuf.layout.expression import Expression, Strided, evaluate, indices
from onebuf.layout.layout import Layout
from onebuf.machine import CPU, Device
from onebuf.ops.apply import binary, cast, constant, ternary_where, unary
from onebuf.ops.contraction import take
from onebuf.ops.creation import arange
from onebuf.ops.movement import expand, permute, reshape
from onebuf.ops.structured.nodes import stored_table
from onebuf.ops.structured.upload import elsewhere

Nodes = tuple[Node, ...]


def ranges(shape: Sequence[int], device: Device) -> Nodes:
    """The indices of ``shape``, a node for each axis that broadcasts against the others."""
    found = []
    for axis, extent in enumerate(shape):
        along = arange(0, extent, 1, int64, device)
        found.append(reshape(along, [extent if n == axis else 1 for n in range(len(shape))]))
    return tuple(found)


def evaluated(wanted: Expression, at: Sequence[Node], tables: Sequence[Node]) -> Node:
    """The node of an index expression; ``at`` has the index along each axis."""

    def strided(part: Strided) -> Node:
        total: Node = constant((), part.offset, int64)
        for step, i in zip(part.stride, at, strict=False):
            if step:
                term = i if step == 1 else binary(BINARY["multiply"], i, step)
                is_first = total.op is CONSTANT and not total.arg
                total = term if is_first else binary(BINARY["add"], total, term)
        return total

    def apply(name: str, args: tuple[Node, ...]) -> Node:
        if name == "where":
            return ternary_where(*args)
        return binary(BINARY[name], *args)

    def table(number: int, position: Node) -> Node:
        return cast(take(tables[number], position), int64)

    return evaluate(wanted, strided, apply, table)


def representatives(layout: Layout, device: Device) -> Nodes:
    """An index of each stored element: a node for each axis, which broadcasts to the storage."""
    storage = layout.arrangement.storage
    tables: Tables = []
    wanted = layout.arrangement.indices(indices(len(storage)), tables)
    at, held = ranges(storage, device), on_device(tables, device)
    return tuple([evaluated(one, at, held) for one in wanted])


def weights(layout: Layout, device: Device) -> Node | None:
    """How many elements each stored one stands for, which broadcasts to the storage; None: one."""
    storage = layout.arrangement.storage
    tables: Tables = []
    wanted = layout.arrangement.weight(indices(len(storage)), tables)
    if wanted is None:
        return None
    return evaluated(wanted, ranges(storage, device), on_device(tables, device))


def on_device(tables: Tables, device: Device) -> Nodes:
    """Index tables as nodes on ``device``."""
    nodes = [stored_table(table) for table in tables]
    return tuple(nodes) if device.is_host else tuple([elsewhere(n, device) for n in nodes])


def read_at(node: Node, at: Sequence[Node]) -> Node:
    """The elements of ``node`` at some indices, which broadcast against one another.

    Indices of axes that ``node`` lacks, or has an extent of 1 of, do not count.
    """
    at = at[len(at) - len(node.shape) :]
    if node.numel == 1:
        return reshape(node, ())
    if not node.numel:
        return constant((), 0, node.dtype)  # no index asks for an element
    if not node.has_strides:
        return _read_through(node, at)
    array = settle(node)
    if array is not None and not array.flags.c_contiguous:
        order = sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis]))
        node, at = permute(node, order), [at[axis] for axis in order]
    position: Node | None = None
    for i, extent, step in zip(at, node.shape, _steps(node.shape), strict=True):
        if extent > 1:
            term = i if step == 1 else binary(BINARY["multiply"], i, step)
            position = term if position is None else binary(BINARY["add"], position, term)
    assert position is not None, "more than one element has an axis of more"
    return take(reshape(node, (-1,)), position)


def _steps(shape: tuple[int, ...]) -> list[int]:
    return [prod(shape[axis + 1 :]) for axis in range(len(shape))]


def _read_through(node: Node, at: Sequence[Node]) -> Node:
    """The elements of a view without strides at some indices."""
    layout = node.layout
    place = layout.place(indices(len(node.shape)))
    storage, *tables = node.srcs

    def value(part: Expression) -> Node:
        return evaluated(part, at, tables)

    there = None if place.condition is None else value(place.condition)
    (elsewhere_value,) = np.asarray([place.elsewhere]).astype(node.dtype)
    nothing = constant((), elsewhere_value, node.dtype)
    low, high = layout.span
    if low == high:
        return nothing
    position = value(place.position)
    if there is not None:
        position = ternary_where(there, position, constant((), 0, int64))
    found = take(_flat(storage), position)
    conjugated = place.conjugated if kind(node.dtype) == "c" else None
    for change, when in (("conj", conjugated), ("negative", place.negated)):
        if when is not None:
            found = ternary_where(value(when), unary(UNARY[change], found), found)
    return found if there is None else ternary_where(there, found, nothing)


def _flat(storage: Node) -> Node:
    return storage if len(storage.shape) == 1 else reshape(storage, (-1,))


def spelled_out(node: Node) -> Node:
    """The elements of a view without strides, by operations that every device has."""
    return expand(read_at(node, ranges(node.shape, node.device or CPU)), node.shape)
