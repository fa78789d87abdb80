"""The driver: memory, transfers, queues, programs that are shared, threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pyopencl as cl
import pytest
from opencl_running import DEVICE, download, driver, upload

import onebuf
from onebuf import Buffer
from onebuf.backends.opencl.launch import ClLaunch
from onebuf.errors import ArgumentError, CopyError, DeviceError, IndexRangeError, OutOfMemory
from onebuf.graph import BINARY, REDUCE, UNARY
from onebuf.kernel import LOAD, SCALAR, STORE, Fold, Nest, Slot, Step
from onebuf.layout import View

F = np.dtype("float32")


@contextmanager
def held() -> Iterator[None]:
    """Let nothing that is queued in the block begin before its end."""
    queue = driver().queue
    gate = cl.UserEvent(queue.device.context)
    queue.latest = cl.enqueue_barrier(queue.commands, wait_for=[gate])
    try:
        yield
    finally:
        gate.set_status(cl.command_execution_status.COMPLETE)


def tanh(queue, size=1000):
    """A launch, and its two blocks."""
    slots = (Slot(F, (1,)),) * 2
    steps = (Step(LOAD, (), F, 0), Step(UNARY["tanh"], (0,), F), Step(STORE, (1,), F, 1))
    launch = ClLaunch(queue, Nest(1, slots, steps), (size,), (View.contiguous((size,)),) * 2)
    return launch, [queue.allocator.allocate(4 * size) for _ in slots]


# Transfers


def test_bytes_come_back_from_where_they_went():
    x = np.arange(1000, dtype=np.int32)
    block = upload(x)
    np.testing.assert_array_equal(download(block, (1000,), np.int32), x)
    driver().upload(x[:10] + 7, block, 400)
    part = np.empty(10, np.int32)
    driver().download(block, part, 400).wait()
    np.testing.assert_array_equal(part, x[:10] + 7)
    copy = driver().allocator.allocate(4000)
    driver().copy(block, copy)
    np.testing.assert_array_equal(download(copy, (100,), np.int32)[100:], x[100:100])
    np.testing.assert_array_equal(download(copy, (1000,), np.int32)[:100], x[:100])


def test_uploaded_bytes_may_change_at_once():
    x = np.arange(1000, dtype=np.int64)
    block = driver().allocator.allocate(x.nbytes)
    with held():
        event = driver().upload(x, block)
        assert not event.is_done
        x[:] = -1
    assert download(block, (1000,), np.int64).tolist() == list(range(1000))


def test_a_download_waits_for_its_block_alone():
    x = np.arange(1000, dtype=np.int64)
    block = upload(x)
    launch, blocks = tanh(driver().queue)
    driver().upload(np.zeros(1000, F), blocks[0])
    driver().synchronize()
    out = np.empty_like(x)
    with held():
        launch.run(blocks, ())
        driver().download(block, out).wait()
        assert not blocks[1].last.is_done
    np.testing.assert_array_equal(out, x)
    driver().synchronize()
    assert blocks[1].last.is_done


def test_whoever_writes_waits_for_downloads_of_the_same_memory():
    size = 1 << 22
    block = upload(np.ones(size, F))
    out = np.empty(size, F)
    event = driver().download(block, out)
    memory = block.memory
    block.free()
    again = driver().allocator.allocate(4 * size)
    assert again.memory is memory
    driver().upload(np.zeros(size, F), again)
    event.wait()
    assert out.min() == 1


def test_nothing_is_moved_by_transfers_of_nothing():
    block = driver().allocator.allocate(0)
    driver().upload(np.empty(0), block).wait()
    driver().download(block, np.empty(0)).wait()
    assert driver().copy(block, block).times() == (0, 0)
    assert Buffer(np.empty((0, 3), F)).to_device(DEVICE).to_device("CPU").shape == (0, 3)


def test_transfers_stay_inside_of_their_block():
    block = driver().allocator.allocate(100)
    for call in (driver().upload, lambda data, block, at: driver().download(block, data, at)):
        with pytest.raises(ArgumentError, match="bytes 96 to 104 of a block that has 100"):
            call(np.zeros(8, np.uint8), block, 96)


# Memory


def test_a_part_of_a_block_is_memory_of_it():
    x = np.arange(256, dtype=np.int32)
    block = upload(x)
    part = driver().part(block, 512, 256)
    np.testing.assert_array_equal(download(part, (64,), np.int32), x[128:192])
    driver().upload(np.full(64, -5, np.int32), part)
    assert download(block, (256,), np.int32)[127:130].tolist() == [127, -5, -5]
    assert block.last is part.last
    with pytest.raises(ArgumentError, match="multiple of 128 bytes, got 4"):
        driver().part(block, 4, 8)
    with pytest.raises(ArgumentError, match="bytes 512 to 1536 of a block that has 1024"):
        driver().part(block, 512, 1024)


def aligned(size):
    memory = np.zeros(4 * size + 64, np.uint8)
    first = -memory.ctypes.data % 64
    return memory[first : first + 4 * size].view(F)


def test_host_memory_is_used_where_it_is():
    x = aligned(1024)
    x[:] = np.arange(1024)
    block = driver().from_host(x)
    launch = tanh(driver().queue, 1024)[0]
    launch.run([block, block], ())
    driver().synchronize()
    np.testing.assert_allclose(x, np.tanh(np.arange(1024)), rtol=1e-6)


def test_host_memory_that_does_not_fit_is_refused():
    x = aligned(64)
    for array, why in ((x[1:], "multiple of 64"), (x[::2], "no gaps")):
        with pytest.raises(CopyError, match=why):
            driver().from_host(array)


def test_memory_that_is_not_there_is_an_error_and_leaves_all_as_it_was():
    stats = driver().allocator.stats()
    for nbytes in (1 << 50, driver().cl_device.max_block_nbytes + 1):
        with pytest.raises(OutOfMemory, match=f"OPENCL: needed {nbytes} bytes"):
            driver().allocator.allocate(nbytes)
    assert driver().allocator.stats().in_use == stats.in_use
    np.testing.assert_array_equal(download(upload(np.arange(3)), (3,), int), np.arange(3))


def test_queues_of_a_device_count_its_memory_together():
    other = onebuf.device("OPENCL@1").driver
    cl_device = driver().cl_device
    kept = other.allocator.allocate(1 << 20)
    kept.free()
    assert other.allocator.stats().cached
    was, cl_device.memory = cl_device.memory, cl_device._reserved + (1 << 19)
    try:
        block = driver().allocator.allocate(1 << 20)
        assert not other.allocator.stats().cached
        with pytest.raises(OutOfMemory, match="bytes in all"):
            other.allocator.allocate(1 << 24)
    finally:
        cl_device.memory = was
    assert block.nbytes == 1 << 20


# Programs


def scaled(size, factor):
    view = View.contiguous((size,))
    steps = (
        Step(LOAD, (), F, 0),
        Step(SCALAR, (), F, 0),
        Step(BINARY["multiply"], (0, 1), F),
        Step(STORE, (2,), F, 1),
    )
    nest = Nest(1, (Slot(F, (1,)),) * 2, steps, (F,))
    return ClLaunch(driver().queue, nest, (size,), (view, view), (F.type(factor),))


def test_other_scalars_memory_and_sizes_share_a_program():
    programs = driver().cl_device.programs
    scaled(1000, 2).run([upload(np.ones(1000, F)), driver().allocator.allocate(4000)], [F.type(2)])
    count = len(programs)
    for size, factor in ((1000, 3), (977, 4), (64, 5)):
        out = driver().allocator.allocate(4 * size)
        launch = scaled(size, 1)
        launch.run([upload(np.ones(size, F)), out], [F.type(factor)])
        assert set(download(out, (size,), F)) == {factor}
    other = ClLaunch(onebuf.device("OPENCL@1").driver.queue, *nest_of(scaled(77, 2)))
    assert other.source.text == launch.source.text
    assert len(programs) == count


def nest_of(launch):
    view = View.contiguous((77,))
    return launch.nest, (77,), (view, view), (F.type(2),)


def test_buffers_of_other_shapes_share_a_program():
    counts = []
    for shape in ((20, 40), (40, 50), (31, 37)):
        x = np.ones(shape, F)
        found = (Buffer(x).to_device(DEVICE)[:, 1:-1:2] * 2 - 1).to_device("CPU")
        assert np.asarray(found).tolist() == (x[:, 1:-1:2] * 2 - 1).tolist()
        counts.append(len(driver().cl_device.programs))
    assert counts[0] == counts[2]


# Queues and threads


def alone(queue, size=1 << 20):
    """A launch of one work-item, which takes some milliseconds, and its two blocks."""
    steps = (
        Step(LOAD, (), F, 0),
        Step(UNARY["tanh"], (0,), F),
        Step(REDUCE["sum"], (1,), F, Fold(0)),
        Step(STORE, (2,), F, 1),
    )
    nest = Nest(1, (Slot(F, (1,)), Slot(F, (0,))), steps)
    views = (View.contiguous((size,)), View((size,), (0,)))
    launch = ClLaunch(queue, nest, (size,), views, (), ())
    return launch, [queue.allocator.allocate(nbytes) for nbytes in (4 * size, 4)]


@pytest.mark.parametrize("names", [("OPENCL@1", "OPENCL@2"), ("OPENCL:0", "OPENCL:1")])
def test_queues_overlap(names):
    launches = [alone(onebuf.device(name).driver.queue) for name in names]
    for _ in range(2):  # once for the compiler
        for launch, blocks in launches:
            launch.run(blocks, ())
        times = [blocks[1].last.times() for _, blocks in launches]
    (begin, end), (other_begin, other_end) = times
    assert max(begin, other_begin) < min(end, other_end)


def test_queueing_does_not_wait():
    launch, blocks = tanh(driver().queue)
    with held():
        launch.run(blocks, ())
        assert not blocks[1].last.is_done
    blocks[1].last.wait()
    begin, end = blocks[1].last.times()
    assert end > begin


def test_elements_go_from_queue_to_queue():
    x = Buffer(np.arange(1000, dtype=F)).to_device("OPENCL@1") * 2
    assert (x.to_device("OPENCL@2") + 1).to_device("CPU").tolist() == list(range(1, 2001, 2))


def test_the_second_device_is_another_one():
    one, two = onebuf.device("OPENCL:0").driver, onebuf.device("OPENCL:1").driver
    assert one.cl_device is not two.cl_device
    assert onebuf.device("OPENCL:0@3").driver.cl_device is one.cl_device
    x = Buffer(np.arange(5)).to_device("OPENCL:1")
    assert (x.to_device("OPENCL") + 1).to_device("OPENCL:1").to_device("CPU").tolist() == [
        *range(1, 6)
    ]


@pytest.mark.parametrize(
    "name, why", [("OPENCL:99", "OpenCL offers {} here"), ("OPENCL@256", "has queues 0 to 255")]
)
def test_a_device_or_queue_that_is_not_there(name, why):
    with pytest.raises(DeviceError, match=why.format(len(onebuf.devices("OPENCL")))):
        onebuf.device(name).driver


def test_threads_share_a_launch():
    launch = scaled(1000, 1)
    wrong = []

    def work(factor):
        x = upload(np.full(1000, factor, F))
        for turn in range(20):
            out = driver().allocator.allocate(4000)
            launch.run([x, out], [F.type(turn)])
            if set(download(out, (1000,), F)) != {factor * turn}:
                wrong.append((factor, turn))

    threads = [threading.Thread(target=work, args=(n,)) for n in (2, 3, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_wrong_index_is_an_error_that_later_calls_do_not_see():
    x = Buffer(np.arange(5.0)).to_device(DEVICE)
    good, bad = (Buffer(np.array(n)).to_device(DEVICE) for n in ([0, -5, 4], [0, 5, 1]))
    for _ in range(2):
        with pytest.raises(IndexRangeError, match=r"needs to be in -5\.\.4, got 5"):
            onebuf.take(x, bad).realize()
        assert onebuf.take(x, good).to_device("CPU").tolist() == [0, 0, 4]


def test_facts():
    facts = driver().facts()
    assert facts.memory > 1 << 20
    assert "float64" not in facts.lacks
    assert facts.limits["alignment of parts"] == 128
