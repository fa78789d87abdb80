"""Tiled folds: reductions over elements of which a tile at a time is in memory.

The result is that of a reduction in memory, to the bit. The order of a sum is fixed
(`onebuf.kernel.Fold`): along the last axis, chunks of 8192 elements are added up each on its own,
and the chunks in order; along other axes one element after another. Both go on from tile to tile,
in float64 for floats. Positions count the elements that are folded.
"""

from __future__ import annotations

from collections.abc import Callable
from math import lcm, prod
from typing import Protocol

import numpy as np

from onebuf.backends.numpy.small_folds import fold_columns
from onebuf.dtypes import DT, Array, complex128, float64, kind
from onebuf.graph import REDUCE, Node, make
from onebuf.interop.files.streamed import row_major_boxes
from onebuf.kernel import CHUNK
from onebuf.ops import adopted, cast, quietly
from onebuf.placement import boxes_between

Compute = Callable[[Node], Array]
"""Computes a node, and gives its elements."""

Tile = tuple[tuple[int, int], ...]
"""One range for each axis."""
_SUMS = {REDUCE["sum"]: np.add, REDUCE["prod"]: np.multiply}
_EXTREMES = {
    **{REDUCE["max"]: np.maximum, REDUCE["min"]: np.minimum},
    **{REDUCE["any"]: np.logical_or, REDUCE["all"]: np.logical_and},
}
_POSITIONS = {REDUCE["argmax"]: np.greater, REDUCE["argmin"]: np.less}
_ROW = 64
"""Elements of a row that is read at least, where axes before the last are folded."""


