"""Queues: an in-order command queue, one for downloads, and the events of writes."""

from __future__ import annotations

from typing import Any

from onebuf.backends.opencl.device import ClDevice
from onebuf.backends.opencl.device_events import ClEvent
from onebuf.backends.opencl.memory import QueueAllocator, is_complete
from onebuf.backends.opencl.package import cl, our_errors
from onebuf.machine import DeviceBlock
from onebuf.render.clike import OpenClC


class ClQueue:
    """A command queue that runs in order, a second one for downloads, and the memory of both."""

    def __init__(self, name: str, device: ClDevice) -> None:
        self.name = name
        self.device = device
        self.dialect = OpenClC(device.has_float64, device.is_cpu)
        profiling = cl.command_queue_properties.PROFILING_ENABLE
        with our_errors(f"opening {name}"):
            self.commands = cl.CommandQueue(device.context, device.native, profiling)
            self.transfers = cl.CommandQueue(device.context, device.native, profiling)
        self.allocator = QueueAllocator(name, device)
        self.latest: Any = None
        """The event of the last command that was queued in order."""

    @property
    def is_busy(self) -> bool:
        """Whether a queued command is not complete."""
        return self.latest is not None and not is_complete(self.latest)

    def writers(self, block: DeviceBlock) -> list[Any] | None:
        """The events that a download of a block has to wait for."""
        waits = []
        owner: Any = block
        while isinstance(owner, DeviceBlock):
            if owner.last is not None and not owner.last.is_done:
                waits.append(owner.last.native)
            owner = owner.keeps
        if waits:
            self.commands.flush()  # or they may never start
        return waits or None

    def wrote(self, native: Any, *blocks: DeviceBlock) -> ClEvent:
        """Note that some blocks are written by the command that was queued last."""
        event = ClEvent(native)
        self.latest = native
        for block in blocks:
            owner: Any = block
            while isinstance(owner, DeviceBlock):
                owner.last = event
                owner = owner.keeps
        return event
