"""Random movement operations, each with NumPy's answer.

A move is drawn for an array; it names a method of View, its arguments, and what NumPy makes of it.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.lib.stride_tricks import sliding_window_view

from onebuf.layout import View, positions

LARGEST = 300

shapes = st.lists(st.integers(0, 4), max_size=4).map(tuple)
full_shapes = st.lists(st.integers(1, 4), max_size=4).map(tuple)


class Move(NamedTuple):
    name: str
    args: tuple[Any, ...]
    after: np.ndarray


def read(view: View, base: np.ndarray) -> list[int]:
    """Values of a view on a flat array, 0 for padding."""
    return [0 if position is None else int(base[position]) for position in positions(view)]


def select(array, key):
    """``array[key]`` as a view, also where NumPy would return a scalar."""
    return array[key] if Ellipsis in key else array[(*key, ...)]


def permute(draw, array):
    axes = draw(st.permutations(range(array.ndim)))
    signed = [draw(st.sampled_from([axis, axis - array.ndim])) for axis in axes]
    return Move("permute", (signed,), array.transpose(axes))


def reshape(draw, array):
    shape = draw(factorings(array.size))
    if shape and prod(shape) and draw(st.booleans()):
        shape[draw(st.integers(0, len(shape) - 1))] = -1
    return Move("reshape", (shape,), array.reshape(shape))


@st.composite
def factorings(draw, count):
    """Shapes with a number of elements."""
    if count == 0:
        shape = draw(st.lists(st.integers(0, 4), max_size=3))
        shape.insert(draw(st.integers(0, len(shape))), 0)
        return shape
    shape = []
    while count > 1 and len(shape) < 5:
        extent = draw(st.sampled_from([n for n in range(1, count + 1) if count % n == 0]))
        shape.append(extent)
        count //= extent
    ones = draw(st.integers(0, 2))
    return draw(st.permutations([*shape, count, *[1] * ones])) if count > 1 or ones else shape


def expand(draw, array):
    old = [draw(st.integers(0, 3)) if n == 1 else n for n in array.shape]
    shape = draw(st.lists(st.integers(0, 3), max_size=2)) + old
    after = np.broadcast_to(array, shape)
    added = len(shape) - array.ndim
    for axis, extent in enumerate(array.shape, added):
        if shape[axis] == extent and draw(st.booleans()):
            shape[axis] = -1
    return Move("expand", (shape,), after)


@st.composite
def slices(draw, extent):
    bound = st.none() | st.integers(-extent - 2, extent + 2)
    step = draw(st.none() | st.integers(-3, 3).filter(bool))
    return slice(draw(bound), draw(bound), step)


def index(draw, array):
    key = []
    for extent in array.shape[: draw(st.integers(0, array.ndim))]:
        if extent and draw(st.integers(0, 3)) == 0:
            key.append(draw(st.integers(-extent, extent - 1)))
        else:
            key.append(draw(slices(extent)))
    if draw(st.booleans()):
        place = draw(st.integers(0, len(key)))
        # What follows the ellipsis belongs to the last axes, so it must fit them.
        last = array.shape[array.ndim - (len(key) - place) :]
        key[place:] = [..., *[draw(slices(extent)) for extent in last]]
    for _ in range(draw(st.integers(0, 2))):
        key.insert(draw(st.integers(0, len(key))), None)
    whole = tuple(key)
    return Move("index", (whole,), select(array, whole))


def slice_axis(draw, array):
    if not array.ndim:
        return None
    axis = draw(st.integers(-array.ndim, array.ndim - 1))
    bounds = draw(slices(array.shape[axis]))
    return Move("slice", (axis, bounds), np.moveaxis(np.moveaxis(array, axis, 0)[bounds], 0, axis))


def flip(draw, array):
    axes = draw(st.none() | st.sets(st.integers(0, array.ndim - 1)) if array.ndim else st.none())
    chosen = None if axes is None else tuple(axes)
    return Move("flip", (chosen,), np.flip(array, chosen) if array.ndim else array)


def pad(draw, array):
    widths = [draw(st.tuples(st.integers(0, 2), st.integers(0, 2))) for _ in array.shape]
    return Move("pad", (widths,), np.pad(array, widths) if array.ndim else array.copy())


def shrink(draw, array):
    bounds = [tuple(sorted(draw(st.tuples(*[st.integers(0, n)] * 2)))) for n in array.shape]
    return Move("shrink", (bounds,), select(array, [slice(*pair) for pair in bounds]))


def squeeze(draw, array):
    ones = [axis for axis, extent in enumerate(array.shape) if extent == 1]
    chosen = tuple(axis for axis in ones if draw(st.booleans()))
    axes = draw(st.sampled_from([None, chosen]))
    return Move("squeeze", (axes,), np.squeeze(array, axes))


def expand_dims(draw, array):
    axis = draw(st.integers(-array.ndim - 1, array.ndim))
    return Move("expand_dims", (axis,), np.expand_dims(array, axis))


def windows(draw, array):
    axes = [axis for axis, extent in enumerate(array.shape) if extent]
    if not axes:
        return None
    axis = draw(st.sampled_from(axes))
    size = draw(st.integers(1, array.shape[axis]))
    step = draw(st.integers(1, 3))
    every = (slice(None),) * axis + (slice(None, None, step),)
    return Move("windows", (size, axis, step), sliding_window_view(array, size, axis)[every])


def diagonal(draw, array):
    if array.ndim < 2:
        return None
    one, two = draw(st.permutations(range(array.ndim)))[:2]
    offset = draw(st.integers(-3, 3))
    return Move("diagonal", (offset, one, two - array.ndim), array.diagonal(offset, one, two))


MOVES: list[Callable[..., Move | None]] = [
    permute, reshape, expand, index, slice_axis, flip, shrink, squeeze, expand_dims, windows,
    diagonal,
]  # fmt: skip


def draw_move(draw, array, kinds=MOVES) -> Move | None:
    """A move that fits the array and keeps it small."""
    move = draw(st.sampled_from(kinds))(draw, array)
    return None if move is None or move.after.size > LARGEST or move.after.ndim > 8 else move


@st.composite
def walked_views(draw, shape, kinds=MOVES, most=4) -> View:
    """Views that moves lead to from a contiguous view; moves that need a copy are left out."""
    view = View.contiguous(shape)
    for _ in range(draw(st.integers(0, most))):
        move = draw_move(draw, np.empty(view.shape), kinds)
        if move is not None:
            view = getattr(view, move.name)(*move.args) or view
    return view


@st.composite
def masked_views(draw) -> View:
    """Row-major views with any box of elements, so that only the box can be in the way."""
    shape = draw(st.lists(st.integers(1, 6), min_size=1, max_size=3).map(tuple))
    mask = tuple(tuple(sorted(draw(st.tuples(*[st.integers(0, n)] * 2)))) for n in shape)
    return View(shape, View.contiguous(shape).stride, mask=mask)
