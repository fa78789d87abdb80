"""Nested lists with traced buffers in them: NumPy cannot read those, so they are stacked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from onebuf.graph import Node
from onebuf.machine import Tracer
from onebuf.machine import device as find_device
from onebuf.ops import stack


def has_traced(data: Any) -> bool:
    """Whether ``data`` is a list, or a list of lists, that holds a traced buffer."""
    is_list = data.__class__ is list or data.__class__ is tuple
    return is_list and isinstance(find_device(), Tracer) and _holds_traced(data)


def _holds_traced(data: Any) -> bool:
    for part in data:
        if isinstance(part, list | tuple):
            if _holds_traced(part):
                return True
        else:
            node = getattr(part, "_node", None)
            if isinstance(node, Node) and isinstance(node.device, Tracer):
                return True
    return False


def stacked(data: Any, as_node: Callable[[Any], Node]) -> Node:
    """The elements of nested lists, in the dtype in which all of them meet."""
    if not isinstance(data, list | tuple):
        return as_node(data)
    return stack([stacked(part, as_node) for part in data], 0)
