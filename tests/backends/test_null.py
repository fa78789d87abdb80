"""The device that runs nothing: kernels are verified and counted, memory takes no bytes."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf import Buffer, config, memory_stats
from onebuf.backends.null import Counts, NullDriver
from onebuf.backends.protocols import KernelDriver
from onebuf.errors import ArgumentError, DeviceError, ExportError, OutOfMemory
from onebuf.machine import DeviceBlock, device
from onebuf.memory import POOL
from onebuf.scheduler.fuse.fusion import group
from onebuf.scheduler.fuse.group import Group


@pytest.fixture(autouse=True)
def lazy() -> Iterator[None]:
    with config(eager_numel=0):
        yield


@pytest.fixture
def driver() -> NullDriver:
    return NullDriver(device("NULL"))


def kernels(driver: NullDriver, *buffers: Any) -> list[Group]:
    found = group([buffer._node for buffer in buffers], driver.supports)
    assert all(isinstance(one, Group) for one in found)
    return found  # type: ignore[return-value]


def blocks_of(driver: NullDriver, one: Group) -> list[DeviceBlock | None]:
    return [
        None if reach.is_index else driver.allocator.allocate(reach.node.nbytes)
        for reach in one.reaches
    ]


def test_it_is_a_device_that_computes() -> None:
    for name in ("NULL", "NULL:3", "NULL@1"):
        assert isinstance(device(name).driver, KernelDriver)


def test_kernels_are_counted_each_time_that_they_run(driver: NullDriver) -> None:
    x = Buffer(np.ones((4, 8), "f4"))
    (one,) = kernels(driver, (x * 2 + 1).sum(axis=1))
    launch = driver.prepare(one)
    assert driver.counts == Counts()
    blocks = blocks_of(driver, one)
    launch.run(blocks, one.scalars)
    assert driver.counts == Counts(1, 4, 4 * 8 * 4, 4 * 4)
    launch.run(blocks, one.scalars)
    assert driver.counts == Counts(2, 8, 2 * 4 * 8 * 4, 2 * 4 * 4)
    driver.counts = Counts()
    launch.run(blocks, one.scalars)
    assert driver.counts.kernels == 1


def test_threads_count_together(driver: NullDriver) -> None:
    x = Buffer(np.ones(8))
    (one,) = kernels(driver, x + 1)
    launch = driver.prepare(one)
    blocks = blocks_of(driver, one)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [
            threading.Thread(target=lambda: [launch.run(blocks, ()) for _ in range(500)])
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    finally:
        sys.setswitchinterval(before)
    assert driver.counts.kernels == 2000


def test_memory_takes_no_bytes_and_is_counted_all_the_same(driver: NullDriver) -> None:
    block = driver.allocator.allocate(1 << 50)
    assert driver.allocator.stats().in_use == 1 << 50
    driver.upload(np.zeros(4), block, 1 << 40)
    driver.copy(block, block)
    driver.synchronize()
    del block
    assert driver.allocator.stats().in_use == 0
    assert driver.allocator.stats().peak == 1 << 50


def test_a_cap_can_be_tried_out(driver: NullDriver) -> None:
    driver.allocator.cap = 1 << 20
    with pytest.raises(OutOfMemory, match="NULL: needed 2097152 bytes"):
        driver.allocator.allocate(1 << 21)


def test_nothing_can_be_read(driver: NullDriver) -> None:
    block = driver.allocator.allocate(8)
    with pytest.raises(DeviceError, match="NULL computes nothing and holds no elements"):
        driver.download(block, np.empty(8, np.uint8))
    driver.download(block, np.empty(0, np.uint8)).wait()


def test_mistakes_are_found_as_elsewhere(driver: NullDriver) -> None:
    block = driver.allocator.allocate(8)
    with pytest.raises(ArgumentError, match="bytes 0 to 16 of a block that has 8"):
        driver.upload(np.zeros(2), block)
    x = Buffer(np.ones(8))
    (one,) = kernels(driver, x + 1)
    blocks = blocks_of(driver, one)
    freed = blocks[0]
    assert freed is not None
    freed.free()
    with pytest.raises(ExportError, match="was freed"):
        driver.prepare(one).run(blocks, one.scalars)
    assert driver.counts == Counts()


# Buffers


def test_a_program_is_counted_without_being_run() -> None:
    there = device("NULL:7").driver
    x = onebuf.asarray(np.ones((1000, 1000), "f4")).to_device("NULL:7")
    used = POOL.stats().in_use
    y = ((x * 2 + 1).sum(axis=0) * 3).realize()
    assert y.device == "NULL:7"
    assert POOL.stats().in_use == used
    assert there.counts.kernels in (1, 2)
    assert there.counts.bytes_read >= x.nbytes
    assert memory_stats()["NULL:7"].in_use >= x.nbytes + y.nbytes
    for read in (partial(y.to_device, "CPU"), y.tolist, partial(str, y)):
        with pytest.raises(DeviceError, match="NULL:7"):
            read()


def test_memory_of_a_program_is_known_beforehand() -> None:
    allocator = device("NULL:8").driver.allocator
    x = onebuf.asarray(np.ones(1 << 16, "f4")).to_device("NULL:8")
    allocator.cap = x.nbytes * 3 // 2
    with pytest.raises(OutOfMemory, match="NULL:8: needed 262144 bytes"):
        (x + 1).realize()
    allocator.cap = None
    (x + 1).realize()
