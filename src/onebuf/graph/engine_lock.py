"""The lock of the engine: one plan is made and run at a time.

A thread that has it may let go of how a node was computed, because no other thread is looking at
that then. The thread that has it can take it again: signal handlers and finalisers run in the
middle of a plan, and compute with buffers as well.

A plan that runs inside of another one ends the turn of that one: what was planned may be computed
already, and what it reads may be written. The outer plan then gives up (`Overtaken`) before it
records anything more, and is made anew from what is there.
"""

from __future__ import annotations

import os
from _thread import RLock  # what threading.RLock makes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

lock: Any = RLock()
turns: set[object] = set()
"""The turn of the plan that runs, or none. Taking a turn out of a set is one action of C code."""


class Overtaken(Exception):
    """Code that ran in the middle of a plan has computed with buffers."""


def begin() -> object:
    """A turn for a new plan; all others have ended."""
    turn = object()
    turns.clear()
    turns.add(turn)
    return turn


def current() -> object:
    """The turn of the plan that runs."""
    for turn in turns:
        return turn
    raise Overtaken


def check(turn: object) -> None:
    """Raise `Overtaken` if a turn has ended."""
    if turn not in turns:
        raise Overtaken


@contextmanager
def aside() -> Iterator[None]:
    """Let others have the lock while this thread waits for something that they do.

    Usually it has not got it. If it has (in a signal handler, a finaliser or a listener, in the
    middle of a plan), then that plan is overtaken, as by any other that runs inside of it.
    """
    mine = lock
    if not mine._is_owned():
        yield
        return
    state = mine._release_save()  # as conditions do
    try:
        yield
    finally:
        mine._acquire_restore(state)


def _renew() -> None:
    global lock
    lock = RLock()
    turns.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
