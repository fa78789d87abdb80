"""Sums, means and spreads of the elements that count."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np

from onebuf import dtypes
from onebuf.array_api.arguments import buffer_of
from onebuf.array_api.elementwise import abs, isnan, sqrt
from onebuf.array_api.manipulation import concat
from onebuf.array_api.searching import where as choose
from onebuf.array_api.statistical import max, mean, min, prod, sum
from onebuf.array_api.ufunc.reduction import as_axes
from onebuf.buffer import Buffer
from onebuf.layout import normalize_axes
from onebuf.numpy_api.by_operations.table import stands_for
from onebuf.ops.scatter import scatter_add


@stands_for(np.mean)
def mean_where(
    a: Any, axis: Any = None, dtype: Any = None, *, keepdims: bool = False, where: Any = True
) -> Buffer:
    """The mean of the elements where ``where`` holds."""
    x = _typed(a, dtype)
    return sum(x, axis, keepdims=keepdims, where=where) / _count(x, axis, keepdims, where)


@stands_for(np.var)
def var_where(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    *,
    ddof: float = 0,
    keepdims: bool = False,
    where: Any = True,
    mean: Any = None,
) -> Buffer:
    """The variance of the elements where ``where`` holds, around ``mean`` if that is given."""
    x = _typed(a, dtype)
    centre = mean_where(x, axis, keepdims=True, where=where) if mean is None else mean
    squares = _squares(x - centre)
    total = sum(squares, axis, keepdims=keepdims, where=where)
    return total / (_count(x, axis, keepdims, where) - ddof)


@stands_for(np.std)
def std_where(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    *,
    ddof: float = 0,
    keepdims: bool = False,
    where: Any = True,
    mean: Any = None,
) -> Buffer:
    """The root of the variance."""
    named = {"ddof": ddof, "keepdims": keepdims, "where": where, "mean": mean}
    return sqrt(var_where(a, axis, dtype, **named))


@stands_for(np.nanmean)
def nanmean(a: Any, axis: Any = None, dtype: Any = None, *, keepdims: bool = False) -> Buffer:
    """The mean of the elements that are numbers."""
    return mean_where(a, axis, dtype, keepdims=keepdims, where=~isnan(a))


@stands_for(np.nanvar)
def nanvar(
    a: Any, axis: Any = None, dtype: Any = None, *, ddof: float = 0, keepdims: bool = False
) -> Buffer:
    """The variance of the elements that are numbers."""
    x = choose(isnan(a), 0.0, a)
    return var_where(x, axis, dtype, ddof=ddof, keepdims=keepdims, where=~isnan(a))


@stands_for(np.nanstd)
def nanstd(
    a: Any, axis: Any = None, dtype: Any = None, *, ddof: float = 0, keepdims: bool = False
) -> Buffer:
    """The root of `nanvar`."""
    return sqrt(nanvar(a, axis, dtype, ddof=ddof, keepdims=keepdims))


@stands_for(np.nanprod)
def nanprod(a: Any, axis: Any = None, dtype: Any = None, *, keepdims: bool = False) -> Buffer:
    """The product of the elements that are numbers."""
    return prod(choose(isnan(a), 1.0, a), axis, dtype, keepdims=keepdims)


def _extreme(fold: Callable[..., Buffer], least: float) -> Callable[..., Buffer]:
    def extreme(a: Any, axis: Any = None, *, keepdims: bool = False) -> Buffer:
        is_missing = isnan(a)
        found = fold(choose(is_missing, least, a), axis, keepdims=keepdims)
        return choose(is_missing.all(axis, keepdims=keepdims), nan, found)  # type: ignore[no-any-return]

    return extreme


stands_for(np.nanmax)(_extreme(max, -inf))
stands_for(np.nanmin)(_extreme(min, inf))


@stands_for(np.average)
def average(
    a: Any, axis: Any = None, *, weights: Any, returned: bool = False, keepdims: bool = False
) -> Any:
    """The mean with a weight for each slice along ``axis``."""
    x, scale = buffer_of("average", a), buffer_of("average", weights)
    axes = normalize_axes(as_axes(axis), x.ndim, "average")
    order = sorted(range(len(axes)), key=lambda place: axes[place])
    turned = scale.permute(order)
    turned = turned.reshape([x.shape[n] if n in axes else 1 for n in range(x.ndim)])
    total = sum(turned.expand(x.shape), axis, keepdims=keepdims)
    result = sum(x * turned, axis, keepdims=keepdims) / total
    return (result, total) if returned else result


@stands_for(np.cov)
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
    """The covariance of each pair of variables, of observations that count or weigh differently."""
    rows = _rows(m, rowvar)
    if y is not None:
        rows = concat([rows, _rows(y, rowvar)], axis=0)
    if dtype is not None:
        rows = rows.astype(dtype)
    less = (0 if bias else 1) if ddof is None else ddof
    weights: Any = None
    for given in (fweights, aweights):
        if given is not None:
            scale = buffer_of("cov", given).astype(dtypes.float64)
            weights = scale if weights is None else weights * scale
    if weights is None:
        centred = rows - mean(rows, 1, keepdims=True)
        other, count = centred, float(rows.shape[1] - less)
    else:
        total = weights.sum()
        centred = rows - sum(rows * weights, 1, keepdims=True) / total
        other = centred * weights
        heavy = total if aweights is None else (weights * buffer_of("cov", aweights)).sum() / total
        count = total - less * heavy if aweights is not None else total - less
    return ((centred @ other.T.conj()) / count).squeeze()


@stands_for(np.corrcoef)
def corrcoef(
    x: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: Any = None,
    ddof: Any = None,
    *,
    dtype: Any = None,
) -> Buffer:
    """The correlation of each pair of variables."""
    found = cov(x, y, rowvar, dtype=dtype)
    if not found.ndim:
        return found / found
    sizes = sqrt(_real(found.diagonal()))
    return found / sizes.expand_dims(1) / sizes


@stands_for(np.bincount)
def bincount(x: Any, weights: Any = None, minlength: int = 0) -> Buffer:
    """The sum of the ``weights`` of each whole number in ``x``."""
    places, scale = buffer_of("bincount", x), buffer_of("bincount", weights)
    length = int(places.max()) + 1 if places.size else 0
    shape = (length if length > minlength else minlength,)
    updates = scale.astype(dtypes.float64, copy=False)._node
    return Buffer._value(scatter_add(shape, places.astype(dtypes.int64)._node, updates, 0))


def _rows(x: Any, rowvar: bool) -> Buffer:
    buffer = buffer_of("cov", x)
    buffer = buffer.astype(dtypes.promote(buffer.dtype, dtypes.float64), copy=False)
    if buffer.ndim < 2:
        return buffer.reshape(1, -1)
    return buffer if rowvar else buffer.T


def _typed(a: Any, dtype: Any) -> Buffer:
    x = buffer_of("mean", a)
    return x if dtype is None else x.astype(dtype)


def _count(x: Buffer, axis: Any, keepdims: bool, where: Any) -> Buffer:
    """How many elements count along ``axis``."""
    mask = buffer_of("mean", where).expand(x.shape)
    return sum(mask, axis, keepdims=keepdims).astype(dtypes.float64)


def _squares(x: Buffer) -> Buffer:
    return abs(x) ** 2 if dtypes.kind(x.dtype) == "c" else x * x


def _real(x: Buffer) -> Buffer:
    return x.real if dtypes.kind(x.dtype) == "c" else x
