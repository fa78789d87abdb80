"""vkdispatch's log: lines on standard output, from a level on, with the caller's file and line."""

from __future__ import annotations

import os
import sys
from enum import Enum

from onebuf.errors import ArgumentTypeError


class LogLevel(Enum):
    """How much a message matters; those below the level that is set are not printed."""

    VERBOSE = 0
    INFO = 1
    WARNING = 2
    ERROR = 3


class _State:
    level = LogLevel.WARNING


def set_log_level(level: LogLevel) -> None:
    """Print messages of this level and above from now on."""
    _State.level = check_level(level)


def check_level(level: object) -> LogLevel:
    """``level`` itself, if it is one."""
    if not isinstance(level, LogLevel):
        names = ", ".join(f"LogLevel.{one.name}" for one in LogLevel)
        raise ArgumentTypeError(f"a log level needs to be one of {names}; got {level!r}")
    return level


def log(
    text: str, end: str = "\n", level: LogLevel = LogLevel.ERROR, stack_offset: int = 1
) -> None:
    """Print a message with its level and the line that ``stack_offset`` calls up wrote it.

    >>> log("too warm", level=LogLevel.WARNING)
    [WARNING ...] too warm
    """
    if check_level(level).value < _State.level.value:
        return
    frame = sys._getframe(stack_offset)
    try:
        file = os.path.relpath(frame.f_code.co_filename)
    except (OSError, ValueError):  # no working directory, or another drive
        file = frame.f_code.co_filename
    print(f"[{level.name} {file}:{frame.f_lineno}] {text}", end=end)


def log_error(text: str, end: str = "\n") -> None:
    """Print an error."""
    log(text, end, LogLevel.ERROR, 2)


def log_warning(text: str, end: str = "\n") -> None:
    """Print a warning."""
    log(text, end, LogLevel.WARNING, 2)


def log_info(text: str, end: str = "\n") -> None:
    """Print what is good to know."""
    log(text, end, LogLevel.INFO, 2)


def log_verbose(text: str, end: str = "\n") -> None:
    """Print a detail."""
    log(text, end, LogLevel.VERBOSE, 2)
