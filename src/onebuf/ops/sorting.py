"""Orders: NumPy's sorts, as nodes of the graph. Equal elements keep their order."""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.dtypes import int64, is_added, kind
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


def sortable(x: Array) -> Array:
    """``x`` in a type that NumPy can sort: in those of ml_dtypes it has no place for NaN."""
    return x.astype(np.float32) if is_added(x.dtype) else x


def _sorted(x: Array, axis: int, descending: bool) -> Array:
    x = sortable(x)
    if not descending:
        return np.sort(x, axis=axis, kind="stable")
    return np.flip(np.sort(np.flip(x, axis), axis=axis, kind="stable"), axis)


def _order(x: Array, axis: int, descending: bool) -> Array:
    x = sortable(x)
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    backwards = np.flip(np.argsort(np.flip(x, axis), axis=axis, kind="stable"), axis)
    return np.asarray(x.shape[axis] - 1 - backwards)
