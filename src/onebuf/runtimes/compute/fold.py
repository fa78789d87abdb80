"""Reductions: partial results where the elements are, combined in one tree.

The axes that are folded are cut into tiles, and each tile is folded by itself. Partial results are
combined in a tree over the tiles (`onebuf.placement.tree`). So a result depends on the tiling and
not on how many places there are, or which of them holds what. Sums of floats are added up in
float64 until the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from onebuf.dtypes import DT, Array, complex128, float64, int64, kind
from onebuf.engine import read
from onebuf.events import progress
from onebuf.graph import REDUCE, Node, Op, make
from onebuf.ops import cast, quietly
from onebuf.placement import Box, Partition
from onebuf.placement.box import boxes_between, shape_of
from onebuf.placement.tiles import regular_tile, regular_tiles
from onebuf.placement.tree import Span, combined
from onebuf.runtimes.compute.expression import Expression
from onebuf.runtimes.protocols import Fetch, Need
from onebuf.shapes import Tiled

COMBINE: dict[str, Callable[..., Any]] = {
    **{"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum},
    **{"any": np.logical_or, "all": np.logical_and},
}
POSITIONS = {"argmax": "max", "argmin": "min"}
"""Reductions that give a position, with those that give the element there."""


def accumulator(op: Op, dtype: DT) -> DT:
    """The type of partial results."""
    letter = kind(dtype)
    if op.name not in ("sum", "prod") or letter not in "fc":
        return dtype
    return float64 if letter == "f" else complex128


@dataclass(frozen=True)
class Axes:
    """Which axes of an operand are folded, and how its tiles are cut."""

    tiling: Tiled
    folded: tuple[int, ...]

    @cached_property
    def kept(self) -> tuple[int, ...]:
        """The axes that stay."""
        return tuple([axis for axis in range(self.tiling.rank) if axis not in self.folded])

    @cached_property
    def grid(self) -> tuple[int, ...]:
        """How many tiles there are along the axes that are folded."""
        return tuple([self.tiling.grid[axis] for axis in self.folded])

    @property
    def count(self) -> int:
        """How many tiles are folded for each element of the result."""
        return prod(self.grid)

    def box(self, number: int, kept: Box) -> Box:
        """The elements of tile ``number`` of the folded axes, at a box of the kept ones."""
        ranges: list[tuple[int, int]] = [(0, 0)] * self.tiling.rank
        for axis, one in zip(self.kept, kept, strict=True):
            ranges[axis] = one
        for axis, count in reversed(list(zip(self.folded, self.grid, strict=True))):
            number, at = divmod(number, count)
            bounds = self.tiling.bounds[axis]
            ranges[axis] = (bounds[at], bounds[at + 1])
        return tuple(ranges)

    def __reduce__(self) -> tuple[Any, ...]:
        tile = regular_tile(self.tiling)
        if tile is None:
            return Axes, (self.tiling, self.folded)
        return _regular_axes, (self.tiling.extents, tile, self.folded)

    def needs(self, operand: Expression, begin: int, end: int, kept: Box) -> list[Need]:
        """What tiles ``begin`` to ``end`` of the folded axes need, not tile by tile.

        The first and the last one are apart: they may need something of other places (a halo), and
        what lies between them can then be looked at where it is.
        """
        found: list[Need] = []
        cuts = sorted({begin, min(begin + 1, end), max(begin, end - 1), end})
        for run in [run for cut in pairwise(cuts) for run in boxes_between(*cut, self.grid)]:
            ranges: list[tuple[int, int]] = [(0, 0)] * self.tiling.rank
            for axis, one in zip(self.kept, kept, strict=True):
                ranges[axis] = one
            for axis, (low, high) in zip(self.folded, run, strict=True):
                bounds = self.tiling.bounds[axis]
                ranges[axis] = (bounds[low], bounds[high])
            found += operand.needs(tuple(ranges))
        return list(dict.fromkeys(found))


def _regular_axes(shape: tuple[int, ...], tile: tuple[int, ...], folded: tuple[int, ...]) -> Axes:
    return Axes(regular_tiles(shape, tile), folded)


@dataclass(frozen=True)
class PartialFold:
    """Partial results: along axis 0 the nodes of the tree, ``spans``, along others what is kept."""

    operand: Expression
    op: Op
    axes: Axes
    spans: tuple[Span, ...]
    dtype: DT

    @property
    def name(self) -> str:
        """What it does."""
        return f"{self.op.name} of tiles"

    def needs(self, box: Box) -> list[Need]:
        """The operand's tiles."""
        spans = self.spans[slice(*box[0])]
        if not spans:
            return []
        return self.axes.needs(self.operand, spans[0][0], spans[-1][1], box[1:])

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Fold tile by tile, and combine those of one node."""
        spans = self.spans[slice(*box[0])]
        with progress(self.op.name, sum([end - begin for begin, end in spans])) as tick:
            for row, span in enumerate(spans):
                leaves: dict[Span, Array] = {}
                for number in range(*span):
                    at = self.axes.box(number, box[1:])
                    leaves[number, number + 1] = np.array(read(self._folded(at, fetch)))
                    tick(1)
                out[row] = combined(span, leaves, self._combine)

    def _folded(self, box: Box, fetch: Fetch) -> Node:
        """A tile, folded. Nothing else holds the operand then, or it would be stored on the way."""
        shape = tuple([box[axis][1] - box[axis][0] for axis in self.axes.kept])
        operand = self.operand.part(box, fetch)
        if self.op.name in ("sum", "prod"):
            operand = cast(operand, self.dtype)
        return make(self.op, (operand,), (self.axes.folded, False), shape, self.dtype, unique=True)

    def _combine(self, one: Array, two: Array) -> Array:
        return np.asarray(quietly(COMBINE[self.op.name], one, two))

    def __reduce__(self) -> tuple[Any, ...]:
        fields = (self.operand, self.op.name, self.axes, self.spans, self.dtype)
        return _partial_fold, fields


def _partial_fold(
    operand: Expression, op: str, axes: Axes, spans: tuple[Span, ...], dtype: DT
) -> PartialFold:
    return PartialFold(operand, REDUCE[op], axes, spans, dtype)


@dataclass(frozen=True)
class CombinedFold:
    """The result, of partial ones: input 0, with the nodes of the tree along axis 0."""

    op: str
    spans: tuple[Span, ...]
    count: int
    inserted: tuple[int, ...]
    """Axes of extent 1 in the result, where axes were folded and kept."""
    dtype: DT
    is_ordered: bool = True
    """Whether the order matters; then partial results are nodes of the tree."""

    @property
    def name(self) -> str:
        """What it does."""
        return f"{self.op} of partial results"

    def needs(self, box: Box) -> list[Need]:
        """All partial results of the box."""
        return [(0, self._box(box))]

    def _box(self, box: Box) -> Box:
        kept = [one for axis, one in enumerate(box) if axis not in self.inserted]
        return ((0, len(self.spans)), *kept)

    def _combine(self, one: Array, two: Array) -> Array:
        return np.asarray(quietly(COMBINE[self.op], one, two))

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Combine in the order of the tree."""
        rows = list(fetch(0, self._box(box)))
        if self.is_ordered:
            known = dict(zip(self.spans, rows, strict=True))
            found = combined((0, self.count), known, self._combine)
        else:
            found = reduce(self._combine, rows)
        out[...] = quietly(np.asarray(found).astype, self.dtype).reshape(out.shape)


