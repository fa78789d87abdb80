"""Sums, differences and statistics that NumPy has beyond the standard."""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf import dtypes, ops
from onebuf.array_api.arguments import buffer_of, into, node_of, public
from onebuf.array_api.elementwise import isnan
from onebuf.array_api.searching import where as choose
from onebuf.array_api.statistical import max as largest
from onebuf.array_api.statistical import mean, min, running, sum
from onebuf.array_api.ufunc.reduction import as_axes
from onebuf.array_api.utility import diff
from onebuf.buffer import Buffer
from onebuf.buffer.native_core import accumulating, delegate
from onebuf.buffer.numpy.calls import on_arrays
from onebuf.errors import ArgumentError, ShapeError
from onebuf.layout import normalize_axis
from onebuf.numpy_api.delegation import delegated
from onebuf.ops.numpy import short_calls

amax, amin = largest, min


def _flat_or_along(x: Any, axis: int | None, name: str) -> tuple[Buffer, int]:
    buffer = buffer_of(name, x, "a")
    if axis is None or not buffer.ndim:
        return buffer.reshape(-1), 0
    return buffer, axis


@accumulating("add", is_wide=True, needs_axis=True)
@public
def cumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Buffer:
    """The sum of all elements up to each place along ``axis``; of the flat elements if None.

    >>> cumsum([[1, 2], [3, 4]]).to_python()
    [1, 3, 6, 10]
    """
    x, along = _flat_or_along(a, axis, "cumsum")
    return running("sum", "cumsum", x, along, dtype, False, out)


