"""A result is written over an operand only if nobody can ask for that operand again."""

from __future__ import annotations

import numpy as np
import pytest

import onebuf as ob
from onebuf import Buffer, config
from onebuf.memory import address_of

COUNT = 1 << 18  # 2 MB


@pytest.fixture(autouse=True)
def compiled():
    with config(tier="compile"):
        yield


def fresh(start: float = 0.0) -> Buffer:
    """A result of our own, stored."""
    return (ob.arange(COUNT, dtype=ob.float64) + start).realize()


def address(x: Buffer) -> int:
    array = x._node.array
    assert array is not None
    return address_of(array)


ORACLE = np.arange(COUNT, dtype=np.float64)


def test_a_result_takes_the_memory_of_an_operand_that_dies():
    x = fresh()
    before = address(x)
    for _ in range(10):  # past the turn at which a guard is written
        x = x * 2 + 1
        x.realize()
        assert address(x) == before
    np.testing.assert_array_equal(np.asarray(x), ORACLE * 1024 + 1023)


def test_an_operand_that_a_buffer_holds_keeps_its_memory():
    x = fresh()
    y = (x * 2 + 1).realize()
    assert address(y) != address(x)
    np.testing.assert_array_equal(np.asarray(x), ORACLE)
    np.testing.assert_array_equal(np.asarray(y), ORACLE * 2 + 1)


def test_an_operand_that_a_view_sees_keeps_its_memory():
    x = fresh()
    part = x[5:]
    x = (x * 2 + 1).realize()
    np.testing.assert_array_equal(np.asarray(part), ORACLE[5:])
    np.testing.assert_array_equal(np.asarray(x), ORACLE * 2 + 1)


def test_an_operand_with_a_window_keeps_its_memory():
    x = fresh()
    window = np.asarray(x)
    x = (x * 2 + 1).realize()
    np.testing.assert_array_equal(window, ORACLE)


def test_an_operand_of_somebody_else_keeps_its_memory():
    theirs = ORACLE.copy()
    x = ob.asarray(theirs)
    x = (x * 2 + 1).realize()
    np.testing.assert_array_equal(theirs, ORACLE)


def test_an_operand_that_pending_work_outside_reads_keeps_its_memory():
    x = fresh()
    later = x - 1
    x = (x * 2 + 1).realize()
    np.testing.assert_array_equal(np.asarray(later), ORACLE - 1)


def test_an_operand_below_a_result_that_somebody_holds_keeps_its_memory():
    x = fresh()
    doubled = x * 2
    x = (doubled + 1).realize()
    np.testing.assert_array_equal(np.asarray(doubled), ORACLE * 2)


def test_an_operand_that_is_read_in_another_order_keeps_its_memory():
    x = fresh()
    flipped = (ob.flip(x) + x).realize()
    np.testing.assert_array_equal(np.asarray(flipped), ORACLE[::-1] + ORACLE)
    x = (ob.flip(x) * 2).realize()
    np.testing.assert_array_equal(np.asarray(x), ORACLE[::-1] * 2)


def test_one_of_two_operands_that_die_gives_its_memory():
    x, y = fresh(), fresh(7.0)
    places = {address(x), address(y)}
    z = x * 3 + y
    del x, y
    z.realize()
    assert address(z) in places
    np.testing.assert_array_equal(np.asarray(z), ORACLE * 3 + ORACLE + 7)


def test_two_results_do_not_take_the_same_memory():
    x = fresh()
    y, z = x + 1, x * 2
    del x
    ob.realize(y, z)
    np.testing.assert_array_equal(np.asarray(y), ORACLE + 1)
    np.testing.assert_array_equal(np.asarray(z), ORACLE * 2)


def test_memory_in_use_does_not_grow_while_a_buffer_is_updated():
    x = fresh()
    with ob.counters() as counted:
        for _ in range(5):
            x = x + 1
            x.realize()
    assert counted.bytes_allocated == 0
