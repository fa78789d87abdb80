"""The row cache: steps that two loops over a row need and that cost more to compute than to load.

A loop over a row runs once for each reduction that needs the one before, and once more for stores.
A later loop computes again what an earlier one has computed, unless the step is stored here.
"""

from __future__ import annotations

from functools import lru_cache

from onebuf.graph import BINARY, UNARY, Op
from onebuf.kernel import FOLDS, INDEX, LOAD, SCALAR, STORE, Nest
from onebuf.render.llvm.element.elementwise import FLOATS_ONLY, TYPES

COSTS = {BINARY["divide"]: 3, UNARY["sqrt"]: 3}
MATH_COST = 12
"""The cost of an elementary function, which is a formula of many steps."""
LEAST_COST = 8
"""The cost of a store and a load: steps that cost less are computed again."""


@lru_cache(1024)
def cached_steps(nest: Nest) -> tuple[int, ...]:
    """The steps to store in the first loop over a row that computes them."""
    loops = _loops(nest)
    first: dict[int, int] = {}
    shared: set[int] = set()
    for loop, steps in enumerate(loops):
        for number in steps:
            if first.setdefault(number, loop) != loop:
                shared.add(number)
    cached = []
    for number in sorted(shared):
        later = set().union(*loops[first[number] + 1 :])
        users = [n for n in later if number in nest.steps[n].args]
        ends = [n for n, step in enumerate(nest.steps) if step.op in FOLDS and number in step.args]
        is_end = any(n not in shared for n in users) or len(ends) > 1
        is_bool = TYPES[nest.steps[number].dtype.name] == "i1"
        if is_end and not is_bool and _cost(nest, number) >= LEAST_COST:
            cached.append(number)
    return tuple(cached)


def _loops(nest: Nest) -> list[set[int]]:
    """The steps inside all loops that each loop over the innermost axis computes."""
    stores = [number for number, step in enumerate(nest.steps) if step.op is STORE]
    return [
        _inside(nest, [*[nest.steps[fold].args[0] for fold in each.folds], *each.stores])
        for each in nest.passes(stores, (), nest.ndim - 1)
    ]


def _inside(nest: Nest, numbers: list[int]) -> set[int]:
    """The steps that some need and that are inside all loops."""
    outside = {number for number, depth in enumerate(nest.depths) if depth < nest.ndim}
    return set(nest.closure(numbers, outside))


def _cost(nest: Nest, number: int) -> int:
    ops = [nest.steps[each].op for each in _inside(nest, [number])]
    return sum(step_cost(op) for op in ops if op not in (LOAD, SCALAR, INDEX))


def step_cost(op: Op) -> int:
    """How many additions an elementwise operation takes as long as."""
    return COSTS.get(op, MATH_COST if op in FLOATS_ONLY else 1)


def output_row_slot(nest: Nest, number: int) -> int | None:
    """An output slot whose row can hold a step until its own results are stored, if any."""
    read = {step.arg for step in nest.steps if step.op is LOAD}
    for slot in sorted(nest.written - read):
        output = nest.slots[slot]
        if output.dtype == nest.steps[number].dtype and output.steps[-1] == 1 and all(output.steps):
            return slot
    return None
