"""Updates: a write inside a trace, as a new value in place of an old one.

Memory that is written keeps its node, because buffers and views hold on to it. So the node itself
changes: it becomes a COPY of the new value, and a node of its former self takes its place for all
that has read it before. Views of it stay, and see the new elements, as views do.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable

import numpy as np

from onebuf.dtypes import Array
from onebuf.dtypes import bool as bool_
from onebuf.engine import moved
from onebuf.graph import COPY, VIEW, Node, Readers, enter, living_views, make, waiting
from onebuf.layout import View
from onebuf.layout.composed import permutation_of
from onebuf.machine import home_of
from onebuf.ops import (
    adopted,
    copied,
    expand,
    full,
    pad,
    permute,
    reshape,
    take,
    ternary_where,
)


def overwritten(base: Node, value: Node, change: Callable[[Node, Node], Node]) -> Node:
    """Give ``base`` what ``change`` makes of its old elements and ``value``; the node of the old.

    ``value`` may be a view of the old elements.
    """
    readers = base.readers
    old = Node(base.op, base.srcs, base.arg, base.shape, base.dtype, base.made_at, base.device)
    old.claimed = base.claimed
    for src in old.srcs:
        register(old, src)
    late = waiting(readers)
    views = living_views(readers)
    for reader in late:
        _forget_keys(reader)
        reader.srcs = tuple([_of(old, base, src) for src in reader.srcs])
    lasting = {id(reader) for reader in late}
    old.readers = {key: ref for key, ref in readers.items() if id(ref()) in lasting}
    new = change(old, _of(old, base, value))
    base.readers = {}
    for view in views:
        view.readers = base.readers
        enter(base.readers, weakref.ref(view))
    base.op, base.srcs, base.arg = COPY, (new,), None
    register(base, new)
    return old


def register(node: Node, src: Node) -> None:
    """Let ``src`` know that ``node`` reads it."""
    if src.readers is not node.readers:
        enter(src.readers, weakref.ref(node))


def _of(old: Node, base: Node, src: Node) -> Node:
    """``src``, of a node that read ``base`` before it was written, as it was then."""
    if src is base:
        return old
    if src.op is VIEW and src.srcs[0] is base:
        return make(VIEW, (old, *src.srcs[1:]), src.arg, src.shape, src.dtype, unique=True)
    return src


def _forget_keys(reader: Node) -> None:
    """Take out what leads to ``reader`` by its operands, since one of them changes."""
    for src in reader.srcs:
        table: Readers = src.readers
        for key in [key for key, found in table.items() if found() is reader]:
            if key.__class__ is not int:  # no ticket
                del table[key]


def updated(old: Node, view: View, value: Node) -> Node:
    """``old`` with the elements that ``view`` addresses replaced by those of ``value``."""
    if not view.numel:
        return old
    value = expand(value, view.shape)
    if view == View.contiguous(old.shape):
        return value
    axes = permutation_of(view, old.shape)
    if axes is not None:
        return permute(value, tuple(np.argsort(axes).tolist()))
    box = _box(view, old.shape)
    if box is None:
        return _by_table(old, view, value)
    shape = tuple([extent for _, extent in box])
    pairs = zip(box, old.shape, strict=True)
    widths = [(begin, whole - begin - extent) for (begin, extent), whole in pairs]
    assert old.device is not None
    inside = pad(full(shape, True, bool_, old.device), widths, False)
    if value.device is None:
        value = full(view.shape, value.base.arg, value.dtype, old.device)
    return ternary_where(inside, pad(reshape(value, shape), widths), old)


def _box(view: View, shape: tuple[int, ...]) -> list[tuple[int, int]] | None:
    """The box of elements of ``shape`` that a view addresses, as (begin, extent) for each axis.

    None if it is no box, or has its axes in another order; axes along which it is one element wide
    may be missing.

    >>> _box(View.contiguous((4, 5)).index((2, slice(1, 3))), (4, 5))
    [(2, 1), (1, 2)]
    """
    if view.mask is not None:
        return None
    left = [pair for pair in zip(view.shape, view.stride, strict=True) if pair[0] > 1]
    found = []
    rest = view.offset
    for extent, stride in zip(shape, View.contiguous(shape).stride, strict=True):
        begin = rest // stride
        rest -= begin * stride
        wide = left.pop(0)[0] if left and left[0][1] == stride else 1
        if begin + wide > extent:
            return None
        found.append((begin, wide))
    return None if left else found


def _by_table(old: Node, view: View, value: Node) -> Node:
    """Any elements replaced, by a table that has for each place which new element comes there."""
    flat = np.full(old.numel, -1, np.int64)
    places = np.lib.stride_tricks.as_strided(
        flat[view.offset :], view.shape, [step * 8 for step in view.stride]
    )
    places[...] = np.arange(value.numel).reshape(value.shape)
    new = reshape(copied(value), (-1,))
    picked = take(new, _there(np.maximum(flat, 0), old), 0)
    whole = ternary_where(_there(flat >= 0, old), picked, reshape(old, (-1,)))
    return reshape(whole, old.shape)


def _there(array: Array, old: Node) -> Node:
    """A table on the device that ``old`` is to be on."""
    assert old.device is not None
    return moved(adopted(array), home_of(old.device))
