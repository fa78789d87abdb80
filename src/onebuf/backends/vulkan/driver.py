"""The driver of one queue: memory, transfers and compiled kernels."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from onebuf.backends.vulkan.device_events import Download, QueueMark, Upload
from onebuf.backends.vulkan.launch import VulkanLaunch
from onebuf.backends.vulkan.memory_limits import total
from onebuf.backends.vulkan.package import Native, VulkanDevice
from onebuf.backends.vulkan.queue import MOST_QUEUES, VulkanMemory, VulkanQueue
from onebuf.backends.vulkan.workgroups import MAX_ITERATIONS
from onebuf.dtypes import DT, Array
from onebuf.graph import Op
from onebuf.kernel.linear import Limits
from onebuf.machine import CachingAllocator, Device, DeviceBlock, Facts
from onebuf.render.clike import may_contain
from onebuf.scheduler.fuse.group import Group

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
"""Copies 32-bit words, and the bytes of one more that a mask selects."""


class VulkanDriver:
    """One queue of a Vulkan device."""

    survives_fork = False

    def __init__(self, device: Device, native: Native, vulkan_device: VulkanDevice) -> None:
        self.device = device
        self.vulkan_device = vulkan_device
        self.has_float64 = bool(vulkan_device.info.float_64_support)
        info = vulkan_device.info
        self.limits = Limits(
            items=min(256, info.max_workgroup_invocations, *info.max_workgroup_size[:2]),
            shared_bytes=info.max_compute_shared_memory_size,
        )
        self.max_iterations = MAX_ITERATIONS if "llvmpipe" in info.device_name else None
        """How many loop iterations a work-item may run; None: any number."""
        self._native = native
        self._opening = threading.Lock()
        self._open()

    def _open(self) -> None:
        families = self.vulkan_device.families
        family = families[self.device.parts.queue % len(families)]
        self._queue = VulkanQueue(self.device.name, self._native, self.vulkan_device, family)
        self._allocator = CachingAllocator(self.device.name, self._queue.allocate, self._queue.free)

    @property
    def queue(self) -> VulkanQueue:
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
        """Its name, memory, limits and missing dtypes."""
        info = self.vulkan_device.info
        lacks = ("float8_e4m3fn", "float8_e5m2")
        version = f"{info.version_major}.{info.version_minor}.{info.version_patch}"
        return Facts(
            f"{info.device_name}, Vulkan {version}",
            total(self.vulkan_device),
            MOST_QUEUES,
            {
                "bytes of a block": info.max_storage_buffer_range,
                "work-items in a group": self.limits.items,
                "bytes of shared memory": self.limits.shared_bytes,
                "queues of the hardware": len(self.vulkan_device.families),
            },
            lacks if self.has_float64 else ("float64", "complex128", *lacks),
        )

    # -- transfers ---------------------------------------------------------------------------------

    def upload(self, data: Array, block: DeviceBlock, offset_bytes: int = 0) -> Upload:
        """Begin to copy contiguous bytes of the host, which may change at once, into a block."""
        block.check_range(offset_bytes, data.nbytes)
        memory: VulkanMemory = block.memory
        memory.queue.write(memory, data.tobytes(), offset_bytes)
        event = block.last = Upload(memory)
        return event

    def download(self, block: DeviceBlock, out: Array, offset_bytes: int = 0) -> Download:
        """Begin to copy from a block into contiguous bytes of the host."""
        block.check_range(offset_bytes, out.nbytes)
        memory: VulkanMemory = block.memory
        return Download(memory.queue.read(memory, out.nbytes, offset_bytes), out)

    def copy(self, source: DeviceBlock, target: DeviceBlock) -> QueueMark:
        """Begin to copy a block into another that is no smaller."""
        return self.copy_to(source, target, 0, source.nbytes)

    def copy_to(
        self, source: DeviceBlock, target: DeviceBlock, offset_bytes: int, nbytes: int
    ) -> QueueMark:
        """Begin to copy the first bytes of a block to another, from the start of a word on."""
        source.check_range(0, nbytes)
        target.check_range(offset_bytes, nbytes)
        assert offset_bytes % 4 == 0, "a word has four bytes"
        queue = source.memory.queue
        if nbytes:
            words, rest = divmod(nbytes, 4)
            numbers = [words, (1 << 8 * rest) - 1, offset_bytes // 4]
            arguments = np.array(numbers, np.uint32).tobytes()
            groups = -(-(words + 1) // 64)
            most = self.vulkan_device.info.max_workgroup_count[0]
            program = queue.program(_COPY, 2, len(arguments))
            grid = (min(groups, most), -(-groups // most), 1)
            queue.submit(program, [source.memory, target.memory], arguments, grid)
        event = target.last = QueueMark(queue)
        return event

    def synchronize(self) -> None:
        """Return when everything that was queued is complete."""
        self.queue.synchronize()

    def unwrap(self, block: DeviceBlock) -> Any:
        """The handle of the memory in vkdispatch."""
        self.synchronize()
        return block.memory.handle

    # -- kernels -----------------------------------------------------------------------------------

    def supports(self, op: Op, operands: tuple[DT, ...], result: DT) -> bool:
        """Whether a kernel may contain ``op`` on operands of these dtypes."""
        return may_contain(op, operands, result, self.has_float64)

    def prepare(self, group: Group) -> VulkanLaunch:
        """A kernel, lowered, rendered and compiled."""
        return VulkanLaunch(self, group)
