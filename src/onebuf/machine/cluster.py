"""Clusters: the places of a runtime, as one device.

Elements on a cluster are held by its places, each some of them. For the rest of the program it is a
device like any other: a graph is on it as a whole, and no operation crosses to another device. Its
driver, the coordinator, plans and runs such graphs (`onebuf.runtimes.coordinator`).
"""

from __future__ import annotations

from typing import Any

from onebuf.late import load
from onebuf.machine.delegated import Delegated
from onebuf.machine.names import Name


class Cluster(Delegated):
    """The device that a runtime is; ``runtime`` is what the user opened."""

    __slots__ = ("runtime",)

    way_home = "gather them: x.to_local()"

    def __init__(self, name: str, runtime: Any) -> None:
        super().__init__(Name(name))
        self.runtime = runtime
        self.is_host = False
        self.has_operations = True

    def _open(self) -> Any:
        return load("onebuf.runtimes.coordinator").Coordinator(self)

    def __reduce__(self) -> Any:
        raise TypeError(
            f"the runtime {self.name} belongs to this process and cannot be pickled; gather the "
            f"elements first: x.to_local()"
        )
