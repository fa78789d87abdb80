"""Memory of a Vulkan queue: transfers, copies, what is kept and what is given back."""

from __future__ import annotations

import gc
import threading
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import onebuf
from onebuf import Buffer
from onebuf.backends.protocols import KernelDriver
from onebuf.backends.vulkan import memory_limits, package
from onebuf.backends.vulkan import queue as queues
from onebuf.errors import ArgumentError, DeviceError, ExportError, OutOfMemory
from onebuf.machine import device, devices


@pytest.fixture
def driver():
    return device("VULKAN").driver


def filled(driver, data: bytes):
    block = driver.allocator.allocate(len(data))
    driver.upload(np.frombuffer(data, np.uint8), block)
    return block


def content(driver, block, nbytes=None, offset=0) -> bytes:
    out = np.empty(block.nbytes if nbytes is None else nbytes, np.uint8)
    driver.download(block, out, offset).wait()
    return out.tobytes()


def test_a_driver_computes_and_tells_what_it_is(driver):
    assert isinstance(driver, KernelDriver)
    facts = driver.facts()
    assert "Vulkan 1." in facts.description
    assert facts.queues == 16
    assert facts.lacks == ("float8_e4m3fn", "float8_e5m2")
    assert facts.limits["bytes of a block"] > 1 << 20


@pytest.mark.parametrize("nbytes", [0, 1, 3, 256, 1001, 1 << 20])
def test_bytes_come_back_as_they_went(driver, nbytes):
    data = np.random.default_rng(nbytes).bytes(nbytes)
    assert content(driver, filled(driver, data)) == data


def test_transfers_go_to_a_part_of_a_block(driver):
    block = filled(driver, bytes(range(100)))
    driver.upload(np.array([7, 8, 9], np.uint8), block, 41)
    assert content(driver, block, 6, 40) == bytes([40, 7, 8, 9, 44, 45])


def test_the_host_may_change_its_bytes_as_soon_as_an_upload_has_begun(driver):
    data = np.arange(100_000, dtype=np.int64)
    block = driver.allocator.allocate(data.nbytes)
    event = driver.upload(data, block)
    data[:] = -1
    out = np.empty_like(data)
    driver.download(block, out).wait()
    np.testing.assert_array_equal(out, np.arange(100_000))
    event.wait()
    assert event.is_done


def test_two_downloads_of_a_block_do_not_mix(driver):
    block = filled(driver, bytes(range(200)))
    first, second = np.empty(50, np.uint8), np.empty(50, np.uint8)
    one = driver.download(block, first, 100)
    two = driver.download(block, second, 10)
    driver.upload(np.zeros(200, np.uint8), block)
    two.wait()
    one.wait()
    one.wait()
    assert first.tolist() == list(range(100, 150))
    assert second.tolist() == list(range(10, 60))
    assert one.is_done


@pytest.mark.parametrize("nbytes", [1, 3, 4, 255, 1003])
def test_a_copy_writes_the_bytes_of_its_source_and_no_more(driver, nbytes):
    source = filled(driver, bytes([n % 251 for n in range(nbytes)]))
    target = filled(driver, b"\xff" * (nbytes + 9))
    event = driver.copy(source, target)
    event.wait()
    assert event.is_done
    found = content(driver, target)
    assert found[:nbytes] == content(driver, source)
    assert found[nbytes:] == b"\xff" * 9


def test_transfers_that_do_not_fit_are_refused_and_the_next_ones_are_not(driver):
    block = filled(driver, b"abcd")
    for attempt in (
        lambda: driver.upload(np.zeros(5, np.uint8), block),
        lambda: driver.upload(np.zeros(4, np.uint8), block, 1),
        lambda: driver.download(block, np.zeros(9, np.uint8)),
        lambda: driver.download(block, np.zeros(1, np.uint8), -1),
        lambda: driver.copy(filled(driver, b"12345"), block),
    ):
        with pytest.raises(ArgumentError, match="block that has 4"):
            attempt()
    with pytest.raises(DeviceError, match="inside of its block"):
        driver.queue.write(block.memory, bytes(1 << 20), 0)
    assert content(driver, block) == b"abcd"


def test_what_was_freed_is_not_used_again(driver):
    block = filled(driver, b"abcd")
    block.free()
    with pytest.raises(ExportError, match="freed"):
        driver.upload(np.zeros(4, np.uint8), block)


def test_memory_returns_to_where_it_was(driver):
    driver.allocator.trim()
    before = driver.allocator.stats()
    a = Buffer(np.ones((100, 1000), np.float32)).to_device("VULKAN")
    b = (a + 1).sum(axis=0)
    assert float(b.to_device("CPU")[0]) == 200
    assert driver.allocator.stats().in_use > before.in_use
    del a, b
    stats = driver.allocator.stats()
    assert stats.in_use == before.in_use
    assert driver.allocator.trim() == stats.cached > 0
    assert driver.allocator.stats().cached == 0


def test_a_block_beyond_what_a_program_reaches_is_refused_without_a_try(driver):
    block = filled(driver, b"abcd")
    with pytest.raises(OutOfMemory, match="a block has at most"):
        driver.allocator.allocate(1 << 40)
    assert content(driver, block) == b"abcd"


def test_memory_that_the_host_does_not_have_is_refused_without_a_try(driver, monkeypatch):
    monkeypatch.setattr(memory_limits, "available", lambda device: 1 << 20)
    with pytest.raises(OutOfMemory, match="would be taken, and 1048576 are left"):
        driver.allocator.allocate(700_001)
    monkeypatch.undo()
    assert driver.allocator.allocate(700_001).nbytes == 700_001


