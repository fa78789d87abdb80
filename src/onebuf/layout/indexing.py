"""Index keys: what ``x[key]`` asks of each axis, checked against a shape.

A key is made of integers, slices, ``...`` and None, with NumPy's meaning (basic indexing). Each
part becomes a `Cut`: where an axis starts, how it steps and how many indices remain.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import EllipsisType
from typing import NamedTuple, TypeAlias

from onebuf.errors import ArgumentError, ArgumentTypeError, IndexRangeError
from onebuf.layout.axes import whole

Key: TypeAlias = int | slice | EllipsisType | None


class Cut(NamedTuple):
    """Indices ``start, start + step, ...`` of one axis."""

    axis: int | None
    """The axis that is cut; None for an axis that is added."""
    start: int
    step: int
    extent: int | None
    """How many indices remain; None for an integer, which removes the axis."""


def cuts(key: Key | tuple[Key, ...], shape: tuple[int, ...]) -> Iterator[Cut]:
    """One cut for every axis of the shape, and one for every axis that the key adds.

    >>> list(cuts((0, ..., None), (4, 5)))
    [Cut(axis=0, start=0, step=1, extent=None), Cut(axis=1, start=0, step=1, extent=5),
     Cut(axis=None, start=0, step=0, extent=1)]
    """
    axis = 0
    for part in _spell_out(key if isinstance(key, tuple) else (key,), shape):
        if part is None:
            yield Cut(None, 0, 0, 1)
            continue
        if isinstance(part, slice):
            yield Cut(axis, *resolve_slice(part, shape[axis]))
        else:
            yield Cut(axis, resolve_int(part, shape[axis], axis), 1, None)
        axis += 1


def resolve_int(index: int, extent: int, axis: int) -> int:
    """Index in ``0 .. extent - 1``, counted from the end if negative.

    >>> resolve_int(-1, 5, axis=0)
    4
    """
    if isinstance(index, bool) or not hasattr(index, "__index__"):
        raise ArgumentTypeError(
            f"a view is indexed with integers, slices, '...' and None, got {index!r}; "
            "indexing with booleans, arrays or lists selects elements one by one and needs a copy"
        )
    number = whole(index)
    if -extent <= number < extent:
        return number + extent if number < 0 else number
    allowed = f"an index in {-extent}..{extent - 1}" if extent else "an axis that has elements"
    raise IndexRangeError(
        f"index {number} is out of bounds for axis {axis} with size {extent}: indexing needs "
        f"{allowed}, got index {number} for axis {axis} with extent {extent}; "
        "choose an element that exists, or a slice, which is cut to fit"
    )


def resolve_slice(bounds: slice, extent: int) -> tuple[int, int, int]:
    """First index, step and number of the indices that a slice selects.

    A slice that selects nothing starts at 0 with step 1, as in NumPy, so that it never points
    outside the memory.

    >>> resolve_slice(slice(None, None, -2), 5)
    (4, -2, 3)
    >>> resolve_slice(slice(9, 2), 5)
    (0, 1, 0)
    """
    if any(map(_is_followed, (bounds.start, bounds.stop, extent))):
        followed = _followed(bounds, extent, 1 if bounds.step is None else whole(bounds.step))
        if followed is not None:
            return followed
    try:
        selected = range(*bounds.indices(extent))
    except ValueError:
        raise ArgumentError(
            f"a slice needs a step other than 0, got {bounds!r}; use 1, or -1 to go backwards"
        ) from None
    except TypeError:
        raise ArgumentTypeError(
            f"a slice needs integers or None, got {bounds!r}; pass ints"
        ) from None
    count = len(selected)
    return (selected.start, selected.step, count) if count else (0, 1, 0)


def _is_followed(number: int | None) -> bool:
    """Whether a trace follows a number that counts as an integer (onebuf.capture.dynamic)."""
    return number.__class__ is int and type(number) is not int


def _followed(bounds: slice, extent: int, step: int) -> tuple[int, int, int] | None:
    """What a slice selects of an extent that is followed, as numbers that are followed as well.

    None for rare slices: those that go backwards between bounds.

    Every comparison is one that a trace takes note of, and comes out the same on both sides of a
    case that is no case of its own, such as a slice that just reaches the end.
    """
    if step < 0 and bounds.start is None and bounds.stop is None:
        return extent - 1, step, (extent - step - 1) // -step
    if step < 1:
        return None
    start = _bound(0 if bounds.start is None else whole(bounds.start), extent)
    stop = extent if bounds.stop is None else _bound(whole(bounds.stop), extent)
    return start, step, (stop - start + (step - 1)) // step if stop >= start else 0


def _bound(place: int, extent: int) -> int:
    """A bound of a slice, counted from the front and cut off at the ends."""
    if place < 0:
        place = place + extent
        return 0 if place < 0 else place
    return extent if place > extent else place


def _spell_out(parts: tuple[Key, ...], shape: tuple[int, ...]) -> list[int | slice | None]:
    """The key with ``...``, or its end, replaced by ``:`` for each axis that is not named."""
    named = sum([part is not None and part is not Ellipsis for part in parts])
    if named > len(shape):
        raise IndexRangeError(
            f"too many indices for array: array is {len(shape)}-dimensional, but {named} were "
            f"indexed; indexing needs at most {len(shape)} indices for shape {shape}, got {named}: "
            f"{parts}; leave out {named - len(shape)}"
        )
    rest: list[int | slice | None] = [slice(None)] * (len(shape) - named)
    spelled: list[int | slice | None] = []
    seen = False
    for part in parts:
        if not isinstance(part, EllipsisType):
            spelled.append(part)
        elif seen:
            raise IndexRangeError(
                f"indexing needs at most one '...', got several in {parts}; write ':' for each "
                "axis that the others stand for"
            )
        else:
            seen = True
            spelled += rest
    return spelled if seen else spelled + rest
