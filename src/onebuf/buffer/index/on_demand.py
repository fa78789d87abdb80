"""Indexing what is made on demand: no more is read than the box around the elements picked.

Points that are far apart are read one by one, where the box around them would be much larger.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from onebuf.dtypes import Array
from onebuf.engine import read
from onebuf.errors import IndexRangeError
from onebuf.graph import Node
from onebuf.ops import index

_FAR = 64
"""Points are read one by one if the box around them has so many times as many elements."""


def pick(node: Node, key: Any) -> Array:
    """The elements that ``key`` selects, which has arrays of integers or bools in it."""
    parts = _plain(key, node)
    axes = [axis for axis, part in enumerate(parts) if part is not None]
    if len(axes) > len(node.shape):
        raise IndexRangeError(
            f"too many indices for array: {len(axes)} indices for a buffer of shape {node.shape}"
        )
    parts += (slice(None),) * (len(node.shape) - len(axes))
    box: list[slice] = []
    local: list[Any] = []
    axis = 0
    for part in parts:
        if part is None:
            local.append(None)
            continue
        low, high, there = _narrowed(part, node.shape[axis], axis)
        box.append(slice(low, high))
        local.append(there)
        axis += 1
    if all(isinstance(part, np.ndarray) for part in parts):
        points = np.broadcast_arrays(*[part % n for part, n in zip(parts, node.shape, strict=True)])
        span = prod([one.stop - one.start for one in box])
        if points[0].size * _FAR < span:
            return _points(node, points)
    found: Array = read(index(node, tuple(box)))[tuple(local)]
    return found


def _plain(key: Any, node: Node) -> tuple[Any, ...]:
    """The parts of ``key``, one for each axis or None, without an ellipsis and without bools."""
    parts: list[Any] = []
    for part in key if isinstance(key, tuple) else (key,):
        if isinstance(part, np.ndarray) and part.dtype == np.bool:
            done = sum([one is not None and one is not ... for one in parts])
            if ... not in [one if one is ... else None for one in parts]:
                extents = node.shape[done : done + part.ndim]
                if part.shape != extents:
                    raise IndexRangeError(
                        f"boolean index did not match: a mask needs the extents {extents} of the "
                        f"axes that it picks from, got shape {part.shape}"
                    )
            parts += part.nonzero()
        else:
            parts.append(part)
    places = [place for place, part in enumerate(parts) if part is ...]
    if len(places) > 1:
        raise IndexRangeError("an index can only have a single ellipsis ('...')")
    if places:
        count = sum([part is not None for part in parts]) - 1
        missing = max(0, len(node.shape) - count)
        parts[places[0] : places[0] + 1] = [slice(None)] * missing
    return tuple(parts)


def _narrowed(part: Any, extent: int, axis: int) -> tuple[int, int, Any]:
    """The range of an axis that ``part`` needs, and ``part`` counted from where it begins."""
    if isinstance(part, slice):
        along = range(*part.indices(extent))
        if not along:
            return 0, 0, slice(None)
        return min(along[0], along[-1]), max(along[0], along[-1]) + 1, slice(None, None, along.step)
    places = np.asarray(part)
    if not places.size:
        return 0, 0, places.astype(np.int64)
    low, high = int(places.min()), int(places.max())
    if low < -extent or high >= extent:
        raise IndexRangeError(
            f"index {low if low < -extent else high} is out of bounds for axis {axis} with size "
            f"{extent}"
        )
    places = places % extent
    low = int(places.min())
    there = places - low
    return low, int(places.max()) + 1, there if isinstance(part, np.ndarray) else int(there)


def _points(node: Node, points: tuple[Array, ...]) -> Array:
    """Elements one by one."""
    found = np.empty(points[0].shape, node.dtype)
    flat = found.reshape(-1)
    for number, place in enumerate(zip(*[one.reshape(-1).tolist() for one in points], strict=True)):
        flat[number] = read(index(node, place))[()]
    return found
