"""TinyJit: functions of tinygrad's tensors, captured and replayed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onebuf.compat.tinygrad import Tensor, TinyJit, nn
from onebuf.compat.tinygrad.engine import jit as engine_jit


def test_a_function_gives_the_same_captured_and_not() -> None:
    def formula(x: Tensor, y: Tensor) -> Tensor:
        return ((x + y) * x.relu()).sum(0).realize()

    jitted = TinyJit(formula)
    for number in range(4):
        x, y = Tensor([[1.0, -2.0], [number, 3.0]]), Tensor([1.0, number])
        assert jitted(x, y).tolist() == formula(x, y).tolist()


def test_calls_are_counted_and_one_is_captured() -> None:
    @TinyJit
    def double(x: Tensor) -> Tensor:
        return (x * 2).realize()

    assert (double.cnt, double.captured) == (0, None)
    for _ in range(3):
        double(Tensor([1.0]))
    assert double.cnt == 3
    assert (double.captured.captures, double.captured.replays) == (1, 2)
    assert double.fxn.__name__ == double.__name__ == "double"


def test_reset_forgets_what_was_captured() -> None:
    @TinyJit
    def double(x: Tensor) -> Tensor:
        return x * 2

    double(Tensor([1.0]))
    double.reset()
    assert (double.cnt, double.captured) == (0, None)
    assert double(Tensor([3.0])).tolist() == [6.0]


def test_the_decorator_takes_options() -> None:
    @TinyJit(prune=True)
    def double(x: Tensor) -> Tensor:
        return x * 2

    assert isinstance(double, TinyJit)
    assert double.prune
    assert double(Tensor([3.0])).tolist() == [6.0]


def test_the_module_has_tinygrad_s_path() -> None:
    assert engine_jit.TinyJit is TinyJit


def test_a_method_is_captured_for_each_instance() -> None:
    class Scale:
        def __init__(self, by: float) -> None:
            self.by = Tensor([by])

        @TinyJit
        def forward(self, x: Tensor) -> Tensor:
            return x * self.by

    two, three = Scale(2.0), Scale(3.0)
    for _ in range(2):
        assert two.forward(Tensor([5.0])).tolist() == [10.0]
        assert three.forward(Tensor([5.0])).tolist() == [15.0]


def test_a_bound_method_is_captured() -> None:
    layer = nn.Linear(2, 2, bias=False)
    forward = TinyJit(layer.__call__)
    x = Tensor([[1.0, 2.0]])
    for _ in range(3):
        np.testing.assert_allclose(forward(x).numpy(), layer(x).numpy(), rtol=1e-6)
    assert forward.captured.replays == 2


def test_results_of_earlier_calls_stay() -> None:
    @TinyJit
    def double(x: Tensor) -> Tensor:
        return (x * 2).realize()

    found = [double(Tensor([float(n)])) for n in range(4)]
    assert [one.item() for one in found] == [0.0, 2.0, 4.0, 6.0]


def test_other_shapes_and_numbers_are_captured_anew() -> None:
    @TinyJit
    def scaled(x: Tensor, by: float) -> Tensor:
        return x * by

    assert scaled(Tensor([1.0]), 2.0).tolist() == [2.0]
    assert scaled(Tensor([1.0, 2.0]), 2.0).tolist() == [2.0, 4.0]
    assert scaled(Tensor([1.0]), by=3.0).tolist() == [3.0]


def test_containers_of_tensors_come_and_go() -> None:
    @TinyJit
    def parts(state: dict[str, Tensor]) -> tuple[Tensor, list[Tensor]]:
        return state["a"] + 1, [state["b"] * 2]

    for n in (1.0, 2.0):
        one, (two,) = parts({"a": Tensor([n]), "b": Tensor([n])})
        assert (one.item(), two.item()) == (n + 1, n * 2)
        assert isinstance(two, Tensor)


def test_writes_are_part_of_a_capture() -> None:
    total = Tensor([0.0, 0.0]).realize()

    @TinyJit
    def add(x: Tensor) -> Tensor:
        total.assign(total + x)
        return total.sum()

    assert [add(Tensor([n, 1.0])).item() for n in (1.0, 2.0, 3.0)] == [2.0, 5.0, 9.0]
    assert total.tolist() == [6.0, 3.0]


def test_functions_can_be_nested() -> None:
    @TinyJit
    def inner(x: Tensor) -> Tensor:
        return x + 1

    @TinyJit
    def outer(x: Tensor) -> Tensor:
        return inner(x) * 2

    assert [outer(Tensor([n])).item() for n in (1.0, 2.0)] == [4.0, 6.0]


def test_training_is_noticed() -> None:
    x = Tensor.ones(200)

    @TinyJit
    def dropped(x: Tensor) -> Tensor:
        return x.dropout(0.5)

    assert set(dropped(x).tolist()) == {1.0}
    with Tensor.train():
        assert set(dropped(x).tolist()) == {0.0, 2.0}
    assert set(dropped(x).tolist()) == {1.0}


def test_random_numbers_differ_from_call_to_call() -> None:
    @TinyJit
    def draw(x: Tensor) -> Tensor:
        return x + Tensor.rand(8)

    found = [draw(Tensor([0.0])).tolist() for _ in range(3)]
    assert found[0] != found[1] != found[2] != found[0]


def test_tensors_are_made_inside_of_a_capture() -> None:
    @TinyJit
    def chosen(x: Tensor, places: Tensor) -> Tensor:
        return x + Tensor.arange(3) * Tensor.eye(3)[1] + places.one_hot(3).sum(0) + Tensor.zeros(3)

    for n in (1.0, 2.0):
        found = chosen(Tensor([n]), Tensor([0, 2]))
        assert found.tolist() == [n + 1, n + 1, n + 1]


class Net:
    def __init__(self) -> None:
        self.l1 = nn.Linear(2, 16)
        self.l2 = nn.Linear(16, 2)

    def __call__(self, x: Tensor) -> Tensor:
        return self.l2(self.l1(x).relu())


def _toy(seed: int = 0) -> tuple[Any, Any, dict[str, Any]]:
    draw = np.random.default_rng(seed)
    x = draw.normal(size=(64, 2)).astype("float32")
    shapes = {"l1.weight": (16, 2), "l1.bias": (16,), "l2.weight": (2, 16), "l2.bias": (2,)}
    state = {name: draw.normal(size=n).astype("float32") * 0.5 for name, n in shapes.items()}
    return x, (x[:, 0] * x[:, 1] > 0).astype("int32"), state


RECORDED = [
    *(0.63953, 0.68265, 0.64374, 0.48581, 0.55598, 0.42229, 0.45835, 0.36856, 0.38224, 0.33818),
    *(0.33072, 0.31816, 0.28830, 0.28345, 0.25770, 0.24296, 0.23706, 0.20662, 0.21703, 0.18094),
]
"""Losses of the program below in tinygrad 0.10.2."""


@pytest.mark.parametrize("decorator", [TinyJit, lambda function: function])
def test_a_training_program_of_tinygrad_runs_with_other_imports(decorator: Any) -> None:
    inputs, targets, state = _toy()
    model = Net()
    nn.state.load_state_dict(model, {name: Tensor(value) for name, value in state.items()})
    opt = nn.optim.Adam(nn.state.get_parameters(model), lr=0.05)

    @decorator
    @Tensor.train()
    def step(x: Tensor, y: Tensor) -> Tensor:
        opt.zero_grad()
        loss = model(x).sparse_categorical_crossentropy(y).backward()
        opt.step()
        return loss.realize()

    losses = []
    for number in range(20):
        rows = slice(32 * (number % 2), 32 * (number % 2) + 32)
        losses.append(step(Tensor(inputs[rows]), Tensor(targets[rows])).item())
    np.testing.assert_allclose(losses, RECORDED, atol=2e-5)
    if decorator is TinyJit:
        assert (step.captured.captures, step.captured.replays) == (1, 19)
    accuracy = (model(Tensor(inputs)).argmax(axis=1) == Tensor(targets)).mean().item()
    assert accuracy == pytest.approx(0.9375)


def test_a_convolutional_program_of_tinygrad_trains() -> None:
    class Images:
        def __init__(self) -> None:
            self.layers: list[Any] = [
                nn.Conv2d(1, 4, 3),
                Tensor.relu,
                nn.BatchNorm(4),
                Tensor.max_pool2d,
                lambda x: x.flatten(1),
                nn.Linear(36, 2),
            ]

        def __call__(self, x: Tensor) -> Tensor:
            return x.sequential(self.layers)

    Tensor.manual_seed(2)
    images = Tensor.rand(16, 1, 8, 8).realize()
    labels = (images.mean((1, 2, 3)) > 0.5).cast("int").realize()
    model = Images()
    opt = nn.optim.SGD(nn.state.get_parameters(model), lr=0.1, momentum=0.9)

    @TinyJit
    @Tensor.train()
    def step() -> Tensor:
        opt.zero_grad()
        loss = model(images).sparse_categorical_crossentropy(labels).backward()
        opt.step()
        return loss

    losses = [step().item() for _ in range(25)]
    assert step.captured.captures == 1
    assert losses[-1] < 0.3 * losses[0]
    assert model.layers[2].num_batches_tracked.item() == 25
