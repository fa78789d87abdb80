"""Movement: other shapes, orders and parts of the same elements.

A movement of stored elements is a new array on the same block; of pending ones, a VIEW node whose
layout is worked out by `onebuf.layout`. Neither touches an element. Reshape, permute and index are
what programs do all the time, so on stored elements they use NumPy's own view machinery, which
follows the same algebra; everything it refuses goes to the layout, whose errors say more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from onebuf.dtypes import Array, promote
from onebuf.errors import ArgumentTypeError, CopyError, LayoutError, ShapeError
from onebuf.events import listeners
from onebuf.graph import CONCAT, COPY, PAD, VIEW, Leaf, Node, make, settle, strided
from onebuf.late import Late
from onebuf.layout import View, normalize_axes, normalize_axis
from onebuf.layout.axes import whole
from onebuf.memory import address_of
from onebuf.ops.allocation import adopted
from onebuf.ops.apply import cast, general, small_arrays
from onebuf.ops.quiet import typed
from onebuf.options import options

if TYPE_CHECKING:
    from onebuf.layout import composed
else:
    composed = Late("onebuf.layout.composed")

_ndarray = np.ndarray
_ALL = slice(None)
_BACKWARDS = slice(None, None, -1)
_REFUSED = (ValueError, IndexError, TypeError)


def view_of(node: Node) -> View:
    """The view of ``node``'s elements in the memory of its strided base.

    >>> from onebuf.ops.apply import constant
    >>> view_of(permute(constant((100, 200), 1, np.dtype("int32")), (1, 0)))
    View(shape=(200, 100), stride=(1, 200), offset=0)
    """
    array = settle(node)
    if array is None:
        if node.op is VIEW:
            return node.view
        array = node.array
        if array is None:
            return View.contiguous(node.shape)
    assert node.block is not None
    size = array.itemsize
    distance = 0
    if array.size:
        distance = address_of(array) - node.block.address
    return View(array.shape, tuple([step // size for step in array.strides]), distance // size)


def seen(node: Node, view: View) -> Node:
    """The elements of ``node``'s strided base through another view."""
    if node.array is not None and node.block is not None:
        return Leaf(strided(node.block, node.dtype, view), node.block)
    base = node.strided_base
    if base.op is VIEW:
        return make(VIEW, node.srcs, composed.through(view, node.layout), view.shape, node.dtype)
    if view.shape == base.shape and view.offset == 0 and view == View.contiguous(base.shape):
        return base
    return make(VIEW, (base,), view, view.shape, node.dtype)


def move(node: Node, change: Callable[[View], View]) -> Node:
    """``node`` with its layout changed."""
    return seen(node, change(view_of(node)))


def reshape(node: Node, shape: Sequence[int], copy: bool | None = None) -> Node:
    """The elements in row-major order under another shape; a copy where strides cannot say it."""
    if copy:
        return reshape(copied(node), shape, None)
    array = node.array
    if array is None and node.op is VIEW:
        array = settle(node)
    if array is not None and array.flags.c_contiguous:
        try:
            new_array = array.reshape(shape)
        except _REFUSED:
            View.contiguous(node.shape).reshape(shape)
            raise
        if new_array.shape != shape and min(shape, default=0) < -1:
            View.contiguous(node.shape).reshape(shape)  # NumPy takes any negative number for -1
        return Leaf(new_array, node.block)  # type: ignore[arg-type]
    view = view_of(node)
    new = view.reshape(shape)
    if new is not None:
        return seen(node, new)
    if copy is False:
        raise CopyError(
            f"reshape from {node.shape} to {tuple(shape)} needs a copy, because strides "
            f"{view.stride} cannot be merged (Unable to avoid creating a copy while reshaping.); "
            f"leave out copy=False, or reshape before permuting"
        )
    return reshape(copied(node), shape)


def permute(node: Node, axes: Sequence[int]) -> Node:
    """The axes in another order."""
    array = node.array
    if array is None and node.op is VIEW:
        array = settle(node)
    if array is not None:
        try:
            return Leaf(array.transpose(axes), node.block)  # type: ignore[arg-type]
        except _REFUSED:
            View.contiguous(node.shape).permute(axes)
            raise
    return move(node, lambda view: view.permute(axes))


