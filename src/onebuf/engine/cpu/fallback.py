"""Fallback: a graph whose kernels cannot be made is interpreted, operation by operation.

A mistake in planning, rendering or compiling is a mistake of onebuf, and the user's values can be
computed without kernels. So it is counted and told once, with a request to report it, and the graph
is interpreted from then on. What is not ours is never hidden: errors of the user's own graph, of
code that Python runs in the middle of ours (listeners, signal handlers), and missing memory.
"""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Callable
from typing import Any

from onebuf.events import FellBack, listeners, tell

_OURS = frozenset({"onebuf", "llvmlite", "numpy", "ml_dtypes", *sys.stdlib_module_names})
"""Packages whose code runs when kernels are made."""
_THEIRS = frozenset({"__main__"})
_NEVER = (MemoryError, RecursionError)
"""Errors that interpreting would meet as well."""

total = 0
"""How often something was interpreted because its kernel could not be made."""
last = ""
"""What it was, the last time."""


def is_internal(error: Exception) -> bool:
    """Whether ``error``, caught where kernels are made, is a mistake of onebuf.

    It is not if code of another package, or of the program itself, is among its frames: a signal
    handler that raises, say.
    """
    if isinstance(error, _NEVER):
        return False
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    names = [str(frame.f_globals.get("__name__", "onebuf")) for frame in frames]
    return all(name.partition(".")[0] in _OURS and name not in _THEIRS for name in names)


def note(error: Exception, name: str, origin: str | None = None) -> None:
    """Count that ``name`` has no kernel because of ``error``, and say so the first time."""
    global total, last
    total += 1
    last = f"{name} ({type(error).__name__}: {error})"
    if listeners():
        tell(FellBack(name, f"{type(error).__name__}: {error}", origin))
    if total == 1:
        at = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{at.filename.rpartition('onebuf')[2].lstrip('/')}:{at.lineno}"
        warnings.warn(
            f"onebuf could not make a kernel for {name}, and computes it without one: slower, with "
            f"the same values. This is a mistake in onebuf, not in your program; please report it "
            f"with this text. {type(error).__name__} at {place}: {str(error)[:500]}"
            + (f" (asked for at {origin})" if origin else ""),
            RuntimeWarning,
            stacklevel=2,
        )


def attempt(name: str, make: Callable[..., Any], *args: Any) -> Any:
    """What ``make`` gives for ``args``; None if it is internally at fault, which is noted."""
    try:
        return make(*args)
    except Exception as error:
        if not is_internal(error):
            raise
        note(error, name)
        return None
