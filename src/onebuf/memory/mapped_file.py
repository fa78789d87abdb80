"""Files as memory: a block whose bytes are a file's, read only when they are touched."""

from __future__ import annotations

import mmap
import os
from typing import Literal

import numpy as np

from onebuf.errors import ArgumentError, FileFormatError
from onebuf.memory.block import Block

Mode = Literal["r", "r+", "c"]
MODES = ("r", "r+", "c")

_ACCESS = {"r": mmap.ACCESS_READ, "r+": mmap.ACCESS_WRITE, "c": mmap.ACCESS_COPY}


class FileBlock(Block):
    """The bytes of a mapped file.

    ``path`` and ``mode`` are as given to `map_file`. Writes reach the file when the system sees
    fit, and at the latest after `flush`.
    """

    __slots__ = ("mode", "path")

    path: str
    mode: Mode

    def part(self, offset_bytes: int, nbytes: int) -> FileBlock:
        """A block of its own for ``nbytes`` of this one, on the same mapping.

        The two blocks know nothing of each other before they `settle_in_file`.
        """
        if offset_bytes < 0 or nbytes < 0 or offset_bytes + nbytes > self.nbytes:
            raise FileFormatError(
                f"{self.path}: needed bytes {offset_bytes} to {offset_bytes + nbytes}, "
                f"but there are {self.nbytes}; the file is truncated or not of this format"
            )
        start_bytes = self.offset_bytes + offset_bytes
        block = FileBlock(
            self.memory, start_bytes, nbytes, self.address + offset_bytes, self.writable
        )
        block.path, block.mode = self.path, self.mode
        return block

    def flush(self) -> None:
        """Wait until everything written so far to this block is in the file."""
        if self.mode == "r+" and isinstance(self.memory, mmap.mmap) and self.nbytes:
            start_bytes = self.offset_bytes - self.offset_bytes % mmap.ALLOCATIONGRANULARITY
            self.memory.flush(start_bytes, self.offset_bytes + self.nbytes - start_bytes)


def check_mode(mode: str) -> None:
    """Raise unless ``mode`` is one that files can be opened in."""
    if mode not in MODES:
        raise ArgumentError(
            f"mode needs 'r' (read only), 'r+' (read and write) or 'c' (writes stay in memory), "
            f"got {mode!r}"
        )


def map_file(
    path: str | os.PathLike[str], mode: Mode = "r", offset_bytes: int = 0, nbytes: int | None = None
) -> FileBlock:
    """Map ``nbytes`` of a file from ``offset_bytes`` on, to the end if None.

    The file must exist: opening never creates or changes one.
    """
    check_mode(mode)
    path = os.fspath(path)
    with open(path, "r+b" if mode == "r+" else "rb") as file:
        available = os.fstat(file.fileno()).st_size
        if nbytes is None:
            nbytes = available - offset_bytes
        if offset_bytes < 0 or nbytes < 0 or offset_bytes + nbytes > available:
            raise FileFormatError(
                f"{path}: needed bytes {offset_bytes} to {offset_bytes + nbytes}, "
                f"but the file ends at {available}; it is truncated or not of this format"
            )
        empty = available == 0
        memory = bytearray() if empty else mmap.mmap(file.fileno(), 0, access=_ACCESS[mode])
    address = np.frombuffer(memory, np.uint8).ctypes.data + offset_bytes
    block = FileBlock(memory, offset_bytes, nbytes, address, mode != "r")
    block.path, block.mode = path, mode
    return block
