"""Events: transfers and other work that was queued, and when it is over."""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.backends.vulkan.queue import Memory, Queue, Reading

Array = np.ndarray[Any, Any]


class _Untimed:
    """Work whose time nobody took."""

    def times(self) -> tuple[int, int]:
        """The device does not say."""
        return (0, 0)


class Writing(_Untimed):
    """An upload: the bytes were taken, and are on their way."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    @property
    def is_done(self) -> bool:
        """Whether it is over."""
        return self._memory.queue.is_reached(self._memory.signal)

    def wait(self) -> None:
        """Return when it is over."""
        self._memory.queue.settle(self._memory)


class Arriving(_Untimed):
    """A download, which is over when its bytes are where they go."""

    def __init__(self, reading: Reading, out: Array) -> None:
        self._reading = reading
        self._out: Array | None = out

    @property
    def is_done(self) -> bool:
        """Whether it is over; if the bytes have come, they are put where they go."""
        if self._out is not None and self._reading.has_come:
            self.wait()
        return self._out is None

    def wait(self) -> None:
        """Return when it is over."""
        if self._out is not None:
            self._out.reshape(-1).view(np.uint8)[:] = np.frombuffer(self._reading.take(), np.uint8)
            self._out = None


class Queued(_Untimed):
    """Whatever was queued before."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self._mark: int | None = None
        self._is_over = False

    @property
    def is_done(self) -> bool:
        """Whether it is over."""
        if self._is_over:
            return True
        if self._mark is None:
            self._mark = self._queue.mark()
        if self._queue.is_reached(self._mark):
            self._queue.unmark(self._mark)
            self._is_over = True
        return self._is_over

    def wait(self) -> None:
        """Return when it is over."""
        while not self.is_done:
            pass
