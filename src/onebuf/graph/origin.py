"""Where in the user's program a node was made, kept cheaply and read only when asked for.

A code object and an instruction offset say it all; the line number and its text are looked up
when an error or an explanation wants to show them.
"""

from __future__ import annotations

import linecache
import os
import sys
from types import CodeType, FrameType
from typing import NamedTuple

from onebuf.events import KERNEL_FILE

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep

_is_ours: dict[str, bool] = {KERNEL_FILE: True}


class Origin(NamedTuple):
    """A place in a program."""

    code: CodeType
    instruction: int

    @property
    def line(self) -> int:
        """The line number."""
        line = self.code.co_firstlineno
        for start, end, number in self.code.co_lines():
            if start <= self.instruction < end and number is not None:
                line = number
        return line

    def __str__(self) -> str:
        text = linecache.getline(self.code.co_filename, self.line).strip()
        place = f"{self.code.co_filename}:{self.line}"
        return f"{place}: {text}" if text else place


def caller() -> tuple[CodeType, int] | None:
    """The innermost place outside this package that led to the caller."""
    frame: FrameType | None
    try:
        frame = sys._getframe(3)  # the usual way here is through two functions of ours
    except ValueError:
        frame = sys._getframe(1)
    return _outside(frame)


def here() -> str:
    """The line of the user's program that is running, for people; empty if there is none."""
    found = _outside(sys._getframe(1))
    return "" if found is None else str(Origin(*found))


def is_ours(file: str) -> bool:
    """Whether a file of code is of this package."""
    ours = _is_ours.get(file)
    if ours is None:
        ours = _is_ours[file] = file.startswith(PACKAGE)
    return ours


def _outside(frame: FrameType | None) -> tuple[CodeType, int] | None:
    """The innermost place outside this package, from ``frame`` outwards."""
    while frame is not None:
        code = frame.f_code
        ours = _is_ours.get(code.co_filename)
        if not (is_ours(code.co_filename) if ours is None else ours):
            return code, frame.f_lasti
        frame = frame.f_back
    return None
