"""The operations that kernels in C-like languages may contain."""

from __future__ import annotations

from onebuf.dtypes import DT, complex128, kind
from onebuf.graph import REDUCE, Op
from onebuf.kernel import FOLDS, SCANS, combines
from onebuf.render.clike.operations import supports
from onebuf.scheduler.trace.argmax import EXTREMES


def may_contain(op: Op, operands: tuple[DT, ...], result: DT, has_float64: bool) -> bool:
    """Whether a kernel may contain ``op`` on operands of these dtypes.

    >>> from onebuf.dtypes import float32, float64
    >>> [may_contain(REDUCE["sum"], (dtype,), dtype, False) for dtype in (float32, float64)]
    [True, False]
    """
    if op in EXTREMES:
        return combines(EXTREMES[op]) and _are_real(operands, has_float64)
    if op in FOLDS:
        sums = op is REDUCE["sum"] and operands == (result,)
        if kind(operands[0]) == "c" and (sums or kind(result) == "b"):
            return has_float64 or operands[0] != complex128
        return combines(op) and _are_real((*operands, result), has_float64)
    if op in SCANS:
        return operands[0] == result and _are_real((result,), has_float64)
    return supports(op, operands, result, has_float64)


def _are_real(dtypes: tuple[DT, ...], has_float64: bool) -> bool:
    """Whether these are real numbers that kernels compute with."""
    names = {dtype.name for dtype in dtypes}
    if any(name.startswith(("complex", "float8")) for name in names):
        return False
    return has_float64 or "float64" not in names
