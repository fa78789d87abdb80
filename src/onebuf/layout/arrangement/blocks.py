"""Blocks: boxes of elements, each stored in row-major order, one box after another.

Boxes are found through a grid of cells. Along each axis the cells end where a box begins or ends. A
table has, for each cell, the position that the element with all indices 0 would have in its box;
the strides of boxes of different sizes have tables, too. If all boxes are tiles of one size on a
regular grid, cells need no tables of their own: an index is divided by the extent of a tile.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from onebuf.layout.arrangement.packing import Tables
from onebuf.layout.expression import Expression, Table, expression, unravel
from onebuf.layout.index_map import Place

_NOWHERE = np.iinfo(np.int64).min
"""The origin in the table of a cell that no box has; those of boxes are far above half of it."""


class Blocks:
    """Elements of non-overlapping ``boxes``, (count, rank, 2) bounds, in the order of the boxes."""

    def __init__(self, shape: tuple[int, ...], boxes: np.ndarray[Any, Any]) -> None:
        self.shape = shape
        self.boxes = boxes
        self.extents = boxes[:, :, 1] - boxes[:, :, 0]
        sizes = self.extents.prod(axis=1) if len(shape) else np.ones(len(boxes), np.int64)
        self.starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.size = int(self.starts[-1])

    @cached_property
    def tile(self) -> tuple[int, ...] | None:
        """The shape of every box, if all are tiles of one regular grid; else None."""
        if not len(self.boxes):
            return None
        tile = self.extents[0]
        if (self.extents != tile).any() or (self.boxes[:, :, 0] % tile).any():
            return None
        return tuple(map(int, tile))

    @property
    def storage(self) -> tuple[int, ...]:
        """The shape in which the positions count: boxes, then a box, where they are alike."""
        return (self.size,) if self.tile is None else (len(self.boxes), *self.tile)

    @cached_property
    def cuts(self) -> list[np.ndarray[Any, Any]]:
        """The bounds of the cells along each axis."""
        if self.tile is not None:
            pairs = zip(self.shape, self.tile, strict=True)
            return [np.append(np.arange(0, extent, step), extent) for extent, step in pairs]
        ends = [np.array([0, extent]) for extent in self.shape]
        return [
            np.unique(np.concatenate([end, self.boxes[:, axis].ravel()]))
            for axis, end in enumerate(ends)
        ]

    @property
    def grid(self) -> tuple[int, ...]:
        """The number of cells along each axis."""
        return tuple([len(cuts) - 1 for cuts in self.cuts])

    @cached_property
    def tables(self) -> tuple[np.ndarray[Any, Any], ...]:
        """Origins by cell; else also the cells of indices, by axis, and strides by cell."""
        if not self.size:
            return ()
        extents = self.extents
        strides = np.ones_like(extents)
        for axis in range(len(self.shape) - 2, -1, -1):
            strides[:, axis] = strides[:, axis + 1] * extents[:, axis + 1]
        origins = self.starts[:-1] - (self.boxes[:, :, 0] * strides).sum(axis=1)
        grid = self.grid
        origin = np.full(grid, _NOWHERE, np.int64)
        steps = [np.zeros(grid, np.int64) for _ in self.shape[1:]]
        if self.tile is not None:
            cells = tuple((self.boxes[:, :, 0] // self.tile).T)
            origin[cells or ...] = origins if cells else origins[0]
            return (origin.reshape(-1),)
        for number, box in enumerate(self.boxes):
            bounds = [np.searchsorted(cuts, b) for cuts, b in zip(self.cuts, box, strict=True)]
            where = tuple([slice(low, high) for low, high in bounds])
            origin[where] = origins[number]
            for axis, step in enumerate(steps):
                step[where] = strides[number, axis]
        cells_of = [
            np.repeat(np.arange(len(cuts) - 1, dtype=np.int64), np.diff(cuts)) for cuts in self.cuts
        ]
        return (origin.reshape(-1), *cells_of, *[step.reshape(-1) for step in steps])

    def place(self, index: Sequence[Expression]) -> Place:
        """Where the element at ``index`` is."""
        if not self.size:
            return Place(expression(0), expression(1) <= 0)
        tile, rank = self.tile, len(self.shape)
        cell = expression(0)
        for axis, (i, count) in enumerate(zip(index, self.grid, strict=True)):
            along = Table(1 + axis, i) if tile is None else i // tile[axis]
            cell = cell * count + along
        origin = Table(0, cell)
        position: Expression = origin
        for axis, i in enumerate(index):
            if axis == rank - 1:
                step: Expression = expression(1)
            elif tile is None:
                step = Table(1 + rank + axis, cell)
            else:
                step = expression(prod(tile[axis + 1 :]))
            position = position + i * step
        return Place(position, origin > _NOWHERE // 2)

    def indices(self, at: Sequence[Expression], tables: Tables) -> tuple[Expression, ...]:
        """The index of the element that is stored at ``at``."""
        if self.tile is None:
            tables.append(self.flat)
            return unravel(Table(len(tables) - 1, at[0]), self.shape)
        begin = len(tables)
        tables.extend([np.ascontiguousarray(first) for first in self.boxes[:, :, 0].T])
        return tuple([Table(begin + axis, at[0]) + i for axis, i in enumerate(at[1:])])

    @cached_property
    def flat(self) -> np.ndarray[Any, Any]:
        """The row-major position of each stored element."""
        whole = np.arange(0, dtype=np.int64)
        steps = [prod(self.shape[axis + 1 :]) for axis in range(len(self.shape))]
        parts = [whole]
        for box in self.boxes:
            part = np.zeros((), np.int64)
            for (low, high), step in zip(box, steps, strict=True):
                part = part[..., None] + np.arange(low, high) * step
            parts.append(part.reshape(-1))
        return np.concatenate(parts)

    def weight(self, at: Sequence[Expression], tables: Tables) -> Expression | None:
        """How many elements the one at ``at`` stands for: one."""
        return None
