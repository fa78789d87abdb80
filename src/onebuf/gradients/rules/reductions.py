"""Rules of reductions: each element gets its share of the gradient of the result.

The extremes of several equal elements are shared evenly among them, as in jax. The gradient of a
product is made of the products of all elements before and after each one, never of a quotient, so
that zeros are elements like any other.
"""

from __future__ import annotations

from math import prod

from onebuf.gradients.rules.arithmetic import along, compare, divide, fitted, multiply, total, where
from onebuf.gradients.rules.scans import products_before
from onebuf.gradients.rules.table import differentiates, has_gradients
from onebuf.graph import REDUCE, Node
from onebuf.ops import cast, expand, flip, permute, reshape


@differentiates(REDUCE["sum"])
def _sum(node: Node, g: Node) -> tuple[Node | None]:
    (x,) = node.srcs
    return (fitted(expand(_kept(node, g), x.shape), x) if has_gradients(x.dtype) else None,)


@differentiates(REDUCE["max"], REDUCE["min"])
def _extreme(node: Node, g: Node) -> tuple[Node]:
    (x,) = node.srcs
    axes, _ = node.arg
    is_extreme = compare("equal", x, _kept(node, node))
    number = total(cast(is_extreme, g.dtype), axes, keepdims=True)
    share = divide(_kept(node, g), number)
    return (where(is_extreme, expand(share, x.shape), 0),)


@differentiates(REDUCE["prod"])
def _prod(node: Node, g: Node) -> tuple[Node | None]:
    (x,) = node.srcs
    if not has_gradients(x.dtype):
        return (None,)
    axes, _ = node.arg
    kept = [axis for axis in range(len(x.shape)) if axis not in axes]
    order = [*kept, *axes]
    shape = [x.shape[axis] for axis in order]
    rows = reshape(permute(x, order), (*shape[: len(kept)], prod(shape[len(kept) :])))
    last = len(kept)
    after = flip(products_before(flip(rows, (last,)), last), (last,))
    others = reshape(multiply(products_before(rows, last), after), shape)
    back = permute(others, [order.index(axis) for axis in range(len(order))])
    return (along(expand(_kept(node, g), x.shape), back),)


def _kept(node: Node, result: Node) -> Node:
    """A result with the shape that it would have had with ``keepdims``."""
    axes, keepdims = node.arg
    (x,) = node.srcs
    if keepdims:
        return result
    return reshape(result, [1 if n in axes else extent for n, extent in enumerate(x.shape)])
