"""Views as slices, for libraries whose arrays have no strides.

A view of a row-major array is nearly always a slice of each axis, a permutation of the axes and a
broadcast. Finding them costs a few integer operations, where a gather would cost a pass over
memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from onebuf.dtypes import Array
from onebuf.layout import View

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Slices:
    """``x.reshape(shape)[key].transpose(order).reshape(kept)``, then broadcast."""

    shape: Shape
    key: tuple[slice | int, ...]
    order: tuple[int, ...]
    kept: Shape
    """The view's shape, with 1 for broadcast axes."""


def slices(view: View, shape: Shape) -> Slices | None:
    """A view, which has elements, of an array of ``shape`` as slices; None if it is none.

    >>> slices(View((3, 2), (1, 6), 1), (2, 6))
    Slices(shape=(2, 6), key=(slice(0, 2, 1), slice(1, 4, 1)), order=(1, 0), kept=(3, 2))
    """
    moving = [
        axis
        for axis, (extent, step) in enumerate(zip(view.shape, view.stride, strict=True))
        if extent > 1 and step
    ]
    for base in (shape, _implied(view, moving, shape)):
        if base is not None:
            found = _within(view, moving, base)
            if found is not None:
                return found
    return None


def _within(view: View, moving: Sequence[int], shape: Shape) -> Slices | None:
    units = View.contiguous(shape).stride
    key: list[Any] = [
        view.offset // unit % extent for extent, unit in zip(shape, units, strict=True)
    ]
    taken: list[int] = []
    for axis in moving:
        step = view.stride[axis]
        place = _axis_of(abs(step), shape, units)
        if place is None or place in taken:
            return None
        start, count = key[place], step // units[place]
        last = start + (view.shape[axis] - 1) * count
        if not 0 <= last < shape[place]:
            return None
        end = last + (1 if count > 0 else -1)
        key[place] = slice(start, None if end < 0 else end, count)
        taken.append(place)
    order = [sorted(taken).index(place) for place in taken]
    kept = tuple([n if axis in moving else 1 for axis, n in enumerate(view.shape)])
    return Slices(shape, tuple(key), tuple(order), kept)


def _axis_of(step: int, shape: Shape, units: Shape) -> int | None:
    """The axis that a stride moves along: the outermost one whose stride divides it."""
    for place, (extent, unit) in enumerate(zip(shape, units, strict=True)):
        if extent > 1 and step % unit == 0:
            return place
    return None


def _implied(view: View, moving: Sequence[int], shape: Shape) -> Shape | None:
    """The shape of as many elements whose row-major strides are those of the view."""
    numel = View.contiguous(shape).numel
    found: list[int] = []
    for step in sorted({abs(view.stride[axis]) for axis in moving} | {1}, reverse=True):
        if numel % step:
            return None
        found.append(numel // step)
        numel = step
    return tuple(found)


def positions(view: View) -> Array:
    """The position of every element of a view."""
    found = np.full((), view.offset, np.int64)
    for axis, (extent, step) in enumerate(zip(view.shape, view.stride, strict=True)):
        along = np.arange(extent, dtype=np.int64) * step
        found = found + along.reshape((-1,) + (1,) * (len(view.shape) - axis - 1))
    return np.broadcast_to(found, view.shape)