def test_a_device_with_memory_of_its_own_is_asked_for_its_size(driver, monkeypatch):
    (whole, *_) = memory_limits.heap_sizes()
    assert whole > 1 << 20
    own = replace(driver.vulkan_device, info=SimpleNamespace(device_type=2, dev_index=0))
    assert memory_limits.total(own) == whole
    before = memory_limits.available(own)
    memory_limits.reserve(own, 1000)
    assert memory_limits.available(own) == before - 1000
    with pytest.raises(MemoryError, match="are left"):
        memory_limits.reserve(own, whole)
    memory_limits.release(own, 1000)
    assert memory_limits.available(own) == before
    monkeypatch.setattr(memory_limits, "heap_sizes", tuple)
    assert memory_limits.available(own) is None


def test_contexts_have_a_replica_on_each_queue():
    context = onebuf.context(["VULKAN"], 3)
    x = np.arange(6.0)
    buffer = Buffer(x).to_device(context) * 2
    assert [str(place) for place in context.places] == ["VULKAN", "VULKAN@1", "VULKAN@2"]
    for found in buffer.read():
        np.testing.assert_array_equal(found, x * 2)


def test_programs_stay_bound_to_memory_up_to_a_number(driver, monkeypatch):
    monkeypatch.setattr(queues, "MOST_BOUND", 4)
    arrays = [Buffer(np.full(5, n, np.int32)).to_device("VULKAN") for n in range(12)]
    for _ in range(2):
        for n, array in enumerate(arrays):
            assert np.asarray((array + 1).to_device("CPU")).tolist() == [n + 1] * 5
    assert len(driver.queue._bound) <= 4
    driver.allocator.trim()
    assert np.asarray((arrays[3] + 1).to_device("CPU")).tolist() == [4] * 5


def test_queues_have_memory_and_programs_of_their_own():
    x = np.arange(6.0)
    names = ["VULKAN", "VULKAN@1", "VULKAN@2"]
    results = [Buffer(x).to_device(name) * (n + 2) for n, name in enumerate(names)]
    for n, (name, result) in enumerate(zip(names, results, strict=True)):
        assert result.device == name
        np.testing.assert_array_equal(np.asarray(result.to_device("CPU")), x * (n + 2))
    with pytest.raises(DeviceError, match="VULKAN and VULKAN@1"):
        results[0] + results[1]
    moved = results[1].to_device("VULKAN@2") + results[2]
    np.testing.assert_array_equal(np.asarray(moved.to_device("CPU")), x * 7)
    used = [device(name).driver.allocator.stats().in_use for name in names]
    assert all(used)


def test_a_kernel_refuses_the_memory_of_another_queue():
    one, two = device("VULKAN@1").driver, device("VULKAN@2").driver
    block, program = one.allocator.allocate(8), two.queue.program(_NOTHING, 1, 0)
    with pytest.raises(DeviceError, match="VULKAN@2 needs memory of its own queue, got some of"):
        two.queue.submit(program, [block.memory], b"", (1, 1, 1))


_NOTHING = """\
#version 450
layout(set = 0, binding = 0) buffer Block { uint words[]; };
void main() { words[0] = 1u; }
"""


def test_threads_share_a_queue():
    wrong: list[object] = []

    def work(number: int) -> None:
        x = np.arange(50.0) + number
        for turn in range(8):
            found = np.asarray((Buffer(x).to_device("VULKAN") * (turn + 1)).to_device("CPU"))
            if not np.array_equal(found, x * (turn + 1)):
                wrong.append((number, turn))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not wrong


_LONG = """\
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Block { uint words[]; };
void main() {
  uint c = gl_GlobalInvocationID.x;
  for (uint i = 0u; i < 50000u; i++) c = c * 3u + words[c & 1u];
  words[2u + (c & 1u)] = c;
}
"""


def test_waiting_for_one_queue_keeps_no_thread_from_using_another():
    slow, other = device("VULKAN@1").driver, device("VULKAN@2").driver
    block = filled(slow, bytes(64))
    content(other, filled(other, b"ready"))
    program = slow.queue.program(_LONG, 1, 0)
    slow.queue.submit(program, [block.memory], b"", (60, 1, 1))
    waiting = threading.Thread(target=slow.synchronize)
    waiting.start()
    count = 0
    while waiting.is_alive():
        assert content(other, filled(other, b"meanwhile")) == b"meanwhile"
        count += 1
    waiting.join()
    assert count > 200


def test_garbage_is_collected_again_after_each_call(driver):
    assert gc.isenabled()
    with package.lock:
        assert not gc.isenabled()
        block = filled(driver, b"abc")
        assert not gc.isenabled()
    assert gc.isenabled()
    assert content(driver, block) == b"abc"


@pytest.mark.parametrize("name", ["int8", "float16", "int32", "float64"])
def test_more_memories_than_devices_bind_are_parts_of_one(name):
    arrays = [np.full((3, 5), n, name) for n in range(40)]
    total = Buffer(arrays[0]).to_device("VULKAN")
    for array in arrays[1:]:
        total = total + Buffer(array).to_device("VULKAN")[:, ::-1]
    expected = sum(arrays[1:], arrays[0])
    np.testing.assert_array_equal(np.asarray(total.to_device("CPU")), expected)


def test_devices_are_found_by_kind():
    assert devices("vulkan")[0] is device("VULKAN:0")
