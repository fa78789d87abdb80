"""A caching allocator for any device: freed memory is kept in size classes and used again.

Memory of a device is slow to allocate and to free, and programs ask for the same sizes again. Work
on a device is queued in order, so memory may be used again before the work on it is complete: the
next use is queued behind it.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import Any

from onebuf.errors import DeviceError, OutOfMemory
from onebuf.machine.blocks import DeviceBlock, negative_size
from onebuf.machine.driver import Stats
from onebuf.machine.process import PROCESS

LEAST_CLASS = 256
"""Bytes of the smallest size class."""


def size_class(nbytes: int) -> int:
    """The size that is allocated: the next of four steps between powers of two.

    >>> [size_class(n) for n in (0, 1, 257, 1000, 1025, 5000)]
    [256, 256, 320, 1024, 1280, 5120]
    """
    if nbytes <= LEAST_CLASS:
        return LEAST_CLASS
    step = 1 << (nbytes - 1).bit_length() - 3
    return -(-nbytes // step) * step


class CachingAllocator:
    """Memory from ``get(nbytes)``, which raises MemoryError when there is none; ``drop`` frees it.

    At most ``cap`` bytes are in use, at most ``cache_limit`` cached. Memory that ``survives_fork``
    is valid in a child process too. Other memory belongs to the parent, and a child does not touch
    it.
    """

    def __init__(
        self,
        name: str,
        get: Callable[[int], Any],
        drop: Callable[[Any], None],
        cap: int | None = None,
        cache_limit: int = 1 << 30,
        survives_fork: bool = False,
    ) -> None:
        self.name = name
        self.cap = cap
        self.cache_limit = cache_limit
        self._get = get
        self._drop = drop
        self._survives_fork = survives_fork
        self._process = PROCESS  # blocks may be given back when the module's names are gone
        self._abandoned = _abandoned
        self._pid = PROCESS.pid
        self._lock = threading.RLock()
        self._free: dict[int, list[Any]] = {}
        self._in_use = self._cached = self._peak = 0
        _allocators.add(self)

    def allocate(self, nbytes: int) -> DeviceBlock:
        """A block of at least ``nbytes`` bytes with undefined content."""
        if nbytes < 0:
            raise negative_size(nbytes)
        if PROCESS.pid != self._pid:
            raise DeviceError(
                f"{self.name} was opened before this process was forked, and has no memory for it; "
                f"open it in the child alone"
            )
        size = LEAST_CLASS if nbytes <= LEAST_CLASS else size_class(nbytes)
        with self._lock:
            memory = self._take(size, nbytes)
            self._in_use = in_use = self._in_use + size
            if in_use > self._peak:
                self._peak = in_use
        return DeviceBlock(memory, nbytes, lambda memory: self._give_back(memory, size))

    def _take(self, size: int, nbytes: int) -> Any:
        if self.cap is not None and self._in_use + size > self.cap:
            raise self._out_of_memory(nbytes, f"the cap of {self.cap} bytes")
        kept = self._free.get(size)
        if kept:
            self._cached -= size
            return kept.pop()
        try:
            return self._get(size)
        except MemoryError:
            self.trim()
        try:
            return self._get(size)
        except MemoryError as error:
            raise self._out_of_memory(nbytes, f"what the device has ({error})") from None

    def _give_back(self, memory: Any, size: int) -> None:
        if self._process.pid != self._pid:
            # The parent's: it stays referenced, so that no finaliser frees it here.
            self._abandoned.append(memory)
            return
        with self._lock:
            self._in_use -= size
            if self._cached + size <= self.cache_limit:
                self._free.setdefault(size, []).append(memory)
                self._cached += size
                return
        self._drop(memory)

    def stats(self) -> Stats:
        """Bytes in use, cached and at the peak."""
        return Stats(self._in_use, self._cached, self._peak)

    def trim(self) -> int:
        """Free the cache; returns how many bytes that were."""
        with self._lock:
            kept, self._free = self._free, {}
            went, self._cached = self._cached, 0
        for memories in kept.values():
            for memory in memories:
                self._drop(memory)
        return went

    def _out_of_memory(self, nbytes: int, limit: str) -> OutOfMemory:
        stats = self.stats()
        return OutOfMemory(
            f"{self.name}: needed {nbytes} bytes, which is beyond {limit}; {stats.in_use} bytes "
            f"are in use and {stats.cached} cached; delete buffers that are no longer needed or "
            f"work in parts"
        )

    def _after_fork(self) -> None:
        """Make a new lock: a thread that the child does not have may hold the old one."""
        self._lock = threading.RLock()
        if self._survives_fork:
            self._pid = PROCESS.pid


_allocators: weakref.WeakSet[CachingAllocator] = weakref.WeakSet()
_abandoned: list[Any] = []


def _after_fork() -> None:
    for allocator in list(_allocators):
        allocator._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
