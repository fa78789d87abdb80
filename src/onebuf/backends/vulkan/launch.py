"""Launches on Vulkan: a compiled kernel with the arguments that do not change between runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from onebuf.backends.kernel_launch import check_extents, cleared_flags, memory_slots, raise_if_set
from onebuf.backends.vulkan.package import VulkanDevice
from onebuf.backends.vulkan.queue import VulkanMemory, VulkanQueue
from onebuf.backends.vulkan.workgroups import dispatch_of
from onebuf.dtypes import Array
from onebuf.kernel.linear import Limits, Opt
from onebuf.machine import Allocator, DeviceBlock, Event
from onebuf.render.clike import Scalar, render
from onebuf.render.clike.glsl import Glsl, arguments
from onebuf.scheduler.fuse.group import Group

MOST_MEMORIES = 16
"""The most memories that a program binds: vkdispatch does not tell the limit of a device, and few
devices have a lower one."""
ALIGNMENT = 8
"""The alignment in bytes of parts of a memory: that of the largest element."""


class LaunchDriver(Protocol):
    """What a launch needs of its driver."""

    vulkan_device: VulkanDevice
    limits: Limits
    max_iterations: int | None
    has_float64: bool

    @property
    def allocator(self) -> Allocator:
        """The allocator of memory for a run."""

    @property
    def queue(self) -> VulkanQueue:
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
    """A compiled kernel, for any memory of the sizes that it was prepared for."""

    def __init__(
        self, driver: LaunchDriver, group: Group, opts: Sequence[Opt] | None = None
    ) -> None:
        self._driver = driver
        most = driver.vulkan_device.info.max_workgroup_count
        dispatch = dispatch_of(group, driver.limits, most, driver.max_iterations, opts)
        self._packed, self._packed_nbytes = _packed(group)
        firsts = {slot: offset_bytes for slot, (offset_bytes, _) in self._packed.items()}
        dialect = Glsl(driver.has_float64, dispatch.local, dispatch.copies, firsts)
        self.source = source = render(dispatch.program, dialect)
        self.is_empty = not dispatch.program.instances
        self._grid = dispatch.grid
        self._slots = [slot for slot in memory_slots(source) if slot not in self._packed]
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
        check_extents(checks, scalars)
        memories: list[VulkanMemory] = [blocks[slot].memory for slot in self._slots]  # type: ignore[union-attr]
        packed = self._arguments(scalars)
        flags = _block(driver, cleared_flags(checks).tobytes()) if checks else None
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
            found = cleared_flags(checks)
            driver.download(flags, found).wait()
            raise_if_set(found, checks, scalars)

    def _together(self, blocks: Sequence[DeviceBlock | None]) -> DeviceBlock:
        """Memory with a copy of each input that is packed."""
        target = self._driver.allocator.allocate(self._packed_nbytes)
        for slot, (offset_bytes, nbytes) in self._packed.items():
            source = blocks[slot]
            assert source is not None
            self._driver.copy_to(source, target, offset_bytes, nbytes)
        return target

    def _arguments(self, scalars: Sequence[np.generic]) -> bytes:
        """The scalar arguments of the kernel, as bytes."""
        parts = []
        for one, type_ in self._order.fields:
            value: Any = scalars[one.number] if isinstance(one, Scalar) else one.value
            given = np.asarray(value)
            if given.dtype.name.startswith("float8"):
                given = given.view(np.uint8)
            parts.append(given.astype(type_).tobytes())
        return b"".join(parts)


def _packed(group: Group) -> tuple[dict[int, tuple[int, int]], int]:
    """Slots that share one memory, each with its offset and size in bytes; and the total size."""
    written = group.nest.written
    inputs = [n for n, reach in enumerate(group.reaches) if n not in written and not reach.is_index]
    most = MOST_MEMORIES - len(written) - 2  # flags and arguments may need one each
    if len(inputs) <= most:
        return {}, 0
    places: dict[int, tuple[int, int]] = {}
    total = 0
    for slot in inputs[most - 1 :]:
        nbytes = group.reaches[slot].node.base.nbytes
        places[slot] = (total, nbytes)
        total += -(-nbytes // ALIGNMENT) * ALIGNMENT
    return places, total


def _block(driver: LaunchDriver, data: bytes) -> DeviceBlock:
    block = driver.allocator.allocate(len(data))
    driver.upload(np.frombuffer(data, np.uint8), block)
    return block
