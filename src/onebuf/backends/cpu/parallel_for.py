"""Parallel for: the indices of a kernel, divided among the threads of a pool.

Workers are Python threads that enter compiled code once, release the GIL, and stay there: they spin
for a moment, then sleep until there is a job, and end with the process.
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from threading import Lock, Thread

from onebuf.backends.cpu.compiler import Program
from onebuf.backends.cpu.loader import load, lock
from onebuf.backends.cpu.native_call import NativeCall, as_call
from onebuf.backends.cpu.object_code import key_of, make_object
from onebuf.backends.cpu.target import host
from onebuf.backends.cpu.thread_pool import has_futex, pool_ir
from onebuf.backends.cpu.uninterrupted import uninterrupted
from onebuf.errors import ArgumentError
from onebuf.options import options

SPINS = 2000
"""How often a worker looks for a job before it sleeps: some 50 us."""
MOST_THREADS = 1024
"""More threads would not make a kernel faster."""


class ThreadPool:
    """Threads that run the jobs of one caller at a time; a second caller runs its own alone.

    ``futex``: sleep with a futex, as on Linux; otherwise with a condition variable. A pool lives
    for ever, because its workers do.
    """

    @uninterrupted
    def __init__(self, futex: bool) -> None:
        target = host()
        ir = pool_ir(target, futex)
        with lock:
            made = make_object(ir, "run", target, key_of(ir, target))
            self._code = load(made.content, ["reset", "set_spins", "worker", "run"])
            self.run: NativeCall = as_call(self._code.address("run"), self._code, 6)
            self.begin()
            _pools.append(self)

    def begin(self) -> None:
        """Start without workers, at first and in the child of a fork, where there are none."""
        self.workers = 0
        self._wanted = 0
        self._lock = Lock()
        ctypes.CFUNCTYPE(None)(self._code.address("reset"))()

    def grow(self, threads: int) -> None:
        """Start workers for ``threads`` threads, the caller included, if possible."""
        if threads - 1 > self._wanted:
            self._grow(threads)

    @uninterrupted
    def _grow(self, threads: int) -> None:
        with self._lock:
            self._wanted = max(self._wanted, threads - 1)
            # With more threads than cores, a spinning worker would delay one that has work.
            spins = SPINS if self._wanted < cores() else 0
            ctypes.CFUNCTYPE(None, ctypes.c_int32)(self._code.address("set_spins"))(spins)
            worker = ctypes.CFUNCTYPE(None)(self._code.address("worker"))
            while self.workers < self._wanted:
                try:
                    Thread(target=worker, name=f"onebuf-{self.workers + 1}", daemon=True).start()
                except RuntimeError:
                    return  # the system has no more threads: those that exist do the work
                self.workers += 1


_pools: list[ThreadPool] = []
"""All pools, to be reset in the child of a fork."""
_chosen: ThreadPool | None = None
"""The pool that `run` uses, made at its first use."""


def run(program: Program, args_address: int, count: int, grain: int, begin: int = 0) -> None:
    """Run ``program`` on the indices up to ``count``, on as many threads as the options allow.

    Each call of it gets a multiple of ``grain`` indices, except for the last one. The calls run
    concurrently, in any order.
    """
    call, arguments = shared(program, args_address, count, grain, begin)
    call(*arguments)


def shared(
    program: Program, args_address: int, count: int, grain: int, begin: int = 0
) -> tuple[NativeCall, tuple[int, ...]]:
    """The native call that `run` makes, and its arguments."""
    if grain < 1:
        raise ArgumentError(f"run needs a grain of at least 1, got {grain}")
    threads = options().threads
    if threads is None:
        threads = cores()
    pool = None if count - begin <= grain or threads < 2 else _pool()
    if pool is None:
        return program.call, (args_address, begin, count)
    threads = min(threads, MOST_THREADS)
    pool.grow(threads)
    return pool.run, (program.address, args_address, begin, count, grain, threads)


@cache
def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "process_cpu_count"):
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _pool() -> ThreadPool | None:
    """The pool of this process; None on systems without futexes and pthreads."""
    if _chosen is None and sys.platform != "win32":
        _choose()
    return _chosen


@uninterrupted
def _choose() -> None:
    global _chosen
    with lock:
        if _chosen is None:
            _chosen = ThreadPool(has_futex(host()))


def _after_fork_in_child() -> None:
    cores.cache_clear()
    for pool in _pools:
        pool.begin()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
