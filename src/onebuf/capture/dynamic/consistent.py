"""Consistency: whether the shape of a node is what its operation gives of the shapes below it.

A graph that was made for other lengths is checked node by node before it is planned, since kernels
trust what nodes say: they would read outside of memory.
"""

from __future__ import annotations

from math import ceil

from onebuf.errors import LayoutError, OnebufError, ShapeError
from onebuf.graph import (
    ARANGE,
    CONCAT,
    MATMUL,
    PAD,
    TAKE,
    TAKE_ALONG,
    Kind,
    Node,
    reduction,
)
from onebuf.layout import View, broadcast_shapes

Shape = tuple[int, ...]


def is_consistent(node: Node) -> bool:
    """Whether a node that was just made has the shape that its operation gives.

    >>> import numpy as np
    >>> from onebuf.ops import constant, permute
    >>> is_consistent(permute(constant((2, 3), 1, np.dtype("int32")), (1, 0)))
    True
    """
    if min(node.shape, default=0) < 0:
        return False
    try:
        expected = _expected(node)
    except OnebufError:  # shapes that do not go together
        return False
    return expected is None or expected == node.shape


def _expected(node: Node) -> Shape | None:
    """The shape that the operation of a node gives; None if that is not known here."""
    shapes = [src.shape for src in node.srcs]
    match node.op.kind:
        case Kind.ELEMENTWISE:
            return broadcast_shapes(*shapes)
        case Kind.SCAN | Kind.COPY:
            return shapes[0]
        case Kind.REDUCE:
            return reduction(node.op, shapes[0], *node.arg)[1]
        case Kind.VIEW:
            return _seen(node.arg, node.srcs[0])
    if node.op is PAD:
        return View.contiguous(shapes[0]).pad(node.arg.widths).shape
    if node.op is CONCAT:
        return _joined(shapes, node.arg)
    if node.op is TAKE:
        return (*shapes[0][: node.arg], *shapes[1], *shapes[0][node.arg + 1 :])
    if node.op is TAKE_ALONG:
        around = (*shapes[0][: node.arg], 1, *shapes[0][node.arg + 1 :])
        return broadcast_shapes(shapes[1], around)
    if node.op is MATMUL:
        return _product(*shapes)
    if node.op is ARANGE:
        start, stop, step = node.arg
        return (max(0, ceil((stop - start) / step)),)
    return None


def _seen(view: View, base: Node) -> Shape:
    low, high = view.span
    if not 0 <= low <= high <= base.numel:
        raise LayoutError(f"{view} needs elements that {base.shape} does not have")
    return view.shape


def _joined(shapes: list[Shape], axis: int) -> Shape:
    others = {(*shape[:axis], *shape[axis + 1 :]) for shape in shapes}
    if len(others) > 1:
        raise ShapeError(f"the shapes {shapes} differ along other axes than {axis}")
    total = sum([shape[axis] for shape in shapes])
    return (*shapes[0][:axis], total, *shapes[0][axis + 1 :])


def _product(one: Shape, two: Shape) -> Shape:
    if one[-1] != two[-2 if len(two) > 1 else 0]:
        raise ShapeError(f"there is no product of shapes {one} and {two}")
    batch = broadcast_shapes(one[:-2], two[:-2])
    return (*batch, *one[-2:-1], *(two[-1:] if len(two) > 1 else ()))
