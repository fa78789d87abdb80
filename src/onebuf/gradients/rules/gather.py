"""Rules of elements taken by index, and of their adjoints, the scatters.

What is taken from several times gets the sum of the gradients. Indices have none.
"""

from __future__ import annotations

from onebuf.dtypes import int64
from onebuf.gradients.rules.arithmetic import compare, unbroadcast, where
from onebuf.gradients.rules.table import differentiates, differentiates_call
from onebuf.graph import TAKE, TAKE_ALONG, Node
from onebuf.machine import CPU
from onebuf.ops import arange, constant, expand, full, take, take_along_axis
from onebuf.ops.scatter import scatter_add, scatter_add_along, scatter_put


@differentiates(TAKE)
def _take(node: Node, g: Node) -> tuple[Node, None]:
    x, indices = node.srcs
    return scatter_add(x.shape, indices, g, node.arg), None


@differentiates(TAKE_ALONG)
def _take_along(node: Node, g: Node) -> tuple[Node, None]:
    x, indices = node.srcs
    axis = node.arg
    if indices.shape != node.shape:
        indices = expand(indices, node.shape)
    whole = (*node.shape[:axis], x.shape[axis], *node.shape[axis + 1 :])
    return unbroadcast(scatter_add_along(whole, indices, g, axis), x.shape), None


@differentiates_call("scatter_add")
def _scatter_add(node: Node, g: Node) -> tuple[None, Node]:
    indices, _ = node.srcs
    _, axis = node.arg.static
    return None, take(g, indices, axis)


@differentiates_call("scatter_add_along")
def _scatter_add_along(node: Node, g: Node) -> tuple[None, Node]:
    indices, _ = node.srcs
    _, axis = node.arg.static
    return None, take_along_axis(g, indices, axis)


@differentiates_call("scatter_put")
def _scatter_put(node: Node, g: Node) -> tuple[Node, None, Node]:
    x, indices, updates = node.srcs
    device = g.device or CPU
    order = arange(0, updates.shape[0], 1, int64, device)
    last = take(scatter_put(full(x.shape, 0, int64, device), indices, order), indices)
    nothing = constant(updates.shape, 0, g.dtype)
    return (
        scatter_put(g, indices, nothing),
        None,
        where(compare("equal", last, order), take(g, indices), nothing),
    )