@accumulating("multiply", is_wide=True, needs_axis=True)
@public
def cumprod(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Buffer:
    """The product of all elements up to each place along ``axis``; see `cumsum`."""
    x, along = _flat_or_along(a, axis, "cumprod")
    return running("prod", "cumprod", x, along, dtype, False, out)


def _without_nan(name: str, a: Any, value: Any) -> Buffer:
    x = buffer_of(name, a, "a")
    return choose(isnan(x), value, x) if dtypes.kind(x.dtype) in "fc" else x


@public
def nancumsum(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Buffer:
    """`cumsum` with NaN taken for zero."""
    return cumsum(_without_nan("nancumsum", a, 0), axis, dtype, out)


@public
def nancumprod(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Buffer:
    """`cumprod` with NaN taken for one."""
    return cumprod(_without_nan("nancumprod", a, 1), axis, dtype, out)


@public
def nansum(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Buffer:
    """The sum of the elements that are numbers.

    >>> nansum([1.0, float("nan"), 2.0]).item()
    3.0
    """
    return sum(_without_nan("nansum", a, 0), axis, dtype, out, keepdims, initial, where)


@delegate(np.ptp)
@public
def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Buffer:
    """The largest element less the smallest."""
    x = buffer_of("ptp", a, "a")
    return into("ptp", out, largest(x, axis, keepdims=keepdims) - min(x, axis, keepdims=keepdims))


@public
def average(
    a: Any,
    axis: Any = None,
    weights: Any = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Any:
    """The mean with a weight for each element; with ``returned``, the sum of weights too.

    >>> average([1, 2, 3], weights=[1, 1, 2]).item()
    2.25
    """
    x = buffer_of("average", a, "a")
    if weights is None:
        result = mean(x, axis, keepdims=keepdims)
        if not returned:
            return result
        count = x.size / (result.size or 1)
        return result, Buffer._value(ops.full(result.shape, float(count), result.dtype))
    scale = buffer_of("average", weights, "weights")
    if scale.shape != x.shape:
        named = {"weights": scale, "returned": returned, "keepdims": keepdims}
        return on_arrays(Buffer, np.average, (x, as_axes(axis)), named)
    wide = dtypes.promote(x.dtype, scale.dtype, *_floats(x, scale))
    total = sum(scale, axis, wide, keepdims=keepdims)
    if not total.all():
        raise ZeroDivisionError("average: weights sum to zero, so that they cannot be normalized")
    result = sum(x * scale, axis, wide, keepdims=keepdims) / total
    return (result, total) if returned else result


def _floats(*buffers: Buffer) -> tuple[np.dtype[Any], ...]:
    whole = all(dtypes.kind(x.dtype) in "biu" for x in buffers)
    return (dtypes.float64,) if whole else ()


@public
def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Buffer:
    """The covariance of variables, each a row (a column without ``rowvar``).

    >>> cov([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]).to_python()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    if fweights is not None or aweights is not None or y is not None:
        named = {"ddof": ddof, "fweights": fweights, "aweights": aweights, "dtype": dtype}
        return on_arrays(Buffer, np.cov, (m, y, rowvar, bias), named)  # type: ignore[no-any-return]
    x = buffer_of("cov", m, "m")
    if x.ndim > 2:
        raise ShapeError(f"cov needs at most 2 dimensions, got shape {x.shape}")
    wanted = dtypes.promote(x.dtype, dtypes.float64) if dtype is None else dtypes.as_dtype(dtype)
    rows = x.reshape(1, -1) if x.ndim < 2 else x if rowvar else x.T
    rows = rows.astype(wanted, copy=False)
    less = (0 if bias else 1) if ddof is None else ddof
    centred = rows - mean(rows, 1, keepdims=True)
    other = centred.T if dtypes.kind(wanted) != "c" else centred.T.conj()
    count = rows.shape[1] - less
    if count <= 0:
        return on_arrays(Buffer, np.cov, (x, None, rowvar, bias, less), {"dtype": dtype})  # type: ignore[no-any-return]
    return ((centred @ other) / float(count)).squeeze()


@public
def trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Buffer:
    """The integral of samples ``y`` at ``x``, or ``dx`` apart, by the trapezoidal rule.

    >>> trapezoid([1, 2, 3]).item()
    4.0
    """
    values = buffer_of("trapezoid", y, "y")
    axis = normalize_axis(axis, values.ndim, "trapezoid")
    if x is None:
        step: Any = dx
    else:
        places = buffer_of("trapezoid", x)
        step = diff(places, axis=0 if places.ndim == 1 else axis)
        if places.ndim == 1:
            step = step.reshape((-1,) + (1,) * (values.ndim - axis - 1))
    front = (slice(None),) * axis
    pairs = values[(*front, slice(1, None))] + values[(*front, slice(None, -1))]
    return sum(step * pairs / 2.0, axis)


@delegate(np.ediff1d)
@public
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Buffer:
    """Each element of the flat ``ary`` less the one before it."""
    x = buffer_of("ediff1d", ary, "ary").reshape(-1)
    if to_end is not None or to_begin is not None:
        return on_arrays(Buffer, np.ediff1d, (x, to_end, to_begin), {})  # type: ignore[no-any-return]
    return diff(x) if x.size else x.copy()


@delegate(short_calls.nan_to_num)
@public
def nan_to_num(
    x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Buffer:
    """``x`` with numbers for NaN and infinities: the largest of the type, if nothing else is said.

    >>> nan_to_num([1.0, float("nan")], nan=5.0).to_python()
    [1.0, 5.0]
    """
    buffer = buffer_of("nan_to_num", x)
    kind = dtypes.kind(buffer.dtype)
    if kind in "biu":
        return buffer.copy() if copy else buffer
    if kind == "c" or dtypes.is_added(buffer.dtype):
        named = {"copy": copy, "nan": nan, "posinf": posinf, "neginf": neginf}
        return on_arrays(Buffer, np.nan_to_num, (buffer,), named)  # type: ignore[no-any-return]
    limits = np.finfo(buffer.dtype)
    high = float(limits.max) if posinf is None else posinf
    low = float(limits.min) if neginf is None else neginf
    wanted = [_as_element(value, buffer) for value in (nan, high, low)]
    result = choose(isnan(buffer), wanted[0], buffer)
    result = choose(buffer == float("inf"), wanted[1], result)
    result = choose(buffer == float("-inf"), wanted[2], result)
    if copy:
        return result  # type: ignore[no-any-return]
    buffer[...] = result
    return buffer


def _as_element(value: Any, like: Buffer) -> Any:
    if isinstance(value, int | float):
        return float(value)
    return Buffer._value(ops.cast(node_of("nan_to_num", value), like.dtype))


@delegate(np.gradient)
@public
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """The slope of samples along each axis: central differences, one-sided at the ends.

    >>> gradient([1.0, 4.0, 9.0]).to_python()
    [3.0, 4.0, 5.0]
    """
    x = buffer_of("gradient", f, "f")
    simple = all(isinstance(step, int | float) for step in varargs) and len(varargs) <= 1
    if not simple or edge_order != 1 or dtypes.kind(x.dtype) not in "f" or not x.ndim:
        named = {"axis": as_axes(axis), "edge_order": edge_order}
        return on_arrays(Buffer, np.gradient, (x, *varargs), named)
    several = axis is None or isinstance(axis, tuple | list)
    given = range(x.ndim) if axis is None else axis if several else (axis,)
    axes = [normalize_axis(one, x.ndim, "gradient") for one in given]
    found = [_slope(x, one, float(varargs[0]) if varargs else 1.0) for one in axes]
    return found[0] if len(found) == 1 else tuple(found)


def _slope(x: Buffer, axis: int, step: float) -> Buffer:
    if x.shape[axis] < 2:
        raise ArgumentError(
            f"gradient: the shape {x.shape} is too small; at least 2 elements are needed along "
            f"axis {axis}"
        )
    front = (slice(None),) * axis

    def part(first: int | None, end: int | None) -> Buffer:
        return x[(*front, slice(first, end))]

    ends = [(part(1, 2) - part(0, 1)) / step, (part(-1, None) - part(-2, -1)) / step]
    inner = (part(2, None) - part(None, -2)) / (2.0 * step)
    return Buffer._value(ops.concat([b._node for b in (ends[0], inner, ends[1])], axis))


bincount = delegated(np.bincount)
convolve = delegated(np.convolve)
corrcoef = delegated(np.corrcoef)
correlate = delegated(np.correlate)
cross = delegated(np.cross)
digitize = delegated(np.digitize)
histogram = delegated(np.histogram)
histogram2d = delegated(np.histogram2d)
histogram_bin_edges = delegated(np.histogram_bin_edges)
histogramdd = delegated(np.histogramdd)
interp = delegated(np.interp)
median = delegated(np.median)
nanargmax = delegated(np.nanargmax)
nanargmin = delegated(np.nanargmin)
nanmedian = delegated(np.nanmedian)
nanpercentile = delegated(np.nanpercentile)
nanprod = delegated(np.nanprod)
nanquantile = delegated(np.nanquantile)
percentile = delegated(np.percentile)
quantile = delegated(np.quantile)
unwrap = delegated(np.unwrap)
