"""Axis numbers: a negative axis counts from the end, and no axis is named twice."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index as as_int

from onebuf.errors import ArgumentTypeError, AxisError


def whole(number: int) -> int:
    """An integer, from whatever counts as one; what says that it is an int stays what it is.

    >>> whole(True), whole(3)
    (1, 3)
    """
    return number if number.__class__ is int else as_int(number)


def normalize_axis(axis: int, ndim: int, what: str = "axis") -> int:
    """Axis number in ``0 .. ndim - 1``.

    ``what`` names the operation or argument in the error's message.

    >>> normalize_axis(-1, 3)
    2
    >>> normalize_axis(3, 3, "sum")
    Traceback (most recent call last):
    onebuf.errors.AxisError: sum needs an axis in -3..2 of a 3-d shape, got axis 3 (axis ...
    """
    try:
        number = as_int(axis)
    except TypeError:
        raise ArgumentTypeError(
            f"{what} needs an axis as an integer, got {axis!r}; pass an int"
        ) from None
    if -ndim <= number < ndim:
        return number + ndim if number < 0 else number
    if ndim == 0:
        raise AxisError(
            f"{what} needs an axis, got axis {number} of a 0-d shape, which has none (axis "
            f"{number} is out of bounds for array of dimension 0); add an axis first (expand_dims)"
        )
    raise AxisError(
        f"{what} needs an axis in {-ndim}..{ndim - 1} of a {ndim}-d shape, got axis {number} (axis "
        f"{number} is out of bounds for array of dimension {ndim}); name an axis that exists"
    )


def normalize_axes(
    axis: int | Sequence[int] | None, ndim: int, what: str = "axis"
) -> tuple[int, ...]:
    """Axis numbers in ``0 .. ndim - 1``, in the order given; None names every axis.

    >>> normalize_axes((-1, 0), 3)
    (2, 0)
    >>> normalize_axes(None, 3)
    (0, 1, 2)
    """
    if axis is None:
        return tuple(range(ndim))
    # The two usual types first: asking for a Sequence takes longer than all the rest.
    if not isinstance(axis, (tuple, list)) and not isinstance(axis, Sequence):
        return (normalize_axis(axis, ndim, what),)
    axes = tuple([normalize_axis(one, ndim, what) for one in axis])
    if len(set(axes)) != len(axes):
        raise AxisError(
            f"{what} needs each axis at most once, got axes {tuple(axis)} of a {ndim}-d shape "
            f"(repeated axis in `{what.rpartition(', ')[2]}`); leave out the repeated axis"
        )
    return axes