def index(node: Node, key: Any) -> Node:
    """Basic indexing: integers, slices, None and an ellipsis."""
    array = node.array
    if array is None and node.op is VIEW:
        array = settle(node)
    if array is not None:
        try:
            part = array[key]
            if part.__class__ is not _ndarray:
                part = array[(*key, ...) if key.__class__ is tuple else (key, ...)]
            return Leaf(part, node.block)  # type: ignore[arg-type]
        except _REFUSED:
            View.contiguous(node.shape).index(key)
            raise
    return move(node, lambda view: view.index(key))


def expand(node: Node, shape: Sequence[int]) -> Node:
    """Axes of extent 1 repeated, and new leading axes, without storing anything twice."""
    array = node.array
    if array is not None and array.size and node.block is not None:
        steps = _spread_strides(array, shape)
        if steps is not None:
            start = node.block.offset_bytes + address_of(array) - node.block.address
            spread = _ndarray(tuple(shape), node.dtype, node.block.memory, start, steps)
            if not array.flags.writeable:
                spread.flags.writeable = False
            return Leaf(spread, node.block)
    return move(node, lambda view: view.expand(shape))


def _spread_strides(array: Array, shape: Sequence[int]) -> tuple[int, ...] | None:
    """The strides of ``array`` in bytes in a larger ``shape``; None where that is not plain."""
    added = len(shape) - array.ndim
    if added < 0:
        return None
    steps = []
    old = (1,) * added + array.shape
    for was, extent, step in zip(old, shape, (0,) * added + array.strides, strict=True):
        if extent.__class__ is not int or extent < 1 or (was != extent and was != 1):
            return None
        steps.append(step if was == extent else 0)
    return tuple(steps)


def flip(node: Node, axes: Sequence[int]) -> Node:
    """The order along ``axes`` reversed."""
    flipped = normalize_axes(axes, len(node.shape), "flip")
    return index(
        node, tuple([_BACKWARDS if a in flipped else _ALL for a in range(len(node.shape))])
    )


def shrink(node: Node, bounds: Sequence[tuple[int, int]]) -> Node:
    """The box between ``bounds``, one (first, end) an axis."""
    return move(node, lambda view: view.shrink(bounds))


def squeeze(node: Node, axes: int | Sequence[int] | None = None) -> Node:
    """Axes of extent 1 left out."""
    array = node.array
    if array is not None and node.shape:  # NumPy finds an axis 0 in 0-d arrays
        try:
            return Leaf(array.squeeze(axes), node.block)  # type: ignore[arg-type]
        except _REFUSED:
            View.contiguous(node.shape).squeeze(axes)
            raise
    return move(node, lambda view: view.squeeze(axes))


def expand_dims(node: Node, axis: int | Sequence[int]) -> Node:
    """A new axis of extent 1 at ``axis``."""
    ndim = len(node.shape) + (len(axis) if isinstance(axis, (tuple, list)) else 1)
    new = normalize_axes(axis, ndim, "expand_dims")
    return index(node, tuple([None if place in new else _ALL for place in range(ndim)]))


def windows(node: Node, size: int, axis: int, step: int = 1) -> Node:
    """Sliding windows along ``axis``, whose elements form a new last axis."""
    view = view_of(node)
    new = view.windows(size, axis, step)
    return seen(node, new) if new is not None else windows(copied(node), size, axis, step)


def diagonal(node: Node, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Node:
    """The diagonal of two axes, as a new last axis."""
    array = node.array
    if array is not None:
        try:
            part = array.diagonal(offset, axis1, axis2)
        except _REFUSED:
            View.contiguous(node.shape).diagonal(offset, axis1, axis2)
            raise
        part.flags.writeable = array.flags.writeable  # NumPy's diagonals are read only
        return Leaf(part, node.block)  # type: ignore[arg-type]
    return move(node, lambda view: view.diagonal(offset, axis1, axis2))


def pad(node: Node, widths: Sequence[tuple[int, int]], value: Any = 0) -> Node:
    """``node`` inside a border of ``value``."""
    try:
        widths = tuple([(whole(before), whole(after)) for before, after in widths])
    except TypeError:
        raise ArgumentTypeError(f"pad needs widths that are integers, got {widths}") from None
    padded = View.contiguous(node.shape).pad(widths)
    padding = Padding(widths, typed(value, node.dtype))
    return general(PAD, (node,), padding, padded.shape, node.dtype)


class Padding:
    """The border of a PAD: (before, after) for each axis, and the value in it."""

    __slots__ = ("identity", "value", "widths")

    def __init__(self, widths: tuple[tuple[int, int], ...], value: np.generic) -> None:
        self.widths = widths
        self.value = value
        self.identity = (widths, value.dtype, value.tobytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Padding) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)


