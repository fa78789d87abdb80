"""Chunked reductions: a nest that folds its outermost axis, as two nests that threads can share.

The first nest folds each chunk on its own and stores the partial result. The second nest folds the
partial results in order and computes the rest. Together they give the bits of the whole nest.

One fold may need another only as argmax needs max (`onebuf.scheduler.trace.argmax`): the maximum of
a chunk gives the position in the chunk, and the maximum of all chunks says which chunk it is.
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
    partial_slots = tuple([Slot(accumulator_dtype(nest.steps[number]), (1,)) for number in folds])
    slots = (*nest.slots, *partial_slots)
    numbers = range(len(nest.slots), len(slots))
    stores = [
        Step(STORE, (fold,), slot.dtype, number)
        for fold, slot, number in zip(folds, partial_slots, numbers, strict=True)
    ]
    last = max(folds)  # stores come at the end, so that earlier steps keep their numbers
    steps = (*nest.steps[: last + 1], *stores)
    first = Nest(1, slots, steps, nest.scalars, partial=True)
    return first, _second(nest, slots, dict(zip(folds, numbers, strict=True)))


def _second(nest: Nest, slots: tuple[Slot, ...], parts: dict[int, int]) -> Nest:
    steps: list[Step] = []
    renumbered: dict[int, int] = {}
    depths = nest.depths
    chunks: dict[int, int] = {}
    """For each fold, the step that loads the result of a chunk."""
    for number, step in enumerate(nest.steps):
        if number in parts:
            slot = slots[parts[number]]
            steps.append(Step(LOAD, (), slot.dtype, parts[number]))
            operand = chunks[number] = len(steps) - 1
            extremes = parts.keys() & set(nest.closure(nest.steps[step.args[0]].args))
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
    """The result of a chunk in the dtype of the fold's operand; accumulators may be wider."""
    dtype = nest.steps[nest.steps[fold].args[0]].dtype
    if steps[chunk].dtype == dtype:
        return chunk
    steps.append(Step(CAST, (chunk,), dtype))
    return len(steps) - 1


def _copied(nest: Nest, steps: list[Step], number: int, known: dict[int, int], index: int) -> int:
    """A copy of step ``number`` that uses the steps ``known``, and ``index`` for INDEX steps."""
    step = nest.steps[number]
    if step.op is INDEX:
        return index
    args = [
        known[arg] if arg in known else _copied(nest, steps, arg, known, index) for arg in step.args
    ]
    steps.append(Step(step.op, tuple(args), step.dtype, step.arg))
    return len(steps) - 1
