"""Packed boxes: how the boxes that one place holds lie in one block of memory.

They lie one after another in the order of the partition, row-major each, and begin at multiples of
the alignment. So where any element of any place lies follows from the partition and from the
offset of one block for each place, and no table has to be exchanged. Offsets are in bytes.
"""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from onebuf.placement import Box, numel_of
from onebuf.runtimes.mpi.slab import aligned

FEW = 8
"""Up to so many boxes, looking at one after another is the quickest way to find one."""


class PackedBoxes:
    """Boxes of elements with ``itemsize`` bytes each, one after another.

    >>> packed = PackedBoxes((((0, 2), (0, 3)), ((4, 6), (0, 3))), 8)
    >>> packed.offsets, packed.nbytes
    ((0, 64), 128)
    >>> packed.find(((5, 6), (0, 1)))
    1
    """

    __slots__ = ("boxes", "offsets", "nbytes", "_lows", "_highs")

    def __init__(self, boxes: tuple[Box, ...], itemsize: int) -> None:
        sizes = [aligned(numel_of(box) * itemsize) for box in boxes]
        ends = tuple(accumulate(sizes, initial=0))
        self.boxes = boxes
        self.offsets = ends[:-1]
        self.nbytes = ends[-1]
        if len(boxes) > FEW:
            bounds = np.array(boxes, np.int64)
            self._lows, self._highs = bounds[:, :, 0], bounds[:, :, 1]

    def find(self, piece: Box) -> int:
        """The number of the box that ``piece`` lies in."""
        if len(self.boxes) > FEW:
            lows, highs = np.array(piece, np.int64).T
            inside = ((self._lows <= lows) & (highs <= self._highs)).all(axis=1)
            number = int(inside.argmax())
            if inside[number]:
                return number
        for number, box in enumerate(self.boxes):
            pairs = zip(piece, box, strict=True)
            if all([low >= start and high <= end for (low, high), (start, end) in pairs]):
                return number
        raise AssertionError(f"the piece {piece} lies in none of the boxes {self.boxes}")
