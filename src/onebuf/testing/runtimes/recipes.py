"""Recipes of the suite of runtimes: plain NumPy, as values that can be pickled.

Each of them checks the array that it is given to write to, as every runtime has to give one of the
shape of the box and of the recipe's dtype.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from onebuf.dtypes import DT, Array, kind
from onebuf.placement import Box
from onebuf.placement.box import shape_of, within
from onebuf.runtimes.protocols import Fetch, Need

ON_PURPOSE = "failed on purpose"
"""What the error of `Failing` says."""


def whole(shape: tuple[int, ...]) -> Box:
    """The box of all indices of a shape."""
    return tuple([(0, extent) for extent in shape])


def write(out: Array, box: Box, dtype: DT, values: Array) -> None:
    """Give ``values`` to ``out``, which has to be an array for ``box``."""
    if out.shape != shape_of(box) or out.dtype != dtype:
        raise AssertionError(
            f"needed an array of the shape {shape_of(box)} and dtype {dtype} for the box {box}, "
            f"got the shape {out.shape} and dtype {out.dtype}"
        )
    out[...] = values


@dataclass(frozen=True, slots=True)
class IndexFunction:
    """Elements that depend on their index alone; small integers, exact in every dtype."""

    shape: tuple[int, ...]
    dtype: DT
    seed: int = 0
    name: ClassVar[str] = "index function"

    def needs(self, box: Box) -> list[Need]:
        """Nothing."""
        return []

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Scatter the numbers of the elements over 0 to 126."""
        write(out, box, self.dtype, self.array(box))

    def array(self, box: Box | None = None) -> Array:
        """A box of the elements; all of them by default."""
        box = whole(self.shape) if box is None else box
        number = np.zeros(shape_of(box), np.uint64)
        for axis, (extent, (low, high)) in enumerate(zip(self.shape, box, strict=True)):
            along = np.arange(low, high, dtype=np.uint64)
            number = number * np.uint64(extent) + along.reshape([-1] + [1] * (len(box) - axis - 1))
        value = (number + np.uint64(self.seed)) * np.uint64(2654435761) >> np.uint64(13)
        small = (value % np.uint64(2 if self.dtype == np.bool else 127)).astype(np.int64)
        if kind(self.dtype) == "c":
            return np.asarray(small + 1j * (small // 2), self.dtype)
        return np.asarray(small).astype(self.dtype)


@dataclass(frozen=True, slots=True)
class Constant:
    """The same value everywhere."""

    value: int
    dtype: DT
    name: ClassVar[str] = "constant"

    def needs(self, box: Box) -> list[Need]:
        """Nothing."""
        return []

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Write the value."""
        write(out, box, self.dtype, np.asarray(self.value))


@dataclass(frozen=True, slots=True)
class Copy:
    """The elements of the input: with another partition, a redistribution."""

    dtype: DT
    name: ClassVar[str] = "copy"

    def needs(self, box: Box) -> list[Need]:
        """The same box."""
        return [(0, box)]

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Write what was read."""
        write(out, box, self.dtype, fetch(0, box))


@dataclass(frozen=True, slots=True)
class Transposition:
    """The input with its axes in reverse order."""

    dtype: DT
    name: ClassVar[str] = "transposition"

    def needs(self, box: Box) -> list[Need]:
        """The box with its axes in reverse order."""
        return [(0, box[::-1])]

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Read the box transposed."""
        write(out, box, self.dtype, fetch(0, box[::-1]).T)


@dataclass(frozen=True, slots=True)
class Stencil:
    """The sum of an element and all of its neighbours, of which those outside are 0."""

    shape: tuple[int, ...]
    dtype: DT
    name: ClassVar[str] = "stencil"

    def needs(self, box: Box) -> list[Need]:
        """The box, grown by one and clipped."""
        pairs = zip(box, self.shape, strict=True)
        return [
            (0, tuple([(max(low - 1, 0), min(high + 1, extent)) for (low, high), extent in pairs]))
        ]

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Add the windows of three elements along each axis."""
        [(number, clipped)] = self.needs(box)
        grown = tuple([(low - 1, high + 1) for low, high in box])
        padded = np.zeros(shape_of(grown), self.dtype)
        padded[within(clipped, grown)] = fetch(number, clipped)
        rank = len(box)
        windows = sliding_window_view(padded, (3,) * rank)
        write(out, box, self.dtype, windows.sum(tuple(range(rank, 2 * rank)), self.dtype))


@dataclass(frozen=True, slots=True)
class Sum:
    """The sum of two inputs, of which the second is a row, or has all axes of the first."""

    dtype: DT
    axes: int
    """Of the second input."""
    name: ClassVar[str] = "sum"

    def needs(self, box: Box) -> list[Need]:
        """The same box of both, as far as the second has its axes."""
        return [(0, box), (1, box[len(box) - self.axes :])]

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Add, and broadcast the second."""
        (_, first), (_, second) = self.needs(box)
        write(out, box, self.dtype, fetch(0, first) + fetch(1, second))


@dataclass(frozen=True, slots=True)
class PartialSums:
    """Sums of groups of rows: row g of the result is that of rows ``bounds[g]`` to the next bound.

    It reads group by group: boxes inside of the one that it needs.
    """

    bounds: tuple[int, ...]
    dtype: DT
    name: ClassVar[str] = "partial sums"

    def needs(self, box: Box) -> list[Need]:
        """All rows of the groups."""
        (low, high), *rest = box
        return [(0, ((self.bounds[low], self.bounds[high]), *rest))]

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Add the rows of each group."""
        (low, high), *rest = box
        groups = [(self.bounds[group], self.bounds[group + 1]) for group in range(low, high)]
        sums = [fetch(0, (rows, *rest)).sum(axis=0, dtype=self.dtype) for rows in groups]
        write(out, box, self.dtype, np.stack(sums))


@dataclass(frozen=True, slots=True)
class Failing:
    """Zeros, and a ValueError for the box that has the index ``at``."""

    at: tuple[int, ...]
    dtype: DT
    name: ClassVar[str] = "failing"

    def needs(self, box: Box) -> list[Need]:
        """Nothing."""
        return []

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        """Write zeros, or raise."""
        write(out, box, self.dtype, np.asarray(0))
        if all(low <= i < high for i, (low, high) in zip(self.at, box, strict=True)):
            raise ValueError(f"{ON_PURPOSE} at {self.at}")
