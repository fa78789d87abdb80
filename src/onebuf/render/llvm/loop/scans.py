"""Scans: running sums and products, carried from index to index of the innermost loop.

Their order is that of the elements, so lanes cannot run along it. They run along the axis before
it if memory has its neighbours there: then a vector of columns is scanned at once.
"""

from __future__ import annotations

from onebuf.graph import BINARY, RANDOM_WORDS, SCAN, Op
from onebuf.kernel import FOLDS, INDEX, LOAD, SCANS, STORE, Nest
from onebuf.kernel.nest.fold_ops import identity
from onebuf.render.builder import Value
from onebuf.render.llvm.element.elementwise import ELEMENTS, TYPES
from onebuf.render.llvm.loop.base import Frame, Work
from onebuf.render.llvm.loop.early_exit import Rows

_COMBINE: dict[Op, Op] = {SCAN["sum"]: BINARY["add"], SCAN["prod"]: BINARY["multiply"]}


WIDE = 4
"""Vectors of columns that run at once while there are so many: each row is in as many lines of
memory, next to each other."""
FEW_STEPS = 16
"""The most steps that are computed for so many."""


def column_lanes(nest: Nest, lanes: int) -> int:
    """Lanes along columns where a vector has ``lanes``; 1: along none."""
    if not scans_columns(nest):
        return 1
    is_plain = not any(step.op in RANDOM_WORDS for step in nest.steps)
    return lanes * WIDE if is_plain and len(nest.steps) <= FEW_STEPS else lanes


def has_scans(nest: Nest) -> bool:
    """Whether a nest has running results."""
    return any(step.op in SCANS for step in nest.steps)


def scans_columns(nest: Nest) -> bool:
    """Whether lanes can run along the axis before the one that is scanned."""
    if nest.ndim < 2 or any(step.op in FOLDS for step in nest.steps):
        return False
    reached = [step for step in nest.steps if step.op in (LOAD, STORE, INDEX)]
    paces = [nest.slots[step.arg].steps[-2] for step in reached if step.op is not INDEX]
    stored = [nest.slots[step.arg].steps[-2] for step in reached if step.op is STORE]
    return all(pace in (0, 1) for pace in paces) and all(stored)


class Scans(Rows):
    """A nest as text; its innermost loop carries running results."""

    running: dict[int, Value]

    def loop(self, frame: Frame, work: Work) -> list[Value]:
        """The loop over the next axis; that over columns goes from vector to vector."""
        if frame.depth != self.nest.ndim - 2 or not scans_columns(self.nest):
            return super().loop(frame, work)
        self.axis = frame.depth
        start, end = self.bounds(frame.depth)
        for lanes in sorted({self.vector, max(1, self.vector // WIDE), 1}, reverse=True):
            stop = self.last_whole(start, end, lanes) if lanes > 1 else end
            loop = self.open(start, [], lanes, stop)
            self.b.lanes = lanes
            self.body(frame, work, loop.counter)
            self.b.lanes = 1
            self.close(loop, [])
            start = stop
        return []

    def sweep(self, frame: Frame, work: Work, first: Value, end: Value) -> list[Value]:
        """One pass from ``first`` to ``end``, element by element if it carries anything."""
        steps = self.nest.steps
        scans = [n for n in self.closure(work.stores, frame.known) if steps[n].op in SCANS]
        if not scans or frame.depth != self.nest.ndim - 1:
            return super().sweep(frame, work, first, end)
        assert not work.totals, "a fold of a scan is a kernel of its own"
        b = self.b
        starts = []
        for number in scans:
            dtype = steps[number].dtype
            start = b.constant(TYPES[dtype.name], identity(steps[number].op, dtype).item())
            starts.append(start if b.lanes == 1 else Value(b.spread(start), start.type))
        loop = self.open(first, starts, 1, end)
        self.running = dict(zip(scans, loop.carried, strict=True))
        self.body(frame, work, loop.counter)
        self.close(loop, [self.running[number] for number in scans])
        return []

    def step(self, number: int, frame: Frame) -> None:
        """One step; a scan takes one more element."""
        step = self.nest.steps[number]
        if step.op not in SCANS:
            super().step(number, frame)
            return
        both = (self.running[number], frame.known[step.args[0]])
        value = ELEMENTS[_COMBINE[step.op]](self.b, both, step.dtype)
        self.running[number] = frame.known[number] = value
