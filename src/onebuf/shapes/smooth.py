"""Smooth shapes: boxes, whose rows all have the same length.

A smooth shape says where its box begins as well, so that a part of a shape knows which part it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from onebuf.errors import IndexRangeError, ShapeError
from onebuf.shapes.box import Box, Index, box_of, extents_of, integer, integers, pinned_axes


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Smooth:
    """A box of indices.

    Parameters
    ----------
    *extents
        How many indices each axis has; or one sequence of these. Without any, a scalar.
    origin
        The first index of the box; zeros by default.

    >>> shape = Smooth(2, 3)
    >>> shape.rank, shape.size
    (2, 6)
    >>> part = shape.slice((0, 1), (1, 3))
    >>> part
    Smooth(1, 2, origin=(0, 1))
    >>> list(part), list(part.offsets())
    ([(0, 1), (0, 2)], [(0, 0), (0, 1)])
    """

    extents: Index
    origin: Index

    def __init__(self, *extents: Any, origin: Iterable[int] | None = None) -> None:
        if len(extents) == 1 and isinstance(extents[0], Iterable):
            extents = tuple(getattr(extents[0], "extents", extents[0]))
        sizes = extents_of(extents, "Smooth")
        begin = (0,) * len(sizes) if origin is None else integers(origin, "Smooth: an origin")
        if len(begin) != len(sizes):
            raise ShapeError(
                f"Smooth needs an origin of {len(sizes)} numbers for extents {sizes}, got {begin}"
            )
        object.__setattr__(self, "extents", sizes)
        object.__setattr__(self, "origin", begin)

    @property
    def rank(self) -> int:
        """How many axes there are."""
        return len(self.extents)

    @property
    def size(self) -> int:
        """How many elements there are."""
        return prod(self.extents)

    def extent(self, axis: int) -> int:
        """How many indices ``axis`` has."""
        if not 0 <= integer(axis, "extent: an axis") < len(self.extents):
            raise IndexRangeError(
                f"extent needs an axis in 0..{len(self.extents) - 1} of {self!r}, got {axis}"
            )
        return self.extents[axis]

    @property
    def box(self) -> Box:
        """The first index, and the index behind the last one along every axis."""
        ends = [low + extent for low, extent in zip(self.origin, self.extents, strict=True)]
        return self.origin, tuple(ends)

    def boxes(self) -> list[Box]:
        """Boxes that have exactly the elements of the shape: one, or none if it is empty."""
        return [self.box] if self.size else []

    def __iter__(self) -> Iterator[Index]:
        """The indices in row-major order, counted from 0 and not from the origin."""
        return product(*[range(*bounds) for bounds in zip(*self.box, strict=True)])

    def offsets(self) -> Iterator[Index]:
        """The indices in row-major order, counted from the origin."""
        return product(*[range(extent) for extent in self.extents])

    def __contains__(self, index: object) -> bool:
        if not isinstance(index, tuple) or len(index) != self.rank:
            return False
        first, last = self.box
        return all(low <= i < high for low, i, high in zip(first, index, last, strict=True))

    def slice(self, *bounds: Any) -> Smooth:
        """A part of the same rank: between two indices, or where the leading indices are given.

        Indices count as in iteration, from 0 and not from the origin.

        >>> Smooth(10, 20).slice(0)
        Smooth(1, 20)
        >>> Smooth(10, 20).slice((0, 2), (10, 3))
        Smooth(10, 1, origin=(0, 2))
        """
        first, last = box_of(bounds, self.extents, "slice", self.origin)
        sizes = [high - low for low, high in zip(first, last, strict=True)]
        return Smooth(*sizes, origin=first)

    def chip(self, *bounds: Any) -> Smooth:
        """A part of lower rank: `slice` without the axes that are pinned to one index.

        >>> Smooth(10, 20).chip(2)
        Smooth(20)
        >>> Smooth(10, 20).chip((0, 2), (10, 3))
        Smooth(10)
        """
        first, last = box_of(bounds, self.extents, "chip", self.origin)
        left_out = pinned_axes(bounds, (first, last), "chip")
        kept = [axis for axis in range(self.rank) if axis not in left_out]
        sizes = [last[axis] - first[axis] for axis in kept]
        return Smooth(*sizes, origin=[first[axis] for axis in kept])

    def prefix_count(self, length: int) -> int:
        """How many different beginnings of ``length`` numbers the indices have."""
        return prod(self.extents[:length])

    def __repr__(self) -> str:
        arguments = [str(extent) for extent in self.extents]
        if any(self.origin):
            arguments.append(f"origin={self.origin}")
        return f"Smooth({', '.join(arguments)})"
