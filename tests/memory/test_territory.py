"""Territories: who lies on the same bytes."""

import gc
import mmap
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onebuf.memory import Block, Territory, neighbours
from onebuf.memory.process_maps import mapped_from


class Tenant:
    """Bytes that have readers."""

    def __init__(self, nbytes):
        self.nbytes = nbytes
        self.readers = {}


spans = st.lists(
    st.tuples(
        st.integers(0, 1 << 20), st.sampled_from([0, 1, 7, 64, 1000, 4096, 1 << 16, 1 << 19])
    ),
    max_size=40,
)


@given(spans, st.data())
def test_tenants_are_found_exactly_where_they_lie(places, data):
    land = Territory()
    tenants = [(first, Tenant(nbytes)) for first, nbytes in places]
    for first, tenant in tenants:
        land.settle(tenant, first)
    gone = data.draw(st.sets(st.integers(0, 39)))
    tenants = [each for number, each in enumerate(tenants) if number not in gone]
    tenant = None  # which the loop above holds still
    first, nbytes = data.draw(st.tuples(st.integers(0, 1 << 20), st.integers(1, 1 << 20)))
    found = land.overlapping(first, nbytes)
    wanted = [
        each
        for low, each in tenants
        if each.nbytes and low < first + nbytes and first < low + each.nbytes
    ]
    assert {id(each) for each in found} == {id(each) for each in wanted}


@given(spans)
def test_neighbours_know_each_other_and_nobody_else(places):
    land = Territory()
    tenants = [(first, Tenant(nbytes)) for first, nbytes in places]
    for first, tenant in tenants:
        land.settle(tenant, first)
    for low, one in tenants:
        wanted = {
            id(two)
            for high, two in tenants
            if two is not one
            and min(one.nbytes, two.nbytes)
            and high < low + one.nbytes
            and low < high + two.nbytes
        }
        assert {id(each) for each in neighbours(one.readers)} == wanted


def test_neighbours_that_are_gone_do_not_pile_up():
    land, one = Territory(), Tenant(100)
    land.settle(one, 0)
    for _ in range(1000):
        land.settle(Tenant(100), 0)
    assert neighbours(one.readers) == []
    assert len(next(iter(one.readers.values()))) < 50


def test_of_tenants_that_enter_at_the_same_time_each_is_found():
    land, tenants = Territory(), [Tenant(64) for _ in range(400)]
    threads = [
        threading.Thread(
            target=lambda part=part: [land.settle(each, 0) for each in tenants[part::4]]
        )
        for part in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in tenants:
        assert len(neighbours(one.readers)) == len(tenants) - 1


def test_blocks_leave_when_they_die():
    array = np.zeros(100)
    first = Block.foreign(array)
    second = Block.foreign(array[50:])
    assert neighbours(first.readers) == [second]
    del second
    gc.collect()
    assert neighbours(first.readers) == []


@pytest.mark.skipif(not hasattr(mmap, "MAP_SHARED"), reason="needs a system with /proc")
def test_two_mappings_of_a_file_lead_to_the_same_place(tmp_path):
    path = tmp_path / "bytes"
    path.write_bytes(bytes(3 * mmap.PAGESIZE))
    with path.open("r+b") as file:
        one = np.frombuffer(mmap.mmap(file.fileno(), 0), np.uint8)
        two = np.frombuffer(mmap.mmap(file.fileno(), 0, offset=mmap.PAGESIZE), np.uint8)
    assert mapped_from(one.ctypes.data + mmap.PAGESIZE + 5) == mapped_from(two.ctypes.data + 5)
    assert mapped_from(np.zeros(1 << 22).ctypes.data) is None
