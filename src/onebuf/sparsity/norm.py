"""Norm sparsity: tiles that are zero because their norms are below a threshold.

A norm bounds the elements of a tile. Norms of results follow from those of operands: they add in a
sum, and multiply in a product, where those of all terms add. So a tile of a result whose bound is
below the threshold need not be computed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from onebuf.errors import ArgumentError, ArgumentTypeError, ShapeError
from onebuf.shapes.box import Index
from onebuf.shapes.tiled import Tiled
from onebuf.sparsity import boxes as box_lists
from onebuf.sparsity.block import Block, Grid
from onebuf.sparsity.indices import Integers, checked_shape
from onebuf.sparsity.sparsity import Sparsity


class Norm(Sparsity):
    """Tiles with a norm each; a tile is zero if its norm is 0 or less than the threshold.

    Parameters
    ----------
    tiles
        A `Tiled` shape, or a sequence with the extents of the tiles along each axis.
    norms
        For each tile a number that is not negative: an array with the shape of the grid.
    threshold
        A number that is not negative.

    A union, and a `product`, of two of them has the larger threshold of both, and counts a tile
    that is zero in an operand with norm 0.

    >>> pattern = Norm(((2, 2), (2, 2)), [[1.0, 1e-9], [0.5, 2.0]], threshold=1e-6)
    >>> pattern.sparsity(), pattern.is_zero((0, 3))
    (0.25, True)
    """

    __slots__ = ("tiles", "norms", "threshold", "_boxes")

    tiles: Tiled
    norms: NDArray[np.float64]
    threshold: float
    _boxes: Integers

    def __init__(self, tiles: Any, norms: Any, threshold: float) -> None:
        if not isinstance(tiles, Tiled):
            if isinstance(tiles, (str, bytes)) or not isinstance(tiles, Iterable):
                raise ArgumentTypeError(f"Norm needs a Tiled shape or its arguments, got {tiles!r}")
            tiles = Tiled(*tiles)
        shape = checked_shape(tiles.extents, "Norm")
        limit = _numbers(threshold, "the threshold of Norm")
        values = np.array(_numbers(norms, "norms"), np.float64)
        if values.shape != tiles.grid:
            raise ShapeError(
                f"norms needs a number for each tile of the grid {tiles.grid}, got an array of "
                f"shape {values.shape}"
            )
        if limit.ndim:
            raise ArgumentError(f"the threshold of Norm is one number, got {threshold!r}")
        nonzero = np.argwhere((values >= limit) & (values > 0))
        self._set(shape=shape, tiles=tiles, norms=values, threshold=float(limit))
        self._set(_boxes=Block.of_tiles(tiles.bounds, nonzero).boxes)

    def __reduce__(self) -> Any:
        return Norm, (self.tiles, self.norms, self.threshold)

    @property
    def boxes(self) -> Integers:
        """A box for each tile that is not zero: an array (n, rank, 2), sorted."""
        return self._boxes

    @property
    def grid(self) -> Grid:
        """For each axis, where its tiles begin, and last where the axis ends."""
        return self.tiles.bounds

    @property
    def effective_norms(self) -> NDArray[np.float64]:
        """The norms, with 0 for each tile that is zero."""
        return np.where(self.norms >= self.threshold, self.norms, 0.0)

    @property
    def nonzero_count(self) -> int:
        """How many elements may be nonzero."""
        return int(box_lists.volumes(self.boxes).sum())

    def _is_zero_box(self, first: Index, last: Index) -> bool:
        return not box_lists.meets(self.boxes, first, last)

    def _union(self, other: Sparsity) -> Sparsity:
        if isinstance(other, Norm) and other.tiles == self.tiles:
            with np.errstate(over="ignore"):
                norms = finite(self.effective_norms + other.effective_norms)
            return Norm(self.tiles, norms, max(self.threshold, other.threshold))
        return Block.of_boxes(self.shape, self.boxes, self.grid) | other

    def _parts(self) -> tuple[Any, ...]:
        return (self.tiles, (self.norms + 0.0).tobytes(), self.threshold)

    def __repr__(self) -> str:
        if self.norms.size > 20:
            return f"<Norm {self.shape} with {len(self.boxes)} tiles of {self.norms.size} nonzero>"
        return f"Norm({self.tiles.axes}, {self.norms.tolist()}, {self.threshold})"


def finite(norms: NDArray[np.float64]) -> NDArray[np.float64]:
    """Norms with the largest number in place of those beyond it."""
    return np.minimum(norms, np.finfo(np.float64).max)


def _numbers(values: Any, what: str) -> NDArray[Any]:
    """``values`` as an array of finite numbers that are not negative."""
    try:
        array = np.asarray(values)
    except (ValueError, TypeError):
        raise ShapeError(f"{what}: an array of numbers is needed, got {values!r}") from None
    if array.dtype.kind not in "fiu":
        raise ArgumentTypeError(f"{what}: real numbers are needed, got {array.dtype}: {values!r}")
    if not ((array >= 0) & np.isfinite(array)).all():
        raise ArgumentError(f"{what}: finite numbers of 0 or more are needed, got {values!r}")
    return array
