"""``GlobalCounters``: what has run since the last reset, counted from the events of onebuf."""

from __future__ import annotations

from contextvars import ContextVar

from onebuf.control import memory_stats
from onebuf.events import Event, KernelRan, listen


class Counters:
    """Counts in the thread or task that asks: from the first time that it does, or resets them.

    >>> from onebuf import Buffer
    >>> GlobalCounters.reset()
    >>> x = Buffer([1.0, 2.0]) + 1
    >>> GlobalCounters.kernel_count, GlobalCounters.global_mem
    (1, 16)
    """

    global_ops = float("nan")
    """Not a number, because operations on single elements are not counted."""

    @property
    def kernel_count(self) -> int:
        """Kernels that ran."""
        return _counted().kernels

    @property
    def global_mem(self) -> int:
        """Bytes that they read and wrote."""
        return _counted().nbytes

    @property
    def time_sum_s(self) -> float:
        """Seconds that they took."""
        return _counted().seconds

    @property
    def mem_used(self) -> int:
        """Bytes in use on all devices, now."""
        return sum(self.mem_used_per_device.values())

    @property
    def mem_used_per_device(self) -> dict[str, int]:
        """Bytes in use, now."""
        return {name: stats.in_use for name, stats in memory_stats().items()}

    def reset(self) -> None:
        """Start again from 0; memory in use is what it is."""
        _counted().reset()


class _Counted:
    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.kernels = self.nbytes = 0
        self.seconds = 0.0

    def hear(self, event: Event) -> None:
        if isinstance(event, KernelRan):
            self.kernels += 1
            self.nbytes += event.bytes_read + event.nbytes
            self.seconds += event.seconds


_here: ContextVar[_Counted | None] = ContextVar("counted", default=None)


def _counted() -> _Counted:
    """What was counted in this context; counting starts now if it had not."""
    found = _here.get()
    if found is None:
        _here.set(found := _Counted())
    listen(found.hear)
    return found


GlobalCounters = Counters()
"""What has run."""
