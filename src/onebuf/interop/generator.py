"""Generators: elements that a Python function makes, box by box, when they are asked for.

A generator is a `onebuf.interop.Source`. Nothing that it makes is kept unless a cache was asked
for: then the index space is cut into a fixed grid of tiles, and the tiles used last stay, up to so
many bytes. What the function gives is checked and copied, so that nobody else's memory is handed
out. The function is called without any lock, by each thread that reads.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from threading import Lock
from typing import Any

import numpy as np

from onebuf.dtypes import as_dtype
from onebuf.errors import ArgumentTypeError, DTypeError, ReadOnlyError, ShapeError
from onebuf.memory import Territory

_TILE_NBYTES = 1 << 20
"""The most bytes of a tile of a cache."""
_TILES = 16
"""A cache holds as many tiles at least, where elements are small enough."""


class Box(tuple[tuple[int, int], ...]):
    """One half-open range ``(low, high)`` for each axis: what a region function is asked for.

    >>> box = Box(((2, 4), (0, 3)))
    >>> box.first, box.last, box.shape
    ((2, 0), (4, 3), (2, 3))
    >>> box.slices
    (slice(2, 4, None), slice(0, 3, None))
    """

    __slots__ = ()

    @property
    def first(self) -> tuple[int, ...]:
        """The lowest index of each axis."""
        return tuple([low for low, _ in self])

    @property
    def last(self) -> tuple[int, ...]:
        """One past the highest index of each axis."""
        return tuple([high for _, high in self])

    @property
    def shape(self) -> tuple[int, ...]:
        """The extent of each axis."""
        return tuple([high - low for low, high in self])

    @property
    def slices(self) -> tuple[slice, ...]:
        """The same as an index."""
        return tuple([slice(low, high) for low, high in self])


class Generator:
    """A function from a box to its elements; see `onebuf.interop.Source`.

    ``cache`` is how many bytes of them may be kept.
    """

    writable = False

    def __init__(
        self,
        make: Callable[[Box], Any],
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        name: str,
        cache: int = 0,
    ) -> None:
        self.name = name
        self.shape = shape
        self.dtype = dtype
        self.territory = Territory()
        self._make = make
        self._tiles = TileCache(shape, dtype.itemsize, cache) if cache else None

    def __repr__(self) -> str:
        return f"Generator({self.name}, shape={self.shape}, dtype={self.dtype.name})"

    def read(self, bounds: Sequence[tuple[int, int]]) -> np.ndarray[Any, Any]:
        """A new array with the elements of the box ``bounds``."""
        box = Box(bounds)
        if 0 in box.shape:
            return np.empty(box.shape, self.dtype)
        tiles = self._tiles
        if tiles is None or prod(box.shape) * self.dtype.itemsize > tiles.limit:
            return self._made(box)
        out = np.empty(box.shape, self.dtype)
        for tile in tiles.over(box):
            found = tiles.find(tile)
            if found is None:
                found = self._made(tile)
                tiles.keep(tile, found)
            ends = list(zip(tile, box, strict=True))
            here = tuple([slice(max(a, c) - c, min(b, d) - c) for (a, b), (c, d) in ends])
            there = tuple([slice(max(a, c) - a, min(b, d) - a) for (a, b), (c, d) in ends])
            out[here] = found[there]
        return out

    def write(self, bounds: Sequence[tuple[int, int]], array: np.ndarray[Any, Any]) -> None:
        """Refuse: there is nothing to write to."""
        raise ReadOnlyError(f"{self.name} makes its elements when they are read; write to a copy()")

    def flush(self) -> None:
        """Nothing was written, so there is nothing to wait for."""

    def forget(self) -> None:
        """Let go of the tiles that were kept."""
        if self._tiles is not None:
            self._tiles.clear()

    @property
    def kept_nbytes(self) -> int:
        """Bytes of the tiles that are kept."""
        return 0 if self._tiles is None else self._tiles.nbytes

    def _made(self, box: Box) -> np.ndarray[Any, Any]:
        """What the function gives for ``box``, checked, in memory of its own."""
        try:
            given = self._make(box)
        except Exception as error:
            error.add_note(f"{self.name} was asked for the box {tuple(box)}")
            raise
        found = self._as_array(given, box)
        if found.shape != box.shape:
            raise ShapeError(
                f"{self.name} was asked for the box {tuple(box)}, so it needed to give elements of "
                f"shape {box.shape}, got shape {found.shape}"
            )
        return np.array(found, order="C", copy=True)

    def _as_array(self, given: Any, box: Box) -> np.ndarray[Any, Any]:
        """``given`` as an array of the right dtype; Python's numbers take it from the buffer."""
        dtype = getattr(given, "dtype", None)
        try:
            found = np.asarray(given)
        except ValueError as error:
            raise ShapeError(
                f"{self.name} was asked for the box {tuple(box)}, so it needed to give elements of "
                f"shape {box.shape}, got {type(given).__name__} of no one shape ({error})"
            ) from error
        if dtype is None and found.dtype.kind in "biufc":
            if found.dtype == self.dtype or np.can_cast(found.dtype, self.dtype, "same_kind"):
                return found.astype(self.dtype)
        elif dtype is not None and _is_same(found.dtype, self.dtype):
            return found.astype(self.dtype, copy=False)
        if dtype is None and found.dtype.kind not in "biufc":
            raise ArgumentTypeError(
                f"{self.name} was asked for the box {tuple(box)}, so it needed to give an array of "
                f"{self.dtype.name} elements, got {given!r}"
            )
        raise DTypeError(
            f"{self.name} was asked for the box {tuple(box)} and needed to give elements of "
            f"{self.dtype.name}, got {found.dtype.name}; convert them with astype, or name their "
            f"type: on_demand(..., dtype={found.dtype.name!r})"
        )


