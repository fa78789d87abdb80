"""Optimisers: steps by their formulas, groups, state, and captured steps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tensor_differences import draw

import onebuf
from onebuf import Buffer, nn, optim
from onebuf.capture.api import jit
from onebuf.errors import ArgumentError, ArgumentTypeError, ShapeError
from onebuf.tensor import Tensor

Array = np.ndarray[Any, Any]
KINDS: dict[str, Callable[[Any], optim.Optimizer]] = {
    "SGD": lambda p: optim.SGD(p, lr=0.1),
    "momentum": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.01),
    "nesterov": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True),
    "Adam": lambda p: optim.Adam(p, lr=0.1, weight_decay=0.01),
    "AdamW": lambda p: optim.AdamW(p, lr=0.1),
}


def leaf(*shape: int, seed: int = 0) -> Tensor:
    return Tensor(draw(*shape, seed=seed), requires_grad=True)


def give(x: Tensor, gradient: Array) -> None:
    x.grad = Tensor(gradient)


def by_formula(kind: str, x: Array, gradients: list[Array]) -> Array:
    """The parameter after some steps, by the formulas of the papers."""
    x, kept, square = x.copy(), np.zeros_like(x), np.zeros_like(x)
    for number, gradient in enumerate(gradients, 1):
        if kind in ("momentum", "Adam"):
            gradient = gradient + 0.01 * x
        if kind == "SGD":
            x -= 0.1 * gradient
        elif kind in ("momentum", "nesterov"):
            kept = 0.9 * kept + gradient
            x -= 0.1 * (gradient + 0.9 * kept if kind == "nesterov" else kept)
        else:
            if kind == "AdamW":
                x *= 1 - 0.1 * 0.01
            kept = 0.9 * kept + 0.1 * gradient
            square = 0.999 * square + 0.001 * gradient**2
            mean, spread = kept / (1 - 0.9**number), square / (1 - 0.999**number)
            x -= 0.1 * mean / (np.sqrt(spread) + 1e-8)
    return x


@pytest.mark.parametrize("kind", KINDS)
def test_steps_are_the_formula(kind: str) -> None:
    x = leaf(3, 4)
    wanted = by_formula(kind, x.numpy(), gradients := [draw(3, 4, seed=n) for n in range(1, 4)])
    optimizer = KINDS[kind]([x])
    for gradient in gradients:
        give(x, gradient)
        optimizer.step()
    np.testing.assert_allclose(x.numpy(), wanted, rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_parameters_are_changed_in_their_memory(kind: str) -> None:
    x = leaf(3)
    memory, view = x.data, x.data[1:]
    optimizer = KINDS[kind]([x])
    give(x, np.ones(3))
    optimizer.step()
    assert x.data is memory
    assert x.is_leaf
    assert view.tolist() == memory.tolist()[1:]


def test_parameters_without_gradient_stay() -> None:
    x, y = leaf(2), leaf(2)
    before = y.tolist()
    optimizer = optim.AdamW([x, y])
    give(x, np.ones(2))
    optimizer.step()
    assert y.tolist() == before
    optimizer.zero_grad()
    assert x.grad is None


def test_groups_have_settings_of_their_own() -> None:
    x, y = leaf(2), leaf(2)
    groups = [{"params": [x], "weight_decay": 0.0, "lr": 0.5}, {"params": y}]
    optimizer = optim.SGD(groups, lr=0.1, weight_decay=1.0)
    start = x.numpy().copy()
    give(x, np.ones(2))
    give(y, np.ones(2))
    optimizer.step()
    np.testing.assert_allclose(x.numpy(), start - 0.5)
    np.testing.assert_allclose(y.numpy(), start - 0.1 * (1 + start))


def test_the_learning_rate_is_read_and_set() -> None:
    optimizer = optim.SGD([leaf(2)], lr=0.5)
    assert optimizer.lr == 0.5
    memory = optimizer.groups[0].lr
    optimizer.lr = 0.25
    assert optimizer.groups[0].lr is memory
    assert memory.item() == 0.25


def test_training_makes_a_loss_small() -> None:
    onebuf.random.seed(0)
    model = nn.Sequential(nn.Linear(2, 16), nn.GELU(), nn.Linear(16, 1))
    optimizer = optim.AdamW(model.parameters(), lr=0.02)
    x = Tensor(draw(64, 2).astype(np.float32))
    y = x[:, :1] * x[:, 1:]
    losses = []
    for _ in range(150):
        loss = nn.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 20


# -- captured steps --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_captured_step_is_the_step_to_the_bit_with_any_learning_rate(kind: str) -> None:
    models = [nn.Linear(4, 3), nn.Linear(4, 3)]
    models[1].load_state_dict(models[0].state_dict())
    plain, captured = (KINDS[kind](model.parameters()) for model in models)

    def step(model: nn.Module, optimizer: optim.Optimizer, x: Buffer) -> Buffer:
        loss = (model(Tensor(x)) ** 2).mean()
        loss.backward()
        optim.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        optimizer.zero_grad()
        return loss.data  # type: ignore[no-any-return]

    replayed = jit(lambda x: step(models[1], captured, x))
    for number in range(4):
        plain.lr = captured.lr = 0.1 / (number + 1)
        x = Buffer(draw(5, 4, seed=number).astype(np.float32))
        assert step(models[0], plain, x).item() == replayed(x).item()
    assert replayed.captures == 1
    for one, two in ((models[0], models[1]), (plain, captured)):
        states = one.state_dict(), two.state_dict()
        assert {name: b.tobytes() for name, b in states[0].items()} == {
            name: b.tobytes() for name, b in states[1].items()
        }


# -- state -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_goes_on_from_a_file_to_the_bit(kind: str, tmp_path: Path) -> None:
    x = leaf(3, 2)
    optimizer = KINDS[kind]([x])
    give(x, draw(3, 2, seed=1))
    optimizer.step()
    optimizer.lr = 0.05
    onebuf.save(tmp_path / "run.safetensors", optimizer.state_dict())
    y = Tensor(x.data.copy(), requires_grad=True)
    again = KINDS[kind]([y])
    again.load_state_dict(onebuf.open(tmp_path / "run.safetensors"))  # type: ignore[arg-type]
    for tensor, one in ((x, optimizer), (y, again)):
        give(tensor, draw(3, 2, seed=2))
        one.step()
    assert x.data.tobytes() == y.data.tobytes()


def test_the_state_of_another_kind_is_refused() -> None:
    adam, sgd = optim.Adam([leaf(2)]), optim.SGD([leaf(2)])
    with pytest.raises(ArgumentError, match=r"'0\.exp_avg\.0' is on one side only"):
        sgd.load_state_dict(adam.state_dict())
    with pytest.raises(ShapeError, match=r"0\.exp_avg\.0 needs shape \(2,\), got \(3,\)"):
        adam.load_state_dict(optim.Adam([leaf(3)]).state_dict())


# -- wrong use -------------------------------------------------------------------------------------


def test_wrong_parameters_are_named() -> None:
    x = leaf(2)
    with pytest.raises(ArgumentError, match="needs parameters, got none"):
        optim.SGD([])
    with pytest.raises(ArgumentError, match="got one twice"):
        optim.SGD([x, x])
    with pytest.raises(ArgumentTypeError, match="leaves that require a gradient, got Tensor"):
        optim.SGD([x * 2])
    with pytest.raises(ArgumentTypeError, match="got Buffer"):
        optim.SGD([Buffer([1.0])])
    with pytest.raises(ArgumentTypeError, match="dicts with 'params' alone, got Tensor"):
        optim.SGD([{"params": [x]}, leaf(2)])
    with pytest.raises(ArgumentTypeError, match="no setting 'decay'; there are lr, momentum"):
        optim.SGD([{"params": [x], "decay": 1.0}])


@pytest.mark.parametrize(
    "make",
    [
        lambda x: optim.SGD([x], lr=-1),
        lambda x: optim.SGD([x], momentum=-1),
        lambda x: optim.SGD([x], nesterov=True),
        lambda x: optim.Adam([x], betas=(0.9, 1.0)),
        lambda x: optim.AdamW([x], weight_decay=-1),
        lambda x: optim.Adam([x], eps=float("nan")),
    ],
)
def test_wrong_settings_are_refused(make: Any) -> None:
    with pytest.raises(ArgumentError):
        make(leaf(2))


def test_a_gradient_of_another_shape_is_refused_before_anything_changes() -> None:
    x, y = leaf(2), leaf(2)
    before = x.tolist()
    optimizer = optim.SGD([x, y])
    give(x, np.ones(2))
    give(y, np.ones(3))
    with pytest.raises(ShapeError, match=r"its parameter, \(2,\), got \(3,\)"):
        optimizer.step()
    assert x.tolist() == before
    assert optimizer.steps.item() == 0


def test_an_optimizer_says_what_it_does() -> None:
    x = leaf(1)
    optimizer = optim.Optimizer([x], lr=1.0)
    give(x, np.ones(1))
    with pytest.raises(NotImplementedError, match="needs a method update"):
        optimizer.step()
