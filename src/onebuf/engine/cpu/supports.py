"""Which operations, on which dtypes, have a compiled kernel."""

from __future__ import annotations

from functools import cache

from onebuf.dtypes import DT, float32, float64, kind
from onebuf.graph import Op
from onebuf.kernel import FOLDS, SCANS
from onebuf.render.llvm.element import elementwise
from onebuf.render.llvm.loop import accumulator
from onebuf.scheduler.trace.argmax import EXTREMES


@cache
def supports(op: Op, operands: tuple[DT, ...], result: DT) -> bool:
    """Whether there is a kernel for ``op`` on operands of these dtypes."""
    if op in EXTREMES:
        return accumulator.supports(EXTREMES[op], operands[0], operands[0])
    if op in SCANS:
        return operands[0] == result and (kind(result) in "biu" or result in (float32, float64))
    if op in FOLDS:
        return accumulator.supports(op, operands[0], result)
    return elementwise.supports(op, operands, result)
