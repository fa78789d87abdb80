"""Loop interchange: the order of the loops of a nest, where it does not change the value."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from onebuf.kernel.nest.nest import FOLDS, LOAD, Nest, Slot


@lru_cache(1024)
def best_order(nest: Nest) -> tuple[int, ...] | None:
    """A better order of the axes for memory access, or None; the innermost axis stays.

    The axis next to the innermost becomes the one with unit stride in most of the slots that have
    no unit stride along the innermost. A fold that is not sequential has a fixed order already.
    """
    inner = nest.ndim - 1
    folds = [step.arg for step in nest.steps if step.op in FOLDS]
    if nest.ndim < 3 or any(fold.axis != inner or not fold.sequential for fold in folds):
        return None
    slots = [nest.slots[slot] for slot in {step.arg for step in nest.steps if step.op is LOAD}]
    strided = [slot.steps for slot in slots if slot.steps[inner] not in (0, 1)]
    votes = [sum(steps[axis] == 1 for steps in strided) for axis in range(inner)]
    if votes[inner - 1] == max(votes):
        return None
    chosen = votes.index(max(votes))
    return (*[axis for axis in range(inner) if axis != chosen], chosen, inner)


@lru_cache(1024)
def reordered(nest: Nest, order: tuple[int, ...]) -> Nest:
    """The nest with its loops in another order; the innermost loop stays."""
    slots = [Slot(slot.dtype, permuted(slot.steps, order)) for slot in nest.slots]
    return replace(nest, slots=tuple(slots))


def permuted(numbers: tuple[int, ...], order: tuple[int, ...]) -> tuple[int, ...]:
    """``numbers``, one per axis, in another order of the axes."""
    return tuple([numbers[axis] for axis in order])
