"""Products of vectors and matrices that NumPy has at its root beyond the standard."""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf import ops
from onebuf.array_api.arguments import buffer_of, into, node_of, public
from onebuf.array_api.linear_algebra import tensordot
from onebuf.buffer import Buffer
from onebuf.buffer.native_core import delegate
from onebuf.buffer.numpy.calls import on_arrays
from onebuf.dtypes import kind
from onebuf.errors import ShapeError
from onebuf.native import quick


@quick("matmul")
@public
def dot(a: Any, b: Any, out: Any = None) -> Buffer:
    """The sum of products over the last axis of ``a`` and the last but one of ``b``.

    >>> dot([1, 2], [3, 4]).item()
    11
    """
    one, two = node_of("dot", a, "a"), node_of("dot", b, "b")
    if not one.shape or not two.shape:
        result = buffer_of("dot", a) * buffer_of("dot", b)
    elif len(one.shape) <= 2 and len(two.shape) <= 2:
        result = Buffer._value(ops.matmul(one, two))
    else:
        axis = -2 if len(two.shape) > 1 else -1
        result = tensordot(Buffer._value(one), Buffer._value(two), ((-1,), (axis,)))
    return result if out is None else into("dot", out, result)


@public
def vdot(a: Any, b: Any, /) -> Buffer:
    """The sum of products of all elements, those of ``a`` conjugated."""
    one, two = (buffer_of("vdot", x).reshape(-1) for x in (a, b))
    return dot(one.conj() if kind(one.dtype) == "c" else one, two)


@public
def inner(a: Any, b: Any, /) -> Buffer:
    """The sum of products over the last axes of both.

    >>> inner([[1, 0], [0, 2]], [3, 4]).to_python()
    [3, 8]
    """
    one, two = buffer_of("inner", a), buffer_of("inner", b)
    if not one.ndim or not two.ndim:
        return one * two
    if one.ndim == two.ndim == 1:
        return one @ two
    return tensordot(one, two, ((-1,), (-1,)))


@delegate(np.outer)
@public
def outer(a: Any, b: Any, out: Any = None) -> Buffer:
    """Every product of a flat element of one with one of the other."""
    one, two = (buffer_of("outer", x).reshape(-1) for x in (a, b))
    return into("outer", out, one.expand_dims(1) * two)


@public
def kron(a: Any, b: Any) -> Buffer:
    """Every element of ``a`` times all of ``b``, in the place of that element.

    >>> kron([1, 10], [1, 2]).to_python()
    [1, 2, 10, 20]
    """
    one, two = buffer_of("kron", a), buffer_of("kron", b)
    ndim = max(one.ndim, two.ndim)
    left = (1,) * (ndim - one.ndim) + one.shape
    right = (1,) * (ndim - two.ndim) + two.shape
    wide = [extent for pair in zip(left, (1,) * ndim, strict=True) for extent in pair]
    narrow = [extent for pair in zip((1,) * ndim, right, strict=True) for extent in pair]
    product = one.reshape(wide) * two.reshape(narrow)
    return product.reshape([x * y for x, y in zip(left, right, strict=True)])


@public
def trace(
    a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None
) -> Buffer:
    """The sum along a diagonal."""
    diagonal_of = buffer_of("trace", a, "a").diagonal(offset, axis1, axis2)
    return into("trace", out, diagonal_of.sum(-1, dtype))


@public
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Buffer:
    """A view of a diagonal of two axes, as the last axis."""
    return buffer_of("diagonal", a, "a").diagonal(offset, axis1, axis2)


@public
def matvec(x1: Any, x2: Any, /) -> Buffer:
    """Matrices times vectors, broadcast over the other axes."""
    one, two = buffer_of("matvec", x1), buffer_of("matvec", x2)
    if one.ndim < 2 or not two.ndim:
        raise ShapeError(f"matvec needs matrices and vectors, got {one.shape} and {two.shape}")
    return (one @ two.expand_dims(-1)).squeeze(-1)


@public
def vecmat(x1: Any, x2: Any, /) -> Buffer:
    """Conjugated vectors times matrices, broadcast over the other axes."""
    one, two = buffer_of("vecmat", x1), buffer_of("vecmat", x2)
    if not one.ndim or two.ndim < 2:
        raise ShapeError(f"vecmat needs vectors and matrices, got {one.shape} and {two.shape}")
    first = one.conj() if kind(one.dtype) == "c" else one
    return (first.expand_dims(-2) @ two).squeeze(-2)


@public
def einsum_path(*operands: Any, optimize: Any = "greedy", einsum_call: bool = False) -> Any:
    """NumPy's order of contractions for `einsum`, and a description of it."""
    named = {"optimize": optimize, "einsum_call": einsum_call}
    return on_arrays(Buffer, np.einsum_path, operands, named)
