"""Lists of boxes as arrays: which ones meet, what they cover together, what they leave out.

A list is an integer array (n, rank, 2): for each box and axis where it begins, and the first index
behind it. Boxes are sorted by where they begin.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from onebuf.sparsity.indices import Integers

PAIRS_AT_ONCE = 2**20


def ordered(boxes: Integers) -> Integers:
    """The boxes in the order of their first indices, each one once.

    >>> ordered(np.array([[[2, 3]], [[0, 1]], [[2, 3]]])).tolist()
    [[[0, 1]], [[2, 3]]]
    """
    if not boxes.shape[1]:
        return boxes[:1]
    rows = boxes.reshape(len(boxes), boxes.shape[1] * 2)
    # All first indices before all last ones, and lexsort takes the most important column last.
    columns = rows[:, [*range(0, rows.shape[1], 2), *range(1, rows.shape[1], 2)]].T
    order = np.lexsort(columns[::-1])
    rows = rows[order]
    differs = np.ones(len(rows), bool)
    differs[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return rows[differs].reshape(-1, *boxes.shape[1:])


def meetings(one: Integers, other: Integers) -> Iterator[tuple[Integers, Integers]]:
    """The numbers of all boxes of two lists that have a point in common, many pairs at a time."""
    count = one.shape[1]
    if not count:
        yield from expanded(np.zeros(len(one), np.int64), np.full(len(one), len(other)))
        return
    axis = min(range(count), key=lambda axis: _candidates(one, other, axis)[1].sum())
    begins = np.argsort(other[:, axis, 0], kind="stable")
    first, counts = _candidates(one, other, axis)
    for left, at in expanded(first, counts):
        right = begins[at]
        meet = np.ones(len(left), bool)
        for each in range(count):
            meet &= one[left, each, 0] < other[right, each, 1]
            meet &= other[right, each, 0] < one[left, each, 1]
        yield left[meet], right[meet]


def _candidates(one: Integers, other: Integers, axis: int) -> tuple[Integers, Integers]:
    """For each box, the others that may meet it: a range in the order in which they begin.

    Behind the range are those that begin too late. Before it is the part of the list in which even
    the box that reaches furthest ends too early.
    """
    begins = np.argsort(other[:, axis, 0], kind="stable")
    furthest = np.maximum.accumulate(other[begins, axis, 1])
    first = np.searchsorted(furthest, one[:, axis, 0], side="right")
    last = np.searchsorted(other[begins, axis, 0], one[:, axis, 1], side="left")
    return first, np.maximum(last - first, 0)


def expanded(first: Integers, counts: Integers) -> Iterator[tuple[Integers, Integers]]:
    """Row n paired with each of ``first[n] .. first[n] + counts[n] - 1``, some rows at a time."""
    begin = 0
    ends = np.cumsum(counts)
    while begin < len(counts):
        done = int(ends[begin - 1]) if begin else 0
        end = max(int(np.searchsorted(ends, done + PAIRS_AT_ONCE, side="right")), begin + 1)
        size = counts[begin:end]
        left = np.repeat(np.arange(begin, end), size)
        within = np.arange(len(left)) - np.repeat(np.cumsum(size) - size, size)
        yield left, np.repeat(first[begin:end], size) + within
        begin = end


def overlap(boxes: Integers) -> tuple[int, int] | None:
    """The numbers of two boxes that have a point in common; None if there are none.

    >>> overlap(np.array([[[0, 2]], [[2, 4]], [[3, 5]]]))
    (1, 2)
    """
    for one, other in meetings(boxes, boxes):
        twice = np.flatnonzero(one < other)
        if len(twice):
            return int(one[twice[0]]), int(other[twice[0]])
    return None


def union(boxes: Integers) -> Integers:
    """Boxes that cover what the given ones do, without overlap.

    >>> union(np.array([[[0, 4]], [[2, 6]], [[8, 9]]])).tolist()
    [[[0, 6]], [[8, 9]]]
    """
    boxes = ordered(boxes)
    entangled = np.zeros(len(boxes), bool)
    for one, other in meetings(boxes, boxes):
        entangled[one[one != other]] = True
    if not entangled.any():
        return boxes
    disjoint = _swept(boxes[entangled], None)
    return ordered(np.concatenate([boxes[~entangled], disjoint]))


def complement(boxes: Integers, shape: tuple[int, ...]) -> Integers:
    """Boxes that cover what the given ones leave out of a shape, without overlap.

    >>> complement(np.array([[[2, 4]]]), (6,)).tolist()
    [[[0, 2]], [[4, 6]]]
    """
    whole = np.array([(0, extent) for extent in shape], np.int64).reshape(len(shape), 2)
    return ordered(_swept(boxes, whole))


def _swept(boxes: Integers, whole: Integers | None) -> Integers:
    """What boxes cover; or, given the ``whole``, what they leave out of it.

    A plane sweeps along the first axis, and only where a box begins or ends can the cross section
    change. Neighbouring slabs with the same cross section are one.
    """
    rank = boxes.shape[1]
    if not rank:
        return np.empty((int(bool(len(boxes)) == (whole is None)), 0, 2), np.int64)
    if rank == 1:
        return _swept_line(boxes, whole)
    lines = np.unique(boxes[:, 0] if whole is None else np.append(boxes[:, 0].ravel(), whole[0]))
    inner = None if whole is None else whole[1:]
    slabs: list[tuple[int, int, Integers]] = []
    for begin, end in zip(lines[:-1].tolist(), lines[1:].tolist(), strict=True):
        crossed = boxes[(boxes[:, 0, 0] <= begin) & (boxes[:, 0, 1] >= end), 1:]
        section = _swept(crossed, inner)
        if slabs and slabs[-1][1] == begin and np.array_equal(slabs[-1][2], section):
            slabs[-1] = (slabs[-1][0], end, section)
        else:
            slabs.append((begin, end, section))
    parts = [np.empty((0, rank, 2), np.int64)]
    for begin, end, section in slabs:
        bounds = np.broadcast_to(np.array([[[begin, end]]], np.int64), (len(section), 1, 2))
        parts.append(np.concatenate([bounds, section], axis=1))
    return np.concatenate(parts)


def _swept_line(boxes: Integers, whole: Integers | None) -> Integers:
    """`_swept` of boxes with one axis."""
    bounds = boxes[np.argsort(boxes[:, 0, 0], kind="stable"), 0]
    reached = np.maximum.accumulate(bounds[:, 1])
    apart = np.flatnonzero(bounds[1:, 0] > reached[:-1])
    begins = bounds[np.append(0, apart + 1)[: len(bounds)], 0]
    ends = reached[np.append(apart, -1)[: len(bounds)]]
    if whole is not None:
        begins, ends = np.append(whole[0, 0], ends), np.append(begins, whole[0, 1])
        begins, ends = begins[begins < ends], ends[begins < ends]
    return np.stack([begins, ends], axis=-1).reshape(-1, 1, 2)


def volumes(boxes: Integers) -> Integers:
    """How many elements each box has."""
    sizes: Integers = np.prod(boxes[:, :, 1] - boxes[:, :, 0], axis=1, dtype=np.int64)
    return sizes


def meets(boxes: Integers, first: tuple[int, ...], last: tuple[int, ...]) -> bool:
    """Whether a box has a point in common with any of some boxes."""
    common = (boxes[:, :, 0] < np.array(last)) & (boxes[:, :, 1] > np.array(first))
    return bool(common.all(axis=1).any())
