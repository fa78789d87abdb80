"""Matrix algebra in the last two axes: what rules of linear algebra are written in."""

from __future__ import annotations

import numpy as np

from onebuf.dtypes import bool as bool_
from onebuf.gradients.rules.arithmetic import add, compare, conj, divide, multiply, subtract, where
from onebuf.graph import Node
from onebuf.machine import CPU
from onebuf.ops import constant, expand_dims, library, matmul, permute


def transposed(x: Node) -> Node:
    """A view of matrices with rows and columns exchanged."""
    ndim = len(x.shape)
    return permute(x, (*range(ndim - 2), ndim - 1, ndim - 2))


def adjoint(x: Node) -> Node:
    """The conjugate transpose."""
    return conj(transposed(x))


def product(*factors: Node) -> Node:
    """The product of matrices, from the left to the right."""
    first, *others = factors
    for factor in others:
        first = matmul(first, factor)
    return first


def symmetrized(x: Node) -> Node:
    """The Hermitian matrix next to ``x``: the mean of it and its adjoint."""
    return multiply(add(x, adjoint(x)), 0.5)


def rows(x: Node) -> Node:
    """Vectors as matrices of one row: a factor for each column."""
    return expand_dims(x, -2)


def columns(x: Node) -> Node:
    """Vectors as matrices of one column: a factor for each row."""
    return expand_dims(x, -1)


def scalars(x: Node) -> Node:
    """Numbers as matrices of one element: a factor for each matrix."""
    return expand_dims(x, (-2, -1))


def lower(x: Node, k: int = 0) -> Node:
    """``x`` with zeros above diagonal ``k``."""
    return where(_is_lower(x, k), x, 0)


def on_diagonal(x: Node, values: Node) -> Node:
    """``x`` with ``values``, broadcast, on its diagonal."""
    return where(_is_diagonal(x), values, x)


def minus_identity(x: Node) -> Node:
    """``x - I``."""
    return where(_is_diagonal(x), subtract(x, 1.0), x)


def _is_lower(x: Node, k: int) -> Node:
    extents = x.shape[-2:]
    device = x.device or CPU
    return library(np.tri, (), (*extents, k, bool_), extents, bool_, "tri", device)


def _is_diagonal(x: Node) -> Node:
    extents = x.shape[-2:]
    device = x.device or CPU
    return library(np.eye, (), (*extents, 0, bool_), extents, bool_, "eye", device)


def over(x: Node, divisor: Node) -> Node:
    """``x / divisor``, and 0 where that would be a division by zero."""
    is_zero = compare("equal", divisor, 0)
    quotient = divide(x, where(is_zero, constant((), 1, divisor.dtype), divisor))
    return where(is_zero, constant((), 0, quotient.dtype), quotient)
