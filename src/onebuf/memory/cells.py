"""Cells: small arrays for reuse, on one free list (a shelf) for each shape and dtype.

A program of small operations makes and drops arrays of the same few shapes all the time. Taking an
array off its shelf costs a quarter of making a new one. Taking and putting back are single list
operations, safe in finalisers and between threads.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from onebuf.memory.chunk import Chunk
from onebuf.native import core

SHELF_LENGTH = 64
"""The most cells of more than SMALL_BYTES on a shelf, and the most shelves for such cells."""
SHELF_BYTES = 512 * 1024
"""The most bytes of such cells on one shelf, so that all of them keep 32 MiB at most."""
MOST_SHELVES = 256
SMALL_BYTES = 1024
SMALL_SHELF_BYTES = 256 * 1024
"""The same for small cells, of which programs keep many, such as a row for each step: all of them
keep 64 MiB at most, which `onebuf.trim` gives back."""
MOST_BYTES = 256 * 1024


class Shelf(Protocol):
    """A free list of cells: what is put there last is taken first."""

    def append(self, cell: Cell, /) -> None:
        """Put a cell there."""

    def pop(self) -> Cell:
        """Take one; an IndexError if there is none."""

    def __len__(self) -> int: ...

    def __getitem__(self, place: int, /) -> Cell: ...


class Cell(NamedTuple):
    """An array, the chunk that it lies on, the shelf that it goes back to, and how long that is."""

    array: np.ndarray[Any, Any]
    chunk: Chunk
    shelf: Shelf
    most: int


def most_cells(nbytes: int) -> int:
    """The most cells of ``nbytes`` bytes on one shelf.

    >>> most_cells(64), most_cells(1024), most_cells(2048), most_cells(65536)
    (4096, 256, 64, 8)
    """
    if nbytes <= SMALL_BYTES:
        return SMALL_SHELF_BYTES // nbytes
    return min(SHELF_LENGTH, SHELF_BYTES // nbytes)


def _shelf(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Shelf:
    """A new shelf for cells of this kind."""
    return [] if core is None else core.Shelf(shape, dtype)


class Shelves:
    """Cells by shape and dtype."""

    __slots__ = ("_large", "by_kind")

    def __init__(self) -> None:
        self.by_kind: dict[tuple[tuple[int, ...], np.dtype[Any]], Shelf] = {}
        self._large = 0

    def shelf(self, shape: tuple[int, ...], dtype: np.dtype[Any], nbytes: int) -> Shelf | None:
        """The shelf for such cells; None when there are shelves enough already.

        A shelf, once there, stays: a cell that is out must find it again.
        """
        found = self.by_kind.get((shape, dtype))
        if found is not None or nbytes > MOST_BYTES or len(self.by_kind) >= MOST_SHELVES:
            return found
        if nbytes > SMALL_BYTES:
            if self._large >= SHELF_LENGTH:
                return None
            self._large += 1
        return self.by_kind.setdefault((shape, dtype), _shelf(shape, dtype))

    def clear(self) -> list[Chunk]:
        """Take every cell off its shelf; returns their chunks."""
        chunks = []
        for shelf in list(self.by_kind.values()):
            while len(shelf):
                try:
                    chunks.append(shelf.pop().chunk)
                except IndexError:  # another thread has taken the last one
                    break
        return chunks

    @property
    def nbytes(self) -> int:
        """Bytes of all cells on shelves."""
        shelves = list(self.by_kind.values())
        return sum(cell.chunk.nbytes for shelf in shelves for cell in list(shelf))  # type: ignore[call-overload]
