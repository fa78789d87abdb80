"""What is really read when a node is read.

A COPY or a PAD that nobody asked for need not exist: reading through a view of it is reading the
original through another view, as long as one view can say so and no padding is left in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.graph import COPY, PAD, VIEW, Kind, Node, is_stored, settle
from onebuf.layout import View, compose
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


def place(node: Node) -> tuple[Node, View]:
    """The node of the graph in whose memory `reading` finds ``node``, and where, from its first.

    A view of stored elements is a leaf of its own for `reading`, which no walk over the graph
    comes upon: what is to be found again, in another graph of the same form, is named by this.
    """
    view = layout(node)
    base = node if settle(node) is not None else node.base
    while not is_stored(base) and base.op in (COPY, PAD):
        source = base.srcs[0]
        inner = layout(source)
        if base.op is PAD:
            inner = inner.pad(base.arg.widths)
        composed = compose(view, inner)
        if composed is None or composed.mask is not None:
            break
        view = composed
        base = source if settle(source) is not None else source.base
    return base, view


def layout(node: Node) -> View:
    """Where the elements of ``node`` are: from its own first one if stored, else in its base."""
    array = settle(node)
    if array is not None:
        return array_view(array)
    return node.arg if node.op is VIEW else View.contiguous(node.shape)


def array_view(array: np.ndarray[Any, Any]) -> View:
    """The layout of an array, from its first element."""
    size = array.itemsize
    return View(array.shape, tuple([step // size for step in array.strides]))


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
