"""Elements that are not in memory at once, to be written to a file part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from math import prod
from typing import Any

import numpy as np

PART_NBYTES = 32 << 20
"""The most bytes that are in memory for it at a time."""
Bounds = tuple[tuple[int, int], ...]


class Streamed:
    """Elements of which ``read`` gives any box; ``shape`` and ``dtype`` are those of an array."""

    def __init__(
        self,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        read: Callable[[Bounds], np.ndarray[Any, Any]],
    ) -> None:
        self.shape = shape
        self.dtype = dtype
        self._read = read

    def parts(self) -> Iterator[tuple[Bounds, np.ndarray[Any, Any]]]:
        """Boxes that follow one another in row-major order, with their elements.

        >>> whole = Streamed((2, 3), np.dtype(int), lambda bounds: np.zeros((2, 3), int))
        >>> [bounds for bounds, _ in whole.parts()]
        [((0, 2), (0, 3))]
        """
        for bounds in row_major_boxes(self.shape, max(1, PART_NBYTES // self.dtype.itemsize)):
            yield bounds, self._read(bounds)


def row_major_boxes(shape: tuple[int, ...], limit: int) -> Iterator[Bounds]:
    """Boxes of at most ``limit`` elements that cover ``shape``, in row-major order.

    >>> list(row_major_boxes((2, 5), 3))
    [((0, 1), (0, 3)), ((0, 1), (3, 5)), ((1, 2), (0, 3)), ((1, 2), (3, 5))]
    """
    sizes: list[int] = []
    room = limit
    for extent in reversed(shape):
        size = max(1, min(extent, room))
        sizes.append(size)
        room = room // size if size == extent else 1
    ranges = [
        [(low, min(low + size, extent)) for low in range(0, extent, size)]
        for extent, size in zip(shape, reversed(sizes), strict=True)
    ]
    assert prod(sizes) <= max(limit, 1)
    return product(*ranges)
