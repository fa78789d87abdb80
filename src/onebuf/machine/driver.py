"""Drivers: what a device does once it is open.

A driver gives memory and moves bytes. Those that compute do more: `onebuf.backends.protocols` says
what. Work is queued and may go on after a call has returned; an `Event` tells when it is over.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from onebuf.machine.blocks import DeviceBlock

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Facts:
    """What there is to know about a device, for people."""

    description: str
    """Whose it is and what it is called there."""
    memory: int | None = None
    """Bytes that it has; None: nobody knows."""
    queues: int | None = 1
    """How many queues can be opened at the same time; None: any number."""
    limits: dict[str, int] = field(default_factory=dict)
    lacks: tuple[str, ...] = ()
    """The dtypes that it cannot hold or compute with."""


class Stats(NamedTuple):
    """Bytes of an allocator."""

    in_use: int
    """Given out."""
    cached: int
    """Given back, and kept for the next who asks."""
    peak: int
    """The most that was ever in use."""


class Event(Protocol):
    """Work that was queued."""

    @property
    def is_done(self) -> bool:
        """Whether it is over."""

    def wait(self) -> None:
        """Return when it is over."""

    def times(self) -> tuple[int, int]:
        """When it began and when it ended, in nanoseconds of the device's own clock."""


class Allocator(Protocol):
    """Memory of one device."""

    def allocate(self, nbytes: int) -> DeviceBlock:
        """A block with undefined content."""

    def stats(self) -> Stats:
        """Bytes in use, cached and at the peak."""

    def trim(self) -> int:
        """Give cached memory back to the device; returns how many bytes went."""


class Driver(Protocol):
    """An open device."""

    allocator: Allocator
    survives_fork: bool
    """Whether a child process may go on using it."""

    def facts(self) -> Facts:
        """What there is to know about it."""

    def upload(self, data: Array, block: DeviceBlock, offset_bytes: int = 0) -> Event:
        """Begin to copy contiguous bytes of the host into a block; they may change at once."""

    def download(self, block: DeviceBlock, out: Array, offset_bytes: int = 0) -> Event:
        """Begin to copy from a block into contiguous bytes of the host.

        It comes after what was queued for this block, and waits for nothing else.
        """

    def copy(self, source: DeviceBlock, target: DeviceBlock) -> Event:
        """Begin to copy a block into another of the same driver that is no smaller."""

    def synchronize(self) -> None:
        """Return when everything that was queued is over."""


@runtime_checkable
class SharingDriver(Driver, Protocol):
    """A device whose memory the host can reach by itself."""

    def window(self, block: DeviceBlock) -> Array:
        """The bytes of a block, shared with it: whoever holds them keeps their memory alive."""

    def adopt(self, address: int, nbytes: int, owner: Any = None) -> DeviceBlock:
        """A block on somebody else's memory, which ``owner`` keeps where it is."""
