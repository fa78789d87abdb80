"""Linear algebra by NumPy's LAPACK: matrices in the last two axes, as nodes of the graph.

Operands are floating, and square where they have to be: the functions of the namespace check that
(`onebuf.linalg`), and gradient rules, which are made of the same nodes, know it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from onebuf.dtypes import DT, Array, complex64, promote
from onebuf.errors import ArgumentError, MatrixError
from onebuf.graph import Node
from onebuf.layout import broadcast_shapes
from onebuf.ops.apply import cast
from onebuf.ops.library import library, several


@dataclass(frozen=True, slots=True)
class Routine:
    """A function of `numpy.linalg` by name, whose failures are errors of ours."""

    name: str
    keywords: tuple[tuple[str, Any], ...] = ()

    def __call__(self, *arrays: Array) -> Any:
        """What NumPy finds."""
        try:
            return getattr(np.linalg, self.name)(*arrays, **dict(self.keywords))
        except np.linalg.LinAlgError as error:
            raise MatrixError(f"{self.name} cannot handle this matrix: {error}") from None
        except ValueError as error:  # such as a norm of no elements
            raise ArgumentError(f"{self.name} cannot handle this matrix: {error}") from None


class ComplexRoutine(Routine):
    """One that gives real numbers where it can, and must not: types do not hang on values."""

    __slots__ = ()

    def __call__(self, *arrays: Array) -> Any:
        """What NumPy finds, as complex numbers."""
        dtype = complex_of(arrays[0].dtype)
        return [part.astype(dtype, copy=False) for part in Routine.__call__(self, *arrays)]


def call(routine: Routine, nodes: tuple[Node, ...], shape: tuple[int, ...], dtype: DT) -> Node:
    """The one result of ``routine``."""
    return library(routine, nodes, (), shape, dtype, routine.name)


def inv(x: Node) -> Node:
    """The inverse."""
    return call(Routine("inv"), (x,), x.shape, x.dtype)


def matrix_power(x: Node, n: int) -> Node:
    """``x`` multiplied with itself ``n`` times, its inverse if that is negative."""
    return call(Routine("matrix_power", (("n", n),)), (x,), x.shape, x.dtype)


def solve(a: Node, b: Node) -> Node:
    """The solution ``x`` of ``a @ x == b``; ``b`` is a vector if it has one dimension."""
    dtype = promote(a.dtype, b.dtype)
    is_vector = len(b.shape) == 1
    batch = broadcast_shapes(a.shape[:-2], () if is_vector else b.shape[:-2])
    shape = (*batch, a.shape[-1], *(() if is_vector else b.shape[-1:]))
    return call(Routine("solve"), (cast(a, dtype), cast(b, dtype)), shape, dtype)


def eig(x: Node) -> tuple[Node, ...]:
    """The eigenvalues and eigenvectors."""
    dtype = complex_of(x.dtype)
    return _several(ComplexRoutine("eig"), x, (x.shape[:-1], dtype), (x.shape, dtype))


def eigh(x: Node, UPLO: str = "L") -> tuple[Node, ...]:
    """The eigenvalues and eigenvectors of Hermitian matrices, of which one triangle is read."""
    values, vectors = (x.shape[:-1], real_of(x.dtype)), (x.shape, x.dtype)
    return _several(Routine("eigh", (("UPLO", UPLO),)), x, values, vectors)


def qr(x: Node, mode: str = "reduced") -> tuple[Node, ...]:
    """Orthonormal columns, and an upper triangular matrix."""
    *batch, rows, columns = x.shape
    inner = rows if mode == "complete" else min(rows, columns)
    q, r = ((*batch, rows, inner), x.dtype), ((*batch, inner, columns), x.dtype)
    return _several(Routine("qr", (("mode", mode),)), x, q, r)


def slogdet(x: Node) -> tuple[Node, ...]:
    """The sign and the logarithm of the size of the determinant."""
    sign, size = (x.shape[:-2], x.dtype), (x.shape[:-2], real_of(x.dtype))
    return _several(Routine("slogdet"), x, sign, size)


def svd(x: Node, full_matrices: bool = False, hermitian: bool = False) -> tuple[Node, ...]:
    """Left vectors, singular values and right vectors."""
    *batch, rows, columns = x.shape
    inner = min(rows, columns)
    keywords = (("full_matrices", full_matrices), ("hermitian", hermitian))
    return _several(
        Routine("svd", keywords),
        x,
        ((*batch, rows, rows if full_matrices else inner), x.dtype),
        ((*batch, inner), real_of(x.dtype)),
        ((*batch, columns if full_matrices else inner, columns), x.dtype),
    )


def _several(routine: Routine, x: Node, *kinds: tuple[tuple[int, ...], DT]) -> tuple[Node, ...]:
    return several(routine, (x,), (), kinds, routine.name)


def real_of(dtype: DT) -> DT:
    """The dtype of the parts of complex numbers.

    >>> real_of(np.dtype("complex64")), real_of(np.dtype("float64"))
    (dtype('float32'), dtype('float64'))
    """
    return np.empty(0, dtype).real.dtype


def complex_of(dtype: DT) -> DT:
    """The dtype of complex numbers with parts of ``dtype``.

    >>> complex_of(np.dtype("float32"))
    dtype('complex64')
    """
    return promote(dtype, complex64)
