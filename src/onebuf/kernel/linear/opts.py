"""Loop splitting: how the indices of each axis are divided among work-items and vector lanes.

A nest's axes are of two kinds. A *reduce* axis is folded by some step, and is a loop inside each
work-item; along every other axis, each index has a work-item of its own. An optimisation (`Opt`)
splits an axis in two:

========  ===========  ============================================================================
UPCAST    other axis   one work-item does ``amount`` neighbours: ``gidx*8 + lane``, lane 0 to 7
LOCAL     other axis   ``amount`` neighbours are one work-group: ``gidx*4 + lidx``
UNROLL    reduce axis  the loop's body is written ``amount`` times; all of them: there is no loop
GROUP     reduce axis  ``amount`` work-items share the fold, taking turns: ``lidx + ridx*2``
GROUPTOP  reduce axis  the same, each on a run of its own: ``lidx*2 + ridx``
========  ===========  ============================================================================

The order of optimisations changes the index only: each one splits what is left of its axis (the
part along which ``gidx`` or the loop's index runs). GROUPTOP takes the slow end of it, all others
the fast end. So 16 with UPCAST 4, then LOCAL 2, is ``gidx*8 + lidx*4 + lane``, and with LOCAL 2
first it is ``gidx*8 + lane*2 + lidx``.

An optimisation is legal if the nest has such an axis, the amount is at least 2 and divides what is
left of the axis, the nest has at most one GROUP or GROUPTOP, and the device's `Limits` are kept.
Every legal sequence gives the same results, but GROUP, GROUPTOP and UNROLL after them change
the order of additions: sums and products of floats may differ in their last bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import prod

from onebuf.errors import OptimisationError
from onebuf.kernel.nest.nest import FOLDS, SCANS, Nest, accumulator_dtype


class How(StrEnum):
    """What an optimisation does with part of an axis."""

    UPCAST = "UPCAST"
    UNROLL = "UNROLL"
    LOCAL = "LOCAL"
    GROUP = "GROUP"
    GROUPTOP = "GROUPTOP"


UPCAST, UNROLL, LOCAL, GROUP, GROUPTOP = How
_OF_REDUCE = frozenset({UNROLL, GROUP, GROUPTOP})
_GROUPING = frozenset({GROUP, GROUPTOP})
_LANES = frozenset({UPCAST, UNROLL})


@dataclass(frozen=True, slots=True)
class Opt:
    """Split ``amount`` off axis ``axis`` of a nest.

    >>> Opt(UPCAST, 0, 8)
    Opt(UPCAST, 0, 8)
    """

    how: How
    axis: int
    amount: int

    def __repr__(self) -> str:
        return f"Opt({self.how}, {self.axis}, {self.amount})"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a device can do."""

    items: int = 256
    """Work-items in a group."""
    dimensions: int = 3
    """Indices of work-groups, and of items in a group."""
    shared_bytes: int = 32768
    copies: int = 256
    """How many copies of a step may be written: the product of all lanes."""


