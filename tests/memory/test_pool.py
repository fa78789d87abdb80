"""The pool: aligned, reused, counted, capped, and safe between threads and processes."""

from __future__ import annotations

import gc
import os
import random
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import onebuf
from onebuf.errors import OutOfMemory
from onebuf.events import Allocated, listening
from onebuf.memory import ALIGNMENT, POOL, Pool, PoolBlock, size_class

MB = 1024 * 1024
SIZES = [0, 1, 63, 64, 65, 1000, 4096, 32 * 1024, 32 * 1024 + 1, MB, 3 * MB + 5]


def numpy_on(block):
    return np.frombuffer(block.memory, np.uint8, block.nbytes, block.offset_bytes)


# Sizes


@given(st.integers(0, 1 << 40))
def test_a_size_class_holds_its_sizes_and_wastes_an_eighth_at_most(nbytes):
    size = size_class(nbytes)
    assert size >= nbytes
    assert size % ALIGNMENT == 0
    assert size <= max(ALIGNMENT, nbytes + ALIGNMENT, nbytes * 9 // 8 + ALIGNMENT)


@given(st.integers(0, 1 << 40))
def test_a_size_class_is_its_own_class(nbytes):
    assert size_class(size_class(nbytes)) == size_class(nbytes)


@given(st.integers(0, 1 << 30), st.integers(0, 1 << 30))
def test_size_classes_are_in_order(one, two):
    assert (size_class(one) <= size_class(two)) or one > two


# Blocks


@pytest.mark.parametrize("nbytes", SIZES)
def test_every_block_starts_on_64_bytes(nbytes):
    pool = Pool()
    blocks = [pool.allocate(nbytes) for _ in range(20)]
    assert {block.address % 64 for block in blocks} == {0}


@pytest.mark.parametrize("nbytes", SIZES)
def test_the_address_is_where_the_memory_is(nbytes):
    block = Pool().allocate(nbytes)
    assert block.nbytes == nbytes
    if nbytes:
        assert numpy_on(block).ctypes.data == block.address


@pytest.mark.parametrize("nbytes", SIZES)
def test_blocks_in_use_do_not_overlap(nbytes):
    pool = Pool()
    blocks = [pool.allocate(nbytes) for _ in range(30)]
    for number, block in enumerate(blocks):
        numpy_on(block)[:] = number
    for number, block in enumerate(blocks):
        assert (numpy_on(block) == number).all()


@pytest.mark.parametrize("nbytes", [1, 4096, 5 * MB])
def test_memory_that_came_back_is_given_out_again(nbytes):
    pool = Pool()
    block = pool.allocate(nbytes)
    address = block.address
    del block
    assert pool.allocate(nbytes).address == address


def test_memory_in_use_is_not_given_out_again():
    pool = Pool()
    first = pool.allocate(5 * MB)
    assert pool.allocate(5 * MB).address != first.address


# Counting


@pytest.mark.parametrize("nbytes", SIZES)
def test_bytes_in_use_are_counted_by_size_class(nbytes):
    pool = Pool()
    block = pool.allocate(nbytes)
    assert pool.stats().in_use == size_class(nbytes)
    del block
    assert pool.stats().in_use == 0
    assert pool.stats().cached >= size_class(nbytes)


def test_the_peak_stays():
    pool = Pool()
    blocks = [pool.allocate(MB) for _ in range(3)]
    del blocks
    block = pool.allocate(64)
    assert pool.stats().peak == 3 * MB
    del block


def test_listeners_hear_of_every_block():
    pool, heard = Pool(), []
    with listening(heard.append):
        one = pool.allocate(100)
        two = pool.allocate(MB)
    assert heard == [Allocated(128, 128), Allocated(MB, MB + 128)]
    del one, two


def test_deleting_buffers_brings_the_bytes_in_use_back():
    gc.collect()
    before = POOL.stats().in_use
    x = onebuf.Buffer.zeros((1000, 100)).realize()
    y = (x.T + 1).sum(axis=0).realize()
    view = y[3:]
    assert POOL.stats().in_use > before
    del x, y, view
    assert POOL.stats().in_use == before


# Giving back to the system


def test_trim_gives_back_what_is_cached():
    pool = Pool()
    blocks = [pool.allocate(nbytes) for nbytes in (64, 4096, 5 * MB)]
    del blocks
    cached = pool.stats().cached
    assert cached > 5 * MB
    assert pool.trim() == cached
    assert pool.stats().cached == 0
    assert pool.trim() == 0


def test_trim_keeps_what_is_in_use():
    pool = Pool()
    small, large = pool.allocate(4096), pool.allocate(5 * MB)
    numpy_on(small)[:] = 1
    numpy_on(large)[:] = 2
    pool.trim()
    for _ in range(5):
        numpy_on(pool.allocate(4096))[:] = 9
        numpy_on(pool.allocate(5 * MB))[:] = 9
    assert (numpy_on(small) == 1).all()
    assert (numpy_on(large) == 2).all()
    assert pool.stats().in_use == size_class(4096) + size_class(5 * MB)


def test_the_pool_works_after_a_trim():
    pool = Pool()
    del_me = [pool.allocate(nbytes) for nbytes in SIZES]
    del del_me
    pool.trim()
    blocks = [pool.allocate(nbytes) for nbytes in SIZES]
    assert pool.stats().in_use == sum(map(size_class, SIZES))
    del blocks


@pytest.mark.parametrize("limit", [4 * MB, 3 * MB, MB, 0])
def test_the_cache_stays_below_its_limit(limit):
    pool = Pool(cache_limit=limit)
    blocks = [pool.allocate(MB) for _ in range(8)]
    while blocks:
        blocks.pop()
        assert pool.stats().cached <= limit


def test_a_block_larger_than_the_limit_is_not_kept():
    pool = Pool(cache_limit=2 * MB)
    small = pool.allocate(MB)
    del small
    large = pool.allocate(10 * MB)
    del large
    assert pool.stats().cached <= 2 * MB


def test_eviction_keeps_as_much_as_fits():
    pool = Pool(cache_limit=4 * MB)
    blocks = [pool.allocate(MB) for _ in range(8)]
    del blocks
    assert pool.stats().cached == 4 * MB


# Caps


def test_the_cap_refuses_with_the_numbers():
    pool = Pool()
    held = pool.allocate(2 * MB)
    with onebuf.config(memory_cap=3 * MB), pytest.raises(OutOfMemory) as caught:
        pool.allocate(2 * MB + 1)
    message = str(caught.value)
    assert str(2 * MB + 1) in message
    assert str(3 * MB) in message
    assert f"{2 * MB} bytes are in use" in message
    assert "delete" in message
    assert isinstance(caught.value, MemoryError)
    del held


def test_the_cap_allows_up_to_itself():
    pool = Pool()
    with onebuf.config(memory_cap=2 * MB):
        first = pool.allocate(MB)
        second = pool.allocate(MB)
        with pytest.raises(OutOfMemory):
            pool.allocate(1)
        del first
        third = pool.allocate(MB)
    del second, third


def test_the_cap_ends_with_its_block():
    pool = Pool()
    with onebuf.config(memory_cap=0), pytest.raises(OutOfMemory):
        pool.allocate(1)
    assert pool.allocate(1).nbytes == 1


def test_a_refused_allocation_is_not_counted():
    pool = Pool()
    with onebuf.config(memory_cap=MB), pytest.raises(OutOfMemory):
        pool.allocate(2 * MB)
    assert pool.stats().in_use == 0


@pytest.mark.parametrize("nbytes", [1 << 60, 1 << 70])
def test_more_than_the_machine_has_is_an_error_and_no_crash(nbytes):
    pool = Pool()
    with pytest.raises(OutOfMemory, match=rf"needed {nbytes} bytes.*in use.*cached"):
        pool.allocate(nbytes)
    assert pool.stats().in_use == 0


def test_buffers_say_so_when_memory_is_gone_and_lose_nothing():
    x = onebuf.Buffer(np.arange(10_000.0))
    with onebuf.config(eager_numel=0, memory_cap=POOL.stats().in_use + 100):
        y = x + 1
        with pytest.raises(OutOfMemory):
            y.realize()
    assert y[9_999].item() == 10_000.0


# Threads and processes


def test_eight_threads_leave_nothing_in_use():
    pool = Pool(cache_limit=8 * MB)
    wrong: list[object] = []

    def work(seed: int) -> None:
        rng = random.Random(seed)
        held = []
        try:
            for _ in range(2000):
                if held and rng.random() < 0.55:
                    block, mark = held.pop(rng.randrange(len(held)))
                    content = numpy_on(block)
                    if content.size and not (content[0] == content[-1] == mark):
                        wrong.append((seed, block.nbytes))
                else:
                    large = rng.random() < 0.02
                    block = pool.allocate(rng.choice([0, 40, 500, 5000, 30_000]) + large * 100_000)
                    mark = rng.randrange(256)
                    if block.nbytes:
                        numpy_on(block)[[0, -1]] = mark
                    held.append((block, mark))
                del block
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert wrong == []
    assert pool.stats().in_use == 0


def test_a_block_may_die_in_another_thread():
    pool = Pool()
    blocks = [pool.allocate(MB) for _ in range(4)]
    thread = threading.Thread(target=blocks.clear)
    thread.start()
    thread.join()
    assert pool.stats().in_use == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that can fork")
def test_a_child_process_has_its_own_pool():
    pool = Pool()
    block = pool.allocate(4096)
    numpy_on(block)[:] = 1
    child = os.fork()
    if child == 0:
        fine = False
        try:
            mine = [pool.allocate(nbytes) for nbytes in (4096, 100_000, 64) for _ in range(50)]
            for other in mine:
                numpy_on(other)[:] = 2
            fine = bool((numpy_on(block) == 1).all())
            numpy_on(block)[:] = 3
            del mine
            fine = fine and pool.trim() > 0
        finally:
            os._exit(0 if fine else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert (numpy_on(block) == 1).all()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that can fork")
def test_buffers_work_in_a_child_process():
    x = onebuf.Buffer([1.0, 2.0])
    child = os.fork()
    if child == 0:
        try:
            x += 1
            ok = x.to_python() == [2.0, 3.0]
        finally:
            os._exit(0 if ok else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert x.to_python() == [1.0, 2.0]


def test_an_interrupt_in_the_middle_of_making_a_block_loses_no_more_than_it() -> None:
    block = PoolBlock.__new__(PoolBlock)  # as if an interrupt came before the first line
    block.__del__()
    pool = Pool()
    assert pool.allocate(64).gives_back
