"""Lines: where the work of one queue waits, and what is known about whoever writes."""

from __future__ import annotations

from typing import Any

from onebuf.backends.opencl.device import Physical
from onebuf.backends.opencl.events import ClEvent
from onebuf.backends.opencl.memory import QueueAllocator, is_over
from onebuf.backends.opencl.package import cl, told
from onebuf.machine import DeviceBlock
from onebuf.render.clike import OpenClC


class Line:
    """A queue that runs in order, one for downloads that go past it, and the memory of both."""

    def __init__(self, name: str, physical: Physical) -> None:
        self.name = name
        self.physical = physical
        self.dialect = OpenClC(physical.has_float64, physical.is_cpu)
        profiling = cl.command_queue_properties.PROFILING_ENABLE
        with told(f"opening {name}"):
            self.queue = cl.CommandQueue(physical.context, physical.device, profiling)
            self.transfers = cl.CommandQueue(physical.context, physical.device, profiling)
        self.allocator = QueueAllocator(name, physical)
        self.latest: Any = None
        """What was last queued for the queue that runs in order."""

    @property
    def is_busy(self) -> bool:
        """Whether something that was queued is not over."""
        return self.latest is not None and not is_over(self.latest)

    def writers(self, block: DeviceBlock) -> list[Any] | None:
        """What has to be over before a block can be read past the queue."""
        waits = []
        owner: Any = block
        while isinstance(owner, DeviceBlock):
            if owner.last is not None and not owner.last.is_done:
                waits.append(owner.last.native)
            owner = owner.keeps
        if waits:
            self.queue.flush()  # nobody else might
        return waits or None

    def wrote(self, native: Any, *blocks: DeviceBlock) -> ClEvent:
        """Note that some blocks are written by what was queued just now."""
        event = ClEvent(native)
        self.latest = native
        for block in blocks:
            owner: Any = block
            while isinstance(owner, DeviceBlock):
                owner.last = event
                owner = owner.keeps
        return event
