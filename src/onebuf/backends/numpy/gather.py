"""Gathers on NumPy's loops, by index or through a layout; the error of an index out of range."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from onebuf.dtypes import Array
from onebuf.errors import IndexRangeError
from onebuf.graph import TAKE, TAKE_ALONG, Op
from onebuf.late import Late
from onebuf.layout import IndexMap

if TYPE_CHECKING:
    from onebuf.layout import expression, on_arrays
else:
    expression = Late("onebuf.layout.expression")
    on_arrays = Late("onebuf.layout.on_arrays")


class Places(NamedTuple):
    """What an index map says of every element of a shape, as arrays; None: of none."""

    position: Array
    there: Array | None
    negated: Array | None
    conjugated: Array | None
    elsewhere: complex


def locate(layout: IndexMap, axes: Sequence[Any], *tables: Array) -> Places:
    """The places of the elements at ``axes``, an array of indices for each axis."""
    place = layout.place(expression.indices(len(layout.shape)))
    parts = (place.position, place.condition, place.negated, place.conjugated)
    position, there, negated, conjugated = on_arrays.evaluated(parts, axes, tables)
    return Places(position, there, negated, conjugated, place.elsewhere)


def gather(layout: IndexMap, base: Array, *tables: Array) -> Array:
    """The elements of ``base`` that ``layout`` sees, with its index tables."""
    places = locate(layout, np.indices(layout.shape, sparse=True), *tables)
    there = True if places.there is None else places.there
    found = np.full(layout.shape, places.elsewhere, base.dtype)
    found[there] = base.reshape(-1)[places.position[there]]
    if places.conjugated is not None and found.dtype.kind == "c":
        np.conjugate(found, out=found, where=places.conjugated & there)
    if places.negated is not None:
        np.negative(found, out=found, where=places.negated & there)
    return found


def take_into(operands: tuple[Any, ...], axis: int, out: Array) -> None:
    """Slices along ``axis``."""
    x, indices = operands
    try:
        # Into ``out`` NumPy takes by way of a copy, so that an error leaves it as it was.
        out[...] = x.take(indices, axis)
    except IndexError:
        raise _error(TAKE, axis, x.shape[axis], indices) from None


def take_along_into(operands: tuple[Any, ...], axis: int, out: Array) -> None:
    """One element along ``axis`` for each index."""
    x, indices = operands
    try:
        np.copyto(out, np.take_along_axis(x, indices, axis))
    except IndexError:
        raise _error(TAKE_ALONG, axis, x.shape[axis], indices) from None


def outside(op: Op, axis: int, extent: int, indices: Array) -> IndexRangeError | None:
    """The error of indices out of the range of an axis of ``extent``; None if all are in it."""
    if not indices.size or (np.min(indices) >= -extent and np.max(indices) < extent):
        return None
    return _error(op, axis, extent, indices)


def _error(op: Op, axis: int, extent: int, indices: Array) -> IndexRangeError:
    low, high = int(np.min(indices)), int(np.max(indices))
    what = "take" if op is TAKE else f"{op.name} cannot handle these values: it"
    return IndexRangeError(
        f"{what} along axis {axis} needs indices in {-extent}..{extent - 1}, got "
        f"{high if high >= extent else low}"
    )
