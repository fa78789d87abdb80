"""Names of devices as tinygrad has them, found among ours."""

from __future__ import annotations

from onebuf.errors import ArgumentTypeError, DeviceError
from onebuf.machine import Device, canonical
from onebuf.machine import device as find_device

ALIASES = {"NPY": "CPU"}
"""Arrays of NumPy are memory of the host."""


class UnknownDevice(DeviceError, ModuleNotFoundError):
    """A kind of devices that there is no module for, in tinygrad's words."""

    def __init__(self, message: str, name: str) -> None:
        super().__init__(message)
        self.name = name


def canonicalize(name: str) -> str:
    """The one spelling of a device's name.

    >>> canonicalize("npy"), canonicalize("clang:0")
    ('CPU', 'CPU')
    """
    if not isinstance(name, str):
        raise ArgumentTypeError(f"a device needs a name as text, got {name!r}; pass 'CPU', say")
    return ALIASES.get(name.upper(), canonical(name))


def find(name: str) -> Device:
    """The device of that name; it need not be open."""
    try:
        return find_device(canonicalize(name))
    except DeviceError as error:
        raise UnknownDevice(str(error), name) from None
