"""Losses: values, gradients, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tensor_differences import check_gradients, draw

import onebuf
from onebuf import nn
from onebuf.errors import ArgumentError, DTypeError, ShapeError
from onebuf.nn import Tensor

TARGETS = Tensor([2, 0, 1, 2])
PAIRS = {
    "mse_loss": nn.mse_loss,
    "l1_loss": nn.l1_loss,
    "huber_loss": lambda x, y, reduction: nn.huber_loss(x, y, reduction, delta=0.7),
    "binary_cross_entropy_with_logits": nn.binary_cross_entropy_with_logits,
}


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("name", PAIRS)
def test_gradients_of_losses_are_finite_differences(name: str, reduction: str) -> None:
    check_gradients(lambda x, y: PAIRS[name](x, y, reduction), draw(3, 2), draw(3, 2, seed=1))


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("ignored", [-100, 2])
def test_gradients_of_cross_entropy_are_finite_differences(
    ignored: int, reduction: str, smoothing: float
) -> None:
    def loss(x: Tensor) -> Any:
        return nn.cross_entropy(x, TARGETS, ignored, reduction, smoothing)

    check_gradients(loss, draw(4, 3))


def test_the_loss_is_the_mean_of_logarithms_of_chances() -> None:
    x = draw(4, 3)
    chances = np.exp(x) / np.exp(x).sum(1, keepdims=True)
    wanted = -np.log(chances[np.arange(4), TARGETS.numpy()]).mean()
    assert nn.cross_entropy(Tensor(x), TARGETS).item() == pytest.approx(wanted, rel=1e-12)


def test_ignored_targets_do_not_count() -> None:
    x = draw(4, 3)
    some = nn.cross_entropy(Tensor(x), Tensor([2, -100, 1, -100])).item()
    assert some == pytest.approx(nn.cross_entropy(Tensor(x[::2]), Tensor([2, 1])).item())


@pytest.mark.parametrize("smoothing", [0.0, 0.3])
def test_a_class_can_be_ignored(smoothing: float) -> None:
    x = draw(4, 3)
    some = nn.cross_entropy(Tensor(x), TARGETS, ignore_index=2, label_smoothing=smoothing)
    rest = nn.cross_entropy(Tensor(x[1:3]), TARGETS[1:3], label_smoothing=smoothing)
    assert some.item() == pytest.approx(rest.item(), rel=1e-12)


def test_one_example_needs_no_axis_for_examples() -> None:
    x = draw(3)
    whole = nn.cross_entropy(Tensor(x[None]), Tensor([1])).item()
    assert nn.cross_entropy(Tensor(x), Tensor(1)).item() == pytest.approx(whole)


def test_hopeless_logits_have_a_finite_gradient() -> None:
    x = Tensor([[1e4, -1e4]], requires_grad=True)
    loss = nn.cross_entropy(x, Tensor([1]))
    loss.backward()
    assert loss.item() == 2e4
    assert x.grad is not None
    assert x.grad.tolist() == [[1.0, -1.0]]


def test_large_logits_of_chances_do_not_overflow() -> None:
    x = Tensor([1e4, -1e4], requires_grad=True)
    loss = nn.binary_cross_entropy_with_logits(x, Tensor([1.0, 0.0]))
    loss.backward()
    assert loss.item() == 0.0
    assert x.grad is not None
    assert x.grad.tolist() == [0.0, 0.0]


def test_narrow_predictions_give_wide_losses() -> None:
    x = Tensor([[1.0, 2.0]]).astype("bfloat16")
    assert nn.cross_entropy(x, Tensor([1])).dtype == np.float32
    assert nn.mse_loss(x, x).dtype == np.float32


def test_wrong_targets_are_named() -> None:
    x = Tensor.ones((4, 3))
    with pytest.raises(DTypeError, match="numbers of classes as targets, got float32"):
        nn.cross_entropy(x, Tensor([1.0] * 4))
    with pytest.raises(ShapeError, match=r"targets of shape \(4,\).*got \(3,\)"):
        nn.cross_entropy(x, Tensor([1] * 3))
    with pytest.raises(ArgumentError, match="between 0 and 1, got 2"):
        nn.cross_entropy(x, TARGETS, label_smoothing=2)
    with pytest.raises(ShapeError, match=r"one shape, got \(4, 3\) and \(4,\)"):
        nn.mse_loss(x, Tensor.ones((4,)))
    with pytest.raises(ArgumentError, match="'none', got 'all'"):
        nn.mse_loss(x, x, "all")
    with pytest.raises(ArgumentError, match="positive delta"):
        nn.huber_loss(x, x, delta=0)


@pytest.mark.parametrize("wrong", [5, -1])
def test_a_target_that_is_no_class_is_an_error(wrong):
    logits = Tensor(np.zeros((2, 5), np.float32), requires_grad=True)
    with pytest.raises(IndexError, match=f"from 0 to 4, as there are 5 classes.*got {wrong}"):
        nn.cross_entropy(logits, Tensor(np.array([1, wrong])))
    ignored = nn.cross_entropy(logits, Tensor(np.array([1, wrong])), ignore_index=wrong)
    assert ignored.item() == pytest.approx(np.log(5))


def test_a_target_that_is_no_class_shows_in_a_captured_function():
    f = onebuf.jit(lambda x, y: nn.cross_entropy(Tensor(x), Tensor(y)).data)
    logits = onebuf.asarray(np.zeros((2, 5), np.float32))
    assert f(logits, onebuf.asarray([1, 4])).item() == pytest.approx(np.log(5))
    assert np.isnan(f(logits, onebuf.asarray([1, 5])).item())
