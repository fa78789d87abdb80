"""The pool: host memory that is aligned, reused, counted and capped.

Fresh memory is the dearest kind: the kernel zeroes every page at its first touch. The pool
therefore keeps what is given back, by size class, and hands it out again. Small chunks are cut
from slabs; large ones are mappings of their own, advised to use huge pages. Every chunk starts on
a 64-byte boundary.

A chunk returns to the pool from a finaliser, which may run inside any allocation on any thread.
So giving back takes no lock: appending to a list and adding to an integer attribute are each
indivisible under the interpreter's lock. Only growing and trimming lock.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import threading
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from onebuf.errors import OutOfMemory
from onebuf.events import Allocated, listeners, tell
from onebuf.memory.block import Block
from onebuf.options import options

ALIGNMENT = 64
SMALL_BYTES = 32 * 1024
SLAB_BYTES = 1024 * 1024
HUGE_PAGE_BYTES = 2 * 1024 * 1024


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


class Chunk(NamedTuple):
    """A piece of mapped memory that the pool hands out whole."""

    memory: mmap.mmap
    offset_bytes: int
    nbytes: int
    address: int


@dataclass(frozen=True, slots=True)
class PoolStats:
    """Bytes held by a pool: in use, kept for reuse, and the most that was ever in use."""

    in_use: int
    cached: int
    peak: int


class PoolBlock(Block):
    """A block whose memory goes back to its pool when nothing holds the block any more."""

    __slots__ = ("_pool", "chunk")

    _pool: Pool
    chunk: Chunk
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

    def __del__(self) -> None:
        chunk, pool = self.chunk, self._pool
        size = chunk[2]
        if size > SMALL_BYTES:
            pool._give_back_large(chunk)
        pool._in_use -= size
        pool._free[size].append(chunk)


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

    def __init__(self, cache_limit: int | None = None) -> None:
        self.cache_limit = _quarter_of_memory() if cache_limit is None else cache_limit
        self._in_use = 0
        self._peak = 0
        self._large_cached = 0
        self._free: dict[int, list[Chunk]] = {size: [] for size in _SMALL_CLASS}
        self._lock = threading.Lock()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._after_fork)

    def allocate(self, nbytes: int) -> PoolBlock:
        """A block of at least ``nbytes`` bytes with undefined content."""
        size = _SMALL_CLASS[(nbytes + 63) >> 6] if nbytes <= SMALL_BYTES else size_class(nbytes)
        cap = options().memory_cap
        if cap is not None and self._in_use + size > cap:
            raise self._out_of_memory(nbytes, f"the memory_cap of {cap} bytes")
        try:
            chunk = self._free[size].pop()
        except (KeyError, IndexError):
            chunk = self._grow(size)
        else:
            if size > SMALL_BYTES:
                self._large_cached -= size
        self._in_use += size
        if self._in_use > self._peak:
            self._peak = self._in_use
        if listeners():
            tell(Allocated(size, self._in_use))
        block = _new_block(PoolBlock)  # spelled out: this is the hottest path of all
        block.chunk = chunk
        block.nbytes = nbytes
        block._pool = self
        block._pin = None
        block._readers = None
        return block

    def array(
        self, shape: tuple[int, ...], dtype: np.dtype[Any], nbytes: int
    ) -> tuple[np.ndarray[Any, Any], PoolBlock]:
        """Uninitialised elements in a block of their own, which the array does not keep alive."""
        block = self.allocate(nbytes)
        chunk = block.chunk
        return _ndarray(shape, dtype, chunk[0], chunk[1]), block

    def stats(self) -> PoolStats:
        """Bytes in use, cached and at the peak."""
        cached = sum(size * len(chunks) for size, chunks in list(self._free.items()))
        return PoolStats(self._in_use, cached, self._peak)

    def trim(self) -> int:
        """Give cached memory back to the system; returns how many bytes went."""
        before = self.stats().cached
        with self._lock:
            kept = [chunk for chunk in self._drain(small=True) if chunk is not None]
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
        for size, chunks in list(self._free.items()):
            if (size <= SMALL_BYTES) is small:
                while chunks:
                    taken.append(chunks.pop())
                    if not small:
                        self._large_cached -= size
        return taken

    def _give_back_large(self, chunk: Chunk) -> None:
        """Make room in the cache for ``chunk``."""
        self._large_cached += chunk.nbytes
        if self._large_cached > self.cache_limit:
            self._evict(self._large_cached - self.cache_limit)

    def _evict(self, nbytes: int) -> None:
        """Let go of at least ``nbytes`` of large cached chunks, the largest class first."""
        for size in sorted(self._free, reverse=True):
            chunks = self._free[size]
            while chunks and size > SMALL_BYTES and nbytes > 0:
                chunks.pop()
                self._large_cached -= size
                nbytes -= size

    def _grow(self, size: int) -> Chunk:
        with self._lock:
            if size > SMALL_BYTES:
                self._free.setdefault(size, [])
                memory = self._map(size)
                return Chunk(memory, 0, size, _address(memory))
            memory = self._map(SLAB_BYTES)
            base = _address(memory)
            first, *rest = (
                Chunk(memory, offset, size, base + offset)
                for offset in range(0, SLAB_BYTES - size + 1, size)
            )
            self._free[size].extend(rest)
            return first

    def _map(self, nbytes: int) -> mmap.mmap:
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

    def _after_fork(self) -> None:
        self._lock = threading.Lock()


def map_anonymous(nbytes: int) -> mmap.mmap:
    """Fresh zeroed memory, private to this process, with huge pages where they help."""
    if not hasattr(mmap, "MAP_ANONYMOUS"):  # Windows
        return mmap.mmap(-1, nbytes)
    memory = mmap.mmap(-1, nbytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if nbytes >= HUGE_PAGE_BYTES and hasattr(mmap, "MADV_HUGEPAGE"):
        try:
            memory.madvise(mmap.MADV_HUGEPAGE)
        except OSError as error:
            if error.errno != errno.EINVAL:  # a kernel without huge pages
                raise
    return memory


def _address(memory: Any) -> int:
    return ctypes.addressof(ctypes.c_char.from_buffer(memory))


def _usable(chunk: Chunk) -> int:
    """Bytes of a slab that were cut into chunks of this chunk's size."""
    return SLAB_BYTES // chunk.nbytes * chunk.nbytes


def _quarter_of_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4
    except (AttributeError, ValueError, OSError):
        return 1 << 30


_ndarray = np.ndarray
_new_block = object.__new__

POOL = Pool()
"""The host's pool."""
