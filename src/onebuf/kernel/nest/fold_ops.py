"""Monoids of reductions: the operation that combines two results, and its identity element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from onebuf.dtypes import DT, kind
from onebuf.graph import BINARY, REDUCE, SCAN, Op


class Monoid(NamedTuple):
    """An associative operation, and the value of a dtype that leaves every other as it is."""

    combine: Op
    identity: Callable[[DT], Any]


def _limit(sign: int) -> Callable[[DT], Any]:
    """The least value of a dtype, or with a positive ``sign`` the greatest."""

    def value(dtype: DT) -> Any:
        if kind(dtype) == "b":
            return sign > 0
        if kind(dtype) == "f":
            return sign * np.inf
        return np.iinfo(dtype).max if sign > 0 else np.iinfo(dtype).min

    return value


_SUM = Monoid(BINARY["add"], lambda dtype: -0.0 if kind(dtype) == "f" else 0)
_PRODUCT = Monoid(BINARY["multiply"], lambda dtype: 1)
_MONOIDS = {
    REDUCE["sum"]: _SUM,
    REDUCE["prod"]: _PRODUCT,
    REDUCE["max"]: Monoid(BINARY["maximum"], _limit(-1)),
    REDUCE["min"]: Monoid(BINARY["minimum"], _limit(1)),
    REDUCE["all"]: Monoid(BINARY["logical_and"], lambda dtype: 1),
    REDUCE["any"]: Monoid(BINARY["logical_or"], lambda dtype: 0),
    SCAN["sum"]: _SUM,
    SCAN["prod"]: _PRODUCT,
}


def combines(op: Op) -> bool:
    """Whether the result of a reduction can be computed from the results of its parts."""
    return op in _MONOIDS


def combining(op: Op) -> Op:
    """The operation on two accumulators.

    >>> combining(REDUCE["sum"])
    add
    """
    return _MONOIDS[op].combine


def identity(op: Op, dtype: DT) -> np.generic:
    """The value with which an accumulator starts.

    >>> float(identity(REDUCE["max"], np.dtype("float32")))
    -inf
    """
    found: np.generic = dtype.type(_MONOIDS[op].identity(dtype))
    return found
