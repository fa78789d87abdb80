"""The GPT of examples/gpt.py next to one of torch's, written with functions of its state dict.

A key's bias has no gradient: it adds the same to all scores of a query. What float32 computes for
it is noise, about 1e-9, and Adam scales gradients up that are larger than its ``eps``. So that the
bias can be compared with all others, ``eps`` is above that noise here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gpt_example import SMALL, example, small_model

import onebuf
from onebuf import nn, optim

torch = pytest.importorskip("torch", reason="torch is not installed")
pytestmark = pytest.mark.interop

gpt = example()
F = torch.nn.functional
ADAM = {"lr": 1e-3, "betas": (0.9, 0.99), "eps": 1e-6, "weight_decay": 0.1}
STEPS = 3


def torch_logits(
    state: dict[str, Any], tokens: Any, heads: int = 2, is_conv1d: bool = False
) -> Any:
    """GPT-2 by its formulas; ``is_conv1d``: weights are (in, out), as in its files."""

    def linear(x: Any, name: str) -> Any:
        weight = state[f"{name}.weight"]
        return x @ (weight if is_conv1d else weight.T) + state[f"{name}.bias"]

    def norm(x: Any, name: str) -> Any:
        return F.layer_norm(x, x.shape[-1:], state[f"{name}.weight"], state[f"{name}.bias"])

    batch, length = tokens.shape
    x = state["wte.weight"][tokens] + state["wpe.weight"][:length]
    for number in range(sum(name.endswith("ln_1.bias") for name in state)):
        block = f"h.{number}"
        parts = linear(norm(x, f"{block}.ln_1"), f"{block}.attn.c_attn").chunk(3, -1)
        q, k, v = (part.reshape(batch, length, heads, -1).transpose(1, 2) for part in parts)
        found = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + linear(found.transpose(1, 2).reshape(x.shape), f"{block}.attn.c_proj")
        wide = F.gelu(linear(norm(x, f"{block}.ln_2"), f"{block}.mlp.c_fc"), approximate="tanh")
        x = x + linear(wide, f"{block}.mlp.c_proj")
    return norm(x, "ln_f") @ state["wte.weight"].T


def batches() -> list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
    rng = np.random.default_rng(0)
    shape = (4, SMALL["length"])
    return [(rng.integers(0, 17, shape), rng.integers(0, 17, shape)) for _ in range(STEPS)]


@pytest.fixture(scope="module")
def trained_by_torch() -> tuple[dict[str, Any], list[float]]:
    """The weights after the steps, and the losses before them."""
    state = {
        name: torch.tensor(np.asarray(buffer)).requires_grad_()
        for name, buffer in small_model().state_dict().items()
    }
    optimizer = torch.optim.AdamW(state.values(), **ADAM)
    losses = []
    for inputs, targets in batches():
        logits = torch_logits(state, torch.tensor(inputs))
        loss = F.cross_entropy(logits.reshape(-1, 17), torch.tensor(targets).reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(state.values(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return state, losses


@pytest.mark.parametrize(
    "device, is_captured", [("CPU", False), ("CPU", True), ("OPENCL", True), ("TORCH", True)]
)
def test_three_steps_of_training_are_torchs(
    trained_by_torch: tuple[dict[str, Any], list[float]], device: str, is_captured: bool
) -> None:
    model = small_model().to(device)
    step = gpt.training_step(model, optim.AdamW(model.parameters(), **ADAM))
    losses = []
    for pair in batches():
        inputs, targets = (onebuf.asarray(part, device=device) for part in pair)
        losses.append((step if is_captured else step.__wrapped__)(inputs, targets).item())
    state, expected = trained_by_torch
    assert step.captures == is_captured
    np.testing.assert_allclose(losses, expected, rtol=1e-5)
    assert list(model.state_dict()) == list(state)
    for name, buffer in model.state_dict().items():
        np.testing.assert_allclose(
            np.asarray(buffer.to_device("CPU")),
            state[name].detach().numpy(),
            rtol=0,
            atol=1e-5,
            err_msg=name,
        )


def test_every_weight_was_trained(
    trained_by_torch: tuple[dict[str, Any], list[float]],
) -> None:
    width = SMALL["width"]
    for name, buffer in small_model().state_dict().items():
        apart = np.abs(np.asarray(buffer) - trained_by_torch[0][name].detach().numpy())
        if name.endswith("c_attn.bias"):
            apart = np.delete(apart, slice(width, 2 * width))  # of the keys
        assert apart.max() > 1e-3, name


def test_logits_of_a_gpt2_file_are_torchs(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    rng = np.random.default_rng(1)
    state = {}
    for name, buffer in small_model().state_dict().items():
        shape = buffer.shape[::-1] if name.endswith(gpt.TRANSPOSED) else buffer.shape
        state[name] = rng.normal(0.0, 0.2, shape).astype("float32")
    onebuf.save(path, state)
    tokens = rng.integers(0, 17, (2, 11))
    with nn.no_grad():
        found = gpt.load_gpt2(path, heads=2)(onebuf.asarray(tokens)).numpy()
    named = {name: torch.tensor(array) for name, array in state.items()}
    expected = torch_logits(named, torch.tensor(tokens), is_conv1d=True)
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-4, atol=1e-5)
