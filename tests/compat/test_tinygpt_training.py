"""A system as TinyGPT is trains on compat.tinygpt's buffers, and gives NumPy's numbers.

Elements are Python's floats, which are doubles, so that NumPy's doubles are the oracle; gradients
are compared with differences of losses.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tinygpt_system import GPT, MLP, SGD, Adam, Module, Tensor, train

from onebuf.compat.tinygpt import DType

# -- the same in NumPy -----------------------------------------------------------------------------

Arrays = list[np.ndarray[Any, Any]]


def _arrays(module: Module) -> Arrays:
    return [np.array(one.buffer.to_python()) for one in module.parameters()]


def _log_softmax(x: Any) -> Any:
    apart = x - x.max(1, keepdims=True)
    return apart - np.log(np.exp(apart).sum(1, keepdims=True))


def _norm(x: Any) -> Any:
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)


def _loss_of_gpt(w: Arrays, tokens: list[int]) -> float:
    x = w[0][tokens[:-1]] + w[1]
    length, width = x.shape
    q, k, v = np.split(_norm(x) @ w[2] + w[3], 3, axis=1)
    heads = []
    for part in (slice(0, width // 2), slice(width // 2, width)):
        scores = q[:, part] @ k[:, part].T / math.sqrt(width // 2)
        scores[~np.tri(length, dtype=bool)] = -np.inf
        heads.append(np.exp(_log_softmax(scores)) @ v[:, part])
    x = x + np.concatenate(heads, 1) @ w[4] + w[5]
    x = x + np.maximum(_norm(x) @ w[6] + w[7], 0) @ w[8] + w[9]
    logs = _log_softmax(_norm(x) @ w[10] + w[11])
    return -float(logs[np.arange(length), tokens[1:]].mean())


def _loss_of_mlp(w: Arrays, x: Any, targets: list[int]) -> float:
    logs = _log_softmax(np.maximum(x @ w[0] + w[1], 0) @ w[2] + w[3])
    return -float(logs[np.arange(len(x)), targets].mean())


def _gradients(loss: Callable[[Arrays], float], w: Arrays) -> Arrays:
    """Differences of losses, over the change of one element at a time."""
    found = [np.empty_like(one) for one in w]
    for array, gradient in zip(w, found, strict=True):
        for place in np.ndindex(array.shape):
            kept = array[place]
            sides = []
            for change in (1e-5, -1e-5):
                array[place] = kept + change
                sides.append(loss(w))
            array[place] = kept
            gradient[place] = (sides[0] - sides[1]) / 2e-5
    return found


def _trained_by_adam(
    loss: Callable[[Arrays], float], w: Arrays, rate: float, steps: int
) -> list[float]:
    means, squares = ([np.zeros_like(one) for one in w] for _ in range(2))
    losses = []
    for step in range(1, steps + 1):
        losses.append(loss(w))
        for place, gradient in enumerate(_gradients(loss, w)):
            means[place] = 0.9 * means[place] + 0.1 * gradient
            squares[place] = 0.99 * squares[place] + 0.01 * gradient**2
            root = np.sqrt(squares[place] / (1 - 0.99**step)) + 1e-8
            w[place] -= rate * means[place] / (1 - 0.9**step) / root
    return losses


# -- tests -----------------------------------------------------------------------------------------

TOKENS = [0, 1, 2, 3, 1]
POINTS = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
CLASSES = [0, 1, 1, 0]


@pytest.fixture
def gpt() -> GPT:
    random.seed(3)
    return GPT(vocabulary=4, length=4, width=4)


@pytest.fixture
def mlp() -> MLP:
    random.seed(4)
    return MLP(2, 8, 2)


def test_the_loss_of_a_gpt_is_numpy_s(gpt: GPT) -> None:
    found = gpt(TOKENS[:-1]).cross_entropy(TOKENS[1:])
    assert found.buffer.dtype is DType.float32
    assert found.buffer.to_python() == pytest.approx(_loss_of_gpt(_arrays(gpt), TOKENS), rel=1e-9)


def test_the_gradients_of_a_gpt_are_differences_of_losses(gpt: GPT) -> None:
    gpt(TOKENS[:-1]).cross_entropy(TOKENS[1:]).backward()
    expected = _gradients(lambda w: _loss_of_gpt(w, TOKENS), _arrays(gpt))
    for parameter, gradient in zip(gpt.parameters(), expected, strict=True):
        assert parameter.grad is not None
        np.testing.assert_allclose(parameter.grad.to_python(), gradient, atol=1e-8)


def test_a_gpt_trains_as_in_numpy(gpt: GPT) -> None:
    before = _arrays(gpt)
    losses = train(
        lambda: gpt(TOKENS[:-1]).cross_entropy(TOKENS[1:]), Adam(gpt, rate=0.02), steps=25
    )
    expected = _trained_by_adam(lambda w: _loss_of_gpt(w, TOKENS), before, 0.02, steps=3)
    np.testing.assert_allclose(losses[:3], expected, rtol=1e-5)
    assert losses[-1] < 0.2 * losses[0]


def test_a_gpt_learns_what_comes_next(gpt: GPT) -> None:
    train(lambda: gpt(TOKENS[:-1]).cross_entropy(TOKENS[1:]), Adam(gpt, rate=0.05), steps=25)
    logits = np.array(gpt(TOKENS[:-1]).buffer.to_python())
    assert logits.argmax(1).tolist() == TOKENS[1:]


def test_an_mlp_trains_as_in_numpy(mlp: MLP) -> None:
    w, x = _arrays(mlp), np.array(POINTS)
    kept = [np.zeros_like(one) for one in w]
    expected = []
    for _ in range(60):
        expected.append(_loss_of_mlp(w, x, CLASSES))
        hidden = np.maximum(x @ w[0] + w[1], 0)
        apart = (np.exp(_log_softmax(hidden @ w[2] + w[3])) - np.eye(2)[CLASSES]) / len(x)
        inner = apart @ w[2].T * (hidden > 0)
        gradients = [x.T @ inner, inner.sum(0), hidden.T @ apart, apart.sum(0)]
        kept = [0.9 * one + gradient for one, gradient in zip(kept, gradients, strict=True)]
        w = [one - 0.2 * change for one, change in zip(w, kept, strict=True)]
    losses = train(
        lambda: mlp(Tensor(POINTS)).cross_entropy(CLASSES),
        SGD(mlp, rate=0.2, momentum=0.9),
        steps=60,
    )
    np.testing.assert_allclose(losses, expected, rtol=1e-7)
    assert losses[-1] < 0.05 * losses[0]


def test_parameters_are_changed_in_place(mlp: MLP) -> None:
    memory = [parameter.buffer.data for parameter in mlp.parameters()]
    train(lambda: mlp(Tensor(POINTS)).cross_entropy(CLASSES), SGD(mlp, 0.1, 0.0), steps=1)
    found = [parameter.buffer.data for parameter in mlp.parameters()]
    assert all(one is two for one, two in zip(found, memory, strict=True))
