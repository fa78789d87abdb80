"""Moving: a node on another device, found there, copied there, or made of what is there."""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.engine import gate
from onebuf.graph import Node
from onebuf.machine import CPU, Device


def moved(node: Node, device: Device) -> Node:
    """The elements of ``node`` on ``device``: the node itself if they are there."""
    if (node.device or CPU) is device:
        return node
    return gate.transferring().moved(node, device)  # type: ignore[no-any-return]


def shared(node: Node, device: Device) -> Node:
    """The elements of ``node`` on ``device``, in the memory of the host that they are in."""
    return gate.sharing().shared(node, device)  # type: ignore[no-any-return]


def wrapped(native: Any, kind: str) -> Node:
    """A node on the memory of another library's array, on a device of that kind."""
    return gate.sharing().wrapped(native, kind)  # type: ignore[no-any-return]


def reinterpreted(node: Node, dtype: np.dtype[Any]) -> Node:
    """The bytes of a node on another device, read as another dtype."""
    return gate.sharing().reinterpreted(node, dtype)  # type: ignore[no-any-return]


def unwrapped(node: Node) -> Any:
    """What the library below knows the elements of a node by."""
    return gate.sharing().unwrapped(node)
