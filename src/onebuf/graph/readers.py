"""Readers: the pending nodes that have yet to read some memory, and equal ones found again.

Memory, and every node that will have memory, has a table of readers with two kinds of entries. A
weak reference to a node, under a number that nothing else has, says that this node has yet to read:
before the memory is written, it is computed. A key that says what a node computes leads to a node
that computes just that; it is a hint, and may be missing or be another thread's. One more key leads
to those who lie on the same bytes (`onebuf.memory.territory`), and stays.

No entry of the first kind is ever replaced or cleared with others: each is its node's alone, put in
when the node is made and taken out when it has read. Every step is one operation on a
dict, which neither another thread nor a signal handler can split, so there is no lock to wait for.

The numbers are tickets, counted up. A reference would do as its own key, but its hash is the
address of its node: nodes come and go at the same addresses, and those that are gone would be
compared with each that comes.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Hashable
from typing import Protocol, TypeAlias, TypeVar

from onebuf.graph.op import FAILED, VIEW, Op
from onebuf.memory import Neighbours
from onebuf.native import core


class Reader(Protocol):
    """What a table asks of a node."""

    @property
    def op(self) -> Op:
        """What the node does."""

    @property
    def block(self) -> object | None:
        """The memory of the node, once it has some."""


N = TypeVar("N", bound=Reader)
Table: TypeAlias = dict[Hashable, weakref.ref[N]]
"""Weak references to pending nodes, by ticket and by what the nodes compute."""

MANY = 255
"""A table with more entries is looked through for those that are done."""
ticket: Callable[[], int] = itertools.count().__next__ if core is None else core.ticket
"""A number that it has not given before."""


def enter(readers: Table[N], reference: weakref.ref[N]) -> None:
    """Let a table know of a node that has yet to read."""
    readers[ticket()] = reference


def find(readers: Table[N], key: Hashable) -> N | None:
    """The pending node that computes what ``key`` says, if one is known."""
    found = readers.get(key)
    if found is not None:
        node = found()
        if node is not None and node.block is None and node.op is not FAILED:
            return node
    return None


def waiting(readers: Table[N]) -> list[N]:
    """The nodes that are still to be computed; views only see, they do not."""
    return [n for n in _entered(readers) if n.block is None and n.op is not VIEW]


def living_views(readers: Table[N]) -> list[N]:
    """The views that have not been looked at yet."""
    return [n for n in _entered(readers) if n.op is VIEW]


def references(readers: Table[N]) -> list[weakref.ref[N]]:
    """References to the nodes that have entered a table, in the order in which they came."""
    return [found for key, found in list(readers.items()) if key.__class__ is int]


def _entered(readers: Table[N]) -> list[N]:
    """The living nodes that have entered a table, each once."""
    nodes = [found() for found in references(readers)]
    return list({id(node): node for node in nodes if node is not None}.values())


def forget(readers: Table[N], with_views: bool) -> None:
    """Take out what is gone or has read, and with ``with_views`` the views, which never read."""
    for key in list(readers):
        if key is Neighbours:
            continue
        found = readers.get(key)
        node = None if found is None else found()
        if _is_done(node) or (with_views and node is not None and node.op is VIEW):
            readers.pop(key, None)


def prune(readers: Table[N]) -> None:
    """Forget what is gone or has read, if that is at least half of the table.

    Only looked for when the number of entries passes a power of two, by one or two at a time: a
    constant cost for each.
    """
    count = len(readers)
    if count - (1 << count.bit_length() - 1) > 1:
        return
    done = [key for key in list(readers) if _is_done_at(readers, key)]
    if 2 * len(done) >= count:
        for key in done:
            readers.pop(key, None)


def _is_done_at(readers: Table[N], key: Hashable) -> bool:
    if key is Neighbours:
        return False
    found = readers.get(key)
    return found is None or _is_done(found())


def _is_done(node: Reader | None) -> bool:
    return node is None or node.block is not None or node.op is FAILED
