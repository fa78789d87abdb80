"""Adjoints of views: gradients brought back from the elements of a view to those of its base.

Each element of the base gets the sum of the gradients of all places where the view shows it. Where
no element is shown twice, this is the gradient itself between zeros. So the axes of the view are
put in the order of their strides, and the base is seen as a box with an axis for each of them: what
is left to do is a pad. That covers permutations, reshapes, slices with any step, flips, broadcasts
(summed first) and diagonals, and it is made of views and pads alone, which kernels fuse.

Views that show elements several times, such as overlapping windows, are cut along a short axis into
views that do not. All that is left is scattered: very long windows, and layouts without strides.
Strides and offsets count elements.
"""

from __future__ import annotations

from functools import reduce as fold
from itertools import pairwise
from math import prod

from onebuf.dtypes import int64, kind
from onebuf.gradients.rules.arithmetic import add, call, total, where
from onebuf.graph import Node
from onebuf.layout import View
from onebuf.layout.expression import Expression, indices
from onebuf.machine import CPU
from onebuf.ops import (
    constant,
    expand,
    expand_dims,
    flip,
    index,
    index_nodes,
    pad,
    permute,
    reshape,
    shrink,
)
from onebuf.ops.scatter import scatter_add

_MOST_PARTS = 64
"""Views are cut into at most so many parts; beyond, a scatter is less work."""


def adjoint(node: Node, g: Node) -> Node:
    """The gradient of the base of the view ``node``, which has the gradient ``g``."""
    base = node.srcs[0]
    view = node.arg
    if not base.numel or not g.numel:
        return constant(base.shape, 0, g.dtype)
    if not isinstance(view, View):
        return _scattered(node, g)
    if view.is_contiguous and view.numel == base.numel:
        return reshape(g, base.shape)
    found = _spread(view, g, base.shape)
    return _scattered(node, g) if found is None else found


def _spread(view: View, g: Node, shape: tuple[int, ...]) -> Node | None:
    """The gradient of a base of ``shape`` by views, pads and sums; None if that is too much."""
    if view.is_all_padding:
        return constant(shape, 0, g.dtype)
    g, stride, offset = _in_order(view, g)
    if not _is_apart(g.shape, stride):
        return _by_parts(g, stride, offset, shape)
    boxed = _boxed(*_with_axes_of(g, stride, shape), offset, prod(shape))
    if boxed is None:
        boxed = _boxed(g, stride, offset, prod(shape))
    return _one_by_one(g, stride, offset, shape) if boxed is None else reshape(boxed, shape)


def _in_order(view: View, g: Node) -> tuple[Node, tuple[int, ...], int]:
    """A gradient whose axes have positive strides that do not grow, and its offset.

    Padding is cut off, axes that repeat elements are summed, and those of extent 1 left out.
    """
    offset = view.offset
    if view.mask is not None:
        g = shrink(g, view.box)
        offset += sum(low * step for (low, _), step in zip(view.box, view.stride, strict=True))
    repeated = [n for n, step in enumerate(view.stride) if not step and g.shape[n] > 1]
    g = total(g, tuple(repeated), keepdims=True)
    backwards = [n for n, step in enumerate(view.stride) if step < 0 and g.shape[n] > 1]
    if backwards:
        g = flip(g, backwards)
        offset += sum(view.stride[n] * (g.shape[n] - 1) for n in backwards)
    stride = [abs(step) for step in view.stride]
    long = [n for n, extent in enumerate(g.shape) if extent > 1]
    order = sorted(long, key=lambda n: -stride[n])
    if len(order) < len(stride):
        g = reshape(g, [g.shape[n] for n in long])
    if order != long:
        g = permute(g, [long.index(n) for n in order])
    return g, tuple([stride[n] for n in order]), offset


def _is_apart(shape: tuple[int, ...], stride: tuple[int, ...]) -> bool:
    """Whether no element is shown twice: each axis steps over all that the later ones reach."""
    reached = 0
    for extent, step in zip(reversed(shape), reversed(stride), strict=True):
        if step <= reached:
            return False
        reached += step * (extent - 1)
    return True


