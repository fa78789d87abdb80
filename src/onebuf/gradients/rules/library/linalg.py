"""Rules of linear algebra that needs no spectrum: solutions, inverses, determinants, triangles.

With ``Y`` the result and ``A`` the operand, each rule is the adjoint of the differential that its
docstring gives. A function that reads one triangle of a matrix because it takes it for Hermitian
has a Hermitian gradient, as in torch and jax.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.dtypes import Array, kind
from onebuf.gradients.rules.arithmetic import (
    add,
    along,
    call,
    conj,
    fitted,
    multiply,
    negative,
    subtract,
    total,
)
from onebuf.gradients.rules.library.matrix import (
    adjoint,
    columns,
    lower,
    minus_identity,
    on_diagonal,
    product,
    scalars,
    symmetrized,
    transposed,
)
from onebuf.gradients.rules.table import call_name, differentiates_call
from onebuf.graph import Node
from onebuf.ops import cast, concat, constant, expand, index, library
from onebuf.ops import diagonal as diagonal_of
from onebuf.ops.library import LibraryCall, Part
from onebuf.ops.numpy import lapack

One = tuple[Node | None]


def keyword(node: Node, name: str, default: Any = None) -> Any:
    """The argument that a routine of LAPACK was called with."""
    call: LibraryCall = node.arg.shared.call if isinstance(node.arg, Part) else node.arg
    function: Any = call.function
    return dict(function.keywords).get(name, default)


@differentiates_call("inv")
def _inv(node: Node, g: Node) -> One:
    """dY = -Y dA Y."""
    across = adjoint(node)
    return (negative(product(across, g, across)),)


@differentiates_call("solve")
def _solve(node: Node, g: Node) -> tuple[Node, Node]:
    """dX = A^-1 (dB - dA X)."""
    a, b = node.srcs
    if len(b.shape) == 1:
        g, x = columns(g), columns(node)
    else:
        x = node
    right = lapack.solve(adjoint(a), g)
    left = negative(product(right, adjoint(x)))
    if len(b.shape) == 1:
        right = index(right, (..., 0))
    return fitted(left, a), fitted(right, b)


@differentiates_call("matrix_power")
def _matrix_power(node: Node, g: Node) -> One:
    """The derivative of a function of matrices is a block of that function of [[A, dA], [0, A]].

    Higham, Functions of Matrices, theorem 3.6.
    """
    across = adjoint(node.srcs[0])
    extent = node.shape[-1]
    nothing = expand(constant((), 0, node.dtype), node.shape)
    upper = concat([across, g], -1)
    power = lapack.matrix_power(concat([upper, concat([nothing, across], -1)], -2), _exponent(node))
    return (index(power, (..., slice(0, extent), slice(extent, None))),)


def _exponent(node: Node) -> int:
    return int(keyword(node, "n"))


@differentiates_call("det")
def _det(node: Node, g: Node) -> One:
    """dY = tr(C^T dA) with the cofactors C, which singular matrices have too."""
    (a,) = node.srcs
    return (along(scalars(g), cofactors(a)),)


def cofactors(a: Node) -> Node:
    """The derivative of the determinant with respect to each element."""
    return library(_cofactors, (a,), (), a.shape, a.dtype, "cofactors")


def _cofactors(a: Array) -> Array:
    """By singular values: ``det(U) det(V^H) conj(U) diag(the product of the others) conj(V^H)``."""
    left, values, right = np.linalg.svd(a)
    ones = np.ones_like(values[..., :1])
    before = np.cumprod(np.concatenate([ones, values[..., :-1]], -1), -1)[..., : values.shape[-1]]
    after = np.cumprod(np.concatenate([ones, values[..., :0:-1]], -1), -1)[..., : values.shape[-1]]
    others = before * after[..., ::-1]
    turn = (np.linalg.det(left) * np.linalg.det(right))[..., None, None]
    return np.asarray(turn * ((left.conj() * others[..., None, :]) @ right.conj()), a.dtype)


@differentiates_call("cofactors")
def _second_det(node: Node, g: Node) -> One:
    """dC = C tr(A^-1 dA) - A^-T dA^T C; this one needs an inverse."""
    (a,) = node.srcs
    inverse = adjoint(lapack.inv(a))
    turned = conj(transposed(inverse))
    scale = total(multiply(g, conj(node)), (-2, -1), keepdims=True)
    back = product(conj(node), transposed(g), conj(transposed(turned)))
    return (subtract(multiply(inverse, scale), back),)


@differentiates_call("slogdet")
def _slogdet(node: Node, g: Node) -> One:
    """d(log|det A|) = Re tr(A^-1 dA); the sign turns by the imaginary part of it."""
    (a,) = node.srcs
    if node.arg.number == 1:
        return (multiply(adjoint(lapack.inv(a)), cast(scalars(g), a.dtype)),)
    if kind(a.dtype) != "c":
        return (None,)
    turn = call("imag", multiply(conj(g), node))
    return (multiply(multiply(adjoint(lapack.inv(a)), cast(scalars(turn), a.dtype)), -1j),)


@differentiates_call("cholesky")
def _cholesky(node: Node, g: Node) -> One:
    """dL = L P(L^-1 dA L^-H), where P keeps the lower triangle and half of the diagonal.

    Murray, Differentiation of the Cholesky decomposition, arXiv:1602.07527.
    """
    is_upper = keyword(node, "upper", False)
    factor, g = (adjoint(node), adjoint(g)) if is_upper else (node, g)
    across = adjoint(factor)
    inner = product(across, g)
    halves = multiply(columns(diagonal_of(inner, 0, -2, -1)), 0.5)
    inner = on_diagonal(lower(inner, -1), halves)
    half = lapack.solve(across, inner)
    return (symmetrized(adjoint(lapack.solve(across, adjoint(half)))),)


@differentiates_call("pinv")
def _pinv(node: Node, g: Node) -> One:
    """dY = -Y dA Y + Y Y^H dA^H (I - A Y) + (I - Y A) dA^H Y^H Y, at a constant rank.

    Golub and Pereyra, SIAM J. Numer. Anal. 10 (1973), theorem 4.3.
    """
    (a,) = node.srcs
    across, back = adjoint(node), adjoint(g)
    beside = negative(minus_identity(product(a, node)))
    behind = negative(minus_identity(product(node, a)))
    found = negative(product(across, g, across))
    found = add(found, product(beside, product(back, node), across))
    found = add(found, product(across, product(node, back), behind))
    return (symmetrized(found) if keyword(node, "hermitian", False) else found,)


@differentiates_call("cross")
def _cross(node: Node, g: Node) -> tuple[Node, Node]:
    """dY = dA x B + A x dB."""
    a, b = node.srcs

    def cross(x: Node, y: Node) -> Node:
        return library(node.arg.function, (x, y), (), node.shape, node.dtype, call_name(node))

    return cross(conj(b), g), cross(g, conj(a))
