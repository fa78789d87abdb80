"""Recomputation: which shared values get memory, and which are computed wherever they are read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf import Buffer, config
from onebuf.scheduler.fuse import homes, recompute

SHAPE = (512, 256)
RNG = np.random.default_rng(8)


@pytest.fixture(autouse=True)
def compiled():
    with config(eager_numel=0, tier="compile"):
        yield


def buffer(*shape: int) -> Buffer:
    return Buffer(RNG.standard_normal(shape or SHAPE).astype(np.float32))


def two_readers(value: Buffer) -> tuple[Buffer, Buffer]:
    """Two results in kernels of their own: a product stands between them."""
    product = onebuf.exp(value) @ buffer(SHAPE[1], SHAPE[1])
    return product, onebuf.sqrt(onebuf.exp(product)) * value


def stored_shapes(*wanted: Buffer) -> list[tuple[int, ...]]:
    return [node.shape for item in onebuf.schedule(*wanted) for node in item.outputs]


def test_a_cheap_value_that_two_kernels_read_is_not_stored():
    x = buffer()
    results = two_readers(x * 2 + 1)
    assert len(stored_shapes(*results)) == 3  # exp for the product, the product, the result


def test_a_dear_value_that_two_kernels_read_is_stored():
    x = buffer()
    results = two_readers(onebuf.tanh(x))
    assert len(stored_shapes(*results)) == 4


def test_a_value_of_two_large_operands_is_stored():
    results = two_readers(buffer() + buffer())
    assert len(stored_shapes(*results)) == 4


def test_a_value_of_a_large_and_a_small_operand_is_not_stored():
    results = two_readers(buffer() + buffer(SHAPE[1]))
    assert len(stored_shapes(*results)) == 3


def test_a_long_chain_of_operations_is_stored():
    value = buffer()
    for step in range(recompute.MOST_STEPS + 1):
        value = value * (step + 2)
    assert len(stored_shapes(*two_readers(value))) == 4


@pytest.mark.parametrize("between", [lambda x: x, onebuf.tanh], ids=["itself", "inside"])
def test_a_value_that_a_kernel_reads_many_times_is_stored(monkeypatch, between):
    value = buffer() * 2 + 1
    many = onebuf.sum(onebuf.expand_dims(between(value), 0) * buffer(6, *SHAPE), axis=0)
    wanted = (many, *two_readers(value))
    del value  # which would be stored because it is held
    assert len(stored_shapes(*wanted)) == 5
    monkeypatch.setattr(homes, "REPEATED", 1 << 30)
    assert len(stored_shapes(*wanted)) == 4


def test_a_small_value_is_stored(monkeypatch):
    monkeypatch.setattr(recompute, "LEAST_NBYTES", 1 << 30)
    assert len(stored_shapes(*two_readers(buffer() * 2 + 1))) == 4


def test_a_value_that_is_asked_for_is_stored():
    value = buffer() * 2 + 1
    assert len(stored_shapes(value, *two_readers(value))) == 4


def results_of(x: Any, w: Any, xp: Any) -> list[Any]:
    shifted = x - xp.mean(x, axis=1, keepdims=True)
    product = xp.exp(shifted) @ w
    return [product, xp.sum(shifted * product, axis=0), xp.abs(product) * shifted]


def test_what_is_computed_twice_has_the_same_bits(monkeypatch):
    x, w = buffer(), buffer(SHAPE[1], SHAPE[1])
    twice = results_of(x, w, onebuf)
    onebuf.realize(*twice)
    monkeypatch.setattr(recompute, "LEAST_NBYTES", 1 << 30)
    for one, other in zip(twice, results_of(x + 0, w, onebuf), strict=True):
        np.testing.assert_array_equal(np.asarray(one), np.asarray(other))
