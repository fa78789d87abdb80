"""The pool: host memory that is aligned, reused, counted and capped.

Fresh memory is slow: the kernel zeroes every page at its first touch. The pool
therefore keeps what is given back, by size class, and hands it out again. Small chunks are cut
from slabs; large ones are mappings of their own, advised to use huge pages. Every chunk starts on
a 64-byte boundary.

A chunk returns to the pool from a finaliser, which may run inside any allocation on any thread,
and signal handlers allocate in the middle of the pool's own lines. So the pool has no lock at all:
appending to a list, popping from it and adding to an integer attribute are each indivisible under
the interpreter's lock, and between any two of these the pool is in order. Two threads that find
nothing map memory each, and keep it. The peak counts cells on shelves (`onebuf.memory.cells`) as in
use, so that taking one costs no arithmetic.
"""

from __future__ import annotations

import errno
import mmap
import os
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from onebuf import events, switch
from onebuf.errors import OutOfMemory
from onebuf.events import listeners, tell
from onebuf.memory.block import Block
from onebuf.memory.cells import Cell, Shelves, most_cells
from onebuf.memory.chunk import Chunk, address_of, map_anonymous
from onebuf.options import options

ALIGNMENT = 64
SMALL_BYTES = 32 * 1024
SLAB_BYTES = 1024 * 1024


