"""Records: what each event says.

They are tuples with names, made by what happened and read by whoever listens.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias


class KernelRan(NamedTuple):
    """One pass over memory: a NumPy loop, a compiled kernel, a library call.

    ``nbytes`` are written, and ``start`` is on the clock of ``perf_counter``.
    """

    name: str
    nbytes: int
    seconds: float
    tier: int
    bytes_read: int = 0
    start: float = 0.0


class Compiled(NamedTuple):
    """A kernel was compiled, or its code was found on disk."""

    name: str
    seconds: float
    from_disk: bool = False
    start: float = 0.0


class Realized(NamedTuple):
    """So many kernels were planned and run."""

    kernels: int
    seconds: float
    start: float


class Searched(NamedTuple):
    """So many ways to run a kernel were tried."""

    tried: int
    seconds: float
    start: float


class Copied(NamedTuple):
    """Elements were moved without being changed; ``origin`` is the line that asked for it."""

    nbytes: int
    reason: str
    origin: str | None = None


class Transferred(NamedTuple):
    """Elements went from one device to another; ``origin`` is the line that made them."""

    nbytes: int
    source: str
    target: str
    origin: str | None = None
    seconds: float = 0.0
    start: float = 0.0


class Moved(NamedTuple):
    """Elements went from one place of a runtime to another, for the step ``name``.

    A ``target`` of None is the program that asked for them, which is at no place.
    """

    name: str
    source: int
    target: int | None
    nbytes: int
    seconds: float = 0.0
    start: float = 0.0


class FellBack(NamedTuple):
    """A kernel could not be made, by a mistake in onebuf, and ``name`` was computed without it."""

    name: str
    error: str
    origin: str | None = None


class Allocated(NamedTuple):
    """A block of memory came into use; ``in_use`` is the total after it."""

    nbytes: int
    in_use: int


class Progress(NamedTuple):
    """So many of ``total`` elements of a long computation are done; told after every tile."""

    name: str
    done: int
    total: int
    is_over: bool = False
    """Whether nothing more will be told of it: it is done, or has failed."""


Event: TypeAlias = (
    KernelRan
    | Compiled
    | Realized
    | Searched
    | Copied
    | Transferred
    | Moved
    | Allocated
    | FellBack
    | Progress
)
