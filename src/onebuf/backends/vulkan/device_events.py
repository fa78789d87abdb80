"""Events: transfers and other queued work, and whether it is complete."""

from __future__ import annotations

import numpy as np

from onebuf.backends.vulkan.queue import PendingRead, VulkanMemory, VulkanQueue
from onebuf.dtypes import Array


class _Untimed:
    """Work without time stamps."""

    def times(self) -> tuple[int, int]:
        """Zeros: vkdispatch has no time stamps."""
        return (0, 0)


class Upload(_Untimed):
    """An upload, whose bytes were copied to staging memory."""

    def __init__(self, memory: VulkanMemory) -> None:
        self._memory = memory

    @property
    def is_done(self) -> bool:
        """Whether it is complete."""
        return self._memory.queue.is_reached(self._memory.signal)

    def wait(self) -> None:
        """Return when it is complete."""
        self._memory.queue.settle(self._memory)


class Download(_Untimed):
    """A download, which is complete when its bytes are in their array."""

    def __init__(self, read: PendingRead, out: Array) -> None:
        self._read = read
        self._out: Array | None = out

    @property
    def is_done(self) -> bool:
        """Whether it is complete; bytes that have arrived are copied into their array."""
        if self._out is not None and self._read.has_come:
            self.wait()
        return self._out is None

    def wait(self) -> None:
        """Return when it is complete."""
        if self._out is not None:
            self._out.reshape(-1).view(np.uint8)[:] = np.frombuffer(self._read.take(), np.uint8)
            self._out = None


class QueueMark(_Untimed):
    """Everything that was queued before it."""

    def __init__(self, queue: VulkanQueue) -> None:
        self._queue = queue
        self._mark: int | None = None
        self._is_over = False

    @property
    def is_done(self) -> bool:
        """Whether it is complete."""
        if self._is_over:
            return True
        if self._mark is None:
            self._mark = self._queue.mark()
        if self._queue.is_reached(self._mark):
            self._queue.unmark(self._mark)
            self._is_over = True
        return self._is_over

    def wait(self) -> None:
        """Return when it is complete."""
        while not self.is_done:
            pass
