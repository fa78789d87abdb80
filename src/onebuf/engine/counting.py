"""Counters: how much happened in a block of code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from onebuf.events import Allocated, Compiled, Copied, Event, KernelRan, listening


@dataclass(slots=True)
class Counters:
    """What happened since the counters were started, in this thread or task."""

    kernels: int = 0
    """Passes over memory."""
    compiles: int = 0
    """Kernels compiled."""
    copies: int = 0
    """Passes that only moved elements."""
    bytes_copied: int = 0
    """Bytes that they moved."""
    bytes_allocated: int = 0
    """Bytes taken from the pool, reused ones included."""
    peak_bytes: int = 0
    """The most bytes in use at any moment."""

    def hear(self, event: Event) -> None:
        """Count one event."""
        match event:
            case KernelRan():
                self.kernels += 1
            case Compiled():
                self.compiles += 1
            case Copied(nbytes=nbytes):
                self.copies += 1
                self.bytes_copied += nbytes
            case Allocated(nbytes=nbytes, in_use=in_use):
                self.bytes_allocated += nbytes
                self.peak_bytes = max(self.peak_bytes, in_use)


@contextmanager
def counters() -> Iterator[Counters]:
    """Count what happens in a block of code.

    >>> from onebuf import Buffer
    >>> a = Buffer([1.0, 2.0])
    >>> with counters() as c:
    ...     b = (a + 1) * 2
    >>> c.kernels, c.copies
    (2, 0)
    """
    counted = Counters()
    with listening(counted.hear):
        yield counted
