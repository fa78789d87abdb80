"""Elementwise operations on the stored elements of layouts.

The layout of the result is proven first. Operands that have this very layout are taken as they are
stored; all others are read at the indices of its stored elements. So the work is that of an
ordinary operation on as many elements as are stored, in every tier and on every device.
"""

from __future__ import annotations

from typing import Any

from onebuf.dtypes import DT
from onebuf.graph import COPY, Kind, Node, Op, make
from onebuf.machine import CPU
from onebuf.ops.apply import binary, general, unary
from onebuf.ops.movement import expand, permute, reshape
from onebuf.ops.structured.index_nodes import read_at, representatives, spelled_out
from onebuf.ops.structured.nodes import structured, with_layout
from onebuf.ops.structured.proof import result_layout


def lifted(
    op: Op, operands: tuple[Node, ...], arg: Any, shape: tuple[int, ...], dtype: DT
) -> Node | None:
    """The result of ``op`` with the layout that it has; None: it is a plain one.

    Some of the operands are views without strides.
    """
    if op is not COPY and op.kind is not Kind.ELEMENTWISE:
        return _plain(op, operands, arg, shape, dtype)
    parts = [structured(node) for node in operands]
    if op is COPY:
        found = parts[0]
        return None if found is None else found.seen(_copied(found.storage))
    parts = [
        None if part is None or node.shape != shape else part
        for part, node in zip(parts, operands, strict=True)
    ]
    known = [part for part in parts if part is not None]
    if not known:
        return _plain(op, operands, arg, shape, dtype)
    axes = known[0].axes
    if known[0].is_turned and all(part.axes == axes for part in known):
        return _turned_back(op, operands, axes, arg, dtype)
    parts = [None if part is None or part.is_turned else part for part in parts]
    if not any(parts):
        return _plain(op, operands, arg, shape, dtype)
    layout = result_layout(op, operands, parts, dtype)
    if layout is None:
        return _plain(op, operands, arg, shape, dtype)
    device = next((node.device for node in operands if node.device is not None), CPU)
    at = None
    values: list[Node] = []
    for node, part in zip(operands, parts, strict=True):
        if node.numel == 1:
            values.append(reshape(node, ()))
        elif part is not None and part.layout == layout:
            values.append(part.storage)
        else:
            at = at or representatives(layout, device)
            values.append(filled(read_at(node, at), layout))
    return with_layout(_applied(op, values, arg, (layout.stored,), dtype), layout)


def filled(node: Node, layout: Any) -> Node:
    """What was read at the indices of a layout's stored elements, as they are stored."""
    return reshape(expand(node, layout.arrangement.storage), (layout.stored,))


def _applied(op: Op, values: list[Node], arg: Any, shape: tuple[int, ...], dtype: DT) -> Node:
    if len(values) == 1 and arg is None:
        return unary(op, values[0])
    if len(values) == 2:
        return binary(op, *values)
    return general(op, tuple(values), arg, shape, dtype)


def _copied(storage: Node) -> Node:
    return general(COPY, (storage,), None, storage.shape, storage.dtype, unique=True)


def _turned_back(
    op: Op, operands: tuple[Node, ...], axes: tuple[int, ...], arg: Any, dtype: DT
) -> Node | None:
    """The result on operands with their axes in the order of the layout, turned again."""
    back = tuple(sorted(range(len(axes)), key=axes.__getitem__))
    turned = [permute(x, back) if len(x.shape) == len(axes) else x for x in operands]
    if any(x.shape not in ((), turned[0].shape) and x.numel > 1 for x in turned):
        return None
    shape = next(x.shape for x in turned if x.shape)
    found = lifted(op, tuple(turned), arg, shape, dtype)
    return None if found is None else permute(found, axes)


def _plain(
    op: Op, operands: tuple[Node, ...], arg: Any, shape: tuple[int, ...], dtype: DT
) -> Node | None:
    """The result on a device that has no kernels, where layouts are spelled out; else None."""
    device = next((node.device for node in operands if node.device is not None), None)
    if device is None or device.is_host or not device.has_operations:
        return None
    plain = tuple([x if x.has_strides else spelled_out(x) for x in operands])
    return make(op, plain, arg, shape, dtype)
