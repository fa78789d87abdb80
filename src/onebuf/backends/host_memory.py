"""Drivers of host memory: transfers are copies, complete when the call returns."""

from __future__ import annotations

import numpy as np

from onebuf.dtypes import Array
from onebuf.errors import CopyError
from onebuf.machine import Allocator, CachingAllocator, Device, DeviceBlock


class Done:
    """The event of work that is complete when the call returns."""

    is_done = True

    def wait(self) -> None:
        """Return at once."""

    def times(self) -> tuple[int, int]:
        """Zeros: no time was taken."""
        return (0, 0)


DONE = Done()


def _get(nbytes: int) -> Array:
    try:
        return np.empty(nbytes, np.uint8)
    except (OverflowError, ValueError):
        raise MemoryError(f"{nbytes} bytes are beyond the address space") from None


def _drop(memory: Array) -> None:
    """Python frees it."""


class HostMemoryDriver:
    """A device whose memory is the host's: transfers are copies, complete at once."""

    allocator: Allocator
    survives_fork = True

    def __init__(self, device: Device) -> None:
        self.allocator = CachingAllocator(device.name, _get, _drop, survives_fork=True)

    def upload(self, data: Array, block: DeviceBlock, offset_bytes: int = 0) -> Done:
        """Copy bytes into a block."""
        block.check_range(offset_bytes, data.nbytes)
        block.memory[offset_bytes : offset_bytes + data.nbytes] = data.reshape(-1).view(np.uint8)
        return DONE

    def download(self, block: DeviceBlock, out: Array, offset_bytes: int = 0) -> Done:
        """Copy bytes out of a block."""
        block.check_range(offset_bytes, out.nbytes)
        out.reshape(-1).view(np.uint8)[:] = block.memory[offset_bytes : offset_bytes + out.nbytes]
        return DONE

    def copy(self, source: DeviceBlock, target: DeviceBlock) -> Done:
        """Copy a block."""
        target.check_range(0, source.nbytes)
        target.memory[: source.nbytes] = source.memory[: source.nbytes]
        return DONE

    def from_host(self, array: Array) -> DeviceBlock:
        """A block on the memory of a host array, which has to be contiguous."""
        if not (array.flags.c_contiguous and array.flags.writeable):
            raise CopyError(
                f"memory of the host can be used where it is if it is writable and has no gaps, "
                f"got shape {array.shape} with strides {array.strides}; leave out copy=False"
            )
        return DeviceBlock(array.reshape(-1).view(np.uint8), array.nbytes, keeps=array)

    def unwrap(self, block: DeviceBlock) -> Array:
        """The bytes of a block."""
        return block.memory[: block.nbytes]  # type: ignore[no-any-return]

    def synchronize(self) -> None:
        """Nothing is queued."""
