"""Linear algebra that NumPy has beyond the standard."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from onebuf import dtypes
from onebuf.array_api.arguments import buffer_of, buffers_of, into, public
from onebuf.array_api.elementwise import abs, sqrt, square
from onebuf.array_api.linear_algebra import matmul
from onebuf.buffer import Buffer
from onebuf.buffer.numpy.calls import on_arrays
from onebuf.errors import ArgumentError
from onebuf.graph import Number

LinAlgError = np.linalg.LinAlgError


@public
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Buffer:
    """The norm of a vector or a matrix: by default the root of the sum of all squares.

    >>> norm([3.0, 4.0]).item()
    5.0
    """
    buffer = buffer_of("norm", x)
    if dtypes.kind(buffer.dtype) not in "fc":
        buffer = buffer.astype(dtypes.float64)
    vectors = isinstance(axis, int) or (axis is None and buffer.ndim == 1)
    if (ord is None and (axis is None or vectors)) or (vectors and ord == 2):
        sizes = abs(buffer) if dtypes.kind(buffer.dtype) == "c" else buffer
        return sqrt(square(sizes).sum(axis, keepdims=keepdims))
    if vectors and ord == 1:
        return abs(buffer).sum(axis, keepdims=keepdims)
    if vectors and ord == np.inf:
        return abs(buffer).max(axis, keepdims=keepdims)
    return on_arrays(Buffer, np.linalg.norm, (buffer, ord, axis, keepdims), {})  # type: ignore[no-any-return]


@public
def multi_dot(arrays: Sequence[Any], *, out: Any = None) -> Buffer:
    """The product of several matrices, in the order of products that costs least.

    >>> multi_dot([[[1, 2]], [[1], [1]], [[3]]]).to_python()
    [[9]]
    """
    parts = buffers_of("multi_dot", arrays)
    if len(parts) < 2:
        raise ArgumentError(f"multi_dot needs at least 2 matrices, got {len(parts)}")
    row, column = parts[0].ndim == 1, parts[-1].ndim == 1
    if row:
        parts[0] = parts[0].reshape(1, -1)
    if column:
        parts[-1] = parts[-1].reshape(-1, 1)
    if any(x.ndim != 2 for x in parts):
        raise LinAlgError("multi_dot needs matrices of 2 dimensions between its ends")
    product = reduce(matmul, parts) if len(parts) == 2 else _product(parts, _order(parts))
    shape = product.shape[int(row) : 2 - int(column)]
    return into("multi_dot", out, product.reshape(shape))


def _order(parts: list[Buffer]) -> dict[tuple[int, int], int]:
    """Where to split each chain of factors: Cormen et al., Introduction to Algorithms, 15.2."""
    extents = [x.shape[0] for x in parts] + [parts[-1].shape[1]]
    cost = {(i, i): 0 for i in range(len(parts))}
    split: dict[tuple[int, int], int] = {}
    for length in range(1, len(parts)):
        for first in range(len(parts) - length):
            last = first + length
            choices = [
                (
                    cost[first, cut]
                    + cost[cut + 1, last]
                    + extents[first] * extents[cut + 1] * extents[last + 1],
                    cut,
                )
                for cut in range(first, last)
            ]
            cost[first, last], split[first, last] = min(choices)
    return split


def _product(parts: list[Buffer], split: dict[tuple[int, int], int]) -> Buffer:
    def chain(first: int, last: int) -> Buffer:
        if first == last:
            return parts[first]
        cut = split[first, last]
        return matmul(chain(first, cut), chain(cut + 1, last))

    return chain(0, len(parts) - 1)


@public
def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    """The solution with the least squares, the residuals, the rank and the singular values."""
    given = (buffer_of("lstsq", a), buffer_of("lstsq", b), rcond)
    solution, residuals, rank, values = on_arrays(Buffer, np.linalg.lstsq, given, {})
    number = Buffer._value(Number.of(np.int32(int(rank)), dtypes.int32))
    return solution, residuals, number, values


@public
def cond(x: Any, p: Any = None) -> Buffer:
    """How many digits solving with a matrix may lose: the product of its norm and its inverse's."""
    return on_arrays(Buffer, np.linalg.cond, (buffer_of("cond", x), p), {})  # type: ignore[no-any-return]


@public
def tensorsolve(a: Any, b: Any, axes: Any = None) -> Buffer:
    """The solution ``x`` of ``tensordot(a, x, x.ndim) == b``."""
    return on_arrays(Buffer, np.linalg.tensorsolve, (a, b, axes), {})  # type: ignore[no-any-return]


@public
def tensorinv(a: Any, ind: int = 2) -> Buffer:
    """The inverse of `tensordot` with ``a`` over its first ``ind`` axes."""
    return on_arrays(Buffer, np.linalg.tensorinv, (a, ind), {})  # type: ignore[no-any-return]
