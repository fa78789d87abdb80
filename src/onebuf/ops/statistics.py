"""Means and spreads, made of sums."""

from __future__ import annotations

from math import nan

import numpy as np

from onebuf.dtypes import float32, float64, kind
from onebuf.errors import DTypeError
from onebuf.graph import BINARY, REDUCE, UNARY, Node, reduce_axes
from onebuf.ops.apply import binary, cast, reduce, unary

Axis = int | tuple[int, ...] | None


def mean(x: Node, axis: Axis = None, keepdims: bool = False) -> Node:
    """The arithmetic mean along ``axis``."""
    wide = widened(x)
    total = reduce(REDUCE["sum"], wide, axis, keepdims)
    return _narrow(binary(BINARY["divide"], total, float(_count(x, axis))), x)


def var(x: Node, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Node:
    """The variance along ``axis``; divided by the count less ``correction``."""
    if kind(x.dtype) == "c":
        raise DTypeError(f"var needs real numbers, got {x.dtype.name}; take abs(x) first")
    wide = widened(x)
    difference = binary(BINARY["subtract"], wide, mean(wide, axis, keepdims=True))
    total = reduce(REDUCE["sum"], unary(UNARY["square"], difference), axis, keepdims)
    divisor = _count(x, axis) - correction
    divided = binary(BINARY["divide"], total, float(divisor) if divisor > 0 else nan)
    return _narrow(divided, x)


def std(x: Node, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Node:
    """The standard deviation along ``axis``."""
    return unary(UNARY["sqrt"], var(x, axis, correction, keepdims))


def widened(x: Node) -> Node:
    """``x`` in a floating type whose sums neither overflow nor stall: float32 at least."""
    if kind(x.dtype) not in "fc":
        return cast(x, float64)
    return cast(x, float32) if x.dtype.itemsize < 4 else x


def _narrow(result: Node, x: Node) -> Node:
    return cast(result, x.dtype) if kind(x.dtype) == "f" else result


def _count(x: Node, axis: Axis) -> int:
    return int(np.prod([x.shape[a] for a in reduce_axes(axis, len(x.shape))], dtype=np.int64))
