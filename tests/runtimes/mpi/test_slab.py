"""Slabs, packed boxes: bookkeeping that never loses, doubles or mixes up a byte."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from onebuf.errors import ArgumentError
from onebuf.placement import numel_of
from onebuf.runtimes.mpi.packed_boxes import FEW, PackedBoxes
from onebuf.runtimes.mpi.slab import ALIGNMENT, Slab, aligned

SIZE = 4096


class SlabMachine(RuleBasedStateMachine):
    """A slab next to a set of the bytes that are in use."""

    def __init__(self) -> None:
        super().__init__()
        self.slab = Slab(SIZE + 13)  # what is beyond the last multiple is not used
        self.blocks: dict[int, int] = {}

    def used(self) -> list[tuple[int, int]]:
        return sorted((offset, offset + aligned(size)) for offset, size in self.blocks.items())

    def largest_gap(self) -> int:
        ends = [0, *[end for _, end in self.used()]]
        begins = [*[begin for begin, _ in self.used()], SIZE]
        return max(begin - end for end, begin in zip(ends, begins, strict=True))

    @rule(size=st.one_of(st.integers(1, 300), st.integers(1, SIZE)))
    def allocate(self, size: int) -> None:
        largest = self.largest_gap()
        offset = self.slab.allocate(size)
        if offset is None:
            assert aligned(size) > largest
        else:
            assert offset % ALIGNMENT == 0
            assert aligned(size) <= largest
            assert offset not in self.blocks
            self.blocks[offset] = size

    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        if self.blocks:
            offset = data.draw(st.sampled_from(sorted(self.blocks)))
            self.slab.release(offset)
            del self.blocks[offset]

    @invariant()
    def blocks_are_apart(self) -> None:
        used = self.used()
        assert all(end <= begin for (_, end), (begin, _) in pairwise(used))
        assert all(end <= SIZE for _, end in used)
        assert self.slab.high_water >= max((end for _, end in used), default=0)

    @invariant()
    def bytes_are_counted(self) -> None:
        assert self.slab.in_use == sum(end - begin for begin, end in self.used())
        assert self.slab.largest_hole == self.largest_gap()


TestSlab = SlabMachine.TestCase


def test_memory_that_was_used_is_used_again_before_memory_that_was_not() -> None:
    slab = Slab(1 << 20)
    first = slab.allocate(1000)
    second = slab.allocate(1000)
    assert first is not None
    assert second is not None
    slab.release(first)
    assert slab.allocate(900) == first
    assert slab.high_water == 2 * 1024


def test_blocks_of_no_bytes_have_offsets_of_their_own() -> None:
    slab = Slab(256)
    assert len({slab.allocate(0) for _ in range(4)}) == 4
    assert slab.allocate(0) is None


@pytest.mark.parametrize("size", [-1, 2.5, "4"])
def test_a_slab_needs_a_size(size: object) -> None:
    with pytest.raises(ArgumentError, match="a slab needs a size"):
        Slab(size)  # type: ignore[arg-type]


def test_what_is_no_block_cannot_be_released() -> None:
    slab = Slab(256)
    slab.allocate(64)
    with pytest.raises(ArgumentError, match="no block begins at offset 64"):
        slab.release(64)
    slab.release(0)
    with pytest.raises(ArgumentError, match="no block begins at offset 0"):
        slab.release(0)
    with pytest.raises(ArgumentError, match="a block needs a size"):
        slab.allocate(-1)


@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=3 * FEW),
    st.lists(st.integers(1, 5), max_size=2),
    st.sampled_from([1, 2, 8, 16]),
)
def test_packed_boxes_follow_one_another_and_are_found(
    rows: list[int], columns: list[int], itemsize: int
) -> None:
    rest = tuple([(2, 2 + extent) for extent in columns])
    boxes = []
    low = 0
    for extent in rows:
        boxes.append(((low, low + extent), *rest))
        low += extent + 1
    packed = PackedBoxes(tuple(boxes), itemsize)
    end = 0
    for number, (box, offset) in enumerate(zip(boxes, packed.offsets, strict=True)):
        assert offset % ALIGNMENT == 0
        assert offset == end
        end = offset + aligned(numel_of(box) * itemsize)
        corner = tuple([(high - 1, high) for _, high in box])
        assert packed.find(box) == packed.find(corner) == number
    assert packed.nbytes == end
    with pytest.raises(AssertionError):
        packed.find(((low + 1, low + 2), *rest))
