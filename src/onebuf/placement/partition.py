"""Partitions: the tiles of a shape, and who holds each of them.

Tiles have numbers in row-major order of their grid. An assignment says which place holds a number.
Elements that one place holds in tiles that lie next to each other are one box, so that what is
asked of a regular partition costs by places, not by tiles.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any, TypeAlias

import numpy as np

from onebuf.errors import ArgumentError
from onebuf.placement.box import Box, boxes_between, is_empty
from onebuf.placement.tiles import regular_tile, regular_tiles
from onebuf.shapes import Tiled
from onebuf.shapes.box import Index

Run: TypeAlias = tuple[int, int, int]
"""Tiles that follow one another and the place that holds them: ``(begin, end, place)``."""


@dataclass(frozen=True, slots=True)
class Blocked:
    """Each place holds one run of tiles that follow one another; runs differ by one tile."""


@dataclass(frozen=True, slots=True)
class Cyclic:
    """Block-cyclic: tile (i, j, ...) is held by place (i mod p, j mod q, ...) of a grid of places.

    ``grid`` is the grid of places, whose numbers are in row-major order.
    """

    grid: tuple[int, ...]

    @property
    def split(self) -> int:
        """How many axes are split: along all later ones, there is one place that has everything."""
        return max([axis + 1 for axis, count in enumerate(self.grid) if count > 1], default=0)


@dataclass(frozen=True, slots=True)
class Assigned:
    """Runs of tiles that follow one another, ``(begin, end, place)`` each; they cover all tiles."""

    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Everywhere:
    """Every place holds all tiles."""


Assignment: TypeAlias = Blocked | Cyclic | Assigned | Everywhere


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
            len(how.grid) != self.tiling.rank
            or prod(how.grid) != self.places
            or min(how.grid, default=1) < 1
        ):
            raise ArgumentError(
                f"a block-cyclic partition of {self.tiling.rank} axes over {self.places} places "
                f"needs a grid of as many axes, with counts of 1 or more whose product is "
                f"{self.places}, got {how.grid}"
            )

    def __reduce__(self) -> tuple[Any, ...]:
        tile = regular_tile(self.tiling)
        if tile is None:
            return Partition, (self.tiling, self.places, self.assignment)
        return _regular, (self.shape, tile, self.places, self.assignment)

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
        return self._run_finder()(_number(coordinates, self.tiling.grid))[2]

    def holders(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The place of every tile, in an array of the shape of the grid."""
        grid, how = self.tiling.grid, self.assignment
        found = np.zeros(grid, np.int64)
        if isinstance(how, Cyclic):
            for at, (count, step) in enumerate(zip(grid, how.grid, strict=True)):
                along = (np.arange(count) % step).reshape([-1] + [1] * (len(grid) - at - 1))
                found = found * step + along
        elif not isinstance(how, Everywhere):
            flat = found.reshape(-1)
            for begin, end, place in self._all_runs():
                flat[begin:end] = place
        return found

    def boxes(self, place: int) -> tuple[Box, ...]:
        """What ``place`` holds, as few boxes that share no element, in row-major order.

        Each of them is a run of tiles whose numbers follow one another.
        """
        if isinstance(self.assignment, Cyclic):
            return tuple(product(*self._cyclic_ranges(place, self.assignment)))
        return tuple([self._spanned(run) for run in self._runs(place)])

    def tiles(self, place: int) -> Iterator[Box]:
        """The tiles that ``place`` holds, in row-major order."""
        bounds = self.tiling.bounds
        for coordinates in self._coordinates(place):
            yield tuple([(b[n], b[n + 1]) for b, n in zip(bounds, coordinates, strict=True)])

    def pieces(self, box: Box, near: int | None = None) -> list[tuple[int, Box]]:
        """Who holds the elements of ``box``: places with boxes that cover it without overlap.

        Each of them lies in one of the `boxes` of its place. What every place holds is held by
        ``near``.
        """
        if is_empty(box):
            return []
        how = self.assignment
        if isinstance(how, Everywhere):
            return [(near or 0, box)]
        low = self.tiling.tile_of([low for low, _ in box])
        high = self.tiling.tile_of([high - 1 for _, high in box])
        if isinstance(how, Cyclic):
            return self._cyclic_pieces(box, low, high, how)
        return list(self._run_pieces(box, low, high))

    def _run_pieces(self, box: Box, low: Index, high: Index) -> Iterator[tuple[int, Box]]:
        """The pieces of a box whose first and last tiles are ``low`` and ``high``.

        It goes along the first axis in steps of as many whole rows of tiles as one run has. A row
        that runs share is cut in the same way along the next axis.
        """
        grid, bounds, run_of = self.tiling.grid, self.tiling.bounds, self._run_finder()
        rank = len(grid)
        rows = [prod(grid[axis + 1 :]) for axis in range(rank)]
        firsts = [0] * (rank + 1)  # the number of the first tile of the box, inside of its row
        for axis in reversed(range(rank)):
            firsts[axis] = low[axis] * rows[axis] + firsts[axis + 1]

        def cut(axis: int, base: int, outer: Box) -> Iterator[tuple[int, Box]]:
            if axis == rank:
                yield run_of(base)[2], outer
                return
            row, edges, inner, first = rows[axis], bounds[axis], box[axis + 1 :], firsts[axis + 1]
            at, stop = low[axis], high[axis] + 1
            begin, end = box[axis]
            while at < stop:
                number = base + at * row
                run_begin, run_end, place = run_of(number + first)
                after = min((run_end - base) // row, stop) if run_begin <= number else at
                if after > at:
                    part = (max(edges[at], begin), min(edges[after], end))
                    yield place, (*outer, part, *inner)
                    at = after
                else:
                    part = (max(edges[at], begin), min(edges[at + 1], end))
                    yield from cut(axis + 1, number, (*outer, part))
                    at += 1

        return cut(0, 0, ())

    def _cyclic_pieces(
        self, box: Box, low: Index, high: Index, how: Cyclic
    ) -> list[tuple[int, Box]]:
        """The same: ranges along each axis with their part of the place's number, multiplied."""
        numbers: list[list[int]] = []
        ranges: list[list[tuple[int, int]]] = []
        for axis, (begin, end) in enumerate(box):
            count, edges = how.grid[axis], self.tiling.bounds[axis]
            if axis >= how.split:
                numbers.append([0])
                ranges.append([(begin, end)])
                continue
            tiles = range(low[axis], high[axis] + 1)
            step = prod(how.grid[axis + 1 :])
            numbers.append([at % count * step for at in tiles])
            ranges.append([(max(edges[at], begin), min(edges[at + 1], end)) for at in tiles])
        return list(zip(map(sum, product(*numbers)), product(*ranges), strict=True))

    def _cyclic_ranges(self, place: int, how: Cyclic) -> list[list[tuple[int, int]]]:
        """What ``place`` holds along each axis: tiles, or all of it."""
        ranges = []
        coordinates = zip(_unravel(place, how.grid), how.grid, self.tiling.bounds, strict=True)
        for axis, (at, count, edges) in enumerate(coordinates):
            if axis >= how.split:
                ranges.append([(0, edges[-1])] if edges[-1] else [])
            else:
                ranges.append([(edges[n], edges[n + 1]) for n in range(at, len(edges) - 1, count)])
        return ranges

    def _spanned(self, run: Box) -> Box:
        """The elements of a box of tiles."""
        pairs = zip(self.tiling.bounds, run, strict=True)
        return tuple([(bounds[low], bounds[high]) for bounds, (low, high) in pairs])

    def _run_finder(self) -> Callable[[int], Run]:
        """A function from the number of a tile to the run that has it."""
        if isinstance(self.assignment, Assigned):
            runs = self.assignment.runs
            return lambda number: runs[bisect_right(runs, number, key=_begin) - 1]
        total, places = prod(self.tiling.grid), self.places

        def run_of(number: int) -> Run:
            place = _holder(number, total, places)
            return _first(place, total, places), _first(place + 1, total, places), place

        return run_of

    def _all_runs(self) -> Iterator[Run]:
        """Runs of tiles with their places, in order."""
        if isinstance(self.assignment, Assigned):
            yield from self.assignment.runs
            return
        total = prod(self.tiling.grid)
        for place in range(self.places):
            yield _first(place, total, self.places), _first(place + 1, total, self.places), place

    def _coordinates(self, place: int) -> Iterator[tuple[int, ...]]:
        """The coordinates of the tiles that ``place`` holds, in row-major order."""
        grid, how = self.tiling.grid, self.assignment
        if isinstance(how, Cyclic):
            steps = zip(_unravel(place, how.grid), grid, how.grid, strict=True)
            yield from product(*[range(one, count, step) for one, count, step in steps])
            return
        for run in self._runs(place):
            yield from product(*[range(low, high) for low, high in run])

    def _runs(self, place: int) -> Iterator[Box]:
        """Boxes of the grid whose tiles ``place`` holds, where assignments are runs."""
        grid = self.tiling.grid
        total = prod(grid)
        if isinstance(self.assignment, Everywhere):
            yield from boxes_between(0, total, grid)
            return
        if isinstance(self.assignment, Assigned):
            for first, last, holder in self.assignment.runs:
                if holder == place:
                    yield from boxes_between(first, last, grid)
            return
        begin, end = _first(place, total, self.places), _first(place + 1, total, self.places)
        yield from boxes_between(begin, end, grid)


def _regular(
    shape: tuple[int, ...], tile: tuple[int, ...], places: int, assignment: Assignment
) -> Partition:
    return Partition(regular_tiles(shape, tile), places, assignment)


def _number(coordinates: tuple[int, ...], grid: tuple[int, ...]) -> int:
    """The number of a tile, in row-major order."""
    number = 0
    for at, count in zip(coordinates, grid, strict=True):
        number = number * count + at
    return number


def _begin(run: Run) -> int:
    return run[0]


def _unravel(place: int, grid: Index) -> Index:
    """The coordinates of a place in a grid of places."""
    at = []
    for count in reversed(grid):
        place, one = divmod(place, count)
        at.append(one)
    return tuple(at[::-1])


def _first(place: int, total: int, places: int) -> int:
    """The number of the first tile of a place.

    Where there are many tiles it is a multiple of a power of two, so that a place has few nodes of
    the tree in which reductions are combined (`onebuf.placement.tree`). That makes runs differ by
    a sixteenth at most.
    """
    if place >= places:
        return total
    unit = 1 << max(0, (total // (_UNITS * places)).bit_length() - 1)
    return -(-place * total // places // unit) * unit


_UNITS = 16
"""A run is about so many units long, or longer."""


def _holder(number: int, total: int, places: int) -> int:
    """The place whose run of tiles has ``number``: `_first` backwards.

    >>> [_holder(n, 5, 3) for n in range(5)]
    [0, 0, 1, 1, 2]
    """
    place = number * places // total
    while number < _first(place, total, places):
        place -= 1
    while number >= _first(place + 1, total, places):
        place += 1
    return place
