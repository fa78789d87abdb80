"""The interface of a loop builder: values in scope, loop bodies and bounds.

`onebuf.render.llvm.loop.vector_loops` implements it. Modules that write one kind of loop (padding,
vector tails, prefetch) need this interface alone.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from onebuf.kernel import Nest
from onebuf.render.builder import Value
from onebuf.render.llvm.function import FunctionBuilder
from onebuf.render.llvm.loop.accumulator import Accumulator
from onebuf.render.llvm.memory.access import Access
from onebuf.render.llvm.rendering import Rendering


@dataclass(frozen=True, slots=True)
class Scope:
    """The values known inside ``depth`` loops: results of steps, and the address of each slot."""

    depth: int
    known: dict[int, Value]
    addresses: tuple[Value, ...]


class Sinks(NamedTuple):
    """What a loop is run for: reductions over it, and stores inside it."""

    accumulators: list[Accumulator]
    stores: list[int]

    @property
    def operands(self) -> list[int]:
        """The steps that the reductions fold."""
        return [accumulator.operand for accumulator in self.accumulators]

    @property
    def steps(self) -> list[int]:
        """All steps that have to be computed at each index."""
        return [*self.operands, *self.stores]


class LoopBuilder(FunctionBuilder):
    """The function of a nest under construction, one loop inside another."""

    hides_index = True
    nest: Nest
    rendering: Rendering
    access: Access
    vector: int
    """SIMD lanes of the innermost loop, where nothing is folded."""

    @abstractmethod
    def step(self, number: int, scope: Scope) -> None:
        """One step, with the present number of lanes."""

    @abstractmethod
    def lanes_of(self, steps: Collection[int]) -> int:
        """SIMD lanes of a loop that computes ``steps`` and folds nothing."""

    @abstractmethod
    def prefetch(self, scope: Scope, sinks: Sinks, index: Value) -> None:
        """Prefetch what a loop over rows needs later, at one index of the innermost axis."""

    @abstractmethod
    def bounds(self, axis: int) -> tuple[Value, Value]:
        """The first index of the loop over an axis, and the one after the last."""

    @abstractmethod
    def body(self, scope: Scope, sinks: Sinks, index: Value) -> list[Value]:
        """The loop body at one index of the next axis; the operands of the reductions."""

    @abstractmethod
    def at_index(self, scope: Scope, index: Value) -> Scope:
        """The scope at one index of the next axis, before anything is computed there."""
