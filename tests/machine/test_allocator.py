"""The caching allocator: sizes, caps, reuse, trimming, shortage, threads."""

from __future__ import annotations

import gc
import random
import threading
import weakref
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onebuf.errors import ArgumentError, ExportError, OutOfMemory
from onebuf.machine import CachingAllocator, DeviceBlock, Stats, device
from onebuf.machine.allocator import LEAST_CLASS, size_class


class Source:
    """A device with so much memory, which counts what is taken and dropped."""

    def __init__(self, room: int = 1 << 62) -> None:
        self.room = room
        self.taken = 0
        self.held: dict[int, int] = {}

    def get(self, nbytes: int) -> int:
        if sum(self.held.values()) + nbytes > self.room:
            raise MemoryError("full")
        self.taken += 1
        self.held[self.taken] = nbytes
        return self.taken

    def drop(self, memory: int) -> None:
        del self.held[memory]


def made(room: int = 1 << 62, **more: Any) -> tuple[Source, CachingAllocator]:
    source = Source(room)
    return source, CachingAllocator("TEST", source.get, source.drop, **more)


# Sizes


@given(st.integers(0, 1 << 45))
def test_a_size_class_holds_its_sizes_and_wastes_a_quarter_at_most(nbytes: int) -> None:
    size = size_class(nbytes)
    assert nbytes <= size <= max(LEAST_CLASS, nbytes * 5 // 4 + 1)
    assert size_class(size) == size


@given(st.integers(0, 1 << 30), st.integers(0, 1 << 30))
def test_size_classes_are_in_order(one: int, two: int) -> None:
    assert (size_class(one) <= size_class(two)) or one > two


def test_a_block_has_the_size_that_was_asked_for() -> None:
    source, allocator = made()
    block = allocator.allocate(1000)
    assert block.nbytes == 1000
    assert source.held == {block.memory: 1024}
    assert allocator.stats() == Stats(1024, 0, 1024)


def test_a_block_may_be_empty_and_no_less() -> None:
    _, allocator = made()
    assert allocator.allocate(0).nbytes == 0
    with pytest.raises(ArgumentError, match="at least 0 bytes, got -1"):
        allocator.allocate(-1)


# Reuse


def test_memory_that_came_back_is_given_out_again() -> None:
    source, allocator = made()
    block = allocator.allocate(1000)
    memory = block.memory
    del block
    assert allocator.stats() == Stats(0, 1024, 1024)
    assert allocator.allocate(1020).memory == memory
    assert source.taken == 1


def test_memory_in_use_is_not_given_out_again() -> None:
    _, allocator = made()
    blocks = [allocator.allocate(1000) for _ in range(10)]
    assert len({block.memory for block in blocks}) == 10


def test_memory_of_another_size_is_not_given_out() -> None:
    source, allocator = made()
    allocator.allocate(1000)
    block = allocator.allocate(2000)
    assert source.held[block.memory] == 2048


def test_what_is_beyond_the_limit_of_the_cache_is_dropped() -> None:
    source, allocator = made(cache_limit=3000)
    blocks = [allocator.allocate(1024) for _ in range(5)]
    del blocks
    assert allocator.stats() == Stats(0, 2048, 5120)
    assert sum(source.held.values()) == 2048


def test_trimming_gives_the_cache_back_and_nothing_else() -> None:
    source, allocator = made()
    kept = allocator.allocate(500)
    blocks = [allocator.allocate(nbytes) for nbytes in (300, 300, 5000)]
    del blocks
    cached = allocator.stats().cached
    assert allocator.trim() == cached == 320 + 320 + 5120
    assert allocator.stats() == Stats(512, 0, 512 + cached)
    assert source.held == {kept.memory: 512}
    assert allocator.trim() == 0


def test_the_peak_stays() -> None:
    _, allocator = made()
    blocks = [allocator.allocate(1024) for _ in range(3)]
    del blocks
    block = allocator.allocate(1024)
    assert allocator.stats() == Stats(1024, 2048, 3072)
    del block


# Shortage


def test_a_cap_is_an_error_that_changes_nothing() -> None:
    source, allocator = made(cap=4096)
    block = allocator.allocate(3000)
    before = allocator.stats()
    with pytest.raises(OutOfMemory) as caught:
        allocator.allocate(2000)
    assert "TEST: needed 2000 bytes, which is beyond the cap of 4096 bytes" in str(caught.value)
    assert "3072 bytes are in use and 0 cached; delete buffers" in str(caught.value)
    assert allocator.stats() == before
    assert source.taken == 1
    assert allocator.allocate(1000).nbytes == 1000
    del block
    assert allocator.allocate(4096).nbytes == 4096


def test_a_cap_can_be_set_on_an_open_device() -> None:
    driver = device("PYTHON@17").driver
    driver.allocator.cap = 1 << 20
    with pytest.raises(OutOfMemory, match="PYTHON@17: needed 2097152 bytes"):
        driver.allocator.allocate(1 << 21)
    driver.allocator.cap = None
    assert driver.allocator.allocate(1 << 21).nbytes == 1 << 21


def test_the_cache_is_dropped_before_memory_runs_out() -> None:
    source, allocator = made(room=10_000)
    blocks = [allocator.allocate(1024) for _ in range(8)]
    kept = blocks[0]
    del blocks
    assert allocator.stats() == Stats(1024, 7168, 8192)
    large = allocator.allocate(8192)
    assert allocator.stats() == Stats(9216, 0, 9216)
    assert sorted(source.held) == sorted([kept.memory, large.memory])


def test_memory_that_runs_out_is_an_error_that_loses_nothing_in_use() -> None:
    source, allocator = made(room=10_000)
    block = allocator.allocate(1024)
    with pytest.raises(OutOfMemory, match=r"beyond what the device has \(full\); 1024 bytes are"):
        allocator.allocate(16_384)
    assert allocator.stats() == Stats(1024, 0, 1024)
    assert source.held == {block.memory: 1024}
    assert allocator.allocate(8192).nbytes == 8192


@pytest.mark.parametrize("nbytes", [1 << 62, 1 << 70])
@pytest.mark.parametrize("name", ["CPU", "PYTHON"])
def test_more_than_any_machine_has_is_out_of_memory(name: str, nbytes: int) -> None:
    allocator = device(name).driver.allocator
    before = allocator.stats().in_use
    with pytest.raises(OutOfMemory, match=f"needed {nbytes} bytes"):
        allocator.allocate(nbytes)
    assert allocator.stats().in_use == before
    assert allocator.allocate(100).nbytes == 100


def test_an_error_of_another_kind_is_the_device_s_own() -> None:
    def fail(nbytes: int) -> int:
        raise RuntimeError("lost")

    allocator = CachingAllocator("TEST", fail, lambda memory: None)
    with pytest.raises(RuntimeError, match="lost"):
        allocator.allocate(1)
    assert allocator.stats() == Stats(0, 0, 0)


# Blocks


def test_a_block_is_freed_once() -> None:
    _, allocator = made()
    block = allocator.allocate(100)
    block.free()
    assert block.is_freed
    assert allocator.stats() == Stats(0, 256, 256)
    with pytest.raises(ExportError, match="block of 100 bytes was freed already"):
        block.free()
    del block
    gc.collect()
    assert allocator.stats() == Stats(0, 256, 256)


def test_a_freed_block_gives_no_memory() -> None:
    _, allocator = made()
    block = allocator.allocate(100)
    block.free()
    other = allocator.allocate(100)
    with pytest.raises(ExportError, match="was freed, and its memory may be somebody else's"):
        block.memory
    assert other.memory == 1


def test_no_memory_is_memory_too() -> None:
    block = DeviceBlock(None, 0)
    assert block.memory is None
    assert not block.is_freed


def test_a_block_keeps_the_owner_of_its_memory_until_it_is_freed() -> None:
    owner: Any = threading.Event()
    alive = weakref.ref(owner)
    block = DeviceBlock(1, 8, keeps=owner)
    del owner
    gc.collect()
    assert alive() is not None
    block.free()
    assert alive() is None


@pytest.mark.parametrize("offset, nbytes", [(0, 9), (8, 1), (-1, 1), (4, 8)])
def test_a_transfer_beyond_a_block_is_refused(offset: int, nbytes: int) -> None:
    block = DeviceBlock(1, 8)
    block.check_range(0, 8)
    block.check_range(8, 0)
    with pytest.raises(ArgumentError, match=rf"bytes {offset} to {offset + nbytes} of a block"):
        block.check_range(offset, nbytes)


# Threads


@pytest.mark.parametrize("name", ["CPU", "PYTHON", "NULL"])
def test_thousands_of_allocations_over_threads_leave_things_as_they_were(name: str) -> None:
    gc.collect()
    allocator = device(name).driver.allocator
    before = allocator.stats().in_use
    failed: list[BaseException] = []

    def work(seed: int) -> None:
        draw = random.Random(seed)
        held: list[DeviceBlock] = []
        try:
            for _ in range(600):
                held.append(allocator.allocate(draw.choice([0, 1, 100, 5000, 70_000])))
                while len(held) > draw.randrange(8):
                    held.pop(draw.randrange(len(held)))
                if held and draw.random() < 0.1:
                    held.pop().free()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failed
    gc.collect()
    assert allocator.stats().in_use == before
    assert allocator.stats().peak >= 70_000


def test_blocks_of_two_threads_never_share_memory() -> None:
    source, allocator = made()
    in_use: set[int] = set()
    lock = threading.Lock()
    twice: list[int] = []

    def work() -> None:
        for _ in range(500):
            block = allocator.allocate(64)
            with lock:
                if block.memory in in_use:
                    twice.append(block.memory)
                in_use.add(block.memory)
            with lock:
                in_use.discard(block.memory)
            block.free()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert twice == []
    assert source.taken <= 6
