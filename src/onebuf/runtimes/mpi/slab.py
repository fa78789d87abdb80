"""A slab: which bytes of one large piece of memory are in use.

Pure bookkeeping: offsets and sizes in bytes, no memory. Blocks begin at multiples of `ALIGNMENT`.
A block is cut from the smallest hole that it fits, of equal ones the lowest. So memory that was in
use before is used again, and the end of the slab, which was never touched, last. Holes that meet
are joined: what is free is never in two holes that touch.
"""

from __future__ import annotations

from bisect import bisect_left, insort

from onebuf.errors import ArgumentError

ALIGNMENT = 64


def aligned(nbytes: int) -> int:
    """``nbytes`` rounded up to the alignment of blocks.

    >>> aligned(0), aligned(1), aligned(64), aligned(65)
    (0, 64, 64, 128)
    """
    return -(-nbytes // ALIGNMENT) * ALIGNMENT


class Slab:
    """The blocks in use of ``nbytes`` bytes.

    >>> slab = Slab(256)
    >>> slab.allocate(100), slab.allocate(64), slab.allocate(100)
    (0, 128, None)
    >>> slab.release(0)
    >>> slab.in_use, slab.allocate(10)
    (64, 192)
    """

    def __init__(self, nbytes: int) -> None:
        if type(nbytes) is not int or nbytes < 0:
            raise ArgumentError(f"a slab needs a size of 0 bytes or more, got {nbytes!r}")
        self.nbytes = nbytes // ALIGNMENT * ALIGNMENT
        self.in_use = 0
        """Bytes of all blocks."""
        self.high_water = 0
        """Where the furthest block that ever was ended: from here on nothing was touched."""
        self._blocks: dict[int, int] = {}
        self._holes: list[tuple[int, int]] = []  # (size, offset), sorted
        self._hole_at: dict[int, int] = {}  # offset -> size
        self._hole_to: dict[int, int] = {}  # end -> offset
        if self.nbytes:
            self._add_hole(0, self.nbytes)

    def allocate(self, nbytes: int) -> int | None:
        """The offset of a new block, or None if no hole is large enough.

        A block has at least one byte: so every block has an offset of its own.
        """
        if nbytes < 0:
            raise ArgumentError(f"a block needs a size of 0 bytes or more, got {nbytes}")
        size = aligned(max(1, nbytes))
        number = bisect_left(self._holes, (size, -1))
        if number == len(self._holes):
            return None
        found, offset = self._holes[number]
        self._remove_hole(offset, found)
        if found > size:
            self._add_hole(offset + size, found - size)
        self._blocks[offset] = size
        self.in_use += size
        self.high_water = max(self.high_water, offset + size)
        return offset

    def release(self, offset: int) -> None:
        """Make the block at ``offset`` free."""
        size = self._blocks.pop(offset, None)
        if size is None:
            raise ArgumentError(f"no block begins at offset {offset} of the slab")
        self.in_use -= size
        before = self._hole_to.get(offset)
        if before is not None:
            self._remove_hole(before, offset - before)
            offset, size = before, offset - before + size
        after = self._hole_at.get(offset + size)
        if after is not None:
            self._remove_hole(offset + size, after)
            size += after
        self._add_hole(offset, size)

    @property
    def largest_hole(self) -> int:
        """The size of the largest block that `allocate` would find room for."""
        return self._holes[-1][0] if self._holes else 0

    def _add_hole(self, offset: int, size: int) -> None:
        insort(self._holes, (size, offset))
        self._hole_at[offset] = size
        self._hole_to[offset + size] = offset

    def _remove_hole(self, offset: int, size: int) -> None:
        del self._holes[bisect_left(self._holes, (size, offset))]
        del self._hole_at[offset]
        del self._hole_to[offset + size]
