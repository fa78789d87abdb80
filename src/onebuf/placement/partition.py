"""Partitions: the tiles of a shape, and who holds each of them.

Tiles have numbers in row-major order of their grid. An assignment says which place holds a number.
Elements that one place holds in tiles that lie next to each other are one box, so that what is
asked of a regular partition costs by places, not by tiles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import TypeAlias

from onebuf.errors import ArgumentError
from onebuf.placement.box import Box, boxes_between, intersection, is_empty
from onebuf.shapes import Tiled


@dataclass(frozen=True, slots=True)
class Blocked:
    """Each place holds one run of tiles that follow one another; runs differ by one tile."""


@dataclass(frozen=True, slots=True)
class Cyclic:
    """Block-cyclic: tile (i, j, ...) is held by place (i mod p, j mod q, ...) of a grid of places.

    ``grid`` is the grid of places, whose numbers are in row-major order.
    """

    grid: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Everywhere:
    """Every place holds all tiles."""


Assignment: TypeAlias = Blocked | Cyclic | Everywhere


@dataclass(frozen=True, slots=True)
class Partition:
    """Which of ``places`` places holds which elements of a shape.

    >>> rows = Partition(Tiled.regular((6, 4), (2, 4)), 2)
    >>> rows.boxes(0), rows.boxes(1)
    ((((0, 4), (0, 4)),), (((4, 6), (0, 4)),))
    >>> rows.pieces(((3, 5), (0, 4)))
    [(0, ((3, 4), (0, 4))), (1, ((4, 5), (0, 4)))]
    """

    tiling: Tiled
    places: int
    assignment: Assignment = field(default_factory=Blocked)

    def __post_init__(self) -> None:
        if type(self.places) is not int or self.places < 1:
            raise ArgumentError(f"a partition needs at least one place, got {self.places!r}")
        how = self.assignment
        if isinstance(how, Cyclic) and (
            len(how.grid) != self.tiling.rank or prod(how.grid) != self.places
        ):
            raise ArgumentError(
                f"a block-cyclic partition of {self.tiling.rank} axes over {self.places} places "
                f"needs a grid of as many axes and places, got {how.grid}"
            )

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of all elements together."""
        return self.tiling.extents

    @property
    def is_everywhere(self) -> bool:
        """Whether every place holds all elements."""
        return isinstance(self.assignment, Everywhere)

    def holder(self, coordinates: tuple[int, ...]) -> int:
        """The place of the tile at some coordinates of the grid; of one that all have, place 0."""
        how = self.assignment
        if isinstance(how, Everywhere):
            return 0
        if isinstance(how, Cyclic):
            number = 0
            for at, count in zip(coordinates, how.grid, strict=True):
                number = number * count + at % count
            return number
        number = 0
        for at, count in zip(coordinates, self.tiling.grid, strict=True):
            number = number * count + at
        return _holder(number, prod(self.tiling.grid), self.places)

    def boxes(self, place: int) -> tuple[Box, ...]:
        """What ``place`` holds, as few boxes that share no element, in row-major order."""
        bounds = self.tiling.bounds
        if isinstance(self.assignment, Cyclic):
            return tuple(self.tiles(place))
        runs = self._runs(place)
        return tuple(
            [tuple([(b[i], b[j]) for b, (i, j) in zip(bounds, run, strict=True)]) for run in runs]
        )

    def tiles(self, place: int) -> Iterator[Box]:
        """The tiles that ``place`` holds, in row-major order."""
        bounds = self.tiling.bounds
        for coordinates in self._coordinates(place):
            yield tuple([(b[n], b[n + 1]) for b, n in zip(bounds, coordinates, strict=True)])

    def pieces(self, box: Box, near: int | None = None) -> list[tuple[int, Box]]:
        """Who holds the elements of ``box``: places with boxes that cover it without overlap.

        What every place holds is held by ``near``.
        """
        if is_empty(box):
            return []
        how = self.assignment
        if isinstance(how, Everywhere):
            return [(near or 0, box)]
        if isinstance(how, Cyclic):
            return self._cyclic_pieces(box)
        first = self.holder(self.tiling.tile_of([low for low, _ in box]))
        last = self.holder(self.tiling.tile_of([high - 1 for _, high in box]))
        found = []
        for place in range(first, last + 1):
            for held in self.boxes(place):
                part = intersection(held, box)
                if not is_empty(part):
                    found.append((place, part))
        return found

    def _cyclic_pieces(self, box: Box) -> list[tuple[int, Box]]:
        tiling = self.tiling
        low = tiling.tile_of([low for low, _ in box])
        high = tiling.tile_of([high - 1 for _, high in box])
        found = []
        for at in product(*[range(a, b + 1) for a, b in zip(low, high, strict=True)]):
            tile = tuple([(b[n], b[n + 1]) for b, n in zip(tiling.bounds, at, strict=True)])
            found.append((self.holder(at), intersection(tile, box)))
        return found

    def _coordinates(self, place: int) -> Iterator[tuple[int, ...]]:
        """The coordinates of the tiles that ``place`` holds, in row-major order."""
        grid, how = self.tiling.grid, self.assignment
        if isinstance(how, Cyclic):
            rest, at = place, []
            for count in reversed(how.grid):
                rest, one = divmod(rest, count)
                at.append(one)
            steps = zip(at[::-1], grid, how.grid, strict=True)
            yield from product(*[range(one, count, step) for one, count, step in steps])
            return
        for run in self._runs(place):
            yield from product(*[range(low, high) for low, high in run])

    def _runs(self, place: int) -> Iterator[Box]:
        """Boxes of the grid whose tiles ``place`` holds, where assignments are runs."""
        grid = self.tiling.grid
        total = prod(grid)
        if isinstance(self.assignment, Everywhere):
            return boxes_between(0, total, grid)
        begin, end = _first(place, total, self.places), _first(place + 1, total, self.places)
        return boxes_between(begin, end, grid)


def _first(place: int, total: int, places: int) -> int:
    """The number of the first tile of a place."""
    return -(-place * total // places)


def _holder(number: int, total: int, places: int) -> int:
    """The place whose run of tiles has ``number``: `_first` backwards.

    >>> [_holder(n, 5, 3) for n in range(5)]
    [0, 0, 1, 1, 2]
    """
    return number * places // total
