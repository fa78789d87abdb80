"""Mean, variance and standard deviation, made of sums.

The variance of float32 goes over its operand once: with distances from the first element, in
float64, the sums of the distances and of their squares are exact enough that what the mean takes
away leaves more digits than float32 has, whatever the elements are. Of float64, the mean comes
first, and the squares of the distances from it in a second pass.
"""

from __future__ import annotations

from math import nan, prod

import numpy as np

from onebuf.dtypes import Array, float32, float64, kind
from onebuf.graph import BINARY, CAST, REDUCE, UNARY, Node, make, reduce_axes
from onebuf.ops.allocation import place
from onebuf.ops.apply import binary, cast, small_arrays, unary
from onebuf.ops.eager import PAIRS
from onebuf.ops.library import library
from onebuf.ops.movement import index
from onebuf.ops.quiet import quietly
from onebuf.ops.reduction import reduce
from onebuf.options import options

Axis = int | tuple[int, ...] | None


def mean(x: Node, axis: Axis = None, keepdims: bool = False) -> Node:
    """The arithmetic mean along ``axis``."""
    count = _count(x, axis, "mean")
    total = reduce(REDUCE["sum"], widened(x), axis, keepdims)
    if kind(total.dtype) == "c":
        return library(_over, (total,), (count,), total.shape, total.dtype, "mean")
    return _narrow(PAIRS[BINARY["divide"]](total, float(count)), x)


def var(
    x: Node,
    axis: Axis = None,
    correction: float = 0.0,
    keepdims: bool = False,
    what: str = "var",
) -> Node:
    """The variance along ``axis``; divided by the count less ``correction``.

    Of complex numbers it is real: that of the real parts and that of the imaginary parts, together.
    """
    count = _count(x, axis, what)
    wide = widened(x)
    divisor = float(count - correction) if count > correction else nan
    if wide.dtype == float32 and count:
        return _narrow(_in_one_pass(wide, axis, count, divisor, keepdims), x)
    difference = binary(BINARY["subtract"], wide, mean(wide, axis, keepdims=True))
    total = reduce(REDUCE["sum"], _squared(difference), axis, keepdims)
    return _narrow(binary(BINARY["divide"], total, divisor), x)


def _squared(x: Node) -> Node:
    """The squares of absolute values."""
    if kind(x.dtype) != "c":
        return unary(UNARY["square"], x)
    real, imag = (unary(UNARY["square"], unary(UNARY[name], x)) for name in ("real", "imag"))
    return binary(BINARY["add"], real, imag)


def _in_one_pass(x: Node, axis: Axis, count: int, divisor: float, keepdims: bool) -> Node:
    """The variance of float32 by distances from the first element along ``axis``."""
    axes = reduce_axes(axis, len(x.shape), "var")
    key = tuple([slice(0, 1) if a in axes else slice(None) for a in range(len(x.shape))])
    arrays = small_arrays((x,))
    if arrays is not None and 2 * arrays[0].nbytes <= options().eager_nbytes:
        return _at_once(arrays[0], arrays[0][key], axis, count, divisor, keepdims)
    first = index(x, key)
    # Few elements would be converted at once, far apart in memory: the kernel has them at hand.
    first = make(CAST, (first,), float64, first.shape, float64)
    distance = binary(BINARY["subtract"], cast(x, float64), first)
    total = reduce(REDUCE["sum"], distance, axis, keepdims)
    squares = reduce(REDUCE["sum"], unary(UNARY["square"], distance), axis, keepdims)
    taken = binary(BINARY["divide"], unary(UNARY["square"], total), float(count))
    rest = binary(BINARY["divide"], binary(BINARY["subtract"], squares, taken), divisor)
    return cast(rest, float32)


def _at_once(
    x: Array, first: Array, axis: Axis, count: int, divisor: float, keepdims: bool
) -> Node:
    """`_in_one_pass` on stored elements, step by step the same."""
    distance = place(x.shape, float64, x.size)
    elements = distance.array
    assert elements is not None
    quietly(_subtract, x, first, elements)
    total = reduce(REDUCE["sum"], distance, axis, keepdims)
    quietly(np.square, elements, elements)
    squares = reduce(REDUCE["sum"], distance, axis, keepdims)
    result = place(total.shape, float32, total.numel)
    quietly(_finish, total.array, squares.array, count, divisor, result.array)
    return result


def _subtract(x: Array, first: Array, out: Array) -> None:
    np.subtract(x, first, out=out, dtype=float64)


def _finish(total: Array, squares: Array, count: int, divisor: float, out: Array) -> None:
    rest = squares - np.square(total) / count
    np.divide(rest, divisor, out=out, casting="same_kind")


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
