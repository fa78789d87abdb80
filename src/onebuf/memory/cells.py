"""Cells: small arrays kept ready to be written again.

A program of small operations makes and drops arrays of the same few shapes all the time. Taking
the ready array of the right shape and dtype off a shelf costs a quarter of making a new one. Taking
and putting back are single list operations, safe in finalisers and between threads.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from onebuf.memory.chunk import Chunk

SHELF_LENGTH = 64
MOST_SHELVES = 256
MOST_BYTES = 1024


class Cell(NamedTuple):
    """An array, the chunk that it lies on, and the shelf that it goes back to."""

    array: np.ndarray[Any, Any]
    chunk: Chunk
    shelf: list[Cell]


class Shelves:
    """Cells by shape and dtype."""

    __slots__ = ("by_kind",)

    def __init__(self) -> None:
        self.by_kind: dict[tuple[tuple[int, ...], np.dtype[Any]], list[Cell]] = {}

    def shelf(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> list[Cell] | None:
        """The shelf for such cells; None when there are shelves enough already.

        A shelf, once there, stays: a cell that is out must find it again.
        """
        if len(self.by_kind) >= MOST_SHELVES and (shape, dtype) not in self.by_kind:
            return None
        return self.by_kind.setdefault((shape, dtype), [])

    def clear(self) -> list[Chunk]:
        """Take every cell off its shelf; returns their chunks."""
        chunks = []
        for shelf in list(self.by_kind.values()):
            while shelf:
                chunks.append(shelf.pop().chunk)
        return chunks

    @property
    def nbytes(self) -> int:
        """Bytes of all cells on shelves."""
        shelves = list(self.by_kind.values())
        return sum(cell.chunk.nbytes for shelf in shelves for cell in list(shelf))
