"""A value that a program holds is not computed again and again."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import onebuf as ob
from onebuf import Buffer, config, counters

N = 40_000
A = np.random.default_rng(0).random(N)
B = np.random.default_rng(1).random(N)


@pytest.fixture(autouse=True)
def compiled():
    with config(tier="compile"):
        yield


def stored(a: Any) -> Buffer:
    return ob.asarray(a, copy=True).realize()


def test_a_value_that_is_held_is_stored_with_what_was_asked_for():
    x, y = stored(A), stored(B)
    difference = x - y
    float((difference * difference).sum())
    assert difference.is_realized
    np.testing.assert_array_equal(np.asarray(difference), A - B)


def test_a_value_that_nobody_holds_needs_no_memory():
    x, y = stored(A), stored(B)
    with counters() as counted:
        float(((x - y) * (x - y)).sum())
    assert counted.bytes_written < N


def test_a_cheap_value_is_stored_when_it_is_computed_the_second_time():
    x = stored(A)
    double = x * 2
    for turn, total in enumerate([double.sum(), double.max(), double.min(), double.mean()]):
        float(total)
        assert double.is_realized == (turn >= 1)
    np.testing.assert_array_equal(np.asarray(double), A * 2)


@pytest.mark.parametrize(
    "hold",
    [lambda x: x[::2], lambda x: x[5:], lambda x: x + 1, lambda x: x.copy()],
    ids=["strided view", "view", "another expression", "copy"],
)
def test_what_a_view_or_another_expression_needs_is_held(hold: Callable[[Buffer], Buffer]):
    value = ob.exp(stored(A)) * 2 + 1
    other = hold(value)
    total = value.sum()
    reference = weakref.ref(value._node)
    del value
    float(total)
    node = reference()
    assert node is not None
    assert node.array is not None
    np.testing.assert_allclose(np.asarray(other), np.asarray(hold(Buffer(np.exp(A) * 2 + 1))))


def test_a_value_that_is_used_through_its_view_is_stored():
    square = (ob.exp(stored(A)) * 2 + 1).reshape(200, 200)
    float((square * square).sum())
    assert square.is_realized
    np.testing.assert_allclose(np.asarray(square), (np.exp(A) * 2 + 1).reshape(200, 200))


def test_a_cheap_value_that_is_used_through_its_view_is_stored_the_second_time():
    x = stored(A)
    half = (x * 2)[::2]
    for turn, total in enumerate([half.sum(), half.max(), half.min()]):
        float(total)
        assert half.is_realized == (turn >= 1)
    np.testing.assert_array_equal(np.asarray(half), (A * 2)[::2])


def test_what_a_pending_copy_holds_is_stored_the_second_time():
    x = stored(A)
    _other = (x * 2).copy()
    mine = x * 2  # the same value, so that this is a copy of it
    with counters() as counted:
        found = {float(mine.sum()) for _ in range(6)}
    assert len(found) == 1
    np.testing.assert_allclose(found.pop(), (A * 2).sum())
    assert A.nbytes <= counted.bytes_written < 2 * A.nbytes
    assert [item.name for item in ob.schedule(mine.sum())] == ["sum"]


def descent(w: Any, t: Any, rate: float) -> tuple[Any, float]:
    r = w - t
    loss = float((r * r).mean())
    return w - rate * r, loss


def test_a_loop_does_the_same_work_in_every_step():
    w, t = stored(A), stored(B)
    expected = A
    work, kernels = [], []
    for step in range(30):
        rate = 0.2 / (step + 1)
        with counters() as counted:
            w, loss = descent(w, t, rate)
        expected, wanted = descent(expected, B, rate)
        assert loss == pytest.approx(wanted)
        work.append(counted.bytes_read + counted.bytes_written)
        kernels.append(counted.compiles)
    assert len(set(work[2:])) == 1
    assert sum(kernels[2:]) == 0
    np.testing.assert_allclose(np.asarray(w), expected)


def test_a_loop_with_another_number_in_every_step_is_compiled():
    w, t = stored(A), stored(B)
    with config(tier="auto"), counters() as counted:
        for step in range(400):
            w, _ = descent(w, t, 0.1 / (step + 1))
    assert counted.kernels < 3 * 400  # interpreting takes six passes a step
    assert counted.compiles < 10


def test_a_loop_that_reads_only_at_the_end_keeps_nothing_on_the_way():
    x = stored(A)
    y, expected = x, A
    with counters() as counted:
        for _ in range(300):
            y = ob.sqrt(y * y + 1.0) - 0.5
            expected = np.sqrt(expected * expected + 1.0) - 0.5
        np.testing.assert_allclose(np.asarray(y), expected)
    assert counted.bytes_written <= 300 * 4 * N * 8 / 10
    assert counted.compiles <= 6


def test_guards_tell_values_that_are_held_from_those_that_are_not():
    kept: list[Buffer] = []
    for turn in range(24):
        x, y = stored(A + turn), stored(B)
        value = ob.exp(x) + y
        total = value.sum()
        if turn % 8 < 4:
            kept.append(value)
        del value
        with counters() as counted:
            float(total)
        assert (counted.bytes_written > A.nbytes) == (turn % 8 < 4)
        if turn % 8 < 4:
            np.testing.assert_allclose(np.asarray(kept[-1]), np.exp(A + turn) + B)
