"""Threads in an order that a test says, and errors where it says: hooks for `onebuf.switch`.

A thread runs alone until it reaches the point that the test names, and waits there while others
run. What two threads do between two lines is thus tried on purpose, not by luck::

    with Interleaving(first=write, second=read) as threads:
        threads.run("second", to="read.ready")
        threads.run("first")
        threads.run("second")
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from onebuf import switch

BLOCKED_SECONDS = 0.5
"""A thread that has not come further in this time waits for a lock that another one holds."""
HUNG_SECONDS = 60.0


class _Thread:
    """A thread that runs when it is told to."""

    def __init__(self, name: str, work: Callable[[], Any], hook: Callable[[], None]) -> None:
        self.stop: str | None = None
        self.at: str | None = "start"
        self.go = threading.Semaphore(0)
        self.stopped = threading.Semaphore(0)
        self.error: BaseException | None = None
        self.is_done = False
        self._hook = hook
        self.thread = threading.Thread(target=self._run, args=(work,), name=name, daemon=True)
        self.thread.start()

    def _run(self, work: Callable[[], Any]) -> None:
        self._hook()
        self.go.acquire()
        self.at = None
        try:
            work()
        except BaseException as error:
            self.error = error
        finally:
            self.is_done = True
            self.stopped.release()

    def reached(self, point: str) -> None:
        """Wait here, if this is where the test wants it."""
        if point == self.stop:
            self.stop = None
            self.at = point
            self.stopped.release()
            self.go.acquire()
            self.at = None


class Interleaving:
    """Threads by name, of which one runs at a time, as far as the test says."""

    def __init__(self, **works: Callable[[], Any]) -> None:
        self._local = threading.local()
        self._threads = {
            name: _Thread(name, work, lambda name=name: self._enter(name))  # type: ignore[misc]
            for name, work in works.items()
        }
        self._hooked = switch.hooked(self._reached)

    def __enter__(self) -> Interleaving:
        self._hooked.__enter__()
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        """Let every thread run to its end; the first error of any is raised, if there is none."""
        try:
            for one in self._threads.values():
                one.stop = None
                if not one.is_done:
                    one.go.release()
            for one in self._threads.values():
                one.thread.join(HUNG_SECONDS)
        finally:
            self._hooked.__exit__(None, None, None)
        hung = [name for name, one in self._threads.items() if one.thread.is_alive()]
        assert not hung, f"these threads hang: {hung}"
        if error is None:
            for one in self._threads.values():
                if one.error is not None:
                    raise one.error

    def run(self, name: str, to: str | None = None, blocks: bool = False) -> bool:
        """Let a thread run until it comes to the point ``to``, or to its end.

        ``blocks``: it is expected to wait for a lock that another one holds. False if it does; it
        goes on as soon as it can.
        """
        one = self._threads[name]
        assert to is None or to in switch.POINTS, f"{to} is no switch point"
        assert not one.is_done, f"{name} has ended"
        one.stop = to
        one.go.release()
        if not one.stopped.acquire(timeout=BLOCKED_SECONDS if blocks else HUNG_SECONDS):
            return False
        if to is not None:
            assert one.at == to, f"{name} ended without coming to {to}" + (
                "" if one.error is None else f": {one.error!r}"
            )
        return True

    def has_ended(self, name: str) -> bool:
        """Whether a thread has done all its work."""
        return self._threads[name].is_done

    def _enter(self, name: str) -> None:
        self._local.name = name

    def _reached(self, point: str) -> None:
        name = getattr(self._local, "name", None)
        if name is not None:
            self._threads[name].reached(point)


@contextmanager
def at_point(
    point: str, action: Callable[[], Any], after: int = 0, times: int = 1
) -> Iterator[list[int]]:
    """Call ``action`` when this thread comes to a point, ``after`` the first so many times.

    What it raises comes out of the point, as an interrupt would. The action itself meets no point.
    Gives a list of one number: how often the action was called::

        def interrupt():
            raise KeyboardInterrupt

        with at_point("plan.step", interrupt), pytest.raises(KeyboardInterrupt):
            x.realize()
    """
    assert point in switch.POINTS, f"{point} is no switch point"
    me = threading.get_ident()
    count = [0]
    seen = 0
    is_acting = False

    def hook(name: str) -> None:
        nonlocal seen, is_acting
        if name != point or threading.get_ident() != me or is_acting or count[0] >= times:
            return
        seen += 1
        if seen <= after:
            return
        count[0] += 1
        is_acting = True
        try:
            action()
        finally:
            is_acting = False

    with switch.hooked(hook):
        yield count
