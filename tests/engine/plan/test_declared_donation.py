"""Leaves that a plan is told to give up: their memory is a result's, and no value changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import onebuf as ob
from onebuf import Buffer, config
from onebuf.engine.plan.declared_donation import ANY
from onebuf.engine.plan.whole import whole_plan
from onebuf.events import listening
from onebuf.graph import engine_lock
from onebuf.memory import address_of

RNG = np.random.default_rng(4)
X, G = (RNG.standard_normal((96, 64)).astype(np.float32) for _ in range(2))
W, M = (RNG.standard_normal((64, 64)).astype(np.float32) for _ in range(2))


@pytest.fixture(autouse=True)
def compiled():
    with config(tier="compile", eager_numel=0):
        yield


def own(array: Any) -> Buffer:
    """A buffer on memory of the pool, which nothing else sees."""
    return (Buffer(array) + 0).realize()


def address(x: Buffer) -> int:
    array = x._node.array
    assert array is not None
    return address_of(array)


def run(wanted: Sequence[Buffer], leaves: Sequence[Buffer]) -> None:
    """Compute ``wanted`` by one plan that gives up ``leaves``."""
    nodes = [buffer._node for buffer in wanted]
    plan, walk = whole_plan(nodes, {id(leaf._node): ANY for leaf in leaves})
    held = plan.nodes_of(walk)
    del walk
    with engine_lock.lock:
        turn = engine_lock.begin()
        try:
            plan.run(held, turn)
        finally:
            engine_lock.turns.discard(turn)


def test_a_result_takes_the_memory_of_a_leaf_that_is_given_up():
    w = own(W)
    before, result = address(w), w * 2 + 1
    run([result], [w])
    assert address(result) == before
    np.testing.assert_array_equal(np.asarray(result), W * 2 + 1)


def test_a_leaf_that_is_not_given_up_keeps_its_memory():
    w, m = own(W), own(M)
    before = address(w), address(m)
    result = w * 2 + m
    run([result], [m])
    assert (address(w), address(result)) == before
    np.testing.assert_array_equal(np.asarray(w), W)


def updated(w: Any, m: Any, x: Any, g: Any) -> list[Any]:
    """The new value of a weight and of its momentum, and the gradient of what it was applied to."""
    momentum = m * np.float32(0.5) + x.T @ g
    return [w - momentum * np.float32(0.25), momentum, g @ w.T]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_a_kernel_with_a_product_overwrites_what_products_have_read(order):
    w, m, x, g = own(W), own(M), Buffer(X), Buffer(G)
    before = {address(w), address(m)}
    found = updated(w, m, x, g)
    run([found[place] for place in order], [w, m])
    assert {address(found[0]), address(found[1])} == before
    for one, wanted in zip(found, updated(W, M, X, G), strict=True):
        np.testing.assert_allclose(np.asarray(one), wanted, rtol=1e-5, atol=1e-4)


def test_a_leaf_that_is_read_after_the_result_keeps_its_memory():
    w, m = own(W), own(M)
    before = address(w)
    new = w + m
    later = ob.sum(new, axis=0) @ w.T
    run([new, later], [w])
    assert address(new) != before
    np.testing.assert_array_equal(np.asarray(w), W)
    np.testing.assert_allclose(np.asarray(later), (W + M).sum(axis=0) @ W.T, rtol=1e-4)


def test_a_leaf_that_is_read_in_another_order_keeps_its_memory():
    w = own(W)
    before = address(w)
    result = w + w.T
    run([result], [w])
    assert address(result) != before
    np.testing.assert_array_equal(np.asarray(result), W + W.T)


def test_memory_that_another_buffer_sees_is_kept():
    w = own(W)
    view = w[1:]
    result = w * 2 + 1
    run([result], [w])
    assert address(result) != address(w)
    np.testing.assert_array_equal(np.asarray(view), W[1:])


def test_memory_of_somebody_else_is_kept():
    mine = W.copy()
    w = Buffer(mine)
    result = w * 2 + 1
    run([result], [w])
    np.testing.assert_array_equal(mine, W)
    np.testing.assert_array_equal(np.asarray(result), W * 2 + 1)


def test_two_results_do_not_take_the_same_memory():
    w = own(W)
    one, two = w * 2, w * 3
    run([one, two], [w])
    np.testing.assert_array_equal(np.asarray(one), W * 2)
    np.testing.assert_array_equal(np.asarray(two), W * 3)


def test_code_that_computes_in_the_middle_changes_nothing():
    w, m, x, g = own(W), own(M), Buffer(X), Buffer(G)
    found = updated(w, m, x, g)
    others = []

    def compute(event: Any) -> None:
        if not others:
            others.append(Buffer(X) * 3)
            others[0].realize()

    with listening(compute):
        run(found, [w, m])
    np.testing.assert_array_equal(np.asarray(others[0]), X * 3)
    for one, wanted in zip(found, updated(W, M, X, G), strict=True):
        np.testing.assert_allclose(np.asarray(one), wanted, rtol=1e-5, atol=1e-4)
