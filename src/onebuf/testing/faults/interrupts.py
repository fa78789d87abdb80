"""Interrupts at every instant at which one can come, one after the other.

CPython handles signals when a function of Python begins and when one of C has returned. A profile
function is called at the same instants, so raising there is what Ctrl-C does, without luck::

    for interrupt in instants(KeyboardInterrupt):
        x = make()
        with interrupt:
            x.realize()
        assert_same(x, wanted)
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterator
from functools import cache
from types import CodeType, FrameType, TracebackType
from typing import Any


@cache
def _looks_for_signals(code: CodeType) -> bool:
    """Whether a function runs signal handlers when it begins; almost all do."""
    resume = next((i.arg for i in dis.get_instructions(code) if i.opname == "RESUME"), 0)
    return (resume or 0) < 2


class Interrupt:
    """A block of code in which an error is raised at one instant; it ends the block."""

    def __init__(self, number: int, error: type[BaseException] = KeyboardInterrupt) -> None:
        self.left = number
        self.has_come = False
        self._error = error
        # Held: CPython 3.11 may call a profile function that a finaliser has just removed. Making
        # the frame object for the call can collect garbage, and the call has no reference.
        self._profile = self._at

    def __bool__(self) -> bool:
        """Whether the interrupt has come."""
        return self.has_come

    def __enter__(self) -> Interrupt:
        sys.setprofile(self._profile)
        return self

    def _at(self, frame: FrameType, event: str, arg: Any) -> None:
        if self.has_come:
            return
        if event == "call":
            if not _looks_for_signals(frame.f_code):
                return
        elif event != "c_return":
            return
        if self.left:
            self.left -= 1
        elif frame.f_code is not Interrupt.__exit__.__code__:
            self.has_come = True
            sys.setprofile(None)
            raise self._error("an interrupt, as the test wanted it")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> bool:
        sys.setprofile(None)
        return self.has_come and isinstance(error, self._error)


def instants(
    error: type[BaseException] = KeyboardInterrupt, first: int = 0, step: int = 1
) -> Iterator[Interrupt]:
    """Interrupts for a block of code: at the first instant, at the next, ... until none is left."""
    number = first
    while True:
        interrupt = Interrupt(number, error)
        yield interrupt
        if not interrupt.has_come:
            return
        number += step
