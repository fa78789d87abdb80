"""Tiled shapes: boxes that are cut into tiles along the lines of a grid.

Tiles are counted along each axis, so a tile has coordinates as an element has an index. Every tile
has elements: its extents are 1 or more.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, product
from math import prod
from typing import Any, overload

from onebuf.errors import ArgumentError, ArgumentTypeError, IndexRangeError, ShapeError
from onebuf.shapes.box import Box, Index, box_of, extents_of, integer, integers
from onebuf.shapes.smooth import Smooth


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Tiled:
    """A box that is cut into tiles.

    Parameters
    ----------
    *axes
        For each axis the extents of its tiles, in order.

    >>> shape = Tiled((5, 15, 10), (5, 15, 10))
    >>> len(shape.tiles), shape.size, shape.grid
    (9, 900, (3, 3))
    >>> shape.tile(0, 1)
    Smooth(5, 15, origin=(0, 5))
    >>> shape.tile_of((4, 20))
    (0, 2)
    """

    axes: tuple[Index, ...]
    """For each axis, the extents of its tiles."""
    bounds: tuple[Index, ...]
    """For each axis, where its tiles begin, and last where the axis ends."""

    def __init__(self, *axes: Iterable[int]) -> None:
        cut = tuple([_tile_extents(axis, sizes) for axis, sizes in enumerate(axes)])
        object.__setattr__(self, "axes", cut)
        object.__setattr__(self, "bounds", tuple([(0, *accumulate(sizes)) for sizes in cut]))

    @classmethod
    def regular(cls, shape: Any, tile: Any) -> Tiled:
        """The shape in tiles of the extents ``tile``; the last ones may be smaller.

        >>> Tiled.regular((10, 7), (4, 7))
        Tiled((4, 4, 2), (7,))
        """
        extents, tiles = extents_of(shape, "Tiled.regular"), extents_of(tile, "a tile")
        if len(extents) != len(tiles):
            raise ShapeError(
                f"Tiled.regular needs one extent of a tile for each of {len(extents)} axes, got "
                f"{tiles} for the shape {extents}"
            )
        if 0 in tiles:
            raise ArgumentError(f"a tile needs extents of 1 or more, got {tiles}")
        return cls(*[_regular(extent, size) for extent, size in zip(extents, tiles, strict=True)])

    @property
    def rank(self) -> int:
        """How many axes there are."""
        return len(self.axes)

    @property
    def extents(self) -> Index:
        """The extents of the whole box."""
        return tuple([bounds[-1] for bounds in self.bounds])

    @property
    def size(self) -> int:
        """How many elements all tiles have."""
        return prod(self.extents)

    @property
    def grid(self) -> Index:
        """How many tiles there are along each axis."""
        return tuple([len(sizes) for sizes in self.axes])

    @property
    def tiles(self) -> Tiles:
        """All tiles in row-major order, as a sequence that makes them when they are asked for."""
        return Tiles(self)

    def tile(self, *coordinates: int) -> Smooth:
        """The tile at some coordinates, with the index of its first element as its origin."""
        if len(coordinates) == 1 and isinstance(coordinates[0], Iterable):
            coordinates = tuple(coordinates[0])
        at = self._inside(coordinates, self.grid, "tile", "coordinates")
        origin = [bounds[n] for bounds, n in zip(self.bounds, at, strict=True)]
        return Smooth(*[sizes[n] for sizes, n in zip(self.axes, at, strict=True)], origin=origin)

    def tile_of(self, index: Iterable[int]) -> Index:
        """The coordinates of the tile that has the element at ``index``."""
        at = self._inside(index, self.extents, "tile_of", "an index")
        return tuple(
            [bisect_right(bounds, i) - 1 for bounds, i in zip(self.bounds, at, strict=True)]
        )

    def tiles_in(self, *box: Any) -> list[Index]:
        """The coordinates of all tiles that a box has elements of; one, if it crosses no line.

        >>> Tiled((5, 15, 10), (5, 15, 10)).tiles_in((0, 4), (5, 20))
        [(0, 0), (0, 1)]
        """
        first, last = box_of(box, self.extents, "tiles_in")
        begin, end = self.tile_of(first), self.tile_of([i - 1 for i in last])
        return list(product(*[range(low, high + 1) for low, high in zip(begin, end, strict=True)]))

    def boxes(self) -> list[Box]:
        """A box for each tile."""
        return [tile.box for tile in self.tiles]

    def __iter__(self) -> Iterator[Index]:
        """The indices of the elements, in row-major order of the whole box."""
        return iter(Smooth(*self.extents))

    offsets = __iter__

    def __contains__(self, index: object) -> bool:
        return index in Smooth(*self.extents)

    def prefix_count(self, length: int) -> int:
        """How many beginnings of ``length`` numbers there are of (coordinates, index in a tile)."""
        grid, extents = self.grid, self.extents
        inner = max(length - self.rank, 0)
        return prod(extents[:inner]) * prod(grid[inner:length])

    def _inside(self, numbers: Any, ends: Index, what: str, name: str) -> Index:
        at = integers(numbers, f"{what}: {name}")
        if len(at) != len(ends):
            raise ShapeError(f"{what} needs {name} of {len(ends)} numbers, got {at}")
        for axis, (n, end) in enumerate(zip(at, ends, strict=True)):
            if not 0 <= n < end:
                raise IndexRangeError(
                    f"{what} needs {name} in 0..{end - 1} along axis {axis}, got {at}"
                )
        return at

    def __repr__(self) -> str:
        return f"Tiled({', '.join([repr(sizes) for sizes in self.axes])})"


class Tiles(Sequence[Smooth]):
    """The tiles of a tiled shape in row-major order.

    >>> list(Tiled((1, 2)).tiles)
    [Smooth(1), Smooth(2, origin=(1,))]
    """

    __slots__ = ("_shape",)

    def __init__(self, shape: Tiled) -> None:
        self._shape = shape

    def __len__(self) -> int:
        return prod(self._shape.grid)

    @overload
    def __getitem__(self, key: int) -> Smooth: ...
    @overload
    def __getitem__(self, key: slice) -> list[Smooth]: ...
    def __getitem__(self, key: int | slice) -> Smooth | list[Smooth]:
        if isinstance(key, slice):
            return [self[n] for n in range(*key.indices(len(self)))]
        count, n = len(self), integer(key, "the number of a tile")
        if not -count <= n < count:
            raise IndexRangeError(f"there are {count} tiles, 0..{count - 1}, got number {n}")
        rest = n % count
        coordinates = []
        for extent in reversed(self._shape.grid):
            rest, at = divmod(rest, extent)
            coordinates.append(at)
        return self._shape.tile(*coordinates[::-1])

    def __iter__(self) -> Iterator[Smooth]:
        for coordinates in product(*[range(count) for count in self._shape.grid]):
            yield self._shape.tile(*coordinates)

    def __repr__(self) -> str:
        return f"{self._shape!r}.tiles"


def _tile_extents(axis: int, sizes: Any) -> Index:
    if not isinstance(sizes, Iterable):
        raise ArgumentTypeError(
            f"Tiled needs the extents of the tiles along axis {axis} as a sequence, got {sizes!r}; "
            f"Tiled.regular(shape, tile) makes tiles of one size"
        )
    extents = integers(sizes, f"an extent of a tile along axis {axis}")
    if any(extent < 1 for extent in extents):
        raise ArgumentError(
            f"Tiled needs tiles with extents of 1 or more, got {extents} along axis {axis}"
        )
    return extents


def _regular(extent: int, size: int) -> Index:
    whole, rest = divmod(extent, size)
    return (size,) * whole + ((rest,) if rest else ())
