"""Early exit: a search for the first index at which a condition holds, left when it is found.

A fold with `onebuf.kernel.Fold.first` is the minimum of the marked indices. Along a row it need not
look at all of them: a loop tests one vector at a time until a lane is marked; then a scalar loop
tests the elements from the beginning of that vector.
"""

from __future__ import annotations

from collections.abc import Callable

from onebuf.render.builder import Value
from onebuf.render.llvm.function import Loop
from onebuf.render.llvm.loop.accumulator import Accumulator
from onebuf.render.llvm.loop.base import Scope, Sinks
from onebuf.render.llvm.loop.vector_loops import Loops
from onebuf.render.llvm.rendering import VECTOR_NBYTES


class EarlyExit(Loops):
    """The function of a nest; folds that find a first index are searches."""

    def fold_range(self, scope: Scope, sinks: Sinks, first: Value, end: Value) -> list[Value]:
        """The loop from ``first`` to ``end``, and a search for each first index."""
        return self._with_searches(scope, sinks, first, end, super().fold_range)

    def sweep(self, scope: Scope, sinks: Sinks, first: Value, end: Value) -> list[Value]:
        """One loop from ``first`` to ``end``, and a search for each first index."""
        return self._with_searches(scope, sinks, first, end, super().sweep)

    def _with_searches(
        self,
        scope: Scope,
        sinks: Sinks,
        first: Value,
        end: Value,
        loop: Callable[[Scope, Sinks, Value, Value], list[Value]],
    ) -> list[Value]:
        """The results of ``loop``, with first indices found in loops of their own."""
        sought = [each for each in sinks.accumulators if each.fold.first]
        if not sought or scope.depth != self.nest.ndim - 1:
            return loop(scope, sinks, first, end)
        others = [each for each in sinks.accumulators if not each.fold.first]
        found: dict[int, Value] = {}
        if others or sinks.stores:
            rest = loop(scope, Sinks(others, sinks.stores), first, end)
            found = dict(zip([each.number for each in others], rest, strict=True))
        for accumulator in sought:
            found[accumulator.number] = self._search(scope, accumulator, first, end)
        return [found[each.number] for each in sinks.accumulators]

    def _search(self, scope: Scope, accumulator: Accumulator, first: Value, end: Value) -> Value:
        steps = self.nest.steps
        condition = steps[accumulator.operand].args[0]
        needed = self.nest.closure([condition], scope.known)
        sizes = [steps[n].dtype.itemsize for n in needed if self.nest.depths[n] == self.nest.ndim]
        lanes = VECTOR_NBYTES // max(sizes, default=1)
        b, start = self.b, first
        for width, stop in ((lanes, self.last_multiple(first, end, lanes)), (1, end)):
            loop = self.open(start, [], width, stop)
            b.lanes = width
            self._leave_if(loop, self.inside(scope, [condition], loop.counter).known[condition])
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
