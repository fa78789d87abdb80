"""Indexed loads in the linear form: loads at a distance or under a condition."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from onebuf.dtypes import DT, int64
from onebuf.dtypes import bool as boolean
from onebuf.graph import BINARY, PAD, TAKE, WHERE
from onebuf.kernel.linear.builder import LinearBuilder
from onebuf.kernel.linear.instruction import Code
from onebuf.kernel.nest.nest import LOAD, Nest, Step


def load(b: LinearBuilder, memory: int, place: int, operands: Sequence[int], dtype: DT) -> int:
    """The element at ``place`` plus the integer operands; 0 unless the bool operands hold."""
    tests = []
    for operand in operands:
        if b.lines[operand].dtype == boolean:
            tests.append(operand)
        else:
            place = b.alu(BINARY["add"], place, operand, dtype=int64)
    return b.pure(Code.LOAD, (memory, place, *tests), dtype)


def address_step(b: LinearBuilder, step: Step, operands: Sequence[int]) -> int:
    """The value of a step of `onebuf.kernel.nest.indexed_load`."""
    if step.op is TAKE:
        return b.alu(TAKE, *operands, dtype=int64)
    if step.op is PAD:
        return b.alu(WHERE, *operands, dtype=step.dtype)
    position, extent, *other = operands
    low = b.alu(BINARY["less_equal"], b.number(0), position, dtype=boolean)
    high = b.alu(BINARY["less"], position, extent, dtype=boolean)
    found = b.alu(BINARY["logical_and"], low, high, dtype=boolean)
    for test in other:
        found = b.alu(BINARY["logical_and"], test, found, dtype=boolean)
    return found


def beyond(nest: Nest, scalars: Sequence[np.generic]) -> dict[int, tuple[int, int]]:
    """How far before and after its own span each slot is read by index."""
    found: dict[int, tuple[int, int]] = {}
    for step in nest.steps:
        for arg in step.args if step.op is LOAD else ():
            take = nest.steps[arg]
            if take.op is TAKE:
                numbers = [int(scalars[nest.steps[n].arg]) for n in take.args[1:]]
                most = (numbers[0] - 1) * (numbers[1] if len(numbers) > 1 else 1)
                found[step.arg] = (min(0, most), max(0, most))
    return found
