"""Means and spreads, made of sums."""

from __future__ import annotations

from math import prod

from onebuf.dtypes import float32, float64, kind
from onebuf.errors import DTypeError
from onebuf.graph import BINARY, REDUCE, UNARY, Node, reduce_axes
from onebuf.ops.apply import binary, cast, reduce, unary

Axis = int | tuple[int, ...] | None


def mean(x: Node, axis: Axis = None, keepdims: bool = False) -> Node:
    """The arithmetic mean along ``axis``."""
    count = _count(x, axis, "mean")
    total = reduce(REDUCE["sum"], widened(x), axis, keepdims)
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
    divisor = max(count - correction, 0.0)
    return _narrow(binary(BINARY["divide"], total, float(divisor)), x)


def std(x: Node, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Node:
    """The standard deviation along ``axis``."""
    return unary(UNARY["sqrt"], var(x, axis, correction, keepdims, "std"))


def widened(x: Node) -> Node:
    """``x`` in a floating type whose sums neither overflow nor stall: float32 at least."""
    if kind(x.dtype) not in "fc":
        return cast(x, float64)
    return cast(x, float32) if x.dtype.itemsize < 4 else x


def _narrow(result: Node, x: Node) -> Node:
    return cast(result, x.dtype) if kind(x.dtype) == "f" else result


def _count(x: Node, axis: Axis, what: str) -> int:
    return prod([x.shape[a] for a in reduce_axes(axis, len(x.shape), what)])
