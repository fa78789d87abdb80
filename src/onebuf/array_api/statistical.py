"""Statistical functions."""

from __future__ import annotations

from typing import Any

from onebuf import dtypes, ops
from onebuf.array_api.arguments import buffer_of, flag, into, node_of, number, public
from onebuf.array_api.ufunc.reduction import as_axes, reduced
from onebuf.buffer import Buffer
from onebuf.errors import ArgumentError
from onebuf.graph import REDUCE, reduce_dtype
from onebuf.layout import normalize_axis
from onebuf.native import quick

Axes = int | tuple[int, ...] | None


@public
def cumulative_prod(
    x: Any,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    include_initial: bool = False,
    out: Any = None,
) -> Buffer:
    """The product of all elements up to each place along ``axis``."""
    return running("prod", "cumulative_prod", x, axis, dtype, include_initial, out)


@public
def cumulative_sum(
    x: Any,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    include_initial: bool = False,
    out: Any = None,
) -> Buffer:
    """The sum of all elements up to each place along ``axis``.

    >>> cumulative_sum(Buffer([1, 2, 3])).to_python()
    [1, 3, 6]
    """
    return running("sum", "cumulative_sum", x, axis, dtype, include_initial, out)


def running(
    name: str, what: str, x: Any, axis: int | None, dtype: Any, include_initial: bool, out: Any
) -> Buffer:
    """The running sum or product of ``x``."""
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
    return into(what, out, Buffer._value(ops.scan(name, node, axis, include_initial)))


@quick("max")
@public
def max(  # noqa: A001
    x: Any,
    /,
    axis: Axes = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Buffer:
    """The largest element along ``axis``."""
    return reduced("max", x, axis, None, out, keepdims, initial, where)


@quick("mean")
@public
def mean(
    x: Any,
    /,
    axis: Axes = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    *,
    where: Any = True,
) -> Buffer:
    """The arithmetic mean along ``axis``, computed in ``dtype`` if one is given."""
    result = buffer_of("mean", x).mean(as_axes(axis), dtype, None, keepdims, where=where)
    return result if out is None else into("mean", out, result)


@quick("min")
@public
def min(  # noqa: A001
    x: Any,
    /,
    axis: Axes = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Buffer:
    """The smallest element along ``axis``."""
    return reduced("min", x, axis, None, out, keepdims, initial, where)


@quick("prod")
@public
def prod(
    x: Any,
    /,
    axis: Axes = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Buffer:
    """The product along ``axis``."""
    return reduced("prod", x, axis, dtype, out, keepdims, initial, where)


@quick("std")
@public
def std(
    x: Any,
    /,
    axis: Axes = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: float = 0.0,
) -> Buffer:
    """The standard deviation along ``axis``; see `var`."""
    return _spread("std", x, axis, dtype, out, ddof, keepdims, where, mean, correction)


@quick("sum")
@public
def sum(  # noqa: A001
    x: Any,
    /,
    axis: Axes = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Buffer:
    """The sum along ``axis``."""
    return reduced("sum", x, axis, dtype, out, keepdims, initial, where)


@quick("var")
@public
def var(
    x: Any,
    /,
    axis: Axes = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: float = 0.0,
) -> Buffer:
    """The variance along ``axis``, divided by the count less ``correction``, NumPy's ``ddof``."""
    return _spread("var", x, axis, dtype, out, ddof, keepdims, where, mean, correction)


def _spread(
    name: str,
    x: Any,
    axis: Axes,
    dtype: Any,
    out: Any,
    ddof: float,
    keepdims: bool,
    where: Any,
    mean: Any,
    correction: float,
) -> Buffer:
    if ddof and correction != 0:
        raise ArgumentError(
            f"ddof and correction can't be provided simultaneously. {name} got {ddof} and "
            f"{correction}; they need to be one"
        )
    less = number(name, "correction", correction) or number(name, "ddof", ddof)
    method = getattr(buffer_of(name, x), name)
    result: Buffer = method(as_axes(axis), dtype, None, less, keepdims, where=where, mean=mean)
    return result if out is None else into(name, out, result)
