"""Cases: dtypes, and random shapes, partitions and boxes, the same ones for the same seed.

Under SPMD every place draws all of them, so that all places make the same calls.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from onebuf.placement import Assigned, Blocked, Box, Cyclic, Everywhere, Partition
from onebuf.shapes import Tiled

DTYPES = (
    *("bool", "int8", "int32", "int64", "uint16", "float16", "float32", "float64"),
    *("complex64", "complex128", "bfloat16"),
)
REFUSABLE = ("float16", "bfloat16")
"""What `accumulate` may refuse to add with an ArgumentError: MPI has no such types."""
MOST_ELEMENTS = 4000
MOST_AXES = 4
MOST_EXTENT = 20

Shape = tuple[int, ...]


def random_shape(rng: np.random.Generator, least: int = 0, most: int = MOST_AXES) -> Shape:
    """A shape of ``least`` to ``most`` axes; about a fifth of them have an extent of 0."""
    rank = int(rng.integers(least, most + 1))
    shape = rng.integers(1, MOST_EXTENT + 1, rank).tolist()
    while prod(shape) > MOST_ELEMENTS:
        largest = int(np.argmax(shape))
        shape[largest] //= 2
    if rank and rng.integers(5) == 0:
        shape[int(rng.integers(rank))] = 0
    return tuple(shape)


def random_partition(
    rng: np.random.Generator, shape: Shape, places: int, everywhere: bool = True
) -> Partition:
    """Tiles of one size or of any, held in any of the ways that there are."""
    tiling = _random_tiling(rng, shape)
    total = prod(tiling.grid)
    way = int(rng.integers(4 if everywhere else 3))
    if way == 1 and (shape or places == 1):
        return Partition(tiling, places, Cyclic(_random_grid(rng, len(shape), places)))
    if way == 2:
        cuts = sorted({0, total, *rng.integers(0, total + 1, 5).tolist()})
        runs = [(cuts[n], cuts[n + 1], int(rng.integers(places))) for n in range(len(cuts) - 1)]
        return Partition(tiling, places, Assigned(tuple(runs)))
    return Partition(tiling, places, Everywhere() if way == 3 else Blocked())


def random_box(rng: np.random.Generator, shape: Shape) -> Box:
    """A box inside of a shape; it may be empty."""
    ends = [sorted(rng.integers(0, extent + 1, 2).tolist()) for extent in shape]
    return tuple([(low, high) for low, high in ends])


def index(box: Box) -> tuple[Any, ...]:
    """A box as an index of an array of all elements, which gives an array without axes, too."""
    return (*[slice(low, high) for low, high in box], ...)


def _random_tiling(rng: np.random.Generator, shape: Shape) -> Tiled:
    if rng.integers(2):
        return Tiled.regular(shape, [int(rng.integers(1, max(2, n + 1))) for n in shape])
    axes = []
    for extent in shape:
        cuts = sorted({0, extent, *rng.integers(0, extent + 1, 3).tolist()})
        axes.append([cuts[n + 1] - cuts[n] for n in range(len(cuts) - 1)])
    return Tiled(*axes)


def _random_grid(rng: np.random.Generator, rank: int, places: int) -> Shape:
    """A grid of so many places: each prime factor goes to a random axis."""
    grid, factor = [1] * rank, 2
    while places > 1:
        while places % factor:
            factor += 1
        grid[int(rng.integers(rank))] *= factor
        places //= factor
    return tuple(grid)
