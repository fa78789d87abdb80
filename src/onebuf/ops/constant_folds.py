"""Constant folding: reductions of one value everywhere, without elements.

Only where the result is exact, so that it is the same whether it is folded here or computed.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from onebuf.dtypes import DT, is_added, kind
from onebuf.graph import REDUCE, Op
from onebuf.ops.quiet import typed

_EXACT = 1 << 53
"""Integers below this, and their multiples by powers of two, add up exactly in float64."""


def folded(op: Op, value: np.generic, count: int, dtype: DT) -> np.generic | None:
    """``count`` times ``value``, folded by ``op``; None where it has to be computed.

    >>> folded(REDUCE["sum"], np.float32(0.5), 6, np.dtype("float32"))
    np.float32(3.0)
    >>> folded(REDUCE["sum"], np.float32(0.1), 6, np.dtype("float32")) is None
    False
    >>> folded(REDUCE["sum"], np.float64(0.1), 6, np.dtype("float64")) is None
    True
    """
    letter = kind(value.dtype)
    if not count or letter == "c" or is_added(value.dtype) or value.dtype == np.float16:
        return None
    found: Any = None
    if op in (REDUCE["max"], REDUCE["min"]):
        found = value
    elif op in (REDUCE["argmax"], REDUCE["argmin"]):
        found = 0
    elif op in (REDUCE["all"], REDUCE["any"]):
        found = bool(value)
    elif letter != "f":
        found = _whole(op, int(value), count, dtype)
    elif op is REDUCE["sum"]:
        found = _sum(float(value), count)
    elif value in (0, 1) and not np.signbit(value):
        found = value
    if found is None:
        return None
    result: np.generic = typed(found, dtype)
    return result


def _whole(op: Op, value: int, count: int, dtype: DT) -> int:
    """A sum or product of integers, which wraps around."""
    bits = 8 * dtype.itemsize
    size = 1 << bits
    total = value * count % size if op is REDUCE["sum"] else pow(value, count, size)
    return total - size if kind(dtype) == "i" and total >= size // 2 else total


def _sum(value: float, count: int) -> float | None:
    if not isfinite(value) or not isfinite(value * count):
        return None
    numerator, denominator = value.as_integer_ratio()
    while numerator and not numerator & 1:
        numerator >>= 1
    exact = abs(numerator) * count < _EXACT and denominator.bit_length() < 900
    return value * count if exact else None
