"""Counters: how much happened in a block of code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from onebuf.events import (
    Allocated,
    Compiled,
    Copied,
    Event,
    FellBack,
    KernelRan,
    Moved,
    Transferred,
    listening,
)
from onebuf.graph import here
from onebuf.memory import POOL


@dataclass(slots=True)
class Counters:
    """What happened since the counters were started, in this thread or task."""

    kernels: int = 0
    """Passes over memory."""
    compiles: int = 0
    """Kernels compiled."""
    fallbacks: int = 0
    """Graphs and operations that were interpreted because of a mistake in onebuf."""
    copies: int = 0
    """Passes that only moved elements."""
    bytes_copied: int = 0
    """Bytes that they moved."""
    bytes_allocated: int = 0
    """Bytes taken from the pool, reused ones included."""
    peak_bytes: int = 0
    """The most bytes in use at any moment."""
    bytes_read: int = 0
    """Bytes that kernels read, each operand counted once for each kernel."""
    bytes_written: int = 0
    """Bytes that kernels wrote."""
    transfers: int = 0
    """Copies from one device to another."""
    bytes_transferred: int = 0
    """Bytes that they moved."""
    moves: int = 0
    """How often elements went from one place of a runtime to another."""
    bytes_between_places: int = 0
    """Bytes of them."""
    transferred: list[Transferred] = field(default_factory=list)
    """Each transfer: its bytes, from where to where, and the line of the program that asked."""
    copied: list[Copied] = field(default_factory=list)
    """Each copy: its bytes, its reason, and the line of the program that asked for it."""
    _at_end: int | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def bytes_moved(self) -> int:
        """Bytes that kernels read and wrote."""
        return self.bytes_read + self.bytes_written

    @property
    def bytes_in_use(self) -> int:
        """Bytes of the pool in use: now, or when the block ended."""
        return POOL.stats().in_use if self._at_end is None else self._at_end

    def hear(self, event: Event) -> None:
        """Count one event."""
        match event:
            case KernelRan(nbytes=nbytes, bytes_read=bytes_read):
                self.kernels += 1
                self.bytes_read += bytes_read
                self.bytes_written += nbytes
            case Compiled():
                self.compiles += 1
            case FellBack():
                self.fallbacks += 1
            case Copied(nbytes=nbytes, origin=origin):
                self.copies += 1
                self.bytes_copied += nbytes
                self.copied.append(event if origin else event._replace(origin=here()))
            case Transferred(nbytes=nbytes, origin=origin):
                self.transfers += 1
                self.bytes_transferred += nbytes
                self.transferred.append(event if origin else event._replace(origin=here()))
            case Moved(nbytes=nbytes, target=target) if target is not None:
                self.moves += 1
                self.bytes_between_places += nbytes
            case Allocated(nbytes=nbytes, in_use=in_use):
                self.bytes_allocated += nbytes
                self.peak_bytes = max(self.peak_bytes, in_use)

    def end(self) -> None:
        """Keep what is in use now."""
        self._at_end = POOL.stats().in_use


@contextmanager
def counters() -> Iterator[Counters]:
    """Count what happens in a block of code.

    >>> from onebuf import Buffer
    >>> a = Buffer([1.0, 2.0])
    >>> with counters() as c:
    ...     b = (a + 1) * 2
    >>> c.kernels, c.copies, c.bytes_moved
    (2, 0, 32)
    """
    counted = Counters()
    try:
        with listening(counted.hear):
            yield counted
    finally:
        counted.end()
