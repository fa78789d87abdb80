"""Control of evaluation and memory: realize several buffers, show the plan, trim the pool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onebuf.buffer import Buffer
from onebuf.engine import realize as realize_nodes
from onebuf.engine.plan.decide import items_for
from onebuf.machine import Device, Stats, opened
from onebuf.memory import POOL, PoolStats
from onebuf.scheduler import Item, is_readable

if TYPE_CHECKING:
    from onebuf.scheduler.fuse.multipass import Kernel


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


def memory_stats() -> dict[str, PoolStats | Stats]:
    """Bytes in use, cached and at the peak, for each device that was used.

    >>> memory_stats()["CPU"].in_use >= 0
    True
    """
    return {"CPU": POOL.stats()} | {
        device.name: device.driver.allocator.stats() for device in _others()
    }


def trim() -> int:
    """Give cached memory back, of every device that was used; returns how many bytes went."""
    went: int = sum(device.driver.allocator.trim() for device in _others())
    return went + POOL.trim()


def synchronize() -> None:
    """Return when everything that was queued is over, on every device that was used."""
    for device in _others():
        device.driver.synchronize()


def _others() -> list[Device]:
    """The devices in use here whose memory is not the pool's."""
    return [device for device in opened() if device.parts.kind != "CPU"]
