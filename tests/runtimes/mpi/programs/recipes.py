"""Recipes on NumPy, for checks of runtimes, and what they should give."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from onebuf.dtypes import DT, Array, float64
from onebuf.placement import Box, intersection, shifted
from onebuf.runtimes.protocols import Fetch, Need


def whole(shape: tuple[int, ...]) -> Box:
    """The box of all elements."""
    return tuple([(0, extent) for extent in shape])


def counted(shape: tuple[int, ...], dtype: DT) -> Array:
    """0, 1, 2, ... in row-major order, as far as ``dtype`` has numbers."""
    numbers = np.arange(int(np.prod(shape))).reshape(shape)
    if dtype == np.dtype(bool):
        return numbers % 3 == 1
    if dtype.kind == "c":
        return (numbers + 1j * (numbers % 7)).astype(dtype)
    return (numbers % 100).astype(dtype)


@dataclass(frozen=True)
class Index:
    """`counted`, made from the indices."""

    shape: tuple[int, ...]
    dtype: DT = float64
    name: str = "index"

    def needs(self, box: Box) -> list[Need]:
        return []

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        index: Any = (*[slice(low, high) for low, high in box], ...)
        out[...] = counted(self.shape, self.dtype)[index]


@dataclass(frozen=True)
class Transpose:
    """Input 0 with its axes reversed."""

    dtype: DT = float64
    name: str = "transpose"

    def needs(self, box: Box) -> list[Need]:
        return [(0, box[::-1])]

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        out[...] = fetch(0, box[::-1]).T


@dataclass(frozen=True)
class Copy:
    """Input 0 plus ``more``: a new tiling, if the partition is another one."""

    dtype: DT = float64
    more: int = 0
    name: str = "copy"

    def needs(self, box: Box) -> list[Need]:
        return [(0, box)]

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        found = fetch(0, box)
        assert found.shape == out.shape
        assert not found.flags.writeable
        out[...] = found + np.asarray(self.more, self.dtype) if self.more else found


@dataclass(frozen=True)
class Stencil:
    """The sum of all neighbours, diagonal ones too, and of the element; zeros outside."""

    shape: tuple[int, ...]
    dtype: DT = float64
    name: str = "stencil"

    def _read(self, box: Box) -> Box:
        return intersection(tuple([(a - 1, b + 1) for a, b in box]), whole(self.shape))

    def needs(self, box: Box) -> list[Need]:
        return [(0, self._read(box))]

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        read = self._read(box)
        padded = np.zeros([b - a + 2 for a, b in box], self.dtype)
        inside = shifted(read, [a - 1 for a, _ in box])
        padded[tuple([slice(a, b) for a, b in inside])] = fetch(0, read)
        out[...] = neighbour_sums(padded)


def neighbour_sums(padded: Array) -> Array:
    """What `Stencil` gives, of an array with one more element on each side."""
    result = np.zeros([extent - 2 for extent in padded.shape], padded.dtype)
    for step in np.ndindex(*[3] * padded.ndim):
        result += padded[tuple([slice(s, s + n) for s, n in zip(step, result.shape, strict=True)])]
    return result


@dataclass(frozen=True)
class Product:
    """The matrix product of inputs 0 and 1, with rows and columns fetched in parts."""

    inner: int
    dtype: DT = float64
    name: str = "product"

    def needs(self, box: Box) -> list[Need]:
        rows, columns = box
        return [(0, (rows, (0, self.inner))), (1, ((0, self.inner), columns))]

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        rows, columns = box
        out[...] = 0
        for low in range(0, self.inner, 3):
            part = (low, min(low + 3, self.inner))
            out += fetch(0, (rows, part)) @ fetch(1, (part, columns))


@dataclass(frozen=True)
class Failing:
    """Fails at the places that ``fails`` says, given the box."""

    fails: Callable[[Box], bool]
    dtype: DT = float64
    name: str = "failing"

    def needs(self, box: Box) -> list[Need]:
        return []

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        out[...] = 7
        if self.fails(box):
            raise ValueError(f"no {box}")


@dataclass(frozen=True)
class Threads:
    """How many threads kernels may use."""

    dtype: DT = float64
    name: str = "threads"

    def needs(self, box: Box) -> list[Need]:
        return []

    def compute(self, box: Box, fetch: Fetch, out: Array) -> None:
        from onebuf.options import options

        out[...] = options().threads or os.cpu_count() or 1
