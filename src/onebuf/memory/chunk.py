"""Chunks: pieces of mapped memory, and the system calls that map them."""

from __future__ import annotations

import ctypes
import errno
import mmap
from typing import Any, NamedTuple

HUGE_PAGE_BYTES = 2 * 1024 * 1024


class Chunk(NamedTuple):
    """A piece of mapped memory that a pool hands out whole."""

    memory: mmap.mmap
    offset_bytes: int
    nbytes: int
    address: int


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


def address_of(memory: Any) -> int:
    """Where in memory a writable buffer starts."""
    return ctypes.addressof(ctypes.c_char.from_buffer(memory))
