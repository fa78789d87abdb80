"""Events: what lower layers did, for listeners such as counters, profiles and progress bars.

A listener hears the thread or asynchronous task that it was added in. Without listeners, an event
costs one test. What an event says is in `onebuf.events.records`, whose names are found here too;
they are loaded when there is something to tell.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from time import perf_counter
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeAlias

from onebuf import quick
from onebuf.late import Late

if TYPE_CHECKING:
    from onebuf.events import records
    from onebuf.events.records import (
        Allocated,
        Compiled,
        Copied,
        Event,
        FellBack,
        KernelRan,
        Moved,
        Progress,
        Realized,
        Searched,
        Transferred,
    )
else:
    records = Late("onebuf.events.records")


Listener: TypeAlias = "Callable[[Event], None]"

_listeners: ContextVar[tuple[Listener, ...]] = ContextVar("listeners", default=())
listeners = _listeners.get
"""The listeners of this context. Empty is false: ``if listeners(): tell(...)`` costs nothing."""
quick.cap(lambda: quick.NONE if _listeners.get() else quick.QUICK_NUMEL)


def tell(event: Event) -> None:
    """Give ``event`` to every listener."""
    for listener in _listeners.get():
        listener(event)


def run_told(
    name: str,
    nbytes: tuple[int, int],
    tier: int,
    around: Callable[..., Any],
    run: Callable[..., Any],
    *args: Any,
) -> Any:
    """Run a kernel that reads and writes so many bytes, and tell how long it took.

    ``around`` calls what it is given: in a context, say. `directly` does nothing else.
    """
    start = perf_counter()
    result = around(kernel_frame(name), run, *args)
    tell(records.KernelRan(name, nbytes[1], perf_counter() - start, tier, nbytes[0], start))
    return result


@cache
def kernel_frame(name: str) -> Callable[..., Any]:
    """A function that calls another one, and that profilers know by the name of a kernel.

    >>> kernel_frame("add").__code__.co_name
    '<kernel add>'
    """
    named = f"<kernel {name}>"
    code = directly.__code__.replace(
        co_name=named, co_qualname=named, co_filename=KERNEL_FILE, co_firstlineno=0
    )
    return FunctionType(code, {"__builtins__": builtins})  # which errors and warnings look for


KERNEL_FILE = "~"
"""What profilers show as the file of code that has none."""


def directly(run: Callable[..., Any], *args: Any) -> Any:
    """Call ``run``."""
    return run(*args)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Hear the events of this block of code.

    >>> heard = []
    >>> with listening(heard.append):
    ...     tell(Copied(8, "an example"))
    >>> heard
    [Copied(nbytes=8, reason='an example', origin=None)]
    """
    token = _listeners.set((*_listeners.get(), listener))
    quick.refresh()
    try:
        yield
    finally:
        _listeners.reset(token)
        quick.refresh()


def listen(listener: Listener) -> None:
    """Hear events from now on, here: until a block that `listening` has begun ends, if in one."""
    if listener not in _listeners.get():
        _listeners.set((*_listeners.get(), listener))
        quick.refresh()


_watchers: ContextVar[tuple[Listener, ...] | None] = ContextVar("watchers", default=None)
usual_watchers: list[Listener] = []
"""Who is told of progress where nobody said otherwise. They hear nothing else, and cost nothing
where there is no progress to tell."""


@contextmanager
def watching(*watchers: Listener) -> Iterator[None]:
    """Tell these of progress in this block of code, in place of the usual ones."""
    token = _watchers.set(watchers)
    try:
        yield
    finally:
        _watchers.reset(token)


@contextmanager
def progress(name: str, total: int) -> Iterator[Callable[[int], None]]:
    """A function to call with how many more elements are done.

    >>> heard = []
    >>> with watching(heard.append), progress("sum", 8) as tick:
    ...     tick(8)
    >>> [(event.done, event.is_over) for event in heard]
    [(0, False), (8, False), (8, True)]
    """
    chosen = _watchers.get()
    watchers = tuple(usual_watchers) if chosen is None else chosen
    done = 0

    def say(is_over: bool = False) -> None:
        event = records.Progress(name, done, total, is_over)
        for hear in (*_listeners.get(), *watchers):
            hear(event)

    def tick(more: int) -> None:
        nonlocal done
        done += more
        say()

    say()
    try:
        yield tick
    finally:
        say(is_over=True)


# fmt: off
_RECORDS = frozenset({
    "Allocated", "Compiled", "Copied", "Event", "FellBack", "KernelRan", "Moved", "Progress",
    "Realized", "Searched", "Transferred",
})
__all__ = [
    "KERNEL_FILE", "Allocated", "Compiled", "Copied", "Event", "FellBack", "KernelRan", "Listener",
    "Moved", "Progress", "Realized", "Searched", "Transferred", "directly", "kernel_frame",
    "listen", "listeners", "listening", "progress", "run_told", "tell", "usual_watchers",
    "watching",
]
# fmt: on


def __getattr__(name: str) -> Any:
    if name not in _RECORDS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(records, name)
    return value
