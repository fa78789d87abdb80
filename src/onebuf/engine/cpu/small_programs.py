"""Small programs: compiled kernels of one operation on contiguous rows or columns."""

from __future__ import annotations

from functools import cache
from typing import Any

from onebuf.dtypes import DT
from onebuf.engine.cpu.program import PLAIN, program
from onebuf.engine.cpu.strategy import choose
from onebuf.graph import COMPLEX, UNARY, Op, elementwise_dtype
from onebuf.kernel import ANY, LOAD, STORE, Fold, Nest, Slot, Step
from onebuf.render.llvm.rendering import Rendering


@cache
def elementwise(op: Op, dtype: DT, strides: tuple[int, ...], to: DT | None = None) -> Any:
    """The program of ``op`` on contiguous operands (stride 1) and single elements (stride 0).

    ``to`` is the dtype of the result, if it is not that of the operands.
    """
    result = dtype if to is None else to
    slots = (*[Slot(dtype, (stride,)) for stride in strides], Slot(result, (1,)))
    loads = tuple([Step(LOAD, (), dtype, slot) for slot in range(len(strides))])
    count = len(strides)
    steps = (*loads, Step(op, tuple(range(count)), result), Step(STORE, (count,), result, count))
    return program(Nest(1, slots, steps), Rendering(8) if dtype.itemsize > 8 else PLAIN)


@cache
def fold(op: Op, dtype: DT, several: bool, sequential: bool, short: bool) -> Any:
    """The program of a reduction over contiguous rows: one, or several, which may be short."""
    slots = (Slot(dtype, (ANY, 1) if several else (1,)), Slot(dtype, (1, 0) if several else (0,)))
    nest = _nest(op, dtype, slots, Fold(int(several), sequential))
    if not several:
        return program(nest)
    return _chosen(nest, (1024, 4 if short else 1024), [(1024, 1), (1, 0)])


@cache
def columns(op: Op, dtype: DT) -> Any:
    """The program of a reduction over the rows of a contiguous matrix, one row after another."""
    nest = _nest(op, dtype, (Slot(dtype, (1, ANY)), Slot(dtype, (1, 0))), Fold(1, True))
    return _chosen(nest, (1024, 1024), [(1, 1024), (1, 0)])


def _nest(op: Op, dtype: DT, slots: tuple[Slot, Slot], how: Fold) -> Nest:
    steps: tuple[Step, ...]
    if dtype.kind == "c":
        real = elementwise_dtype(UNARY["real"], dtype)
        steps = (
            Step(LOAD, (), dtype, 0),
            *[Step(UNARY[name], (0,), real) for name in ("real", "imag")],
            *[Step(op, (part,), real, how) for part in (1, 2)],
            Step(COMPLEX, (3, 4), dtype),
            Step(STORE, (5,), dtype, 1),
        )
        return Nest(1 + how.axis, slots, steps)
    steps = (Step(LOAD, (), dtype, 0), Step(op, (0,), dtype, how), Step(STORE, (1,), dtype, 1))
    return Nest(1 + how.axis, slots, steps)


def _chosen(nest: Nest, extents: tuple[int, int], strides: list[tuple[int, ...]]) -> Any:
    """The program in the rendering that suits such sizes, and works for all.

    Strides are named that are too large to become part of the code.
    """
    return program(nest, choose(nest, extents, [0, 0], strides))
