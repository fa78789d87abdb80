"""The schedule: which passes over memory, in which order, why; and none that is not needed."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import onebuf
from onebuf import Buffer, Item, config, schedule
from onebuf.graph import Kind
from onebuf.scheduler import is_readable, reading


@pytest.fixture(autouse=True)
def lazy():
    with config(eager_numel=0):
        yield


@pytest.fixture
def a():
    return Buffer([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def names(*buffers):
    return [item.node.op.name for item in schedule(*buffers)]


def kernels(*buffers):
    with onebuf.counters() as counted:
        onebuf.realize(*buffers)
    return counted.kernels, counted.copies


# What an item says


def test_an_item_says_what_it_reads_and_writes_and_why(a):
    total = (a + a).sum(axis=0)
    first, second = schedule(total)
    assert isinstance(first, Item)
    assert (first.kind, second.kind) == (Kind.ELEMENTWISE, Kind.REDUCE)
    assert (first.reason, second.reason) == ("an operand of what was asked for", "asked for")
    assert first.inputs == (a._node, a._node)
    assert second.inputs == first.outputs
    assert second.outputs == (total._node,)
    assert (first.bytes_read, first.bytes_written) == (48, 24)
    assert (second.bytes_read, second.bytes_written) == (24, 12)


@pytest.mark.parametrize(
    "build, kind",
    [
        (lambda a: a * 2, "elementwise"),
        (lambda a: a.max(), "reduce"),
        (lambda a: a.T.copy(), "copy"),
        (lambda a: a.pad([(1, 0), (0, 0)]), "pad"),
        (lambda a: onebuf.concat([a, a]), "join"),
        (lambda a: onebuf.take(a, Buffer([1]), axis=0), "gather"),
        (lambda a: a @ a.T, "library"),
        (lambda a: onebuf.arange(3), "generate"),
    ],
)
def test_the_kind_says_how_results_depend_on_operands(a, build, kind):
    *_, last = schedule(build(a))
    assert (last.kind, last.reason) == (kind, "asked for")


def test_a_number_costs_no_pass_and_no_bytes(a):
    (item,) = schedule(a * 2)
    assert item.bytes_read == 24


def test_a_copy_that_a_reshape_needs_says_so(a):
    copy, add = schedule(a.T.reshape(6) + 1)
    assert (copy.kind, copy.reason) == ("copy", "strides cannot express the new shape")
    assert add.kind == "elementwise"


def test_operands_come_before_results(a):
    x = a + 1
    y = (x * 2).sum() + x.max()
    done = {id(a._node)}
    for item in schedule(y):
        for operand in item.inputs:
            assert id(operand.base) in done or operand.op.name == "constant"
        done |= {id(output) for output in item.outputs}


# What scheduling does not do


def test_scheduling_allocates_nothing_and_computes_nothing(a):
    y = ((a + 1) * 2).T.reshape(6).pad([(1, 1)]).sum()
    gc.collect()
    before = onebuf.memory_stats()
    with onebuf.counters() as counted:
        assert len(schedule(y)) == 5
    assert onebuf.memory_stats() == before
    assert counted == onebuf.Counters()
    assert not y.is_realized


def test_scheduling_twice_says_the_same(a):
    y = (a + 1).sum()
    assert names(y) == names(y) == ["add", "sum"]


def test_the_schedule_is_what_realising_does(a):
    heard = []
    y = ((a + 1) * 2).sum(axis=1).copy()
    planned = names(y)
    with onebuf.events.listening(heard.append):
        y.realize()
    ran = [event.name for event in heard if isinstance(event, onebuf.events.KernelRan)]
    assert ran == planned


# No pass that is not needed


@pytest.mark.parametrize(
    "view", [lambda a: a, lambda a: a.T, lambda a: a[0], lambda a: a.expand(4, 2, 3)]
)
def test_stored_memory_needs_no_kernel(a, view):
    assert schedule(view(a)) == []
    assert kernels(view(a)) == (0, 0)


def test_nothing_wanted_is_nothing_to_do():
    assert schedule() == []


def test_work_that_is_done_is_not_done_again(a):
    y = a + 1
    y.realize()
    assert schedule(y) == []
    assert names(y * 2) == ["multiply"]


def test_equal_work_is_one_kernel(a):
    b = a * 3
    b.realize()
    assert len(schedule(a + b, a + b)) == 1
    one, two = a + b, a + b
    assert kernels(one, two) == (1, 0)
    assert one.to_python() == two.to_python()


def test_equal_parts_of_two_results_are_one_kernel(a):
    assert sorted(names((a + 1) * 2, (a + 1) * 3)) == ["add", "multiply", "multiply"]


def test_one_buffer_wanted_twice_is_one_kernel(a):
    y = a + 1
    assert len(schedule(y, y)) == 1


def test_a_view_of_pending_work_is_the_work(a):
    y = a + 1
    assert names(y.T[1:]) == ["add"]
    assert names(y.T, y[0], y) == ["add"]


def test_pad_then_shrink_back_reads_the_original(a):
    v = a.pad([(1, 1), (2, 0)]).shrink([(1, 3), (2, 5)])
    assert schedule(v) == []
    assert kernels(v) == (0, 0)
    assert v.to_python() == a.to_python()


def test_pad_then_shrink_back_of_pending_work_is_the_work(a):
    v = (a + 1).pad([(1, 1), (2, 0)]).shrink([(1, 3), (2, 5)])
    assert names(v) == ["add"]
    assert kernels(v) == (1, 0)


def test_an_operation_reads_through_pad_and_shrink(a):
    v = a.pad([(1, 1), (0, 0)]).shrink([(1, 3), (0, 3)])
    assert names(v + 1) == ["add"]
    w = (a * 2).pad([(1, 1), (0, 0)])[1:2]
    assert names(w + 1) == ["multiply", "add"]


def test_a_shrink_that_keeps_some_padding_needs_the_pad(a):
    v = a.pad([(1, 1), (0, 0)])[:2]
    assert names(v) == ["pad"]
    assert v.to_python() == [[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]


def test_a_copy_of_contiguous_memory_that_nobody_wrote_is_not_made(a):
    y = a.copy()
    assert schedule(y) == []
    assert kernels(y) == (0, 0)
    assert y.to_python() == a.to_python()


def test_a_copy_that_nobody_asked_for_is_not_made(a):
    assert names(a.copy() + 1) == ["add"]
    assert names(a.T.copy() + 1) == ["add"]
    assert names((a * 2).copy().copy() + 1) == ["multiply", "add"]


def test_a_copy_of_pending_work_is_the_work(a):
    y = (a + 1).copy()
    assert names(y) == ["add"]
    assert kernels(y) == (1, 0)


def test_a_copy_is_made_once_it_is_written(a):
    y = a.copy()
    with onebuf.counters() as counted:
        y[0, 0] = 9.0
    assert counted.copies == 1
    assert a[0, 0].item() == 1.0


def test_a_copy_is_made_once_its_original_is_written(a):
    y = a.copy()
    a[0, 0] = 9.0
    assert y[0, 0].item() == 1.0


def test_a_copy_is_made_once_it_is_handed_out(a):
    array = np.asarray(a.copy())
    array[0, 0] = 9.0
    assert a[0, 0].item() == 1.0


def test_a_large_chain_is_as_many_items_as_operations(a):
    y = a
    for _ in range(2000):
        y = y + 1
    assert len(schedule(y)) == 2000


# Reading


def test_reading_goes_through_copies_and_pads_to_memory(a):
    node = a.copy().copy()._node
    assert reading(node) is a._node
    padded = a.pad([(1, 0), (0, 0)])
    inner = reading(padded[1:]._node)
    assert inner.block is a._node.block
    assert reading(padded._node) is padded._node


def test_readable_means_in_memory_and_in_order(a):
    assert is_readable(a._node)
    assert is_readable(a.T._node)
    assert is_readable(a.copy()._node)
    assert not is_readable(a.T.copy()._node)
    assert not is_readable((a + 1)._node)


@pytest.mark.parametrize(
    "build",
    [
        lambda a: a.T.copy(),
        lambda a: (a + 1).T.copy(),
        lambda a: (a + 1).copy()[::-1].copy(),
        lambda a: a.pad([(1, 0), (0, 0)])[1:].T.copy(),
        lambda a: (a + 1).pad([(1, 1), (0, 0)])[1:3],
        lambda a: a.T.reshape(6).reshape(2, 3).T.reshape(6),
        lambda a: Buffer.ones((3,)).copy(),
        lambda a: Buffer.ones((3, 1)).expand(3, 4).copy(),
        lambda a: Buffer.empty((3,)),
        lambda a: Buffer.ones((3,))[1:],
    ],
)
def test_what_was_realised_is_realised(a, build):
    y = build(a).realize()
    assert y.is_realized
    assert kernels(y) == (0, 0)


def test_realising_several_at_once_is_one_schedule(a):
    x = a + 1
    y, z = x * 2, x * 3
    with onebuf.counters() as counted:
        onebuf.realize(y, z)
    assert counted.kernels == 3
    assert y.is_realized
    assert z.is_realized


def test_a_failed_item_leaves_the_rest_as_it_was(a):
    fine = a * 2
    bad = onebuf.take(a, Buffer([9]), axis=0)
    with pytest.raises(IndexError):
        onebuf.realize(fine, bad)
    assert fine.to_python() == [[2.0, 4.0, 6.0], [8.0, 10.0, 12.0]]
    assert (a + 1).sum().item() == 27.0
