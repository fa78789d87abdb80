"""Loop interchange: the order of the loops of a nest, where it does not change the value."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from onebuf.kernel.nest.nest import FOLDS, LOAD, SCANS, Nest, Slot


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


def read_order(nest: Nest, strides: list[tuple[int, ...]]) -> tuple[int, ...] | None:
    """The order of the axes in which operands follow memory, or None; the innermost axis stays.

    There is one only if all operands that move have the same strides in the outer loops, which are
    read without an index, and nothing is folded. ``strides`` are those of each slot.
    """
    loads = [step for step in nest.steps if step.op is LOAD]
    if nest.ndim < 3 or any(step.op in FOLDS or step.op in SCANS for step in nest.steps):
        return None
    if any(step.args for step in loads):
        return None
    found = {strides[step.arg][:-1] for step in loads if any(strides[step.arg][:-1])}
    if len(found) != 1:
        return None
    (outer,) = found
    order = sorted(range(nest.ndim - 1), key=lambda axis: -abs(outer[axis]))
    return None if order == list(range(nest.ndim - 1)) else (*order, nest.ndim - 1)


@lru_cache(1024)
def reordered(nest: Nest, order: tuple[int, ...]) -> Nest:
    """The nest with its loops in another order; the innermost loop stays."""
    slots = [Slot(slot.dtype, permuted(slot.steps, order)) for slot in nest.slots]
    return replace(nest, slots=tuple(slots))


def permuted(numbers: tuple[int, ...], order: tuple[int, ...]) -> tuple[int, ...]:
    """``numbers``, one per axis, in another order of the axes."""
    return tuple([numbers[axis] for axis in order])
