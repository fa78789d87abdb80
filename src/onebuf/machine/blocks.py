"""Blocks on devices: memory that the host cannot reach by itself."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from onebuf.errors import ArgumentError, ExportError

_FREED = object()
"""What a block has for memory after it was freed."""


class DeviceBlock:
    """Memory of a device, ``nbytes`` long.

    ``memory`` is what the device's driver knows it by. ``readers`` belongs to whoever defers
    reading: weak references to the work that must be done before the memory is written. ``last`` is
    the event of what was queued last that writes here. ``watcher`` is called after a write to part
    of it. The memory goes back to where it came from when nobody holds the block any more.
    """

    __slots__ = (
        "_memory",
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
        self._memory = memory
        self.nbytes = nbytes
        self.readers: dict[Any, weakref.ref[Any]] = {}
        self.last: Any = None
        self.keeps = keeps
        """Whoever owns the memory, if somebody else does."""
        self.watcher: Callable[[], None] | None = None
        self._give_back = give_back

    @property
    def is_shared(self) -> bool:
        """Whether others can write to this memory without asking."""
        return self.keeps is not None

    def touched(self) -> None:
        """Somebody has written to elements that others may hold."""
        if self.watcher is not None:
            self.watcher()

    @property
    def memory(self) -> Any:
        """What the driver knows the memory by; an error once it was freed."""
        if self._memory is _FREED:
            raise ExportError(
                f"this block of {self.nbytes} bytes was freed, and its memory may be somebody "
                f"else's by now; allocate another one"
            )
        return self._memory

    @memory.setter
    def memory(self, memory: Any) -> None:
        self._memory = memory

    @property
    def is_freed(self) -> bool:
        """Whether the memory was given back."""
        return self._memory is _FREED

    def free(self) -> None:
        """Give the memory back now; the block must not be used again."""
        if self.is_freed:
            raise ExportError(
                f"this block of {self.nbytes} bytes was freed already; a block is freed once, or "
                f"never: its memory goes back by itself when nobody holds it"
            )
        self._let_go()

    def check_range(self, offset_bytes: int, nbytes: int) -> None:
        """Raise unless a transfer of ``nbytes`` from ``offset_bytes`` on stays in the block."""
        if offset_bytes < 0 or offset_bytes + nbytes > self.nbytes:
            raise ArgumentError(
                f"needed bytes {offset_bytes} to {offset_bytes + nbytes} of a block that has "
                f"{self.nbytes}; transfer fewer bytes or allocate more"
            )

    def _let_go(self) -> None:
        memory, self._memory = self._memory, _FREED
        give_back, self._give_back = self._give_back, None
        self.keeps = None
        if give_back is not None:
            give_back(memory)

    def __del__(self) -> None:
        if self._memory is not _FREED:
            self._let_go()
