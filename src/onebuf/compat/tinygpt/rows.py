"""Rows: row-major lists cut up and put together again, whole runs of elements at a time."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from onebuf.compat.tinygpt.dtype import Scalar


def split(values: list[Scalar], length: int, count: int) -> list[list[Scalar]]:
    """The first ``count`` runs of ``length`` values.

    >>> split([1, 2, 3, 4, 5, 6], 3, 2)
    [[1, 2, 3], [4, 5, 6]]
    """
    return [values[i * length : (i + 1) * length] for i in range(count)]


def join(
    parts: Sequence[tuple[list[Scalar], tuple[int, ...]]], axis: int
) -> tuple[list[Scalar], tuple[int, ...]]:
    """Values and shape of the parts, each values and shape, one after another along ``axis``.

    >>> join([([1, 2], (2, 1)), ([3, 4, 5, 6], (2, 2))], axis=1)
    ([1, 3, 4, 2, 5, 6], (2, 3))
    """
    shape = list(parts[0][1])
    count = prod(shape[:axis])
    shape[axis] = sum(part_shape[axis] for _, part_shape in parts)
    pieces = [split(values, prod(part_shape[axis:]), count) for values, part_shape in parts]
    joined = [value for row in zip(*pieces, strict=True) for piece in row for value in piece]
    return joined, tuple(shape)


def lower_triangle(
    values: Sequence[Scalar], shape: tuple[int, ...], diagonal: int, zero: Scalar
) -> list[Scalar]:
    """The values on and below a diagonal of the last two axes, and ``zero`` above it.

    >>> lower_triangle([1, 2, 3, 4], (2, 2), diagonal=0, zero=0)
    [1, 0, 3, 4]
    """
    rows, columns = shape[-2:]
    return [
        value if i % columns <= i // columns % rows + diagonal else zero
        for i, value in enumerate(values)
    ]
