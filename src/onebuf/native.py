"""The native core: the usual case of small operations in C, where it was built.

`core` is the extension module, or None: where it was not built, where the interpreter cannot load
it, and if the environment has ``ONEBUF_PURE=1``. Everything works without it. Each of its functions
has a twin in Python, which does what the core leaves aside, is what it is tested against, and is
what runs without it (docs/design/0022-native-core.md).

`NodeFields` and `HandleFields` are the attributes of nodes and buffers: C structs, or slots.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

core: Any = None
if os.environ.get("ONEBUF_PURE", "0") in ("", "0"):
    try:
        core = import_module("onebuf._native")
    except ImportError:
        core = None

C = TypeVar("C", bound=type)
F = TypeVar("F", bound=Callable[..., Any])

if TYPE_CHECKING or core is None:

    class NodeFields:
        """The attributes of all nodes."""

        __slots__ = (
            *("op", "srcs", "arg", "shape", "dtype", "replays", "made_at", "array", "block"),
            *("readers", "claimed", "device", "_block", "_cell", "_array", "_owner", "scalar"),
            "__weakref__",
        )
        parts = 0
        """How many leaves share the memory of this one without having asked for its block."""

    class HandleFields:
        """The attributes of all buffers."""

        __slots__ = ("__weakref__", "_base", "_node")

else:
    NodeFields = core.NodeFields
    HandleFields = core.HandleFields


FUNCTIONS: tuple[type, ...] = () if core is None else (core.Function, core.Method)
"""Types of the core's functions; each has its Python twin as ``__wrapped__``."""


def native_class(kind: C) -> C:
    """The class ``kind`` of nodes, whose instances the core makes and takes back."""
    if core is None:
        return kind
    made: C = core.native_class(kind)
    made.__doc__ = kind.__doc__
    return made


def quick(kind: str, what: Any = None) -> Callable[[F], F]:
    """Let the core try first what a function does, whose twin is decorated."""

    def decorate(twin: F) -> F:
        return twin if core is None else core.Function(kind, twin, what)

    return decorate
