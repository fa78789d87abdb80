"""Opening a runtime by name, and which one is open.

Ours are in a table. Another package adds one through the entry-point group ``onebuf.runtimes``: a
class, or a function, that gives a `onebuf.runtimes.protocols.Runtime`.
"""

from __future__ import annotations

import importlib
from contextvars import ContextVar
from functools import cache
from itertools import count
from os import cpu_count
from typing import Any

from onebuf.errors import ArgumentError
from onebuf.machine import Cluster, Device, devices
from onebuf.runtimes.protocols import Runtime
from onebuf.runtimes.threads import Threads

GROUP = "onebuf.runtimes"
OURS = {
    "threads": ("onebuf.runtimes.threads", "Threads"),
    "mpi": ("onebuf.runtimes.mpi.runtime", "Mpi"),
    "dask": ("onebuf.runtimes.dask.runtime", "Dask"),
}
_numbers = count(1)


class OpenRuntime:
    """A runtime that is open: a context manager, in whose block buffers are distributed over it.

    >>> import onebuf
    >>> with onebuf.runtime("threads", places=4) as four:
    ...     x = onebuf.arange(8.0).distribute(tiles=2)
    ...     x.sum().item(), x.runtime is four
    (28.0, True)
    """

    def __init__(self, engine: Runtime) -> None:
        self.engine = engine
        self.device = Cluster(f"{engine.name}[{engine.places}]#{next(_numbers)}", self)
        self._tokens: list[Any] = []

    @property
    def name(self) -> str:
        """threads, mpi, dask, or that of a plug-in."""
        return self.engine.name

    @property
    def mode(self) -> str:
        """driver: one program tells all places what to do. spmd: every place runs the program."""
        return self.engine.mode

    @property
    def places(self) -> int:
        """How many places there are."""
        return self.engine.places

    size = places

    @property
    def here(self) -> int | None:
        """The place of this process; None for a driver, which is at none."""
        return self.engine.here

    @property
    def rank(self) -> int:
        """The place of this process; 0 for a driver."""
        return self.engine.here or 0

    @property
    def devices(self) -> tuple[Device, ...]:
        """The devices that can be used in this process."""
        return devices()

    def barrier(self, timeout: float | None = None) -> None:
        """Return when everything that was asked for is done, at every place."""
        self.engine.barrier(timeout)

    def memory_in_use(self) -> list[int]:
        """Bytes of elements at each place."""
        return self.engine.memory_in_use()

    def close(self) -> None:
        """Give everything back; elements that it holds cannot be used any more."""
        self.engine.close()

    def __enter__(self) -> OpenRuntime:
        self._tokens.append(_current.set(self))
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        _current.reset(self._tokens.pop())
        if not self._tokens:
            self.close()

    def __repr__(self) -> str:
        return f"runtime({self.name!r}, places={self.places})"


_current: ContextVar[OpenRuntime | None] = ContextVar("runtime", default=None)
_default: list[OpenRuntime] = []


def current_runtime() -> OpenRuntime:
    """The runtime of the innermost ``with`` block; outside of all, threads of this process."""
    found = _current.get()
    if found is not None:
        return found
    if not _default:
        _default.append(OpenRuntime(Threads(cpu_count() or 1)))
    return _default[0]


def open_runtime(name: str | Runtime, *args: Any, **options: Any) -> OpenRuntime:
    """The runtime of that name, opened."""
    if not isinstance(name, str):
        if isinstance(name, Runtime) and not args and not options:
            return OpenRuntime(name)
        raise ArgumentError(f"runtime needs a name, one of {', '.join(names())}, got {name!r}")
    return OpenRuntime(_class(name.lower())(*args, **options))


def names() -> list[str]:
    """The runtimes that are known, ours first."""
    return [*OURS, *sorted(_theirs().keys() - OURS.keys())]


def _class(name: str) -> Any:
    if name in OURS:
        module, kind = OURS[name]
        return getattr(importlib.import_module(module), kind)
    theirs = _theirs().get(name)
    if theirs is None:
        raise ArgumentError(f"there is no runtime {name!r}; there are {', '.join(names())}")
    return theirs.load()


@cache
def _theirs() -> dict[str, Any]:
    metadata = importlib.import_module("importlib.metadata")
    return {entry.name.lower(): entry for entry in metadata.entry_points(group=GROUP)}
