"""Footprints: which positions of flat memory the elements of a strided box occupy.

A footprint is told by strides and by the range of indices of each axis; offsets only shift it.
"""

from __future__ import annotations

from collections.abc import Sequence

from onebuf.layout.box import Box, Range, empty_box, full_box


def is_row_major(shape: Sequence[int], stride: Sequence[int]) -> bool:
    """Whether row-major order is also the order in memory, without gaps.

    Axes of extent 1 never matter, and nothing is in any order.

    >>> is_row_major((3, 1, 2), (2, 77, 1))
    True
    """
    if 0 in shape:
        return True
    expected = 1
    for extent, step in zip(reversed(shape), reversed(stride), strict=True):
        if extent != 1:
            if step != expected:
                return False
            expected *= extent
    return True


def reach(stride: Sequence[int], ranges: Sequence[Range]) -> Range:
    """Lowest and highest position of a non-empty box, both included, counted from the offset.

    >>> reach((-2, 1), ((0, 3), (0, 2)))
    (-4, 1)
    """
    low = high = 0
    for step, (first, end) in zip(stride, ranges, strict=True):
        if step < 0:
            low += step * (end - 1)
            high += step * first
        else:
            low += step * first
            high += step * (end - 1)
    return low, high


def may_collide(stride: Sequence[int], ranges: Sequence[Range]) -> bool:
    """Whether two indices may share a position.

    Axes taken from the smallest stride up cannot collide if each steps over all that the smaller
    ones reach. Whether they do collide otherwise is a Diophantine problem, not worth its cost.

    >>> may_collide((1, 1), ((0, 3), (0, 4))), may_collide((4, 1), ((0, 3), (0, 4)))
    (True, False)
    """
    counts = [high - low for low, high in ranges]
    if 0 in counts:
        return False
    reached = 0
    for step, count in sorted(zip(map(abs, stride), counts, strict=True)):
        if count > 1:
            if step <= reached:
                return True
            reached += step * (count - 1)
    return False


def preimage(wanted: Range, base: int, stride: Sequence[int], shape: Sequence[int]) -> Box | None:
    """Box of the indices whose position ``base + sum(index * stride)`` is in a range.

    None when those indices do not form a box, or when it would take a search to find it. The
    ranges shrink, axis by axis, to what the other axes leave possible; what is left is the answer
    if all of it is in the range.

    >>> preimage((4, 20), 0, (4, 1), (6, 4))
    ((1, 5), (0, 4))
    >>> preimage((1, 4), 0, (1, 1), (3, 2))
    """
    nothing = empty_box(len(shape))
    if 0 in shape:
        return nothing
    low, high = wanted[0] - base, wanted[1] - base
    ranges = list(full_box(shape))
    for axis in [*range(len(shape))] * len(shape):
        one, step = ranges[axis], stride[axis]
        ranges[axis] = (0, 1)
        least, greatest = reach(stride, ranges)
        ranges[axis] = _tighten(one, step, low - greatest, high - least)
        if ranges[axis][0] >= ranges[axis][1]:
            return nothing
    least, greatest = reach(stride, ranges)
    if greatest < low or high <= least:
        return nothing
    return tuple(ranges) if low <= least and greatest < high else None


def _tighten(indices: Range, step: int, low: int, high: int) -> Range:
    """Part of a range of indices for which ``low <= index * step < high``."""
    if step == 0:
        return indices if low <= 0 < high else (0, 0)
    if step < 0:
        # With j = -index the step is positive; [a, b) mirrored is [1 - b, 1 - a).
        first, end = _tighten((1 - indices[1], 1 - indices[0]), -step, low, high)
        return 1 - end, 1 - first
    # -(-a // b) is a / b rounded up.
    return max(indices[0], -(-low // step)), min(indices[1], -(-high // step))
