"""Optimisers, schedules and clipping next to torch's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from onebuf import optim
from onebuf.tensor import Tensor

torch = pytest.importorskip("torch", reason="torch is not installed")
pytestmark = pytest.mark.interop

SETTINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "SGD": ("SGD", {"lr": 0.1}),
    "momentum": ("SGD", {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.1}),
    "nesterov": ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True}),
    "Adam": ("Adam", {"lr": 0.01}),
    "Adam with decay": ("Adam", {"lr": 0.01, "weight_decay": 0.1, "betas": (0.8, 0.95)}),
    "AdamW": ("AdamW", {"lr": 0.01}),
    "AdamW with decay": ("AdamW", {"lr": 0.01, "weight_decay": 0.3, "eps": 1e-6}),
}


def draw(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("name", SETTINGS)
def test_steps_agree_with_torch(name: str) -> None:
    kind, settings = SETTINGS[name]
    mine = [Tensor(draw(*shape), requires_grad=True) for shape in ((5, 7), (3,))]
    theirs = [torch.tensor(x.numpy().copy(), requires_grad=True) for x in mine]
    ours = getattr(optim, kind)(mine, **settings)
    other = getattr(torch.optim, kind)(theirs, **settings)
    for number in range(3):
        for x, y in zip(mine, theirs, strict=True):
            gradient = draw(*x.shape, seed=number + 1)
            x.grad = Tensor(gradient)
            y.grad = torch.tensor(gradient.copy())
        ours.step()
        other.step()
    for x, y in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(x.numpy(), y.detach().numpy(), rtol=1e-6, atol=1e-6)


SCHEDULES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "StepLR": (
        lambda o: optim.StepLR(o, 3, 0.5),
        lambda o: torch.optim.lr_scheduler.StepLR(o, 3, 0.5),
    ),
    "LinearLR": (
        lambda o: optim.LinearLR(o, 0.2, 0.9, 4),
        lambda o: torch.optim.lr_scheduler.LinearLR(o, 0.2, 0.9, 4),
    ),
    "ConstantLR": (
        lambda o: optim.ConstantLR(o, 0.5, 3),
        lambda o: torch.optim.lr_scheduler.ConstantLR(o, 0.5, 3),
    ),
    "CosineLR": (
        lambda o: optim.CosineLR(o, 8),
        lambda o: torch.optim.lr_scheduler.CosineAnnealingLR(o, 8),
    ),
    "LambdaLR": (
        lambda o: optim.LambdaLR(o, lambda n: 1 / (n + 1)),
        lambda o: torch.optim.lr_scheduler.LambdaLR(o, lambda n: 1 / (n + 1)),
    ),
}


@pytest.mark.parametrize("name", SCHEDULES)
def test_learning_rates_agree_with_torch(name: str) -> None:
    mine, theirs = Tensor([1.0], requires_grad=True), torch.ones(1, requires_grad=True)
    ours, other = optim.SGD([mine], lr=0.3), torch.optim.SGD([theirs], lr=0.3)
    schedules = [make(one) for make, one in zip(SCHEDULES[name], (ours, other), strict=True)]
    for _ in range(8):
        assert ours.lr == pytest.approx(other.param_groups[0]["lr"])
        other.step()
        for schedule in schedules:
            schedule.step()


@pytest.mark.parametrize("order", [1.0, 2.0, float("inf")])
@pytest.mark.parametrize("limit", [0.5, 1000.0])
def test_clipped_gradients_agree_with_torch(order: float, limit: float) -> None:
    mine = [Tensor(draw(*shape), requires_grad=True) for shape in ((5, 7), (3,))]
    theirs = [torch.tensor(x.numpy().copy(), requires_grad=True) for x in mine]
    for x, y in zip(mine, theirs, strict=True):
        x.grad = Tensor(draw(*x.shape, seed=1))
        y.grad = torch.tensor(draw(*x.shape, seed=1))
    found = optim.clip_grad_norm_(mine, limit, order)
    wanted = torch.nn.utils.clip_grad_norm_(theirs, limit, order)
    assert found.item() == pytest.approx(wanted.item(), rel=1e-5)
    for x, y in zip(mine, theirs, strict=True):
        assert x.grad is not None
        np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy(), rtol=1e-5)
