"""Memory of a queue: OpenCL buffers, each with the downloads that still read it."""

from __future__ import annotations

from typing import Any

from onebuf.backends.opencl.device import ClDevice
from onebuf.backends.opencl.package import cl
from onebuf.errors import OutOfMemory
from onebuf.machine import CachingAllocator, DeviceBlock


class ClMemory:
    """A buffer, and the events of downloads that read it.

    Kernels of a queue run in order, but downloads run on another queue. The next write waits for
    them, even if the memory belongs to another block by then.
    """

    __slots__ = ("buffer", "nbytes", "reads")

    def __init__(self, buffer: Any, nbytes: int, reads: list[Any] | None = None) -> None:
        self.buffer = buffer
        self.nbytes = nbytes
        self.reads: list[Any] = [] if reads is None else reads

    def pending(self) -> list[Any]:
        """Downloads that are not complete."""
        if not self.reads:
            return self.reads
        self.reads[:] = [read for read in self.reads if not is_complete(read)]
        return self.reads


def is_complete(event: Any) -> bool:
    """Whether queued work is complete, or failed."""
    return bool(event.command_execution_status <= cl.command_execution_status.COMPLETE)


class QueueAllocator(CachingAllocator):
    """The memory of one queue. If it runs out, the caches of all queues of the device are freed."""

    def __init__(self, name: str, device: ClDevice) -> None:
        super().__init__(name, self._create, self._release)
        self.device = device
        device.allocators.append(self)

    def _create(self, nbytes: int) -> ClMemory:
        self.device.reserve(nbytes)
        try:
            buffer = cl.Buffer(self.device.context, cl.mem_flags.READ_WRITE, nbytes)
        except cl.Error as error:
            self.device.release(nbytes)
            raise MemoryError(str(error)) from None
        return ClMemory(buffer, nbytes)

    def _release(self, memory: ClMemory) -> None:
        memory.buffer.release()
        self.device.release(memory.nbytes)

    def allocate(self, nbytes: int) -> DeviceBlock:
        """A block of at least ``nbytes`` bytes with undefined content."""
        try:
            return super().allocate(nbytes)
        except OutOfMemory:
            if not self.trim_all():
                raise
        return super().allocate(nbytes)

    def trim_all(self) -> int:
        """Free the caches of all queues of the device; returns how many bytes that were."""
        return sum(one.trim() for one in self.device.allocators)