def size_class(nbytes: int) -> int:
    """``nbytes`` rounded up so that at most an eighth is wasted beyond the alignment.

    >>> size_class(1), size_class(64), size_class(65), size_class(1025), size_class(5_000_000)
    (64, 64, 128, 1152, 5242880)
    """
    if nbytes <= ALIGNMENT:
        return ALIGNMENT
    step = max(ALIGNMENT, 1 << ((nbytes - 1).bit_length() - 4))
    return -(-nbytes // step) * step


_SMALL_CLASS = [size_class(n * ALIGNMENT) for n in range(SMALL_BYTES // ALIGNMENT + 1)]


class PoolStats(NamedTuple):
    """Bytes held by a pool: in use, kept for reuse, and the most that was ever in use."""

    in_use: int
    cached: int
    peak: int


class PoolBlock(Block):
    """A block whose memory goes back to its pool when nothing holds the block any more.

    A block of a cell puts the cell back on its shelf, unless its array was made read-only. Nobody
    can have that array, because what is handed out are windows.
    """

    __slots__ = ("_cell", "_pool", "chunk", "gives_back")

    _cell: Cell | None
    _pool: Pool
    chunk: Chunk
    gives_back: bool
    writable = True

    @property
    def memory(self) -> mmap.mmap:
        """The mapping that the block is part of."""
        return self.chunk.memory

    @property
    def offset_bytes(self) -> int:  # type: ignore[override]
        """Where in the mapping the block starts."""
        return self.chunk.offset_bytes

    @property
    def address(self) -> int:  # type: ignore[override]
        """Where in memory the block starts."""
        return self.chunk.address

    def __init__(self, pool: Pool, chunk: Chunk, nbytes: int) -> None:
        self.gives_back = False  # until all is there: an interrupt may come between any two lines
        self.chunk = chunk
        self.nbytes = nbytes
        self._pool = pool
        self._pin = None
        self._cell = None
        self.readers = {}
        self.gives_back = True

    def __del__(self) -> None:
        if getattr(self, "gives_back", False):  # which an interrupt may have kept from being set
            cell = self._cell
            if cell is not None and len(cell[2]) < cell[3] and cell[0].flags.writeable:
                cell[2].append(cell)
            else:
                self._pool.give_back(self.chunk)


class Pool:
    """A caching allocator of host memory.

    >>> pool = Pool()
    >>> block = pool.allocate(1000)
    >>> block.address % 64, pool.stats().in_use
    (0, 1024)
    >>> del block
    >>> pool.stats().in_use, pool.stats().cached > 0
    (0, True)
    """

    _small_bytes = SMALL_BYTES  # blocks may be given back when the module's names are gone

    def __init__(self, cache_limit: int | None = None) -> None:
        self.cache_limit = _quarter_of_memory() if cache_limit is None else cache_limit
        self._in_use = 0
        self._peak = 0
        self._large_cached = 0
        self._free: dict[int, list[Chunk]] = {size: [] for size in _SMALL_CLASS}
        self.shelves = Shelves()

    def allocate(self, nbytes: int) -> PoolBlock:
        """A block of at least ``nbytes`` bytes with undefined content."""
        return PoolBlock(self, self._take(nbytes), nbytes)

    def cell(self, shape: tuple[int, ...], dtype: np.dtype[Any], nbytes: int) -> Cell | None:
        """A small new array with a shelf to go back to; None if it is too large for one.

        The caller puts the cell back on its shelf in the end, or its chunk back in the pool
        (`give_back`), or makes a block of it (`adopt`).
        """
        shelf = self.shelves.shelf(shape, dtype, nbytes)
        if shelf is None:
            return None
        chunk = self._take(nbytes)
        array = np.ndarray(shape, dtype, chunk.memory, chunk.offset_bytes)
        return Cell(array, chunk, shelf, most_cells(chunk.nbytes))

    def adopt(self, cell: Cell) -> PoolBlock:
        """A block of a cell's memory; it ``gives_back`` that memory once it is told to."""
        block = PoolBlock(self, cell.chunk, cell.array.nbytes)
        block._cell = cell
        block.gives_back = False
        return block

    def _take(self, nbytes: int) -> Chunk:
        size = _SMALL_CLASS[(nbytes + 63) >> 6] if nbytes <= SMALL_BYTES else size_class(nbytes)
        if switch.on:
            switch.point("pool.take")
        cap = options().memory_cap
        if cap is not None and self._in_use + size > cap and not self._fits(size, cap):
            raise self._out_of_memory(nbytes, f"the memory_cap of {cap} bytes")
        try:
            chunk = self._free[size].pop()
        except (KeyError, IndexError):
            chunk = self._grow(size)
        else:
            if size > SMALL_BYTES:
                self._large_cached -= size
        self._in_use = in_use = self._in_use + size
        if in_use > self._peak:
            self._peak = in_use
        if listeners():
            tell(events.Allocated(size, in_use - self.shelves.nbytes))
        return chunk

    def give_back(self, chunk: Chunk) -> None:
        """Keep ``chunk`` for reuse, as far as the cache's limit allows."""
        size = chunk.nbytes
        self._in_use -= size
        if size > self._small_bytes:
            if size > self.cache_limit:
                return
            self._large_cached += size
            if self._large_cached > self.cache_limit:
                self._evict(self._large_cached - self.cache_limit)
        self._free[size].append(chunk)

    def stats(self) -> PoolStats:
        """Bytes in use, cached and at the peak."""
        shelved = self.shelves.nbytes
        cached = sum([size * len(self._free[size]) for size in list(self._free)])
        return PoolStats(self._in_use - shelved, cached + shelved, self._peak)

    def _fits(self, size: int, cap: int) -> bool:
        """Whether ``size`` bytes more are within ``cap`` once cells that nobody uses are given
        back."""
        for chunk in self.shelves.clear():
            self.give_back(chunk)
        return self._in_use + size <= cap

    def trim(self) -> int:
        """Give cached memory back to the system; returns how many bytes went."""
        before = self.stats().cached
        for chunk in self.shelves.clear():
            self.give_back(chunk)
        kept = self._drain(small=True)
        free_bytes: dict[int, int] = {}
        for chunk in kept:
            free_bytes[id(chunk.memory)] = free_bytes.get(id(chunk.memory), 0) + chunk.nbytes
        for chunk in kept:
            if free_bytes[id(chunk.memory)] < _usable(chunk):
                self._free[chunk.nbytes].append(chunk)
        self._drain(small=False)
        return max(0, before - self.stats().cached)

    def _drain(self, small: bool) -> list[Chunk]:
        """Take every cached chunk of that kind out of the lists."""
        taken: list[Chunk] = []
        for size in list(self._free):
            if (size <= SMALL_BYTES) is small:
                while (chunk := _pop(self._free[size])) is not None:
                    taken.append(chunk)
                    if not small:
                        self._large_cached -= size
        return taken

    def _evict(self, nbytes: int) -> None:
        """Let go of at least ``nbytes`` of large cached chunks, the largest class first."""
        for size in sorted(list(self._free), reverse=True):
            if size <= SMALL_BYTES:
                return
            while nbytes > 0 and _pop(self._free[size]) is not None:
                self._large_cached -= size
                nbytes -= size

    def _grow(self, size: int) -> Chunk:
        if size > SMALL_BYTES:
            self._free.setdefault(size, [])
            memory = self._map(size)
            return Chunk(memory, 0, size, address_of(memory))
        memory = self._map(SLAB_BYTES)
        base = address_of(memory)
        if switch.on:
            switch.point("pool.cut")
        first, *rest = [
            Chunk(memory, offset, size, base + offset)
            for offset in range(0, SLAB_BYTES - size + 1, size)
        ]
        self._free[size].extend(rest)
        return first

    def _map(self, nbytes: int) -> mmap.mmap:
        if switch.on:
            switch.point("pool.map")
        try:
            return map_anonymous(nbytes)
        except OSError as error:
            if error.errno not in (errno.ENOMEM, errno.EINVAL):
                raise
        except OverflowError:
            raise self._out_of_memory(nbytes, "the address space") from None
        self._drain(small=False)
        try:
            return map_anonymous(nbytes)
        except OSError:
            raise self._out_of_memory(nbytes, "what the system has") from None

    def _out_of_memory(self, nbytes: int, limit: str) -> OutOfMemory:
        stats = self.stats()
        return OutOfMemory(
            f"needed {nbytes} bytes, which is beyond {limit}; {stats.in_use} bytes are in use and "
            f"{stats.cached} cached; delete buffers that are no longer needed or work in parts"
        )


def _pop(chunks: list[Chunk]) -> Chunk | None:
    """A chunk, if there is one still: another thread may take the last at any time."""
    try:
        return chunks.pop()
    except IndexError:
        return None


def _usable(chunk: Chunk) -> int:
    """Bytes of a slab that were cut into chunks of this chunk's size."""
    return SLAB_BYTES // chunk.nbytes * chunk.nbytes


def _quarter_of_memory() -> int:
    return _memory_nbytes() // 4


@cache
def _memory_nbytes() -> int:
    """The memory of this machine; where it does not say, 4 GiB."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 1 << 32


def most_nbytes() -> int:
    """The most bytes that may be in use at once: the ``memory_cap``, or what the machine has."""
    cap = options().memory_cap
    return _memory_nbytes() if cap is None else cap


POOL = Pool()
"""The host's pool."""
