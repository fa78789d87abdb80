"""Squares: memory that is only read across the grain, turned round in registers.

Some rows are gone through together, as many as a line of memory holds elements: what lies across
the grain is loaded in the order of memory, turned round, and used row by row. The inner loop goes
down the rows, along lines of memory, and results are written a line at a time. Where something else
is read along the rows, `onebuf.render.llvm.loop.cache_tiles` is better.
"""

from __future__ import annotations

from onebuf.kernel import LOAD, Nest
from onebuf.render.builder import Value
from onebuf.render.llvm.loop.base import Frame, Work
from onebuf.render.llvm.loop.cache_tiles import across, has_tiles
from onebuf.render.llvm.loop.loops import Loops
from onebuf.render.llvm.memory.transpose import SQUARE

LINE_NBYTES = 64


def has_squares(nest: Nest) -> bool:
    """Whether a nest can be gone through in squares, and reads nothing along its rows."""
    if not has_tiles(nest):
        return False
    turned = across(nest)
    loads = [step for step in nest.steps if step.op is LOAD]
    others = [nest.slots[step.arg] for step in loads if step.arg not in turned]
    return not any(step.args for step in loads) and not any(
        slot.steps[-1] and slot.steps[-2] for slot in others
    )


class Squares(Loops):
    """A nest as text; the two innermost loops go from square to square."""

    def loop(self, frame: Frame, work: Work) -> list[Value]:
        """The loop over the next axis."""
        inner = self.nest.ndim - 1
        if frame.depth != inner - 1 or self.vector == 1:
            return super().loop(frame, work)
        sizes = [self.nest.slots[slot].dtype.itemsize for slot in across(self.nest)]
        size = min(self.vector, *[SQUARE[nbytes] for nbytes in sizes])
        count = max(size, LINE_NBYTES // min(sizes))
        top, bottom = self.bounds(inner - 1)
        left, right = self.whole(0), self.extents[inner]
        middle_row = self.last_whole(top, bottom, count)
        middle_column = self.last_whole(left, right, self.vector)
        along = self.open(left, [], self.vector, middle_column)
        down = self.open(top, [], count, middle_row)
        for first in range(0, count, size):
            row = self.plus(down.counter, first) if first else down.counter
            self._square(frame, work.stores, row, along.counter, size)
        self.close(down, [])
        self.close(along, [])
        for start, stop, begin, end in (
            (top, middle_row, middle_column, right),
            (middle_row, bottom, left, right),
        ):
            rows = self.open(start, [], 1, stop)
            self.sweep(self._row(frame, work.stores, rows.counter), work, begin, end)
            self.close(rows, [])
        return []

    def _row(self, frame: Frame, stores: list[int], row: Value) -> Frame:
        """What is known at a row, all that is the same along it included."""
        inner = self.nest.ndim - 1
        moved = self.access.moved
        places = [moved(self.b, n, inner - 1, place, row) for n, place in enumerate(frame.places)]
        inside = Frame(inner, dict(frame.known), tuple(places))
        for number in self.closure(stores, inside.known):
            if self.nest.depths[number] == inner:
                self.step(number, inside)
        return inside

    def _square(
        self, frame: Frame, stores: list[int], row: Value, column: Value, size: int
    ) -> None:
        """``size`` rows from ``row`` on, at the vector that begins at ``column``."""
        b, nest, inner = self.b, self.nest, self.nest.ndim - 1
        rows = [self._row(frame, stores, self.plus(row, n) if n else row) for n in range(size)]
        first = rows[0]
        turned: dict[int, list[Value]] = {}
        b.lanes = self.vector
        for number in self.closure(stores, first.known):
            step = nest.steps[number]
            if step.op is LOAD and step.arg in across(nest) and not step.args:
                place = self.access.moved(b, step.arg, inner, first.places[step.arg], column)
                turned[number] = self.access.turned(b, step.arg, place, inner, size)
        for n, at in enumerate(rows):
            known = at.known | {number: values[n] for number, values in turned.items()}
            moved = self.access.moved
            places = [moved(b, slot, inner, place, column) for slot, place in enumerate(at.places)]
            self.level(Frame(inner + 1, known, tuple(places)), stores)
        b.lanes = 1
