"""Steering from outside: compute several buffers at once, see the plan, see and trim memory."""

from __future__ import annotations

from onebuf.buffer import Buffer
from onebuf.engine import realize as realize_nodes
from onebuf.memory import POOL, PoolStats
from onebuf.scheduler import Item
from onebuf.scheduler import schedule as schedule_nodes


def realize(*buffers: Buffer) -> None:
    """Compute ``buffers`` now, in one schedule."""
    realize_nodes([buffer._node for buffer in buffers])


def schedule(*buffers: Buffer) -> list[Item]:
    """What `realize` would do, as a list of items, without doing it or taking memory.

    >>> from onebuf import Buffer, config
    >>> with config(eager_numel=0):
    ...     items = schedule(Buffer([1.0, 2.0]) * 2 + 1)
    >>> [(item.kind.value, item.reason) for item in items]
    [('elementwise', 'an operand of what was asked for'), ('elementwise', 'asked for')]
    """
    return schedule_nodes([buffer._node for buffer in buffers])


def memory_stats() -> dict[str, PoolStats]:
    """Bytes in use, cached and at the peak, for each device.

    >>> sorted(memory_stats())
    ['CPU']
    """
    return {"CPU": POOL.stats()}


def trim() -> int:
    """Give cached memory back to the system; returns how many bytes went."""
    return POOL.trim()
