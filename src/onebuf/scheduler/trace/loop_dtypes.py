"""Type promotion: the dtypes that an operation computes in; its operands are cast to them."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from onebuf.dtypes import is_supported, kind, promote
from onebuf.graph import UNARY, WHERE, Op

DT = np.dtype[Any]


@cache
def loop_dtypes(op: Op, operands: tuple[DT, ...]) -> tuple[DT, ...] | None:
    """The dtypes that ``op`` computes in; None if there is no kernel for them."""
    if not all(is_supported(dtype) for dtype in operands):
        return None  # a number beyond 64 bits, which can only be compared with
    if op is WHERE:
        common = promote(*operands[1:])
        return (operands[0], common, common)
    if op in UNARY.values() and op.name in _ANY_DTYPE:
        return operands
    try:
        found = getattr(np, op.name).resolve_dtypes((*operands, None))
    except (TypeError, AttributeError):
        return None
    if op.name in _COMPARISONS and {kind(d) for d in operands} == {"i", "u"}:
        return None  # NumPy compares these without a common type
    return tuple(found[:-1])


_ANY_DTYPE = frozenset(
    {"round", "positive", "isnan", "isinf", "isfinite", "ceil", "floor", "trunc"}
    | {"conj", "real", "imag"}
)
_COMPARISONS = frozenset({"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"})
