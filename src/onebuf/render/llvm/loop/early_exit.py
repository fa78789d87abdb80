"""Searching: the first index at which something holds, found and then left.

A fold that gives a position (`onebuf.kernel.Fold.first`) takes the least of the indices that are
marked. Along a row there is no need to take them all: whole vectors are looked at until one has a
mark, and then single elements from its beginning.
"""

from __future__ import annotations

from typing import NamedTuple

from onebuf.render.builder import Value
from onebuf.render.llvm.function import Loop
from onebuf.render.llvm.loop.accumulator import Accumulator
from onebuf.render.llvm.loop.base import Frame, Work
from onebuf.render.llvm.loop.loops import Loops

SOUGHT_NBYTES = 64
"""Bytes of the elements that are looked at together."""


class Mark(NamedTuple):
    """The step that chooses between an index and none, in the place of a fold of what it asks."""

    number: int


class Rows(Loops):
    """A nest as text; along rows, positions are searched for."""

    def _over(self, frame: Frame, work: Work, first: Value, end: Value) -> list[Value]:
        return self._apart(frame, work, first, end, super()._over)

    def sweep(self, frame: Frame, work: Work, first: Value, end: Value) -> list[Value]:
        """One pass from ``first`` to ``end``, and a search for each position."""
        return self._apart(frame, work, first, end, super().sweep)

    def _apart(
        self, frame: Frame, work: Work, first: Value, end: Value, otherwise: object
    ) -> list[Value]:
        """The results of ``otherwise``, with positions searched for in loops of their own."""
        sought = [total for total in work.totals if total.fold.first]
        if not sought or frame.depth != self.nest.ndim - 1:
            return otherwise(frame, work, first, end)  # type: ignore[operator, no-any-return]
        others = [total for total in work.totals if not total.fold.first]
        found: dict[int, Value] = {}
        if others or work.stores:
            rest = otherwise(frame, Work(others, work.stores), first, end)  # type: ignore[operator]
            found = dict(zip([total.number for total in others], rest, strict=True))
        for total in sought:
            found[total.number] = self._search(frame, total, first, end)
        return [found[total.number] for total in work.totals]

    def _search(self, frame: Frame, total: Accumulator, first: Value, end: Value) -> Value:
        steps = self.nest.steps
        mark = Mark(steps[total.number].args[0])
        asked = self.closure(steps[mark.number].args[:1], frame.known)
        sizes = [steps[n].dtype.itemsize for n in asked if self.nest.depths[n] == self.nest.ndim]
        lanes = SOUGHT_NBYTES // max(sizes, default=1)
        b, start = self.b, first
        for width, stop in ((lanes, self.last_whole(first, end, lanes)), (1, end)):
            loop = self.open(start, [], width, stop)
            b.lanes = width
            (flag,) = self.body(frame, Work([mark], []), loop.counter)  # type: ignore[list-item]
            self._leave_if(loop, flag)
            b.lanes = 1
            self.close(loop, [])
            start = loop.counter
        return start

    def _leave_if(self, loop: Loop, flag: Value) -> None:
        """End the loop at this index if any lane is set."""
        b = self.b
        name = b.spread(flag)
        if b.lanes > 1:
            bits = b.emit(f"bitcast <{b.lanes} x i1> {name} to i{b.lanes}")
            name = b.emit(f"icmp ne i{b.lanes} {bits}, 0")
        going = b.label("going")
        b.line(f"br i1 {name}, label %{loop.tag}.end, label %{going}")
        b.line(f"{going}:")
