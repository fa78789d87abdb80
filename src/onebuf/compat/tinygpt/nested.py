"""Nested lists: from lists of lists to a flat list with a shape, and back.

The first element at each depth sets what the others there have to be, in type and in length.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, TypeAlias

from onebuf.compat.tinygpt.dtype import DType, Scalar
from onebuf.errors import ArgumentTypeError, ShapeError

Nested: TypeAlias = "Scalar | list[Nested]"


def flatten(data: Any, dtype: DType | None = None) -> tuple[list[Scalar], tuple[int, ...], DType]:
    """The elements of ``data`` in row-major order, their shape, and their type.

    Without ``dtype`` the type is that of the first element, or float32 if there is none.

    >>> flatten([[1, 2], [3, 4]])
    ([1, 2, 3, 4], (2, 2), <DType.int32: <class 'int'>>)
    """
    level = [data]
    shape: list[int] = []
    while level and isinstance(level[0], (list, tuple)):
        _check_types(level, depth=len(shape))
        _check_lengths(level, depth=len(shape))
        shape.append(len(level[0]))
        level = [element for row in level for element in row]
    if not level:
        return [], tuple(shape), dtype or DType.float32
    if dtype is None or not isinstance(level[0], (int, float)):
        dtype = DType.deduce_dtype(level[0])
    _check_types(level, depth=len(shape))
    return list(map(dtype.cast, level)), tuple(shape), dtype


def nest(values: Sequence[Scalar], shape: tuple[int, ...]) -> Nested:
    """Row-major ``values`` as lists nested like ``shape``; without axes, the one value.

    >>> nest([1, 2, 3, 4], (2, 2))
    [[1, 2], [3, 4]]
    """
    if not shape:
        return values[0]
    count, *inner = shape
    size = prod(inner)
    return [nest(values[i * size : (i + 1) * size], tuple(inner)) for i in range(count)]


def _check_types(level: list[Any], depth: int) -> None:
    needed = type(level[0])
    for position, element in enumerate(level):
        if not isinstance(element, needed):
            raise ArgumentTypeError(
                f"Type mismatch at dim {depth + 1}: nested data needs elements of one type at each "
                f"depth, {needed.__name__} here, got {element!r} as element {position}; convert "
                "them to one type"
            )


def _check_lengths(level: list[Any], depth: int) -> None:
    needed = len(level[0])
    for position, row in enumerate(level):
        if len(row) != needed:
            raise ShapeError(
                f"Inconsistent size at dim {depth + 1}: nested data needs rows of one length at "
                f"each depth, {needed} here, got {len(row)} in row {position}; pad or cut the rows"
            )
