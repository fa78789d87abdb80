"""What happens inside, told to whoever listens.

Lower layers say what they did; counters, profiles and progress bars listen. A listener hears the
thread or asynchronous task it was added in, and nobody pays for telling when nobody listens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened."""


@dataclass(frozen=True, slots=True)
class KernelRan(Event):
    """One pass over memory: a NumPy loop, a compiled kernel, a library call."""

    name: str
    nbytes: int
    seconds: float
    tier: int


@dataclass(frozen=True, slots=True)
class Compiled(Event):
    """A kernel was compiled."""

    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Copied(Event):
    """Elements were moved without being changed."""

    nbytes: int
    reason: str


@dataclass(frozen=True, slots=True)
class Allocated(Event):
    """A block of memory came into use; ``in_use`` is the total after it."""

    nbytes: int
    in_use: int


Listener = Callable[[Event], None]

_listeners: ContextVar[tuple[Listener, ...]] = ContextVar("listeners", default=())
listeners = _listeners.get
"""Those who listen here now. Empty is false: ``if listeners(): tell(...)`` costs nothing."""


def tell(event: Event) -> None:
    """Give ``event`` to every listener."""
    for listener in _listeners.get():
        listener(event)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Hear the events of this block of code.

    >>> heard = []
    >>> with listening(heard.append):
    ...     tell(Copied(8, "an example"))
    >>> heard
    [Copied(nbytes=8, reason='an example')]
    """
    token = _listeners.set((*_listeners.get(), listener))
    try:
        yield
    finally:
        _listeners.reset(token)
