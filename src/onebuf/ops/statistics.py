"""Means and spreads, made of sums."""

from __future__ import annotations

import numpy as np

from onebuf.dtypes import float64, kind
from onebuf.errors import DTypeError
from onebuf.graph import BINARY, REDUCE, UNARY, Node, reduce_axes
from onebuf.ops.apply import binary, cast, reduce, unary

Axis = int | tuple[int, ...] | None


def mean(x: Node, axis: Axis = None, keepdims: bool = False) -> Node:
    """The arithmetic mean along ``axis``."""
    x = _inexact(x)
    total = reduce(REDUCE["sum"], x, axis, keepdims)
    return binary(BINARY["divide"], total, float(_count(x, axis)))


def var(x: Node, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Node:
    """The variance along ``axis``; divided by the count less ``correction``."""
    x = _inexact(x)
    if kind(x.dtype) == "c":
        raise DTypeError(f"var needs real numbers, got {x.dtype.name}; take abs(x) first")
    difference = binary(BINARY["subtract"], x, mean(x, axis, keepdims=True))
    total = reduce(REDUCE["sum"], unary(UNARY["square"], difference), axis, keepdims)
    divisor = max(_count(x, axis) - correction, 0.0)
    return binary(BINARY["divide"], total, float(divisor))


def std(x: Node, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Node:
    """The standard deviation along ``axis``."""
    return unary(UNARY["sqrt"], var(x, axis, correction, keepdims))


def _inexact(x: Node) -> Node:
    return x if kind(x.dtype) in "fc" else cast(x, float64)


def _count(x: Node, axis: Axis) -> int:
    return int(np.prod([x.shape[a] for a in reduce_axes(axis, len(x.shape))], dtype=np.int64))
