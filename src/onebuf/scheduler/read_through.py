"""What is really read when a node is read.

A COPY or a PAD that was not asked for need not exist: reading through a view of it is reading the
original through another view, as long as one view can say so and no padding is left in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.graph import COPY, PAD, Kind, Node, is_stored, settle
from onebuf.layout import View, compose
from onebuf.ops import seen, view_of


def reading(node: Node) -> Node:
    """A node with the same elements as ``node`` that is nearer to memory."""
    while not is_stored(node):
        base = node.strided_base
        srcs, arg = base.srcs, base.arg  # before the operation: another thread may compute it
        op = base.op
        if op is COPY and not srcs[0].has_strides:
            return node  # every element of it is to be stored
        if op is COPY and node is base:
            node = srcs[0]
            continue
        if node is base or op not in (COPY, PAD):
            return node
        source = srcs[0]
        inner = view_of(source)
        if op is PAD:
            inner = inner.pad(arg.widths)
        composed = compose(node.view, inner)
        if composed is None and op is COPY:  # a view of a view may be simpler than either
            source = reading(source)
            composed = compose(node.view, view_of(source))
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
    base = node if settle(node) is not None else node.strided_base
    while not is_stored(base) and base.op in (COPY, PAD):
        source = base.srcs[0]
        inner = layout(source)
        if base.op is PAD:
            inner = inner.pad(base.arg.widths)
        there = source if settle(source) is not None else source.strided_base
        composed = compose(view, inner)
        if composed is None and base.op is COPY:
            there, inner = place(source)
            composed = compose(view, inner)
        if composed is None or composed.mask is not None:
            break
        base, view = there, composed
    return base, view


def layout(node: Node) -> View:
    """The view of ``node``'s elements: from its first one if stored, else in its strided base."""
    array = settle(node)
    return node.view if array is None else array_view(array)


def array_view(array: np.ndarray[Any, Any]) -> View:
    """The layout of an array, from its first element."""
    size = array.itemsize
    return View(array.shape, tuple([step // size for step in array.strides]))


def is_readable(node: Node) -> bool:
    """Whether the elements of ``node`` are at hand: constant, or in memory in the right order."""
    if is_stored(node):
        return True
    base = node.strided_base
    if base.op.kind is Kind.CONSTANT:
        return node is base or node.view.mask is None
    if base.is_view:
        return all(map(is_readable, base.srcs))
    if base.op not in (COPY, PAD):
        return False
    source = reading(node)
    return is_stored(source) and (node is not base or view_of(source).is_contiguous)
