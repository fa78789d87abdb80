"""Rules on other devices: parts of a transformer have the gradients that the host finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from finite_differences import seed_like
from foreign_devices import FOREIGN

import onebuf
from onebuf import Buffer, ops
from onebuf.gradients.reverse import pullback
from onebuf.graph import BINARY, REDUCE, UNARY, Node

Array = np.ndarray[Any, Any]
random = np.random.default_rng(8)


def single(*shape: int) -> Array:
    return random.standard_normal(shape).astype("f4")


def softmax(x: Node) -> Node:
    shifted = ops.binary(BINARY["subtract"], x, ops.reduce(REDUCE["max"], x, -1, True))
    powers = ops.unary(UNARY["exp"], shifted)
    return ops.binary(BINARY["divide"], powers, ops.reduce(REDUCE["sum"], powers, -1, True))


def attention(x: Node) -> Node:
    parts = [ops.index(x, (..., slice(4 * n, 4 * n + 4))) for n in range(3)]
    heads = [ops.permute(ops.reshape(part, (2, 3, 2, 2)), (0, 2, 1, 3)) for part in parts]
    query, key, value = heads
    weights = softmax(ops.matmul(query, ops.permute(key, (0, 1, 3, 2))))
    return ops.matmul(weights, value)


def embedding(table: Node, tokens: Node) -> Node:
    return ops.take(table, tokens, 0)


def chosen(x: Node, targets: Node) -> Node:
    return ops.take_along_axis(ops.unary(UNARY["log"], softmax(x)), targets, -1)


CASES: dict[str, tuple[Callable[..., Node], tuple[Array, ...]]] = {
    "attention": (attention, (single(2, 3, 12),)),
    "embedding": (embedding, (single(6, 3), np.array([[0, 5, 0], [2, 0, -1]]))),
    "loss": (chosen, (single(4, 5), np.array([[1], [4], [0], [1]]))),
    "scan": (lambda x: ops.scan("prod", x, 1), (single(3, 5),)),
}


def gradients_on(device: str, name: str) -> list[Array]:
    """The gradients of a case with elements on ``device``."""
    function, arrays = CASES[name]
    with onebuf.config(eager_numel=0):
        inputs = [onebuf.asarray(array).to_device(device)._node for array in arrays]
        begun = [ops.unary(UNARY["positive"], x) for x in inputs]
        result = function(*begun)
        seed = onebuf.asarray(seed_like(np.empty(result.shape, "f4"))).to_device(device)._node
        found = pullback([result], [seed], begun)
        return [
            np.array(Buffer._value(ops.copied(g)).to_device("CPU")) for g in found if g is not None
        ]


@pytest.mark.parametrize("device", FOREIGN)
@pytest.mark.parametrize("name", CASES)
def test_a_device_finds_the_gradients_of_the_host(device: str, name: str) -> None:
    expected = gradients_on("CPU", name)
    for ours, wanted in zip(gradients_on(device, name), expected, strict=True):
        np.testing.assert_allclose(ours, wanted, rtol=1e-3, atol=1e-5)
