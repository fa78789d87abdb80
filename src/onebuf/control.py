"""Steering from outside: compute several buffers at once, see the plan, see and trim memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onebuf.buffer import Buffer
from onebuf.engine import plan
from onebuf.engine import realize as realize_nodes
from onebuf.memory import POOL, PoolStats
from onebuf.scheduler import Item

if TYPE_CHECKING:
    from onebuf.scheduler.grouping import Group
    from onebuf.scheduler.products import Product


def realize(*buffers: Buffer) -> None:
    """Compute ``buffers`` now, in one schedule."""
    realize_nodes([buffer._node for buffer in buffers])


def schedule(*buffers: Buffer) -> list[Group | Product | Item]:
    """What `realize` would do, as kernels and other items, without doing it or taking memory.

    >>> from onebuf import Buffer, config
    >>> with config(eager_numel=0, tier="compile"):
    ...     kernels = schedule(Buffer([1.0, 2.0]) * 2 + 1)
    >>> [(kernel.name, kernel.reason) for kernel in kernels]
    [('multiply + add', 'asked for')]
    """
    return plan([buffer._node for buffer in buffers], dry=True)


def memory_stats() -> dict[str, PoolStats]:
    """Bytes in use, cached and at the peak, for each device.

    >>> sorted(memory_stats())
    ['CPU']
    """
    return {"CPU": POOL.stats()}


def trim() -> int:
    """Give cached memory back to the system; returns how many bytes went."""
    return POOL.trim()
