"""Partial results: a nest that folds everything, as two that threads can share.

The first one folds chunks, each on its own, and stores what it has after each; the second one folds
the chunks in order and goes on from there. Together they do what the nest does, to the bit.

A fold may need another one only as a position needs its extreme (`onebuf.scheduler.trace.argmax`):
then the extreme of a chunk says where in the chunk to look, and the extreme of all chunks in which.
"""

from __future__ import annotations

from functools import lru_cache

from onebuf.graph import CAST
from onebuf.kernel.nest.nest import (
    FOLDS,
    INDEX,
    LOAD,
    STORE,
    Fold,
    Nest,
    Slot,
    Step,
    accumulator_dtype,
)


@lru_cache(1024)
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
    chunks: dict[int, int] = {}
    """For each fold, the step that gives what it made of a chunk."""
    for number, step in enumerate(nest.steps):
        if number in parts:
            slot = slots[parts[number]]
            steps.append(Step(LOAD, (), slot.dtype, parts[number]))
            operand = chunks[number] = len(steps) - 1
            extremes = parts.keys() & _below(nest, step.args[0])
            if extremes:
                known = {
                    nest.steps[fold].args[0]: _cast(nest, steps, fold, chunks[fold])
                    for fold in sorted(extremes)
                }
                operand = _copied(nest, steps, step.args[0], renumbered | known, operand)
            fold = Fold(0, sequential=True)
            steps.append(Step(step.op, (operand,), step.dtype, fold))
        elif depths[number] == 0:
            args = tuple([renumbered[arg] for arg in step.args])
            steps.append(Step(step.op, args, step.dtype, step.arg))
        else:
            continue
        renumbered[number] = len(steps) - 1
    return Nest(1, slots, tuple(steps), nest.scalars)


def _cast(nest: Nest, steps: list[Step], fold: int, chunk: int) -> int:
    """The extreme of a chunk in the dtype of what is compared with it; accumulators are wider."""
    dtype = nest.steps[nest.steps[fold].args[0]].dtype
    if steps[chunk].dtype == dtype:
        return chunk
    steps.append(Step(CAST, (chunk,), dtype))
    return len(steps) - 1


def _below(nest: Nest, number: int) -> set[int]:
    """The steps that step ``number`` needs."""
    found: set[int] = set()
    todo = [number]
    while todo:
        for arg in nest.steps[todo.pop()].args:
            if arg not in found:
                found.add(arg)
                todo.append(arg)
    return found


def _copied(nest: Nest, steps: list[Step], number: int, known: dict[int, int], index: int) -> int:
    """Step ``number`` once more, of what is ``known`` and of ``index`` in place of positions."""
    step = nest.steps[number]
    if step.op is INDEX:
        return index
    args = [
        known[arg] if arg in known else _copied(nest, steps, arg, known, index) for arg in step.args
    ]
    steps.append(Step(step.op, tuple(args), step.dtype, step.arg))
    return len(steps) - 1
