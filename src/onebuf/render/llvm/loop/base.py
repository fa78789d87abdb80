"""Levels: what is known inside some loops, and what may be asked of whoever writes them.

`onebuf.render.llvm.loop.loops` writes them; what it leaves to others (padding, tails, prefetch) is
written with this in hand and knows nothing else of it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from onebuf.kernel import Nest
from onebuf.render.builder import Value
from onebuf.render.llvm.function import Text
from onebuf.render.llvm.loop.accumulator import Accumulator
from onebuf.render.llvm.memory.access import Access
from onebuf.render.llvm.rendering import Rendering


@dataclass(frozen=True, slots=True)
class Frame:
    """What is known inside ``depth`` loops: values of steps, and where each slot is."""

    depth: int
    known: dict[int, Value]
    places: tuple[Value, ...]


class Work(NamedTuple):
    """What a loop is for: reductions over it, and stores inside it."""

    totals: list[Accumulator]
    stores: list[int]


class Levels(Text):
    """A nest that becomes text, one loop inside another."""

    nest: Nest
    rendering: Rendering
    access: Access
    vector: int
    """Lanes of the innermost loop, where nothing is folded."""

    @abstractmethod
    def closure(self, sinks: Iterable[int], known: dict[int, Value]) -> list[int]:
        """The steps that ``sinks`` need and that are not known yet, in order."""

    @abstractmethod
    def step(self, number: int, frame: Frame) -> None:
        """One step, at the present number of lanes."""

    @abstractmethod
    def bounds(self, axis: int) -> tuple[Value, Value]:
        """Where the loop over an axis begins and ends."""

    @abstractmethod
    def body(self, frame: Frame, work: Work, index: Value) -> list[Value]:
        """What happens at one index of the next axis; the operands of the reductions."""

    @abstractmethod
    def moved(self, frame: Frame, index: Value) -> Frame:
        """What is known at one index of the next axis."""
