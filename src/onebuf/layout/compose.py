"""Composition: a view of a view, as one view where strides can say it.

The outer view's positions count the inner view's elements in row-major order, and so are numbers
whose digits, in the mixed radix of the inner shape, are the inner indices. Two steps of the outer
view add up to one view exactly as long as digits are added without carry: then each outer stride
is a constant change of every digit, hence a constant step in memory. Axes of the inner view that
memory already continues are merged first, because between them a carry does no harm.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from operator import mul
from typing import NamedTuple

from onebuf.errors import IndexRangeError
from onebuf.layout.box import Range, empty_box, full_box, intersect
from onebuf.layout.footprint import preimage, reach
from onebuf.layout.reshape import row_major
from onebuf.layout.view import View


class Digit(NamedTuple):
    """One digit of an inner position: an axis, or several that step evenly through memory."""

    radix: int
    stride: int
    inside: Range


@lru_cache(4096)  # loops compose the same views in every step
def compose(outer: View, inner: View) -> View | None:
    """One view that addresses what ``outer`` addresses through ``inner``; None if there is none.

    >>> inner = View.contiguous((10, 10)).shrink([(2, 5), (3, 6)])
    >>> compose(View.contiguous((3, 3)).permute((1, 0)), inner)
    View(shape=(3, 3), stride=(1, 10), offset=23)
    >>> compose(View.contiguous((9,)), inner)
    """
    if outer.shape == inner.shape and outer == View.contiguous(inner.shape):
        return inner
    if outer.numel == 0:
        return View(outer.shape, row_major(outer.shape), inner.offset)
    if outer.is_all_padding or inner.is_all_padding:
        return _padding(outer.shape, inner.offset)
    low, high = outer.span
    if low < 0 or high > inner.numel:
        raise IndexRangeError(
            f"compose needs an outer view with positions in 0..{inner.numel - 1}, the elements of "
            f"the inner view of shape {inner.shape}, got positions {low}..{high - 1}; shrink the "
            "outer view"
        )
    # Only indices with an element take part; the padding goes around the result again.
    composed = _compose_full(outer.shrink(outer.box), inner)
    if composed is None or outer.mask is None:
        return composed
    return composed.pad([(a, n - b) for (a, b), n in zip(outer.mask, outer.shape, strict=True)])


def _compose_full(outer: View, inner: View) -> View | None:
    """`compose` for an outer view that has elements and no padding."""
    digits = _digits(inner)
    start = _write(outer.offset, digits)
    changes = [
        _subtract(_write(outer.offset + step, digits), start) if extent > 1 else [0] * len(digits)
        for extent, step in zip(outer.shape, outer.stride, strict=True)
    ]
    box = full_box(outer.shape)
    for place, digit in enumerate(digits):
        low, high = reach([change[place] for change in changes], box)
        if start[place] + low < 0 or start[place] + high >= digit.radix:
            return None
    for place, digit in enumerate(digits):
        steps = [change[place] for change in changes]
        found = preimage(digit.inside, start[place], steps, outer.shape)
        if found is None:
            return None
        if found == empty_box(outer.ndim):
            return _padding(outer.shape, inner.offset)
        box = intersect(box, found)
    strides = [digit.stride for digit in digits]
    stride = tuple([sum(map(mul, change, strides)) for change in changes])
    return View(outer.shape, stride, inner.offset + sum(map(mul, start, strides)), box)


def _digits(inner: View) -> list[Digit]:
    """Axes of the inner view, merged where the next one continues in memory.

    Elements among padding must stay one run: of whole rows, or within one row.
    """
    digits: list[Digit] = []
    for extent, step, (low, high) in zip(inner.shape, inner.stride, inner.box, strict=True):
        if extent == 1:
            continue
        if digits and digits[-1].stride == extent * step:
            radix, _, (first, end) = digits[-1]
            if (low, high) == (0, extent) or end - first == 1:
                run = (first * extent + low, (end - 1) * extent + high)
                digits[-1] = Digit(radix * extent, step, run)
                continue
        digits.append(Digit(extent, step, (low, high)))
    return digits


def _write(position: int, digits: Sequence[Digit]) -> list[int]:
    """Position as a number in the mixed radix of the digits, most significant first."""
    written = []
    for digit in reversed(digits):
        position, value = divmod(position, digit.radix)
        written.append(value)
    return written[::-1]


def _subtract(one: Sequence[int], other: Sequence[int]) -> list[int]:
    return [a - b for a, b in zip(one, other, strict=True)]


def _padding(shape: tuple[int, ...], offset: int) -> View:
    return View(shape, (0,) * len(shape), offset, empty_box(len(shape)))
