"""How much memory is left on a device, as far as somebody knows.

Running out of memory costs a queue all that it holds, so it is better not to try. A device with
memory of its own is asked how much that is; what others have taken of it nobody tells, so that a
tenth is left to them. One that is the host's processor has the host's memory, and needs every byte
twice.
"""

from __future__ import annotations

from pathlib import Path

from onebuf.backends.vulkan import heaps
from onebuf.backends.vulkan.package import Physical

_TABLE = Path("/proc/meminfo")
_taken: dict[int, int] = {}
"""Bytes that we have taken, by the number of the device."""


def take(physical: Physical, nbytes: int) -> None:
    """Count bytes that are about to be taken; a MemoryError if they are not there."""
    room = available(physical)
    needed = 2 * nbytes if physical.is_cpu else nbytes
    if room is not None and needed > room:
        raise MemoryError(f"{needed} bytes would be taken, and {room} are left")
    number = physical.info.dev_index
    _taken[number] = _taken.get(number, 0) + nbytes


def leave(physical: Physical, nbytes: int) -> None:
    """Count bytes that were given back."""
    _taken[physical.info.dev_index] -= nbytes


def available(physical: Physical) -> int | None:
    """The bytes that can still be had; None: nobody knows."""
    if physical.is_cpu:
        return _field("MemAvailable")
    whole = total(physical)
    return None if whole is None else whole * 9 // 10 - _taken.get(physical.info.dev_index, 0)


def total(physical: Physical) -> int | None:
    """The bytes that a device has; None: nobody knows."""
    if physical.is_cpu:
        return _field("MemTotal")
    sizes = heaps.sizes()
    number = physical.info.dev_index
    return sizes[number] if number < len(sizes) else None


def _field(name: str) -> int | None:
    """An entry of the system's table, in bytes."""
    try:
        lines = _TABLE.read_text().splitlines()
    except OSError:
        return None
    found = [line.split()[1] for line in lines if line.startswith(f"{name}:")]
    return int(found[0]) * 1024 if found else None
