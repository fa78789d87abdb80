"""Results that live at the same time never share memory, and little memory is wasted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import onebuf as ob
from onebuf import config
from onebuf.memory import ALIGNMENT
from onebuf.scheduler.arena import LiveInterval, place

lives = st.lists(
    st.builds(
        lambda nbytes, first, length: LiveInterval(nbytes, first, first + length),
        st.integers(0, 10_000),
        st.integers(0, 20),
        st.integers(0, 6),
    ),
    max_size=30,
)


@given(lives)
def test_what_lives_at_the_same_time_lies_apart(some):
    arena = place(some)
    for i, one in enumerate(some):
        first, end = arena.offsets[i], arena.offsets[i] + one.nbytes
        assert first >= 0
        assert end <= arena.nbytes
        assert first % ALIGNMENT == 0
        for j, two in enumerate(some[:i]):
            together = one.first <= two.last and two.first <= one.last
            other = arena.offsets[j]
            if together:
                assert end <= other or other + two.nbytes <= first


@given(lives)
def test_an_arena_is_no_larger_than_its_results_and_no_smaller_than_the_worst_moment(some):
    arena = place(some)
    assert arena.saved >= 0
    for moment in range(30):
        at_once = sum(life.nbytes for life in some if life.first <= moment <= life.last)
        assert arena.nbytes >= at_once


def test_a_chain_takes_turns_with_two_places():
    arena = place([LiveInterval(1 << 20, n, n + 1) for n in range(10)])
    assert arena.nbytes == 2 << 20
    assert arena.saved == 8 << 20


@pytest.fixture
def compiled():
    with config(eager_numel=0, tier="compile"):
        yield


def chain(x, turns):
    """Every turn needs the whole of the one before it, so each has memory of its own."""
    for _ in range(turns):
        x = ob.sum(x, axis=0) + x.T
    return x


def test_intermediate_results_of_a_plan_share_memory(compiled):
    x = ob.asarray(np.ones((512, 512)))
    ob.trim()
    with ob.counters() as counted:
        chain(x, 6).realize()
    # Without an arena: six results of 2 MB, and as many sums.
    assert counted.bytes_allocated < 4 * x.nbytes
    assert "saved by sharing memory" in chain(x, 6).explain()


def test_what_a_buffer_holds_is_not_in_the_arena(compiled):
    x = ob.asarray(np.arange(16.0).reshape(4, 4))
    total = ob.sum(x, axis=0)
    y = total + x.T
    y.realize()
    expected = np.arange(16.0).reshape(4, 4)
    np.testing.assert_array_equal(np.asarray(total), expected.sum(axis=0))
    np.testing.assert_array_equal(np.asarray(y), expected.sum(axis=0) + expected.T)
