"""Uninterrupted work: code that no signal handler may leave half-done runs on a worker thread.

Signal handlers run on the main thread only, between any two of its instructions. LLVM's objects
have to be freed in order, and llvmlite takes locks in Python, so that an exception in the middle
ends the process or leaves a lock held for ever. The main thread therefore hands such work to the
worker and waits, which can be interrupted. The worker completes the work in any case.

Other threads get no signals and do the work themselves. Meanwhile garbage collection is off: the
program's finalisers would run on the wrong thread, and might wait for a lock of the main thread.
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
"""How often the main thread checks that the worker is still alive."""


class _Job:
    """A function to call, and its result or error."""

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


class _Worker:
    """The thread, which is started at its first job and ends with the process."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    def submit(self, job: _Job) -> bool:
        """Queue a job; False if no thread can be started."""
        with self._starting:
            if self._thread is None or not self._thread.is_alive():
                thread = threading.Thread(target=self._work, name="onebuf-compiler", daemon=True)
                try:
                    thread.start()
                except RuntimeError:
                    return (
                        False  # the interpreter is shutting down, or the system has no more threads
                    )
                self._thread = thread
        self._jobs.put(job)
        return True

    def is_alive(self) -> bool:
        """Whether the thread runs."""
        return self._thread is not None and self._thread.is_alive() and not sys.is_finalizing()

    def wait(self) -> None:
        """Wait until every queued job is done."""
        if self.is_alive():
            job = _Job(lambda: None)
            self._jobs.put(job)
            job.done.acquire()

    def _work(self) -> None:
        jobs = self._jobs
        while True:
            jobs.get().run()


_worker = _Worker()


def _reset() -> None:
    global _worker
    _worker = _Worker()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset)
# LLVM's state is destroyed when the process ends: no job may use it then.
atexit.register(lambda: _worker.wait())


def uninterrupted(function: Callable[P, T]) -> Callable[P, T]:
    """``function``, which runs to its end even if a signal handler raises in its caller."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        if threading.current_thread() is not threading.main_thread() or sys.is_finalizing():
            return function(*args, **kwargs)
        here = copy_context()
        job = _Job(lambda: here.run(function, *args, **kwargs))
        worker = _worker
        if not worker.submit(job):
            return function(*args, **kwargs)
        while not job.done.acquire(timeout=LOOK_SECONDS):
            if worker is not _worker or not worker.is_alive():  # after a fork in a handler
                return function(*args, **kwargs)
        if job.error is not None:
            try:
                raise job.error
            finally:
                job.error = None
        return job.result  # type: ignore[no-any-return]

    return call
