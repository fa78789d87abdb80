"""Sorting functions, sets, and searches in sorted elements: NumPy's, as nodes of the graph.

What has a shape that depends on the data (nonzero, unique) is computed at once. The standard leaves
the order of distinct elements open; here it is always the sorted one, which clients count on and
which NumPy's `unique_values` stopped giving.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from onebuf import dtypes, ops
from onebuf.array_api.arguments import buffer_of, flag, public
from onebuf.array_api.creation import asarray
from onebuf.buffer import Buffer
from onebuf.buffer.operators import node_of, operand
from onebuf.engine import look, masks
from onebuf.errors import ArgumentError, ArgumentTypeError
from onebuf.graph import Node

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


@public
def argsort(
    x: Buffer, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> Buffer:
    """The order that sorts ``x`` along ``axis``; equal elements keep theirs.

    >>> argsort(Buffer([3, 1, 2])).to_python()
    [1, 2, 0]
    """
    descending = flag("argsort", "descending", descending)
    flag("argsort", "stable", stable)  # the order is stable whether it has to be or not
    return Buffer._value(ops.argsort(node_of("argsort", x), axis, descending))


@public
def sort(x: Buffer, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Buffer:
    """``x`` sorted along ``axis``."""
    descending = flag("sort", "descending", descending)
    flag("sort", "stable", stable)
    return Buffer._value(ops.sort(node_of("sort", x), axis, descending))


@public
def searchsorted(
    x1: Buffer, x2: Any, /, *, side: str = "left", sorter: Buffer | None = None
) -> Buffer:
    """Where in the sorted ``x1`` each element of ``x2`` would go.

    >>> searchsorted(Buffer([1, 3, 5]), Buffer([0, 3, 9])).to_python()
    [0, 1, 3]
    """
    if side not in ("left", "right"):
        raise ArgumentError(f"searchsorted needs side 'left' or 'right', got {side!r}")
    name = "searchsorted"
    one = node_of(name, x1)
    if len(one.shape) != 1:
        raise ArgumentError(f"searchsorted needs 1-d sorted elements, got shape {one.shape}")
    sought = operand(x2)
    if sought is None:
        raise ArgumentTypeError(
            f"searchsorted needs a buffer or a number as x2, got {type(x2).__name__}; "
            f"convert with onebuf.asarray(...)"
        )
    beyond = _beyond(sought, one.dtype)
    if beyond:
        return Buffer._value(ops.full((), one.shape[0] if beyond > 0 else 0, dtypes.int64))
    two = ops.as_operand(sought, one.dtype)
    nodes = (one, two) if sorter is None else (one, two, _sorter(sorter, one))
    return Buffer._value(ops.library(_search, nodes, (side,), two.shape, dtypes.int64, name))


@public
def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Buffer:
    """Whether each element of ``x1`` is one of ``x2``, which may be a list as well.

    >>> isin(Buffer([1, 2, 3]), Buffer([2, 9])).to_python()
    [False, True, False]
    """
    one, two = operand(x1), operand(asarray(x2) if isinstance(x2, list | tuple) else x2)
    invert = flag("isin", "invert", invert)
    known = [node.dtype for node in (one, two) if isinstance(node, Node)]
    if one is None or two is None or not known:
        raise ArgumentTypeError(
            f"isin needs a buffer and a buffer or number, got {type(x1).__name__} and "
            f"{type(x2).__name__}"
        )
    if _beyond(one, known[0]) or _beyond(two, known[0]):
        shape = one.shape if isinstance(one, Node) else ()
        return Buffer._value(ops.full(shape, invert, dtypes.bool))
    nodes = (ops.as_operand(one, known[0]), ops.as_operand(two, known[0]))
    return Buffer._value(ops.library(_is_in, nodes, (invert,), nodes[0].shape, dtypes.bool, "isin"))


@public
def nonzero(x: Buffer, /) -> tuple[Buffer, ...]:
    """The indices of the elements that are not zero, one buffer an axis."""
    x = buffer_of("nonzero", x)
    if not x.shape:
        raise ArgumentError("nonzero needs at least one dimension, got a 0-d buffer")
    array = look(node_of("nonzero", x), "nonzero")
    found = masks.positions(array)
    if found is not None:
        return tuple([Buffer._value(node).to_device(x.device) for node in found])
    return tuple([Buffer(part, copy=True, device=x.device) for part in np.nonzero(array)])


@public
def unique_all(x: Buffer, /) -> UniqueAll:
    """The distinct elements, where each is first, where each element is among them, how often."""
    return UniqueAll(
        *_distinct("unique_all", x, return_index=True, return_inverse=True, return_counts=True)
    )


@public
def unique_counts(x: Buffer, /) -> UniqueCounts:
    """The distinct elements and how often each occurs."""
    return UniqueCounts(*_distinct("unique_counts", x, return_counts=True))


@public
def unique_inverse(x: Buffer, /) -> UniqueInverse:
    """The distinct elements, and where each element is among them."""
    return UniqueInverse(*_distinct("unique_inverse", x, return_inverse=True))


@public
def unique_values(x: Buffer, /) -> Buffer:
    """The distinct elements, in order; every NaN is distinct.

    >>> unique_values(Buffer([2, 1, 2, 0])).to_python()
    [0, 1, 2]
    """
    return _distinct("unique_values", x)[0]


def _sorter(sorter: Any, x: Node) -> Node:
    node = buffer_of("searchsorted", sorter, "sorter")._node
    if dtypes.kind(node.dtype) not in "iu" or node.shape != x.shape:
        raise ArgumentError(
            f"searchsorted needs a sorter of whole numbers in the shape of x1, {x.shape}; got "
            f"{node.dtype.name} of shape {node.shape}"
        )
    return ops.cast(node, dtypes.int64)


def _beyond(x: Any, dtype: np.dtype[Any]) -> int:
    """Which side of all numbers of ``dtype`` a Python integer is on: -1, 1, or 0 for among them.

    Such a number is equal to no element, and has a place before or after all of them.
    """
    if not isinstance(x, int) or dtypes.kind(dtype) not in "iu":
        return 0
    info = np.iinfo(dtype)
    return (x > info.max) - (x < info.min)


def _search(x1: Array, x2: Array, *rest: Any) -> Any:
    *sorter, side = rest
    return np.searchsorted(ops.sortable(x1), ops.sortable(x2), side, *sorter)


def _is_in(x1: Array, x2: Array, invert: bool) -> Array:
    return np.isin(ops.sortable(x1), ops.sortable(x2), invert=invert)


def _distinct(name: str, x: Any, **wanted: bool) -> list[Buffer]:
    """The distinct elements in order, and what else NumPy's `unique` is ``wanted`` to tell."""
    node = node_of(name, x)
    found = np.unique(ops.sortable(look(node, "unique")), equal_nan=False, **wanted)  # type: ignore[call-overload]
    values, *others = found if wanted else (found,)
    values = values.astype(node.dtype, copy=False)
    return [Buffer(part, copy=True, device=node.device) for part in (values, *others)]
