"""Moving: a node on another device, found there or copied there."""

from __future__ import annotations

from onebuf.engine import gate
from onebuf.graph import Node
from onebuf.machine import CPU, Device


def moved(node: Node, device: Device) -> Node:
    """The elements of ``node`` on ``device``: the node itself if they are there."""
    if (node.device or CPU) is device:
        return node
    return gate.transferring().moved(node, device)  # type: ignore[no-any-return]
