"""Form: what a graph has in common with every other that is computed in the same way.

The form of some pending nodes is everything that a plan for them depends on: the operations and
which results are the same, and of each leaf its dtype, shape and strides. It has neither addresses
nor the values of constants nor the keys of random bits: with those, a plan made for one graph runs
another of the same form. Forms are compared as a whole, never by a hash alone.

The *structure* of a graph is what is left of its form without sizes: graphs of one structure need
the same kernels, nearly always. It decides when to compile, and nothing else, so a hash will do.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from onebuf.graph import (
    ARANGE,
    CONCAT,
    EMPTY,
    FAILED,
    FREED,
    LIBRARY,
    PLACED,
    RANDOM_BITS,
    REDUCE,
    SCAN,
    SOURCE,
    STORED,
    TAKE,
    TAKE_ALONG,
    VIEW,
    WRITE,
    Kind,
    Node,
    Op,
)

_WITHOUT_FORM = frozenset({EMPTY, FAILED, FREED, LIBRARY, SOURCE})
"""Operations whose argument is a thing of its own, which no other graph has."""


_WITH_AXES = frozenset({*REDUCE.values(), *SCAN.values(), CONCAT, TAKE, TAKE_ALONG})
"""Operations whose argument says along which axes they run."""


class Look(NamedTuple):
    """What of a node belongs to the form of its graph, next to its operation and its sources."""

    names: tuple[str, ...]
    """Attributes of the node, and attributes of those."""
    values: Callable[[Node], Any]
    """Their values."""


def _look(*names: str) -> Look:
    return Look(names, attrgetter(*names))


_USUAL = _look("arg")
_LOOKS = {
    STORED: _look("dtype", "shape", "array.strides"),
    PLACED: _look("dtype", "shape"),
    VIEW: _look("arg.key"),
    ARANGE: _look("dtype", "shape", "arg"),
    RANDOM_BITS: _look("dtype", "shape"),
    WRITE: _look("dtype", "arg.view", "arg.is_apart"),
}
_CONSTANT = _look("dtype", "shape")


def look_of(op: Op) -> Look:
    """What of a node with this operation belongs to a form."""
    return _CONSTANT if op.kind is Kind.CONSTANT else _LOOKS.get(op, _USUAL)


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
        op, srcs = node.op, node.srcs
        add(op)
        add(look_of(op).values(node))
        if srcs:
            add(len(srcs))
            todo.extend(srcs[::-1])
        if op in _WITHOUT_FORM:
            is_common = False
    return Form(tuple(key) if is_common else None, nodes)


def structure_of(walk: Sequence[Node], wanted: int) -> int:
    """A number that is equal for walks over the same operations, whatever the sizes and values.

    ``wanted`` is how many nodes were asked for.
    """
    numbers = {id(node): number for number, node in enumerate(walk)}
    key: list[Hashable] = [wanted]
    for node in walk:
        key += (node.op, node.dtype, len(node.shape), *[numbers[id(src)] for src in node.srcs])
        if node.op in _WITH_AXES:
            key.append(node.arg)
    return hash(tuple(key))


def unshared(wanted: Sequence[Node]) -> set[int]:
    """What is computed only to be written, by id: it has no other holder than who writes it."""
    writes = [node for node in wanted if node.op is WRITE]
    return {id(src) for node in writes for src in node.srcs if not src.claimed}
