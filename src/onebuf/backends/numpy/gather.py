"""Gathers on NumPy's loops, by index or through a layout; the error of an index out of range."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from onebuf.dtypes import Array
from onebuf.errors import IndexRangeError
from onebuf.graph import TAKE, TAKE_ALONG, Op
from onebuf.late import Late
from onebuf.layout import Layout

if TYPE_CHECKING:
    from onebuf.layout import expression
    from onebuf.layout.expression import Expression, Strided
else:
    expression = Late("onebuf.layout.expression")


def gather(layout: Layout, base: Array, *tables: Array) -> Array:
    """The elements of ``base`` that ``layout`` sees, with its index tables."""
    axes = np.indices(layout.shape, sparse=True)
    flat = [array.reshape(-1) for array in (base, *tables)]

    def strided(part: Strided) -> Any:
        return sum(
            [axis * step for axis, step in zip(axes, part.stride, strict=False)], part.offset
        )

    def apply(op: str, args: tuple[Any, ...]) -> Any:
        return np.where(*args) if op == "where" else getattr(np, op)(*args)

    def value(part: Expression) -> Any:
        whole = expression.evaluate(part, strided, apply, lambda number, at: flat[1 + number][at])
        return np.broadcast_to(whole, layout.shape)

    place = layout.place(expression.indices(len(layout.shape)))
    there = True if place.condition is None else value(place.condition)
    found = np.full(layout.shape, place.elsewhere, base.dtype)
    found[there] = flat[0][value(place.position)[there]]
    for where, change in ((place.conjugated, np.conjugate), (place.negated, np.negative)):
        if where is not None:
            change(found, out=found, where=value(where) & there)
    return found


def take_into(operands: tuple[Any, ...], axis: int, out: Array) -> None:
    """Slices along ``axis``."""
    x, indices = operands
    try:
        np.take(x, indices, axis, out)
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
