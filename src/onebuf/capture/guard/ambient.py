"""Ambient state: what every operation depends on and no argument says, such as options."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from onebuf.options import options

AMBIENT: dict[str, Callable[[], Hashable]] = {"options": options}
"""Functions that give a part of the ambient state, by the name of the part."""


def register_ambient(name: str, function: Callable[[], Hashable]) -> None:
    """Let captured functions depend on what ``function`` gives; ``name`` says what that is.

    >>> level = [1]
    >>> register_ambient("level", lambda: level[0])
    >>> AMBIENT.pop("level")()
    1
    """
    AMBIENT[name] = function
