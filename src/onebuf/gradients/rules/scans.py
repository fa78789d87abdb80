"""Rules of scans: gradients run along the axis in the other direction.

With ``x`` and its running products ``y``, the gradient of ``x[i]`` is the product of all elements
before it, times ``r[i] = g[i] + x[i+1] * r[i+1]``. That recurrence is solved by doubling: after
step ``k`` every ``r[i]`` has the terms of the ``2**k`` elements from ``i`` on. It needs no
quotient, so zeros are elements like any other, and it can be differentiated again.
"""

from __future__ import annotations

from onebuf.gradients.rules.arithmetic import add, conj, multiply
from onebuf.gradients.rules.table import differentiates
from onebuf.graph import SCAN, Node
from onebuf.ops import flip, index, pad, scan


@differentiates(SCAN["sum"])
def _running_sum(node: Node, g: Node) -> tuple[Node]:
    axis = node.arg
    return (flip(scan("sum", flip(g, (axis,)), axis), (axis,)),)


@differentiates(SCAN["prod"])
def _running_product(node: Node, g: Node) -> tuple[Node]:
    (x,) = node.srcs
    axis = node.arg
    factors = conj(x)
    return (multiply(products_before(factors, axis), _recurrence(factors, g, axis)),)


def products_before(x: Node, axis: int) -> Node:
    """The product of all elements before each one along ``axis``: 1 for the first."""
    return _shifted(scan("prod", x, axis), axis, -1, 1)


def _recurrence(x: Node, g: Node, axis: int) -> Node:
    """``r`` with ``r[i] = g[i] + x[i+1] * r[i+1]`` along ``axis``."""
    factor, found, step = _shifted(x, axis, 1), g, 1
    while step < x.shape[axis]:
        found = add(found, multiply(factor, _shifted(found, axis, step)))
        factor = multiply(factor, _shifted(factor, axis, step))
        step *= 2
    return found


def _shifted(x: Node, axis: int, by: int, value: int = 0) -> Node:
    """``x[i + by]`` in place of ``x[i]`` along ``axis``, and ``value`` where there is none."""
    if not x.shape[axis]:
        return x
    key = [slice(None)] * len(x.shape)
    key[axis] = slice(by, None) if by > 0 else slice(None, by)
    widths = [(0, 0)] * len(x.shape)
    widths[axis] = (0, by) if by > 0 else (-by, 0)
    return pad(index(x, tuple(key)), widths, value)
