"""Threads: a kernel's indices are shared out to all cores.

Workers are Python threads that go into compiled code once, without the interpreter's lock, and stay
there: they look for work for a moment, then sleep, and end with the process.
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from threading import Lock, Thread

from onebuf.backends.cpu.compiler import Program
from onebuf.backends.cpu.loader import load, lock
from onebuf.backends.cpu.native_call import Call, as_call
from onebuf.backends.cpu.object_code import key_of, make_object
from onebuf.backends.cpu.target import host
from onebuf.backends.cpu.thread_pool import crew_ir, has_futex
from onebuf.backends.cpu.uninterrupted import sheltered
from onebuf.errors import ArgumentError
from onebuf.options import options

SPINS = 2000
"""How often a worker looks for work before it sleeps: some 50 us."""
MOST_THREADS = 1024
"""More would only stand in each other's way."""


class Crew:
    """Threads that share the work of one caller at a time; a second caller works alone.

    ``futex``: sleep on words of memory, as Linux can; otherwise with a condition variable. A crew
    lives for ever, because its workers do.
    """

    @sheltered
    def __init__(self, futex: bool) -> None:
        target = host()
        ir = crew_ir(target, futex)
        with lock:
            made = make_object(ir, "run", target, key_of(ir, target))
            self._code = load(made.content, ["reset", "set_spins", "worker", "run"])
            self.run: Call = as_call(self._code.address("run"), self._code, 6)
            self.begin()
            _crews.append(self)

    def begin(self) -> None:
        """Have no workers, as at first; or as in the child of a fork, where none is left."""
        self.workers = 0
        self._wanted = 0
        self._lock = Lock()
        ctypes.CFUNCTYPE(None)(self._code.address("reset"))()

    def grow(self, threads: int) -> None:
        """Have workers enough for ``threads`` threads, the caller's included, if possible."""
        if threads - 1 > self._wanted:
            self._grow(threads)

    @sheltered
    def _grow(self, threads: int) -> None:
        with self._lock:
            self._wanted = max(self._wanted, threads - 1)
            # Who looks for work on a core that a thread with work needs only slows it down.
            spins = SPINS if self._wanted < cores() else 0
            ctypes.CFUNCTYPE(None, ctypes.c_int32)(self._code.address("set_spins"))(spins)
            worker = ctypes.CFUNCTYPE(None)(self._code.address("worker"))
            while self.workers < self._wanted:
                try:
                    Thread(target=worker, name=f"onebuf-{self.workers + 1}", daemon=True).start()
                except RuntimeError:
                    return  # no thread is to be had: those who are there do the work
                self.workers += 1


_crews: list[Crew] = []
"""All that were made, for the child of a fork to begin anew."""
_chosen: Crew | None = None
"""The crew that `run` uses, once it has."""


def run(program: Program, args_address: int, count: int, grain: int, begin: int = 0) -> None:
    """Run ``program`` on the indices up to ``count``, on as many threads as the options allow.

    Each call of it gets a multiple of ``grain`` indices, except for the last one. They come in no
    order, and at the same time.
    """
    call, arguments = shared(program, args_address, count, grain, begin)
    call(*arguments)


def shared(
    program: Program, args_address: int, count: int, grain: int, begin: int = 0
) -> tuple[Call, tuple[int, ...]]:
    """What `run` calls in the end, and with which arguments."""
    if grain < 1:
        raise ArgumentError(f"run needs a grain of at least 1, got {grain}")
    threads = options().threads
    if threads is None:
        threads = cores()
    crew = None if count - begin <= grain or threads < 2 else _crew()
    if crew is None:
        return program.call, (args_address, begin, count)
    threads = min(threads, MOST_THREADS)
    crew.grow(threads)
    return crew.run, (program.address, args_address, begin, count, grain, threads)


@cache
def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "process_cpu_count"):
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _crew() -> Crew | None:
    """The crew of this process; None where the system has no way to sleep that we know."""
    if _chosen is None and sys.platform != "win32":
        _choose()
    return _chosen


@sheltered
def _choose() -> None:
    global _chosen
    with lock:
        if _chosen is None:
            _chosen = Crew(has_futex(host()))


def _after_fork_in_child() -> None:
    cores.cache_clear()
    for crew in _crews:
        crew.begin()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
