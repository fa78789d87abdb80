"""Functions of `numpy.linalg` as operations of ours, for buffers that are traced.

As in `onebuf.numpy_api.by_operations`; plain buffers never come here.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from onebuf.array_api.arguments import buffer_of
from onebuf.array_api.elementwise import abs
from onebuf.array_api.manipulation import moveaxis
from onebuf.buffer import Buffer
from onebuf.errors import NotDifferentiable
from onebuf.layout import normalize_axes
from onebuf.linalg import standard


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Buffer:
    """The norm of vectors along one axis, or of matrices along two."""
    buffer = buffer_of("norm", x)
    axes = normalize_axes(axis, buffer.ndim, "norm")
    if len(axes) == 1:
        return standard.vector_norm(buffer, axis=axes, keepdims=keepdims, ord=ord)
    moved = moveaxis(buffer, axes, (-2, -1))
    found = standard.matrix_norm(moved, ord="fro" if ord is None else ord)
    return found.expand_dims(axes) if keepdims else found


def cond(x: Any, p: Any = None) -> Buffer:
    """The product of the norms of matrices and of their inverses."""
    if p in (None, 2, -2):
        values = standard.svdvals(x)
        largest, smallest = values[..., 0:1].squeeze(-1), values[..., -1:].squeeze(-1)
        return smallest / largest if p == -2 else largest / smallest
    matrix = buffer_of("cond", x)
    return norm(matrix, p, (-2, -1)) * norm(standard.inv(matrix), p, (-2, -1))


def tensorsolve(a: Any, b: Any, axes: Any = None) -> Buffer:
    """The solution ``x`` of ``tensordot(a, x, x.ndim) == b``."""
    left, right = buffer_of("tensorsolve", a), buffer_of("tensorsolve", b)
    if axes is not None:
        last = normalize_axes(axes, left.ndim, "tensorsolve")
        left = left.permute([*[n for n in range(left.ndim) if n not in last], *last])
    shape = left.shape[right.ndim :]
    matrix = left.reshape(-1, prod(shape))
    return standard.solve(matrix, right.reshape(-1)).reshape(shape)


def tensorinv(a: Any, ind: int = 2) -> Buffer:
    """The inverse of `tensordot` with ``a`` over its first ``ind`` axes."""
    x = buffer_of("tensorinv", a)
    first, last = x.shape[:ind], x.shape[ind:]
    return standard.inv(x.reshape(prod(first), -1)).reshape((*last, *first))


def qr(a: Any, mode: str = "reduced") -> Any:
    """Both factors, or the triangular one alone."""
    if mode in ("reduced", "complete"):
        return standard.qr(a, mode)
    if mode != "r":
        raise NotDifferentiable(
            f"qr with mode={mode!r} gives reflections, which have no gradient; use mode='reduced'"
        )
    return standard.qr(a).R


def lstsq(a: Any, b: Any, rcond: Any = None) -> tuple[Buffer, ...]:
    """The solution with the least squares, the residuals, the rank and the singular values."""
    left, right = buffer_of("lstsq", a), buffer_of("lstsq", b)
    values = standard.svdvals(left)
    rows, columns = left.shape
    share = np.finfo(values.dtype).eps * max(rows, columns) if rcond is None else rcond
    rank = (values > share * values[0]).sum()
    solution = standard.pinv(left, rtol=float(share)) @ right
    if rows <= columns or int(rank) < columns:
        return solution, values[:0], rank, values
    residuals = (abs(left @ solution - right) ** 2).sum(0)
    return solution, residuals.reshape(-1), rank, values


_SAME = (
    *("cholesky", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv"),
    *("matrix_norm", "matrix_power", "outer", "pinv", "slogdet", "solve", "svd", "svdvals"),
    *("trace", "vector_norm"),
)
"""Functions that are operations of ours for all buffers, under NumPy's names."""

BY_OPERATIONS: dict[Any, Callable[..., Any]] = {
    **{getattr(np.linalg, name): getattr(standard, name) for name in _SAME},
    np.linalg.cond: cond,
    np.linalg.lstsq: lstsq,
    np.linalg.norm: norm,
    np.linalg.qr: qr,
    np.linalg.tensorinv: tensorinv,
    np.linalg.tensorsolve: tensorsolve,
}
"""By function of NumPy: ours, which takes those of its arguments that it knows."""
