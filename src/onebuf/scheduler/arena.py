"""Arenas: memory planning for intermediate results, by the intervals in which they are live.

A plan knows which of its steps makes each intermediate result and which one reads it last. Results
whose intervals do not overlap can share memory, so all of them together take little more than the
most that is live at once. Placement is greedy, largest first, each result at the lowest offset that
is free during its interval: not always the best, but never far from it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from onebuf.graph import Node
from onebuf.memory import ALIGNMENT
from onebuf.scheduler.items import Item

if TYPE_CHECKING:
    from onebuf.scheduler.fuse.multipass import Kernel


@dataclass(frozen=True, slots=True)
class LiveInterval:
    """A result of ``nbytes``, made by step ``first`` of a plan and last read by step ``last``."""

    nbytes: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Arena:
    """The offset of each result, in bytes from the start, and the bytes of all together."""

    offsets: tuple[int, ...]
    nbytes: int
    needed: int
    """The bytes of the results if they did not share memory."""

    @property
    def saved(self) -> int:
        """The bytes that sharing saves."""
        return self.needed - self.nbytes


def place(intervals: Sequence[LiveInterval]) -> Arena:
    """Memory for results, in which no two overlap in both interval and bytes.

    >>> place([LiveInterval(100, 0, 1), LiveInterval(100, 1, 2), LiveInterval(100, 2, 3)])
    Arena(offsets=(0, 128, 0), nbytes=256, needed=384)
    """
    sizes = [-(-interval.nbytes // ALIGNMENT) * ALIGNMENT for interval in intervals]
    order = sorted(range(len(intervals)), key=lambda number: (-sizes[number], number))
    offsets: dict[int, int] = {}
    for number in order:
        interval, offset = intervals[number], 0
        taken = sorted(
            (offsets[other], sizes[other])
            for other in offsets
            if intervals[other].first <= interval.last and interval.first <= intervals[other].last
        )
        for start, size in taken:
            if offset + sizes[number] <= start:
                break
            offset = max(offset, start + size)
        offsets[number] = offset
    ends = [offsets[number] + sizes[number] for number in order]
    in_order = tuple([offsets[number] for number in range(len(intervals))])
    return Arena(in_order, max(ends, default=0), sum(sizes))


def arena_of(
    items: Sequence[Kernel | Item], private: Collection[int]
) -> tuple[Arena, dict[int, int]]:
    """Memory for the results of ``items`` that only other kernels among them read.

    Returns the offset of each such result as well, by the id of its node. All of them are
    ``private``: no buffer can ask for them later.
    """
    made: dict[int, tuple[Node, int]] = {}
    last: dict[int, int] = {}
    pinned: set[int] = set()
    for number, item in enumerate(items):
        reads = [id(node.base) for node in item.inputs]
        last.update(dict.fromkeys(reads, number))
        if isinstance(item, Item):
            pinned.update(reads)  # NumPy's loops read arrays
        else:
            pinned.update([id(node) for node in item.whole])
            stored = [node for part in item.parts for node in part.outputs]  # no matmuls: BLAS's
            made.update({id(node): (node, number) for node in stored})
    intervals = {
        me: LiveInterval(node.nbytes, number, last[me])
        for me, (node, number) in made.items()
        if me in last and me in private and me not in pinned
    }
    arena = place(list(intervals.values()))
    return arena, dict(zip(intervals, arena.offsets, strict=True))
