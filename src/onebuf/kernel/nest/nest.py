"""Loop nests: a kernel as nested loops around a list of steps.

Axes are numbered from the outermost loop in. A *slot* is an array argument: its strides say along
which axes it moves. The *depth* of a step is the number of loops around it: a load needs the loops
along which its slot moves, and a computation needs the loops of its operands. A reduction (*fold*)
removes the innermost axis of its operand, so its depth is the number of that axis.

A nest has no sizes. Extents, strides and addresses are arguments of each call, so one nest serves
all shapes. It holds only what changes the generated code: the operations, the dtypes, and the class
of each stride (0, 1, -1 or any other).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from onebuf.dtypes import DT, float32, float64, kind
from onebuf.graph import REDUCE, SCAN, Kind, Op

LOAD = Op("load", Kind.STORED)
"""The element of slot ``arg`` at this index; for operands see `onebuf.kernel.nest.indexed_load`."""
STORE = Op("store", Kind.STORED)
"""Write the operand to slot ``arg`` at this index."""
SCALAR = Op("scalar", Kind.CONSTANT)
"""The run-time constant number ``arg``."""
INDEX = Op("index", Kind.GENERATE)
"""The position at which slot ``arg`` would be read, as an int64."""

ANY = 2
"""The class of a stride that is neither 0, 1 nor -1."""

FOLDS = frozenset(REDUCE.values())
SCANS = frozenset(SCAN.values())
"""Prefix sums and products: steps in the innermost loop that carry their last value along it."""


def stride_class(stride: int, extent: int) -> int:
    """The stride if it is 0, 1 or -1, else ANY; 0 along an axis of one element."""
    if extent == 1:
        return 0
    return stride if stride in (0, 1, -1) else ANY


@dataclass(frozen=True, slots=True)
class Slot:
    """An array argument of a nest: the dtype of its elements, and the class of each stride."""

    dtype: DT
    steps: tuple[int, ...]

    @property
    def depth(self) -> int:
        """The number of loops that reach every element."""
        return max((axis + 1 for axis, step in enumerate(self.steps) if step), default=0)


@dataclass(frozen=True, slots=True)
class Fold:
    """How a reduction runs over ``axis``, which is the innermost loop of its operand.

    The order of a sum of floats is part of its value, so it is fixed here and nowhere else. Element
    ``i`` of each chunk of CHUNK elements goes to accumulator ``i % LANES``. At the end of a chunk
    the upper half of the accumulators is added to the lower half until one is left; the chunks are
    added in order. A ``sequential`` fold has one accumulator: it adds the results of chunks that
    several threads have computed.
    """

    axis: int
    sequential: bool = False
    first: bool = False
    """Whether this is a minimum that finds the first marked index. Its operand is the index where
    the mark is set, else the largest integer; at least one mark is set."""


LANES = 16
CHUNK = 8192


@dataclass(frozen=True, slots=True)
class Step:
    """One value: ``op`` of the results of earlier steps, which ``args`` numbers."""

    op: Op
    args: tuple[int, ...]
    dtype: DT
    arg: Any = None


class Pass(NamedTuple):
    """One run of the loop over an axis, and the steps that come directly before it."""

    steps: list[int]
    """Steps outside the loop that are computed before it."""
    folds: list[int]
    """Reductions over the axis whose results the loop gives."""
    stores: list[int]
    """Sinks inside the loop."""


@dataclass(frozen=True)
class Nest:
    """``ndim`` loops around ``steps``; steps come after their operands."""

    ndim: int
    slots: tuple[Slot, ...]
    steps: tuple[Step, ...]
    scalars: tuple[DT, ...] = ()
    partial: bool = False
    """Whether the result of each chunk of the fold over the outermost axis is stored."""

    @property
    def folds_all(self) -> bool:
        """Whether the outermost axis is folded, so that threads cannot share its indices."""
        return any(step.op in FOLDS and step.arg.axis == 0 for step in self.steps)

    @property
    def scans_all(self) -> bool:
        """Whether a prefix sum or product runs along the outermost axis: one thread computes it."""
        return any(step.op in SCANS and step.arg.axis == 0 for step in self.steps)

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """The number of loops around each step."""
        depths: list[int] = []
        for step in self.steps:
            if step.op in FOLDS:
                depths.append(step.arg.axis)
                continue
            depth = max((depths[arg] for arg in step.args), default=0)
            if step.op in SCANS:
                depth = max(depth, step.arg.axis + 1)
            if step.op in (LOAD, STORE, INDEX):
                depth = max(depth, self.slots[step.arg].depth)
            depths.append(depth)
        return tuple(depths)

    @cached_property
    def written(self) -> frozenset[int]:
        """The slots that steps store to."""
        return frozenset(step.arg for step in self.steps if step.op is STORE)

    def closure(self, sinks: Iterable[int], known: Container[int] = ()) -> list[int]:
        """``sinks`` and all steps that they need, directly or not, without those ``known``."""
        needed: set[int] = set()
        todo = list(sinks)
        while todo:
            number = todo.pop()
            if number not in needed and number not in known:
                needed.add(number)
                todo.extend(self.steps[number].args)
        return sorted(needed)

    def passes(self, sinks: Sequence[int], known: Container[int], axis: int) -> list[Pass]:
        """How often the loop over ``axis`` runs to compute ``sinks``, and what for each time.

        A step that needs the result of a fold over the axis has to wait for the next pass.
        """
        needed = self.closure(sinks, known)
        pass_of: dict[int, int] = {}
        for number in needed:
            ready = max((pass_of.get(arg, 0) for arg in self.steps[number].args), default=0)
            pass_of[number] = ready + self._folds(number, axis)
        found = [Pass([], [], []) for _ in range(max(pass_of.values(), default=0) + 1)]
        for number in needed:
            if self._folds(number, axis):
                found[pass_of[number] - 1].folds.append(number)
            elif self.depths[number] <= axis:
                found[pass_of[number]].steps.append(number)
        for number in sinks:
            if self.depths[number] > axis:
                found[pass_of[number]].stores.append(number)
        return found

    def _folds(self, number: int, axis: int) -> bool:
        step = self.steps[number]
        return step.op in FOLDS and step.arg.axis == axis

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.ndim, self.slots, self.steps, self.scalars, self.partial))

    def listing(self) -> str:
        """The nest as numbered lines, indented by depth."""
        lines = []
        for number, (step, depth) in enumerate(zip(self.steps, self.depths, strict=True)):
            args = ", ".join(f"%{arg}" for arg in step.args)
            extra = "" if step.arg is None else f" [{step.arg}]"
            indent = "  " * depth
            lines.append(f"{indent}%{number} = {step.op.name}({args}){extra} {step.dtype.name}")
        return "\n".join(lines)


def accumulator_dtype(step: Step) -> DT:
    """The dtype of a reduction's accumulator: float64 for sums and products of floats.

    The maximum of float16 or bfloat16 elements is found in float32, in which these are computed.
    """
    if kind(step.dtype) == "f":
        if step.op in (REDUCE["sum"], REDUCE["prod"]):
            return float64
        if step.dtype.itemsize < 4:
            return float32
    return step.dtype
