"""Nests: loops around a list of steps, which is all that a kernel is.

Axes are numbered from the outside in. Memory is reached through *slots*, which say how far each
axis steps through it; a step that loads from a slot needs the loops along which the slot moves, and
a step that computes needs the loops of its operands: that number of loops is its *depth*. A
reduction folds one axis, the innermost of its operand's, so its own depth is that axis.

A nest has no sizes: extents, strides and addresses come with the call, so one nest serves all
shapes. What is part of it changes the code: the operations, the dtypes, and of each stride only
whether it is 0, 1, -1 or something else.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from onebuf.dtypes import float32, float64, kind
from onebuf.graph import REDUCE, SCAN, Kind, Op

DT = np.dtype[Any]

LOAD = Op("load", Kind.STORED)
"""The element of slot ``arg`` at this index; for operands see `onebuf.kernel.nest.indexed_load`."""
STORE = Op("store", Kind.STORED)
"""Write the operand to slot ``arg`` at this index."""
SCALAR = Op("scalar", Kind.CONSTANT)
"""The run-time constant number ``arg``."""
INDEX = Op("index", Kind.GENERATE)
"""The position that slot ``arg`` would be read at, as a number."""

ANY = 2
"""The class of a stride that is neither 0, 1 nor -1."""

FOLDS = frozenset(REDUCE.values())
SCANS = frozenset(SCAN.values())
"""Running results: steps inside all loops that carry their last value along the innermost one."""


def stride_class(stride: int, extent: int) -> int:
    """0, 1 or -1 for such a stride, ANY for others; along one element nothing moves."""
    if extent == 1:
        return 0
    return stride if stride in (0, 1, -1) else ANY


@dataclass(frozen=True, slots=True)
class Slot:
    """Memory that a nest reaches: the dtype of its elements, and the class of each stride."""

    dtype: DT
    steps: tuple[int, ...]

    @property
    def depth(self) -> int:
        """How many loops it takes to reach every element."""
        return max((axis + 1 for axis, step in enumerate(self.steps) if step), default=0)


@dataclass(frozen=True, slots=True)
class Fold:
    """How a reduction runs over ``axis``, which has to be the innermost loop of its operand.

    The order of a sum of floats is part of its value, so it is fixed here and nowhere else: the
    elements are dealt out to LANES accumulators in turn, chunk by chunk of CHUNK elements, and
    then the chunks are added one after another. A ``sequential`` fold has one accumulator: that is
    how the chunks themselves are added when they were computed by several threads.
    """

    axis: int
    sequential: bool = False
    first: bool = False
    """Whether it is the minimum of an argmax or argmin: over int64 indices, of which those of no
    extreme element are replaced by the largest int64, and at least one is not."""


LANES = 16
CHUNK = 8192


@dataclass(frozen=True, slots=True)
class Step:
    """One value: ``op`` of the results of earlier steps, which ``args`` numbers."""

    op: Op
    args: tuple[int, ...]
    dtype: DT
    arg: Any = None


@dataclass(frozen=True)
class Nest:
    """``ndim`` loops around ``steps``; steps come after their operands."""

    ndim: int
    slots: tuple[Slot, ...]
    steps: tuple[Step, ...]
    scalars: tuple[DT, ...] = ()
    partial: bool = False
    """Whether each chunk of the fold over the outermost axis is stored, at its own place."""

    @property
    def folds_all(self) -> bool:
        """Whether the outermost axis is folded: then no thread can have a part of it."""
        return any(step.op in FOLDS and step.arg.axis == 0 for step in self.steps)

    @property
    def scans_all(self) -> bool:
        """Whether results run along the outermost axis: it has one order then, and one thread."""
        return any(step.op in SCANS and step.arg.axis == 0 for step in self.steps)

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """How many loops each step is inside."""
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
    """The dtype in which a reduction accumulates: for sums and products of floats, float64.

    Extremes of narrow floats are found among float32 numbers, as all that is computed with these.
    """
    if kind(step.dtype) == "f":
        if step.op in (REDUCE["sum"], REDUCE["prod"]):
            return float64
        if step.dtype.itemsize < 4:
            return float32
    return step.dtype
