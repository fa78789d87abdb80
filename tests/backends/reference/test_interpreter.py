"""The reference backend: it computes what NumPy computes, and catches what a device would not."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import onebuf
from onebuf import Buffer, config
from onebuf.backends import null
from onebuf.backends.kernel_launch import linear_program
from onebuf.backends.reference import interpreter
from onebuf.backends.reference.interpreter import SlotMemory, execute
from onebuf.engine.cpu.supports import supports
from onebuf.errors import KernelError
from onebuf.graph import BINARY, CAST
from onebuf.kernel.linear import (
    GROUP,
    LOCAL,
    UPCAST,
    Code,
    Global,
    Instruction,
    Linear,
    Local,
    Opt,
    Special,
)
from onebuf.scheduler.fuse.fusion import group
from onebuf.scheduler.fuse.group import Group

F, N, B = np.dtype("float32"), np.dtype("int64"), np.dtype("bool")


@pytest.fixture(autouse=True)
def lazy():
    with config(eager_numel=0):
        yield


def kernel(buffer) -> Group:
    (found,) = group([buffer._node], supports)
    assert isinstance(found, Group)
    return found


def computed(buffer, *opts):
    found = kernel(buffer)
    out = np.zeros(buffer.shape, found.outputs[0].dtype)
    interpreter.run(found, [out], opts)
    return out


def items(*lines, extent=2) -> Linear:
    """A program of one group of work-items; 0 is their index, 1 is shared, 2 is an output."""
    head = (
        Instruction(Code.SPECIAL, (), N, Special("lidx0", extent)),
        Instruction(Code.DEFINE_LOCAL, (), F, Local("part0", extent)),
        Instruction(Code.DEFINE_GLOBAL, (), F, Global(0, 0, extent, True)),
        Instruction(Code.CONST, (), F, F.type(7)),
        Instruction(Code.CONST, (), N, 0),
        Instruction(Code.CONST, (), N, 1),
        Instruction(Code.ALU, (0, 5), B, BINARY["less"]),
    )
    return Linear((*head, *lines))


ITEM, SHARED, OUT, SEVEN, ZERO, ONE, IS_FIRST = range(7)
BARRIER = Instruction(Code.BARRIER)


def store(*args):
    return Instruction(Code.STORE, args, F)


def load(*args):
    return Instruction(Code.LOAD, args, F)


# What it computes


def test_rows_of_a_softmax_are_shared_by_work_items():
    x = np.random.default_rng(0).standard_normal((4, 8))
    a = Buffer(x)
    e = onebuf.exp(a - a.max(axis=1, keepdims=True))
    soft = e / e.sum(axis=1, keepdims=True)
    expected = np.exp(x - x.max(1, keepdims=True))
    expected /= expected.sum(1, keepdims=True)
    np.testing.assert_allclose(computed(soft), expected, rtol=1e-14)
    opts = (Opt(GROUP, 1, 4), Opt(LOCAL, 0, 2), Opt(UPCAST, 0, 2))
    np.testing.assert_allclose(computed(soft, *opts), expected, rtol=1e-14)


@pytest.mark.parametrize(
    "key",
    [
        (slice(None, None, -1),),
        (slice(1, None, 2), slice(None, None, -2)),
        (slice(None), 2),
        (None, slice(2), slice(None, None, -1)),
    ],
)
def test_memory_is_reached_through_any_strides(key):
    x = np.arange(24.0).reshape(4, 6)
    np.testing.assert_array_equal(computed(Buffer(x)[key] * 2), x[key] * 2)


def test_memory_of_an_array_begins_at_its_lowest_element():
    x = np.arange(12)[::-1][2:8:3]
    memory = SlotMemory.of(x)
    assert (memory.first, memory.flat.tolist()) == (-3, [6, 7, 8, 9])
    assert memory.flat[0 - memory.first] == x[0]
    assert SlotMemory.of(np.float64(3).reshape(())).flat.tolist() == [3]
    assert len(SlotMemory.of(np.empty((0, 3))).flat) == 0


def test_floats_beyond_a_whole_type_become_what_numpy_makes_of_them():
    x = np.array([np.nan, np.inf, -np.inf, 300.7, -300.7, 1.9, 3e9], np.float32)
    least = -(2**31)
    for target, expected in (
        ("int8", [0, 0, 0, 44, -44, 1, 0]),
        ("uint8", [0, 0, 0, 44, 212, 1, 0]),
        ("int16", [0, 0, 0, 300, -300, 1, 0]),
        ("int32", [least, least, least, 300, -300, 1, least]),
        ("uint32", [0, 0, 0, 300, 2**32 - 300, 1, 3_000_000_000]),
        ("int64", [-(2**63), -(2**63), -(2**63), 300, -300, 1, 3_000_000_000]),
        ("uint64", [2**63, 0, 2**63, 300, 2**64 - 300, 1, 3_000_000_000]),
    ):
        out = computed(Buffer(x).astype(target) + np.dtype(target).type(0))
        assert out.tolist() == expected, CAST


def test_all_work_items_meet_at_a_barrier():
    other = Instruction(Code.ALU, (ONE, ITEM), N, BINARY["subtract"])
    program = items(
        store(SHARED, ITEM, SEVEN), BARRIER, other, load(SHARED, 9), store(OUT, ITEM, 10)
    )
    memory = SlotMemory(np.zeros(2, F))
    execute(program, {0: memory})
    assert memory.flat.tolist() == [7, 7]


# What it catches


def broken(rule, number, program, size=2):
    with pytest.raises(KernelError) as raised:
        execute(program, {0: SlotMemory(np.zeros(size, F))})
    assert (raised.value.rule, raised.value.number) == (rule, number)
    assert f"instruction {number}" in str(raised.value)


def test_reading_shared_memory_that_nobody_wrote_is_caught():
    broken("undefined", 7, items(load(SHARED, ITEM)))


def test_reading_what_another_item_wrote_before_a_barrier_is_caught():
    broken("race", 8, items(store(SHARED, ITEM, SEVEN), load(SHARED, ZERO)))


def test_writing_what_another_item_wrote_or_read_before_a_barrier_is_caught():
    broken("race", 7, items(store(SHARED, ZERO, SEVEN)))
    lines = (store(SHARED, ITEM, SEVEN), BARRIER, load(SHARED, ZERO), BARRIER)
    execute(items(*lines, store(SHARED, ITEM, SEVEN)), {0: SlotMemory(np.zeros(2, F))})
    broken("race", 10, items(*lines[:3], store(SHARED, ONE, SEVEN)))


def test_two_items_that_write_one_output_are_caught():
    broken("race", 7, items(store(OUT, ZERO, SEVEN)))


def test_a_position_outside_of_memory_is_caught():
    broken("bounds", 7, items(store(OUT, ITEM, SEVEN), extent=3), size=2)
    wide = Instruction(Code.ALU, (ITEM, ONE), N, BINARY["add"])
    broken("bounds", 8, items(wide, store(SHARED, 7, SEVEN)))


def test_a_load_under_a_condition_reads_nothing_where_it_is_false_and_is_checked_where_not():
    memory = SlotMemory(np.zeros(2, F))
    memory.flat[:] = 5
    below = (Instruction(Code.CONST, (), N, 9), Instruction(Code.ALU, (0, 5), B, BINARY["less"]))
    copy = (*below, load(OUT, 7, 8), store(OUT, ITEM, 9))
    far = items(*copy)
    broken("bounds", 9, far)
    execute(
        items(*copy[:1], Instruction(Code.ALU, (7, 5), B, BINARY["less"]), *copy[2:]), {0: memory}
    )
    assert memory.flat.tolist() == [0, 0]


def test_a_barrier_that_not_all_come_to_is_caught():
    branch = Instruction(Code.IF, (IS_FIRST,))
    broken("barrier", 8, items(branch, BARRIER, Instruction(Code.ENDIF, (7,))))


# Counting without running


def test_the_null_backend_counts_and_computes_nothing():
    a = Buffer(np.ones((4, 4), np.float32))
    total = (a * 2).sum(axis=1)
    gc.collect()  # what other tests have left is given back before it is counted
    before = onebuf.memory_stats()
    counts = null.counts_of(group([total._node], supports))
    assert counts == null.Counts(kernels=1, instances=4, bytes_read=64, bytes_written=16)
    assert onebuf.memory_stats() == before
    assert not total.is_realized
    assert linear_program(kernel(total), [Opt(GROUP, 1, 2)]).instances == 8


def test_the_null_backend_counts_what_has_no_kernel_too():
    a = Buffer(np.ones((4, 4), np.float32))
    plan = group([(a @ a)._node, (a[:0] + 1)._node], supports)
    assert null.counts_of(plan) == null.Counts(1, 0, 128, 64)
