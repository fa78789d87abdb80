"""``tinygrad.device``: devices by name, with their allocators."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from onebuf.compat.tinygrad.buffer import Buffer, BufferSpec
from onebuf.compat.tinygrad.memory_views import flat_bytes
from onebuf.compat.tinygrad.names import UnknownDevice, canonicalize, find
from onebuf.machine import Device as Ours
from onebuf.machine import DeviceBlock, devices, note_home

__all__ = ["Allocator", "Buffer", "BufferSpec", "Compiled", "Device", "UnknownDevice"]


class Allocator:
    """Memory of one device, by hand; what `alloc` gives is a block that knows its size."""

    def __init__(self, device: Ours) -> None:
        self._device = device

    def alloc(self, size: int, options: BufferSpec | None = None) -> DeviceBlock:
        """A block of ``size`` bytes with undefined content."""
        return note_home(self._device.driver.allocator.allocate(size), self._device)

    def free(self, opaque: DeviceBlock, size: int = 0, options: BufferSpec | None = None) -> None:
        """Give a block back."""
        opaque.free()

    def _copyin(self, dest: DeviceBlock, src: Any) -> None:
        self._device.driver.upload(flat_bytes(src), dest)

    def _copyout(self, dest: Any, src: DeviceBlock) -> None:
        self._device.driver.download(src, flat_bytes(dest), 0).wait()


class Compiled:
    """An open device."""

    def __init__(self, device: Ours) -> None:
        self._device = device
        self.device = device.name
        self.allocator = Allocator(device)
        device.driver  # noqa: B018 - opens it, or tells why not

    def synchronize(self) -> None:
        """Return when everything that was queued is over."""
        self._device.driver.synchronize()

    def __repr__(self) -> str:
        return f"<device {self.device}>"


class Devices:
    """``Device``: all devices, opened when they are first asked for.

    A name that no device has is a ModuleNotFoundError, as in tinygrad.

    >>> Device["CLANG"], Device.canonicalize("opencl:0"), Device.DEFAULT
    (<device CPU>, 'OPENCL', 'CPU')
    """

    def __init__(self) -> None:
        self.DEFAULT = "CPU"
        """The device that is meant where none is named."""

    def canonicalize(self, device: str | None) -> str:
        """The one spelling of a device's name."""
        return canonicalize(self.DEFAULT if device is None else device)

    def __getitem__(self, name: str | None) -> Compiled:
        return _open(find(self.DEFAULT if name is None else name))

    @property
    def default(self) -> Compiled:
        """The device that is meant where none is named, opened."""
        return self[self.DEFAULT]

    def get_available_devices(self) -> Iterator[str]:
        """The names of all that can be used here."""
        return (device.name for device in devices())


@cache
def _open(device: Ours) -> Compiled:
    return Compiled(device)


Device = Devices()
"""All devices, by name."""
