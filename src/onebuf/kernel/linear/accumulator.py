"""Accumulators of reductions, and the reduction of the partial results of a work-group.

Each work-item writes its partial result to shared memory. After a barrier the first work-item
combines them. If the others need the total, they read it from shared memory after a second barrier,
which also makes it safe to write partial results there again.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

from onebuf.dtypes import int64
from onebuf.kernel.linear.builder import LinearBuilder
from onebuf.kernel.linear.instruction import Code, Local
from onebuf.kernel.linear.lanes import Lane, Lanes, Values
from onebuf.kernel.linear.opts import LOCAL, AxisPart, SplitAxes
from onebuf.kernel.nest.fold_ops import combining, identity
from onebuf.kernel.nest.nest import Nest, accumulator_dtype

Cells = dict[int, Values]
"""For each fold, the accumulator of each lane."""


class Accumulators:
    """The accumulators of one kernel."""

    def __init__(
        self,
        nest: Nest,
        split: SplitAxes,
        lanes: Lanes,
        builder: LinearBuilder,
        indices: dict[AxisPart, int],
    ) -> None:
        self.nest = nest
        self.split = split
        self.lanes = lanes
        self.b = builder
        self.indices = indices
        self._shared: dict[Any, int] = {}

    def define(self, folds: Iterable[int]) -> Cells:
        """A new accumulator for each lane of each fold."""
        return {fold: self._define(fold) for fold in folds}

    def _define(self, fold: int) -> Values:
        step = self.nest.steps[fold]
        dtype = accumulator_dtype(step)
        start = identity(step.op, dtype)
        lanes = self.lanes.of(fold)
        return {lane: self.b.emit(Code.DEFINE_ACC, (), dtype, start) for lane in lanes}

    def add(self, fold: int, cell: int, value: int) -> None:
        """Combine an accumulator with one more element."""
        step, b = self.nest.steps[fold], self.b
        dtype = accumulator_dtype(step)
        running = b.emit(Code.LOAD, (cell,), dtype)
        total = b.alu(combining(step.op), running, b.cast(value, dtype), dtype=dtype)
        b.emit(Code.STORE, (cell, total), dtype)

    def finish(self, cells: Cells) -> Cells:
        """The results of folds, read from their accumulators."""
        found: Cells = {}
        for fold, lanes in cells.items():
            dtype = self.nest.steps[fold].dtype
            found[fold] = {
                lane: self.b.cast(self._read(fold, cell), dtype) for lane, cell in lanes.items()
            }
        return found

    def _read(self, fold: int, *args: int) -> int:
        return self.b.emit(Code.LOAD, args, accumulator_dtype(self.nest.steps[fold]))

    # -- folds shared by a group -------------------------------------------------------------------

    def leave(self, cells: Cells) -> None:
        """Write each work-item's partial result to shared memory, then wait at a barrier."""
        place = self._item(with_part=True)
        for fold, lanes in cells.items():
            for lane, cell in lanes.items():
                value = self._read(fold, cell)
                where = self._memory("part", fold, lane)
                self.b.emit(Code.STORE, (where, place, value), self.b.lines[where].dtype)
        self.b.emit(Code.BARRIER)

    def collect(self, folds: list[int], shared: AxisPart) -> Cells:
        """The accumulators in which the first work-item combines the partial results."""
        b = self.b
        totals = self.define(folds)
        loop = b.open(Code.LOOP, (b.number(0), b.number(shared.extent)), int64, "lidx")
        place = self._item(with_part=True, part=loop)
        for fold, lanes in totals.items():
            for lane, cell in lanes.items():
                self.add(fold, cell, self._read(fold, self._memory("part", fold, lane), place))
        b.close(loop)
        return totals

    def broadcast(self, cells: Cells, branch: int) -> Cells:
        """The results, which the first work-item, in ``branch``, passes to the others."""
        b = self.b
        place = self._item(with_part=False)
        for fold, lanes in cells.items():
            for lane, cell in lanes.items():
                where = self._memory("total", fold, lane)
                b.emit(Code.STORE, (where, place, self._read(fold, cell)), b.lines[where].dtype)
        b.close(branch)
        b.emit(Code.BARRIER)
        place = self._item(with_part=False)  # values of the branch are out of scope
        found: Cells = {}
        for fold, lanes in cells.items():
            dtype = self.nest.steps[fold].dtype
            found[fold] = {
                lane: b.cast(self._read(fold, self._memory("total", fold, lane), place), dtype)
                for lane in lanes
            }
        return found

    def _item(self, with_part: bool, part: int | None = None) -> int:
        """The position of this work-item in shared memory, or of work-item ``part``."""
        shared = self.split.grouped
        assert shared is not None
        terms, inner = [], 1
        if with_part:
            terms.append((1, self.indices[shared] if part is None else part))
            inner = shared.extent
        for local in reversed(self.split.parts(LOCAL)):
            terms.append((inner, self.indices[local]))
            inner *= local.extent
        return self.b.affine(terms[::-1], 0)

    def _memory(self, name: str, fold: int, lane: Lane) -> int:
        """The shared memory of a fold's partial results, or of its totals."""
        key = (name, fold, lane)
        if key not in self._shared:
            shared = self.split.grouped
            assert shared is not None
            size = prod([part.extent for part in self.split.parts(LOCAL)])
            size *= shared.extent if name == "part" else 1
            dtype = accumulator_dtype(self.nest.steps[fold])
            local = Local(f"{name}{len(self._shared)}", size)
            self._shared[key] = self.b.emit(Code.DEFINE_LOCAL, (), dtype, local)
        return self._shared[key]
