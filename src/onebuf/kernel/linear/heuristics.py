"""Heuristics: which optimisations a kernel gets on a device without a measurement.

Elementwise kernels need none: neighbouring work-items read neighbouring elements. For a reduction
it depends on where its elements are in memory:

- few elements: the loop is unrolled;
- contiguous along the reduced axis: the work-items of a group take turns (GROUP), so that they read
  neighbours at the same time; the group is small on a processor with SIMD, large on a GPU;
- contiguous along another axis: on a processor with SIMD each work-item computes several results
  (UPCAST); on a GPU neighbouring work-items read neighbours already.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from onebuf.errors import OptimisationError
from onebuf.kernel.linear.opts import (
    GROUP,
    UNROLL,
    UPCAST,
    How,
    Limits,
    Opt,
    reduce_axes,
    split_axes,
)
from onebuf.kernel.nest.nest import FOLDS, LOAD, SCANS, Nest
from onebuf.layout import View

FEW = 16
"""Reductions of at most this length are unrolled."""
MOST_COPIED = 256
"""The most steps of an unrolled loop."""


@dataclass(frozen=True, slots=True)
class Traits:
    """The properties of a device that decide which optimisations suit it."""

    limits: Limits = field(default_factory=Limits)
    has_vectors: bool = True
    """Whether it is a processor with SIMD, where a work-group is a loop, rather than a GPU."""
    units: int = 1
    """How many work-groups run at the same time."""


def suggest(
    nest: Nest, extents: Sequence[int], views: Sequence[View], traits: Traits
) -> tuple[Opt, ...]:
    """Optimisations for a nest of these sizes; all of them are legal."""
    axis = _longest(nest, extents)
    if axis is None or not prod(extents):
        return ()
    choice = _Choice(nest, extents, traits.limits)
    length = extents[axis]
    if length <= FEW:
        if length > 1 and length * _inside(nest, axis) <= MOST_COPIED:
            choice.add(UNROLL, axis, length)
        return tuple(choice.opts)
    near = _nearest(nest, views, extents)
    results = prod([n for at, n in enumerate(extents) if at not in reduce_axes(nest)])
    if near == axis or near is None:
        choice.first(GROUP, axis, _group_sizes(results, traits))
    elif traits.has_vectors:
        choice.first(UPCAST, near, (32, 16, 8, 4))
        if results < 32 * traits.units:
            choice.first(GROUP, axis, (4, 8, 2))
    elif results < 1024:
        choice.first(GROUP, axis, (64, 32, 16, 8, 4))
    # A loop inside would be copied too, and compilers unroll each copy again: PoCL takes minutes.
    has_loops = any(other > axis for other in reduce_axes(nest))
    if not has_loops and not any(opt.how is UPCAST for opt in choice.opts):
        choice.first(UNROLL, axis, (4, 5, 3, 2))
    return tuple(choice.opts)


def _group_sizes(results: int, traits: Traits) -> Sequence[int]:
    """Numbers of work-items that share a fold, the best one first."""
    if not traits.has_vectors:
        return (256, 128, 64, 32, 16, 8, 4)
    if results < traits.units:
        return (256, 128, 64, 32, 16, 8, 4, 5, 3)
    return (16, 8, 32, 64, 4, 12, 10, 5, 3)


def _longest(nest: Nest, extents: Sequence[int]) -> int | None:
    """The longest axis that is folded and not scanned."""
    runs = {step.arg.axis for step in nest.steps if step.op in SCANS}
    folded = {step.arg.axis for step in nest.steps if step.op in FOLDS} - runs
    return max(folded, key=lambda axis: extents[axis], default=None)


def _nearest(nest: Nest, views: Sequence[View], extents: Sequence[int]) -> int | None:
    """The axis along which most of the elements that are read are contiguous."""
    found: dict[int, int] = {}
    for step in nest.steps:
        if step.op is LOAD:
            view = views[step.arg]
            for axis, stride in enumerate(view.stride):
                if abs(stride) == 1 and extents[axis] > 1:
                    found[axis] = found.get(axis, 0) + prod(
                        [n for n, one in zip(extents, view.stride, strict=True) if one]
                    )
    return max(found, key=lambda axis: found[axis], default=None)


def _inside(nest: Nest, axis: int) -> int:
    """How many steps are in the loop over an axis."""
    return sum(depth > axis for depth in nest.depths)


class _Choice:
    """Optimisations so far, each of them legal."""

    def __init__(self, nest: Nest, extents: Sequence[int], limits: Limits) -> None:
        self.nest = nest
        self.extents = extents
        self.limits = limits
        self.opts: list[Opt] = []

    def add(self, how: How, axis: int, amount: int) -> bool:
        """One more, if it is legal."""
        opts = [*self.opts, Opt(how, axis, amount)]
        try:
            split_axes(self.nest, self.extents, opts, self.limits)
        except OptimisationError:
            return False
        self.opts = opts
        return True

    def first(self, how: How, axis: int, amounts: Sequence[int]) -> None:
        """The first of some amounts that is legal, if one is."""
        any(self.add(how, axis, amount) for amount in amounts)
