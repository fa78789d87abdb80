"""Ordering: which loop is inside which, as far as a value does not depend on it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from onebuf.kernel.nest.nest import FOLDS, LOAD, Nest, Slot


@lru_cache(1024)
def best_order(nest: Nest) -> tuple[int, ...] | None:
    """An order of the axes that suits memory better: the innermost stays, the next one changes.

    Next to the innermost axis belongs the one along which most memory has its neighbours that has
    none along the innermost. Folds that take neighbours in turn have what they need already.
    """
    inner = nest.ndim - 1
    folds = [step.arg for step in nest.steps if step.op in FOLDS]
    if nest.ndim < 3 or any(fold.axis != inner or not fold.sequential for fold in folds):
        return None
    slots = [nest.slots[slot] for slot in {step.arg for step in nest.steps if step.op is LOAD}]
    turned = [slot.steps for slot in slots if slot.steps[inner] not in (0, 1)]
    votes = [sum(steps[axis] == 1 for steps in turned) for axis in range(inner)]
    if votes[inner - 1] == max(votes):
        return None
    chosen = votes.index(max(votes))
    return (*[axis for axis in range(inner) if axis != chosen], chosen, inner)


@lru_cache(1024)
def reordered(nest: Nest, order: tuple[int, ...]) -> Nest:
    """The nest with its loops in another order, which keeps the innermost."""
    slots = [Slot(slot.dtype, permuted(slot.steps, order)) for slot in nest.slots]
    return replace(nest, slots=tuple(slots))


def permuted(numbers: tuple[int, ...], order: tuple[int, ...]) -> tuple[int, ...]:
    """``numbers``, one for each axis, in another order of the axes."""
    return tuple([numbers[axis] for axis in order])
