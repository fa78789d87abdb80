"""Partial results: a nest that folds everything, as two that threads can share.

The first one folds chunks, each on its own, and stores what it has after each; the second one folds
the chunks in order and goes on from there. Together they do what the nest does, to the bit.
"""

from __future__ import annotations

from functools import cache

from onebuf.kernel.nest import FOLDS, LOAD, STORE, Fold, Nest, Slot, Step, accumulator_dtype


@cache
def partials(nest: Nest) -> tuple[Nest, Nest]:
    """The two nests; the slots of the partial results come after those of ``nest``."""
    folds = [number for number, step in enumerate(nest.steps) if step.op in FOLDS]
    places = tuple([Slot(accumulator_dtype(nest.steps[number]), (1,)) for number in folds])
    slots = (*nest.slots, *places)
    numbers = range(len(nest.slots), len(slots))
    stores = [
        Step(STORE, (fold,), slot.dtype, number)
        for fold, slot, number in zip(folds, places, numbers, strict=True)
    ]
    last = max(folds)  # stores come at the end: what is before them keeps its number
    steps = (*nest.steps[: last + 1], *stores)
    first = Nest(1, slots, steps, nest.scalars, partial=True)
    return first, _second(nest, slots, dict(zip(folds, numbers, strict=True)))


def _second(nest: Nest, slots: tuple[Slot, ...], parts: dict[int, int]) -> Nest:
    steps: list[Step] = []
    renumbered: dict[int, int] = {}
    depths = nest.depths
    for number, step in enumerate(nest.steps):
        if number in parts:
            slot = slots[parts[number]]
            steps.append(Step(LOAD, (), slot.dtype, parts[number]))
            fold = Fold(0, sequential=True)
            steps.append(Step(step.op, (len(steps) - 1,), step.dtype, fold))
        elif depths[number] == 0:
            args = tuple([renumbered[arg] for arg in step.args])
            steps.append(Step(step.op, args, step.dtype, step.arg))
        else:
            continue
        renumbered[number] = len(steps) - 1
    return Nest(1, slots, tuple(steps), nest.scalars)
