"""Matrix products: where the result is made, and what moves there.

Every place multiplies panels of both factors that it fetches, in the order of the tiles along the
axis that is summed, and adds them up in the box of the result that it holds. What differs is that
box. `choose` asks each candidate what would move, and takes the one that moves least:

- *rows*: the result is cut as the rows of the first factor are, which stay; the second one moves.
- *columns*: the same with the columns of the second factor.
- *grid*: places form a grid, and each needs a panel of rows and one of columns (SUMMA).
- *sums*: both factors are cut along the axis that is summed; nothing of them moves, and partial
  results are added up (inner products, thin results).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from onebuf.dtypes import DT, Array
from onebuf.engine import read
from onebuf.graph import MATMUL, make
from onebuf.ops import cast, quietly
from onebuf.placement import Assigned, Box, Partition
from onebuf.placement.box import shape_of
from onebuf.placement.derived import runs_of
from onebuf.runtimes.compute.expression import Expression
from onebuf.runtimes.protocols import Fetch, Need
from onebuf.shapes import Tiled


@dataclass(frozen=True)
class Product:
    """Boxes of ``one @ two``, whose shapes are (..., m, k) and (..., k, n).

    ``cuts`` are where panels along k begin and end.
    """

    one: Expression
    two: Expression
    cuts: tuple[int, ...]
    dtype: DT

    name = "matmul"

    def _panels(self, box: Box, low: int, high: int) -> tuple[Box, Box]:
        """The boxes of both factors that a panel of ``box`` is made of."""
        rows, columns = box[-2], box[-1]
        outer = box[:-2]
        return (
            (*_batch(outer, self.one.shape[:-2]), rows, (low, high)),
            (*_batch(outer, self.two.shape[:-2]), (low, high), columns),
        )

    def needs(self, box: Box) -> list[Need]:
        """The rows of the first factor and the columns of the second, panel by panel."""
        found: dict[Need, None] = {}
        for low, high in pairwise(self.cuts):
            one, two = self._panels(box, low, high)
            for need in (*self.one.needs(one), *self.two.needs(two)):
                found[need] = None
        return list(found)

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Add up the products of panels, in order."""
        is_first = True
        for low, high in pairwise(self.cuts):
            one, two = self._panels(box, low, high)
            factors = (
                cast(self.one.part(one, fetch), self.dtype),
                cast(self.two.part(two, fetch), self.dtype),
            )
            node = make(MATMUL, factors, None, shape_of(box), self.dtype, unique=True)
            if is_first:
                out[...] = read(node)
            elif self.dtype.kind == "b":
                np.logical_or(out, read(node), out=out)
            else:
                quietly(np.add, out, read(node), out)
            is_first = False
        if is_first:
            out[...] = 0


@dataclass(frozen=True)
class PartialProduct:
    """Products of the parts along k that a place has, along axis 0: to be summed."""

    one: Expression
    two: Expression
    cuts: tuple[int, ...]
    dtype: DT

    name = "matmul of parts"

    def _factors(self, number: int, box: Box) -> tuple[Box, Box]:
        part = self.cuts[number], self.cuts[number + 1]
        return (box[1], part), (part, box[2])

    def needs(self, box: Box) -> list[Need]:
        """The columns of the first factor and the rows of the second."""
        found: dict[Need, None] = {}
        for number in range(*box[0]):
            one, two = self._factors(number, box)
            for need in (*self.one.needs(one), *self.two.needs(two)):
                found[need] = None
        return list(found)

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """One product for each part."""
        for row, number in enumerate(range(*box[0])):
            one, two = self._factors(number, box)
            factors = (
                cast(self.one.part(one, fetch), self.dtype),
                cast(self.two.part(two, fetch), self.dtype),
            )
            out[row] = read(make(MATMUL, factors, None, out.shape[1:], self.dtype, unique=True))


def _batch(outer: Box, extents: tuple[int, ...]) -> Box:
    """The box of a factor's own batch axes, of which those of extent 1 are repeated."""
    own = outer[len(outer) - len(extents) :]
    return tuple([(0, 1) if n == 1 else one for one, n in zip(own, extents, strict=True)])


def panels(extent: int, *bounds: Sequence[int]) -> tuple[int, ...]:
    """Where to cut the summed axis: at the tiles of the factors."""
    cuts = sorted({0, extent, *[cut for one in bounds for cut in one]})
    return tuple(cuts) if extent else (0,)


def grids(places: int) -> list[tuple[int, int]]:
    """All grids of so many places.

    >>> grids(6)
    [(1, 6), (2, 3), (3, 2), (6, 1)]
    """
    return [(n, places // n) for n in range(1, places + 1) if places % n == 0]


def even_cuts(extent: int, count: int) -> tuple[int, ...]:
    """``extent`` in ``count`` parts that differ by one at most; fewer if it is short."""
    count = max(1, min(extent, count))
    bounds = [extent * n // count for n in range(count + 1)]
    return tuple([high - low for low, high in pairwise(bounds)]) if extent else ()


def candidates(
    shape: tuple[int, ...], one: Partition | None, two: Partition | None, places: int
) -> list[tuple[str, Partition]]:
    """Partitions of a product of ``shape`` to choose from; those of the factors where known."""
    found: list[tuple[str, Partition]] = []
    outer = [(extent,) if extent else () for extent in shape[:-2]]
    if one is not None:
        rows = one.tiling.axes[-2]
        tiling = Tiled(*outer, rows, (shape[-1],) if shape[-1] else ())
        holders = one.holders()[(0,) * (len(one.shape) - 2)][:, 0]
        found.append(("rows", _assigned(tiling, holders, places)))
    if two is not None:
        columns = two.tiling.axes[-1]
        tiling = Tiled(*outer, (shape[-2],) if shape[-2] else (), columns)
        holders = two.holders()[(0,) * (len(two.shape) - 2)][0, :]
        found.append(("columns", _assigned(tiling, holders, places)))
    for rows_of_places, columns_of_places in grids(places):
        cut = (even_cuts(shape[-2], rows_of_places), even_cuts(shape[-1], columns_of_places))
        tiling = Tiled(*outer, *cut)
        found.append((f"grid {rows_of_places} x {columns_of_places}", Partition(tiling, places)))
    return found


def _assigned(tiling: Tiled, holders: Any, places: int) -> Partition:
    if not prod(tiling.grid):
        return Partition(tiling, places)
    return Partition(tiling, places, Assigned(runs_of(holders.reshape(tiling.grid))))
