"""Steering from outside: compute several buffers at once, see the plan, see and trim memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onebuf.buffer import Buffer
from onebuf.engine import items_for
from onebuf.engine import realize as realize_nodes
from onebuf.machine import CPU, Device, Stats, opened
from onebuf.memory import POOL, PoolStats
from onebuf.scheduler import Item, is_readable

if TYPE_CHECKING:
    from onebuf.scheduler.passes import Kernel


def realize(*buffers: Buffer) -> None:
    """Compute ``buffers`` now, in one schedule."""
    realize_nodes([buffer._node for buffer in buffers])


def schedule(*buffers: Buffer) -> list[Kernel | Item]:
    """What `realize` would do, as kernels and other items, without doing it or taking memory.

    >>> from onebuf import Buffer, config
    >>> with config(eager_numel=0, tier="compile"):
    ...     kernels = schedule(Buffer([1.0, 2.0]) * 2 + 1)
    >>> [(kernel.name, kernel.reason) for kernel in kernels]
    [('multiply + add', 'asked for')]
    """
    nodes = [buffer._node for buffer in buffers]
    return items_for([node for node in nodes if not is_readable(node)])


def memory_stats() -> dict[str, Stats | PoolStats]:
    """Bytes in use, cached and at the peak, for the host and each device that is open.

    Queues of the host share its pool, and are not told apart.

    >>> memory_stats()["CPU"].in_use >= 0
    True
    """
    stats: dict[str, Stats | PoolStats] = {"CPU": POOL.stats()}
    for device in _with_memory_of_their_own():
        stats[device.name] = device.driver.allocator.stats()
    return stats


def trim() -> int:
    """Give cached memory back to the system and the devices; returns how many bytes went."""
    went = POOL.trim()
    for device in _with_memory_of_their_own():
        went += device.driver.allocator.trim()
    return went


def _with_memory_of_their_own() -> list[Device]:
    return [device for device in opened() if device.parts.kind != CPU.parts.kind]
