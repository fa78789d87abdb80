"""Moves in the linear form: loads at a distance, or under a condition, and what these need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from onebuf.dtypes import bool as boolean
from onebuf.dtypes import int64
from onebuf.graph import BINARY, PAD, TAKE, WHERE
from onebuf.kernel.linear.builder import Writer
from onebuf.kernel.linear.instruction import Code
from onebuf.kernel.nest.indexed_load import INSIDE
from onebuf.kernel.nest.nest import LOAD, Nest, Step

DT = np.dtype[Any]
MOVES = frozenset({TAKE, PAD, INSIDE})


def load(w: Writer, memory: int, place: int, operands: Sequence[int], dtype: DT) -> int:
    """The element at ``place``: as far beyond as whole operands say, if the bools among them do."""
    tests = []
    for operand in operands:
        if w.lines[operand].dtype == boolean:
            tests.append(operand)
        else:
            place = w.alu(BINARY["add"], place, operand, dtype=int64)
    return w.pure(Code.LOAD, (memory, place, *tests), dtype)


def move(w: Writer, step: Step, operands: Sequence[int]) -> int:
    """The value of a step of `onebuf.kernel.nest.indexed_load`."""
    if step.op is TAKE:
        return w.alu(TAKE, *operands, dtype=int64)
    if step.op is PAD:
        return w.alu(WHERE, *operands, dtype=step.dtype)
    position, extent, *other = operands
    low = w.alu(BINARY["less_equal"], w.number(0), position, dtype=boolean)
    high = w.alu(BINARY["less"], position, extent, dtype=boolean)
    found = w.alu(BINARY["logical_and"], low, high, dtype=boolean)
    for test in other:
        found = w.alu(BINARY["logical_and"], test, found, dtype=boolean)
    return found


def beyond(nest: Nest, scalars: Sequence[np.generic]) -> dict[int, tuple[int, int]]:
    """How far before and beyond its own span each slot is read where indices point."""
    found: dict[int, tuple[int, int]] = {}
    for step in nest.steps:
        for arg in step.args if step.op is LOAD else ():
            take = nest.steps[arg]
            if take.op is TAKE:
                numbers = [int(scalars[nest.steps[n].arg]) for n in take.args[1:]]
                most = (numbers[0] - 1) * (numbers[1] if len(numbers) > 1 else 1)
                found[step.arg] = (min(0, most), max(0, most))
    return found
