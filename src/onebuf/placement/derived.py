"""Derived partitions: that of a result, so that most of what it is made of is where it is made.

A result whose index leads to an index of an operand, axis by axis (a slice, a transposition, a
broadcast), is cut where the operand is cut, and its tiles are held where those of the operand are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from onebuf.placement.partition import Assigned, Everywhere, Partition
from onebuf.shapes import Tiled


@dataclass(frozen=True, slots=True)
class Along:
    """Where the axes of a result lead in an operand.

    ``start`` is the operand's index that the result's index 0 leads to. Axis ``a`` of the result
    goes along axis ``axes[a]`` of the operand in steps of ``steps[a]``; None: it stays.
    """

    start: tuple[int, ...]
    axes: tuple[int | None, ...]
    steps: tuple[int, ...]

    @property
    def is_plain(self) -> bool:
        """Whether every index leads to itself."""
        return (
            not any(self.start)
            and self.axes == tuple(range(len(self.start)))
            and all(step == 1 for step in self.steps)
        )

    def at(self, index: Sequence[int]) -> tuple[int, ...]:
        """The operand's index that ``index`` leads to."""
        found = list(self.start)
        for axis, step, i in zip(self.axes, self.steps, index, strict=True):
            if axis is not None:
                found[axis] += step * i
        return tuple(found)


def derived(partition: Partition, along: Along, shape: tuple[int, ...]) -> Partition:
    """The partition of a result of ``shape``, cut and held as an operand's is.

    >>> rows = Partition(Tiled((2, 2, 2), (4,)), 3)
    >>> found = derived(rows, Along((1, 0), (1, 0), (1, 1)), (4, 5))
    >>> found.tiling, [found.boxes(place) for place in range(3)]
    (Tiled((4,), (1, 2, 2)), [(((0, 4), (0, 1)),), (((0, 4), (1, 3)),), (((0, 4), (3, 5)),)])
    """
    if along.is_plain and shape == partition.shape:
        return partition
    axes = []
    for extent, axis, step in zip(shape, along.axes, along.steps, strict=True):
        start = 0 if axis is None else along.start[axis]
        bounds = () if axis is None else partition.tiling.bounds[axis]
        axes.append(_cut(extent, bounds, start, step))
    tiling = Tiled(*axes)
    if partition.is_everywhere:
        return Partition(tiling, partition.places, Everywhere())
    holders = partition.holders()[_tiles(partition, along, tiling)]
    return Partition(tiling, partition.places, Assigned(runs_of(holders)))


def _cut(extent: int, bounds: Sequence[int], start: int, step: int) -> tuple[int, ...]:
    """The extents of the tiles along an axis of which index i leads to ``start + step * i``."""
    if not extent:
        return ()
    cuts = {0, extent}
    for bound in bounds:
        at = -((start - bound) // step) if step > 0 else (start - bound) // -step + 1
        if 0 < at < extent:
            cuts.add(at)
    return tuple([high - low for low, high in pairwise(sorted(cuts))])


def _tiles(
    partition: Partition, along: Along, tiling: Tiled
) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.int64]], ...]:
    """For every tile of the result the operand's tile: an index for each axis of the operand."""
    rank = tiling.rank
    found = [
        np.full([1] * rank, bisect_right(bounds, start) - 1)
        for bounds, start in zip(partition.tiling.bounds, along.start, strict=True)
    ]
    for axis, (into, step) in enumerate(zip(along.axes, along.steps, strict=True)):
        if into is None:
            continue
        bounds = np.array(partition.tiling.bounds[into])
        firsts = along.start[into] + step * np.array(tiling.bounds[axis][:-1], np.int64)
        tiles = np.searchsorted(bounds, firsts, side="right") - 1
        found[into] = tiles.reshape([-1 if other == axis else 1 for other in range(rank)])
    return tuple(np.broadcast_arrays(*found, np.empty(tiling.grid))[:-1])


def runs_of(
    holders: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
) -> tuple[tuple[int, int, int], ...]:
    """The runs of equal places in an array of them, in row-major order.

    >>> runs_of(np.array([[0, 0], [0, 1]]))
    ((0, 3, 0), (3, 4, 1))
    """
    flat = holders.reshape(-1)
    if not flat.size:
        return ()
    starts = [0, *(np.flatnonzero(np.diff(flat)) + 1).tolist(), flat.size]
    return tuple([(begin, end, int(flat[begin])) for begin, end in pairwise(starts)])
