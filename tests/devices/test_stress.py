"""Many allocations, from many threads: memory ends where it began."""

from __future__ import annotations

import gc
import threading
from pathlib import Path

import numpy as np
import pytest

import onebuf

ROUNDS = 1_200
DEVICES = ("PYTHON", "CPU@1", "CPU@2", "OPENCL", "OPENCL@1", "OPENCL:1")
MOST_GROWTH = 64 << 20
"""Bytes that a process may have more of after all rounds: caches and the heaps of threads."""


def in_use(device: str) -> int:
    gc.collect()
    return int(onebuf.device(device).driver.allocator.stats().in_use)


def resident() -> int:
    """Bytes of this process that are in memory."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096


def allocate(device: str, seed: int, rounds: int, errors: list[BaseException]) -> None:
    """Take memory of all sizes, keep some of it for a while, and write and read some of it."""
    rng = np.random.default_rng(seed)
    driver = onebuf.device(device).driver
    kept: list[object] = []
    try:
        for number in range(rounds):
            nbytes = int(rng.integers(0, 100_000))
            block = driver.allocator.allocate(nbytes)
            if number % 50 == 0 and nbytes:
                sent = rng.integers(0, 256, nbytes, np.uint8)
                driver.upload(sent, block)
                got = np.empty(nbytes, np.uint8)
                driver.download(block, got).wait()
                np.testing.assert_array_equal(got, sent)
            kept.append(block)
            if len(kept) > 20:
                del kept[int(rng.integers(20))]
    except BaseException as error:
        errors.append(error)


def run_in_threads(devices: tuple[str, ...], rounds: int) -> None:
    errors: list[BaseException] = []
    threads = [
        threading.Thread(target=allocate, args=(device, seed, rounds, errors))
        for seed, device in enumerate(devices)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@pytest.mark.parametrize("device", DEVICES)
def test_memory_is_where_it_was_after_thousands_of_allocations(device: str) -> None:
    before = in_use(device)
    run_in_threads((device,) * 4, ROUNDS)
    assert in_use(device) == before


def test_all_devices_at_once_leave_the_process_as_large_as_it_was() -> None:
    run_in_threads(DEVICES, ROUNDS // 2)
    before = resident()
    for _ in range(2):
        run_in_threads(DEVICES, ROUNDS // 2)
    assert resident() - before < MOST_GROWTH


@pytest.mark.parametrize("device", DEVICES)
def test_buffers_come_and_go(device: str) -> None:
    x = onebuf.asarray(np.arange(100, dtype=np.int32)).to_device(device)
    before = in_use(device)
    for number in range(250):
        y = x * number
        y[5] = 1
        if number % 50 == 0:
            assert y.tolist()[6] == 6 * number
    del y
    assert in_use(device) == before
