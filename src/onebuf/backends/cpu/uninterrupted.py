"""Shelter: work that no interrupt may end half-way is done on a thread of its own.

Signal handlers run on the main thread only, between any two of its instructions. LLVM's objects
have to be freed in order, and llvmlite takes locks in Python, so an exception in the middle of that
ends the process or leaves a lock taken for ever. The main thread therefore hands such work over and
waits, which can be interrupted. The work then comes to its orderly end without it.

Other threads get no signals and do the work themselves. Meanwhile no garbage is collected: the
program's finalisers would run on the wrong thread, and might wait for what the main thread holds.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading
from collections.abc import Callable
from contextvars import copy_context
from functools import wraps
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

LOOK_SECONDS = 1.0
"""How often the main thread looks whether anybody is still there to do its work."""


class _Job:
    """Work, and what came of it."""

    __slots__ = ("work", "done", "result", "error")

    def __init__(self, work: Callable[[], Any]) -> None:
        self.work = work
        self.done = threading.Lock()
        self.done.acquire()
        self.result: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        collects = gc.isenabled()
        gc.disable()
        try:
            self.result = self.work()
        except BaseException as error:
            self.error = error
        finally:
            if collects:
                gc.enable()
            self.done.release()


class _Shelter:
    """The thread, which is started when it is first needed and ends with the process."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    def submit(self, job: _Job) -> bool:
        """Have a job done; False if there is no thread for it."""
        with self._starting:
            if self._thread is None or not self._thread.is_alive():
                thread = threading.Thread(target=self._work, name="onebuf-compiler", daemon=True)
                try:
                    thread.start()
                except RuntimeError:
                    return False  # the interpreter ends, or the system has no more
                self._thread = thread
        self._jobs.put(job)
        return True

    def is_there(self) -> bool:
        """Whether the thread still works."""
        return self._thread is not None and self._thread.is_alive() and not sys.is_finalizing()

    def wait(self) -> None:
        """Wait until everything that was handed over is done."""
        if self.is_there():
            job = _Job(lambda: None)
            self._jobs.put(job)
            job.done.acquire()

    def _work(self) -> None:
        jobs = self._jobs
        while True:
            jobs.get().run()


_shelter = _Shelter()


def _begin_anew() -> None:
    global _shelter
    _shelter = _Shelter()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
# What LLVM needs is taken down when the process ends, so nobody should be using it by then.
atexit.register(lambda: _shelter.wait())


def sheltered(function: Callable[P, T]) -> Callable[P, T]:
    """Let ``function`` come to its end, once it has begun, whatever interrupts its caller."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        if threading.current_thread() is not threading.main_thread() or sys.is_finalizing():
            return function(*args, **kwargs)
        here = copy_context()
        job = _Job(lambda: here.run(function, *args, **kwargs))
        shelter = _shelter
        if not shelter.submit(job):
            return function(*args, **kwargs)
        while not job.done.acquire(timeout=LOOK_SECONDS):
            if shelter is not _shelter or not shelter.is_there():  # after a fork in a handler
                return function(*args, **kwargs)
        if job.error is not None:
            try:
                raise job.error
            finally:
                job.error = None
        return job.result  # type: ignore[no-any-return]

    return call
