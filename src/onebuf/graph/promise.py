"""Promises: leaves whose elements a task is still to bring.

A FUTURE node has a shape and a dtype, so it can be computed with. Its argument is a promise: who
needs the elements waits for it, and finds the node stored. Nobody may wait while having the
engine's lock, because the task may compute with buffers itself. So a plan that comes upon
such a node is given up (`StillToCome`), and made anew when all futures of the graph have arrived.
"""

from __future__ import annotations

import weakref
from collections.abc import Generator, Iterable
from typing import Any, Protocol

from onebuf.dtypes import DT
from onebuf.graph.node import Node, make
from onebuf.graph.op import FUTURE
from onebuf.machine import Device

outstanding: dict[int, weakref.ref[Node]] = {}
"""The FUTURE nodes of this process, by id; empty in programs without futures."""


class Promise(Protocol):
    """What brings the elements of a FUTURE node."""

    def arrive(self) -> None:
        """Return when the elements are there; raise what keeps them from coming.

        While it waits, others can have the engine's lock (`onebuf.graph.engine_lock.aside`).
        """
        ...

    def awaited(self) -> Generator[Any, None, None]:
        """What ``__await__`` yields from until then; it raises the same."""
        ...

    @property
    def has_failed(self) -> bool:
        """Whether it is known that they will not come."""
        ...


class StillToCome(Exception):
    """Elements that a plan needs are still to be brought by a task."""


def future(promise: Promise, shape: tuple[int, ...], dtype: DT, device: Device) -> Node:
    """A leaf whose elements ``promise`` will bring."""
    node = make(FUTURE, (), promise, shape, dtype, unique=True, device=device)
    me = id(node)
    outstanding[me] = weakref.ref(node, lambda _: outstanding.pop(me, None))
    return node


def arrived(node: Node) -> None:
    """Note that the elements of a node that was made by `future` are there."""
    outstanding.pop(id(node), None)


def promises_of(nodes: Iterable[Node]) -> list[Promise]:
    """The promises that ``nodes`` depend on, each once."""
    if not outstanding:
        return []
    found: dict[int, Promise] = {}
    todo = list(nodes)
    seen = {id(node) for node in todo}
    while todo:
        node = todo.pop()
        srcs, arg = node.srcs, node.arg  # before the operation: another thread may attach elements
        if node.op is FUTURE and arg is not None:
            found[id(arg)] = arg
        for src in srcs:
            if id(src) not in seen:
                seen.add(id(src))
                todo.append(src)
    return list(found.values())


def await_futures(nodes: Iterable[Node]) -> None:
    """Return when all elements that ``nodes`` depend on have arrived.

    An error of a task that was to bring some is raised.
    """
    for promise in promises_of(nodes):
        promise.arrive()


def depends_on_failed(node: Node) -> bool:
    """Whether ``node`` will never be computed, because a task that it depends on has failed."""
    return any(promise.has_failed for promise in promises_of([node]))
