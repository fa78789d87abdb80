"""What is really read when a node is read.

A COPY or a PAD that nobody asked for need not exist: reading through a view of it is reading the
original through another view, as long as one view can say so and no padding is left in it.
"""

from __future__ import annotations

from onebuf.graph import COPY, PAD, VIEW, Kind, Node, is_stored
from onebuf.layout import compose
from onebuf.ops import seen, view_of


def reading(node: Node) -> Node:
    """A node with the same elements as ``node`` that is nearer to memory."""
    while not is_stored(node):
        base = node.base
        if base.op is COPY and node is base:
            node = node.srcs[0]
            continue
        if node.op is not VIEW or base.op not in (COPY, PAD):
            return node
        source = base.srcs[0]
        inner = view_of(source)
        if base.op is PAD:
            inner = inner.pad(base.arg.widths)
        composed = compose(node.arg, inner)
        if composed is None or composed.mask is not None:
            return node
        node = seen(source, composed)
    return node


def is_readable(node: Node) -> bool:
    """Whether the elements of ``node`` are at hand: constant, or in memory in the right order."""
    if is_stored(node):
        return True
    base = node.base
    if base.op.kind is Kind.CONSTANT:
        return node is base or node.arg.mask is None
    if base.op not in (COPY, PAD):
        return False
    source = reading(node)
    return is_stored(source) and (node is not base or view_of(source).is_contiguous)
