"""The devices of other packages that are there, for tests that hold for all."""

from __future__ import annotations

from onebuf import devices
from onebuf.errors import OnebufError

KINDS = ("OPENCL", "VULKAN", "TORCH", "JAX")


def foreign() -> list[str]:
    """The name of the first device of each kind."""
    found = []
    for kind in KINDS:
        try:
            found += [device.name for device in devices(kind)[:1]]
        except OnebufError:
            continue  # a package or a driver that is not installed
    return found
