"""Scans: prefix sums and products, carried from index to index of the innermost loop.

Each result needs the one before, so SIMD lanes cannot run along the scanned axis. They run along
the axis before it if that is contiguous in memory: then a vector of columns is scanned at once.
"""

from __future__ import annotations

from onebuf.graph import RANDOM_WORDS
from onebuf.kernel import FOLDS, INDEX, LOAD, SCANS, STORE, Nest, combining, identity
from onebuf.render.builder import Value
from onebuf.render.llvm.element.elementwise import ELEMENTS, TYPES
from onebuf.render.llvm.loop.base import Scope, Sinks
from onebuf.render.llvm.loop.early_exit import EarlyExit

WIDE = 4
"""Vectors of columns that are scanned at once while there are so many: each row of them is as many
neighbouring cache lines."""
FEW_STEPS = 16
"""The most steps of a nest whose vectors are so wide."""


def column_lanes(nest: Nest, lanes: int) -> int:
    """Lanes along columns for vectors of ``lanes`` lanes; 1 if columns are scanned singly."""
    if not scans_columns(nest):
        return 1
    is_plain = not any(step.op in RANDOM_WORDS for step in nest.steps)
    return lanes * WIDE if is_plain and len(nest.steps) <= FEW_STEPS else lanes


def has_scans(nest: Nest) -> bool:
    """Whether a nest has prefix sums or products."""
    return any(step.op in SCANS for step in nest.steps)


def scans_columns(nest: Nest) -> bool:
    """Whether lanes can run along the axis before the scanned one."""
    if nest.ndim < 2 or any(step.op in FOLDS for step in nest.steps):
        return False
    accessed = [step for step in nest.steps if step.op in (LOAD, STORE, INDEX)]
    strides = [nest.slots[step.arg].steps[-2] for step in accessed if step.op is not INDEX]
    stored = [nest.slots[step.arg].steps[-2] for step in accessed if step.op is STORE]
    return all(stride in (0, 1) for stride in strides) and all(stored)


class Scans(EarlyExit):
    """The function of a nest whose innermost loop carries prefix sums or products."""

    running: dict[int, Value]

    def loop(self, scope: Scope, sinks: Sinks) -> list[Value]:
        """The loop over the next axis; that over columns goes from vector to vector."""
        if scope.depth != self.nest.ndim - 2 or not scans_columns(self.nest):
            return super().loop(scope, sinks)
        self.axis = scope.depth
        start, end = self.bounds(scope.depth)
        for lanes in sorted({self.vector, max(1, self.vector // WIDE), 1}, reverse=True):
            stop = self.last_multiple(start, end, lanes) if lanes > 1 else end
            loop = self.open(start, [], lanes, stop)
            self.b.lanes = lanes
            self.body(scope, sinks, loop.counter)
            self.b.lanes = 1
            self.close(loop, [])
            start = stop
        return []

    def sweep(self, scope: Scope, sinks: Sinks, first: Value, end: Value) -> list[Value]:
        """One loop from ``first`` to ``end``, element by element if it carries scans."""
        steps = self.nest.steps
        scans = [n for n in self.nest.closure(sinks.stores, scope.known) if steps[n].op in SCANS]
        if not scans or scope.depth != self.nest.ndim - 1:
            return super().sweep(scope, sinks, first, end)
        assert not sinks.accumulators, "a fold of a scan is a kernel of its own"
        b = self.b
        starts = []
        for number in scans:
            dtype = steps[number].dtype
            start = b.constant(TYPES[dtype.name], identity(steps[number].op, dtype).item())
            starts.append(start if b.lanes == 1 else Value(b.spread(start), start.type))
        loop = self.open(first, starts, 1, end)
        self.running = dict(zip(scans, loop.carried, strict=True))
        self.body(scope, sinks, loop.counter)
        self.close(loop, [self.running[number] for number in scans])
        return []

    def step(self, number: int, scope: Scope) -> None:
        """One step; a scan takes one more element."""
        step = self.nest.steps[number]
        if step.op not in SCANS:
            super().step(number, scope)
            return
        both = (self.running[number], scope.known[step.args[0]])
        value = ELEMENTS[combining(step.op)](self.b, both, step.dtype)
        self.running[number] = scope.known[number] = value
