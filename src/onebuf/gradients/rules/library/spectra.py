"""Rules of decompositions: eigenvalues, singular values, and orthonormal factors.

Each result of a decomposition has a gradient of its own, and the decomposition itself is not
computed again: a rule asks for the other results of the same call. Vectors are found up to a sign
or a phase, and vectors of equal values up to a rotation, so a function of them has a gradient only
if it does not depend on that choice; then the terms that would divide by zero do not count, and are
left out.
"""

from __future__ import annotations

from onebuf.dtypes import kind
from onebuf.gradients.rules.arithmetic import (
    add,
    call,
    conj,
    fitted,
    multiply,
    square,
    subtract,
)
from onebuf.gradients.rules.library.linalg import One, keyword
from onebuf.gradients.rules.library.matrix import (
    adjoint,
    columns,
    lower,
    on_diagonal,
    over,
    product,
    rows,
    symmetrized,
)
from onebuf.gradients.rules.table import differentiates_call, not_differentiable
from onebuf.graph import REDUCE, Node
from onebuf.ops import cast, concat, index, reduce, take_along_axis
from onebuf.ops import diagonal as diagonal_of
from onebuf.ops.library import sibling
from onebuf.ops.numpy import lapack
from onebuf.ops.numpy.lapack import complex_of, real_of


@differentiates_call("eigh")
def _eigh(node: Node, g: Node) -> One:
    """dw = diag(V^H dA V), dV = V (F * V^H dA V) with F_ij = 1 / (w_j - w_i)."""
    (a,) = node.srcs
    vectors = sibling(node, 1, a.shape, a.dtype)
    if node.arg.number == 0:
        return (_of_values(vectors, g),)
    values = sibling(node, 0, a.shape[:-1], real_of(a.dtype))
    inner = over(product(adjoint(vectors), g), _gaps(values))
    return (symmetrized(product(vectors, inner, adjoint(vectors))),)


@differentiates_call("eigvalsh")
def _eigvalsh(node: Node, g: Node) -> One:
    """As those of `eigh`, which has the vectors too."""
    (a,) = node.srcs
    _, vectors = lapack.eigh(a, keyword(node, "UPLO", "L"))
    return (_of_values(vectors, g),)


def _of_values(vectors: Node, g: Node) -> Node:
    return product(multiply(vectors, rows(g)), adjoint(vectors))


def _gaps(values: Node) -> Node:
    """``w_j - w_i`` in row i and column j."""
    return subtract(rows(values), columns(values))


@differentiates_call("eig")
def _eig(node: Node, g: Node) -> One:
    """dw = diag(V^-1 dA V), dV = V (F * V^-1 dA V) at a constant length of the vectors.

    Boeddeker et al., On the computation of complex-valued gradients, arXiv:1701.00392.
    """
    (a,) = node.srcs
    dtype = complex_of(a.dtype)
    vectors = sibling(node, 1, a.shape, dtype)
    across = adjoint(vectors)
    if node.arg.number == 0:
        return (fitted(lapack.solve(across, multiply(columns(g), across)), a),)
    values = sibling(node, 0, a.shape[:-1], dtype)
    inner = product(across, g)
    lengths = cast(call("real", diagonal_of(inner, 0, -2, -1)), dtype)
    inner = subtract(inner, multiply(product(across, vectors), rows(lengths)))
    inner = over(inner, conj(_gaps(values)))
    return (fitted(lapack.solve(across, product(inner, across)), a),)


@differentiates_call("eigvals")
def _eigvals(node: Node, g: Node) -> One:
    """As those of `eig`, which may have them in another order: the nearest ones are the same."""
    (a,) = node.srcs
    values, vectors = lapack.eig(a)
    distances = call("abs", subtract(columns(values), rows(node)))
    g = take_along_axis(g, reduce(REDUCE["argmin"], distances, -1), -1)
    across = adjoint(vectors)
    return (fitted(lapack.solve(across, multiply(columns(g), across)), a),)


