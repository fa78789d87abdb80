"""Arenas: one stretch of memory for results that are only needed on the way.

A plan knows when each of its intermediate results is made and when it is last read. Two that are
never needed at the same time can have the same memory, so all of them together take little more
than the most that is needed at once. Results are placed largest first, each at the lowest offset
where nothing is that lives at the same time: not always the best, but never far from it.
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
class Life:
    """A result of ``nbytes``, made by step ``first`` of a plan and last read by step ``last``."""

    nbytes: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Arena:
    """Where each result lies, in bytes from the start, and how many bytes there are in all."""

    offsets: tuple[int, ...]
    nbytes: int
    needed: int
    """What the results would take without sharing memory."""

    @property
    def saved(self) -> int:
        """Bytes that are not taken because results share memory."""
        return self.needed - self.nbytes


def place(lives: Sequence[Life]) -> Arena:
    """Memory for results, no two of which overlap in both time and place.

    >>> place([Life(100, 0, 1), Life(100, 1, 2), Life(100, 2, 3)])
    Arena(offsets=(0, 128, 0), nbytes=256, needed=384)
    """
    sizes = [-(-life.nbytes // ALIGNMENT) * ALIGNMENT for life in lives]
    order = sorted(range(len(lives)), key=lambda number: (-sizes[number], number))
    offsets: dict[int, int] = {}
    for number in order:
        life, offset = lives[number], 0
        taken = sorted(
            (offsets[other], sizes[other])
            for other in offsets
            if lives[other].first <= life.last and life.first <= lives[other].last
        )
        for start, size in taken:
            if offset + sizes[number] <= start:
                break
            offset = max(offset, start + size)
        offsets[number] = offset
    ends = [offsets[number] + sizes[number] for number in order]
    in_order = tuple([offsets[number] for number in range(len(lives))])
    return Arena(in_order, max(ends, default=0), sum(sizes))


def arena_of(
    items: Sequence[Kernel | Item], private: Collection[int]
) -> tuple[Arena, dict[int, int]]:
    """Memory for those results of ``items`` that only other kernels among them read.

    Returns the offset of each such result, by the id of its node. Only ``private`` nodes are among
    them, which nobody can ask for later.
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
            stored = [node for part in item.parts for node in part.outputs]  # no product: BLAS's
            made.update({id(node): (node, number) for node in stored})
    lives = {
        me: Life(node.nbytes, number, last[me])
        for me, (node, number) in made.items()
        if me in last and me in private and me not in pinned
    }
    arena = place(list(lives.values()))
    return arena, dict(zip(lives, arena.offsets, strict=True))