def _is_same(one: np.dtype[Any], other: np.dtype[Any]) -> bool:
    """Whether two dtypes are one, whatever the order of bytes."""
    try:
        return as_dtype(one) == other
    except DTypeError:
        return False


class TileCache:
    """The tiles used last, of a fixed grid over an index space, up to ``limit`` bytes.

    >>> cache = TileCache((4, 100), 8, 3200)
    >>> [tile.shape for tile in cache.over(Box(((0, 1), (20, 30))))]
    [(1, 25), (1, 25)]
    """

    __slots__ = ("limit", "nbytes", "_found", "_lock", "_sizes", "_shape")

    def __init__(self, shape: tuple[int, ...], itemsize: int, limit: int) -> None:
        self.limit = limit
        self.nbytes = 0
        self._shape = shape
        room = max(1, min(_TILE_NBYTES, limit // _TILES) // itemsize)
        sizes = []
        for extent in reversed(shape):
            sizes.append(max(1, min(extent, room)))
            room = max(1, room // sizes[-1])
        self._sizes = tuple(reversed(sizes))
        self._found: OrderedDict[Box, np.ndarray[Any, Any]] = OrderedDict()
        self._lock = Lock()

    def over(self, box: Box) -> list[Box]:
        """The tiles that ``box`` touches, in row-major order."""
        ranges = [
            [(start, min(start + size, extent)) for start in range(low // size * size, high, size)]
            for (low, high), size, extent in zip(box, self._sizes, self._shape, strict=True)
        ]
        return [Box(ends) for ends in product(*ranges)]

    def find(self, tile: Box) -> np.ndarray[Any, Any] | None:
        """The elements of ``tile``, if they are kept."""
        with self._lock:
            found = self._found.get(tile)
            if found is not None:
                self._found.move_to_end(tile)
            return found

    def keep(self, tile: Box, elements: np.ndarray[Any, Any]) -> None:
        """Keep the elements of ``tile``, in place of those that were not used for longest."""
        if elements.nbytes > self.limit:
            return
        elements.flags.writeable = False
        with self._lock:
            old = self._found.pop(tile, None)
            self.nbytes += elements.nbytes - (0 if old is None else old.nbytes)
            self._found[tile] = elements
            while self.nbytes > self.limit:
                _, gone = self._found.popitem(last=False)
                self.nbytes -= gone.nbytes

    def clear(self) -> None:
        """Keep nothing."""
        with self._lock:
            self._found.clear()
            self.nbytes = 0
