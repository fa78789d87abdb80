"""Jagged shapes: rows that need not have the same length.

The first axis counts the rows; each row is a shape of its own, all of one rank. Rows that are
jagged themselves make shapes of any depth.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeAlias

from onebuf.errors import ArgumentError, ArgumentTypeError, RegionError, ShapeError
from onebuf.shapes.box import Box, Index, integer
from onebuf.shapes.smooth import Smooth

Row: TypeAlias = "Smooth | Jagged"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Jagged:
    """Rows of different shapes and of one rank.

    Parameters
    ----------
    rows
        A sequence with an entry for each row: a `Smooth` or `Jagged` shape, an extent, a tuple of
        extents, or a list, which is a jagged row.

    >>> shape = Jagged([10, 20, 30])
    >>> shape.rank, shape.size, shape.bounding
    (2, 60, (3, 30))
    >>> shape.boxes()
    [((0, 0), (1, 10)), ((1, 0), (2, 20)), ((2, 0), (3, 30))]
    >>> Jagged([[10], [20, 30]]).rank
    3
    """

    rows: tuple[Row, ...]
    rank: int
    """How many axes there are."""
    size: int
    """How many elements there are."""
    bounding: Index
    """The extents of the smallest box that has all elements."""

    def __init__(self, *rows: Any) -> None:
        if len(rows) == 1 and isinstance(rows[0], (list, tuple)):
            rows = tuple(rows[0])
        parts = tuple([_row(row) for row in rows])
        ranks = {part.rank for part in parts}
        if len(ranks) > 1:
            other = next(n for n, part in enumerate(parts) if part.rank != parts[0].rank)
            raise ShapeError(
                f"Jagged needs rows of one rank, got rank {parts[0].rank} in row 0 and rank "
                f"{parts[other].rank} in row {other}: {parts[other]!r}"
            )
        inner = [max(sizes) for sizes in zip(*[part.extents for part in parts], strict=True)]
        object.__setattr__(self, "rows", parts)
        object.__setattr__(self, "rank", 1 + max(ranks, default=0))
        object.__setattr__(self, "size", sum([part.size for part in parts]))
        object.__setattr__(self, "bounding", (len(parts), *inner))

    @property
    def extents(self) -> Index:
        """The extents of the smallest box that has all elements: `bounding`."""
        return self.bounding

    def boxes(self) -> list[Box]:
        """Boxes that have exactly the elements; neighbouring rows that are equal share theirs.

        >>> Jagged([4, 4, 2]).boxes()
        [((0, 0), (2, 4)), ((2, 0), (3, 2))]
        """
        boxes: list[Box] = []
        begin = 0
        for row, same in groupby(self.rows):
            end = begin + len(list(same))
            boxes += [((begin, *first), (end, *last)) for first, last in row.boxes()]
            begin = end
        return boxes

    def __iter__(self) -> Iterator[Index]:
        """The indices in row-major order."""
        for n, row in enumerate(self.rows):
            for index in row:
                yield (n, *index)

    offsets = __iter__

    def __contains__(self, index: object) -> bool:
        if not isinstance(index, tuple) or len(index) != self.rank or not self.rows:
            return False
        return 0 <= index[0] < len(self.rows) and index[1:] in self.rows[index[0]]

    def chip(self, *indices: int) -> Row:
        """The shape of one row; with more indices, of one row of that row, and so on.

        >>> Jagged([10, 20, 30]).chip(1)
        Smooth(20)
        """
        if not indices:
            raise ArgumentTypeError("chip of a jagged shape needs the number of a row, got none")
        n = integer(indices[0], "chip: the number of a row")
        if not 0 <= n < len(self.rows):
            raise RegionError(
                f"chip needs the number of a row in 0..{len(self.rows) - 1} of a jagged shape of "
                f"{len(self.rows)} rows, got {n}"
            )
        row = self.rows[n]
        return row.chip(*indices[1:]) if len(indices) > 1 else row

    def prefix_count(self, length: int) -> int:
        """How many different beginnings of ``length`` numbers the indices have."""
        if length < 2:
            return len(self.rows) if length else 1
        return sum([row.prefix_count(length - 1) for row in self.rows])

    def __repr__(self) -> str:
        return f"Jagged([{', '.join([_spelled(row) for row in self.rows])}])"


def _row(row: Any) -> Row:
    if isinstance(row, Smooth) and any(row.origin):
        raise ArgumentError(f"Jagged needs rows that begin at index 0, got {row!r}")
    if isinstance(row, (Smooth, Jagged)):
        return row
    if isinstance(row, list):
        return Jagged(row)
    if isinstance(row, Iterable) and not isinstance(row, tuple):
        raise ArgumentTypeError(
            f"Jagged needs rows that are shapes, extents, tuples of extents or lists of rows, got "
            f"{row!r}"
        )
    return Smooth(*row) if isinstance(row, tuple) else Smooth(row)


def _spelled(row: Row) -> str:
    return str(row.extents[0]) if isinstance(row, Smooth) and row.rank == 1 else repr(row)
