"""Products with sparse matrices, on their stored elements: blocks by BLAS, elements by sums.

Blocks of one size are multiplied one pair at a time, or all blocks of a row with the rows of a
dense factor that they meet. Every function takes arrays and gives an array.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from onebuf.dtypes import Array
from onebuf.layout.arrangement.blocks import Blocks
from onebuf.layout.arrangement.elements import Elements

STACK_NBYTES = 8 << 20
"""About as many bytes of products are summed at a time."""


class BlockMatrix(NamedTuple):
    """Blocks of one size, (count, rows, columns), and the number of each along both axes."""

    stack: Array
    row: Array
    column: Array

    @classmethod
    def of(cls, stored: Array, blocks: Blocks, is_turned: bool) -> BlockMatrix:
        """The blocks of ``stored``, or of its transpose, sorted by row."""
        assert blocks.tile is not None
        stack = stored.reshape(len(blocks.boxes), *blocks.tile)
        row, column = (blocks.boxes[:, :, 0] // blocks.tile).T
        if not is_turned:
            return cls(stack, row, column)
        order = np.lexsort((row, column))
        return cls(stack.swapaxes(1, 2)[order], column[order], row[order])


def blocks_by_dense(
    stored: Array, other: Array, blocks: Blocks, is_turned: bool, rows: int
) -> Array:
    """The product of a block-sparse matrix, or of its transpose, with a dense one."""
    matrix = other if other.ndim == 2 else other[:, None]
    found = np.zeros((rows, matrix.shape[1]), np.result_type(stored, other))
    if blocks.tile is None:
        _boxes_by_dense(stored, matrix, blocks, is_turned, found)
    elif blocks.size:
        a = BlockMatrix.of(stored, blocks, is_turned)
        _, high, wide = a.stack.shape
        edges = np.append(np.flatnonzero(np.diff(a.row, prepend=-1)), len(a.row))
        # One piece of memory for all rows: fresh memory takes longer than the copies into it.
        rows_at_once = np.empty((np.diff(edges).max() * wide, matrix.shape[1]), matrix.dtype)
        for begin, end in pairwise(edges):
            flat = a.stack[begin:end].swapaxes(0, 1).reshape(high, -1)
            taken = rows_at_once[: (end - begin) * wide]
            parts = [matrix[k * wide : (k + 1) * wide] for k in a.column[begin:end]]
            np.concatenate(parts, out=taken)
            first = a.row[begin] * high
            np.matmul(flat, taken, out=found[first : first + high])
    return found if other.ndim == 2 else found[:, 0]


def _boxes_by_dense(
    stored: Array, matrix: Array, blocks: Blocks, is_turned: bool, out: Array
) -> None:
    for (rows, columns), begin, end in zip(
        blocks.boxes, blocks.starts, blocks.starts[1:], strict=False
    ):
        block = stored[begin:end].reshape(rows[1] - rows[0], columns[1] - columns[0])
        if is_turned:
            block, rows, columns = block.T, columns, rows
        out[rows[0] : rows[1]] += block @ matrix[columns[0] : columns[1]]


def blocks_by_blocks(
    stored: Array,
    other: Array,
    one: tuple[Blocks, bool],
    two: tuple[Blocks, bool],
    result: Blocks,
) -> Array:
    """The stored blocks of the product of two block-sparse matrices with fitting tiles."""
    a, b = BlockMatrix.of(stored, *one), BlockMatrix.of(other, *two)
    assert result.tile is not None
    high, wide = result.tile
    found = np.zeros((len(result.boxes), high, wide), np.result_type(stored, other))
    left, right = _pairs(a.column, b.row)
    row, column = (result.boxes[:, :, 0] // result.tile).T
    across = int(max(b.column.max(initial=0), column.max(initial=0))) + 1
    target = np.searchsorted(row * across + column, a.row[left] * across + b.column[right])
    block = np.empty((high, wide), found.dtype)
    triples = zip(left.tolist(), right.tolist(), target.tolist(), strict=True)
    for one_block, other_block, place in triples:
        np.matmul(a.stack[one_block], b.stack[other_block], out=block)
        found[place] += block
    return found.reshape(-1)


def _pairs(inner: Array, rows: Array) -> tuple[Array, Array]:
    """Every pair of a number in ``inner`` and an equal one in ``rows``, which is sorted."""
    first = np.searchsorted(rows, inner)
    counts = np.searchsorted(rows, inner, side="right") - first
    left = np.repeat(np.arange(len(inner)), counts)
    begins = np.repeat(np.cumsum(counts) - counts, counts)
    right = np.repeat(first, counts) + np.arange(len(left)) - begins
    return left, right


def elements_by_dense(
    stored: Array, other: Array, elements: Elements, is_turned: bool, rows: int
) -> Array:
    """The product of a sparse matrix of single elements, or of its transpose, with a dense one."""
    matrix = other if other.ndim == 2 else other[:, None]
    dtype = np.result_type(stored, other)
    found = np.zeros((rows, matrix.shape[1]), dtype)
    row, column = _coordinates(elements, is_turned)
    if is_turned:
        order = np.argsort(row, kind="stable")
        stored, row, column = stored[order], row[order], column[order]
    count = max(1, STACK_NBYTES // max(1, matrix.shape[1] * dtype.itemsize))
    for begin in range(0, len(row), count):
        part = slice(begin, begin + count)
        products = stored[part, None] * matrix[column[part]]
        edges = np.flatnonzero(np.diff(row[part], prepend=-1))
        found[row[part][edges]] += np.add.reduceat(products, edges)
    return found if other.ndim == 2 else found[:, 0]


def _coordinates(elements: Elements, is_turned: bool) -> tuple[Array, Array]:
    row, column = np.divmod(elements.flat, elements.shape[1])
    return (column, row) if is_turned else (row, column)


def elements_by_elements(
    stored: Array,
    other: Array,
    one: tuple[Elements, bool],
    two: tuple[Elements, bool],
    result: Elements,
) -> Array:
    """The stored elements of the product of two sparse matrices of single elements."""
    row, inner = _coordinates(*one)
    outer, column = _coordinates(*two)
    order = np.argsort(outer, kind="stable")
    outer, column, other = outer[order], column[order], other[order]
    left, right = _pairs(inner, outer)
    products = stored[left] * other[right]
    target = np.searchsorted(result.flat, row[left] * result.shape[1] + column[right])
    found = np.zeros(result.size, products.dtype)
    np.add.at(found, target, products)
    return found
