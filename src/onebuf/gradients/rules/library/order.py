"""Rules of calls that choose elements by their order: sorts, running extremes, complex extremes.

Each result is one of the elements, so its gradient goes to that one. Of equal elements a sort keeps
the order, a running extreme is the first, and extremes of complex numbers share it.
"""

from __future__ import annotations

import numpy as np

from onebuf.dtypes import Array, int64, kind
from onebuf.dtypes import bool as bool_
from onebuf.gradients.rules.arithmetic import compare, divide, total, where
from onebuf.gradients.rules.table import differentiates_call
from onebuf.graph import Node
from onebuf.machine import CPU
from onebuf.ops import (
    arange,
    argsort,
    cast,
    concat,
    constant,
    expand,
    full,
    index,
    library,
    reshape,
    take_along_axis,
)
from onebuf.ops.scatter import scatter_add_along


@differentiates_call("sort")
def _sort(node: Node, g: Node) -> tuple[Node]:
    (x,) = node.srcs
    axis, descending = node.arg.static
    if kind(x.dtype) == "c":
        order = library(_complex_order, (x,), (axis, descending), x.shape, int64, "argsort")
    else:
        order = argsort(x, axis, descending)
    return (take_along_axis(g, argsort(order, axis), axis),)


def _complex_order(x: Array, axis: int, descending: bool) -> Array:
    """The order by real, then by imaginary parts, in which equal elements keep theirs."""
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    backwards = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return np.asarray(x.shape[axis] - 1 - np.flip(backwards, axis))


@differentiates_call("maximum.accumulate", "minimum.accumulate")
def _running_extreme(node: Node, g: Node) -> tuple[Node]:
    (x,) = node.srcs
    (axis,) = node.arg.static
    front = (slice(None),) * axis
    later = compare(
        "not_equal",
        index(node, (*front, slice(1, None))),
        index(node, (*front, slice(0, -1))),
    )
    first = full((*x.shape[:axis], 1, *x.shape[axis + 1 :]), True, bool_, x.device or CPU)
    is_new = concat([first, later], axis)
    line = [x.shape[axis] if n == axis else 1 for n in range(len(x.shape))]
    places = reshape(arange(0, x.shape[axis], 1, int64, x.device or CPU), line)
    new = where(is_new, expand(places, x.shape), constant((), 0, int64))
    static = (axis,)
    chosen = library(np.maximum.accumulate, (new,), static, x.shape, int64, "maximum.accumulate")
    return (scatter_add_along(x.shape, chosen, g, axis),)


@differentiates_call("max", "min")
def _complex_extreme(node: Node, g: Node) -> tuple[Node]:
    (x,) = node.srcs
    axes, _, _ = node.arg.static
    kept = [1 if n in axes else extent for n, extent in enumerate(x.shape)]
    is_extreme = compare("equal", x, reshape(node, kept))
    number = total(cast(is_extreme, g.dtype), axes, keepdims=True)
    share = divide(reshape(g, kept), number)
    return (where(is_extreme, expand(share, x.shape), 0),)


@differentiates_call("mean")
def _complex_mean(node: Node, g: Node) -> tuple[Node]:
    """The division of a complex sum by a count."""
    call = node.arg
    return (library(call.function, (g,), call.static, g.shape, g.dtype, call.name),)
