"""Gathers on NumPy's loops, and the error of an index out of range."""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.errors import IndexRangeError
from onebuf.graph import TAKE, TAKE_ALONG, Op

Array = np.ndarray[Any, Any]


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
