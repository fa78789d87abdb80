"""Rules of norms, of vectors along axes and of matrices in the last two.

Where several elements, sums or singular values are the largest, they share the gradient, as in
`max`. A norm has no slope at zero: there the gradient is zero.
"""

from __future__ import annotations

from math import inf

from onebuf.dtypes import kind
from onebuf.gradients.rules.arithmetic import (
    call,
    compare,
    divide,
    fitted,
    multiply,
    total,
    where,
)
from onebuf.gradients.rules.library.linalg import One, keyword
from onebuf.gradients.rules.library.matrix import over, product, rows
from onebuf.gradients.rules.table import differentiates_call
from onebuf.graph import BINARY, REDUCE, Node
from onebuf.ops import binary, cast, constant, expand, reduce, reshape
from onebuf.ops.numpy import lapack


@differentiates_call("vector_norm")
def _vector_norm(node: Node, g: Node) -> One:
    (x,) = node.srcs
    axes, order = keyword(node, "axis"), keyword(node, "ord")
    g = _kept(x, g, axes)
    if order == 0:
        return (None,)  # it counts
    if order == 2:
        return (fitted(multiply(g, over(x, _kept(x, node, axes))), x),)
    slope = _direction(x)
    if order != 1:
        sizes = call("abs", x)
        if order in (inf, -inf):
            g = _shared(sizes, g, axes, order > 0)
        else:
            g = multiply(g, _power(over(sizes, _kept(x, node, axes)), float(order) - 1.0))
    return (fitted(multiply(slope, g), x),)


@differentiates_call("matrix_norm")
def _matrix_norm(node: Node, g: Node) -> One:
    (x,) = node.srcs
    ndim = len(x.shape)
    both = (ndim - 2, ndim - 1)
    order = keyword(node, "ord")
    g = _kept(x, g, both)
    if order == "fro":
        return (fitted(multiply(g, over(x, _kept(x, node, both))), x),)
    if order in (1, -1, inf, -inf):
        summed, other = (ndim - 2, ndim - 1) if order in (1, -1) else (ndim - 1, ndim - 2)
        sums = total(call("abs", x), (summed,), keepdims=True)
        return (fitted(multiply(_direction(x), _shared(sums, g, (other,), order > 0)), x),)
    left, values, right = lapack.svd(x)
    weights = rows(values)
    if order == "nuc":
        weights = where(compare("greater", weights, 0), expand(g, weights.shape), 0)
    else:
        weights = _shared(weights, g, (ndim - 1,), order > 0)
    return (fitted(product(multiply(left, weights), right), x),)


def _kept(x: Node, result: Node, axes: tuple[int, ...]) -> Node:
    """A result along ``axes`` of ``x``, with those axes."""
    return reshape(result, [1 if n in axes else extent for n, extent in enumerate(x.shape)])


def _direction(x: Node) -> Node:
    """The slope of the absolute value: the sign, and 0 at 0."""
    return over(x, call("abs", x)) if kind(x.dtype) == "c" else call("sign", x)


def _power(x: Node, exponent: float) -> Node:
    """A power of what is not negative, and 1 at 0, where no direction multiplies it."""
    one = constant((), 1, x.dtype)
    return binary(BINARY["pow"], where(compare("equal", x, 0), one, x), exponent)


def _shared(x: Node, g: Node, axes: tuple[int, ...], is_largest: bool) -> Node:
    """``g`` at the extremes of ``x`` along ``axes``, in equal shares; zero elsewhere."""
    extreme = reduce(REDUCE["max" if is_largest else "min"], x, axes, True)
    is_extreme = compare("equal", x, extreme)
    number = total(cast(is_extreme, g.dtype), axes, keepdims=True)
    return where(is_extreme, divide(g, number), 0)
