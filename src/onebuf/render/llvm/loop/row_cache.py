"""Keeping: results that two loops over a row need, and that cost more to compute than to read.

A row is gone through once for each fold that needs the one before, and once more for what is
stored. What an earlier loop has computed, a later one computes again, unless it is kept here.
"""

from __future__ import annotations

from functools import lru_cache

from onebuf.graph import BINARY, UNARY
from onebuf.kernel import FOLDS, INDEX, LOAD, SCALAR, STORE, Nest
from onebuf.render.llvm.element.elementwise import FLOATS_ONLY, TYPES

COSTS = {BINARY["divide"]: 3, UNARY["sqrt"]: 3}
MATH = 12
"""What a function costs that is a formula of many steps."""
DEAR = 8
"""What to write and read once more costs."""


@lru_cache(1024)
def kept_steps(nest: Nest) -> tuple[int, ...]:
    """The steps to keep from the first loop over a row that computes them."""
    loops = _loops(nest)
    first: dict[int, int] = {}
    shared: set[int] = set()
    for turn, steps in enumerate(loops):
        for number in steps:
            if first.setdefault(number, turn) != turn:
                shared.add(number)
    kept = []
    for number in sorted(shared):
        later = set().union(*loops[first[number] + 1 :])
        users = [n for n in later if number in nest.steps[n].args]
        ends = [n for n, step in enumerate(nest.steps) if step.op in FOLDS and number in step.args]
        is_end = any(n not in shared for n in users) or len(ends) > 1
        if is_end and _cost(nest, number) >= DEAR and TYPES[nest.steps[number].dtype.name] != "i1":
            kept.append(number)
    return tuple(kept)


def _loops(nest: Nest) -> list[set[int]]:
    """The steps inside all loops that each loop over the innermost axis needs, in turn."""
    turn_of: list[int] = []
    inner = nest.ndim - 1
    for step in nest.steps:
        ready = max((turn_of[arg] for arg in step.args), default=0)
        turn_of.append(ready + (step.op in FOLDS and step.arg.axis == inner))
    loops: list[set[int]] = [set() for _ in range(max(turn_of, default=0) + 1)]
    for number, step in enumerate(nest.steps):
        if step.op in FOLDS and step.arg.axis == inner:
            loops[turn_of[number] - 1] |= _inside(nest, step.args)
        elif step.op is STORE and nest.depths[number] > inner:
            loops[turn_of[number]] |= {number} | _inside(nest, step.args)
    return loops


def _inside(nest: Nest, numbers: tuple[int, ...]) -> set[int]:
    """The steps that some need and that are inside all loops."""
    found: set[int] = set()
    todo = list(numbers)
    while todo:
        number = todo.pop()
        if number not in found and nest.depths[number] == nest.ndim:
            found.add(number)
            todo.extend(nest.steps[number].args)
    return found


def _cost(nest: Nest, number: int) -> int:
    total = 0
    for each in _inside(nest, (number,)):
        op = nest.steps[each].op
        if op not in (LOAD, SCALAR, INDEX):
            total += COSTS.get(op, MATH if op in FLOATS_ONLY else 1)
    return total


def row_slot(nest: Nest, number: int) -> int | None:
    """A slot whose rows can hold a step until its own results come, if there is one."""
    read = {step.arg for step in nest.steps if step.op is LOAD}
    for slot in sorted(nest.written - read):
        place = nest.slots[slot]
        if place.dtype == nest.steps[number].dtype and place.steps[-1] == 1 and all(place.steps):
            return slot
    return None
