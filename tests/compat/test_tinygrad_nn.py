"""tinygrad's layers, optimisers and files: numbers by NumPy, names and shapes by tinygrad."""

from __future__ import annotations

from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from onebuf.compat.tinygrad import Tensor, nn
from onebuf.compat.tinygrad.missing import NotCarried
from onebuf.compat.tinygrad.nn import optim, state


def _normal(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(len(shape)).normal(size=shape).astype("float32")


def _centred(x: Any, axes: Any, eps: float = 1e-5) -> Any:
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)


# -- layers ----------------------------------------------------------------------------------------


def test_linear_multiplies_by_the_transposed_weight() -> None:
    layer, x = nn.Linear(3, 4), _normal(2, 3)
    assert layer.bias is not None
    expected = x @ layer.weight.numpy().T + layer.bias.numpy()
    np.testing.assert_allclose(layer(Tensor(x)).numpy(), expected, rtol=1e-5)
    assert nn.Linear(3, 4, bias=False).bias is None


def test_linear_begins_within_the_bounds_of_its_inputs() -> None:
    weight = nn.Linear(100, 50).weight
    assert weight.shape == (50, 100)
    assert 0.095 < weight.abs().max().item() <= 0.1


def test_embedding_takes_rows() -> None:
    layer = nn.Embedding(5, 3)
    found = layer(Tensor([[1, 4], [0, 2]]))
    assert found.numpy().tolist() == layer.weight.numpy()[[[1, 4], [0, 2]]].tolist()
    with pytest.raises(TypeError, match="float"):
        layer(Tensor([1.0]))


def test_layer_norm_is_over_the_last_axes() -> None:
    x = _normal(2, 3, 4)
    found = nn.LayerNorm((3, 4))(Tensor(x)).numpy()
    np.testing.assert_allclose(found, _centred(x, (1, 2)), atol=1e-5)
    found = nn.LayerNorm(4, elementwise_affine=False)(Tensor(x)).numpy()
    np.testing.assert_allclose(found, _centred(x, 2), atol=1e-5)
    with pytest.raises(ValueError, match=r"\(5,\)"):
        nn.LayerNorm(5)(Tensor(x))


def test_layer_norm_of_images_is_over_channels() -> None:
    x = _normal(2, 3, 4, 5)
    found = nn.LayerNorm2d(3)(Tensor(x)).numpy()
    np.testing.assert_allclose(found, _centred(x, 1), atol=1e-5)


def test_rms_norm_has_a_mean_square_of_one() -> None:
    x = _normal(2, 3)
    expected = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6)
    np.testing.assert_allclose(nn.RMSNorm(3)(Tensor(x)).numpy(), expected, rtol=1e-5)


def test_group_norm_is_over_groups_of_channels() -> None:
    x = _normal(2, 4, 3)
    expected = _centred(x.reshape(2, 2, 6), 2).reshape(2, 4, 3)
    np.testing.assert_allclose(nn.GroupNorm(2, 4)(Tensor(x)).numpy(), expected, atol=1e-5)
    found = nn.InstanceNorm(4, affine=False)(Tensor(x)).numpy()
    np.testing.assert_allclose(found, _centred(x, 2), atol=1e-5)


def test_batch_norm_uses_the_batch_while_training() -> None:
    norm, x = nn.BatchNorm2d(3), _normal(2, 3, 4, 5)
    with Tensor.train():
        found = norm(Tensor(x)).numpy()
    np.testing.assert_allclose(found, _centred(x, (0, 2, 3)), atol=1e-5)
    unbiased = x.var((0, 2, 3), ddof=1)
    np.testing.assert_allclose(norm.running_mean.numpy(), 0.1 * x.mean((0, 2, 3)), atol=1e-6)
    np.testing.assert_allclose(norm.running_var.numpy(), 0.9 + 0.1 * unbiased, rtol=1e-5)
    assert norm.num_batches_tracked.item() == 1


def test_batch_norm_uses_running_means_after_training() -> None:
    norm, x = nn.BatchNorm(3), _normal(2, 3)
    norm.running_mean.assign([1.0, 2.0, 3.0])
    norm.running_var.assign([4.0, 4.0, 4.0])
    expected = (x - [1, 2, 3]) / np.sqrt(4 + 1e-5)
    np.testing.assert_allclose(norm(Tensor(x)).numpy(), expected, rtol=1e-5)
    assert norm.num_batches_tracked.item() == 0


