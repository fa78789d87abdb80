"""Blocks on devices: memory that the host cannot reach by itself."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any


class DeviceBlock:
    """Memory of a device, ``nbytes`` long.

    ``memory`` is what the device's driver knows it by. ``readers`` belongs to whoever defers
    reading: weak references to the work that must be done before the memory is written. ``last`` is
    the event of what was queued last that writes here. ``watcher`` is called after a write to part
    of it. The memory goes back to where it came from when nobody holds the block any more.
    """

    __slots__ = (
        "memory",
        "nbytes",
        "readers",
        "last",
        "keeps",
        "watcher",
        "_give_back",
        "__weakref__",
    )

    writable = True
    has_window = False

    def __init__(
        self,
        memory: Any,
        nbytes: int,
        give_back: Callable[[Any], None] | None = None,
        keeps: Any = None,
    ) -> None:
        self.memory = memory
        self.nbytes = nbytes
        self.readers: dict[Any, weakref.ref[Any]] = {}
        self.last: Any = None
        self.keeps = keeps
        """Whoever owns the memory, if somebody else does."""
        self.watcher: Callable[[], None] | None = None
        self._give_back = give_back

    def touched(self) -> None:
        """Somebody has written to elements that others may hold."""
        if self.watcher is not None:
            self.watcher()

    def free(self) -> None:
        """Give the memory back now; the block must not be used again."""
        give_back, self._give_back = self._give_back, None
        if give_back is not None:
            give_back(self.memory)
        self.memory = None

    def __del__(self) -> None:
        self.free()
