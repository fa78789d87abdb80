"""Raw memory: bytes of a device that are allocated, written, read and freed by hand.

Buffers do this by themselves. Here there is only a device and a number of bytes, and each step is
checked: memory that is not allocated, or was freed, is neither read nor written, and a transfer has
exactly the size of the memory.
"""

from __future__ import annotations

import weakref
from operator import index
from typing import Any

import numpy as np

from onebuf.dtypes import Array
from onebuf.errors import (
    ArgumentError,
    ArgumentTypeError,
    CopyError,
    DeviceError,
    ExportError,
    ReadOnlyError,
)
from onebuf.machine.blocks import DeviceBlock
from onebuf.machine.device import Device
from onebuf.machine.device import device as find_device
from onebuf.machine.driver import SharingDriver

STEP_BYTES = 1 << 24
"""How many zeros are written at once."""

_homes: weakref.WeakKeyDictionary[DeviceBlock, Device] = weakref.WeakKeyDictionary()
"""The device of each block that was allocated here; a block does not know its device."""


class RawMemory:
    """``nbytes`` bytes of a device, to be allocated.

    >>> memory = RawMemory("CPU", 4)
    >>> memory.allocate()
    >>> memory.read().tobytes()
    b'\\x00\\x00\\x00\\x00'
    """

    __slots__ = ("device", "nbytes", "base", "offset_bytes", "_block", "__weakref__")

    def __init__(self, device: str | Device | None, nbytes: int) -> None:
        self.device = find_device(device)
        self.nbytes = _size(nbytes)
        self.base: RawMemory | None = None
        """The memory that this is a view of; None if it is none."""
        self.offset_bytes = 0
        """The offset of a view in its base."""
        self._block: DeviceBlock | None = None

    def view(self, nbytes: int, offset_bytes: int) -> RawMemory:
        """A part of this memory, to be allocated too, which shares the memory of its base."""
        part = RawMemory(self.device, nbytes)
        offset_bytes = _size(offset_bytes)
        if offset_bytes + part.nbytes > self.nbytes:
            raise ArgumentError(
                f"a view needs bytes {offset_bytes} to {offset_bytes + part.nbytes}, and there are "
                f"{self.nbytes}; make it shorter or start earlier"
            )
        part.base = self if self.base is None else self.base
        part.offset_bytes = self.offset_bytes + offset_bytes
        return part

    @property
    def is_allocated(self) -> bool:
        """Whether there is memory to read and write."""
        return self._block is not None and not self._block.is_freed

    @property
    def block(self) -> DeviceBlock:
        """The block of the bytes; an error if it is not allocated."""
        if self._block is None:
            raise ExportError(
                f"needed memory on {self.device}, and these {self.nbytes} bytes are not allocated; "
                f"allocate them first"
            )
        if self._block.is_freed:
            raise ExportError(
                f"these {self.nbytes} bytes on {self.device} were freed; allocate them again first"
            )
        return self._block

    def allocate(self) -> None:
        """Allocate memory. It is zero, except for that of a file, which keeps its content."""
        self._refuse_twice()
        if self.base is not None:
            if not self.base.is_allocated:
                self.base.allocate()
            self._block = self.base.block
            return
        driver = self.device.driver
        block = driver.allocator.allocate(self.nbytes)
        if not self.device.parts.path:
            zeros = np.zeros(min(self.nbytes, STEP_BYTES), np.uint8)
            for start in range(0, self.nbytes, STEP_BYTES):
                driver.upload(zeros[: self.nbytes - start], block, start)
        self._block = note_home(block, self.device)

    def adopt(self, address: int, owner: Any = None, *, writable: bool = True) -> None:
        """Use the memory at an address of the host, which ``owner``, if given, keeps alive."""
        self._refuse_twice()
        if index(address) <= 0:
            raise ArgumentError(f"external memory needs an address that is not 0, got {address}")
        if self.base is not None:
            raise ArgumentError("a view has the memory of its base; give the address to that")
        driver = self.device.driver
        if not isinstance(driver, SharingDriver):
            raise DeviceError(
                f"an address is one of the host, and {self.device} cannot use its memory; "
                f"allocate there and copy, or use CPU"
            )
        block = note_home(driver.adopt(address, self.nbytes, owner), self.device)
        if not writable:
            driver.window(block).flags.writeable = False
        self._block = block

    def take(self, block: DeviceBlock) -> None:
        """Use an existing block of the same device."""
        self._refuse_twice()
        if self.base is not None:
            raise ArgumentError("a view has the memory of its base; give the block to that")
        home = _homes.get(block, self.device)
        if home is not self.device:
            raise DeviceError(
                f"needed a block of {self.device}, got one of {home}; allocate there, and copy"
            )
        block.check_range(0, self.nbytes)
        self._block = block

    def free(self) -> None:
        """Free the memory now, and that of all views. A view only drops its reference."""
        block = self.block
        if self.base is None:
            block.free()
        else:
            self._block = None

    def write(self, data: Array) -> None:
        """Copy all bytes from ``data``."""
        block = self.block
        self.check_size(data, "written")
        driver = self.device.driver
        if isinstance(driver, SharingDriver) and not driver.window(block).flags.writeable:
            raise ReadOnlyError(
                f"these {self.nbytes} bytes are somebody else's and may only be read; copy them"
            )
        if self.nbytes:
            self.device.driver.upload(data, block, self.offset_bytes)

    def read(self, out: Array | None = None) -> Array:
        """Copy all bytes to ``out``, an array of the host, or to a new one."""
        block = self.block
        if out is None:
            out = np.empty(self.nbytes, np.uint8)
        self.check_size(out, "read")
        if self.nbytes:
            self.device.driver.download(block, out, self.offset_bytes).wait()
        return out

    @property
    def can_share(self) -> bool:
        """Whether the host can reach the memory without a copy."""
        return isinstance(self.device.driver, SharingDriver)

    def share(self) -> Array:
        """The bytes themselves, which live as long as the array does."""
        block = self.block
        driver = self.device.driver
        if not isinstance(driver, SharingDriver):
            raise CopyError(f"memory on {self.device} reaches the host by a copy only; read it")
        return driver.window(block)[self.offset_bytes : self.offset_bytes + self.nbytes]

    def _refuse_twice(self) -> None:
        if self.is_allocated:
            raise ExportError(
                f"these {self.nbytes} bytes on {self.device} are allocated already; free them "
                f"first, or make another object"
            )

    def check_size(self, data: Array, what: str) -> None:
        """Raise unless ``data`` has as many bytes as this memory."""
        if data.nbytes != self.nbytes:
            raise ArgumentError(
                f"{self.nbytes} bytes are {what} at once, got {data.nbytes}; pass as many bytes as "
                f"the memory has, or make a view of the part"
            )


def note_home(block: DeviceBlock, device: Device) -> DeviceBlock:
    """``block`` itself, after its device was noted."""
    _homes[block] = device
    return block


def _size(number: Any) -> int:
    try:
        size = index(number)
    except TypeError:
        raise ArgumentTypeError(
            f"a size needs an integer number of bytes, got {number!r}"
        ) from None
    if size < 0:
        raise ArgumentError(f"a size needs at least 0 bytes, got {size}")
    return size
