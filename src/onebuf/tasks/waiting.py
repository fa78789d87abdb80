"""Waiting: until a task is done, a time is over, or it is clear that it never will be done.

Waiting ends early for what would not end at all: for a task of a process that this one was forked
off, whose threads are not here; for a task that waits, by way of others, for the one that asks; for
what an event loop is to bring, in the very thread of that loop. An interrupt (Ctrl-C) ends the
waiting alone, and the task goes on.
"""

from __future__ import annotations

import sys
import threading
from typing import Any

from onebuf.errors import ArgumentTypeError, TaskError, TaskTimeout
from onebuf.tasks.task import Task, generation, here
from onebuf.tasks.workers import workers


def wait(task: Task, timeout: float | None = None) -> None:
    """Return when ``task`` is done; `TaskTimeout` if it is not after ``timeout`` seconds."""
    seconds = _seconds(timeout)
    if task.is_done:
        return
    check(task)
    _check_loop(task)
    gate = threading.Lock()
    gate.acquire()
    opening = gate.release
    task.when_done(opening)
    mine: Task | None = getattr(here, "task", None)
    try:
        if mine is not None:
            mine.waits_for = task
            check(task)  # once more: of two that wait for each other, one finds out
        with workers().waiting():
            gate.acquire(timeout=seconds)
    finally:
        if mine is not None:
            mine.waits_for = None
        task.forget(opening)
    if not task.is_done:
        raise TaskTimeout(
            f"{task.name} was not done after {timeout} seconds; it goes on, so ask again later, or "
            f"cancel it"
        )


def _seconds(timeout: Any) -> float:
    """How long to wait, as locks are told: -1 for ever."""
    if timeout is None:
        return -1
    if not isinstance(timeout, int | float) or timeout != timeout:
        raise ArgumentTypeError(
            f"a timeout needs to be a number of seconds, or None to wait without end, got "
            f"{timeout!r}"
        )
    return max(0.0, min(timeout, threading.TIMEOUT_MAX))


def check(task: Task) -> None:
    """Raise if ``task`` can never be done, or not while this thread waits for it."""
    mine: Task | None = getattr(here, "task", None)
    todo, seen = [task], {id(task)}
    while todo:
        other = todo.pop()
        if other.is_done:
            continue
        if other is mine:
            raise TaskError(
                f"{mine.name} would wait for itself: it asks for the result of {task.name}, which "
                f"is not done before this task is; pass results of other tasks as arguments"
            )
        if other.generation != generation[0]:
            raise TaskError(
                f"{other.name} belongs to the process that this one was forked off, and was not "
                f"done then: it will never be done here; submit it again, or wait for it before "
                f"the fork"
            )
        for below in (*other.after, other.waits_for):
            if below is not None and id(below) not in seen:
                seen.add(id(below))
                todo.append(below)


def _check_loop(task: Task) -> None:
    """Raise if this thread would have to run the event loop that is to bring the result."""
    if task.loop is None:
        return
    events = sys.modules.get("asyncio.events")
    if events is not None and events._get_running_loop() is task.loop:
        raise TaskError(
            f"{task.name} is brought by the event loop of this thread, which cannot go on while "
            f"the thread waits; write await in front of it"
        )
