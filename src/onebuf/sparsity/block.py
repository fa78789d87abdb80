"""Block sparsity: boxes of elements that may be nonzero.

The boxes do not overlap, so a block-sparse tensor stores each element of a box once and nothing of
what is between them. Where all boxes are tiles of one grid, the grid is remembered.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from onebuf.errors import ArgumentError, ArgumentTypeError, RegionError, ShapeError
from onebuf.shapes.box import Index, extents_of
from onebuf.shapes.tiled import Tiled
from onebuf.sparsity import boxes as box_lists
from onebuf.sparsity.indices import (
    Integers,
    checked_shape,
    distinct_flat,
    flat_complement,
    index_array,
    integer_array,
    unflat_indices,
)
from onebuf.sparsity.sparsity import Sparsity, one_list

SHOWN = 12
"""Boxes that a repr spells out."""

Grid: TypeAlias = tuple[Index, ...]
"""For each axis, where its tiles begin, and last where the axis ends."""


class Block(Sparsity):
    """A list of boxes whose elements may be nonzero, or of boxes of zeros.

    Parameters
    ----------
    shape
        The extents of the tensor.
    nonzero
        Boxes, as pairs (first, last) of indices or as shapes with an origin. ``last`` is behind the
        box. Boxes have elements, and do not overlap.
    zero
        Boxes of zeros instead; all other elements may be nonzero.

    >>> pattern = Block((10, 20), [((0, 0), (5, 10)), ((5, 10), (10, 20))])
    >>> pattern.sparsity(), pattern.is_zero((0, 10)), pattern.is_zero((4, 9), (6, 12))
    (0.5, True, False)
    >>> Block((10,), zero=[(2, 8)])
    Block((10,), nonzero=[((0,), (2,)), ((8,), (10,))])
    """

    __slots__ = ("_boxes", "grid")

    _boxes: Integers
    grid: Grid | None
    """For each axis the bounds of tiles, if every box is one tile of this grid; else None."""

    def __init__(self, shape: Any, nonzero: Any = None, *, zero: Any = None) -> None:
        extents = checked_shape(shape, "Block")
        given, listed = one_list("Block", nonzero, zero)
        boxes = _box_array(given, extents, "nonzero" if listed else "zero")
        if not listed:
            boxes = box_lists.complement(boxes, extents)
        self._set(shape=extents, _boxes=boxes, grid=None)

    @classmethod
    def tiles(cls, shape: Any, tile: Any = None, nonzero: Any = None, *, zero: Any = None) -> Block:
        """Tiles of a grid that may be nonzero, or that are zero, by their coordinates.

        Parameters
        ----------
        shape
            The extents of the tensor; or a `Tiled` shape, and then no ``tile``.
        tile
            For each axis the extent of a tile, or a tuple with the extents of all tiles. One
            number is the extent along every axis.
        nonzero, zero
            The coordinates of tiles: tuples, or ints if there is one axis.

        >>> pattern = Block.tiles((6, 6), 3, nonzero=[(0, 0), (1, 1)])
        >>> pattern.sparsity(), pattern.grid
        (0.5, ((0, 3, 6), (0, 3, 6)))
        """
        tiled = _tiled(shape, tile)
        checked_shape(tiled.extents, "Block.tiles")
        given, listed = one_list("Block.tiles", nonzero, zero)
        name = f"{'nonzero' if listed else 'zero'} of Block.tiles"
        flat = distinct_flat(index_array(given, tiled.grid, name), tiled.grid, name)
        if not listed:
            flat = flat_complement(flat, tiled.grid, name)
        return cls.of_tiles(tiled.bounds, unflat_indices(flat, tiled.grid))

    @classmethod
    def of_tiles(cls, grid: Grid, coordinates: Integers) -> Block:
        """The sparsity of some tiles of a grid: rows of ``coordinates``, each one once."""
        boxes = np.empty((*coordinates.shape, 2), np.int64)
        for axis, bounds in enumerate(grid):
            lines = np.array(bounds, np.int64)
            boxes[:, axis, 0] = lines[coordinates[:, axis]]
            boxes[:, axis, 1] = lines[coordinates[:, axis] + 1]
        made = cls.of_boxes(tuple([bounds[-1] for bounds in grid]), boxes)
        made._set(grid=grid)
        return made

    @classmethod
    def of_boxes(cls, shape: Index, boxes: Integers, grid: Grid | None = None) -> Block:
        """The sparsity with these boxes, which do not overlap; tiles of ``grid``, if given."""
        made = object.__new__(cls)
        made._set(shape=shape, _boxes=box_lists.ordered(boxes), grid=grid)
        return made

    def __reduce__(self) -> Any:
        return Block.of_boxes, (self.shape, self.boxes, self.grid)

    @property
    def boxes(self) -> Integers:
        """The boxes: an array (n, rank, 2) of (first, last) bounds, sorted, without overlap."""
        return self._boxes

    @property
    def nonzero_count(self) -> int:
        """How many elements may be nonzero."""
        return int(box_lists.volumes(self.boxes).sum())

    def _is_zero_box(self, first: Index, last: Index) -> bool:
        return not box_lists.meets(self.boxes, first, last)

    def _union(self, other: Sparsity) -> Sparsity:
        joined = np.concatenate([self.boxes, other.boxes])
        grid = self.grid if self.grid == getattr(other, "grid", None) else None
        return Block.of_boxes(self.shape, box_lists.union(joined), grid)

    def _parts(self) -> tuple[Any, ...]:
        return (len(self.boxes), self.boxes.tobytes())

    def __repr__(self) -> str:
        if len(self.boxes) > SHOWN:
            return f"<Block {self.shape} with {len(self.boxes)} nonzero boxes>"
        pairs = [tuple(map(tuple, box)) for box in self.boxes.transpose(0, 2, 1).tolist()]
        return f"Block({self.shape}, nonzero={pairs})"


def _box_array(given: Any, shape: Index, name: str) -> Integers:
    """Boxes as callers pass them, in an array, checked: inside the shape and without overlap."""
    what, rank = f"{name} of Block", len(shape)
    if isinstance(given, Iterable) and not isinstance(given, np.ndarray):
        given = [one.box if hasattr(one, "origin") else one for one in given]
    if not rank:
        pairs = np.zeros((_scalar_boxes(given, what), 2, 0), np.int64)
    else:
        pairs = integer_array(given, what)
    if not pairs.size and rank:
        pairs = pairs.reshape(0, 2, rank)
    if pairs.ndim == 2 and rank == 1:
        pairs = pairs[:, :, None]
    if pairs.ndim != 3 or pairs.shape[1:] != (2, rank):
        raise ShapeError(
            f"{what} needs pairs (first, last) of indices of {rank} numbers for the shape {shape}, "
            f"got an array of shape {pairs.shape}"
        )
    empty = (pairs[:, 0] >= pairs[:, 1]).any(axis=1)
    outside = ((pairs < 0) | (pairs > np.array(shape, np.int64))).any(axis=(1, 2))
    if (empty | outside).any():
        first, last = pairs[(empty | outside).argmax()].tolist()
        raise RegionError(
            f"{what} needs boxes with elements, first < last along every axis, inside the shape "
            f"{shape}, got {_pair(first, last)}"
        )
    boxes = np.ascontiguousarray(pairs.transpose(0, 2, 1), np.int64)
    found = box_lists.overlap(boxes)
    if found is not None:
        one, other = [_pair(*pairs[n].tolist()) for n in found]
        raise ArgumentError(f"{what} needs boxes that do not overlap, got {one} and {other}")
    return box_lists.ordered(boxes)


def _scalar_boxes(given: Any, what: str) -> int:
    """How many boxes a list for a tensor without axes has: the one box is ((), ())."""
    if not isinstance(given, Iterable):
        raise ArgumentTypeError(f"{what} needs a list of boxes, got {given!r}")
    entries = list(given)
    for entry in entries:
        if not isinstance(entry, (Sequence, np.ndarray)) or any(len(one) for one in entry):
            raise ShapeError(f"{what} needs boxes ((), ()) for the shape (), got {entry!r}")
    return len(entries)


def _pair(first: Sequence[int], last: Sequence[int]) -> str:
    return f"({tuple(first)}, {tuple(last)})"


def _tiled(shape: Any, tile: Any) -> Tiled:
    if isinstance(shape, Tiled):
        if tile is not None:
            raise ArgumentTypeError(f"a Tiled shape has its tiles already, got tile={tile!r} too")
        return shape
    extents = extents_of(shape, "Block.tiles")
    if tile is None:
        raise ArgumentTypeError("Block.tiles needs tile=, the extents of a tile, or a Tiled shape")
    sizes = list(tile) if isinstance(tile, Iterable) else [tile] * len(extents)
    if len(sizes) != len(extents):
        raise ShapeError(
            f"Block.tiles needs tiles along each of {len(extents)} axes, got {tile!r} for the "
            f"shape {extents}"
        )
    axes = []
    for axis, (extent, size) in enumerate(zip(extents, sizes, strict=True)):
        one = Tiled(size) if isinstance(size, Iterable) else Tiled.regular((extent,), (size,))
        if one.extents != (extent,):
            raise ShapeError(
                f"Block.tiles needs tiles whose extents along axis {axis} sum to {extent}, got "
                f"{one.axes[0]}"
            )
        axes.append(one.axes[0])
    return Tiled(*axes)
