"""Kernels of one operation on contiguous rows, for arrays that are in memory and small."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from onebuf.engine.kernels import program
from onebuf.graph import Op
from onebuf.kernel import ANY, LOAD, STORE, Fold, Nest, Slot, Step

DT = np.dtype[Any]


@cache
def elementwise(op: Op, dtype: DT, paces: tuple[int, ...]) -> Any:
    """The program of ``op`` on contiguous operands (pace 1) and single elements (pace 0)."""
    slots = tuple([Slot(dtype, (pace,)) for pace in (*paces, 1)])
    loads = tuple([Step(LOAD, (), dtype, slot) for slot in range(len(paces))])
    count = len(paces)
    steps = (*loads, Step(op, tuple(range(count)), dtype), Step(STORE, (count,), dtype, count))
    return program(Nest(1, slots, steps))


@cache
def fold(op: Op, dtype: DT, several: bool, sequential: bool) -> Any:
    """The program of a reduction over contiguous rows: several, or one."""
    slots = (Slot(dtype, (ANY, 1) if several else (1,)), Slot(dtype, (1, 0) if several else (0,)))
    folded = Step(op, (0,), dtype, Fold(int(several), sequential))
    steps = (Step(LOAD, (), dtype, 0), folded, Step(STORE, (1,), dtype, 1))
    return program(Nest(1 + several, slots, steps))
