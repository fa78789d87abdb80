"""Plan keys: the key by which the plan of a graph is found again.

The plan key of some pending nodes holds everything that a plan for them depends on: operations and
their arguments, which nodes are the same, and of each leaf its dtype, shape and strides. It holds
no addresses, no values of constants and no keys of random bits: those come with each run. Plan keys
are compared in full, never by a hash alone. `onebuf.scheduler.guard` does the comparison faster.

The *structure* of a graph leaves out sizes and strides as well: graphs of one structure need the
same kernels, nearly always. It only decides when to compile, so a hash is enough. It is made from
the walk, when a plan is new: a plan key has sizes inside of its parts.
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
    FUTURE,
    LIBRARY,
    ON_DEMAND,
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

_UNIQUE = frozenset({FAILED, FREED, FUTURE, SOURCE})
"""Operations whose argument is an object that no other graph has."""
_WITH_AXES = frozenset({*REDUCE.values(), *SCAN.values(), CONCAT, TAKE, TAKE_ALONG})
"""Operations whose argument says along which axes they run."""


class KeyFields(NamedTuple):
    """The fields of a node that are part of a plan key, next to its operation and its sources."""

    names: tuple[str, ...]
    """Attributes of the node, or dotted, attributes of those."""
    values: Callable[[Node], Any]
    """Their values."""


def _fields(*names: str) -> KeyFields:
    return KeyFields(names, attrgetter(*names))


_USUAL = _fields("arg")
_FIELDS = {
    STORED: _fields("dtype", "shape", "array.strides"),
    PLACED: _fields("dtype", "shape"),
    VIEW: _fields("arg.key"),
    ARANGE: _fields("dtype", "shape", "arg"),
    EMPTY: _fields("dtype", "shape"),
    ON_DEMAND: _fields("dtype", "shape"),
    RANDOM_BITS: _fields("dtype", "shape"),
    LIBRARY: _fields("dtype", "shape"),  # a run calls what its own node says
    WRITE: _fields("dtype", "arg.view", "arg.is_apart"),
}
_CONSTANT = _fields("dtype", "shape")


def key_fields(op: Op) -> KeyFields:
    """The fields of a node with this operation that are part of a plan key."""
    return _CONSTANT if op.kind is Kind.CONSTANT else _FIELDS.get(op, _USUAL)


class Walk(NamedTuple):
    """A walk over a graph: its plan key, and its nodes in the order in which they were met."""

    plan_key: Hashable
    """None: no other graph can have the same plan."""
    nodes: list[Node]


def walk_of(wanted: Sequence[Node], *more: Hashable) -> Walk:
    """The walk over what computes ``wanted``; ``more`` becomes part of the plan key.

    Depth first, sources from first to last, each node once. The key has, for each node that is met
    first, its operation, its `key_fields` and how many sources it has, if any; for one that is met
    again, its number. So graphs with equal keys are alike in all that a plan depends on. Nodes are
    read and not changed, and nothing else is looked at.
    """
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
        add(key_fields(op).values(node))
        if srcs:
            add(len(srcs))
            todo.extend(srcs[::-1])
        if op in _UNIQUE:
            is_common = False
    return Walk(tuple(key) if is_common else None, nodes)


def structure_of(walk: Sequence[Node], wanted: int) -> int:
    """A hash of the operations of a walk without sizes and values; ``wanted`` counts results.

    Two graphs with the same hash by chance are compiled a little earlier than each would be alone.
    """
    numbers = {id(node): number for number, node in enumerate(walk)}
    key: list[Hashable] = [wanted]
    for node in walk:
        key += (node.op, node.dtype, len(node.shape), *[numbers[id(src)] for src in node.srcs])
        if node.op in _WITH_AXES:
            key.append(node.arg)
    return hash(tuple(key))


def unshared(wanted: Sequence[Node]) -> set[int]:
    """The operands of WRITE nodes, by id, that no buffer has claimed: only the write holds them."""
    writes = [node for node in wanted if node.op is WRITE]
    return {id(src) for node in writes for src in node.srcs if not src.claimed}
