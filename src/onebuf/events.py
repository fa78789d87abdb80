"""What happens inside, told to whoever listens.

Lower layers say what they did; counters, profiles and progress bars listen. A listener hears the
thread or asynchronous task it was added in, and nobody pays for telling when nobody listens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, TypeAlias


class KernelRan(NamedTuple):
    """One pass over memory: a NumPy loop, a compiled kernel, a library call."""

    name: str
    nbytes: int
    seconds: float
    tier: int


class Compiled(NamedTuple):
    """A kernel was compiled, or its code was found on disk."""

    name: str
    seconds: float
    from_disk: bool = False


class Copied(NamedTuple):
    """Elements were moved without being changed."""

    nbytes: int
    reason: str


class Allocated(NamedTuple):
    """A block of memory came into use; ``in_use`` is the total after it."""

    nbytes: int
    in_use: int


Event: TypeAlias = KernelRan | Compiled | Copied | Allocated
Listener: TypeAlias = Callable[[Event], None]

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
