"""Argmax and argmin, in steps that every kernel has: two reductions.

The first reduces to the maximum (or minimum), the second to the smallest index that has it. A row
is in the cache the second time. The maximum of elements among which there are NaNs is NaN, which is
equal to nothing, so the index of the first NaN is taken. The first reduction is the step that max
has, so a kernel that gives both max and argmax computes it once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from onebuf.dtypes import bool as boolean
from onebuf.dtypes import int64, kind
from onebuf.graph import BINARY, REDUCE, UNARY, WHERE, Kind, Op
from onebuf.kernel import FOLDS, INDEX, Fold, Nest

EXTREMES: dict[Op, Op] = {REDUCE["argmax"]: REDUCE["max"], REDUCE["argmin"]: REDUCE["min"]}
"""The reduction that gives the extreme which an operation looks for."""
_TOLD = (Kind.ELEMENTWISE, Kind.REDUCE, Kind.SCAN, Kind.GATHER, Kind.PAD)
NOWHERE = np.int64(np.iinfo(np.int64).max)


class Position(NamedTuple):
    """The numbers of two folds: of the extreme, and of the position that depends on it."""

    extreme: int
    number: int


def position(
    op: Op,
    value: int,
    dtype: np.dtype[Any],
    fold: Fold,
    slot: int,
    add: Callable[..., int],
    scalar: Callable[[np.generic], int],
) -> Position:
    """The steps of ``op``, a position, of step ``value``; ``slot`` runs along the folded axis.

    ``add`` adds a step (operation, operands, dtype, argument), ``scalar`` a constant.
    """
    extreme = add(EXTREMES[op], (value,), dtype, fold)
    found = add(BINARY["equal"], (value, extreme), boolean)
    if kind(dtype) == "f":
        odd = add(UNARY["isnan"], (value,), boolean)
        found = add(BINARY["logical_or"], (found, odd), boolean)
    index = add(INDEX, (), int64, slot)
    place = add(WHERE, (found, index, scalar(NOWHERE)), int64)
    return Position(extreme, add(REDUCE["min"], (place,), int64, replace(fold, first=True)))


def names(nest: Nest) -> list[str]:
    """What a nest computes, in order: a position is one thing, however many steps it takes."""
    steps = nest.steps
    told = {n: step.op.name for n, step in enumerate(steps) if step.op.kind in _TOLD}
    for number, step in enumerate(steps):
        if step.op in FOLDS and step.arg.first:
            place = step.args[0]
            found = steps[place].args[0]
            inside = {place, found}
            equal = found
            if steps[found].op is not BINARY["equal"]:
                inside |= set(steps[found].args)
                equal = steps[found].args[0]
            extreme = steps[steps[equal].args[1]].op
            told = {n: name for n, name in told.items() if n not in inside}
            told[number] = f"arg{extreme.name}"
    return [told[number] for number in sorted(told)]
