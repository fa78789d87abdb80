"""Orders: NumPy's sorts, as nodes of the graph. Equal elements keep their order."""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.dtypes import int64, kind
from onebuf.errors import DTypeError
from onebuf.graph import Node
from onebuf.layout import normalize_axis
from onebuf.ops.library import library

Array = np.ndarray[Any, Any]


def argsort(x: Node, axis: int = -1, descending: bool = False) -> Node:
    """The order that sorts ``x`` along ``axis``."""
    axis = _checked("argsort", x, axis)
    return library(_order, (x,), (axis, descending), x.shape, int64, "argsort")


def sort(x: Node, axis: int = -1, descending: bool = False) -> Node:
    """``x`` sorted along ``axis``."""
    axis = _checked("sort", x, axis)
    return library(_sorted, (x,), (axis, descending), x.shape, x.dtype, "sort")


def _checked(name: str, x: Node, axis: int) -> int:
    if kind(x.dtype) == "c":
        raise DTypeError(f"{name} needs numbers that can be ordered, got {x.dtype.name}")
    return normalize_axis(axis, len(x.shape), name)


def _sorted(x: Array, axis: int, descending: bool) -> Array:
    found = np.sort(x, axis=axis, kind="stable")
    return np.flip(found, axis) if descending else found


def _order(x: Array, axis: int, descending: bool) -> Array:
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    backwards = np.flip(np.argsort(np.flip(x, axis), axis=axis, kind="stable"), axis)
    return np.asarray(x.shape[axis] - 1 - backwards)
