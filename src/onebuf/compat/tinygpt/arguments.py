"""Arguments: shapes, axes and types are checked before anything is done.

This drop-in is stricter than NumPy: a shape is a tuple of positive integers, and an axis is never
negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from onebuf.compat.tinygpt.dtype import Real
from onebuf.errors import ArgumentError, ArgumentTypeError, AxisError, ShapeError

Item = TypeVar("Item")


def check_tuple(what: str, value: object) -> tuple[int, ...]:
    """``value`` itself, if it is a tuple of integers.

    >>> check_tuple("a shape", (2, 3))
    (2, 3)
    """
    if not isinstance(value, tuple) or not all(isinstance(part, int) for part in value):
        raise ArgumentTypeError(
            f"{what} needs to be a tuple of ints, got {value!r}; write it like (2, 3)"
        )
    return value


def check_shape(what: str, value: object) -> tuple[int, ...]:
    """``value`` itself, if it is a tuple of positive integers.

    >>> check_shape("reshape", ())
    ()
    """
    shape = check_tuple(f"the shape for {what}", value)
    if any(extent < 1 for extent in shape):
        raise ShapeError(
            f"the shape for {what} needs extents of at least 1, got {shape}; spell out each extent"
        )
    return shape


def check_axis(what: str, axis: object, ndim: int) -> int:
    """``axis`` itself, if it is the number of an axis, counted from the front.

    >>> check_axis("concatenate", 1, 2)
    1
    """
    if not isinstance(axis, int):
        raise ArgumentTypeError(f"{what} needs an axis as an int, got {axis!r}; pass an int")
    if not 0 <= axis < ndim:
        raise AxisError(
            f"{what} needs an axis at least 0 and less than {ndim}, got {axis}; "
            "count the axes from the front and name one that exists"
        )
    return axis


def check_axes(what: str, axes: object, ndim: int) -> tuple[int, ...]:
    """One axis, or a tuple of different ones, as a tuple.

    >>> check_axes("sum", 0, 2), check_axes("sum", (1, 0), 2)
    ((0,), (1, 0))
    """
    numbers = axes if isinstance(axes, tuple) else (axes,)
    checked = tuple(check_axis(what, axis, ndim) for axis in numbers)
    if len(set(checked)) != len(checked):
        raise AxisError(f"{what} needs each axis at most once, got {checked}; name each one once")
    return checked


def check_instances(what: str, values: object, needed: type[Item]) -> Sequence[Item]:
    """``values`` itself, if it is a list or a tuple of one or more instances of ``needed``.

    >>> check_instances("a path", ["a", "b"], str)
    ['a', 'b']
    """
    name = needed.__name__
    if not isinstance(values, (list, tuple)):
        raise ArgumentTypeError(
            f"{what} needs a list or a tuple of {name}s, got {values!r}; put them into a list"
        )
    for value in values:
        if not isinstance(value, needed):
            raise ArgumentTypeError(f"{what} needs {name}s only, got {value!r}; convert it first")
    if not values:
        raise ArgumentError(f"{what} needs at least one {name}, got {values!r}; pass one or more")
    return values


def check_number(what: str, value: object) -> Real:
    """``value`` itself, if it is an int or a float.

    >>> check_number("low", -1.5)
    -1.5
    """
    if not isinstance(value, (int, float)):
        raise ArgumentTypeError(f"{what} needs to be an int or a float, got {value!r}; pass one")
    return value


def check_strided(
    data: object, shape: object, stride: object, offset: object
) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Shape, stride and offset, if all that they reach is in the list ``data``.

    >>> check_strided([1, 2, 3], (2, 2), (1, 1), 0)
    ((2, 2), (1, 1), 0)
    """
    if not isinstance(data, list):
        raise ArgumentTypeError(f"data needs to be a flat list, got {data!r}; pass list(data)")
    steps = check_tuple("stride", stride)
    extents = check_tuple("the shape for a strided buffer", shape)
    if not isinstance(offset, int):
        raise ArgumentTypeError(f"offset needs to be an int, got {offset!r}; pass 0 for the start")
    check_shape("a strided buffer", extents)
    if len(extents) != len(steps):
        raise ShapeError(
            f"stride needs one step for each axis of shape {extents}, got {steps}; "
            f"pass {len(extents)} steps"
        )
    if offset < 0 or any(step < 0 for step in steps):
        raise ArgumentError(
            f"offset and stride need to be at least 0, got offset {offset} and stride {steps}; "
            "a buffer does not run backwards"
        )
    last = offset + sum((n - 1) * step for n, step in zip(extents, steps, strict=True))
    if last >= len(data):
        raise ArgumentError(
            f"shape {extents}, stride {steps} and offset {offset} need {last + 1} elements, got "
            f"data with {len(data)}; pass more data, or reach less far"
        )
    return extents, steps, offset
