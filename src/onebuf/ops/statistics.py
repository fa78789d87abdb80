"""Means and spreads, made of sums."""

from __future__ import annotations

from math import nan, prod
from typing import Any

import numpy as np

from onebuf.dtypes import float32, float64, kind
from onebuf.errors import DTypeError
from onebuf.graph import BINARY, REDUCE, UNARY, Node, reduce_axes
from onebuf.ops.apply import binary, cast, reduce, unary
from onebuf.ops.library import library

Array = np.ndarray[Any, Any]
Axis = int | tuple[int, ...] | None


def mean(x: Node, axis: Axis = None, keepdims: bool = False) -> Node:
    """The arithmetic mean along ``axis``."""
    count = _count(x, axis, "mean")
    total = reduce(REDUCE["sum"], widened(x), axis, keepdims)
    if kind(total.dtype) == "c":
        return library(_over, (total,), (count,), total.shape, total.dtype, "mean")
    return _narrow(binary(BINARY["divide"], total, float(count)), x)


def var(
    x: Node,
    axis: Axis = None,
    correction: float = 0.0,
    keepdims: bool = False,
    what: str = "var",
) -> Node:
    """The variance along ``axis``; divided by the count less ``correction``."""
    if kind(x.dtype) == "c":
        raise DTypeError(f"{what} needs real numbers, got {x.dtype.name}; take abs(x) first")
    count = _count(x, axis, what)
    wide = widened(x)
    difference = binary(BINARY["subtract"], wide, mean(wide, axis, keepdims=True))
    total = reduce(REDUCE["sum"], unary(UNARY["square"], difference), axis, keepdims)
    divisor = count - correction
    return _narrow(binary(BINARY["divide"], total, float(divisor) if divisor > 0 else nan), x)


def std(x: Node, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Node:
    """The standard deviation along ``axis``."""
    return unary(UNARY["sqrt"], var(x, axis, correction, keepdims, "std"))


def widened(x: Node) -> Node:
    """``x`` in a floating type whose sums neither overflow nor stall: float32 at least."""
    if kind(x.dtype) not in "fc":
        return cast(x, float64)
    return cast(x, float32) if x.dtype.itemsize < 4 else x


def _over(total: Array, count: int) -> Array:
    """Each part of a complex ``total`` divided by ``count``: a NaN in one leaves the other."""
    result = np.empty_like(total)
    result.real, result.imag = total.real / count, total.imag / count
    return result


def _narrow(result: Node, x: Node) -> Node:
    return cast(result, x.dtype) if kind(x.dtype) == "f" else result


def _count(x: Node, axis: Axis, what: str) -> int:
    return prod([x.shape[a] for a in reduce_axes(axis, len(x.shape), what)])
