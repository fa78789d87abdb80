"""Boxes of indices: one half-open range ``(low, high)`` for each axis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import TypeAlias

Box: TypeAlias = tuple[tuple[int, int], ...]


def numel_of(box: Box) -> int:
    """How many indices a box has.

    >>> numel_of(((2, 4), (0, 3)))
    6
    """
    return prod([high - low for low, high in box])


def shape_of(box: Box) -> tuple[int, ...]:
    """The extents of a box."""
    return tuple([high - low for low, high in box])


def is_empty(box: Box) -> bool:
    """Whether a box has no index."""
    return any([high <= low for low, high in box])


def intersection(one: Box, other: Box) -> Box:
    """The indices that are in both boxes; one that is empty has extents of 0.

    >>> intersection(((0, 4), (2, 6)), ((2, 9), (0, 3)))
    ((2, 4), (2, 3))
    """
    ranges = []
    for (a, b), (c, d) in zip(one, other, strict=True):
        low = max(a, c)
        ranges.append((low, max(low, min(b, d))))
    return tuple(ranges)


def shifted(box: Box, origin: Sequence[int]) -> Box:
    """``box`` as seen from ``origin``.

    >>> shifted(((2, 4), (5, 6)), (2, 5))
    ((0, 2), (0, 1))
    """
    return tuple([(low - o, high - o) for (low, high), o in zip(box, origin, strict=True)])


def origin_of(box: Box) -> tuple[int, ...]:
    """The lowest index of a box."""
    return tuple([low for low, _ in box])


def within(box: Box, outer: Box) -> tuple[slice, ...]:
    """``box`` as an index into an array that holds ``outer``."""
    pairs = zip(box, outer, strict=True)
    return tuple([slice(low - start, high - start) for (low, high), (start, _) in pairs])


def boxes_between(begin: int, end: int, shape: tuple[int, ...]) -> Iterator[Box]:
    """The indices from number ``begin`` to ``end`` in row-major order, as few boxes in order.

    >>> list(boxes_between(3, 10, (4, 4)))
    [((0, 1), (3, 4)), ((1, 2), (0, 4)), ((2, 3), (0, 2))]
    """
    if begin >= end:
        return
    if not shape:
        yield ()
        return
    if len(shape) == 1:
        yield ((begin, end),)
        return
    row = prod(shape[1:])
    first, last = -(-begin // row), end // row
    if first > last:  # inside of one row
        number = begin // row
        for piece in boxes_between(begin - number * row, end - number * row, shape[1:]):
            yield ((number, number + 1), *piece)
        return
    if begin % row:
        for piece in boxes_between(begin % row, row, shape[1:]):
            yield ((first - 1, first), *piece)
    if first < last:
        yield ((first, last), *[(0, extent) for extent in shape[1:]])
    if end % row:
        for piece in boxes_between(0, end % row, shape[1:]):
            yield ((last, last + 1), *piece)
