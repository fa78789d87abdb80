"""The rule of matrix products: two more products, with one factor transposed as a view.

A matrix that all matrices of a batch are multiplied with gets its gradient in one product, over the
rows of all of them, and so does the batch.
"""

from __future__ import annotations

from onebuf.gradients.rules.arithmetic import conj, unbroadcast
from onebuf.gradients.rules.table import differentiates
from onebuf.graph import MATMUL, Node
from onebuf.ops import expand_dims, matmul, permute, reshape, view_of


@differentiates(MATMUL)
def _matmul(node: Node, g: Node) -> tuple[Node, Node]:
    x, y = node.srcs
    if len(x.shape) == 1:
        g = expand_dims(g, -2 if len(y.shape) > 1 else -1)
    if len(y.shape) == 1:
        g = expand_dims(g, -1)
    left = expand_dims(x, 0) if len(x.shape) == 1 else x
    right = expand_dims(y, 1) if len(y.shape) == 1 else y
    one, two = _pull(left, right, g)
    return _shaped(one, x.shape), _shaped(two, y.shape)


def _pull(x: Node, y: Node, g: Node) -> tuple[Node, Node]:
    """The gradients of two matrices, or batches of them, whose product has the gradient ``g``."""
    if len(y.shape) == 2 and len(x.shape) > 2:
        rows, above = reshape(x, (-1, x.shape[-1])), reshape(g, (-1, g.shape[-1]))
        return matmul(above, _turned(y)), _like(y, rows, above)
    one, two = matmul(g, _turned(y)), _like(y, x, g)
    return unbroadcast(one, x.shape), unbroadcast(two, y.shape)


def _like(y: Node, left: Node, right: Node) -> Node:
    """The product of ``left``, turned, and ``right``, in memory in the order of ``y``'s elements.

    The gradient of a weight that was transposed for its product then has the order of the weight,
    and is one kernel with what updates it.
    """
    down, along = view_of(y).stride[-2:] if y.has_strides else (1, 0)
    if abs(down) < abs(along):
        return _turned(matmul(_turned(right), left))
    return matmul(_turned(left), right)


def _turned(x: Node) -> Node:
    """The transposed matrices, conjugated if complex."""
    axes = range(len(x.shape))
    return conj(permute(x, (*axes[:-2], axes[-1], axes[-2])))


def _shaped(x: Node, shape: tuple[int, ...]) -> Node:
    return x if x.shape == shape else reshape(x, shape)
