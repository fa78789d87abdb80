"""Task: a call that is to be made, once, and what came of it.

Whoever takes the *ticket* of a task decides about it: a thread that runs it, or the one that
cancels it. There is one ticket, and taking it is one operation on a list. What is to happen when a
task is done is in a deque. It is called by whoever takes it out, and that is done after the task is
marked as done, by the thread that marks it and by everyone who puts something in later: so nothing
is called twice, and nothing is forgotten.

An error that nobody ever asked for is told when the last reference to its task goes, or the
program ends, as Python tells of errors that end threads (`threading.excepthook`).
"""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from onebuf.tasks.cancellation import TaskCancelled
from onebuf.tasks.failure import Failure

here = threading.local()
"""``here.task`` is the task that this thread runs, if it runs one."""

_unseen: dict[int, weakref.ref[Task]] = {}
"""The tasks that failed and whose error nobody has asked for yet, by their id."""

generation = [0]
"""How often this process was forked off another one that had loaded this module."""


class Foreign(Protocol):
    """A future of another library, as far as a task has to know it."""

    def cancel(self) -> bool:
        """Ask for it not to be done; False if it is too late."""
        ...

    def running(self) -> bool:
        """Whether it has begun, as far as that is known."""
        ...


class Task:
    """A call that is made in another thread; ``name`` is for people.

    >>> task = Task(lambda: 6 * 7, "multiply")
    >>> task.run()
    >>> task.is_done, task.value
    (True, 42)
    """

    __slots__ = (
        *("name", "value", "failure", "is_done", "is_running", "generation", "waits_for", "after"),
        *("loop", "foreign", "call", "_ticket", "_early", "_callbacks", "__weakref__"),
    )

    def __init__(self, call: Callable[[], Any], name: str) -> None:
        self.name = name
        self.value: Any = None
        """What the call gave."""
        self.failure: Failure | None = None
        """What it raised."""
        self.is_done = False
        self.is_running = False
        self.generation = generation[0]
        self.waits_for: Task | None = None
        """The task that the thread which runs this one waits for just now."""
        self.after: tuple[Task, ...] = ()
        """The tasks that have to be done before this one begins."""
        self.loop: Any = None
        """The event loop that has to run for this task to be done, if it is known."""
        self.foreign: Foreign | None = None
        """What others do for this task: its own call only looks at what came of that."""
        self.call: Callable[[], Any] | None = call
        self._ticket = [True]
        self._early: deque[Callable[[], Outcome | None]] = deque()
        self._callbacks: deque[Callable[[], Any]] = deque()

    @property
    def is_cancelled(self) -> bool:
        """Whether it was cancelled, or something that it depends on."""
        return self.failure is not None and isinstance(self.failure.error, TaskCancelled)

    def take(self) -> bool:
        """Take the ticket: whether this was the first to ask for it."""
        try:
            return self._ticket.pop()
        except IndexError:
            return False

    def run(self) -> None:
        """Make the call, unless the task was cancelled."""
        if not self.take():
            return
        call, before = self.call, getattr(here, "task", None)
        assert call is not None
        self.is_running = True
        here.task = self
        try:
            try:
                value, failure = call(), None
            except BaseException as error:
                value, failure = None, Failure(error)
            self.settle(value, failure)
        finally:
            here.task = before
            del self, call  # this frame lives as long as the traceback of an error

    def cancel(self) -> bool:
        """Keep the call from being made; False if it is too late for that."""
        foreign = self.foreign
        if foreign is not None and not foreign.cancel():
            return self.is_cancelled
        if not self.take():
            return foreign is not None or self.is_cancelled
        self.settle(None, Failure(cancelled(self.name)))
        return True

    def settle(self, value: Any, failure: Failure | None) -> None:
        """Say what came of the task; only who has the ticket may."""
        todo: list[Outcome] = [(self, value, failure)]
        while todo:  # and no recursion: chains are long
            task, value, failure = todo.pop()
            task.value, task.failure = value, failure
            if failure is not None and not failure.is_expected and not task.is_cancelled:
                _unseen[id(task)] = weakref.ref(task)
            todo += task._follow()
            task.call = task.foreign = None
            task.after = ()
            task.is_running = False
            task.is_done = True
            todo += task._follow()
            task._call_back()

    def before_done(self, step: Callable[[], Outcome | None]) -> None:
        """Call ``step`` when the value is there, before anybody who waits is told.

        It may give what came of another task by that, whose ticket it has.
        """
        self._early.append(step)
        if self.is_done:
            for task, value, failure in self._follow():
                task.settle(value, failure)

    def _follow(self) -> list[Outcome]:
        """Take the steps that come before the task is done; gives the tasks that they ended."""
        found = []
        while self._early:
            try:
                step = self._early.popleft()
            except IndexError:
                break
            outcome = step()
            if outcome is not None:
                found.append(outcome)
        return found

    def when_done(self, callback: Callable[[], Any]) -> None:
        """Call ``callback`` when the task is done: in the thread that did it, or now."""
        self._callbacks.append(callback)
        if self.is_done:
            self._call_back()

    def forget(self, callback: Callable[[], Any]) -> None:
        """Do not call ``callback``, unless that was done already."""
        try:
            self._callbacks.remove(callback)
        except ValueError:
            return

    def _call_back(self) -> None:
        while self._callbacks:
            try:
                callback = self._callbacks.popleft()
            except IndexError:
                return
            try:
                callback()
            except BaseException as error:
                tell(Failure(error), f"a callback of {self.name}")

    def seen(self) -> Failure | None:
        """The failure, for somebody who will tell of it."""
        _unseen.pop(id(self), None)
        return self.failure

    def __del__(self) -> None:
        if _unseen.pop(id(self), None) is not None and self.failure is not None:
            tell(self.failure, f"nobody has looked at the error of {self.name}")


Outcome: TypeAlias = tuple[Task, Any, Failure | None]
"""A task, and what came of it."""


def cancelled(name: str) -> TaskCancelled:
    """The error of a task that was cancelled."""
    return TaskCancelled(
        f"{name} was cancelled, so there are no elements; submit it anew if they are needed"
    )


def tell(failure: Failure, where: str) -> None:
    """Tell of an error that cannot be raised anywhere, as Python tells of those that end threads.

    The name of the thread says what it is about.
    """
    thread = threading.Thread(name=f"onebuf: {where}", daemon=True)
    error = failure.again()
    facts = (type(error), error, error.__traceback__, thread)
    threading.excepthook(threading.ExceptHookArgs(facts))


def _tell_of_all() -> None:
    """The program ends: who has not asked for an error by now never will."""
    for reference in list(_unseen.values()):
        task = reference()
        if task is not None and _unseen.pop(id(task), None) is not None:
            assert task.failure is not None
            tell(task.failure, f"nobody has looked at the error of {task.name}")


def _begin_anew() -> None:
    generation[0] += 1
    _unseen.clear()  # they are the parent's to tell of


atexit.register(_tell_of_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
