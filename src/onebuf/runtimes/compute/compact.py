"""Elements that a mask picks: how many there are at each place, then themselves, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from onebuf.dtypes import DT, Array, int64
from onebuf.engine import read
from onebuf.placement import Assigned, Box, Partition
from onebuf.runtimes.compute.expression import Expression
from onebuf.runtimes.protocols import Elements, Fetch, Need, Runtime
from onebuf.shapes import Tiled


@dataclass(frozen=True)
class Counted:
    """How many elements of each of some ranges a mask picks."""

    mask: Expression
    ranges: tuple[tuple[int, int], ...]
    dtype: DT = int64

    name = "count"

    def needs(self, box: Box) -> list[Need]:
        """The mask."""
        found = [self.mask.needs((self.ranges[n],)) for n in range(*box[0])]
        return list(dict.fromkeys([need for needs in found for need in needs]))

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Count."""
        for row, number in enumerate(range(*box[0])):
            out[row] = np.count_nonzero(read(self.mask.part((self.ranges[number],), fetch)))


@dataclass(frozen=True)
class Compacted:
    """The elements of each of some ranges that a mask picks, one range after another."""

    values: Expression
    mask: Expression
    ranges: tuple[tuple[int, int], ...]
    counts: tuple[int, ...]

    name = "pick"

    @property
    def dtype(self) -> DT:
        """That of the values."""
        return self.values.dtype

    def _ranges(self, box: Box) -> list[tuple[int, int]]:
        """The numbers of the ranges that ``box`` has elements of, and where each begins."""
        low, high = box[0]
        found, start = [], 0
        for number, count in enumerate(self.counts):
            if start < high and start + count > low:
                found.append((number, start))
            start += count
        return found

    def needs(self, box: Box) -> list[Need]:
        """The values and the mask."""
        found: dict[Need, None] = {}
        for number, _ in self._ranges(box):
            at = (self.ranges[number],)
            for need in (*self.values.needs(at), *self.mask.needs(at)):
                found[need] = None
        return list(found)

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Pick."""
        low, high = box[0]
        for number, start in self._ranges(box):
            at = (self.ranges[number],)
            picked = read(self.values.part(at, fetch))[read(self.mask.part(at, fetch))]
            begin, end = max(low, start), min(high, start + len(picked))
            out[begin - low : end - low] = picked[begin - start : end - start]


def compacted(
    runtime: Runtime,
    values: Expression,
    mask: Expression,
    inputs: Sequence[Elements],
    rows: Partition,
) -> Elements:
    """The elements of a vector that a mask picks; ``rows`` says what is looked at where."""
    places = rows.places
    held = [(box[0], place) for place in range(places) for box in rows.boxes(place)]
    held.sort()
    ranges = tuple([one for one, _ in held])
    where = Assigned(tuple([(n, n + 1, place) for n, (_, place) in enumerate(held)]))
    at = Partition(Tiled((1,) * len(ranges)), places, where)
    counted = runtime.run(Counted(mask, ranges), at, inputs)
    counts = tuple([int(n) for n in runtime.fetch(counted, ((0, len(ranges)),))])
    kept = [(count, place) for count, (_, place) in zip(counts, held, strict=True) if count]
    tiling = Tiled([count for count, _ in kept])
    runs = Assigned(tuple([(n, n + 1, place) for n, (_, place) in enumerate(kept)]))
    recipe = Compacted(values, mask, ranges, counts)
    return runtime.run(recipe, Partition(tiling, places, runs), inputs)
