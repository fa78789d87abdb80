"""Blocks: memory of a device, as its driver knows it."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from onebuf.errors import ArgumentError, ExportError

_FREED = object()
"""The memory of a block that was freed."""


def negative_size(nbytes: int) -> ArgumentError:
    """The error of a block with a negative size."""
    return ArgumentError(f"memory needs a size of at least 0 bytes, got {nbytes}")


class DeviceBlock:
    """Memory of a device, ``nbytes`` long.

    ``memory`` is the driver's object for it. ``readers`` are weak references to pending reads, to
    be done before the memory is written. ``last`` is the event of the last write that was queued.
    ``watcher`` is called after a write to a part of it. The memory returns to its allocator when
    the block has no references any more.
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
        """The owner of the memory, if it is not the allocator."""
        self.watcher: Callable[[], None] | None = None
        self._give_back = give_back

    @property
    def is_shared(self) -> bool:
        """Whether the memory has another owner, who can write to it at any time."""
        return self.keeps is not None

    def touched(self) -> None:
        """Note a write to a part of the memory."""
        if self.watcher is not None:
            self.watcher()

    @property
    def memory(self) -> Any:
        """The driver's object for the memory; an error once it was freed."""
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
        """Whether the memory was freed."""
        return self._memory is _FREED

    def free(self) -> None:
        """Free the memory now; the block must not be used again."""
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
