"""How much memory is left on a device, as far as somebody knows.

Running out of memory costs a queue all that it holds, so it is better not to try.
"""

from __future__ import annotations

from pathlib import Path

from onebuf.backends.vulkan.package import Physical

_TABLE = Path("/proc/meminfo")


def available(physical: Physical) -> int | None:
    """The bytes that can still be had; None: nobody knows."""
    return _field("MemAvailable") if physical.is_cpu else None


def total(physical: Physical) -> int | None:
    """The bytes that a device has; None: nobody knows."""
    return _field("MemTotal") if physical.is_cpu else None


def _field(name: str) -> int | None:
    """An entry of the system's table, in bytes."""
    try:
        lines = _TABLE.read_text().splitlines()
    except OSError:
        return None
    found = [line.split()[1] for line in lines if line.startswith(f"{name}:")]
    return int(found[0]) * 1024 if found else None
