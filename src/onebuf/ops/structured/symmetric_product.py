"""Products with a packed symmetric matrix, by BLAS on squares of the storage.

The storage is a rectangle in which a square and two triangles are strided matrices. A triangle is
cut into a square and two smaller triangles, and so on. Each square serves twice: as it is, and
transposed for the mirrored elements.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from onebuf.dtypes import Array
from onebuf.layout.arrangement.packing import Power

LEAF = 64
"""Triangles of at most so many rows are copied without what lies above, and multiplied whole."""


class Matrix(NamedTuple):
    """What to do with the mirrored elements."""

    power: Power

    def mirrored(self, part: Array) -> Array:
        """The elements on the other side of the diagonal."""
        turned = part.swapaxes(-1, -2)
        if self.power.conjugates and part.dtype.kind == "c":
            turned = turned.conj()
        return -turned if self.power.negates else turned


def multiply(stored: Array, other: Array, power: Power) -> Array:
    """The product of the matrix that ``power`` packs into ``stored`` with ``other``."""
    triangle = power.triangle
    side, half, shift = triangle.side, triangle.columns, triangle.shift
    found = np.zeros((power.side, *other.shape[1:]), np.result_type(stored, other))
    if side:
        rectangle = stored.reshape(triangle.rows, half)
        matrix = Matrix(power)
        first = rectangle[shift : shift + half]
        second = rectangle[: side - half, 1 - shift : 1 - shift + side - half].T
        _add_triangle(matrix, first, 0, other, found)
        _add_triangle(matrix, second, half, other, found)
        _add_square(matrix, rectangle[shift + half :], half, 0, other, found)
    return found


def _add_triangle(matrix: Matrix, part: Array, begin: int, vectors: Array, out: Array) -> None:
    """Add the products with a triangle whose first row and column are number ``begin``."""
    size = len(part)
    if size < LEAF:
        if size:
            _add_leaves(matrix, part[None], begin, vectors, out)
        return
    whole = LEAF << ((size // LEAF).bit_length() - 1)
    half = whole // 2
    while half >= LEAF:
        _add_squares(matrix, part, half, whole // (2 * half), begin, vectors, out)
        half //= 2
    _add_leaves(matrix, _stack(part, LEAF, LEAF, whole // LEAF), begin, vectors, out)
    if whole < size:
        rest = part[whole:, :whole]
        _add_square(matrix, rest, begin + whole, begin, vectors, out)
        _add_triangle(matrix, part[whole:, whole:], begin + whole, vectors, out)


def _stack(part: Array, size: int, step: int, count: int) -> Array:
    """Squares of ``part`` whose corners are ``step`` rows and columns apart."""
    down, along = part.strides
    return as_strided(part, (count, size, size), ((down + along) * step, down, along))


def _add_squares(
    matrix: Matrix, part: Array, size: int, count: int, begin: int, vectors: Array, out: Array
) -> None:
    """Add the products with the squares of one size below the diagonal, one in each pair."""
    stack = _stack(part[size:], size, 2 * size, count)
    above = int(matrix.power.is_strict)
    shape = (count, 2 * size, *(vectors.shape[1:] or (1,)))
    first, end = begin + above, begin + 2 * size * count
    rows = vectors[first : end + above].reshape(shape)[:, size:]
    columns = vectors[begin:end].reshape(shape)[:, :size]
    to_rows = out[first : end + above].reshape(shape)[:, size:]
    to_rows += stack @ columns
    to_columns = out[begin:end].reshape(shape)[:, :size]
    to_columns += matrix.mirrored(stack) @ rows


def _add_leaves(matrix: Matrix, stack: Array, begin: int, vectors: Array, out: Array) -> None:
    """Add the products with triangles of one size that follow one another on the diagonal."""
    count, size, _ = stack.shape
    above = int(matrix.power.is_strict)
    rows = slice(begin + above, begin + above + count * size)
    columns = slice(begin, begin + count * size)
    shape = (count, size, *(vectors.shape[1:] or (1,)))
    lower = np.where(_below(size), stack, np.zeros((), stack.dtype))
    out[rows] += (lower @ vectors[columns].reshape(shape)).reshape(out[rows].shape)
    if not above:
        np.einsum("kii->ki", lower)[...] = 0  # the diagonal has no mirrored elements
    mirrored = matrix.mirrored(lower)
    out[columns] += (mirrored @ vectors[rows].reshape(shape)).reshape(out[rows].shape)


@lru_cache(16)
def _below(size: int) -> Array:
    """Where a square matrix has its lower triangle."""
    return np.tri(size, size, dtype=bool)


def _add_square(
    matrix: Matrix, part: Array, row: int, column: int, vectors: Array, out: Array
) -> None:
    """Add the products with a rectangle below the diagonal."""
    row += int(matrix.power.is_strict)
    rows, columns = slice(row, row + len(part)), slice(column, column + part.shape[1])
    out[rows] += part @ vectors[columns]
    out[columns] += matrix.mirrored(part) @ vectors[rows]