def fold_tiles(
    node: Node,
    out: Array,
    limit: int,
    read: Callable[[Tile], Array],
    compute: Compute,
    tick: Callable[[int], None],
) -> None:
    """Reduce the operand of ``node``, of which ``read`` gives tiles of ``limit`` elements, to
    ``out``."""
    shape, (axes, keepdims) = node.srcs[0].shape, node.arg
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    outer = tuple([shape[axis] for axis in kept])
    inner = tuple([shape[axis] for axis in axes])
    extent = prod(inner)
    is_sequential = max(axes) != len(shape) - 1
    result = out.reshape(outer) if keepdims else out
    order = (*kept, *axes)
    place = {axis: number for number, axis in enumerate(order)}

    def tile(rows: Tile, columns: Tile) -> Array:
        """The elements of a box of kept axes and one of folded axes, as a matrix."""
        box = (*rows, *columns)
        found = read(tuple([box[place[axis]] for axis in range(len(shape))]))
        count = prod([high - low for low, high in rows])
        return found.transpose(order).reshape(count, -1)

    least = _ROW if is_sequential else CHUNK
    for rows in row_major_boxes(outer, max(1, limit // min(extent, least))):
        count = prod([high - low for low, high in rows])
        length = max(1, limit // count)
        if length < extent:
            length = _whole_rows(length, 1 if is_sequential else CHUNK, inner)
        fold = _fold_of(node, count, is_sequential, compute)
        for begin in range(0, extent, length):
            end = min(begin + length, extent)
            parts = [tile(rows, columns) for columns in boxes_between(begin, end, inner)]
            fold.add(parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1), begin)
            tick(count * (end - begin))
        where = tuple([slice(*one) for one in rows])
        result[where] = fold.result().reshape(result[where].shape)


def _whole_rows(length: int, grain: int, shape: tuple[int, ...]) -> int:
    """``length`` less what makes it a multiple of ``grain``, and of whole rows where it can be."""
    best = max(length // grain * grain, grain)
    for axis in range(1, len(shape)):
        step = lcm(grain, prod(shape[axis:]))
        if step <= length:
            return length // step * step
    return best


class _Fold(Protocol):
    """What was folded so far, for each row."""

    def add(self, tile: Array, begin: int) -> None:
        """Fold the rows of ``tile``, whose first column is the position ``begin``."""

    def result(self) -> Array:
        """The result for each row."""


def _fold_of(node: Node, count: int, is_sequential: bool, compute: Compute) -> _Fold:
    if node.op in _SUMS:
        return _Sum(node, is_sequential, compute)
    return (_Position if node.op in _POSITIONS else _Extreme)(node, compute)


class _Sum:
    """A sum or product, chunk by chunk or one element after another."""

    def __init__(self, node: Node, is_sequential: bool, compute: Compute) -> None:
        self._node = node
        self._function = _SUMS[node.op]
        is_numpys = node.op is REDUCE["prod"] and kind(node.dtype) == "c"
        self._is_sequential = is_sequential or is_numpys
        self._compute = compute
        self._dtype = _accumulator(node)
        self._total: Array | None = None

    def add(self, tile: Array, begin: int) -> None:
        """Fold the rows of ``tile``."""
        wide = tile.astype(self._dtype, copy=False)
        if self._is_sequential:
            self._combine(wide.T)
            return
        count, extent = wide.shape
        whole = extent // CHUNK * CHUNK
        if whole:
            self._combine(self._rows(wide[:, :whole].reshape(count, -1, CHUNK)).T)
        if whole < extent:
            self._combine(self._rows(wide[:, None, whole:]).T)

    def result(self) -> Array:
        """The total of each row."""
        assert self._total is not None
        return self._compute(cast(adopted(self._total.copy()), self._node.dtype))

    def _rows(self, chunks: Array) -> Array:
        """Each chunk folded, as every tier folds one."""
        leaf = adopted(np.array(chunks, order="C"))
        return self._compute(
            make(self._node.op, (leaf,), ((2,), False), leaf.shape[:2], self._dtype, unique=True)
        )

    def _combine(self, rows: Array) -> None:
        """Fold ``rows`` into the total, one after another."""
        before = [] if self._total is None else [self._total[None]]
        matrix = np.concatenate([*before, rows])
        total = np.empty(matrix.shape[1], self._dtype)
        if self._dtype == float64 or (self._dtype == complex128 and self._function is np.add):
            quietly(fold_columns, self._function, matrix, total)
        else:
            quietly(self._function.reduce, matrix, 0, self._dtype, total)
        self._total = total


class _Extreme:
    """A maximum or minimum, or whether any or all elements are true."""

    def __init__(self, node: Node, compute: Compute) -> None:
        self._node = node
        self._compute = compute
        self._best: Array | None = None

    def add(self, tile: Array, begin: int) -> None:
        """Fold the rows of ``tile``."""
        found = _folded(self._node, tile, self._compute)
        function = _EXTREMES[self._node.op]
        self._best = found if self._best is None else quietly(function, self._best, found)

    def result(self) -> Array:
        """The result of each row."""
        assert self._best is not None
        return self._best


class _Position:
    """Where the first maximum or minimum of each row is; a NaN is both."""

    def __init__(self, node: Node, compute: Compute) -> None:
        self._node = node
        self._compute = compute
        self._best: Array | None = None
        self._where: Array | None = None

    def add(self, tile: Array, begin: int) -> None:
        """Look for a better element in the rows of ``tile``."""
        where = _folded(self._node, tile, self._compute)
        found = np.take_along_axis(tile, where[:, None], axis=1)[:, 0]
        if self._best is None or self._where is None:
            self._best, self._where = found, where + begin
            return
        better = quietly(_POSITIONS[self._node.op], found, self._best)
        better = (better | (found != found)) & ~(self._best != self._best)
        self._best = np.where(better, found, self._best)
        self._where = np.where(better, where + begin, self._where)

    def result(self) -> Array:
        """The position in each row."""
        assert self._where is not None
        return self._where


def _folded(node: Node, tile: Array, compute: Compute) -> Array:
    """The reduction of ``node`` along the rows of ``tile``."""
    leaf = adopted(np.array(tile, order="C"))
    made = make(node.op, (leaf,), ((1,), False), tile.shape[:1], node.dtype, unique=True)
    return np.array(compute(made))


def _accumulator(node: Node) -> DT:
    """The type in which a sum or product is accumulated; complex products are NumPy's."""
    letter = kind(node.dtype)
    if letter == "c":
        return complex128 if node.op is REDUCE["sum"] else node.dtype
    return float64 if letter == "f" else node.dtype
