"""Switch points: named places where a test stops a thread, or lets an error come.

What goes wrong between two threads, or at an interrupt, goes wrong between two particular lines.
Such a place is marked with a name, and a test that has set a hook is called there: it may let
another thread run first, compute with buffers as a signal handler would, or raise. In production
there is no hook, and a point costs the look at one flag::

    if switch.on:
        switch.point("pool.map")

`onebuf.testing.faults.interleaving` has the hooks that tests use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from onebuf.native import core

Hook: TypeAlias = Callable[[str], None]

POINTS = {
    "graph.attach": "before computed elements are attached to their node",
    "graph.make": "after no equal node was found, before a new one is known to what it reads",
    "plan.start": "before the first step of a plan, when its operands are known",
    "plan.step": "before each step of a plan",
    "pool.cut": "while new chunks are cut from a slab",
    "pool.map": "before memory is mapped",
    "pool.take": "before a chunk is taken from the pool",
    "read.ready": "after elements were found, before they are read",
    "write.ready": "after the new elements are there, before pending readers are looked for",
    "write.settle": "after pending readers were looked for, before they are computed",
    "write.start": "before the first element is written",
    "write.done": "after the last element was written",
}
"""Every point, and where it is."""

on = False
"""Whether there is a hook."""
_hooks: list[Hook] = []


def point(name: str) -> None:
    """Call the hooks; the thread that comes here goes on when they return."""
    for hook in list(_hooks):
        hook(name)


@contextmanager
def hooked(hook: Hook) -> Iterator[None]:
    """Call ``hook`` with the name of each point that any thread reaches in this block of code.

    >>> reached = []
    >>> with hooked(reached.append):
    ...     point("pool.map")
    >>> reached
    ['pool.map']
    """
    _hooks.append(hook)
    _set_on(True)
    try:
        yield
    finally:
        _hooks.remove(hook)
        _set_on(bool(_hooks))


def _set_on(now: bool) -> None:
    global on
    on = now
    if core is not None:
        core.set_halted(now)  # which has no points
