"""Drivers: the interface of an open device.

A driver allocates memory and transfers bytes. `onebuf.backends.protocols` has those that compute.
Work is queued and may continue after a call has returned; an `Event` says when it is complete.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, runtime_checkable

from onebuf.dtypes import Array
from onebuf.machine.blocks import DeviceBlock


@dataclass(frozen=True, slots=True)
class Facts:
    """A description of a device, for people."""

    description: str
    """Its name and its vendor or library."""
    memory: int | None = None
    """Bytes that it has; None: unknown."""
    queues: int | None = 1
    """How many queues can be opened at the same time; None: any number."""
    limits: dict[str, int] = field(default_factory=dict)
    lacks: tuple[str, ...] = ()
    """The dtypes that it cannot hold or compute with."""


class Stats(NamedTuple):
    """Bytes of an allocator."""

    in_use: int
    """Of blocks that exist."""
    cached: int
    """Freed, and kept to be used again."""
    peak: int
    """The most that were in use at any time."""


class Event(Protocol):
    """Queued work."""

    @property
    def is_done(self) -> bool:
        """Whether it is complete."""

    def wait(self) -> None:
        """Return when it is complete."""

    def times(self) -> tuple[int, int]:
        """When it began and when it ended, in nanoseconds of the device's own clock."""


class Allocator(Protocol):
    """Memory of one device."""

    def allocate(self, nbytes: int) -> DeviceBlock:
        """A block with undefined content."""

    def stats(self) -> Stats:
        """Bytes in use, cached and at the peak."""

    def trim(self) -> int:
        """Free the cache; returns how many bytes that were."""


class Driver(Protocol):
    """An open device."""

    allocator: Allocator
    survives_fork: bool
    """Whether it can be used in a forked child."""

    def facts(self) -> Facts:
        """Its description."""

    def upload(self, data: Array, block: DeviceBlock, offset_bytes: int = 0) -> Event:
        """Begin to copy contiguous bytes of the host, which may change at once, into a block."""

    def download(self, block: DeviceBlock, out: Array, offset_bytes: int = 0) -> Event:
        """Begin to copy from a block into contiguous bytes of the host.

        It waits for the writes of this block, and for nothing else.
        """

    def copy(self, source: DeviceBlock, target: DeviceBlock) -> Event:
        """Begin to copy a block into another of the same driver that is no smaller."""

    def synchronize(self) -> None:
        """Return when everything that was queued is complete."""


@runtime_checkable
class SharingDriver(Driver, Protocol):
    """A device whose memory the host can address."""

    def window(self, block: DeviceBlock) -> Array:
        """The bytes of a block, as an array that shares its memory and keeps it alive."""

    def adopt(self, address: int, nbytes: int, owner: Any = None) -> DeviceBlock:
        """A block on existing memory, which ``owner`` keeps alive."""
