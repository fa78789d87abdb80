"""The null device: kernels are scheduled, lowered, verified and counted, and never run.

Its memory takes no bytes and has no content. It shows the cost of a program without running it:
kernels and bytes in ``device.driver.counts``, memory in the allocator's ``stats()``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np

from onebuf.backends.host_memory import DONE, Done
from onebuf.backends.kernel_launch import linear_program
from onebuf.dtypes import DT, Array
from onebuf.errors import DeviceError
from onebuf.graph import Op
from onebuf.machine import CachingAllocator, Device, DeviceBlock, Facts
from onebuf.scheduler import NOTHING, Item
from onebuf.scheduler.fuse.group import Group
from onebuf.scheduler.fuse.multipass import Kernel


@dataclass(frozen=True, slots=True)
class Counts:
    """The cost of a plan."""

    kernels: int = 0
    """Passes over memory, library calls among them."""
    instances: int = 0
    """Work-items of the kernels."""
    bytes_read: int = 0
    bytes_written: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.kernels + other.kernels,
            self.instances + other.instances,
            self.bytes_read + other.bytes_read,
            self.bytes_written + other.bytes_written,
        )


def counts_of(plan: Sequence[Kernel | Item]) -> Counts:
    """The cost of a whole plan."""
    total = Counts()
    for item in plan:
        total = total + _one(item)
    return total


def _one(item: Kernel | Item) -> Counts:
    if isinstance(item, Item):
        done = int(item.kind != NOTHING)
        return Counts(done, 0, item.bytes_read * done, item.bytes_written * done)
    instances = sum(linear_program(part).instances for part in item.parts)
    return Counts(1, instances, item.bytes_read, item.bytes_written)


def count() -> int:
    """One is listed; NULL:1 and so on exist as well."""
    return 1


def open(device: Device) -> NullDriver:
    """The driver of any device and queue."""
    return NullDriver(device)


def _get(nbytes: int) -> None:
    """No memory."""


def _drop(memory: None) -> None:
    """Nothing to drop."""


class NullDriver:
    """Kernels that are counted instead of run."""

    survives_fork = True

    def __init__(self, device: Device) -> None:
        self.allocator = CachingAllocator(device.name, _get, _drop, survives_fork=True)
        self.counts = Counts()
        """The cost so far; set it to ``Counts()`` to start again."""
        self._name = device.name
        self._lock = Lock()

    def facts(self) -> Facts:
        """Its purpose."""
        return Facts("kernels scheduled and counted, never run: for tests", queues=None)

    def upload(self, data: Array, block: DeviceBlock, offset_bytes: int = 0) -> Done:
        """Ignore the bytes."""
        block.check_range(offset_bytes, data.nbytes)
        return DONE

    def download(self, block: DeviceBlock, out: Array, offset_bytes: int = 0) -> Done:
        """An error, unless no bytes are asked for: there is no content."""
        if not out.nbytes:
            return DONE
        raise DeviceError(
            f"{self._name} computes nothing and holds no elements, so that none can be read; "
            f"do the same on a device that computes, or look at driver.counts"
        )

    def copy(self, source: DeviceBlock, target: DeviceBlock) -> Done:
        """Ignore it."""
        target.check_range(0, source.nbytes)
        return DONE

    def synchronize(self) -> None:
        """Nothing is queued."""

    def unwrap(self, block: DeviceBlock) -> None:
        """There is no memory."""

    def supports(self, op: Op, operands: tuple[DT, ...], result: DT) -> bool:
        """Every operation of the linear form."""
        return True

    def prepare(self, group: Group) -> NullLaunch:
        """A kernel, lowered and verified."""
        instances = linear_program(group).instances
        return NullLaunch(self, Counts(1, instances, group.bytes_read, group.bytes_written))

    def tally(self, counts: Counts) -> None:
        """Add to the counts."""
        with self._lock:
            self.counts = self.counts + counts


class NullLaunch:
    """A kernel that is counted when it is run."""

    def __init__(self, driver: NullDriver, counts: Counts) -> None:
        self._driver = driver
        self._counts = counts

    def run(self, blocks: Sequence[DeviceBlock | None], scalars: Sequence[np.generic]) -> None:
        """Count it; its blocks must not be freed."""
        for block in blocks:
            if block is not None and block.is_freed:
                block.memory  # noqa: B018 - raises
        self._driver.tally(self._counts)
