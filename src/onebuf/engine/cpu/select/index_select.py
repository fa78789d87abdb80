"""Selection by several arrays of indices, ``x[i, :, j]``, as one kernel.

The loops go over the result: slices before the arrays, the arrays broadcast together, slices after
them, in NumPy's order. Every element is read at the sum of what the indices say. The kernel
compares all indices with their extents; if one is outside, there is no result, and nothing else has
changed.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.array_utils import byte_bounds

from onebuf.dtypes import (
    DT,
    Array,
    complex128,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from onebuf.engine.cpu.launch import Single, arrange
from onebuf.engine.cpu.program import scalar_words
from onebuf.graph import BINARY, CAST, TAKE, Leaf, Node
from onebuf.kernel import LOAD, SCALAR, STORE, Nest, Slot, Step, stride_class
from onebuf.memory import address_of
from onebuf.ops import new_array
from onebuf.options import options

_MOVED: dict[int, DT] = {1: uint8, 2: uint16, 4: uint32, 8: uint64, 16: complex128}
"""Elements are moved as these, by their size in bytes."""
_INDICES = frozenset({int8, int16, int32, int64, uint8, uint16, uint32})
"""Indices that int64 holds exactly."""
_FLAG = 0
"""The number of the scalar that is set if an index is outside."""


class Selection(NamedTuple):
    """What a key selects, in loops over the result."""

    source: Array
    """A view of what is indexed, without the slices of the key."""
    indices: list[Array]
    axes: list[int]
    """The axis of ``source`` that each array of indices is for."""
    shape: tuple[int, ...]
    strides: list[tuple[int, ...]]
    """Of the source, of each array of indices, of the result; in elements, 0 if it stays."""


def selection(array: Array, key: tuple[Any, ...]) -> Selection | None:
    """What ``key`` selects; None if it is not one of arrays of integers, integers and slices, or if
    the arrays cannot be broadcast together.

    >>> x = np.zeros((4, 5, 6))
    >>> found = selection(x, (np.array([0, 1]), slice(1, None), np.array([[2], [3], [4]])))
    >>> found.shape, found.axes
    ((3, 2, 4), [0, 2])
    """
    parts = _expanded(array.ndim, key)
    if parts is None:
        return None
    places = [n for n, part in enumerate(parts) if isinstance(part, int | np.ndarray)]
    indices = [np.asarray(parts[n]) for n in places]
    if not all(index.dtype in _INDICES and _is_plain(index) for index in indices):
        return None
    source = array[tuple([slice(None) if n in places else part for n, part in enumerate(parts)])]
    try:
        around = np.broadcast_shapes(*[index.shape for index in indices])
    except ValueError:
        return None
    is_together = places[-1] - places[0] == len(places) - 1
    before = list(range(places[0])) if is_together else []
    after = [axis for axis in range(source.ndim) if axis not in (*before, *places)]
    rest = [source.strides[axis] // source.itemsize for axis in range(source.ndim)]
    still = (0,) * len(around)
    head, tail = tuple([rest[n] for n in before]), tuple([rest[n] for n in after])
    sizes = tuple([source.shape[n] for n in before]), tuple([source.shape[n] for n in after])
    shape = (*sizes[0], *around, *sizes[1])
    strides = [(*head, *still, *tail)]
    for index in indices:
        spread = np.broadcast_to(index, around).strides
        moves = [stride // index.itemsize for stride in spread]
        strides.append((*[0 for _ in head], *moves, *[0 for _ in tail]))
    strides.append(tuple([prod(shape[axis + 1 :]) for axis in range(len(shape))]))
    return Selection(source, indices, places, shape, strides)


def _expanded(ndim: int, key: tuple[Any, ...]) -> list[Any] | None:
    """The parts of a key, slices in place of an ellipsis and of what is not mentioned."""
    used = len([part for part in key if part is not None and part is not ...])
    dots = [place for place, part in enumerate(key) if part is ...]
    if used > ndim or len(dots) > 1:
        return None
    place = dots[0] if dots else len(key)
    missing = [slice(None)] * (ndim - used)
    return [*key[:place], *missing, *key[place + 1 :]]


def _is_plain(array: Array) -> bool:
    """Whether kernels can read an array: its elements are where their type may be."""
    return (
        array.flags.aligned
        and array.dtype.isnative
        and all(stride % array.itemsize == 0 for stride in array.strides)
    )


def pick(array: Array, key: tuple[Any, ...]) -> Node | None:
    """The elements of ``array`` that ``key`` selects; None if that is left to NumPy.

    That is so for keys that have no kernel, and for those that are errors.
    """
    found = selection(array, key) if _is_plain(array) else None
    if found is None or not prod(found.shape):
        return None
    made, block = new_array(found.shape, array.dtype)
    arrays = [found.source.view(_MOVED[array.itemsize]), *found.indices, made]
    extents, strides = _merged(found.shape, found.strides)
    dtypes = (arrays[0].dtype, *[index.dtype for index in found.indices])
    launch = _launch(dtypes, extents, tuple(strides))
    numbers = [np.int64(0)]
    for axis in found.axes:
        source = found.source
        numbers += map(np.int64, (source.shape[axis], source.strides[axis] // source.itemsize))
    addresses, scalars = [address_of(one) for one in arrays], scalar_words(numbers)
    if options().check_bounds:
        is_outside = launch.check(addresses, scalars, [byte_bounds(one) for one in arrays])
    else:
        is_outside = launch.run(addresses, scalars)
    return None if is_outside else Leaf(made, block)


def _merged(
    shape: tuple[int, ...], strides: list[tuple[int, ...]]
) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    """The loops over a result, as few as possible.

    >>> _merged((2, 3, 1, 4), [(12, 4, 9, 1), (0, 0, 9, 0)])
    ((24,), [(1,), (0,)])
    """
    extents: list[int] = []
    moves: list[list[int]] = [[] for _ in strides]
    for axis, extent in enumerate(shape):
        if extent == 1:
            continue
        steps = [stride[axis] for stride in strides]
        pairs = zip(moves, steps, strict=True)
        if extents and all(move[-1] == step * extent for move, step in pairs):
            extents[-1] *= extent
            for move, step in zip(moves, steps, strict=True):
                move[-1] = step
        else:
            extents.append(extent)
            for move, step in zip(moves, steps, strict=True):
                move.append(step)
    if not extents:
        return (1,), [(0,) for _ in strides]
    return tuple(extents), [tuple(move) for move in moves]


@lru_cache(256)
def _launch(
    dtypes: tuple[DT, ...], extents: tuple[int, ...], strides: tuple[tuple[int, ...], ...]
) -> Single:
    """The kernel that reads a source of the first dtype by indices of the others."""
    source, *indices = dtypes
    slots = [
        Slot(dtype, tuple(map(stride_class, stride, extents)))
        for dtype, stride in zip((source, *indices, source), strides, strict=True)
    ]
    steps: list[Step] = []

    def add(*step: Any) -> int:
        steps.append(Step(*step))
        return len(steps) - 1

    distance = None
    for number, dtype in enumerate(indices):
        index = add(LOAD, (), dtype, 1 + number)
        if dtype != int64:
            index = add(CAST, (index,), int64)
        sizes = [add(SCALAR, (), int64, 2 * number + n) for n in (1, 2)]
        here = add(TAKE, (index, *sizes), int64, _FLAG)
        distance = here if distance is None else add(BINARY["add"], (distance, here), int64)
    value = add(LOAD, (distance,), source, 0)
    add(STORE, (value,), source, len(dtypes))
    scalars = (int64,) * (1 + 2 * len(indices))
    nest = Nest(len(extents), tuple(slots), tuple(steps), scalars)
    return Single("pick", arrange(nest, extents, list(strides), [0] * len(strides)))
