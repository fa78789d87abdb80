"""Linear algebra: the linalg extension of the array API standard, computed by NumPy's LAPACK.

Results are nodes of the graph, those of a decomposition several that share one call. Integers
become float64 first. A matrix that a method cannot handle, such as a singular one, is an
`ArgumentError` that names the function, and NumPy's ``LinAlgError`` too. What programs ask by
trying, whether a matrix is singular or positive definite, is computed at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from onebuf import dtypes, ops
from onebuf.array_api.arguments import buffer_of, flag, node_of, number, public, whole
from onebuf.buffer import Buffer
from onebuf.buffer.native_core import delegate
from onebuf.buffer.numpy.calls import on_arrays
from onebuf.dtypes import DT
from onebuf.engine import look
from onebuf.errors import ArgumentError, DTypeError, MatrixError, ShapeError
from onebuf.graph import Node
from onebuf.layout import broadcast_shapes, normalize_axes, normalize_axis
from onebuf.ops.numpy import lapack, short_calls
from onebuf.ops.numpy.lapack import Routine, complex_of, real_of

MATRIX_NORMS = ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)


class Eigen(NamedTuple):
    """Eigenvalues and eigenvectors."""

    eigenvalues: Buffer
    eigenvectors: Buffer


class QR(NamedTuple):
    """An orthonormal and an upper triangular factor."""

    Q: Buffer
    R: Buffer


class SignedLogarithm(NamedTuple):
    """The sign of a determinant and the logarithm of its size."""

    sign: Buffer
    logabsdet: Buffer


class SVD(NamedTuple):
    """Left vectors, singular values and right vectors, so that x is U S Vh."""

    U: Buffer
    S: Buffer
    Vh: Buffer


@delegate(short_calls.cholesky)
@public
def cholesky(x: Any, /, *, upper: bool = False) -> Buffer:
    """The triangular factor of a Hermitian positive definite matrix.

    >>> cholesky(Buffer([[4.0, 2.0], [2.0, 5.0]])).to_python()
    [[2.0, 0.0], [1.0, 2.0]]
    """
    node = _square("cholesky", x)
    upper = flag("cholesky", "upper", upper)
    routine = Routine("cholesky", (("upper", upper),))
    return _call(routine, (node,), node.shape, node.dtype).realize()


@public
def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Buffer:
    """The cross product of vectors of 3 elements along ``axis``."""
    one, two = node_of("cross", x1), node_of("cross", x2)
    places = [normalize_axis(axis, len(node.shape), "cross") for node in (one, two)]
    if one.shape[places[0]] != 3 or two.shape[places[1]] != 3:
        raise ShapeError(
            f"cross needs 3 elements along axis {axis}, got shapes {one.shape} and {two.shape} "
            f"(both input arrays must be (arrays of) 3-dimensional vectors)"
        )
    shape = broadcast_shapes(one.shape, two.shape)
    place = places[0] - len(one.shape) + len(shape)
    dtype = dtypes.promote(one.dtype, two.dtype)
    if dtype == dtypes.bool:
        raise DTypeError(
            "cross needs numbers, got bool and bool; convert with astype('int8') first"
        )
    nodes = tuple([ops.expand(ops.cast(node, dtype), shape) for node in (one, two)])
    return _call(Routine("cross", (("axis", place),)), nodes, shape, dtype)


@delegate(short_calls.det)
@public
def det(x: Any, /) -> Buffer:
    """The determinant."""
    node = _square("det", x)
    return _call(Routine("det"), (node,), node.shape[:-2], node.dtype)


@public
def diagonal(x: Any, /, *, offset: int = 0) -> Buffer:
    """A view of the diagonal of the last two axes."""
    return _diagonal("diagonal", x, offset)


@public
def eig(x: Any, /) -> Eigen:
    """The eigenvalues and eigenvectors of a square matrix."""
    return Eigen(*_buffers(lapack.eig(_square("eig", x))))


@public
def eigh(x: Any, /, UPLO: str = "L") -> Eigen:
    """The eigenvalues and eigenvectors of a Hermitian matrix."""
    return Eigen(*_buffers(lapack.eigh(_square("eigh", x), _half("eigh", UPLO))))


@public
def eigvals(x: Any, /) -> Buffer:
    """The eigenvalues of a square matrix."""
    node = _square("eigvals", x)
    return _call(Routine("eigvals"), (node,), node.shape[:-1], complex_of(node.dtype))


@public
def eigvalsh(x: Any, /, UPLO: str = "L") -> Buffer:
    """The eigenvalues of a Hermitian matrix."""
    node = _square("eigvalsh", x)
    routine = Routine("eigvalsh", (("UPLO", _half("eigvalsh", UPLO)),))
    return _call(routine, (node,), node.shape[:-1], real_of(node.dtype))


@delegate(short_calls.inv)
@public
def inv(x: Any, /) -> Buffer:
    """The inverse."""
    return Buffer._value(lapack.inv(_square("inv", x))).realize()


@public
def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Buffer:
    """The norm of each matrix."""
    node = _matrix("matrix_norm", x)
    keepdims = flag("matrix_norm", "keepdims", keepdims)
    if ord not in MATRIX_NORMS:
        known = ", ".join(map(repr, MATRIX_NORMS))
        raise ArgumentError(f"matrix_norm needs ord to be one of {known}; got {ord!r}")
    shape = (*node.shape[:-2], 1, 1) if keepdims else node.shape[:-2]
    routine = Routine("matrix_norm", (("keepdims", keepdims), ("ord", ord)))
    return _call(routine, (node,), shape, real_of(node.dtype))


@public
def matrix_power(x: Any, n: int, /) -> Buffer:
    """A square matrix multiplied with itself ``n`` times, its inverse if negative."""
    node, n = _square("matrix_power", x), whole("matrix_power", "n", n)
    return Buffer._value(lapack.matrix_power(node, n))


@public
def matrix_rank(x: Any, /, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Buffer:
    """How many singular values are larger than ``rtol`` times the largest.

    Of a vector or a number: 1, unless all of it is zero.
    """
    if tol is not None and rtol is not None:
        raise ArgumentError("`tol` and `rtol` can't be both set. matrix_rank needs one at most")
    node = _floating("matrix_rank", x)
    if len(node.shape) < 2:
        return buffer_of("matrix_rank", x).any().astype(dtypes.int64)
    name = "rtol" if tol is None else "tol"
    tolerance = _tolerance("matrix_rank", rtol if tol is None else tol, node)
    keywords = ((name, tolerance), ("hermitian", hermitian))
    found = Routine("matrix_rank", keywords)(look(node, "matrix_rank"))
    return Buffer(np.asarray(found, np.int64), copy=True)


@public
def outer(x1: Any, x2: Any, /) -> Buffer:
    """Every product of an element of one vector with one of another."""
    x1, x2 = buffer_of("outer", x1, "x1"), buffer_of("outer", x2, "x2")
    if x1.ndim != 1 or x2.ndim != 1:
        raise ShapeError(f"outer needs two 1-d buffers, got shapes {x1.shape} and {x2.shape}")
    return x1.expand_dims(1) * x2  # type: ignore[no-any-return]


@public
def pinv(x: Any, /, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Buffer:
    """The pseudo-inverse."""
    node = _matrix("pinv", x)
    shape = (*node.shape[:-2], node.shape[-1], node.shape[-2])
    if rcond is not None and rtol is not None:
        raise ArgumentError("`rtol` and `rcond` can't be both set. pinv needs one at most")
    rtol = rcond if rtol is None else rtol
    keywords: tuple[tuple[str, Any], ...] = (("hermitian", hermitian),)
    if rtol is not None:
        keywords = (("rtol", _tolerance("pinv", rtol, node)), *keywords)
    routine = Routine("pinv", keywords)
    if isinstance(rtol, int | float | None):
        return _call(routine, (node,), shape, node.dtype)
    return Buffer(routine(look(node, "pinv")), copy=True)


@public
def qr(x: Any, /, mode: str = "reduced") -> Any:
    """Orthonormal columns times an upper triangular matrix."""
    if mode not in ("reduced", "complete", "r", "raw"):
        raise ArgumentError(f"qr needs mode 'reduced', 'complete', 'r' or 'raw', got {mode!r}")
    node = _matrix("qr", x)
    if mode in ("r", "raw"):
        return on_arrays(Buffer, np.linalg.qr, (Buffer._value(node), mode), {})
    return QR(*_buffers(lapack.qr(node, mode)))


@public
def slogdet(x: Any, /) -> SignedLogarithm:
    """The sign and the logarithm of the determinant."""
    return SignedLogarithm(*_buffers(lapack.slogdet(_square("slogdet", x))))


@delegate(short_calls.solve)
@public
def solve(x1: Any, x2: Any, /) -> Buffer:
    """The solution of the linear equations ``x1 @ x == x2``.

    >>> solve(Buffer([[2.0, 0.0], [0.0, 4.0]]), Buffer([2.0, 2.0])).to_python()
    [1.0, 0.5]
    """
    one, two = _square("solve", x1), _floating("solve", x2)
    rows = one.shape[-1]
    vector = len(two.shape) == 1
    if not two.shape:
        raise ShapeError("solve needs right-hand sides of at least 1 dimension, got shape ()")
    if two.shape[0 if vector else -2] != rows:
        raise ShapeError(
            f"solve needs {rows} right-hand rows for shape {one.shape}, got shape {two.shape}"
        )
    return Buffer._value(lapack.solve(one, two)).realize()


@public
def svd(
    x: Any,
    /,
    full_matrices: bool = True,
    compute_uv: bool = True,
    hermitian: bool = False,
) -> Any:
    """The singular value decomposition."""
    full_matrices = flag("svd", "full_matrices", full_matrices)
    node = _matrix("svd", x)
    if not compute_uv:
        return svdvals(Buffer._value(node))
    return SVD(*_buffers(lapack.svd(node, full_matrices, hermitian)))


@public
def svdvals(x: Any, /) -> Buffer:
    """The singular values, largest first."""
    node = _matrix("svdvals", x)
    shape = (*node.shape[:-2], min(node.shape[-2:]))
    return _call(Routine("svdvals"), (node,), shape, real_of(node.dtype))


@public
def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Buffer:
    """The sum along the diagonal of the last two axes."""
    parts = _diagonal("trace", x, offset)
    if dtype is not None:
        parts = parts.astype(dtype)
    total = parts.sum(-1)
    return total if dtype is None else total.astype(dtype, copy=False)


@public
def vector_norm(
    x: Any,
    /,
    *,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    ord: Any = 2,
) -> Buffer:
    """The norm of vectors along ``axis``."""
    node = _floating("vector_norm", x)
    keepdims, ord = flag("vector_norm", "keepdims", keepdims), number("vector_norm", "ord", ord)
    axes = normalize_axes(axis, len(node.shape), "vector_norm")
    kept = [1 if a in axes else n for a, n in enumerate(node.shape) if keepdims or a not in axes]
    routine = Routine("vector_norm", (("axis", axes), ("keepdims", keepdims), ("ord", ord)))
    return _call(routine, (node,), tuple(kept), real_of(node.dtype))


def _call(routine: Routine, nodes: tuple[Node, ...], shape: tuple[int, ...], dtype: DT) -> Buffer:
    return Buffer._value(lapack.call(routine, nodes, shape, dtype))


def _buffers(nodes: tuple[Node, ...]) -> list[Buffer]:
    return [Buffer._value(node) for node in nodes]


def _half(name: str, UPLO: str) -> str:
    """Which triangle a routine is to read, checked."""
    if not isinstance(UPLO, str) or UPLO.upper() not in ("L", "U"):
        raise ArgumentError(f"{name} needs UPLO 'L' or 'U', got {UPLO!r}")
    return UPLO


def _diagonal(name: str, x: Any, offset: int) -> Buffer:
    matrix = buffer_of(name, x)
    if matrix.ndim < 2:
        raise ShapeError(f"{name} needs at least 2 dimensions, got shape {matrix.shape}")
    return matrix.diagonal(whole(name, "offset", offset), -2, -1)


def _tolerance(name: str, rtol: Any, node: Node) -> Any:
    """What NumPy takes as a tolerance for each of the matrices of ``node``."""
    if isinstance(rtol, list | tuple | np.ndarray):
        rtol = buffer_of(name, rtol, "rtol")
    if not isinstance(rtol, Buffer):
        return None if rtol is None else number(name, "rtol", rtol)
    batch = node.shape[:-2]
    if dtypes.kind(rtol.dtype) != "f" or broadcast_shapes(rtol.shape, batch) != batch:
        raise ArgumentError(
            f"{name} needs real floating rtol for matrices of shape {batch}, got "
            f"{rtol.dtype.name} of shape {rtol.shape}"
        )
    return look(rtol._node, name)


def _floating(name: str, x: Any) -> Node:
    return ops.widened(node_of(name, x))


def _matrix(name: str, x: Any) -> Node:
    node = _floating(name, x)
    if len(node.shape) < 2:
        raise MatrixError(f"{name} needs at least 2 dimensions, got shape {node.shape}")
    return node


def _square(name: str, x: Any) -> Node:
    node = _matrix(name, x)
    if node.shape[-1] != node.shape[-2]:
        raise MatrixError(f"{name} needs square matrices, got shape {node.shape}")
    return node
