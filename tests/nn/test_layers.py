"""Layers: initial values, shapes and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tensor_differences import check_gradients, draw

import onebuf
from onebuf import Buffer, nn
from onebuf.errors import ArgumentError, ShapeError
from onebuf.nn import Tensor


@pytest.fixture(autouse=True)
def _seeded() -> None:
    onebuf.random.seed(1)


def test_a_linear_layer_starts_evenly_within_its_bound() -> None:
    layer = nn.Linear(100, 300)
    for tensor in (layer.weight, layer.bias):
        assert tensor is not None
        values = tensor.numpy()
        assert abs(values).max() <= 0.1
        assert values.std() == pytest.approx(0.1 / np.sqrt(3), rel=0.1)
    assert nn.Linear(2, 3, bias=False).bias is None


def test_an_embedding_starts_normal() -> None:
    values = nn.Embedding(200, 50).weight.numpy()
    assert values.std() == pytest.approx(1, rel=0.05)
    assert values.mean() == pytest.approx(0, abs=0.05)


def test_a_convolution_starts_evenly_within_its_bound() -> None:
    layer = nn.Conv2d(4, 8, 5, groups=2)
    assert abs(layer.weight.numpy()).max() <= 1 / np.sqrt(2 * 25)
    assert layer.weight.shape == (8, 2, 5, 5)


def test_norms_start_with_ones_and_zeros() -> None:
    layer = nn.LayerNorm((2, 3))
    assert layer.weight is not None
    assert layer.weight.tolist() == np.ones((2, 3)).tolist()
    assert nn.LayerNorm(3, bias=False).bias is None
    assert list(nn.RMSNorm(3, elementwise_affine=False).parameters()) == []


def test_parameters_are_in_memory_from_the_start() -> None:
    assert nn.Linear(500, 500).weight.data.is_realized


def test_gradients_of_layers_are_finite_differences() -> None:
    x, weight, bias = draw(2, 3, 4), draw(5, 4, seed=1), draw(5, seed=2)
    check_gradients(nn.linear, x, weight, bias)
    check_gradients(nn.linear, draw(4), weight)
    check_gradients(lambda a, w, b: nn.layer_norm(a, 4, w, b), x, draw(4), draw(4, seed=3))
    check_gradients(lambda a: nn.layer_norm(a, (3, 4)), x)
    check_gradients(lambda a, w: nn.rms_norm(a, 4, w), x, draw(4))
    check_gradients(lambda w: nn.embedding(Tensor([[0, 4], [4, 1]]), w), weight)


def test_norms_can_be_differentiated_twice() -> None:
    x, step = draw(5), 1e-5
    slope = onebuf.grad(lambda x: (nn.layer_norm(x, 5) ** 3 + nn.rms_norm(x, 5) ** 2).sum())
    weights = draw(5, seed=1)
    found = onebuf.grad(lambda x: (slope(x) * Buffer(weights)).sum())(Buffer(x))
    for place in range(5):
        apart = np.eye(5)[place] * step
        above, below = (np.array(slope(Buffer(x + sign * apart))) for sign in (1, -1))
        wanted = ((above - below) * weights).sum() / (2 * step)
        assert found[place].item() == pytest.approx(wanted, rel=1e-5, abs=1e-7)


def test_each_function_is_one_recorded_operation() -> None:
    x = Tensor(draw(2, 4).astype(np.float32), requires_grad=True)
    for layer in (nn.Linear(4, 3), nn.LayerNorm(4), nn.RMSNorm(4), nn.GELU(), nn.SiLU()):
        y = layer(x)
        assert x in y._source[0].edges


def test_wrong_widths_are_named() -> None:
    with pytest.raises(ShapeError, match=r"weight of shape \(3, 4\).*got \(2, 5\)"):
        nn.Linear(4, 3)(Tensor.ones((2, 5)))
    with pytest.raises(ShapeError, match=r"ends with \(4,\), got \(2, 5\)"):
        nn.LayerNorm(4)(Tensor.ones((2, 5)))


def test_narrow_elements_are_normalised_in_float32() -> None:
    x = Tensor(draw(3, 64).astype(np.float32)).astype("bfloat16")
    layer = nn.LayerNorm(64)
    wide = layer(x.astype("float32")).astype("bfloat16")
    assert layer(x).tolist() == wide.tolist()


def test_layers_follow_one_another() -> None:
    model = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.MLP(8, 16), nn.SiLU(), nn.GELU("tanh"))
    assert model(Tensor.ones((3, 2))).shape == (3, 8)


# -- dropout ---------------------------------------------------------------------------------------


def test_dropout_keeps_the_mean_and_drops_the_share() -> None:
    y = nn.Dropout(0.25)(Tensor.ones((100, 100))).numpy()
    assert (y == 0).mean() == pytest.approx(0.25, abs=0.02)
    assert set(np.unique(y).tolist()) == {0.0, np.float32(1 / 0.75).item()}


def test_dropout_does_nothing_after_eval() -> None:
    x = Tensor.ones((4,))
    assert nn.Dropout(0.5).eval()(x) is x
    assert nn.dropout(x, 0.0) is x
    assert nn.dropout(x, 1.0).tolist() == [0.0] * 4


def test_dropout_is_reproducible_from_a_seed() -> None:
    drawn = []
    for _ in range(2):
        onebuf.random.seed(5)
        drawn.append(nn.dropout(Tensor.ones((50,))).tolist())
    assert drawn[0] == drawn[1]


def test_the_gradient_goes_through_what_was_kept() -> None:
    x = Tensor.ones((100,), requires_grad=True)
    y = nn.dropout(x, 0.5)
    y.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == y.tolist()


@pytest.mark.parametrize("p", [-0.1, 1.5])
def test_a_chance_is_between_zero_and_one(p: float) -> None:
    with pytest.raises(ArgumentError, match=f"p={p}"):
        nn.Dropout(p)
    with pytest.raises(ArgumentError, match=f"p={p}"):
        nn.dropout(Tensor([1.0]), p)


# -- convolution -----------------------------------------------------------------------------------


CONVOLUTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "stride": {"stride": 2},
    "padding": {"padding": (1, 0)},
    "dilation": {"dilation": (1, 2), "padding": 1},
    "groups": {"groups": 2},
    "same": {"padding": "same"},
    "valid": {"padding": "valid"},
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_gradients_of_convolutions_are_finite_differences(name: str) -> None:
    settings = CONVOLUTIONS[name]
    weight = draw(2, 2 // settings.get("groups", 1), 2, 3, seed=1)
    check_gradients(
        lambda x, w, b: nn.conv2d(x, w, b, **settings), draw(1, 2, 4, 5), weight, draw(2)
    )


def test_an_uneven_border_has_its_larger_part_at_the_end() -> None:
    found = nn.conv2d(Tensor.ones((1, 1, 1, 3)), Tensor.ones((1, 1, 1, 2)), padding="same")
    assert found.tolist() == [[[[2.0, 2.0, 1.0]]]]


def test_wrong_convolutions_are_named() -> None:
    x, weight = Tensor.ones((1, 3, 4, 4)), Tensor.ones((2, 3, 3, 3))
    with pytest.raises(ShapeError, match="needs 6 channels"):
        nn.conv2d(x, weight, groups=2)
    with pytest.raises(ShapeError, match=r"got \(3, 4, 4\)"):
        nn.conv2d(x[0], weight)
    with pytest.raises(ShapeError, match="at least 5 x 5 with its padding, got 4 x 4"):
        nn.conv2d(x, weight, dilation=2)
    with pytest.raises(ArgumentError, match="stride of 1"):
        nn.conv2d(x, weight, stride=2, padding="same")
    with pytest.raises(ArgumentError, match="got 'full'"):
        nn.conv2d(x, weight, padding="full")
    with pytest.raises(ArgumentError, match="share evenly"):
        nn.Conv2d(3, 4, 3, groups=2)
