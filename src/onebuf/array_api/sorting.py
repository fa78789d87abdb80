"""Sorting functions, sets, and searches in sorted elements: NumPy's, as nodes of the graph.

What has a shape that depends on the data (nonzero, unique) is computed at once. The standard leaves
the order of distinct elements open; here it is always the sorted one, which clients count on and
which NumPy's `unique_values` stopped giving.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from onebuf import dtypes, ops
from onebuf.array_api.arguments import buffer_of, flag, node_of, operand_of, public
from onebuf.buffer import Buffer
from onebuf.buffer.native_core import delegate
from onebuf.buffer.numpy.order import check_sort
from onebuf.dtypes import Array
from onebuf.engine import look
from onebuf.engine.run.pick import masks
from onebuf.errors import ArgumentError
from onebuf.graph import Node
from onebuf.layout import normalize_axis
from onebuf.machine import Cluster
from onebuf.ops.numpy import short_calls
from onebuf.ops.numpy.counting import unique


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


@delegate(short_calls.argsort)
@public
def argsort(
    x: Any,
    /,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    descending: bool = False,
    stable: bool | None = True,
) -> Buffer:
    """The order that sorts ``x`` along ``axis``; equal elements keep theirs.

    ``kind`` is NumPy's choice of a method: all of them give this order.

    >>> argsort(Buffer([3, 1, 2])).to_python()
    [1, 2, 0]
    """
    node, axis = _sorting("argsort", x, axis, kind, order, stable)
    backwards = flag("argsort", "descending", descending)
    if dtypes.kind(node.dtype) == "c":
        found = ops.library(_order, (node,), (axis, backwards), node.shape, dtypes.int64, "argsort")
        return Buffer._value(found)
    return Buffer._value(ops.argsort(node, axis, backwards))


@delegate(short_calls.sort)
@public
def sort(
    x: Any,
    /,
    axis: int | None = -1,
    kind: str | None = None,
    order: None = None,
    *,
    descending: bool = False,
    stable: bool | None = True,
) -> Buffer:
    """``x`` sorted along ``axis``; flattened first if that is None."""
    node, axis = _sorting("sort", x, axis, kind, order, stable)
    backwards = flag("sort", "descending", descending)
    if dtypes.kind(node.dtype) == "c":
        found = ops.library(_sorted, (node,), (axis, backwards), node.shape, node.dtype, "sort")
        return Buffer._value(found)
    return Buffer._value(ops.sort(node, axis, backwards))


def _sorted(x: Array, axis: int, backwards: bool) -> Array:
    """``x`` by real, then imaginary parts, as NumPy orders complex numbers."""
    return np.take_along_axis(x, _order(x, axis, backwards), axis)


def _order(x: Array, axis: int, backwards: bool) -> Array:
    order = np.argsort(np.flip(x, axis) if backwards else x, axis=axis, kind="stable")
    return np.asarray(x.shape[axis] - 1 - np.flip(order, axis)) if backwards else order


def _sorting(
    name: str, x: Any, axis: int | None, kind: Any, order: Any, stable: Any
) -> tuple[Node, int]:
    """The operand and the axis of a sort, which is stable whether it has to be or not."""
    node = node_of(name, x)
    if stable is not None:
        flag(name, "stable", stable)
    if kind is not None or order is not None:
        check_sort(name, kind, order)
    if axis is None:
        return ops.reshape(node, (-1,)), 0
    return node, normalize_axis(axis, len(node.shape), name)


@delegate(short_calls.searchsorted)
@public
def searchsorted(x1: Any, x2: Any, /, side: str = "left", sorter: Any = None) -> Buffer:
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
    sought = operand_of(name, x2, "x2")
    beyond = _beyond(sought, one.dtype)
    if beyond:
        return Buffer._value(ops.full((), one.shape[0] if beyond > 0 else 0, dtypes.int64))
    two = ops.as_operand(sought, one.dtype)
    nodes = (one, two) if sorter is None else (one, two, _sorter(sorter, one))
    return Buffer._value(ops.library(_search, nodes, (side,), two.shape, dtypes.int64, name))


@delegate(short_calls.isin)
@public
def isin(
    x1: Any,
    x2: Any,
    /,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: str | None = None,
) -> Buffer:
    """Whether each element of ``x1`` is one of ``x2``, which may be a list as well.

    ``assume_unique`` and ``kind`` say how NumPy is to search; the answer is the same.

    >>> isin(Buffer([1, 2, 3]), Buffer([2, 9])).to_python()
    [False, True, False]
    """
    one, two = operand_of("isin", x1, "x1"), operand_of("isin", x2, "x2")
    invert = flag("isin", "invert", invert)
    if not isinstance(one, Node) and not isinstance(two, Node):
        one = node_of("isin", one)
    known = one.dtype if isinstance(one, Node) else two.dtype
    if _beyond(one, known) or _beyond(two, known):
        shape = one.shape if isinstance(one, Node) else ()
        return Buffer._value(ops.full(shape, invert, dtypes.bool))
    nodes = (ops.as_operand(one, known), ops.as_operand(two, known))
    return Buffer._value(ops.library(_is_in, nodes, (invert,), nodes[0].shape, dtypes.bool, "isin"))


@delegate(short_calls.nonzero)
@public
def nonzero(x: Any, /) -> tuple[Buffer, ...]:
    """The indices of the elements that are not zero, one buffer an axis."""
    x = buffer_of("nonzero", x)
    if not x.shape:
        raise ArgumentError(
            "nonzero needs at least one dimension, got a 0-d buffer. Calling nonzero on 0d arrays "
            "is not allowed. Use np.atleast_1d(scalar).nonzero() instead."
        )
    array = look(node_of("nonzero", x), "nonzero")
    found = masks.positions(array)
    if found is not None:
        return tuple([Buffer._value(node).to_device(x.device) for node in found])
    return tuple([Buffer(part, copy=True, device=x.device) for part in np.nonzero(array)])


@public
def unique_all(x: Any, /) -> UniqueAll:
    """The distinct elements, where each is first, where each element is among them, how often."""
    return UniqueAll(
        *_distinct("unique_all", x, return_index=True, return_inverse=True, return_counts=True)
    )


@public
def unique_counts(x: Any, /) -> UniqueCounts:
    """The distinct elements and how often each occurs."""
    return UniqueCounts(*_distinct("unique_counts", x, return_counts=True))


@public
def unique_inverse(x: Any, /) -> UniqueInverse:
    """The distinct elements, and where each element is among them."""
    return UniqueInverse(*_distinct("unique_inverse", x, return_inverse=True))


@public
def unique_values(x: Any, /) -> Buffer:
    """The distinct elements, in order; every NaN is distinct.

    >>> unique_values(Buffer([2, 1, 2, 0])).to_python()
    [0, 1, 2]
    """
    return _distinct("unique_values", x)[0]


def _sorter(sorter: Any, x: Node) -> Node:
    node = buffer_of("searchsorted", sorter, "sorter")._node
    if dtypes.kind(node.dtype) not in "iu" or node.shape != x.shape:
        raise ArgumentError(
            f"searchsorted needs a sorter of integers in the shape of x1, {x.shape}; got "
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
    if isinstance(node.device, Cluster) and not wanted:
        return [Buffer._value(node.device.driver.unique(node))]
    found = unique(ops.sortable(look(node, "unique")), equal_nan=False, **wanted)
    values, *others = found if wanted else (found,)
    values = values.astype(node.dtype, copy=False)
    return [Buffer(part, copy=True, device=node.device) for part in (values, *others)]
