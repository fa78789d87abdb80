"""Sorting along an axis that is cut: sample sort.

Every place sorts its run. A sample of all runs gives splitters, and each place finds where they are
in its run; then what is between two splitters goes to one place, which sorts it. Equal elements
keep their order: runs are stable, and are joined in order. What moves is every element once, but
for those that stay; and twice a few numbers for each pair of places.

Regular sampling: Shi and Schaeffer, "Parallel sorting by regular sampling" (1992).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from onebuf.dtypes import DT, Array, int64
from onebuf.engine import read
from onebuf.ops.sorting import sortable, stable_order
from onebuf.placement import Assigned, Box, Everywhere, Partition
from onebuf.runtimes.compute.expression import Expression
from onebuf.runtimes.protocols import Elements, Fetch, Need, Runtime
from onebuf.shapes import Tiled

SAMPLES = 32
"""Elements of each run that splitters are chosen from."""
Runs = tuple[tuple[int, int], ...]
"""Where the run of each place begins and ends."""


@dataclass(frozen=True)
class SortedRun:
    """Each run sorted by itself; with ``order`` where each element was."""

    operand: Expression
    dtype: DT
    order: bool = False

    name = "sort of runs"

    def needs(self, box: Box) -> list[Need]:
        """The run."""
        return self.operand.needs(box)

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Sort it."""
        array = sortable(np.asarray(read(self.operand.part(box, fetch))))
        order = stable_order(array, 0)
        out[...] = order + box[0][0] if self.order else array[order]


@dataclass(frozen=True)
class Samples:
    """Elements at some positions, in order."""

    positions: tuple[int, ...]
    dtype: DT

    name = "sample"

    def needs(self, box: Box) -> list[Need]:
        """Those elements."""
        return [(0, ((at, at + 1),)) for at in self.positions[slice(*box[0])]]

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Read one after another."""
        for number, at in enumerate(self.positions[slice(*box[0])]):
            out[number] = fetch(0, ((at, at + 1),))[0]


@dataclass(frozen=True, eq=False)
class Split:
    """Where splitters are in each run: a row of positions for each."""

    splitters: Array
    runs: Runs

    name = "split"
    dtype: DT = int64

    def needs(self, box: Box) -> list[Need]:
        """The runs."""
        return [(0, (self.runs[number],)) for number in range(*box[0])]

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Search."""
        for row, number in enumerate(range(*box[0])):
            run = sortable(fetch(0, (self.runs[number],)))
            found = np.searchsorted(run, sortable(self.splitters), side="right")
            out[row] = (found + self.runs[number][0])[slice(*box[1])]


@dataclass(frozen=True)
class Buckets:
    """What is between splitters, joined from all runs and sorted.

    ``parts`` has for each bucket the ranges of the runs that it is made of. Input 0 has the keys;
    with ``payload`` it is input 1 whose elements are wanted, in the order of the keys.
    """

    parts: tuple[tuple[tuple[int, int], ...], ...]
    dtype: DT
    payload: bool = False

    name = "sort of buckets"

    def _buckets(self, box: Box) -> list[tuple[int, int]]:
        """The numbers of the buckets that ``box`` has elements of, and where each begins."""
        low, high = box[0]
        ends = list(accumulate([sum([b - a for a, b in one]) for one in self.parts], initial=0))
        pairs = enumerate(pairwise(ends))
        return [(n, first) for n, (first, last) in pairs if first < high and last > low]

    def needs(self, box: Box) -> list[Need]:
        """The parts of the runs."""
        inputs = (0, 1) if self.payload else (0,)
        return [
            (one, ((low, high),))
            for number, _ in self._buckets(box)
            for low, high in self.parts[number]
            for one in inputs
            if low < high
        ]

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Join and sort."""
        low, high = box[0]
        for number, first in self._buckets(box):
            parts = [(a, b) for a, b in self.parts[number] if a < b]
            keys = np.concatenate([fetch(0, (part,)) for part in parts])
            order = stable_order(sortable(keys), 0)
            found = keys
            if self.payload:
                found = np.concatenate([fetch(1, (part,)) for part in parts])
            made = found[order]
            begin, end = max(low, first), min(high, first + len(made))
            out[begin - low : end - low] = made[begin - first : end - first]


def sorted_elements(
    runtime: Runtime, operand: Expression, inputs: Sequence[Elements], rows: Partition, order: bool
) -> Elements:
    """The elements of a vector in ascending order, or with ``order`` where each of them was.

    ``rows`` says which run each place has: one at most.
    """
    places = rows.places
    held = [rows.boxes(place) for place in range(places)]
    runs: Runs = tuple([boxes[0][0] for boxes in held if boxes])
    keys = runtime.run(SortedRun(operand, operand.dtype), rows, inputs)
    payload = [runtime.run(SortedRun(operand, int64, True), rows, inputs)] if order else []
    splitters = _splitters(runtime, keys, runs, places)
    parts = _parts(runtime, keys, runs, rows, splitters)
    sizes = [sum([high - low for low, high in one]) for one in parts]
    holders = [number for number, size in enumerate(sizes) if size]
    tiling = Tiled([size for size in sizes if size])
    assigned = tuple([(n, n + 1, place % places) for n, place in enumerate(holders)])
    recipe = Buckets(
        tuple([one for one, size in zip(parts, sizes, strict=True) if size]),
        int64 if order else operand.dtype,
        order,
    )
    return runtime.run(recipe, Partition(tiling, places, Assigned(assigned)), [keys, *payload])


def _splitters(runtime: Runtime, keys: Elements, runs: Runs, places: int) -> Array:
    """Values that cut all elements into as many buckets as there are places, about evenly."""
    chosen: list[int] = []
    for low, high in runs:
        count = min(SAMPLES, high - low)
        chosen += [low + (high - low) * (2 * n + 1) // (2 * count) for n in range(count)]
    positions = tuple(chosen)
    everywhere = Partition(Tiled((len(positions),)), keys.partition.places, Everywhere())
    sample = runtime.run(Samples(positions, keys.dtype), everywhere, [keys])
    found = np.array(runtime.fetch(sample, ((0, len(positions)),)))
    found = found[stable_order(sortable(found), 0)]
    return np.array(found[[len(found) * n // places for n in range(1, places)]])


def _parts(
    runtime: Runtime, keys: Elements, runs: Runs, rows: Partition, splitters: Array
) -> list[tuple[tuple[int, int], ...]]:
    """For each bucket its range of each run."""
    if not len(splitters):
        return [runs]
    holders = tuple([(n, n + 1, p) for n, p in enumerate(_holders(rows))])
    tiling = Tiled((1,) * len(runs), (len(splitters),))
    where = Partition(tiling, rows.places, Assigned(holders))
    split = runtime.run(Split(splitters, runs), where, [keys])
    cuts = runtime.fetch(split, ((0, len(runs)), (0, len(splitters))))
    rows_of_cuts = [
        [low, *[int(cut) for cut in row], high] for (low, high), row in zip(runs, cuts, strict=True)
    ]
    return [
        tuple([(row[number], row[number + 1]) for row in rows_of_cuts])
        for number in range(len(splitters) + 1)
    ]


def _holders(rows: Partition) -> list[int]:
    return [place for place in range(rows.places) if rows.boxes(place)]
