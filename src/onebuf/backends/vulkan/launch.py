"""Launches: a kernel with everything that does not change from run to run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from onebuf.backends.vulkan.package import Physical
from onebuf.backends.vulkan.queue import Memory as QueueMemory
from onebuf.backends.vulkan.queue import Queue
from onebuf.backends.vulkan.workgroups import share
from onebuf.errors import ArgumentError, IndexRangeError, OnebufError
from onebuf.graph import TAKE
from onebuf.kernel.linear import Limits, Opt
from onebuf.machine import Allocator, DeviceBlock, Event
from onebuf.render.clike import Check, Memory, Scalar, render
from onebuf.render.clike.glsl import Glsl, arguments
from onebuf.scheduler.fuse.group import Group

Array = np.ndarray[Any, Any]

MOST_MEMORIES = 16
"""How many memories a program has at most: vkdispatch does not say how many a device takes, and
those that take fewer are rare."""
ALIGNMENT = 8
"""Bytes: parts of a memory begin with whole elements of any dtype."""


class Home(Protocol):
    """What a launch asks of the driver that it belongs to."""

    physical: Physical
    limits: Limits
    turns: int | None
    has_float64: bool

    @property
    def allocator(self) -> Allocator:
        """Where memory for a run comes from."""

    @property
    def queue(self) -> Queue:
        """The queue that programs are submitted to."""

    def upload(self, data: Array, block: DeviceBlock, offset_bytes: int = 0) -> Event:
        """Begin to copy bytes of the host into a block."""

    def download(self, block: DeviceBlock, out: Array, offset_bytes: int = 0) -> Event:
        """Begin to copy bytes of a block to the host."""

    def copy_to(
        self, source: DeviceBlock, target: DeviceBlock, offset_bytes: int, nbytes: int
    ) -> Event:
        """Begin to copy the first bytes of a block into a part of another."""


class VulkanLaunch:
    """A kernel that is ready to run on any memory of the sizes that it was prepared for."""

    def __init__(self, driver: Home, group: Group, opts: Sequence[Opt] | None = None) -> None:
        self._driver = driver
        most = driver.physical.info.max_workgroup_count
        shared = share(group, driver.limits, most, driver.turns, opts)
        self._packed, self._packed_nbytes = _packed(group)
        firsts = {slot: offset_bytes for slot, (offset_bytes, _) in self._packed.items()}
        dialect = Glsl(driver.has_float64, shared.local, shared.copies, firsts)
        self.source = source = render(shared.program, dialect)
        self.is_empty = not shared.program.instances
        self._grid = shared.grid
        slots = [one.slot for one in source.parameters if isinstance(one, Memory)]
        self._slots = [slot for slot in slots if slot not in self._packed]
        self._order = arguments(source.parameters)
        self._bindings = len(self._slots) + bool(source.checks) + bool(self._packed)
        self._bindings += not self._order.is_pushed
        self._pushed = self._order.nbytes if self._order.is_pushed else 0
        if not self.is_empty:
            driver.queue.program(source.text, self._bindings, self._pushed)

    def run(self, blocks: Sequence[DeviceBlock | None], scalars: Sequence[np.generic]) -> None:
        """Queue it."""
        if self.is_empty:
            return
        driver, source = self._driver, self.source
        checks = source.checks
        _check_extents(checks, scalars)
        memories: list[QueueMemory] = [blocks[slot].memory for slot in self._slots]  # type: ignore[union-attr]
        packed = self._arguments(scalars)
        flags = _block(driver, bytes(16 * len(checks))) if checks else None
        if flags is not None:
            memories.append(flags.memory)
        together = self._together(blocks) if self._packed else None
        if together is not None:
            memories.append(together.memory)
        beside = None if self._order.is_pushed else _block(driver, packed)
        if beside is not None:
            memories.append(beside.memory)
        queue = driver.queue
        program = queue.program(source.text, self._bindings, self._pushed)
        queue.submit(program, memories, packed if self._pushed else b"", self._grid)
        if flags is not None:
            found = np.empty(2 * len(checks), np.int64)
            driver.download(flags, found).wait()
            _raise_if_set(found, checks, scalars)

    def _together(self, blocks: Sequence[DeviceBlock | None]) -> DeviceBlock:
        """A copy of the memories that share one."""
        target = self._driver.allocator.allocate(self._packed_nbytes)
        for slot, (offset_bytes, nbytes) in self._packed.items():
            source = blocks[slot]
            assert source is not None
            self._driver.copy_to(source, target, offset_bytes, nbytes)
        return target

    def _arguments(self, scalars: Sequence[np.generic]) -> bytes:
        """The numbers that the kernel is called with, as they lie in memory."""
        parts = []
        for one, type_ in self._order.fields:
            value: Any = scalars[one.number] if isinstance(one, Scalar) else one.value
            given = np.asarray(value)
            if given.dtype.name.startswith("float8"):
                given = given.view(np.uint8)
            parts.append(given.astype(type_).tobytes())
        return b"".join(parts)


def _packed(group: Group) -> tuple[dict[int, tuple[int, int]], int]:
    """Slots that have to share a memory, where each begins there and its size, and all bytes."""
    written = group.nest.written
    inputs = [n for n, reach in enumerate(group.reaches) if n not in written and not reach.is_index]
    room = MOST_MEMORIES - len(written) - 2  # flags and arguments may need one each
    if len(inputs) <= room:
        return {}, 0
    places: dict[int, tuple[int, int]] = {}
    total = 0
    for slot in inputs[room - 1 :]:
        nbytes = group.reaches[slot].node.base.nbytes
        places[slot] = (total, nbytes)
        total += -(-nbytes // ALIGNMENT) * ALIGNMENT
    return places, total


def _block(driver: Home, data: bytes) -> DeviceBlock:
    block = driver.allocator.allocate(len(data))
    driver.upload(np.frombuffer(data, np.uint8), block)
    return block


def _extent(check: Check, scalars: Sequence[np.generic]) -> int:
    extent = check.extent
    return int(scalars[extent.number]) if isinstance(extent, Scalar) else int(extent or 0)


def _check_extents(checks: Sequence[Check], scalars: Sequence[np.generic]) -> None:
    """Raise where no index can be right, so that nothing at all may be read."""
    for check in checks:
        if check.op is TAKE and _extent(check, scalars) == 0:
            raise IndexRangeError("an index needs an axis with elements, got one of extent 0")


def _raise_if_set(
    found: np.ndarray[Any, Any], checks: Sequence[Check], scalars: Sequence[np.generic]
) -> None:
    """Raise what a kernel left in its flags."""
    if found[::2].any():
        number = int(np.flatnonzero(found[::2])[0])
        raise _error(checks[number], int(found[2 * number + 1]), scalars)


def _error(check: Check, value: int, scalars: Sequence[np.generic]) -> OnebufError:
    if check.op is TAKE:
        extent = _extent(check, scalars)
        return IndexRangeError(f"an index needs to be in {-extent}..{extent - 1}, got {value}")
    return ArgumentError(
        f"{check.op.name}: Integers to negative integer powers are not allowed, got the "
        f"exponent {value}; convert with astype('float64') first"
    )