def copied(node: Node) -> Node:
    """The same elements, contiguous and in memory of their own."""
    # Each copy is a node of its own, however many there are: that is what copies are for.
    return general(COPY, (node,), None, node.shape, node.dtype, unique=True)


def concat(nodes: Sequence[Node], axis: int | None = 0) -> Node:
    """``nodes`` one after another along ``axis``; flattened first if it is None."""
    if not nodes:
        raise LayoutError(
            "need at least one array to concatenate: concat needs at least one buffer, got none"
        )
    if axis is None:
        return concat([reshape(node, (-1,)) for node in nodes], 0)
    first = nodes[0]
    axis = normalize_axis(axis, len(first.shape), "concat")
    for place, node in enumerate(nodes[1:], 1):
        if (
            node.shape[:axis] != first.shape[:axis]
            or node.shape[axis + 1 :] != (first.shape[axis + 1 :])
        ):
            raise _unlike(first.shape, node.shape, place, axis)
    dtype = promote(*[node.dtype for node in nodes])
    extent = sum([node.shape[axis] for node in nodes])
    shape = (*first.shape[:axis], extent, *first.shape[axis + 1 :])
    if prod(shape) <= options().quick_numel and not listeners():
        arrays = small_arrays(tuple(nodes))
        if arrays is not None:
            return _joined(arrays, axis)
    parts = [node if node.dtype is dtype else cast(node, dtype) for node in nodes]
    return general(CONCAT, tuple(parts), axis, shape, dtype)


def _unlike(first: tuple[int, ...], other: tuple[int, ...], place: int, axis: int) -> ShapeError:
    """The error for a part that does not fit the first one, with NumPy's words in it."""
    if len(first) != len(other):
        reason = (
            f"all the input arrays must have same number of dimensions, but the array at index 0 "
            f"has {len(first)} dimension(s) and the array at index {place} has {len(other)} "
            f"dimension(s)"
        )
    else:
        along = next(i for i in range(len(first)) if i != axis and first[i] != other[i])
        reason = (
            f"all the input array dimensions except for the concatenation axis must match exactly, "
            f"but along dimension {along}, the array at index 0 has size {first[along]} and the "
            f"array at index {place} has size {other[along]}"
        )
    return ShapeError(
        f"concat along axis {axis} needs shapes that agree on all other axes, got {first} and "
        f"{other} ({reason}); pad, slice or reshape one of them"
    )


def stack(nodes: Sequence[Node], axis: int = 0) -> Node:
    """``nodes`` along a new axis."""
    if not nodes:
        raise LayoutError(
            "need at least one array to stack: stack needs at least one buffer, got none"
        )
    axis = normalize_axis(axis, len(nodes[0].shape) + 1, "stack")
    for node in nodes[1:]:
        if node.shape != nodes[0].shape:
            raise ShapeError(
                f"stack needs buffers of one shape, got {nodes[0].shape} and {node.shape} (all "
                f"input arrays must have the same shape); broadcast or reshape them first"
            )
    arrays = small_arrays(tuple(nodes))
    few = len(nodes) * nodes[0].numel <= options().quick_numel
    if few and arrays is not None and not listeners():
        key = (_ALL,) * axis + (None,)
        return _joined([array[key] for array in arrays], axis)
    return concat([expand_dims(node, axis) for node in nodes], axis)


def _joined(arrays: Sequence[Any], axis: int) -> Node:
    """Arrays of the types that buffers have, one after another in new memory."""
    dtype = arrays[0].dtype
    if any(array.dtype is not dtype for array in arrays):
        dtype = promote(*[array.dtype for array in arrays])
        arrays = [array.astype(dtype, copy=False) for array in arrays]
    return adopted(np.concatenate(arrays, axis))