@dataclass(frozen=True, slots=True)
class AxisPart:
    """One digit of an axis' index: ``extent`` values, ``stride`` indices apart."""

    how: How | None
    """None for what is left, along which ``gidx`` or a loop runs."""
    axis: int
    extent: int
    stride: int


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of a nest, and the parts that it was split into."""

    number: int
    is_reduce: bool
    rest: AxisPart
    parts: tuple[AxisPart, ...] = ()

    @property
    def ordered(self) -> tuple[AxisPart, ...]:
        """All parts: of groups and work-items, then of loops and lanes."""
        if self.is_reduce:
            return (*self.parts, self.rest)
        return (self.rest, *reversed(self.parts))

    def split(self, opt: Opt) -> Axis:
        """The axis after ``opt``."""
        rest = self.rest
        left = rest.extent // opt.amount
        if opt.how is GROUPTOP:
            part = AxisPart(opt.how, self.number, opt.amount, rest.stride * left)
            rest = replace(rest, extent=left)
        else:
            part = AxisPart(opt.how, self.number, opt.amount, rest.stride)
            rest = replace(rest, extent=left, stride=rest.stride * opt.amount)
        return replace(self, rest=rest, parts=(*self.parts, part))


@dataclass(frozen=True, slots=True)
class SplitAxes:
    """All axes of a nest after some optimisations."""

    axes: tuple[Axis, ...]

    def parts(self, *hows: How) -> tuple[AxisPart, ...]:
        """The parts of these kinds, axis by axis."""
        return tuple([part for axis in self.axes for part in axis.parts if part.how in hows])

    @property
    def grouped(self) -> AxisPart | None:
        """The part of a reduce axis that is shared among work-items, if there is one."""
        found = self.parts(GROUP, GROUPTOP)
        return found[0] if found else None


def reduce_axes(nest: Nest) -> frozenset[int]:
    """The axes that some step folds or scans."""
    return frozenset([s.arg.axis for s in nest.steps if s.op in FOLDS or s.op in SCANS])


def split_axes(
    nest: Nest, extents: Sequence[int], opts: Sequence[Opt] = (), limits: Limits | None = None
) -> SplitAxes:
    """The axes of ``nest`` after ``opts``, applied one after another."""
    limits = limits or Limits()
    folded = reduce_axes(nest)
    axes = [
        Axis(number, number in folded, AxisPart(None, number, extent, 1))
        for number, extent in enumerate(extents)
    ]
    for opt in opts:
        _check(opt, axes)
        if opt.how in _GROUPING and any(
            s.op in SCANS and s.arg.axis == opt.axis for s in nest.steps
        ):
            raise OptimisationError(
                f"{opt} needs an axis that is only folded, got one along which results run; each "
                f"of these needs the one before, so that work-items cannot share them"
            )
        axes[opt.axis] = axes[opt.axis].split(opt)
        _check_limits(opt, nest, SplitAxes(tuple(axes)), limits)
    return SplitAxes(tuple(axes))


def _check(opt: Opt, axes: list[Axis]) -> None:
    if not 0 <= opt.axis < len(axes):
        raise OptimisationError(
            f"{opt} needs an axis of the nest, 0 to {len(axes) - 1}, got {opt.axis}"
        )
    axis = axes[opt.axis]
    if axis.is_reduce != (opt.how in _OF_REDUCE):
        kinds = {True: "a reduce axis", False: "an axis that is not folded"}
        fitting = [one.number for one in axes if one.is_reduce != axis.is_reduce]
        hint = f"axes {fitting} are" if fitting else "this nest has none"
        raise OptimisationError(
            f"{opt} needs {kinds[opt.how in _OF_REDUCE]}, got {kinds[axis.is_reduce]}; {hint}"
        )
    left = axis.rest.extent
    if opt.amount < 2 or left < opt.amount or left % opt.amount:
        divisors = [n for n in range(2, left + 1) if left % n == 0]
        hint = f"these do: {divisors}" if divisors else "there is nothing left to split"
        raise OptimisationError(
            f"{opt} needs an amount of at least 2 that divides {left}, what is left of axis "
            f"{opt.axis}, got {opt.amount}; {hint}"
        )
    if opt.how in _GROUPING:
        taken = [part for one in axes for part in one.parts if part.how in _GROUPING]
        if taken:
            raise OptimisationError(
                f"{opt} needs a nest whose folds are not shared among work-items yet, got axis "
                f"{taken[0].axis} with {taken[0].how}; leave one of the two out"
            )


def _check_limits(opt: Opt, nest: Nest, split: SplitAxes, limits: Limits) -> None:
    local = split.parts(LOCAL, GROUP, GROUPTOP)
    items = prod([part.extent for part in local])
    copies = prod([part.extent for part in split.parts(*_LANES)])
    wanted = (
        (items, limits.items, "work-items in a group"),
        (copies, limits.copies, "copies of a step"),
        (_shared_bytes(nest, split, items), limits.shared_bytes, "bytes of shared memory"),
    )
    for needed, most, what in wanted:
        if needed > most:
            raise OptimisationError(
                f"{opt} would need {needed} {what}, and the device has {most}; use a smaller amount"
            )


def _shared_bytes(nest: Nest, split: SplitAxes, items: int) -> int:
    """An upper bound: partial results of every fold along the grouped axis, and their totals."""
    grouped = split.grouped
    if grouped is None:
        return 0
    lanes = prod([part.extent for part in split.parts(UPCAST)])
    folds = [s for s in nest.steps if s.op in FOLDS and s.arg.axis == grouped.axis]
    each = items + items // grouped.extent
    return sum(accumulator_dtype(step).itemsize for step in folds) * each * lanes
