"""Scans: running sums and products along an axis, also one that is cut.

Every tile is scanned by itself, and goes on from the total of all tiles before it. The totals are
added up in the order of the tiles, whoever holds them, so that results do not depend on places.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

import numpy as np

from onebuf.dtypes import DT, Array
from onebuf.engine import read
from onebuf.graph import SCAN, Op, make
from onebuf.ops import quietly
from onebuf.placement import Box
from onebuf.placement.box import shape_of, within
from onebuf.runtimes.compute.expression import Expression
from onebuf.runtimes.protocols import Fetch, Need


@dataclass(frozen=True)
class WholeScan:
    """A scan along an axis that is not cut."""

    operand: Expression
    op: Op
    axis: int
    dtype: DT

    @property
    def name(self) -> str:
        """What it does."""
        return self.op.name

    def needs(self, box: Box) -> list[Need]:
        """What the operand's box needs, from the beginning of the axis."""
        return self.operand.needs(_from_start(box, self.axis))

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Scan."""
        whole = _from_start(box, self.axis)
        part = self.operand.part(whole, fetch)
        node = make(self.op, (part,), self.axis, shape_of(whole), self.dtype, unique=True)
        out[...] = read(node)[within(box, whole)]

    def __reduce__(self) -> tuple[Any, ...]:
        return _whole_scan, (self.operand, _name(self.op), self.axis, self.dtype)


@dataclass(frozen=True)
class PartialScan:
    """A scan along an axis that is cut at ``bounds``; input ``totals`` has the total of each tile
    along its axis 0."""

    operand: Expression
    op: Op
    axis: int
    bounds: tuple[int, ...]
    totals: int
    dtype: DT

    @property
    def name(self) -> str:
        """What it does."""
        return self.op.name

    def _tiles(self, box: Box) -> list[tuple[int, Box]]:
        """The tiles along the axis that ``box`` has, each from its own beginning."""
        low, high = box[self.axis]
        number = bisect_right(self.bounds, low) - 1
        found = []
        while self.bounds[number] < high:
            end = min(self.bounds[number + 1], high)
            part = (*box[: self.axis], (self.bounds[number], end), *box[self.axis + 1 :])
            found.append((number, part))
            number += 1
        return found

    def _before(self, number: int, box: Box) -> Box:
        """The totals of the tiles before one."""
        return ((0, number), *box[: self.axis], *box[self.axis + 1 :])

    def needs(self, box: Box) -> list[Need]:
        """The tiles, and the totals of those before."""
        found: dict[Need, None] = {}
        for number, tile in self._tiles(box):
            for need in self.operand.needs(tile):
                found[need] = None
            if number:
                found[self.totals, self._before(number, box)] = None
        return list(found)

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Scan each tile, and go on from what is before it."""
        is_sum = _name(self.op) == "sum"
        combine = np.add if is_sum else np.multiply
        for number, tile in self._tiles(box):
            part = self.operand.part(tile, fetch)
            shape = shape_of(tile)
            node = make(self.op, (part,), self.axis, shape, self.dtype, unique=True)
            found = read(node)
            if number:
                totals = fetch(self.totals, self._before(number, box))
                before = quietly(combine.reduce, np.array(totals), 0)
                before = np.expand_dims(before, self.axis)
                found = quietly(combine, before, found.astype(before.dtype))
            kept = _overlap(tile, box)
            new = quietly(found[within(kept, tile)].astype, self.dtype)
            out[within(kept, box)] = new

    def __reduce__(self) -> tuple[Any, ...]:
        fields = (self.operand, _name(self.op), self.axis, self.bounds, self.totals, self.dtype)
        return _partial_scan, fields


def _from_start(box: Box, axis: int) -> Box:
    return (*box[:axis], (0, box[axis][1]), *box[axis + 1 :])


def _overlap(tile: Box, box: Box) -> Box:
    return tuple([(max(a, c), min(b, d)) for (a, b), (c, d) in zip(tile, box, strict=True)])


def _name(op: Op) -> str:
    return next(name for name, one in SCAN.items() if one is op)


def _whole_scan(operand: Expression, op: str, axis: int, dtype: DT) -> WholeScan:
    return WholeScan(operand, SCAN[op], axis, dtype)


def _partial_scan(
    operand: Expression, op: str, axis: int, bounds: tuple[int, ...], totals: int, dtype: DT
) -> PartialScan:
    return PartialScan(operand, SCAN[op], axis, bounds, totals, dtype)
