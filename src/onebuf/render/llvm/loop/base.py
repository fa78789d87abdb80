"""The interface of a loop builder: values in scope, loop bodies and bounds.

`onebuf.render.llvm.loop.vector_loops` implements it. Modules that write one kind of loop (padding,
vector tails, prefetch) need this interface alone.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple

from onebuf.kernel import Nest, Pass
from onebuf.render.builder import Value
from onebuf.render.llvm.function import FunctionBuilder
from onebuf.render.llvm.loop.accumulator import Accumulator
from onebuf.render.llvm.memory.access import Access
from onebuf.render.llvm.rendering import Rendering


class CachedRow(NamedTuple):
    """A row in the row cache."""

    memory: dict[int, Value | int]
    """Where each step that is cached is kept: on the stack, or the number of a slot."""
    filled: set[int]
    """The steps that are there, because an earlier loop has stored them."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The values known inside ``depth`` loops: results of steps, and the address of each slot."""

    depth: int
    known: dict[int, Value]
    addresses: tuple[Value, ...]
    row: CachedRow = field(default_factory=lambda: CachedRow({}, set()))


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


class LateStores(NamedTuple):
    """The stores of a row that wait for the loop that folds the next one."""

    scope: Scope
    stores: list[int]
    exists: Value
    """Whether there is such a row: before the first one there is none."""


class LoopBuilder(FunctionBuilder):
    """The function of a nest under construction, one loop inside another."""

    hides_index = True
    nest: Nest
    rendering: Rendering
    access: Access
    vector: int
    """SIMD lanes of the innermost loop, where nothing is folded."""
    cached: tuple[int, ...]
    """The steps that the row cache holds."""
    late: LateStores | None = None
    """What the innermost loop has to store besides its own sinks."""

    @abstractmethod
    def new_cached_row(self) -> CachedRow:
        """Memory for the results of a row that the next loop over it reads."""

    @abstractmethod
    def run_pass(self, scope: Scope, work: Pass) -> None:
        """One loop over the next axis, after the steps of ``scope`` that it needs."""

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
    def inside(self, scope: Scope, steps: list[int], index: Value) -> Scope:
        """The scope at one index of the next axis, with ``steps`` computed."""

    @abstractmethod
    def at_index(self, scope: Scope, index: Value) -> Scope:
        """The scope at one index of the next axis, before anything is computed there."""
