"""Layers, losses and a GPT next to torch's: values, gradients, names, and three steps of training.

A key's bias has no gradient: it adds the same to all scores of a query. What float32 computes for
it is noise, which Adam scales up, so the GPT is compared without biases in its attention.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf import nn, optim
from onebuf.capture.api import jit
from onebuf.nn import Tensor

torch = pytest.importorskip("torch", reason="torch is not installed")
pytestmark = pytest.mark.interop

F = torch.nn.functional
Array = np.ndarray[Any, Any]
CLASSES = np.array([1, 4, 0, 2, -100, 3])


def draw(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def compare(ours: Callable[..., Any], theirs: Callable[..., Any], *arrays: Array) -> None:
    """Values and gradients of two functions, with the same gradient of the result."""
    mine = [Tensor(array.copy(), requires_grad=True) for array in arrays]
    other = [torch.tensor(array, requires_grad=True) for array in arrays]
    one, two = ours(*mine), theirs(*other)
    np.testing.assert_allclose(one.numpy(), two.detach().numpy(), rtol=2e-5, atol=2e-6)
    seed = draw(*one.shape, seed=9)
    one.backward(seed)
    two.backward(torch.tensor(seed))
    for x, y in zip(mine, other, strict=True):
        assert x.grad is not None
        np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy(), rtol=1e-4, atol=1e-5)


ACTIVATIONS = {
    "relu": (nn.relu, F.relu),
    "silu": (nn.silu, F.silu),
    "gelu": (nn.gelu, F.gelu),
    "gelu tanh": (lambda x: nn.gelu(x, "tanh"), lambda x: F.gelu(x, approximate="tanh")),
    "sigmoid": (nn.sigmoid, torch.sigmoid),
    "softmax": (nn.softmax, lambda x: F.softmax(x, -1)),
    "log_softmax": (lambda x: nn.log_softmax(x, 0), lambda x: F.log_softmax(x, 0)),
    "layer_norm": (lambda x: nn.layer_norm(x, (4, 5)), lambda x: F.layer_norm(x, (4, 5))),
    "rms_norm": (lambda x: nn.rms_norm(x, 5), lambda x: F.rms_norm(x, (5,))),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_functions_are_torchs(name: str) -> None:
    compare(*ACTIVATIONS[name], draw(3, 4, 5))


@pytest.mark.parametrize("causal", [False, True])
def test_attention_is_torchs(causal: bool) -> None:
    compare(
        lambda q, k, v: nn.scaled_dot_product_attention(q, k, v, causal=causal),
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=causal),
        *[draw(2, 3, n, 8, seed=seed) for seed, n in enumerate((5, 7, 7))],
    )


def test_masked_attention_is_torchs() -> None:
    mask = draw(5, 7, seed=4) > -1
    compare(
        lambda q, k, v: nn.scaled_dot_product_attention(q, k, v, Tensor(mask)),
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, torch.tensor(mask)),
        *[draw(2, 3, n, 8, seed=seed) for seed, n in enumerate((5, 7, 7))],
    )


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_cross_entropy_is_torchs(reduction: str, smoothing: float) -> None:
    named: dict[str, Any] = {"reduction": reduction, "label_smoothing": smoothing}
    compare(
        lambda x: nn.cross_entropy(x, Tensor(CLASSES), **named),
        lambda x: F.cross_entropy(x, torch.tensor(CLASSES), **named),
        draw(6, 5),
    )


def test_cross_entropy_of_images_is_torchs() -> None:
    targets = np.random.default_rng(0).integers(0, 5, (2, 3, 4))
    compare(
        lambda x: nn.cross_entropy(x, Tensor(targets)),
        lambda x: F.cross_entropy(x, torch.tensor(targets)),
        draw(2, 5, 3, 4),
    )


@pytest.mark.parametrize(
    "name", ["mse_loss", "l1_loss", "huber_loss", "binary_cross_entropy_with_logits"]
)
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_losses_are_torchs(name: str, reduction: str) -> None:
    compare(
        lambda x, y: getattr(nn, name)(x, y, reduction=reduction),
        lambda x, y: getattr(F, name)(x, y, reduction=reduction),
        draw(3, 4) * 2,
        draw(3, 4, seed=1),
    )


@pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel lengths:UserWarning")
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"stride": (2, 1), "padding": 1},
        {"dilation": 2, "padding": (2, 3)},
        {"groups": 2, "stride": 2},
        {"padding": "same"},
    ],
)
def test_convolutions_are_torchs(settings: dict[str, Any]) -> None:
    compare(
        lambda x, w, b: nn.conv2d(x, w, b, **settings),
        lambda x, w, b: F.conv2d(x, w, b, **settings),
        draw(2, 4, 9, 8),
        draw(6, 4 // settings.get("groups", 1), 3, 2, seed=1),
        draw(6, seed=2),
    )


LAYERS = {
    "Linear": (lambda: nn.Linear(4, 6), lambda: torch.nn.Linear(4, 6)),
    "LayerNorm": (lambda: nn.LayerNorm(4), lambda: torch.nn.LayerNorm(4)),
    "RMSNorm": (lambda: nn.RMSNorm(4), lambda: torch.nn.RMSNorm(4)),
    "Sequential": (
        lambda: nn.Sequential(nn.Linear(4, 8, bias=False), nn.SiLU(), nn.Linear(8, 2)),
        lambda: torch.nn.Sequential(
            torch.nn.Linear(4, 8, bias=False), torch.nn.SiLU(), torch.nn.Linear(8, 2)
        ),
    ),
    "Conv2d": (
        lambda: nn.Conv2d(3, 4, (2, 1), groups=1),
        lambda: torch.nn.Conv2d(3, 4, (2, 1), groups=1),
    ),
}


@pytest.mark.parametrize("name", LAYERS)
def test_state_dicts_of_torch_load_by_name(name: str) -> None:
    ours, theirs = (make() for make in LAYERS[name])
    ours.load_state_dict({key: value.numpy() for key, value in theirs.state_dict().items()})
    x = draw(2, 3, 5, 4)
    wanted = theirs(torch.tensor(x)).detach().numpy()
    np.testing.assert_allclose(ours(Tensor(x)).numpy(), wanted, rtol=1e-5, atol=1e-6)


def test_tensors_of_torch_load_as_they_are() -> None:
    theirs = torch.nn.Linear(4, 6)
    ours = nn.Linear(4, 6)
    ours.load_state_dict({name: value.detach() for name, value in theirs.state_dict().items()})
    assert ours.weight.tolist() == theirs.weight.tolist()


def test_attention_between_sequences_is_torchs() -> None:
    theirs = torch.nn.MultiheadAttention(8, 2, batch_first=True)
    ours = nn.MultiHeadAttention(8, 2)
    ours.load_state_dict({key: value.numpy() for key, value in theirs.state_dict().items()})
    compare(
        lambda q, k, v: ours(q, k, v),
        lambda q, k, v: theirs(q, k, v, need_weights=False)[0],
        *[draw(2, n, 8, seed=seed) for seed, n in enumerate((5, 7, 7))],
    )


@pytest.mark.parametrize("name", LAYERS)
def test_initial_values_spread_as_torchs_do(name: str) -> None:
    onebuf.random.seed(0)
    ours, theirs = ([make() for _ in range(100)] for make in LAYERS[name])
    for key in ours[0].state_dict():
        one = np.stack([model.state_dict()[key].to_numpy() for model in ours])
        two = np.stack([model.state_dict()[key].numpy() for model in theirs])
        assert one.std() == pytest.approx(two.std(), rel=0.15, abs=1e-7)
        assert abs(one).max() == pytest.approx(abs(two).max(), rel=0.1)


def test_narrow_products_are_near_torchs() -> None:
    theirs, ours = torch.nn.Linear(64, 32), nn.Linear(64, 32)
    ours.load_state_dict({key: value.numpy() for key, value in theirs.state_dict().items()})
    x = draw(8, 64)
    with torch.autocast("cpu", torch.bfloat16):
        wanted = theirs(torch.tensor(x))
    with nn.autocast("bfloat16"):
        found = ours(Tensor(x))
    found.astype("float32").sum().backward()
    wanted.float().sum().backward()
    assert found.dtype.name == "bfloat16"
    np.testing.assert_allclose(
        found.astype("float32").numpy(), wanted.float().detach().numpy(), rtol=1e-2, atol=1e-2
    )
    assert ours.weight.grad is not None
    assert ours.weight.grad.dtype == np.float32
    np.testing.assert_allclose(
        ours.weight.grad.numpy(), theirs.weight.grad.numpy(), rtol=2e-2, atol=2e-2
    )


# -- a GPT -----------------------------------------------------------------------------------------

VOCABULARY, LENGTH, WIDTH, HEADS, DEPTH = 17, 8, 16, 2, 2


class Block(nn.Module):
    def __init__(self) -> None:
        self.ln_1 = nn.LayerNorm(WIDTH)
        self.attn = nn.CausalSelfAttention(WIDTH, HEADS, bias=False)
        self.ln_2 = nn.LayerNorm(WIDTH)
        self.mlp = nn.MLP(WIDTH)

    def forward(self, x: Any) -> Any:
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class Gpt(nn.Module):
    def __init__(self) -> None:
        self.wte = nn.Embedding(VOCABULARY, WIDTH)
        self.wpe = nn.Embedding(LENGTH, WIDTH)
        self.h = nn.ModuleList([Block() for _ in range(DEPTH)])
        self.ln_f = nn.LayerNorm(WIDTH)
        self.lm_head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens: Any, places: Any) -> Any:
        x = self.wte(tokens) + self.wpe(places)
        for block in self.h:
            x = block(x)
        return self.lm_head(self.ln_f(x))


class TorchAttention(torch.nn.Module):  # type: ignore[misc, name-defined]
    def __init__(self) -> None:
        super().__init__()
        self.c_attn = torch.nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.c_proj = torch.nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, x: Any) -> Any:
        parts = self.c_attn(x).split(WIDTH, -1)
        q, k, v = (p.reshape(*p.shape[:2], HEADS, -1).transpose(1, 2) for p in parts)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(mixed.transpose(1, 2).reshape(x.shape))


class TorchMlp(torch.nn.Module):  # type: ignore[misc, name-defined]
    def __init__(self) -> None:
        super().__init__()
        self.c_fc = torch.nn.Linear(WIDTH, 4 * WIDTH)
        self.c_proj = torch.nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x: Any) -> Any:
        return self.c_proj(F.gelu(self.c_fc(x)))


class TorchBlock(torch.nn.Module):  # type: ignore[misc, name-defined]
    def __init__(self) -> None:
        super().__init__()
        self.ln_1, self.ln_2 = torch.nn.LayerNorm(WIDTH), torch.nn.LayerNorm(WIDTH)
        self.attn, self.mlp = TorchAttention(), TorchMlp()

    def forward(self, x: Any) -> Any:
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class TorchGpt(torch.nn.Module):  # type: ignore[misc, name-defined]
    def __init__(self) -> None:
        super().__init__()
        self.wte = torch.nn.Embedding(VOCABULARY, WIDTH)
        self.wpe = torch.nn.Embedding(LENGTH, WIDTH)
        self.h = torch.nn.ModuleList([TorchBlock() for _ in range(DEPTH)])
        self.ln_f = torch.nn.LayerNorm(WIDTH)
        self.lm_head = torch.nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens: Any) -> Any:
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1]))
        for block in self.h:
            x = block(x)
        return self.lm_head(self.ln_f(x))


@pytest.mark.parametrize("way", ["eager", "jit", "TORCH"])
def test_three_steps_of_training_a_gpt_are_torchs(way: str) -> None:
    torch.manual_seed(0)
    theirs, ours = TorchGpt(), Gpt()
    ours.load_state_dict({name: value.numpy() for name, value in theirs.state_dict().items()})
    device = "TORCH" if way == "TORCH" else "CPU"
    ours.to(device)
    torch_optimizer = torch.optim.AdamW(theirs.parameters(), lr=1e-3)
    optimizer = optim.AdamW(ours.parameters(), lr=1e-3)
    places = onebuf.arange(LENGTH).to_device(device)

    def step(tokens: Any, targets: Any) -> Any:
        logits = ours(tokens, places).reshape(-1, VOCABULARY)
        loss = nn.cross_entropy(logits, targets.reshape(-1))
        loss.backward()
        optim.clip_grad_norm_(ours.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        return loss.data

    run = jit(step) if way == "jit" else step
    for number in range(3):
        tokens = np.random.default_rng(number).integers(0, VOCABULARY, (3, LENGTH + 1))
        logits = theirs(torch.tensor(tokens[:, :-1])).reshape(-1, VOCABULARY)
        wanted = F.cross_entropy(logits, torch.tensor(tokens[:, 1:].copy()).reshape(-1))
        torch_optimizer.zero_grad()
        wanted.backward()
        torch.nn.utils.clip_grad_norm_(theirs.parameters(), 1.0)
        torch_optimizer.step()
        given = [onebuf.asarray(part.copy()) for part in (tokens[:, :-1], tokens[:, 1:])]
        found = run(*[part.to_device(device) for part in given])
        assert found.item() == pytest.approx(wanted.item(), abs=1e-5)
    state = ours.state_dict()
    for name, value in theirs.state_dict().items():
        mine = state[name].to_device("CPU").to_numpy()
        np.testing.assert_allclose(mine, value.numpy(), atol=1e-5, err_msg=name)
