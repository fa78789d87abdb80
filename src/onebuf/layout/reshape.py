"""Reshaping: new axes over the same elements, where strides can say it.

Old and new axes are matched in the smallest groups that hold equally many elements. Within a
group the old axes must step through memory evenly, as one long axis would; the new axes then cut
that long axis up. This is the decision of NumPy's ``_attempt_nocopy_reshape``, extended to boxes:
a group's part of the box must be one run of the long axis, and a box again after the cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import prod

from onebuf.errors import ArgumentTypeError, ShapeError
from onebuf.layout.axes import whole
from onebuf.layout.box import Box, Range


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    """Strides of a shape whose last axis is contiguous.

    >>> row_major((2, 3, 4))
    (12, 4, 1)
    """
    stride: list[int] = []
    step = 1
    for extent in reversed(shape):
        stride.append(step)
        step *= max(extent, 1)
    return tuple(reversed(stride))


def resolve_shape(wanted: Sequence[int], shape: tuple[int, ...]) -> tuple[int, ...]:
    """Shape to reshape to, its one -1 replaced by the extent that fits.

    >>> resolve_shape((3, -1), (4, 6))
    (3, 8)
    """
    try:
        new = tuple([whole(extent) for extent in wanted])
    except TypeError:
        raise ArgumentTypeError(
            f"reshape needs each extent as an integer, got {tuple(wanted)}; pass ints"
        ) from None
    numel = prod(shape)
    holes = [extent for extent in new if extent < 0]
    if holes and holes != [-1]:
        raise ShapeError(
            f"reshape needs extents that are 0 or more, and at most one -1, got {new}; "
            "spell out the other extents"
        )
    if holes:
        known = -prod(new)
        if known == 0 or numel % known:
            raise ShapeError(
                f"reshape needs {numel} elements to divide evenly over {new}, got a remainder or "
                f"no answer for -1 (from shape {shape}); choose extents whose product divides "
                f"{numel}"
            )
        return tuple([numel // known if extent == -1 else extent for extent in new])
    if prod(new) != numel:
        raise ShapeError(
            f"cannot reshape array of size {numel} into shape {new}: "
            f"reshape needs as many elements after as before: {shape} has {numel}, got {new} with "
            f"{prod(new)}; use -1 for one extent to have it computed"
        )
    return new


def reshape_stride(
    shape: Sequence[int], stride: Sequence[int], new: Sequence[int]
) -> tuple[int, ...] | None:
    """Strides of the new shape over the same elements; None when only a copy would do.

    Both shapes hold equally many elements, and at least one.

    >>> reshape_stride((3, 4, 2), (4, 1, 12), (12, 2))
    (1, 12)
    >>> reshape_stride((4, 4), (1, 4), (16,))
    """
    result = [1] * len(new)
    done = 0
    for old_axes, new_axes in _groups(shape, new):
        for outer, inner in pairwise(old_axes):
            if stride[outer] != shape[inner] * stride[inner]:
                return None
        step = stride[old_axes[-1]]
        for axis in reversed(new_axes):
            result[axis] = step
            step *= new[axis]
        done = new_axes.stop
    if done:
        # Axes of extent 1 at the end belong to no group; NumPy repeats the last stride there.
        result[done:] = [result[done - 1]] * (len(new) - done)
    return tuple(result)


def reshape_box(shape: Sequence[int], box: Box, new: Sequence[int]) -> Box | None:
    """Box of the new shape that holds the same elements; None when they form no box.

    >>> reshape_box((6, 4), ((1, 5), (0, 4)), (24,))
    ((4, 20),)
    >>> reshape_box((24,), ((4, 20),), (6, 2, 2))
    ((1, 5), (0, 2), (0, 2))
    >>> reshape_box((6, 4), ((0, 6), (1, 3)), (24,))
    """
    result: list[Range] = [(0, extent) for extent in new]
    for old_axes, new_axes in _groups(shape, new):
        run = _join([shape[axis] for axis in old_axes], [box[axis] for axis in old_axes])
        cut = None if run is None else _cut(run, [new[axis] for axis in new_axes])
        if cut is None:
            return None
        result[new_axes.start : new_axes.stop] = cut
    return tuple(result)


def _groups(old: Sequence[int], new: Sequence[int]) -> Iterator[tuple[list[int], range]]:
    """Old axes of extent > 1, and the new axes that hold the same elements, outermost first."""
    axes = [axis for axis, extent in enumerate(old) if extent != 1]
    first_old = first_new = 0
    while first_old < len(axes):
        end_old, end_new = first_old + 1, first_new + 1
        old_count, new_count = old[axes[first_old]], new[first_new]
        while old_count != new_count:
            if new_count < old_count:
                new_count *= new[end_new]
                end_new += 1
            else:
                old_count *= old[axes[end_old]]
                end_old += 1
        yield axes[first_old:end_old], range(first_new, end_new)
        first_old, first_new = end_old, end_new


def _join(extents: Sequence[int], ranges: Sequence[Range]) -> Range | None:
    """Run of flat indices that a non-empty box holds; None when it holds several runs."""
    start, count = 0, 1
    for extent, (low, high) in zip(extents, ranges, strict=True):
        if count > 1 and (low, high) != (0, extent):
            return None
        start = start * extent + low
        count *= high - low
    return start, start + count


def _cut(run: Range, extents: Sequence[int]) -> list[Range] | None:
    """Box whose flat indices are a non-empty run; None when there is no such box."""
    low, high = run
    result: list[Range] = []
    inner = prod(extents)
    for extent in extents:
        inner //= extent
        first, last = low // inner, (high - 1) // inner
        result.append((first, last + 1))
        if first == last:
            low, high = low - first * inner, high - first * inner
        elif low % inner or high % inner:
            return None
        else:
            low, high = 0, inner
    return result
