"""Form: what a graph has in common with every other that is computed in the same way.

The form of some pending nodes is everything that a plan for them depends on: the operations and
which results are the same, and of each leaf its dtype, shape and strides. It has neither addresses
nor the values of constants nor the keys of random bits: with those, a plan made for one graph runs
another of the same form. Forms are compared as a whole, never by a hash alone.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

from onebuf.graph import (
    ARANGE,
    EMPTY,
    FAILED,
    FREED,
    LIBRARY,
    RANDOM_BITS,
    SOURCE,
    VIEW,
    Kind,
    Node,
)

_WITHOUT_FORM = frozenset({EMPTY, FAILED, FREED, LIBRARY, SOURCE})
"""Operations whose argument is a thing of its own, which no other graph has."""


class Form(NamedTuple):
    """The key of a graph, None if it is like no other, and its nodes in the order of the walk."""

    key: Hashable
    nodes: list[Node]


def form_of(wanted: Sequence[Node], *more: Hashable) -> Form:
    """The form of what computes ``wanted``; ``more`` becomes part of the key."""
    numbers: dict[int, int] = {}
    nodes: list[Node] = []
    key: list[Any] = [more, len(wanted)]
    add = key.append
    is_common = True
    todo = list(reversed(wanted))
    while todo:
        node = todo.pop()
        me = id(node)
        if me in numbers:
            add(numbers[me])
            continue
        numbers[me] = len(nodes)
        nodes.append(node)
        array = node.array
        if array is not None:
            add(node.dtype)
            add(node.shape)
            add(array.strides)
            continue
        op, srcs = node.op, node.srcs
        add(op)
        if op is VIEW:
            view = node.arg
            add(view.shape)
            add(view.stride)
            add(view.offset)
            add(view.mask)
            todo.append(srcs[0])
            continue
        if srcs:
            add(len(srcs))
            add(node.arg)
            todo.extend(srcs[::-1])
        elif op.kind is Kind.CONSTANT or op is ARANGE or op is RANDOM_BITS:
            add(node.dtype)
            add(node.shape)
            if op is ARANGE:
                add(node.arg)
        if op in _WITHOUT_FORM:
            is_common = False
    return Form(tuple(key) if is_common else None, nodes)
