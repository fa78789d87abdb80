"""Keys: everything that may stand in ``x[...]``, as a buffer takes it and as NumPy takes it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from array_api.properties.arrays import INTEGERS, of_array
from hypothesis import strategies as st
from layout.moves import slices

INDEX_TYPES = tuple(dtype for dtype in INTEGERS if dtype.itemsize == 8) + INTEGERS[:1]


class Key(NamedTuple):
    """One key twice, and whether it gives a view."""

    ours: Any
    theirs: Any
    basic: bool


@st.composite
def basic_keys(draw: st.DrawFn, shape: tuple[int, ...]) -> Key:
    """Whole numbers, slices of any step, an ellipsis and None."""
    key: list[Any] = []
    for extent in shape[: draw(st.integers(0, len(shape)))]:
        if extent and draw(st.integers(0, 2)) == 0:
            key.append(draw(st.integers(-extent, extent - 1)))
        else:
            key.append(draw(slices(extent)))
    if draw(st.integers(0, 3)) == 0:
        # what follows the ellipsis belongs to the last axes
        tail = draw(st.integers(0, len(shape) - len(key)))
        key.append(...)
        key += [draw(slices(extent)) for extent in shape[len(shape) - tail :]]
    for _ in range(draw(st.sampled_from([0, 0, 1, 2]))):
        key.insert(draw(st.integers(0, len(key))), None)
    if draw(st.integers(0, 19)) == 0:
        key.append(9)
    return _key(draw, [(part, part) for part in key], basic=True)


@st.composite
def picking_keys(draw: st.DrawFn, shape: tuple[int, ...]) -> Key:
    """At least one array of indices or mask, among whole numbers, slices, None and an ellipsis."""
    common = draw(st.lists(st.integers(0, 3), max_size=2).map(tuple))
    parts: list[tuple[Any, Any]] = []
    axis = 0
    forced = draw(st.integers(0, len(shape) - 1)) if shape else 0
    while axis < len(shape):
        kinds = ["indices", "mask", "slice", "int", "end"]
        kind = draw(st.sampled_from(kinds[: 2 if axis >= forced and not _picks(parts) else 5]))
        if kind == "end":
            break
        extent, step = shape[axis], 1
        if kind == "indices":
            parts.append(draw(_indices(extent, common)))
        elif kind == "mask":
            step = draw(st.integers(1, min(2, len(shape) - axis)))
            parts.append(draw(_mask(shape[axis : axis + step])))
        elif kind == "int" and extent:
            number = draw(st.integers(-extent, extent - 1))
            parts.append((number, number))
        else:
            part = draw(slices(extent))
            parts.append((part, part))
        axis += step
    if not shape:
        parts.append(draw(_mask(())))
    if draw(st.integers(0, 3)) == 0 and axis == len(shape):
        parts.append((..., ...))
    if draw(st.integers(0, 3)) == 0:
        parts.insert(draw(st.integers(0, len(parts))), (None, None))
    return _key(draw, parts, basic=False)


def _picks(parts: list[tuple[Any, Any]]) -> bool:
    return any(isinstance(part, np.ndarray) for _, part in parts)


def _key(draw: st.DrawFn, parts: list[tuple[Any, Any]], basic: bool) -> Key:
    if len(parts) == 1 and draw(st.booleans()):
        return Key(*parts[0], basic)
    return Key(tuple([part[0] for part in parts]), tuple([part[1] for part in parts]), basic)


@st.composite
def _indices(draw: st.DrawFn, extent: int, common: tuple[int, ...]) -> tuple[Any, Any]:
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    shape = tuple([n if draw(st.booleans()) else 1 for n in common]) if extent else (0,)
    dtype = draw(st.sampled_from(INDEX_TYPES))
    low = 0 if dtype.kind == "u" else -extent
    found = rng.integers(low, max(extent, 1), shape).astype(dtype)
    if draw(st.integers(0, 29)) == 0:
        found = found + dtype.type(extent)
    return draw(_spelled(found))


@st.composite
def _mask(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[Any, Any]:
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    if draw(st.integers(0, 29)) == 0 and shape:
        shape = (shape[0] + 1, *shape[1:])
    return draw(_spelled(rng.integers(0, 2, shape).astype(bool)))


@st.composite
def _spelled(draw: st.DrawFn, found: Any) -> tuple[Any, Any]:
    """An array as a buffer, as an array, or as a list."""
    found = np.asarray(found)
    kind = draw(st.sampled_from(["buffer", "buffer", "array", "list"]))
    if kind == "list" and found.ndim and found.size:
        return found.tolist(), found
    if kind == "array":
        return found, found
    operand = draw(of_array(found))
    return operand.buffer, operand.array
