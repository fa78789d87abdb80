"""Placed nodes: elements in the memory of a device that the host does not reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onebuf.dtypes import DT
from onebuf.graph.node import Node, settle
from onebuf.graph.op import PLACED, VIEW
from onebuf.layout import View

if TYPE_CHECKING:
    from onebuf.machine import Device, DeviceBlock


def place_on(node: Node, block: DeviceBlock) -> None:
    """Give ``node`` its elements, in the memory of its device."""
    if node.block is None:
        block.readers = node.readers
        node.block = block  # type: ignore[assignment]
        node.op = PLACED
        node.srcs = ()
        node.arg = None


def on_block(block: DeviceBlock, shape: tuple[int, ...], dtype: DT, device: Device) -> Node:
    """A node for elements that are in a block already, which other nodes may see as well."""
    node = Node(PLACED, (), None, shape, dtype, None, device)
    node.readers = block.readers
    place_on(node, block)
    return node


def placed_block(node: Node) -> DeviceBlock:
    """The memory of a node that is placed."""
    assert node.op is PLACED, f"{node} is not in the memory of a device"
    return node.block  # type: ignore[return-value]


def is_stored(node: Node) -> bool:
    """Whether the elements of ``node`` are in memory, of the host or of its device."""
    if settle(node) is not None:
        return True
    if node.op is not VIEW:
        return node.op is PLACED
    layout = node.arg
    return node.srcs[0].op is PLACED and layout.__class__ is View and layout.mask is None
