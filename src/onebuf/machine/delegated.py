"""Delegated devices: those whose driver computes, reads and writes whole graphs itself.

The engine plans for devices that run kernels or operations. A delegated device is handed nodes
instead: the places of a runtime (`Cluster`) and functions that are being traced (`Tracer`) are
such.
"""

from __future__ import annotations

from onebuf.machine.device import Device


class Delegated(Device):
    """A device with a driver that has `realize`, `gather`, `assign` and `explain` for nodes.

    It is compared by identity.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)
