"""Memory of a queue: buffers of OpenCL, and who still reads them."""

from __future__ import annotations

from typing import Any

from onebuf.backends.opencl.device import Physical
from onebuf.backends.opencl.package import cl
from onebuf.errors import OutOfMemory
from onebuf.machine import CachingAllocator, DeviceBlock


class Memory:
    """A buffer, and the events of transfers that read it.

    Kernels of a queue run in order, but downloads go past them. Whoever writes next has to wait for
    these, also if the memory belongs to another block by then.
    """

    __slots__ = ("buffer", "nbytes", "reads")

    def __init__(self, buffer: Any, nbytes: int, reads: list[Any] | None = None) -> None:
        self.buffer = buffer
        self.nbytes = nbytes
        self.reads: list[Any] = [] if reads is None else reads

    def pending(self) -> list[Any]:
        """Reads that are not over."""
        if not self.reads:
            return self.reads
        self.reads[:] = [read for read in self.reads if not is_over(read)]
        return self.reads


def is_over(event: Any) -> bool:
    """Whether what was queued is over, or failed."""
    return bool(event.command_execution_status <= cl.command_execution_status.COMPLETE)


class QueueAllocator(CachingAllocator):
    """The memory of one queue; short of memory, what other queues of the device keep is let go."""

    def __init__(self, name: str, physical: Physical) -> None:
        super().__init__(name, self._create, self._release)
        self.physical = physical
        physical.memories.append(self)

    def _create(self, nbytes: int) -> Memory:
        self.physical.take(nbytes)
        try:
            buffer = cl.Buffer(self.physical.context, cl.mem_flags.READ_WRITE, nbytes)
        except cl.Error as error:
            self.physical.leave(nbytes)
            raise MemoryError(str(error)) from None
        return Memory(buffer, nbytes)

    def _release(self, memory: Memory) -> None:
        memory.buffer.release()
        self.physical.leave(memory.nbytes)

    def allocate(self, nbytes: int) -> DeviceBlock:
        """A block of at least ``nbytes`` bytes with undefined content."""
        try:
            return super().allocate(nbytes)
        except OutOfMemory:
            if not self.trim_all():
                raise
        return super().allocate(nbytes)

    def trim_all(self) -> int:
        """Let go of what all queues of the device keep; returns how many bytes went."""
        return sum(one.trim() for one in self.physical.memories)
