"""Loop dtypes: the dtypes that an operation computes in, and that its operands are cast to first.

These are the dtypes of NumPy's loop for the operands, so that a kernel and an array library promote
as NumPy does.
"""

from __future__ import annotations

from functools import cache

from onebuf.dtypes import DT, complex64, float32, float64, is_supported, promote
from onebuf.graph.infer import resolve_dtypes
from onebuf.graph.op import COMPLEX, UNARY, WHERE, Op

_ANY_DTYPE = frozenset(
    {"round", "positive", "isnan", "isinf", "isfinite", "ceil", "floor", "trunc"}
    | {"conj", "real", "imag"}
)
"""Functions of one operand that compute in its own dtype, whatever that is."""


@cache
def loop_dtypes(op: Op, operands: tuple[DT, ...]) -> tuple[DT, ...] | None:
    """The dtypes that ``op`` computes in; None if NumPy has no loop for these operands.

    >>> from onebuf.dtypes import int8, int16
    >>> from onebuf.graph.op import BINARY
    >>> loop_dtypes(BINARY["divide"], (int8, int16))
    (dtype('float64'), dtype('float64'))
    """
    if not all(is_supported(dtype) for dtype in operands):
        return None  # a number beyond 64 bits, which can only be compared with
    if op is WHERE:
        common = promote(*operands[1:])
        return (operands[0], common, common)
    if op is COMPLEX:
        part = float32 if promote(*operands, complex64) == complex64 else float64
        return (part, part)
    if op in UNARY.values() and op.name in _ANY_DTYPE:
        return operands
    try:
        found = resolve_dtypes(op, *operands)
    except TypeError:
        return None
    return tuple(found[:-1])
