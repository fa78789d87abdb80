"""Which operations, on which dtypes, have a compiled kernel."""

from __future__ import annotations

from functools import cache

from onebuf.dtypes import DT, float32, float64, kind
from onebuf.graph import BINARY, Op
from onebuf.kernel import FOLDS, SCANS
from onebuf.render.llvm.element import elementwise
from onebuf.render.llvm.loop import accumulator
from onebuf.scheduler.trace.argmax import EXTREMES

_DIVISIONS = frozenset({BINARY["floor_divide"], BINARY["remainder"]})


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


def supports_division(op: Op, operands: tuple[DT, ...], result: DT) -> bool:
    """The same where integers are divided by kernels, too: NumPy would need memory to do it."""
    if op in _DIVISIONS and kind(result) in "iu" and set(operands) == {result}:
        return True
    return supports(op, operands, result)
