"""Matrix products on NumPy's loops, in pieces short enough to be interrupted.

Nothing can interrupt BLAS, so Ctrl-C would have to wait for all of a long product. A piece is some
rows and columns of the result, as square as possible, with the whole sum. BLAS packs its factors
again for each piece, which takes about as long as one multiplication for each of their elements.
"""

from __future__ import annotations

import numpy as np

from onebuf.dtypes import Array

MOST_PRODUCTS = {"f": 1 << 32, "c": 1 << 30}
"""How many multiplications BLAS does in about a tenth of a second, by dtype kind."""
MOST_PLAIN = 1 << 26
"""The same for NumPy's own loop, for all other dtypes."""
LEAST_EXTENT = 1024
"""Pieces for BLAS have at least so many rows or columns; packing would cost too much."""


def multiply_into(x: Array, y: Array, out: Array) -> None:
    """The matrix product of ``x`` and ``y`` into ``out``."""
    if x.ndim < 2 or y.ndim < 2:
        np.matmul(x, y, out=out)
        return
    is_blas = out.dtype.char in "fdFD"
    most = MOST_PRODUCTS[out.dtype.kind] if is_blas else MOST_PLAIN
    _multiply(x, y, out, most, LEAST_EXTENT if is_blas else 1)


def _multiply(x: Array, y: Array, out: Array, most: int, least: int) -> None:
    if out.size * x.shape[-1] <= most:
        np.matmul(x, y, out=out)
        return
    extents = out.shape
    axis = max(range(out.ndim - 2), key=extents.__getitem__, default=0)
    if out.ndim > 2 and extents[axis] > 1:
        half = extents[axis] // 2
        for part in (slice(None, half), slice(half, None)):
            one, two, into = [_part(array, axis - out.ndim, part) for array in (x, y, out)]
            _multiply(one, two, into, most, least)
        return
    rows, columns = extents[-2:]
    if max(rows, columns) < 2 * least:
        np.matmul(x, y, out=out)
    elif rows >= columns:
        half = _half(rows, least)
        _multiply(x[..., :half, :], y, out[..., :half, :], most, least)
        _multiply(x[..., half:, :], y, out[..., half:, :], most, least)
    else:
        half = _half(columns, least)
        _multiply(x, y[..., :half], out[..., :half], most, least)
        _multiply(x, y[..., half:], out[..., half:], most, least)


def _part(array: Array, axis: int, part: slice) -> Array:
    """A slice of an axis, counted from the last; all of one that is broadcast or missing."""
    if -axis > array.ndim or array.shape[axis] == 1:
        return array
    return array[(slice(None),) * (array.ndim + axis) + (part,)]


def _half(extent: int, least: int) -> int:
    """About half of an extent: a multiple of BLAS's tile."""
    step = min(least, 64)
    return extent // 2 // step * step
