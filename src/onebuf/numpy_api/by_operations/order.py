"""Quantiles and other functions of the order of elements, made of sorts."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np

from onebuf.array_api.arguments import buffer_of
from onebuf.array_api.elementwise import floor, isnan, minimum
from onebuf.array_api.indexing import take, take_along_axis
from onebuf.array_api.manipulation import concat, moveaxis
from onebuf.array_api.searching import argmax, argmin, where
from onebuf.array_api.sorting import argsort, searchsorted, sort
from onebuf.buffer import Buffer
from onebuf.dtypes import complex64, float64, int64, promote
from onebuf.layout import normalize_axes
from onebuf.numpy_api.by_operations.table import stands_for, without_form


@stands_for(np.median)
def median(a: Any, axis: Any = None, *, keepdims: bool = False) -> Buffer:
    """The element in the middle, or the mean of the two that are there."""
    return _quantile("median", a, 0.5, axis, "linear", keepdims, False)


@stands_for(np.nanmedian)
def nanmedian(a: Any, axis: Any = None, *, keepdims: bool = False) -> Buffer:
    """`median` of the elements that are numbers."""
    return _quantile("nanmedian", a, 0.5, axis, "linear", keepdims, True)


@stands_for(np.quantile)
def quantile(
    a: Any, q: Any, axis: Any = None, *, method: str = "linear", keepdims: bool = False
) -> Buffer:
    """Where a share ``q`` of the elements is smaller."""
    return _quantile("quantile", a, q, axis, method, keepdims, False)


@stands_for(np.nanquantile)
def nanquantile(
    a: Any, q: Any, axis: Any = None, *, method: str = "linear", keepdims: bool = False
) -> Buffer:
    """`quantile` of the elements that are numbers."""
    return _quantile("nanquantile", a, q, axis, method, keepdims, True)


@stands_for(np.percentile)
def percentile(
    a: Any, q: Any, axis: Any = None, *, method: str = "linear", keepdims: bool = False
) -> Buffer:
    """`quantile` with shares in percent."""
    return _quantile("percentile", a, np.asarray(q) / 100, axis, method, keepdims, False)


@stands_for(np.nanpercentile)
def nanpercentile(
    a: Any, q: Any, axis: Any = None, *, method: str = "linear", keepdims: bool = False
) -> Buffer:
    """`percentile` of the elements that are numbers."""
    return _quantile("nanpercentile", a, np.asarray(q) / 100, axis, method, keepdims, True)


def _quantile(
    name: str, a: Any, q: Any, axis: Any, method: str, keepdims: bool, skips_nan: bool
) -> Buffer:
    if method != "linear":
        raise without_form(name, f"method={method!r}")
    x = buffer_of(name, a)
    shares = np.asarray(q, np.float64)
    axes = normalize_axes(axis, x.ndim, name)
    kept = [n for n in range(x.ndim) if n not in axes]
    rows = x.permute([*kept, *axes]).reshape(*[x.shape[n] for n in kept], -1)
    ordered = sort(rows, axis=-1)
    count: Any = rows.shape[-1]
    if skips_nan:
        count = (~isnan(rows)).sum(-1, keepdims=True).astype(float64)
    places = buffer_of(name, shares.reshape(-1)) * (count - 1)
    places = places.expand((*rows.shape[:-1], shares.size))
    low = floor(where(places < 0, 0.0, places))
    high = minimum(low + 1, where(count < 1, 1, count) - 1.0 if skips_nan else count - 1.0)
    one, two = (take_along_axis(ordered, part.astype(int64), axis=-1) for part in (low, high))
    share = (places - low).astype(x.dtype, copy=False)
    found = one + (two - one) * share
    if not skips_nan:  # NaN comes last
        found = where(isnan(ordered[..., -1:]), nan, found)
    extents = [1 if n in axes else x.shape[n] for n in range(x.ndim) if keepdims or n in kept]
    return moveaxis(found, -1, 0).reshape(*shares.shape, *extents)


@stands_for(np.partition)
def partition(a: Any, kth: Any, axis: int | None = -1, kind: str = "introselect") -> Buffer:
    """The elements in order, and so those at ``kth`` too."""
    return sort(a, axis=axis)


@stands_for(np.argpartition)
def argpartition(a: Any, kth: Any, axis: int | None = -1, kind: str = "introselect") -> Buffer:
    """The order of the elements."""
    return argsort(a, axis=axis)


@stands_for(np.sort_complex)
def sort_complex(a: Any) -> Buffer:
    """The elements in order, as complex numbers."""
    x = buffer_of("sort_complex", a)
    return sort(x.astype(promote(x.dtype, complex64)))


@stands_for(np.nanargmax)
def nanargmax(a: Any, axis: int | None = None) -> Buffer:
    """The position of the largest number."""
    return argmax(where(isnan(a), -inf, a), axis)


@stands_for(np.nanargmin)
def nanargmin(a: Any, axis: int | None = None) -> Buffer:
    """The position of the smallest number."""
    return argmin(where(isnan(a), inf, a), axis)


@stands_for(np.digitize)
def digitize(x: Any, bins: Any, right: bool = False) -> Buffer:
    """Between which of the ``bins``, which are in order, each element is."""
    edges, places = buffer_of("digitize", bins), buffer_of("digitize", x)
    side = "left" if right else "right"
    if edges.size > 1 and bool(edges[0] > edges[-1]):
        return edges.size - searchsorted(edges.flip(0), places, side=side)
    return searchsorted(edges, places, side=side)


@stands_for(np.interp)
def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: float | None = None
) -> Buffer:
    """The value at ``x`` of straight lines between the points (``xp``, ``fp``)."""
    places, points, values = (buffer_of("interp", one) for one in (x, xp, fp))
    if period is not None:
        places, points = places % abs(period), points % abs(period)
        order = argsort(points)
        points, values = take(points, order, axis=0), take(values, order, axis=0)
        last, first = slice(-1, None), slice(0, 1)
        points = concat([points[last] - period, points, points[first] + period])
        values = concat([values[last], values, values[first]])
    if points.size == 1:
        return _beyond(places, points, values, left, right, values[0:1].reshape(()) + 0 * places)
    at = searchsorted(points, places, side="right") - 1
    at = where(at < 0, 0, where(at > points.size - 2, points.size - 2, at))
    low, high = (take(points, part, axis=0) for part in (at, at + 1))
    one, two = (take(values, part, axis=0) for part in (at, at + 1))
    found = one + (two - one) / (high - low) * (places - low)
    return _beyond(places, points, values, left, right, found)


def _beyond(
    x: Buffer, points: Buffer, values: Buffer, left: Any, right: Any, found: Buffer
) -> Buffer:
    """``found``, but ``left`` and ``right`` of all points what is wanted there."""
    low = values[0:1].reshape(()) if left is None else left
    high = values[-1:].reshape(()) if right is None else right
    found = where(x < points[0:1].reshape(()), low, found)
    return where(x > points[-1:].reshape(()), high, found)  # type: ignore[no-any-return]
