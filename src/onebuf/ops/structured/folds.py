"""Reductions of the stored elements of layouts.

A sum over everything counts each stored element as often as it stands for one. The largest and the
smallest, and whether any or all hold, need each once; elements that are 0 and not stored count as
one more. Reductions along some axes of sparse elements go over the stored ones alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.dtypes import DT, Array, float32, kind
from onebuf.graph import BINARY, REDUCE, Node, Op
from onebuf.layout.arrangement.packing import Power
from onebuf.layout.layout import Layout
from onebuf.machine import CPU
from onebuf.ops.apply import binary, cast, constant, fold
from onebuf.ops.creation import full
from onebuf.ops.library import library
from onebuf.ops.movement import diagonal, index, permute, reshape
from onebuf.ops.structured.index_nodes import weights
from onebuf.ops.structured.nodes import Structured, structured, triangle_of

_SUM, _ANY, _ALL = REDUCE["sum"], REDUCE["any"], REDUCE["all"]
_EXTREMES = {REDUCE["max"]: BINARY["maximum"], REDUCE["min"]: BINARY["minimum"]}
_LOOPS: dict[Op, Any] = {
    _SUM: np.add,
    _ANY: np.logical_or,
    REDUCE["max"]: np.maximum,
    REDUCE["min"]: np.minimum,
}


def folded(
    op: Op, node: Node, axes: tuple[int, ...], shape: tuple[int, ...], dtype: DT
) -> Node | None:
    """The reduction of a view without strides; None: by reading every element."""
    part = structured(node)
    if part is None or not part.layout.size:
        return None
    layout = part.layout
    if len(axes) == layout.rank:
        value = _folded_whole(op, part, dtype)
        return None if value is None else reshape(value, shape)
    device = node.device or CPU
    if layout.sparsity is None or layout.symmetry is not None or not device.is_host:
        return None
    if op not in _LOOPS or kind(dtype) not in "iufbc" or (node.dtype.itemsize < 4 and op is _SUM):
        return None
    mine = tuple([part.axes[axis] for axis in axes])
    kept = tuple([axis for axis in range(layout.rank) if axis not in mine])
    turned = tuple([part.axes[axis] for axis in range(layout.rank) if axis not in axes])
    small = library(
        _fold_some,
        (part.storage,),
        (op, layout, kept, dtype),
        tuple([layout.shape[axis] for axis in kept]),
        dtype,
        op.name,
    )
    return reshape(permute(small, [kept.index(axis) for axis in turned]), shape)


def _folded_whole(op: Op, part: Structured, dtype: DT) -> Node | None:
    """The reduction over all elements; None: by reading every element."""
    storage, layout, _ = part
    changes = any(one.sign < 0 or one.conjugate for one in layout.group)
    has_zeros = layout.sparsity is not None and layout.sparsity.sparsity() > 0
    if changes or (op is not _SUM and op not in _LOOPS and op is not _ALL):
        return None
    device = storage.device or CPU
    if op is _ALL:
        if has_zeros:
            return full((), False, dtype, device)
        return fold(op, storage)
    if not layout.stored:
        return full((), 0, dtype, device)
    if op is _SUM:
        power = triangle_of(layout)
        if power is not None:
            return _triangle_sum(storage, power, dtype)
        weight = weights(layout, device)
        if weight is None:
            return fold(op, storage)
        wide = _counted(storage.dtype, dtype)
        rectangle = reshape(cast(storage, wide), layout.arrangement.storage)
        return cast(fold(op, binary(BINARY["multiply"], rectangle, cast(weight, wide))), dtype)
    value = fold(op, storage)
    if has_zeros and op in _EXTREMES:
        return binary(_EXTREMES[op], value, constant((), 0, dtype))
    return value


def _triangle_sum(storage: Node, power: Power, dtype: DT) -> Node:
    """The sum of a symmetric matrix: twice that of its triangle, less that of the diagonal."""
    wide = _counted(storage.dtype, dtype)
    triangle = power.triangle
    rectangle = reshape(cast(storage, wide), (triangle.rows, triangle.columns))
    total = binary(BINARY["multiply"], fold(_SUM, rectangle), 2)
    first = index(rectangle, slice(triangle.shift, triangle.shift + triangle.columns))
    second = index(rectangle, slice(0, triangle.side - triangle.columns))
    for part, offset in ((first, 0), (second, 1 - triangle.shift)):
        total = binary(BINARY["subtract"], total, fold(_SUM, diagonal(part, offset)))
    return cast(total, dtype)


def _counted(dtype: DT, total: DT) -> DT:
    """The type in which elements are multiplied by how often they count."""
    if kind(dtype) in "biu":
        return total
    return float32 if dtype.itemsize < float32.itemsize else dtype


def _fold_some(stored: Array, op: Op, layout: Layout, kept: tuple[int, ...], dtype: DT) -> Array:
    """The reduction of sparse elements along all axes but ``kept``."""
    arrangement = layout.arrangement
    index = np.unravel_index(arrangement.flat, layout.shape)  # type: ignore[attr-defined]
    shape = tuple([layout.shape[axis] for axis in kept])
    group = np.asarray(np.ravel_multi_index([index[axis] for axis in kept], shape))
    count = int(np.prod(shape))
    if op is _SUM:
        return _sums(stored, group, count, dtype).reshape(shape)
    loop = _LOOPS[op]
    each = layout.size // max(count, 1)
    is_full = np.bincount(group, minlength=count) == each
    if op is _ANY:
        found = np.zeros(count, bool)
    else:
        found = np.where(is_full, _worst(dtype, op is REDUCE["max"]), np.zeros((), dtype))
    loop.at(found, group, stored)
    return found.reshape(shape)


def _worst(dtype: DT, is_max: bool) -> Array:
    """The value that any other one replaces."""
    worst: Any = -np.inf if is_max else np.inf
    if kind(dtype) == "b":
        worst = not is_max
    elif kind(dtype) in "iu":
        worst = np.iinfo(dtype).min if is_max else np.iinfo(dtype).max
    elif kind(dtype) == "c":
        worst = complex(worst, worst)
    return np.asarray(worst, dtype)


def _sums(stored: Array, group: Array, count: int, dtype: DT) -> Array:
    if kind(dtype) == "c":
        found = np.empty(count, dtype)
        found.real = np.bincount(group, stored.real, count)
        found.imag = np.bincount(group, stored.imag, count)
        return found
    if kind(dtype) == "f":
        return np.bincount(group, stored, count).astype(dtype)
    found = np.zeros(count, dtype)
    np.add.at(found, group, stored.astype(dtype))
    return found
