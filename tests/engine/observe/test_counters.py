"""Counters: how much happened, in this thread, in this block of code."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import onebuf
from onebuf import Buffer, Counters, config, counters
from onebuf.memory import size_class


def test_nothing_is_counted_where_nothing_happens():
    with counters() as counted:
        pass
    assert counted == Counters(0, 0, 0, 0, 0, 0)


@pytest.mark.parametrize("eager_numel", [4096, 0])
def test_every_operation_is_a_kernel(eager_numel):
    x = Buffer([1.0, 2.0])
    with config(eager_numel=eager_numel):
        ((x + 1) * 2).sum().realize()  # from now on, the kernel of sums is there
        with counters() as counted:
            ((x + 1) * 2).sum().realize()
    assert (counted.kernels, counted.copies, counted.compiles) == (3, 0, 0)


def test_pending_work_is_counted_where_it_runs():
    x = Buffer([1.0, 2.0])
    with config(eager_numel=0):
        with counters() as building:
            y = x + 1
        with counters() as running:
            y.realize()
    assert (building.kernels, running.kernels) == (0, 1)


@pytest.mark.parametrize("eager_numel", [4096, 0])
def test_copies_are_counted_with_their_bytes(eager_numel):
    x = Buffer(np.arange(12.0).reshape(3, 4))
    with config(eager_numel=eager_numel), counters() as counted:
        x.T.copy().realize()
        x.T.reshape(12).realize()
    assert (counted.copies, counted.bytes_copied) == (2, 2 * 96)


@pytest.mark.parametrize("eager_numel", [4096, 0])
def test_bytes_allocated_are_those_of_the_results(eager_numel):
    x = Buffer(np.zeros(1000))
    with config(eager_numel=eager_numel), counters() as counted:
        y = (x + 1).realize()
        z = (x * 2).realize()
    assert counted.bytes_allocated == 2 * size_class(8000)
    assert counted.peak_bytes >= onebuf.memory_stats()["CPU"].in_use
    del y, z


def test_views_cost_nothing():
    x = Buffer(np.zeros((10, 10)))
    with counters() as counted:
        x.T[2:5].flip().expand(4, 3, 10)[..., 0].expand_dims(0).squeeze()
    assert counted == Counters()


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.__setitem__(0, 1.0),
        lambda x: x.__setitem__([0, 1], 1.0),
        lambda x: x.__setitem__(np.array([True, False, True]), 1.0),
        lambda x: x.__iadd__(1.0),
    ],
)
def test_a_write_is_a_kernel(write):
    x = Buffer([1.0, 2.0, 3.0])
    with counters() as counted:
        write(x)
    assert counted.kernels == 1


def test_picking_elements_is_a_kernel():
    x = Buffer([1.0, 2.0, 3.0])
    with counters() as counted:
        x[[0, 2]]
    assert counted.kernels == 1


def test_foreign_memory_is_taken_without_a_copy():
    array = np.zeros(100)
    with counters() as counted:
        onebuf.asarray(array)
    assert counted == Counters()


def test_foreign_memory_that_has_to_be_copied_is_counted():
    array = np.arange(100, dtype=">i4")
    with counters() as counted:
        onebuf.asarray(array)
    assert (counted.copies, counted.bytes_copied) == (1, 400)


@pytest.mark.parametrize("eager_numel, tier", [(4096, "auto"), (0, "interpret"), (0, "compile")])
def test_bytes_moved_are_those_read_and_written(eager_numel, tier):
    x = Buffer(np.ones((3, 4)))
    row = Buffer(np.ones(4))
    with config(eager_numel=eager_numel, tier=tier), counters() as counted:
        (x + row).realize()
        x.sum(axis=0).realize()
    assert counted.kernels == 2
    assert counted.bytes_written == 96 + 32
    assert counted.bytes_moved == counted.bytes_read + counted.bytes_written
    assert counted.bytes_read == (96 + 32) + 96


def test_writes_move_bytes():
    x = Buffer(np.ones(8))
    with counters() as counted:
        x[:4] = Buffer(np.zeros(4))
        x += 1
        x[[0, 1]]
    assert counted.bytes_written == 32 + 64 + 16
    assert counted.bytes_read == 32 + 64 + 16


@pytest.mark.parametrize("eager_numel, tier", [(4096, "auto"), (0, "interpret"), (0, "compile")])
def test_copies_have_their_reason_and_line(eager_numel, tier):
    x = Buffer(np.arange(12.0).reshape(3, 4))
    with config(eager_numel=eager_numel, tier=tier), counters() as counted:
        x.T.copy().realize()
        onebuf.asarray(np.arange(3, dtype=">i4"))
    one, two = counted.copied
    assert (one.nbytes, two.nbytes) == (96, 12)
    assert one.reason
    assert two.reason
    assert one.origin.startswith(f"{__file__}:")
    assert one.origin.endswith(": x.T.copy().realize()")
    assert two.origin.endswith(': onebuf.asarray(np.arange(3, dtype=">i4"))')


def test_memory_in_use_is_that_of_now_and_then_of_the_end_of_the_block():
    x = onebuf.asarray(np.zeros(100_000))
    before = onebuf.memory_stats()["CPU"].in_use
    size = size_class(800_000)
    with counters() as counted:
        assert counted.bytes_in_use == before
        one = (x + 1).realize()
        two = (x + 2).realize()
        assert counted.bytes_in_use == before + 2 * size
        del one
    assert counted.bytes_in_use == before + size
    assert counted.peak_bytes == before + 2 * size
    del two
    assert counted.bytes_in_use == before + size


def test_counters_nest():
    x = Buffer([1.0])
    with counters() as outer:
        x + 1
        with counters() as inner:
            x + 2
    assert (outer.kernels, inner.kernels) == (2, 1)


def test_counters_stop_with_their_block():
    x = Buffer([1.0])
    with counters() as counted:
        x + 1
    x + 2
    assert counted.kernels == 1


def test_counters_stop_after_an_error():
    x = Buffer([1.0])
    with pytest.raises(IndexError), counters() as counted:
        (x + 1)[7]
    x + 2
    assert counted.kernels == 1


def test_counters_hear_their_own_thread_alone():
    x = Buffer([1.0])
    with counters() as counted:
        thread = threading.Thread(target=lambda: x + 1)
        thread.start()
        thread.join()
    assert counted.kernels == 0


def test_copies_that_nobody_can_ask_for_afterwards_are_counted_with_their_lines():
    small, large = np.arange(12.0).reshape(3, 4), np.arange(200.0).reshape(50, 4)
    x, y = onebuf.asarray(small), onebuf.asarray(large)
    indices = onebuf.asarray(np.array([0, 5, 11]))
    with config(eager_numel=0, tier="compile"), counters() as counted:
        one = onebuf.take(onebuf.reshape(x.T, (-1,)), indices)  # the first line
        two = onebuf.take(onebuf.reshape(y.T, (-1,)), indices)  # the second line
        found = np.asarray(one + two)
    wanted = small.T.reshape(-1)[[0, 5, 11]] + large.T.reshape(-1)[[0, 5, 11]]
    np.testing.assert_array_equal(found, wanted)
    first, second = sorted(counted.copied, key=lambda copied: copied.nbytes)
    assert (first.nbytes, second.nbytes) == (x.nbytes, y.nbytes)
    assert "# the first line" in str(first.origin)
    assert "# the second line" in str(second.origin)
    results = one.nbytes + two.nbytes + found.nbytes  # the first two are held, and so are stored
    assert counted.bytes_written == x.nbytes + y.nbytes + results


def test_errors_are_the_same_when_somebody_listens():
    x = onebuf.asarray(np.arange(3, dtype=np.uint8))
    with onebuf.counters(), pytest.raises(OverflowError):
        x + 300