@dataclass(frozen=True)
class WholeFold:
    """A reduction along axes that are not cut: each place folds what it holds."""

    operand: Expression
    op: Op
    folded: tuple[int, ...]
    keepdims: bool
    dtype: DT

    @property
    def name(self) -> str:
        """What it does."""
        return self.op.name

    def _box(self, box: Box) -> Box:
        """The operand's box that a box of the result is folded from."""
        kept = iter(
            [one for axis, one in enumerate(box) if not (self.keepdims and axis in self.folded)]
        )
        extents = enumerate(self.operand.shape)
        return tuple([(0, n) if axis in self.folded else next(kept) for axis, n in extents])

    def needs(self, box: Box) -> list[Need]:
        """What the operand's box needs."""
        return self.operand.needs(self._box(box))

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Fold."""
        out[...] = read(self._folded(box, fetch))

    def _folded(self, box: Box, fetch: Fetch) -> Node:
        operand, arg = self.operand.part(self._box(box), fetch), (self.folded, self.keepdims)
        return make(self.op, (operand,), arg, shape_of(box), self.dtype, unique=True)

    def __reduce__(self) -> tuple[Any, ...]:
        fields = (self.operand, self.op.name, self.folded, self.keepdims, self.dtype)
        return _whole_fold, fields


def _whole_fold(
    operand: Expression, op: str, folded: tuple[int, ...], keepdims: bool, dtype: DT
) -> WholeFold:
    return WholeFold(operand, REDUCE[op], folded, keepdims, dtype)


@dataclass(frozen=True)
class PartialPosition:
    """The positions of the extremes of each tile, among all elements that are folded.

    Tiles are along axis 0, as in `PartialFold`.
    """

    operand: Expression
    op: Op
    axes: Axes
    dtype: DT = int64

    @property
    def name(self) -> str:
        """What it does."""
        return f"{self.op.name} of tiles"

    def needs(self, box: Box) -> list[Need]:
        """The operand's tiles."""
        return self.axes.needs(self.operand, *box[0], box[1:])

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Find where it is in each tile, and where that is in all of them."""
        whole = [self.axes.tiling.extents[axis] for axis in self.axes.folded]
        for row, number in enumerate(range(*box[0])):
            at = self.axes.box(number, box[1:])
            found = read(self._folded(at, fetch, out.shape[1:]))
            ranges = [at[axis] for axis in self.axes.folded]
            inside = np.unravel_index(found, [high - low for low, high in ranges])
            index = [i + low for i, (low, _) in zip(inside, ranges, strict=True)]
            out[row] = np.ravel_multi_index(index, whole)

    def _folded(self, box: Box, fetch: Fetch, shape: tuple[int, ...]) -> Node:
        operand, arg = self.operand.part(box, fetch), (self.axes.folded, False)
        return make(self.op, (operand,), arg, shape, int64, unique=True)

    def __reduce__(self) -> tuple[Any, ...]:
        return _partial_position, (self.operand, self.op.name, self.axes)


def _partial_position(operand: Expression, op: str, axes: Axes) -> PartialPosition:
    return PartialPosition(operand, REDUCE[op], axes)


@dataclass(frozen=True)
class CombinedPosition:
    """The position of the extreme of all tiles: input 0 has their extremes, input 1 positions."""

    op: str
    count: int
    inserted: tuple[int, ...]
    dtype: DT = int64

    @property
    def name(self) -> str:
        """What it does."""
        return f"{self.op} of partial results"

    def _box(self, box: Box) -> Box:
        kept = [one for axis, one in enumerate(box) if axis not in self.inserted]
        return ((0, self.count), *kept)

    def needs(self, box: Box) -> list[Need]:
        """All partial results of the box."""
        return [(0, self._box(box)), (1, self._box(box))]

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """The first of those that are equal; a NaN is before all others."""
        values, positions = fetch(0, self._box(box)), fetch(1, self._box(box))
        best = np.array(values[0])
        where = np.array(positions[0])
        is_better = np.greater if self.op == "argmax" else np.less
        for value, position in zip(values[1:], positions[1:], strict=True):
            with np.errstate(all="ignore"):
                wins = is_better(value, best) | ((value != value) & (best == best))
                ties = (value == best) | ((value != value) & (best != best))
            wins |= ties & (position < where)
            best = np.where(wins, value, best)
            where = np.where(wins, position, where)
        out[...] = where.reshape(out.shape)


def is_exact(op: Op, dtype: DT) -> bool:
    """Whether partial results can be combined in any order, with the same bits."""
    return op.name in ("max", "min", "any", "all") or kind(dtype) in "iub"


def runs_of_folded(partition: Partition, axes: Axes) -> tuple[Span, ...] | None:
    """The runs of folded tiles that one place holds, if they are the same for all kept tiles."""
    holders = partition.holders()
    matrix = np.transpose(holders, (*axes.kept, *axes.folded)).reshape(-1, axes.count)
    changes = np.diff(matrix, axis=1) != 0
    if len(matrix) == 0 or (changes != changes[0]).any():
        return None
    cuts = [0, *(np.flatnonzero(changes[0]) + 1).tolist(), axes.count]
    return tuple(pairwise(cuts))
