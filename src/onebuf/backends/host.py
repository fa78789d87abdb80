"""The CPU device: memory of the host's pool, which NumPy can use."""

from __future__ import annotations

import ctypes
import os
from typing import Any

import numpy as np

from onebuf.backends.host_memory import HostMemoryDriver
from onebuf.dtypes import Array, uint8
from onebuf.machine import Device, DeviceBlock, Facts, Stats, negative_size
from onebuf.memory import POOL
from onebuf.options import options


class PoolAllocator:
    """Memory of the host's pool, which all queues of the host share."""

    @property
    def cap(self) -> int | None:
        """The most bytes that may be in use: the option ``memory_cap``."""
        return options().memory_cap

    def allocate(self, nbytes: int) -> DeviceBlock:
        """A block with undefined content; its memory is an array of bytes."""
        if nbytes < 0:
            raise negative_size(nbytes)
        return DeviceBlock(POOL.allocate(nbytes).window((nbytes,), uint8), nbytes)

    def stats(self) -> Stats:
        """Bytes of the pool in use, cached and at the peak."""
        pool = POOL.stats()
        return Stats(pool.in_use, pool.cached, pool.peak)

    def trim(self) -> int:
        """Free the cache; returns how many bytes that were."""
        return POOL.trim()


class HostDriver(HostMemoryDriver):
    """The memory of this process."""

    def __init__(self, device: Device) -> None:
        self.allocator = PoolAllocator()

    def facts(self) -> Facts:
        """Its processors and memory."""
        count = _processors()
        told = "one processor" if count == 1 else f"{count} processors"
        return Facts(f"host memory, {told}", _memory(), None)

    def window(self, block: DeviceBlock) -> Array:
        """The bytes of a block, as an array that shares its memory and keeps it alive."""
        return block.memory  # type: ignore[no-any-return]

    def adopt(self, address: int, nbytes: int, owner: Any = None) -> DeviceBlock:
        """A block on existing memory, which ``owner`` keeps alive."""
        memory: Any = (ctypes.c_uint8 * nbytes).from_address(address)
        return DeviceBlock(np.frombuffer(memory, uint8), nbytes, keeps=owner)


def _processors() -> int:
    """How many processors this process may run on, where the system tells."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
