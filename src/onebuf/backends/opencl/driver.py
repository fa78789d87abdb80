"""The driver of one queue: memory, transfers, and kernels that are ready to run.

Kernels and whatever writes go to a queue that runs in order. Downloads have a queue of their own,
so that they wait for what was queued for their block and for nothing else.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.backends.opencl.device import Physical
from onebuf.backends.opencl.events import NOTHING, ClEvent, Nothing
from onebuf.backends.opencl.launch import ClLaunch, SplitLaunch, launch_of
from onebuf.backends.opencl.memory import Memory, is_over
from onebuf.backends.opencl.package import cl, told
from onebuf.backends.opencl.queue import Line
from onebuf.errors import ArgumentError, CopyError
from onebuf.graph import Op
from onebuf.machine import Device, DeviceBlock, Facts
from onebuf.render.clike import may_contain
from onebuf.scheduler.fuse.group import Group

Array = np.ndarray[Any, Any]
DT = np.dtype[Any]

PINNED = 64
"""What the address of host memory has to be a multiple of, to be used where it is."""


class OpenClDriver:
    """One queue of an OpenCL device."""

    survives_fork = False

    def __init__(self, device: Device, physical: Physical) -> None:
        self.device = device
        self.physical = physical
        self.line = Line(device.name, physical)
        self.allocator = self.line.allocator
        self._staged: list[tuple[Any, Array]] = []
        """Uploads that are not over, and the bytes that they copy."""

    def facts(self) -> Facts:
        """What there is to know about it."""
        return self.physical.facts()

    # -- transfers ---------------------------------------------------------------------------------

    def upload(self, data: Array, block: DeviceBlock, offset_bytes: int = 0) -> ClEvent | Nothing:
        """Begin to copy contiguous bytes of the host into a block; they may change at once."""
        if not data.nbytes:
            return NOTHING
        block.check_range(offset_bytes, data.nbytes)
        busy = self.line.is_busy
        self._staged = [pair for pair in self._staged if not is_over(pair[0])]
        bytes_ = data.copy() if busy else data
        with told(f"an upload of {data.nbytes} bytes to {self.device}"):
            native = cl.enqueue_copy(
                self.line.queue,
                block.memory.buffer,
                bytes_,
                dst_offset=offset_bytes,
                is_blocking=not busy,
                wait_for=block.memory.pending() or None,
            )
        if busy:
            self._staged.append((native, bytes_))
        return self.line.wrote(native, block)

    def download(self, block: DeviceBlock, out: Array, offset_bytes: int = 0) -> ClEvent | Nothing:
        """Begin to copy from a block into contiguous bytes of the host.

        It comes after what was queued for this block, and waits for nothing else. If nothing was,
        it is over when the call returns, which drivers do in half the time.
        """
        if not out.nbytes:
            return NOTHING
        block.check_range(offset_bytes, out.nbytes)
        waits = self.line.writers(block)
        with told(f"a download of {out.nbytes} bytes from {self.device}"):
            native = cl.enqueue_copy(
                self.line.transfers,
                out,
                block.memory.buffer,
                src_offset=offset_bytes,
                is_blocking=waits is None,
                wait_for=waits,
            )
            self.line.transfers.flush()
        if waits is not None:
            block.memory.pending().append(native)
        return ClEvent(native, block)

    def copy(self, source: DeviceBlock, target: DeviceBlock) -> ClEvent | Nothing:
        """Begin to copy a block into another that is no smaller."""
        return self.copy_from(self, source, target)

    def is_related_to(self, other: Any) -> bool:
        """Whether blocks of ``other`` can be copied without the host in between."""
        return isinstance(other, OpenClDriver) and other.physical is self.physical

    def copy_from(
        self, home: OpenClDriver, source: DeviceBlock, target: DeviceBlock
    ) -> ClEvent | Nothing:
        """Begin to copy a block of another queue of this device into one of ours."""
        if not source.nbytes:
            return NOTHING
        target.check_range(0, source.nbytes)
        waits = [*target.memory.pending(), *(home.line.writers(source) or ())]
        with told(f"a copy of {source.nbytes} bytes on {self.device}"):
            native = cl.enqueue_copy(
                self.line.queue,
                target.memory.buffer,
                source.memory.buffer,
                byte_count=source.nbytes,
                wait_for=waits or None,
            )
            self.line.queue.flush()
        if home is not self:
            source.memory.pending().append(native)
        return self.line.wrote(native, target)

    def synchronize(self) -> None:
        """Return when everything that was queued is over."""
        with told(f"waiting for {self.device}"):
            self.line.queue.finish()
            self.line.transfers.finish()
        self._staged.clear()

    # -- blocks on the memory of others ------------------------------------------------------------

    def part(self, block: DeviceBlock, offset_bytes: int, nbytes: int) -> DeviceBlock:
        """A block on a part of another one's memory."""
        block.check_range(offset_bytes, nbytes)
        step = self.physical.alignment
        if offset_bytes % step:
            raise ArgumentError(
                f"a part of a block on {self.device} has to begin at a multiple of {step} bytes, "
                f"got {offset_bytes}; copy the elements instead"
            )
        with told(f"a part of a block on {self.device}"):
            buffer = block.memory.buffer.get_sub_region(offset_bytes, max(nbytes, 1))
        memory = Memory(buffer, nbytes, block.memory.reads)
        return DeviceBlock(memory, nbytes, keeps=block)

    def from_host(self, array: Array) -> DeviceBlock:
        """A block on the memory of a host array, which is kept alive and must not be resized.

        Kernels read and write it in place; the host sees what was written after `synchronize`.
        """
        address = array.ctypes.data
        if not self.physical.is_unified:
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
        with told(f"using {array.nbytes} bytes of the host on {self.device}"):
            buffer = cl.Buffer(self.physical.context, flags, hostbuf=array)
        return DeviceBlock(Memory(buffer, array.nbytes), array.nbytes, keeps=array)

    def unwrap(self, block: DeviceBlock) -> Any:
        """The buffer of pyopencl; what was queued here comes before what others queue for it."""
        self.synchronize()
        return block.memory.buffer

    # -- kernels -----------------------------------------------------------------------------------

    def supports(self, op: Op, operands: tuple[DT, ...], result: DT) -> bool:
        """Whether a kernel may contain ``op`` on operands of these dtypes."""
        return may_contain(op, operands, result, self.physical.has_float64)

    def prepare(self, group: Group) -> ClLaunch | SplitLaunch:
        """A kernel, lowered, rendered and compiled."""
        return launch_of(self.line, group)
