"""Boxes: the arguments of ``slice`` and ``chip``, checked against the extents they are to fit.

A box is two indices, the first one inside and the first one behind: half open along every axis.
There are three ways to say one: two indices, the leading indices alone, or a shape with an origin.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index as as_int
from typing import Any, TypeAlias

from onebuf.errors import ArgumentError, ArgumentTypeError, RegionError, ShapeError

Index: TypeAlias = tuple[int, ...]
Box: TypeAlias = tuple[Index, Index]


def integer(value: Any, what: str) -> int:
    """``value`` as an int; ``what`` names it in the error.

    >>> integer(3, "an extent")
    3
    >>> integer(2.5, "an extent")
    Traceback (most recent call last):
    onebuf.errors.ArgumentTypeError: an extent has to be an integer, got 2.5; pass an int
    """
    if not isinstance(value, bool):
        try:
            return as_int(value)
        except TypeError:
            pass  # the error below says the same of every other type
    raise ArgumentTypeError(f"{what} has to be an integer, got {value!r}; pass an int")


def integers(values: Any, what: str) -> Index:
    """``values`` as a tuple of ints; ``what`` names one of them.

    >>> integers([2, 3], "an extent")
    (2, 3)
    """
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise ArgumentTypeError(f"{what}: a sequence of integers is needed, got {values!r}")
    return tuple([integer(value, what) for value in values])


def extents_of(values: Any, what: str = "a shape") -> Index:
    """The extents of a shape: integers that are not negative.

    ``values`` is one extent, a sequence of them, or an object with ``extents``.

    >>> extents_of([2, 3]), extents_of(4)
    ((2, 3), (4,))
    """
    origin = getattr(values, "origin", None)
    if origin is not None and any(origin):
        raise ArgumentError(f"{what} has to begin at index 0, got {values!r}; pass its extents")
    values = getattr(values, "extents", values)
    if not isinstance(values, Iterable):
        values = (values,)
    extents = integers(values, f"an extent of {what}")
    if any(extent < 0 for extent in extents):
        raise ArgumentError(f"{what} needs extents of 0 or more, got {extents}")
    return extents


def box_of(arguments: Sequence[Any], extents: Index, what: str, origin: Index = ()) -> Box:
    """The box that the arguments of ``what``, a slice or a chip, ask for.

    >>> box_of([(1, 0), (2, 3)], (4, 3), "slice")
    ((1, 0), (2, 3))
    >>> box_of([2], (4, 3), "slice")
    ((2, 0), (3, 3))
    """
    begin = origin or (0,) * len(extents)
    end = tuple([low + extent for low, extent in zip(begin, extents, strict=True)])
    if not arguments:
        raise ArgumentTypeError(
            f"{what} needs two indices (first, last), the leading indices, or a shape with an "
            f"origin, got no argument"
        )
    sequences = [_is_sequence(one) for one in arguments]
    if len(arguments) == 1 and hasattr(arguments[0], "origin"):
        shape = arguments[0]
        first = shape.origin
        last = tuple([low + extent for low, extent in zip(first, shape.extents, strict=True)])
    elif len(arguments) == 2 and all(sequences):
        first = integers(arguments[0], f"{what}: an index")
        last = integers(arguments[1], f"{what}: an index")
    elif not any(sequences):
        pins = integers(arguments, f"{what}: an index")
        if len(pins) > len(extents):
            raise ShapeError(
                f"{what} needs at most {len(extents)} leading indices for extents {extents}, got "
                f"{len(pins)}: {pins}; pass first and last as tuples to say where a box ends"
            )
        first = pins + begin[len(pins) :]
        last = tuple([pin + 1 for pin in pins]) + end[len(pins) :]
    else:
        raise ArgumentTypeError(
            f"{what} needs two indices (first, last) as tuples, or the leading indices as ints, "
            f"got {tuple(arguments)!r}"
        )
    check_box(first, last, begin, end, what)
    return first, last


def check_box(first: Index, last: Index, begin: Index, end: Index, what: str) -> None:
    """Raise unless the box has elements and is inside the indices from ``begin`` to ``end``."""
    if len(first) != len(begin) or len(last) != len(begin):
        raise ShapeError(
            f"{what} needs two indices of {len(begin)} numbers each, one an axis, got "
            f"first={first} and last={last}"
        )
    for axis, (low, high) in enumerate(zip(first, last, strict=True)):
        if low >= high:
            raise RegionError(
                f"{what} needs first < last along every axis, got first={first} and last={last}, "
                f"which is empty along axis {axis}; last is the first index behind the box"
            )
        if low < begin[axis] or high > end[axis]:
            raise RegionError(
                f"{what} needs a box inside the indices {begin[axis]}..{end[axis]} of axis {axis}, "
                f"got first={first} and last={last}: {low}..{high} leaves them"
            )


def pinned_axes(arguments: Sequence[Any], box: Box, what: str) -> Index:
    """The axes that a chip leaves out: those that are pinned to one index.

    >>> pinned_axes([(0, 2), (10, 3)], ((0, 2), (10, 3)), "chip")
    (1,)
    """
    if not _is_sequence(arguments[0]):
        return tuple(range(len(arguments)))
    first, last = box
    axes = tuple([axis for axis, low in enumerate(first) if last[axis] == low + 1])
    if not axes:
        raise RegionError(
            f"{what} needs an axis that is pinned to one index, which it leaves out, got "
            f"first={first} and last={last}; a slice keeps all axes"
        )
    return axes


def _is_sequence(value: Any) -> bool:
    """Whether ``value`` is an index or a shape, and not one number, which may be an array."""
    return isinstance(value, Iterable) and getattr(value, "ndim", 1) != 0