@differentiates_call("svd")
def _svd(node: Node, g: Node) -> One:
    """dS = Re diag(U^H dA V); dU and dV solve Sylvester equations, which are diagonal.

    Townsend, Differentiating the singular value decomposition (2016).
    """
    (a,) = node.srcs
    *batch, height, width = a.shape
    inner = min(height, width)
    is_full = keyword(node, "full_matrices", True)
    number = node.arg.number
    left = sibling(node, 0, (*batch, height, height if is_full else inner), a.dtype)
    values = sibling(node, 1, (*batch, inner), real_of(a.dtype))
    right = sibling(node, 2, (*batch, width if is_full else inner, width), a.dtype)
    if number != 1 and node.shape[-2:] != ((height, inner), (), (inner, width))[number]:
        raise not_differentiable(
            node,
            "svd",
            "whose vectors beyond the singular values are arbitrary; pass full_matrices=False",
        )
    left = index(left, (..., slice(0, inner)))
    right = index(right, (..., slice(0, inner), slice(None)))
    if number == 1:
        found = product(multiply(left, rows(g)), right)
    elif number == 0:
        found = _of_left(left, values, right, g)
    else:
        found = adjoint(_of_left(adjoint(right), values, adjoint(left), adjoint(g)))
    return (symmetrized(found) if keyword(node, "hermitian", False) else found,)


def _of_left(left: Node, values: Node, right: Node, g: Node) -> Node:
    """The gradient of a matrix through its left vectors; through the right ones of its adjoint."""
    inner = product(adjoint(left), g)
    turns = over(subtract(inner, adjoint(inner)), _gaps(square(values)))
    turns = multiply(turns, rows(values))
    if kind(g.dtype) == "c":  # half of a phase that both vectors share
        phases = multiply(call("imag", diagonal_of(inner, 0, -2, -1)), 0.5)
        phases = multiply(cast(over(phases, values), g.dtype), 1j)
        turns = on_diagonal(turns, columns(phases))
    found = product(left, turns, right)
    if left.shape[-2] == left.shape[-1]:
        return found
    beside = subtract(g, product(left, inner))
    return add(found, product(over(beside, rows(values)), right))


@differentiates_call("svdvals")
def _svdvals(node: Node, g: Node) -> One:
    """As those of `svd`, which has the vectors too."""
    left, _, right = lapack.svd(node.srcs[0])
    return (product(multiply(left, rows(g)), right),)


@differentiates_call("qr")
def _qr(node: Node, g: Node) -> One:
    """dR = (C - X) R and dQ = Q X + (I - Q Q^H) dA R^-1, with C = Q^H dA R^-1, X its skew part.

    Of a wide matrix [A, B] the factors are those of A, and Q^H B; Roberts and Roberts, QR and LQ
    decomposition matrix backpropagation algorithms, arXiv:2009.10071.
    """
    (a,) = node.srcs
    *batch, height, width = a.shape
    inner = min(height, width)
    if keyword(node, "mode", "reduced") == "complete" and height > width:
        raise not_differentiable(
            node, "qr", "whose columns beyond the matrix are arbitrary; use mode='reduced'"
        )
    q = sibling(node, 0, (*batch, height, inner), a.dtype)
    r = sibling(node, 1, (*batch, inner, width), a.dtype)
    square_part = (..., slice(0, inner))
    rest = (..., slice(inner, None))
    of_q = g if node.arg.number == 0 else None
    of_r = g if node.arg.number == 1 else None
    beyond = None
    if width > height:
        beyond = multiply(index(a, rest), 0.0)
        if of_r is not None:
            beyond = product(q, index(of_r, rest))
            of_q = product(index(a, rest), adjoint(index(of_r, rest)))
            of_r = index(of_r, square_part)
        r = index(r, square_part)
    parts = []
    if of_q is not None:
        turned = product(adjoint(q), of_q)
        parts.append(add(of_q, product(q, subtract(_skewed(turned), turned))))
    if of_r is not None:
        turned = product(of_r, adjoint(r))
        parts.append(product(q, subtract(turned, _skewed(turned))))
    found = parts[0] if len(parts) == 1 else add(*parts)
    found = adjoint(lapack.solve(r, adjoint(found)))
    return (found if beyond is None else concat([found, beyond], -1),)


def _skewed(x: Node) -> Node:
    """The adjoint of taking the skew-Hermitian matrix that has the lower triangle of another."""
    found = lower(subtract(x, adjoint(x)), -1)
    if kind(x.dtype) != "c":
        return found
    imaginary = multiply(cast(call("imag", x), x.dtype), 1j)
    return on_diagonal(found, imaginary)
