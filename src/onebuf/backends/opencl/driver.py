"""The driver of one queue: memory, transfers and compiled kernels.

Kernels, uploads and copies go to a command queue that runs in order. Downloads have a command queue
of their own, so that they wait for the writes of their block and for nothing else.
"""

from __future__ import annotations

from typing import Any

from onebuf.backends.host_memory import DONE, Done
from onebuf.backends.opencl.device import ClDevice
from onebuf.backends.opencl.device_events import ClEvent
from onebuf.backends.opencl.launch import ClLaunch, SplitLaunch, launch_of
from onebuf.backends.opencl.memory import ClMemory, is_complete
from onebuf.backends.opencl.package import cl, our_errors
from onebuf.backends.opencl.queue import ClQueue
from onebuf.dtypes import DT, Array
from onebuf.errors import ArgumentError, CopyError
from onebuf.graph import Op
from onebuf.machine import Device, DeviceBlock, Facts
from onebuf.render.clike import may_contain
from onebuf.scheduler.fuse.group import Group

PINNED = 64
"""The alignment in bytes of host memory that a device uses without a copy."""


class OpenClDriver:
    """One queue of an OpenCL device."""

    survives_fork = False

    def __init__(self, device: Device, cl_device: ClDevice) -> None:
        self.device = device
        self.cl_device = cl_device
        self.queue = ClQueue(device.name, cl_device)
        self.allocator = self.queue.allocator
        self._staged: list[tuple[Any, Array]] = []
        """Uploads that are not complete, and the bytes that they copy."""

    def facts(self) -> Facts:
        """Its name, memory, limits and missing dtypes."""
        return self.cl_device.facts()

    # -- transfers ---------------------------------------------------------------------------------

    def upload(self, data: Array, block: DeviceBlock, offset_bytes: int = 0) -> ClEvent | Done:
        """Begin to copy contiguous bytes of the host, which may change at once, into a block."""
        if not data.nbytes:
            return DONE
        block.check_range(offset_bytes, data.nbytes)
        busy = self.queue.is_busy
        self._staged = [pair for pair in self._staged if not is_complete(pair[0])]
        bytes_ = data.copy() if busy else data
        with our_errors(f"an upload of {data.nbytes} bytes to {self.device}"):
            native = cl.enqueue_copy(
                self.queue.commands,
                block.memory.buffer,
                bytes_,
                dst_offset=offset_bytes,
                is_blocking=not busy,
                wait_for=block.memory.pending() or None,
            )
        if busy:
            self._staged.append((native, bytes_))
        return self.queue.wrote(native, block)

    def download(self, block: DeviceBlock, out: Array, offset_bytes: int = 0) -> ClEvent | Done:
        """Begin to copy from a block into contiguous bytes of the host.

        It waits for the writes of this block, and for nothing else. If there are none, it is
        complete when the call returns, which drivers do in half the time.
        """
        if not out.nbytes:
            return DONE
        block.check_range(offset_bytes, out.nbytes)
        waits = self.queue.writers(block)
        with our_errors(f"a download of {out.nbytes} bytes from {self.device}"):
            native = cl.enqueue_copy(
                self.queue.transfers,
                out,
                block.memory.buffer,
                src_offset=offset_bytes,
                is_blocking=waits is None,
                wait_for=waits,
            )
            self.queue.transfers.flush()
        if waits is not None:
            block.memory.pending().append(native)
        return ClEvent(native, block)

    def copy(self, source: DeviceBlock, target: DeviceBlock) -> ClEvent | Done:
        """Begin to copy a block into another that is no smaller."""
        return self.copy_from(self, source, target)

    def is_related_to(self, other: Any) -> bool:
        """Whether blocks of ``other`` can be copied without the host in between."""
        return isinstance(other, OpenClDriver) and other.cl_device is self.cl_device

    def copy_from(
        self, home: OpenClDriver, source: DeviceBlock, target: DeviceBlock
    ) -> ClEvent | Done:
        """Begin to copy a block of another queue of this device into one of ours."""
        if not source.nbytes:
            return DONE
        target.check_range(0, source.nbytes)
        waits = [*target.memory.pending(), *(home.queue.writers(source) or ())]
        with our_errors(f"a copy of {source.nbytes} bytes on {self.device}"):
            native = cl.enqueue_copy(
                self.queue.commands,
                target.memory.buffer,
                source.memory.buffer,
                byte_count=source.nbytes,
                wait_for=waits or None,
            )
            self.queue.commands.flush()
        if home is not self:
            source.memory.pending().append(native)
        return self.queue.wrote(native, target)

    def synchronize(self) -> None:
        """Return when everything that was queued is complete."""
        with our_errors(f"waiting for {self.device}"):
            self.queue.commands.finish()
            self.queue.transfers.finish()
        self._staged.clear()

    # -- blocks on memory that exists ------------------------------------------------------------

    def part(self, block: DeviceBlock, offset_bytes: int, nbytes: int) -> DeviceBlock:
        """A block on a part of another block's memory."""
        block.check_range(offset_bytes, nbytes)
        step = self.cl_device.alignment
        if offset_bytes % step:
            raise ArgumentError(
                f"a part of a block on {self.device} has to begin at a multiple of {step} bytes, "
                f"got {offset_bytes}; copy the elements instead"
            )
        with our_errors(f"a part of a block on {self.device}"):
            buffer = block.memory.buffer.get_sub_region(offset_bytes, max(nbytes, 1))
        memory = ClMemory(buffer, nbytes, block.memory.reads)
        return DeviceBlock(memory, nbytes, keeps=block)

    def from_host(self, array: Array) -> DeviceBlock:
        """A block on the memory of a host array, which is kept alive and must not be resized.

        Kernels read and write it in place; the host sees the results after `synchronize`.
        """
        address = array.ctypes.data
        if not self.cl_device.is_unified:
            raise CopyError(f"{self.device} has memory of its own; upload the elements instead")
        if not (array.flags.c_contiguous and array.flags.writeable and array.nbytes):
            raise CopyError(
                f"memory of the host can be used by {self.device} if it is writable and has no "
                f"gaps, got shape {array.shape} with strides {array.strides}; upload it instead"
            )
        if address % PINNED:
            raise CopyError(
                f"memory of the host can be used by {self.device} if it begins at a multiple of "
                f"{PINNED} bytes, got {address:#x}; upload the elements instead"
            )
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
        with our_errors(f"using {array.nbytes} bytes of the host on {self.device}"):
            buffer = cl.Buffer(self.cl_device.context, flags, hostbuf=array)
        return DeviceBlock(ClMemory(buffer, array.nbytes), array.nbytes, keeps=array)

    def unwrap(self, block: DeviceBlock) -> Any:
        """The buffer of pyopencl, after everything that was queued here is complete."""
        self.synchronize()
        return block.memory.buffer

    # -- kernels -----------------------------------------------------------------------------------

    def supports(self, op: Op, operands: tuple[DT, ...], result: DT) -> bool:
        """Whether a kernel may contain ``op`` on operands of these dtypes."""
        return may_contain(op, operands, result, self.cl_device.has_float64)

    def prepare(self, group: Group) -> ClLaunch | SplitLaunch:
        """A kernel, lowered, rendered and compiled."""
        return launch_of(self.queue, group)
