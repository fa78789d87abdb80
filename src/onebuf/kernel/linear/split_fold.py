"""Split reductions: a long fold with few results, as several kernels for many work-groups.

Work-groups cannot wait for one another, so one group would have to compute such a fold alone. It
becomes two kernels: the first folds each part of the axis into an accumulator in memory, the second
folds these accumulators and computes the rest of the nest. If the parts do not divide the axis, one
more kernel of the first kind folds the remainder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod

from onebuf.dtypes import DT
from onebuf.graph import CAST
from onebuf.kernel.nest.nest import (
    FOLDS,
    INDEX,
    LOAD,
    SCANS,
    STORE,
    Fold,
    Nest,
    Slot,
    Step,
    accumulator_dtype,
    stride_class,
)
from onebuf.layout import View


@dataclass(frozen=True, slots=True)
class Stage:
    """One of the kernels."""

    nest: Nest
    extents: tuple[int, ...]
    views: tuple[View, ...]
    slots: tuple[int | None, ...]
    """For each slot its number in the whole nest; None for the memory of accumulators, which come
    in the order of the folds."""


@dataclass(frozen=True, slots=True)
class Split:
    """Kernels to run in order, and the bytes of memory for each fold's accumulators."""

    stages: tuple[Stage, ...]
    nbytes: tuple[int, ...]


def split(
    nest: Nest, extents: Sequence[int], views: Sequence[View], parts: int, multiple: int
) -> Split | None:
    """``nest`` in stages, with ``parts`` parts whose length is a multiple of ``multiple``.

    None unless every fold is over the innermost axis, and stores are outside of it.
    """
    axis = nest.ndim - 1
    folds = [number for number, step in enumerate(nest.steps) if step.op in FOLDS]
    if not folds or any(step.op in SCANS for step in nest.steps):
        return None
    if any(nest.steps[fold].arg.axis != axis for fold in folds):
        return None
    inside = set(nest.closure([nest.steps[fold].args[0] for fold in folds]))
    stores = [number for number, step in enumerate(nest.steps) if step.op is STORE]
    if inside & set(folds) or any(nest.depths[store] > axis for store in stores):
        return None
    length = extents[axis] // parts // multiple * multiple
    if not length:
        return None
    rest = extents[axis] - parts * length
    count = parts + (rest > 0)
    whole = _Splitting(nest, tuple(extents), tuple(views), folds, count)
    stages = [whole.first(parts, length, 0, 0)]
    if rest:
        stages.append(whole.first(1, rest, parts * length, parts))
    stages.append(whole.last())
    sizes = [accumulator_dtype(nest.steps[fold]).itemsize for fold in folds]
    return Split(tuple(stages), tuple([size * prod(extents[:axis]) * count for size in sizes]))


class _Splitting:
    def __init__(
        self,
        nest: Nest,
        extents: tuple[int, ...],
        views: tuple[View, ...],
        folds: list[int],
        count: int,
    ) -> None:
        self.nest, self.extents, self.views = nest, extents, views
        self.folds, self.count = folds, count
        self.axis = nest.ndim - 1
        steps, inner = [], count
        for extent in reversed(extents[: self.axis]):
            steps.append(inner)
            inner *= extent
        self.steps = tuple(reversed(steps))
        """The strides of the outer axes in the memory of accumulators."""

    def first(self, parts: int, length: int, begin: int, place: int) -> Stage:
        """Each of ``parts`` parts of the axis, from ``begin`` on, to accumulators from ``place``
        on."""
        axis, outer = self.axis, self.extents[: self.axis]
        shape = (*outer, parts, length)
        stage = _Stage(self.nest, shape)
        for fold in self.folds:
            step = self.nest.steps[fold]
            operand = stage.take(
                step.args[0], self.views, lambda view: self._parted(view, shape, length, begin)
            )
            dtype = accumulator_dtype(step)
            value = stage.cast(operand, dtype)
            total = stage.add(Step(step.op, (value,), dtype, replace(step.arg, axis=axis + 1)))
            slot = stage.slot(dtype, View(shape, (*self.steps, 1, 0), place), None)
            stage.add(Step(STORE, (total,), dtype, slot))
        return stage.done()

    def _parted(self, view: View, shape: tuple[int, ...], length: int, begin: int) -> View:
        *before, step = view.stride
        return View(shape, (*before, step * length, step), view.offset + begin * step)

    def last(self) -> Stage:
        """The fold of the accumulators, and the rest of the nest."""
        shape = (*self.extents[: self.axis], self.count)
        stage = _Stage(self.nest, shape)
        for fold in self.folds:
            step = self.nest.steps[fold]
            dtype = accumulator_dtype(step)
            slot = stage.slot(dtype, View(shape, (*self.steps, 1)), None)
            value = stage.add(Step(LOAD, (), dtype, slot))
            how = Fold(self.axis, step.arg.sequential, step.arg.first)
            total = stage.add(Step(step.op, (value,), dtype, how))
            stage.places[fold] = stage.cast(total, step.dtype)
        for number, step in enumerate(self.nest.steps):
            if step.op is STORE:
                stage.take(number, self.views, lambda view: View(shape, view.stride, view.offset))
        return stage.done()


class _Stage:
    """A nest under construction."""

    def __init__(self, nest: Nest, shape: tuple[int, ...]) -> None:
        self.nest, self.shape = nest, shape
        self.steps: list[Step] = []
        self.slots: list[Slot] = []
        self.views: list[View] = []
        self.origins: list[int | None] = []
        self.places: dict[int, int] = {}
        """The number here of each step of the whole nest."""
        self._slot_of: dict[int, int] = {}

    def add(self, step: Step) -> int:
        """One more step."""
        self.steps.append(step)
        return len(self.steps) - 1

    def cast(self, number: int, dtype: DT) -> int:
        """A step in another dtype."""
        if self.steps[number].dtype == dtype:
            return number
        return self.add(Step(CAST, (number,), dtype))

    def slot(self, dtype: DT, view: View, origin: int | None) -> int:
        """One more slot."""
        pairs = zip(view.stride, view.shape, strict=True)
        classes = tuple([stride_class(step, extent) for step, extent in pairs])
        self.slots.append(Slot(dtype, classes))
        self.views.append(view)
        self.origins.append(origin)
        return len(self.slots) - 1

    def take(self, number: int, views: Sequence[View], seen: Callable[[View], View]) -> int:
        """A copy of a step and of all that it needs; ``seen`` changes the views of its slots."""
        if number not in self.places:
            step = self.nest.steps[number]
            args = tuple([self.take(arg, views, seen) for arg in step.args])
            arg = step.arg
            if step.op in (LOAD, STORE, INDEX):
                if arg not in self._slot_of:
                    dtype = self.nest.slots[arg].dtype
                    self._slot_of[arg] = self.slot(dtype, seen(views[arg]), arg)
                arg = self._slot_of[arg]
            self.places[number] = self.add(Step(step.op, args, step.dtype, arg))
        return self.places[number]

    def done(self) -> Stage:
        """The finished stage."""
        nest = Nest(len(self.shape), tuple(self.slots), tuple(self.steps), self.nest.scalars)
        return Stage(nest, self.shape, tuple(self.views), tuple(self.origins))
