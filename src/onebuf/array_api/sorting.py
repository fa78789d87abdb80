"""Sorting functions, sets, and searches in sorted elements: NumPy's, as nodes of the graph.

What has a shape that depends on the data (nonzero, unique) is computed at once.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from onebuf import dtypes, ops
from onebuf.buffer import Buffer
from onebuf.buffer.operators import node_of, operand
from onebuf.engine import read
from onebuf.errors import ArgumentError, ArgumentTypeError, DTypeError, ScalarRangeError
from onebuf.graph import Node
from onebuf.layout import normalize_axis

Array = np.ndarray[Any, Any]


class UniqueAll(NamedTuple):
    """What `unique_all` finds."""

    values: Buffer
    indices: Buffer
    inverse_indices: Buffer
    counts: Buffer


class UniqueCounts(NamedTuple):
    """What `unique_counts` finds."""

    values: Buffer
    counts: Buffer


class UniqueInverse(NamedTuple):
    """What `unique_inverse` finds."""

    values: Buffer
    inverse_indices: Buffer


def argsort(
    x: Buffer, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> Buffer:
    """The order that sorts ``x`` along ``axis``; equal elements keep theirs.

    >>> argsort(Buffer([3, 1, 2])).to_python()
    [1, 2, 0]
    """
    node, axis = _ordered("argsort", x, axis)
    return Buffer._value(ops.library(_order, (node,), (axis, descending), node.shape, dtypes.int64))


def sort(x: Buffer, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Buffer:
    """``x`` sorted along ``axis``."""
    node, axis = _ordered("sort", x, axis)
    return Buffer._value(ops.library(_sorted, (node,), (axis, descending), node.shape, node.dtype))


def searchsorted(
    x1: Buffer, x2: Any, /, *, side: str = "left", sorter: Buffer | None = None
) -> Buffer:
    """Where in the sorted ``x1`` each element of ``x2`` would go.

    >>> searchsorted(Buffer([1, 3, 5]), Buffer([0, 3, 9])).to_python()
    [0, 1, 3]
    """
    if side not in ("left", "right"):
        raise ArgumentError(f"searchsorted needs side 'left' or 'right', got {side!r}")
    if sorter is not None:
        x1 = x1[sorter]
    one = node_of("searchsorted", x1)
    if len(one.shape) != 1:
        raise ArgumentError(f"searchsorted needs 1-d sorted elements, got shape {one.shape}")
    two = _compared(operand(x2), one.dtype)
    return Buffer._value(ops.library(_places, (one, two), (side,), two.shape, dtypes.int64))


def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Buffer:
    """Whether each element of ``x1`` is one of ``x2``.

    >>> isin(Buffer([1, 2, 3]), Buffer([2, 9])).to_python()
    [False, True, False]
    """
    one, two = operand(x1), operand(x2)
    known = [node.dtype for node in (one, two) if isinstance(node, Node)]
    if one is None or two is None or not known:
        raise ArgumentTypeError(
            f"isin needs a buffer and a buffer or number, got {type(x1).__name__} and "
            f"{type(x2).__name__}"
        )
    nodes = (_compared(one, known[0]), _compared(two, known[0]))
    return Buffer._value(ops.library(_is_in, nodes, (invert,), nodes[0].shape, dtypes.bool))


def nonzero(x: Buffer, /) -> tuple[Buffer, ...]:
    """The indices of the elements that are not zero, one buffer an axis."""
    if not x.shape:
        raise ArgumentError("nonzero needs at least one dimension, got a 0-d buffer")
    return tuple([Buffer(found, copy=True) for found in np.nonzero(read(node_of("nonzero", x)))])


def unique_all(x: Buffer, /) -> UniqueAll:
    """The distinct elements, where each is first, where each element is among them, how often."""
    return UniqueAll(*_distinct("unique_all", x))


def unique_counts(x: Buffer, /) -> UniqueCounts:
    """The distinct elements and how often each occurs."""
    return UniqueCounts(*_distinct("unique_counts", x))


def unique_inverse(x: Buffer, /) -> UniqueInverse:
    """The distinct elements, and where each element is among them."""
    return UniqueInverse(*_distinct("unique_inverse", x))


def unique_values(x: Buffer, /) -> Buffer:
    """The distinct elements."""
    return _distinct("unique_values", x)[0]


def _ordered(name: str, x: Any, axis: int) -> tuple[Node, int]:
    node = node_of(name, x)
    if dtypes.kind(node.dtype) == "c":
        raise DTypeError(f"{name} needs numbers that can be ordered, got {node.dtype.name}")
    return node, normalize_axis(axis, len(node.shape), name)


def _compared(x: Node | ops.Scalar | None, dtype: np.dtype[Any]) -> Node:
    """``x`` as a node to compare with elements of ``dtype``, also where that cannot hold it."""
    try:
        return ops.as_operand(x, dtype)
    except ScalarRangeError:
        return ops.as_operand(x, dtypes.int64)


def _in_order(x: Array) -> Array:
    """``x`` in a type that NumPy can sort: in those of ml_dtypes it has no place for NaN."""
    return x.astype(np.float32) if dtypes.is_added(x.dtype) else x


def _sorted(x: Array, axis: int, descending: bool) -> Array:
    x = _in_order(x)
    if not descending:
        return np.sort(x, axis=axis, kind="stable")
    return np.flip(np.sort(np.flip(x, axis), axis=axis, kind="stable"), axis)


def _order(x: Array, axis: int, descending: bool) -> Array:
    x = _in_order(x)
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    backwards = np.flip(np.argsort(np.flip(x, axis), axis=axis, kind="stable"), axis)
    return np.asarray(x.shape[axis] - 1 - backwards)


def _places(x1: Array, x2: Array, side: Literal["left", "right"]) -> Array:
    return np.asarray(np.searchsorted(_in_order(x1), _in_order(x2), side))


def _is_in(x1: Array, x2: Array, invert: bool) -> Array:
    return np.isin(_in_order(x1), _in_order(x2), invert=invert)


def _distinct(name: str, x: Any) -> list[Buffer]:
    """What one of NumPy's functions for distinct elements finds, the elements first."""
    node = node_of(name, x)
    found = getattr(np, name)(_in_order(read(node)))
    values, *others = found if isinstance(found, tuple) else (found,)
    return [Buffer(part, copy=True) for part in (values.astype(node.dtype), *others)]
