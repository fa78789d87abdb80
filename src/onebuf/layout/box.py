"""Boxes: the part of an index space in which a padded view has elements.

A box is one half-open range ``(low, high)`` per axis; an index outside it is padding. Two boxes
have one spelling each: the box that covers everything is None, and the box that holds nothing is
``(0, 0)`` on every axis. A 0-d space has no axis on which to say the latter, so there, and only
there, the box has one range more than the space has axes: ``((0, 0),)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from onebuf.errors import LayoutError
from onebuf.late import Late

if TYPE_CHECKING:
    from onebuf.layout import expression
    from onebuf.layout.expression import Expression
else:
    expression = Late("onebuf.layout.expression")

Range: TypeAlias = tuple[int, int]
Box: TypeAlias = tuple[Range, ...]


def full_box(shape: Sequence[int]) -> Box:
    """Box that covers a whole shape, spelled out.

    >>> full_box((2, 3))
    ((0, 2), (0, 3))
    """
    return tuple([(0, extent) for extent in shape])


def empty_box(ndim: int) -> Box:
    """Box that holds no index of an ``ndim``-d space.

    >>> empty_box(2), empty_box(0)
    (((0, 0), (0, 0)), ((0, 0),))
    """
    return ((0, 0),) * max(ndim, 1)


def normalize_box(box: Sequence[Range], shape: Sequence[int]) -> Box | None:
    """Box clipped to a shape, in its one spelling.

    >>> normalize_box([(-1, 2), (0, 9)], (4, 3))
    ((0, 2), (0, 3))
    >>> normalize_box([(0, 4), (0, 3)], (4, 3))
    >>> normalize_box([(2, 2), (0, 3)], (4, 3))
    ((0, 0), (0, 0))
    """
    ndim = len(shape)
    if len(box) != ndim and tuple(box) != empty_box(ndim):
        raise LayoutError(
            f"a mask needs one (low, high) range for each of {ndim} axes, got {tuple(box)}; "
            f"pass {ndim} ranges, or None where nothing is padding"
        )
    if 0 in shape:
        return None
    if any(low >= high for low, high in box):
        return empty_box(ndim)
    clipped = tuple(
        [(max(low, 0), min(high, extent)) for (low, high), extent in zip(box, shape, strict=True)]
    )
    if any(low >= high for low, high in clipped):
        return empty_box(ndim)
    return None if clipped == full_box(shape) else clipped


def intersect(one: Box, other: Box) -> Box:
    """Indices that are in both boxes.

    >>> intersect(((0, 4), (1, 3)), ((2, 9), (0, 2)))
    ((2, 4), (1, 2))
    """
    return tuple([(max(a, c), min(b, d)) for (a, b), (c, d) in zip(one, other, strict=True)])


def within(index: Sequence[Expression], box: Box, shape: Sequence[int]) -> Expression:
    """The condition that ``index``, which is in ``shape``, is in a box.

    >>> from onebuf.layout.expression import indices
    >>> within(indices(1), ((1, 4),), (4,)) == (indices(1)[0] >= 1)
    True
    """
    inside: Expression | None = None
    for i, (low, high), extent in zip(index, box, shape, strict=False):
        tests = [i >= low] * (low > 0) + [i < high] * (high < extent)
        for test in tests:
            inside = test if inside is None else inside & test
    return expression.expression(0) < 0 if inside is None else inside
