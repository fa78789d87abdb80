"""The driver of one queue: memory, transfers, and kernels that are ready to run."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from onebuf.backends.vulkan.events import Arriving, Queued, Writing
from onebuf.backends.vulkan.launch import VulkanLaunch
from onebuf.backends.vulkan.memory_limits import total
from onebuf.backends.vulkan.package import Native, Physical
from onebuf.backends.vulkan.queue import MOST_QUEUES, Memory, Queue
from onebuf.backends.vulkan.workgroups import TURNS
from onebuf.graph import Op
from onebuf.kernel.linear import Limits
from onebuf.machine import CachingAllocator, Device, DeviceBlock, Facts
from onebuf.render.clike import may_contain
from onebuf.scheduler.fuse.group import Group

Array = np.ndarray[Any, Any]
DT = np.dtype[Any]

_COPY = """\
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Source { uint source[]; };
layout(set = 0, binding = 1) buffer Target { uint target[]; };
layout(push_constant) uniform Arguments { uint words; uint mask; uint first; };
void main() {
  uint i = gl_LocalInvocationID.x
    + 64u * (gl_WorkGroupID.x + gl_NumWorkGroups.x * gl_WorkGroupID.y);
  uint to = first + i;
  if (i < words) target[to] = source[i];
  else if (i == words && mask != 0u) target[to] = (target[to] & ~mask) | (source[i] & mask);
}
"""
"""Whole words, and those bytes of one more that a mask names."""


class VulkanDriver:
    """One queue of a Vulkan device."""

    survives_fork = False

    def __init__(self, device: Device, native: Native, physical: Physical) -> None:
        self.device = device
        self.physical = physical
        self.has_float64 = bool(physical.info.float_64_support)
        info = physical.info
        self.limits = Limits(
            items=min(256, info.max_workgroup_invocations, *info.max_workgroup_size[:2]),
            shared_bytes=info.max_compute_shared_memory_size,
        )
        self.turns = TURNS if "llvmpipe" in info.device_name else None
        """How many turns of loops a work-item may make, if there is a limit."""
        self._native = native
        self._opening = threading.Lock()
        self._open()

    def _open(self) -> None:
        families = self.physical.families
        family = families[self.device.parts.queue % len(families)]
        self._queue = Queue(self.device.name, self._native, self.physical, family)
        self._allocator = CachingAllocator(self.device.name, self._queue.allocate, self._queue.free)

    @property
    def queue(self) -> Queue:
        """The queue; a new one if the last one was lost."""
        with self._opening:
            if self._queue.lost:
                self._open()
            return self._queue

    @property
    def allocator(self) -> CachingAllocator:
        """The memory of that queue."""
        _ = self.queue
        return self._allocator

    def facts(self) -> Facts:
        """What there is to know about it."""
        info = self.physical.info
        lacks = ("float8_e4m3fn", "float8_e5m2")
        version = f"{info.version_major}.{info.version_minor}.{info.version_patch}"
        return Facts(
            f"{info.device_name}, Vulkan {version}",
            total(self.physical),
            MOST_QUEUES,
            {
                "bytes of a block": info.max_storage_buffer_range,
                "work-items in a group": self.limits.items,
                "bytes of shared memory": self.limits.shared_bytes,
                "queues of the hardware": len(self.physical.families),
            },
            lacks if self.has_float64 else ("float64", "complex128", *lacks),
        )

    # -- transfers ---------------------------------------------------------------------------------

    def upload(self, data: Array, block: DeviceBlock, offset_bytes: int = 0) -> Writing:
        """Begin to copy contiguous bytes of the host into a block; they may change at once."""
        block.check_range(offset_bytes, data.nbytes)
        memory: Memory = block.memory
        memory.queue.write(memory, data.tobytes(), offset_bytes)
        event = block.last = Writing(memory)
        return event

    def download(self, block: DeviceBlock, out: Array, offset_bytes: int = 0) -> Arriving:
        """Begin to copy from a block into contiguous bytes of the host."""
        block.check_range(offset_bytes, out.nbytes)
        memory: Memory = block.memory
        return Arriving(memory.queue.read(memory, out.nbytes, offset_bytes), out)

    def copy(self, source: DeviceBlock, target: DeviceBlock) -> Queued:
        """Begin to copy a block into another that is no smaller."""
        return self.copy_to(source, target, 0, source.nbytes)

    def copy_to(
        self, source: DeviceBlock, target: DeviceBlock, offset_bytes: int, nbytes: int
    ) -> Queued:
        """Begin to copy the first bytes of a block into a part of another that begins a word."""
        source.check_range(0, nbytes)
        target.check_range(offset_bytes, nbytes)
        assert offset_bytes % 4 == 0, "a word has four bytes"
        queue = source.memory.queue
        if nbytes:
            words, rest = divmod(nbytes, 4)
            numbers = [words, (1 << 8 * rest) - 1, offset_bytes // 4]
            arguments = np.array(numbers, np.uint32).tobytes()
            groups = -(-(words + 1) // 64)
            most = self.physical.info.max_workgroup_count[0]
            program = queue.program(_COPY, 2, len(arguments))
            grid = (min(groups, most), -(-groups // most), 1)
            queue.submit(program, [source.memory, target.memory], arguments, grid)
        event = target.last = Queued(queue)
        return event

    def synchronize(self) -> None:
        """Return when everything that was queued is over."""
        self.queue.synchronize()

    def unwrap(self, block: DeviceBlock) -> Any:
        """What vkdispatch knows the memory by."""
        self.synchronize()
        return block.memory.handle

    # -- kernels -----------------------------------------------------------------------------------

    def supports(self, op: Op, operands: tuple[DT, ...], result: DT) -> bool:
        """Whether a kernel may contain ``op`` on operands of these dtypes."""
        return may_contain(op, operands, result, self.has_float64)

    def prepare(self, group: Group) -> VulkanLaunch:
        """A kernel, lowered, rendered and compiled."""
        return VulkanLaunch(self, group)
