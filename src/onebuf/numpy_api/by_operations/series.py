"""Functions of elements in a row: convolutions, slopes, jumps taken out, and cross products."""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np

from onebuf import dtypes
from onebuf.array_api.arguments import buffer_of
from onebuf.array_api.elementwise import abs, remainder
from onebuf.array_api.manipulation import concat, moveaxis, stack
from onebuf.array_api.searching import where
from onebuf.array_api.ufunc.reduction import as_axes
from onebuf.array_api.utility import diff
from onebuf.buffer import Buffer
from onebuf.layout import normalize_axes, normalize_axis
from onebuf.numpy_api.by_operations.table import stands_for, without_form


@stands_for(np.convolve)
def convolve(a: Any, v: Any, mode: str = "full") -> Buffer:
    """The sums of products of ``a`` with ``v`` reversed, at every shift."""
    one, two = buffer_of("convolve", a).reshape(-1), buffer_of("convolve", v).reshape(-1)
    short = min(one.size, two.size)
    return _part(_convolved(one, two), one.size, two.size, mode, (short - 1) // 2)


@stands_for(np.correlate)
def correlate(a: Any, v: Any, mode: str = "valid") -> Buffer:
    """The sums of products of ``a`` with the conjugate of ``v``, at every shift."""
    one, two = buffer_of("correlate", a), buffer_of("correlate", v)
    back = (two.conj() if dtypes.kind(two.dtype) == "c" else two).flip(0)
    start = (two.size - 1) // 2 if two.size <= one.size else one.size // 2
    return _part(_convolved(one, back), one.size, two.size, mode, start)


def _convolved(one: Buffer, two: Buffer) -> Buffer:
    """At every shift at which they meet: windows on the longer one times the other one."""
    if one.size < two.size:
        one, two = two, one
    size = two.size
    windows = one.pad([(size - 1, size - 1)]).sliding_window(size, 0)
    return windows @ two.flip(0)


def _part(found: Buffer, one: int, two: int, mode: str, start: int) -> Buffer:
    long, short = max(one, two), min(one, two)
    if mode == "full":
        return found
    if mode == "same":
        return found[start : start + long]
    if mode == "valid":
        return found[short - 1 : long]
    raise without_form("convolve", f"mode={mode!r}")


@stands_for(np.unwrap)
def unwrap(p: Any, discont: Any = None, axis: int = -1, *, period: float = 2 * pi) -> Buffer:
    """Angles with whole turns added, so that neighbours differ by half a turn at most."""
    x = buffer_of("unwrap", p)
    axis = normalize_axis(axis, x.ndim, "unwrap")
    steps = diff(x, axis=axis)
    short = remainder(steps + period / 2, period) - period / 2
    short = where((short == -period / 2) & (steps > 0), period / 2, short)
    limit = period / 2 if discont is None else discont
    turns = where(abs(steps) < limit, 0.0, short - steps)
    added = buffer_of("unwrap", turns).cumsum(axis)
    widths = [(int(n == axis), 0) for n in range(x.ndim)]
    return x + added.pad(widths)


@stands_for(np.ediff1d)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Buffer:
    """Differences of the flat elements, with others before and after them."""
    parts = [to_begin, diff(buffer_of("ediff1d", ary).reshape(-1)), to_end]
    given = [buffer_of("ediff1d", part).reshape(-1) for part in parts if part is not None]
    return concat(given)


@stands_for(np.cross)
def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Buffer:
    """The cross product of vectors of 3 elements."""
    if axis is not None:
        axisa = axisb = axisc = axis
    one = moveaxis(buffer_of("cross", a), axisa, -1)
    two = moveaxis(buffer_of("cross", b), axisb, -1)
    if one.shape[-1] != 3 or two.shape[-1] != 3:
        raise without_form("cross", f"vectors of {one.shape[-1]} and {two.shape[-1]} elements")
    pairs = ((1, 2), (2, 0), (0, 1))
    parts = [_at(one, i) * _at(two, j) - _at(one, j) * _at(two, i) for i, j in pairs]
    return moveaxis(stack(parts, axis=-1), -1, axisc)


def _at(x: Buffer, place: int) -> Buffer:
    return x[..., place : place + 1].squeeze(-1)


@stands_for(np.gradient)
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """The slope of samples along each axis, at even distances or at places that are given."""
    x = buffer_of("gradient", f)
    if dtypes.kind(x.dtype) not in "fc":
        x = x.astype(dtypes.float64)
    axes = normalize_axes(as_axes(axis), x.ndim, "gradient")
    steps = list(varargs) or [1.0]
    if len(steps) == 1 and len(axes) > 1:
        steps *= len(axes)
    found = [_slope(x, one, step, edge_order) for one, step in zip(axes, steps, strict=True)]
    return found[0] if len(found) == 1 else tuple(found)


def _slope(x: Buffer, axis: int, spacing: Any, edge_order: int) -> Buffer:
    """NumPy's formulas for uneven distances, which are those for even ones where they are even."""
    extent = x.shape[axis]
    distance = buffer_of("gradient", spacing)
    steps = diff(distance) if distance.ndim else distance.expand((extent - 1,))
    steps = steps.reshape([-1 if n == axis else 1 for n in range(x.ndim)])

    def part(of: Buffer, first: int | None, end: int | None) -> Buffer:
        return of[(*(slice(None),) * axis, slice(first, end))]

    before, after = part(steps, None, -1), part(steps, 1, None)
    inner = (
        part(x, None, -2) * (-after / (before * (before + after)))
        + part(x, 1, -1) * ((after - before) / (before * after))
        + part(x, 2, None) * (before / (after * (before + after)))
    )
    slopes = diff(x, axis=axis) / steps
    first, last = part(slopes, None, 1), part(slopes, -1, None)
    if edge_order == 2:  # along a parabola through three points
        bends = diff(slopes, axis=axis) / (before + after)
        first = first - part(bends, None, 1) * part(steps, None, 1)
        last = last + part(bends, -1, None) * part(steps, -1, None)
    return concat([first, inner, last], axis=axis)