def _with_axes_of(
    g: Node, stride: tuple[int, ...], shape: tuple[int, ...]
) -> tuple[Node, tuple[int, ...]]:
    """The same with an axis of extent 1 for each axis of the base of which one index is shown.

    So the parts of one base become boxes of one shape, which can be joined.
    """
    for step in View.contiguous(shape).stride:
        place = sum(other > step for other in stride)
        around = (*stride[:place], step, *stride[place:])
        is_new = place == len(stride) or stride[place] != step
        if is_new and all(one % two == 0 for one, two in pairwise(around)):
            g, stride = expand_dims(g, place), around
    return g, stride


def _boxed(g: Node, stride: tuple[int, ...], offset: int, numel: int) -> Node | None:
    """The gradient inside a box of zeros, whose axes have these strides; None if there is none."""
    steps = (*stride, 1)
    around = (numel, *steps)
    if any(one % two for one, two in pairwise(around)):
        return None
    widths = []
    for extent, step, whole in zip((*g.shape, 1), steps, around, strict=False):
        before = offset % whole // step
        widths.append((before, whole // step - before - extent))
    if any(after < 0 for _, after in widths):
        return None
    if widths[-1] == (0, 0):  # the last stride is 1 already
        widths.pop()
    else:
        g = expand_dims(g, -1)
    return _padded(g, widths)


def _one_by_one(g: Node, stride: tuple[int, ...], offset: int, shape: tuple[int, ...]) -> Node:
    """The same for strides that are no multiples of one another: axis by axis, the last one first.

    Each element becomes a run as long as its stride, and runs next to one another are joined.
    """
    run = expand_dims(g, -1)
    for step in reversed(stride):
        run = _resized(run, step)
        run = reshape(run, (*run.shape[:-2], run.shape[-2] * step))
    numel = prod(shape)
    return reshape(_resized(_padded(run, [(offset, 0)]), numel), shape)


def _resized(x: Node, extent: int) -> Node:
    """The last axis with zeros added to its end, or cut off."""
    others = [(0, 0)] * (len(x.shape) - 1)
    if extent < x.shape[-1]:
        return index(x, (..., slice(0, extent)))
    return _padded(x, [*others, (0, extent - x.shape[-1])])


def _padded(x: Node, widths: list[tuple[int, int]]) -> Node:
    return pad(x, widths) if any(map(any, widths)) else x


def _by_parts(g: Node, stride: tuple[int, ...], offset: int, shape: tuple[int, ...]) -> Node | None:
    """The sum over the parts of a view that shows elements twice, cut so that none of them does."""
    cut: list[int] = []
    left = list(range(len(stride)))
    while not _is_apart(tuple([g.shape[n] for n in left]), tuple([stride[n] for n in left])):
        shortest = min(left, key=lambda n: g.shape[n])
        left.remove(shortest)
        cut.append(shortest)
    number = prod([g.shape[n] for n in cut])
    if number > _MOST_PARTS:
        return None
    parts = []
    for part in range(number):
        key: list[slice | int] = [slice(None)] * len(stride)
        at = offset
        for n in cut:
            part, i = divmod(part, g.shape[n])
            key[n] = i
            at += i * stride[n]
        view = View(tuple([g.shape[n] for n in left]), tuple([stride[n] for n in left]), at)
        found = _spread(view, index(g, tuple(key)), shape)
        assert found is not None, "no element is shown twice"
        parts.append(found)
    return fold(add, parts)


def _scattered(node: Node, g: Node) -> Node:
    """The gradient of the base of any view, at positions that are computed as its layout says."""
    base, *tables = node.srcs
    place = node.layout.place(indices(len(node.shape)))
    at = index_nodes.ranges(node.shape, g.device or CPU)

    def value(part: Expression) -> Node:
        return index_nodes.evaluated(part, at, tables)

    position = value(place.position)
    if place.negated is not None:
        g = where(value(place.negated), call("negative", g), g)
    if place.conjugated is not None and kind(g.dtype) == "c":
        g = where(value(place.conjugated), call("conj", g), g)
    if place.condition is not None:
        is_there = value(place.condition)
        g = where(is_there, g, 0)
        position = where(is_there, position, constant((), 0, int64))
    position = reshape(expand(position, node.shape), (-1,))
    return reshape(scatter_add((base.numel,), position, reshape(g, (-1,)), 0), base.shape)
