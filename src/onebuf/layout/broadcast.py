"""Broadcasting: the one shape that several shapes stretch to.

Shapes are aligned at their last axis; along each axis all extents are equal, or 1 where they
stretch.
"""

from __future__ import annotations

from onebuf.errors import ShapeError


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Shape that all shapes broadcast to.

    >>> broadcast_shapes((4, 1), (3,))
    (4, 3)
    >>> broadcast_shapes((2, 3), ())
    (2, 3)
    """
    if len(shapes) == 2:
        first, second = shapes
        if first == second or not second:
            return first
        if not first:
            return second
    ndim = max(map(len, shapes), default=0)
    result = [1] * ndim
    for shape in shapes:
        for axis, extent in enumerate(shape, ndim - len(shape)):
            if extent == 1 or extent == result[axis]:
                continue
            if result[axis] != 1:
                raise _misfit(shapes, axis - ndim, result[axis], extent)
            result[axis] = extent
    return tuple(result)


def _spelled(shape: tuple[int, ...]) -> str:
    """A shape as NumPy's messages have it, without spaces."""
    return str(shape).replace(" ", "")


def _misfit(shapes: tuple[tuple[int, ...], ...], axis: int, one: int, other: int) -> ShapeError:
    listed = " and ".join(map(str, shapes))
    return ShapeError(
        f"operands could not be broadcast together with shapes {' '.join(map(_spelled, shapes))}: "
        f"broadcasting needs extents that are equal or 1 along each axis, got shapes {listed}, "
        f"which have {one} and {other} along axis {axis}; "
        "reshape or slice one of them, or add an axis of extent 1 (expand_dims) where it should "
        "stretch"
    )
