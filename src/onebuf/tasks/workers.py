"""Workers: the threads that run tasks.

They are started when there is something to do, up to `MOST_WORKERS`, and end when there was nothing
to do for a while. They are daemons: a program that ends does not wait for a task that may never
end. Tasks that have not begun by then are dropped, and who asks for one is told so.

A task may wait for others, and so use up a worker without working. If all of them wait, and there
are tasks that have not begun, one more thread is started. So tasks that wait for one another's
results come to an end with any number of workers, unless they wait in a circle
(`onebuf.tasks.waiting`).
"""

from __future__ import annotations

import atexit
import os
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

from onebuf.errors import TaskError
from onebuf.tasks.failure import Failure
from onebuf.tasks.task import Task, here

MOST_WORKERS = min(32, (os.cpu_count() or 1) + 4)
IDLE_SECONDS = 10.0
"""A worker that had nothing to do for so long ends."""


class Workers:
    """Some threads, and the tasks that they are to run, in the order in which these came.

    ``most`` is how many threads work at a time.
    """

    def __init__(self, most: int = MOST_WORKERS) -> None:
        self.tasks: deque[Task] = deque()
        self._most = most
        self._places = deque([True] * most)
        """A token for each thread that may still be started."""
        self._idle: deque[threading.Lock] = deque()
        """For each thread that waits for a task, what it waits at; who opens it takes it out."""
        self._busy: set[int] = set()
        """The threads that run a task, and do not wait in it, by a number of ours."""
        self._numbers = count(1)
        self._is_closed = False
        self._closing = [True]

    def put(self, task: Task) -> None:
        """Let ``task`` be run."""
        self.tasks.append(task)
        if self._is_closed:
            self._drop()
        else:
            self._wake()

    def _wake(self) -> None:
        """Let a thread look for a task: one that waits, or a new one if there may be one more.

        If there may not, then those that work will look when they are through; if none works,
        because all of them wait for tasks, then there is one more thread after all.
        """
        try:
            self._idle.pop().release()
            return
        except IndexError:
            has_place = True
        try:
            self._places.pop()
        except IndexError:
            has_place = False
        if has_place or not self._busy:
            self._start(has_place)

    def _start(self, has_place: bool) -> None:
        number = next(self._numbers)
        self._busy.add(number)
        thread = threading.Thread(
            target=self._work, args=(number, has_place), name=f"onebuf-task-{number}", daemon=True
        )
        try:
            thread.start()
        except RuntimeError as error:  # the system has no more threads, or the interpreter ends
            self._busy.discard(number)
            if has_place:
                self._places.append(True)
            if not self._busy and not self._idle:
                self._drop(f"no thread could be started to run it ({error})")

    def _work(self, number: int, has_place: bool) -> None:
        here.worker = number
        try:
            while True:
                task = self._next(number, has_place)
                if task is None:
                    return
                task.run()
                del task
        finally:
            self._busy.discard(number)
            if has_place:
                self._places.append(True)
            if self.tasks:  # which came when this thread had stopped looking
                self._wake()

    def _next(self, number: int, has_place: bool) -> Task | None:
        """The next task; None: this thread is to end."""
        while has_place or len(self._busy) <= self._most:
            try:
                return self.tasks.popleft()
            except IndexError:
                if not has_place:
                    return None
            self._busy.discard(number)
            gate = threading.Lock()
            gate.acquire()
            self._idle.append(gate)
            seconds = 0.0 if self.tasks else IDLE_SECONDS  # one came before this could be woken
            if not gate.acquire(timeout=seconds):
                try:
                    self._idle.remove(gate)
                except ValueError:
                    gate.acquire()  # who took it out is about to open it
                else:
                    if not self.tasks:
                        return None
            self._busy.add(number)
        return None

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """While this thread waits for a task: if it is a worker, it does not count as working."""
        number: int | None = getattr(here, "worker", None)
        if number is None or number not in self._busy:
            yield
            return
        self._busy.discard(number)
        if self.tasks and not self._busy and not self._is_closed:
            self._wake()
        try:
            yield
        finally:
            self._busy.add(number)

    def close(self) -> None:
        """Run no more tasks than those that run."""
        self._is_closed = True
        self._drop()

    def _drop(self, why: str = "the program ends, and it had not begun") -> None:
        """Let no task wait for a thread; those that depend on one of them come here, too."""
        while self.tasks:
            try:
                self._closing.pop()  # a thread at a time, and none inside of itself
            except IndexError:
                return
            try:
                while self.tasks:
                    self._drop_one(self.tasks.popleft(), why)
            except IndexError:
                continue  # a worker was faster
            finally:
                self._closing.append(True)

    @staticmethod
    def _drop_one(task: Task, why: str) -> None:
        if task.take():
            error = TaskError(f"{task.name} was not run: {why}")
            task.settle(None, Failure(error, is_expected=True))


_workers = [Workers()]


def start(task: Task) -> None:
    """Let one of the workers run ``task``."""
    _workers[0].put(task)


def workers() -> Workers:
    """The threads of this process."""
    return _workers[0]


def _begin_anew() -> None:
    _workers[0] = Workers()
    here.__dict__.pop("worker", None)


def _close() -> None:
    _workers[0].close()


atexit.register(_close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
