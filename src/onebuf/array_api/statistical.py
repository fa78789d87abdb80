"""Statistical functions."""

from __future__ import annotations

from typing import Any

from onebuf import dtypes, ops
from onebuf.array_api.arguments import flag, number, public
from onebuf.buffer import Buffer
from onebuf.buffer.operators import node_of
from onebuf.errors import ArgumentError
from onebuf.graph import REDUCE, reduce_dtype
from onebuf.layout import normalize_axis

Axes = int | tuple[int, ...] | None


def _fold(name: str, x: Any, axis: Axes, keepdims: bool) -> Buffer:
    return Buffer._value(ops.reduce(REDUCE[name], node_of(name, x), axis, keepdims))


def _total(name: str, x: Any, axis: Axes, dtype: Any, keepdims: bool) -> Buffer:
    node = node_of(name, x)
    if dtype is None:
        return Buffer._value(ops.reduce(REDUCE[name], node, axis, keepdims))
    wanted = dtypes.as_dtype(dtype)
    return Buffer._value(
        ops.cast(ops.reduce(REDUCE[name], ops.cast(node, wanted), axis, keepdims), wanted)
    )


@public
def cumulative_prod(
    x: Buffer,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    include_initial: bool = False,
) -> Buffer:
    """The product of all elements up to each place along ``axis``."""
    return _running("prod", x, axis, dtype, include_initial)


@public
def cumulative_sum(
    x: Buffer,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    include_initial: bool = False,
) -> Buffer:
    """The sum of all elements up to each place along ``axis``.

    >>> cumulative_sum(Buffer([1, 2, 3])).to_python()
    [1, 3, 6]
    """
    return _running("sum", x, axis, dtype, include_initial)


def _running(name: str, x: Any, axis: int | None, dtype: Any, include_initial: bool) -> Buffer:
    what = f"cumulative_{name}"
    node = node_of(what, x)
    include_initial = flag(what, "include_initial", include_initial)
    if axis is None:
        if len(node.shape) != 1:
            raise ArgumentError(f"{what} needs an axis for shape {node.shape}, got None")
        axis = 0
    axis = normalize_axis(axis, len(node.shape), what)
    if dtype is not None:
        node = ops.cast(node, dtypes.as_dtype(dtype))
    else:
        node = ops.cast(node, reduce_dtype(REDUCE[name], node.dtype))
    return Buffer._value(ops.scan(name, node, axis, include_initial))


@public
def max(x: Buffer, /, *, axis: Axes = None, keepdims: bool = False) -> Buffer:  # noqa: A001
    """The largest element along ``axis``."""
    return _fold("max", x, axis, keepdims)


@public
def mean(x: Buffer, /, *, axis: Axes = None, keepdims: bool = False, dtype: Any = None) -> Buffer:
    """The arithmetic mean along ``axis``.

    ``dtype``, in which to compute it, is not in the standard, but in every library that `cubed`
    runs on.
    """
    node = node_of("mean", x)
    wide = node if dtype is None else ops.cast(node, dtypes.as_dtype(dtype))
    return Buffer._value(ops.mean(wide, axis, keepdims))


@public
def min(x: Buffer, /, *, axis: Axes = None, keepdims: bool = False) -> Buffer:  # noqa: A001
    """The smallest element along ``axis``."""
    return _fold("min", x, axis, keepdims)


@public
def prod(x: Buffer, /, *, axis: Axes = None, dtype: Any = None, keepdims: bool = False) -> Buffer:
    """The product along ``axis``."""
    return _total("prod", x, axis, dtype, keepdims)


@public
def std(
    x: Buffer, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False
) -> Buffer:
    """The standard deviation along ``axis``."""
    return Buffer._value(
        ops.std(node_of("std", x), axis, number("std", "correction", correction), keepdims)
    )


@public
def sum(  # noqa: A001
    x: Buffer, /, *, axis: Axes = None, dtype: Any = None, keepdims: bool = False
) -> Buffer:
    """The sum along ``axis``."""
    return _total("sum", x, axis, dtype, keepdims)


@public
def var(
    x: Buffer, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False
) -> Buffer:
    """The variance along ``axis``, divided by the count less ``correction``."""
    return Buffer._value(
        ops.var(node_of("var", x), axis, number("var", "correction", correction), keepdims)
    )
