"""Elements that a function of Python makes, tile by tile, at the place that holds the tile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

from onebuf.dtypes import DT, Array
from onebuf.interop.generator import Generator
from onebuf.placement import Box, intersection
from onebuf.placement.box import within
from onebuf.runtimes.protocols import Fetch, Need
from onebuf.shapes import Tiled


@dataclass(frozen=True)
class Generated:
    """What ``call`` gives for the tiles of a shape; it takes a box."""

    call: Callable[[Any], Any]
    shape: tuple[int, ...]
    dtype: DT
    tiling: Tiled
    name: str

    waits = True

    def needs(self, box: Box) -> list[Need]:
        """Nothing."""
        return []

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Call the function for each tile that ``box`` has elements of."""
        if not out.size:
            return
        source = Generator(self.call, self.shape, self.dtype, f"distributed({self.name})")
        tiling = self.tiling
        low = tiling.tile_of([first for first, _ in box])
        high = tiling.tile_of([last - 1 for _, last in box])
        for at in product(*[range(a, b + 1) for a, b in zip(low, high, strict=True)]):
            tile = tuple([(b[n], b[n + 1]) for b, n in zip(tiling.bounds, at, strict=True)])
            kept = intersection(tile, box)
            out[within(kept, box)] = source.read(tile)[within(kept, tile)]
