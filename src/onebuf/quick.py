"""The quick limit: how many elements an operation may have that takes the shortest way, here.

Small operations look at one context variable to know that nothing unusual is asked for: no listener
wants to hear of them, no option forbids them. Who has such a wish registers it as a `cap`, and
calls `refresh` whenever it changes in this thread or task.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

from onebuf.native import core

QUICK_NUMEL = 32768
"""Elements up to which the short way is open where nothing else is said."""
NONE = -1
"""The limit where no operation may take the shortest way, not even on no elements."""

_limit: ContextVar[int] = ContextVar("quick limit", default=QUICK_NUMEL)
quick_limit = _limit.get
"""The limit in force here."""
_caps: list[Callable[[], int]] = []
if core is not None:
    core.note_contexts(quick_limit)


def cap(limit: Callable[[], int]) -> None:
    """Let ``limit`` say how many elements are few, besides all others that were registered."""
    _caps.append(limit)


def refresh() -> None:
    """Find the limit of this context anew."""
    if core is not None:
        core.note_contexts(quick_limit)  # from now on it has to ask
    _limit.set(min([limit() for limit in _caps], default=QUICK_NUMEL))