def test_running_means_are_no_parameters() -> None:
    opt = optim.SGD(state.get_parameters(nn.BatchNorm(3)))
    assert (len(opt.params), len(opt.buffers)) == (2, 3)


def test_convolution_keeps_the_size_with_the_same_padding() -> None:
    x = Tensor(_normal(1, 2, 5, 6))
    for size, gap in ((2, 1), (3, 1), ((2, 3), 2)):
        assert nn.Conv2d(2, 3, size, padding="same", dilation=gap)(x).shape == (1, 3, 5, 6)
    with pytest.raises(ValueError, match="stride of 1"):
        nn.Conv2d(2, 3, 2, stride=2, padding="same")
    with pytest.raises(ValueError, match="'full'"):
        nn.Conv2d(2, 3, 2, padding="full")


def test_convolution_has_groups() -> None:
    layer, x = nn.Conv2d(2, 4, 1, groups=2, bias=False), _normal(1, 2, 3, 3)
    weight = layer.weight.numpy().reshape(2, 2, 1, 1)
    expected = (x.reshape(1, 2, 1, 3, 3) * weight).reshape(1, 4, 3, 3)
    np.testing.assert_allclose(layer(Tensor(x)).numpy(), expected, rtol=1e-5)


# -- optimisers ------------------------------------------------------------------------------------


def _sgd(w: Any, lr: float, momentum: float = 0.0, decay: float = 0.0, ahead: bool = False) -> Any:
    kept = np.zeros_like(w)
    for _ in range(4):
        gradient = 2 * w + decay * w
        kept = momentum * kept + gradient
        w = w - lr * (gradient + momentum * kept if ahead else kept)
    return w


def _adam(w: Any, lr: float, b1: float = 0.9, b2: float = 0.999, decay: float = 0.0) -> Any:
    mean, square = np.zeros_like(w), np.zeros_like(w)
    for step in range(1, 5):
        gradient = 2 * w
        mean = b1 * mean + (1 - b1) * gradient
        square = b2 * square + (1 - b2) * gradient**2
        up = mean / (1 - b1**step) / (np.sqrt(square / (1 - b2**step)) + 1e-8)
        w = w - lr * (up + decay * w)
    return w


@pytest.mark.parametrize(
    "make, expected",
    [
        (lambda p: optim.SGD(p, lr=0.1), lambda w: _sgd(w, 0.1)),
        (lambda p: optim.SGD(p, lr=0.1, momentum=0.9), lambda w: _sgd(w, 0.1, 0.9)),
        (
            lambda p: optim.SGD(p, 0.1, 0.9, weight_decay=0.2, nesterov=True),
            lambda w: _sgd(w, 0.1, 0.9, 0.2, True),
        ),
        (lambda p: optim.Adam(p, lr=0.1), lambda w: _adam(w, 0.1)),
        (lambda p: optim.Adam(p, lr=0.1, b1=0.8, b2=0.9), lambda w: _adam(w, 0.1, 0.8, 0.9)),
        (lambda p: optim.AdamW(p, lr=0.1), lambda w: _adam(w, 0.1, decay=0.01)),
        (
            lambda p: optim.AdamW(p, lr=0.1, weight_decay=0.3),
            lambda w: _adam(w, 0.1, decay=0.3),
        ),
    ],
)
def test_four_steps_of_an_optimiser_are_those_of_numpy(make: Any, expected: Any) -> None:
    w = Tensor([1.0, -2.0, 0.5])
    opt = make([w])
    with Tensor.train():
        for _ in range(4):
            opt.zero_grad()
            (w * w).sum().backward()
            opt.step()
    np.testing.assert_allclose(w.numpy(), expected(np.array([1.0, -2.0, 0.5])), rtol=1e-5)


def test_an_optimiser_makes_parameters_of_what_was_left_open() -> None:
    w, fixed = Tensor([1.0]), Tensor([1.0], requires_grad=False)
    opt = optim.SGD([w, fixed, w])
    assert (w.requires_grad, fixed.requires_grad) == (True, False)
    assert [one is w for one in opt.params] == [True]
    assert [one is fixed for one in opt.buffers] == [True]


