"""Accumulators: the cells that folds run in, and how the work-items of a group share one.

Each work-item leaves its part in shared memory; after a barrier the first one adds them up. If the
others need the total as well, they find it in shared memory after a second barrier, which is also
what lets them leave their parts there again.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

import numpy as np

from onebuf.dtypes import int64
from onebuf.kernel.linear.builder import Writer
from onebuf.kernel.linear.instruction import Code, Local
from onebuf.kernel.linear.lanes import Lane, Lanes, Values
from onebuf.kernel.linear.opts import LOCAL, Part, Shape
from onebuf.kernel.nest.fold_ops import combining, identity
from onebuf.kernel.nest.nest import Nest, accumulator_dtype

DT = np.dtype[Any]
Cells = dict[int, Values]
"""The accumulators of some folds, lane by lane."""


class Accumulators:
    """The folds of one kernel."""

    def __init__(
        self, nest: Nest, shape: Shape, lanes: Lanes, writer: Writer, indices: dict[Part, int]
    ) -> None:
        self.nest = nest
        self.shape = shape
        self.lanes = lanes
        self.w = writer
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
        return {lane: self.w.emit(Code.DEFINE_ACC, (), dtype, start) for lane in lanes}

    def add(self, fold: int, cell: int, value: int) -> None:
        """One more element in an accumulator."""
        step, w = self.nest.steps[fold], self.w
        dtype = accumulator_dtype(step)
        running = w.emit(Code.LOAD, (cell,), dtype)
        total = w.alu(combining(step.op), running, w.cast(value, dtype), dtype=dtype)
        w.emit(Code.STORE, (cell, total), dtype)

    def finish(self, cells: Cells) -> Cells:
        """The results of folds that are in accumulators."""
        found: Cells = {}
        for fold, lanes in cells.items():
            dtype = self.nest.steps[fold].dtype
            found[fold] = {
                lane: self.w.cast(self._read(fold, cell), dtype) for lane, cell in lanes.items()
            }
        return found

    def _read(self, fold: int, *args: int) -> int:
        return self.w.emit(Code.LOAD, args, accumulator_dtype(self.nest.steps[fold]))

    # -- folds shared by a group -------------------------------------------------------------------

    def leave(self, cells: Cells) -> None:
        """Each work-item's part goes to shared memory, where all wait for all."""
        place = self._item(with_part=True)
        for fold, lanes in cells.items():
            for lane, cell in lanes.items():
                value = self._read(fold, cell)
                where = self._memory("part", fold, lane)
                self.w.emit(Code.STORE, (where, place, value), self.w.lines[where].dtype)
        self.w.emit(Code.BARRIER)

    def collect(self, folds: list[int], shared: Part) -> Cells:
        """The cells in which the first work-item adds up the parts."""
        w = self.w
        totals = self.define(folds)
        loop = w.open(Code.LOOP, (w.number(0), w.number(shared.extent)), int64, "lidx")
        place = self._item(with_part=True, part=loop)
        for fold, lanes in totals.items():
            for lane, cell in lanes.items():
                self.add(fold, cell, self._read(fold, self._memory("part", fold, lane), place))
        w.close(loop)
        return totals

    def broadcast(self, cells: Cells, branch: int) -> Cells:
        """The results, which the first work-item, in ``branch``, hands to the others."""
        w = self.w
        place = self._item(with_part=False)
        for fold, lanes in cells.items():
            for lane, cell in lanes.items():
                where = self._memory("total", fold, lane)
                w.emit(Code.STORE, (where, place, self._read(fold, cell)), w.lines[where].dtype)
        w.close(branch)
        w.emit(Code.BARRIER)
        place = self._item(with_part=False)  # what was found in the branch is gone with it
        found: Cells = {}
        for fold, lanes in cells.items():
            dtype = self.nest.steps[fold].dtype
            found[fold] = {
                lane: w.cast(self._read(fold, self._memory("total", fold, lane), place), dtype)
                for lane in lanes
            }
        return found

    def _item(self, with_part: bool, part: int | None = None) -> int:
        """The place of this work-item in shared memory; or of another one, ``part``."""
        shared = self.shape.grouped
        assert shared is not None
        terms, inner = [], 1
        if with_part:
            terms.append((1, self.indices[shared] if part is None else part))
            inner = shared.extent
        for local in reversed(self.shape.parts(LOCAL)):
            terms.append((inner, self.indices[local]))
            inner *= local.extent
        return self.w.affine(terms[::-1], 0)

    def _memory(self, name: str, fold: int, lane: Lane) -> int:
        """The shared memory of a fold's parts, or of its totals."""
        key = (name, fold, lane)
        if key not in self._shared:
            shared = self.shape.grouped
            assert shared is not None
            size = prod([part.extent for part in self.shape.parts(LOCAL)])
            size *= shared.extent if name == "part" else 1
            dtype = accumulator_dtype(self.nest.steps[fold])
            local = Local(f"{name}{len(self._shared)}", size)
            self._shared[key] = self.w.emit(Code.DEFINE_LOCAL, (), dtype, local)
        return self._shared[key]
