"""Tracers: the devices of functions that are being traced.

A function is traced by calling it with buffers that have no elements. They are on a tracer, and so
is all that is computed from them: nothing runs, and what is left is the graph of the call. The
driver of a tracer is the trace (`onebuf.tracing`), which answers reads and takes note of writes.
There is a tracer for each real device that a traced function has elements on, its *home*.
"""

from __future__ import annotations

from typing import Any

from onebuf.machine.delegated import Delegated
from onebuf.machine.device import Device


class Tracer(Delegated):
    """The device of nodes that a trace records and that are to be on ``home``."""

    __slots__ = ("trace", "home")

    def __init__(self, trace: Any, home: Device) -> None:
        super().__init__(home.parts)
        self.trace = trace
        self.home = home
        self.is_host = False
        self.has_operations = home.has_operations

    @property
    def driver(self) -> Any:
        """The trace."""
        return self.trace

    @property
    def depth(self) -> int:
        """How many traces are around this one's."""
        return self.trace.depth  # type: ignore[no-any-return]

    def lifted(self, node: Any) -> Any:
        """``node``, which is on another device, as one of this trace."""
        return self.trace.lifted(node)

    def made(self, node: Any) -> None:
        """Tell the trace of a new node."""
        self.trace.made(node)

    def refuse(self, name: str, node: Any) -> None:
        """Raise if ``name``, which reads the elements of ``node``, may not be called."""
        self.trace.refuse(name, node)

    def __eq__(self, other: object) -> bool:
        """As its home is: programs compare devices with names."""
        return self is other or self.home == other

    def __hash__(self) -> int:
        return hash(self.home)


def home_of(device: Device) -> Device:
    """The real device that ``device`` is, or stands for."""
    while isinstance(device, Tracer):
        device = device.home
    return device