def test_the_learning_rate_can_be_assigned() -> None:
    w = Tensor([1.0])
    opt = optim.SGD([w], lr=0.5)
    assert (opt.lr.shape, opt.lr.item()) == ((1,), 0.5)
    opt.lr.assign(Tensor([0.25]))
    with Tensor.train():
        (w * 1).sum().backward()
        opt.step()
    assert w.item() == 0.75
    opt.lr = 0.125
    assert opt.lr.item() == 0.125


def test_several_optimisers_are_one() -> None:
    v, w = Tensor([1.0]), Tensor([1.0])
    opt = optim.OptimizerGroup(optim.SGD([v], lr=0.5), optim.SGD([w], lr=0.25))
    with Tensor.train():
        (v + w).sum().backward()
        opt.step()
    assert (v.item(), w.item()) == (0.5, 0.75)
    opt.zero_grad()
    assert (v.grad, w.grad) == (None, None)
    assert opt[1].params[0] is w


def test_a_step_needs_training() -> None:
    w = Tensor([1.0])
    opt = optim.SGD([w])
    (w * 1).sum().backward()
    with pytest.raises(RuntimeError, match=r"Tensor\.train"):
        opt.step()


def test_a_step_needs_every_gradient() -> None:
    with Tensor.train(), pytest.raises(RuntimeError, match=r"shape \(1,\) has none"):
        optim.SGD([Tensor([1.0])]).step()


def test_an_optimiser_needs_a_parameter() -> None:
    with pytest.raises(ValueError, match="got none"):
        optim.Adam([])


def test_classic_momentum_is_not_carried() -> None:
    with pytest.raises(NotCarried, match="classic=False"):
        optim.SGD([Tensor([1.0])], momentum=0.9, classic=True)


# -- state -----------------------------------------------------------------------------------------


def test_tensors_are_found_in_attributes_and_containers() -> None:
    Pair = namedtuple("Pair", ["first", "second"])

    class Model:
        def __init__(self) -> None:
            self.layers = [nn.Linear(2, 3), Tensor.relu, nn.Linear(3, 1, bias=False)]
            self.by_name = {"scale": Tensor([1.0])}
            self.pair = Pair(Tensor([1.0]), 5)
            self.size = 3

    names = ["layers.0.weight", "layers.0.bias", "layers.2.weight", "by_name.scale", "pair.first"]
    assert list(state.get_state_dict(Model())) == names
    assert list(state.get_state_dict(nn.Linear(1, 1), "net.")) == ["net.weight", "net.bias"]


def test_a_state_goes_through_a_file(tmp_path: Path) -> None:
    one, two = nn.Linear(3, 2), nn.Linear(3, 2)
    path = tmp_path / "model.safetensors"
    state.safe_save(state.get_state_dict(one), path, metadata={"format": "test"})
    loaded = state.load_state_dict(two, state.safe_load(path), verbose=False)
    assert two.weight.tolist() == one.weight.tolist()
    assert [tensor.shape for tensor in loaded] == [(2, 3), (2,)]


def test_a_file_may_have_any_name(tmp_path: Path) -> None:
    path = str(tmp_path / "weights.bin")
    state.safe_save({"t": Tensor([1, 2, 3])}, path)
    assert state.safe_load(path)["t"].tolist() == [1, 2, 3]


def test_a_state_is_loaded_whole_or_not_at_all() -> None:
    layer = nn.Linear(2, 1)
    before = layer.weight.tolist()
    weight = Tensor([[5.0, 6.0]])
    with pytest.raises(ValueError, match="'bias' is missing"):
        state.load_state_dict(layer, {"weight": weight})
    with pytest.raises(ValueError, match=r"bias needs shape \(1,\)"):
        state.load_state_dict(layer, {"weight": weight, "bias": Tensor([1.0, 2.0])})
    assert layer.weight.tolist() == before
    state.load_state_dict(layer, {"weight": weight}, strict=False)
    assert layer.weight.tolist() == [[5.0, 6.0]]


def test_what_was_loaded_can_be_consumed() -> None:
    given = {"weight": Tensor([[5.0, 6.0]]), "other": Tensor([1.0])}
    state.load_state_dict(nn.Linear(2, 1, bias=False), given, consume=True)
    assert list(given) == ["other"]
