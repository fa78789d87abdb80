"""The GPT of benchmarks/gpt.py in each library: what it computes, and what it needs to start.

A model is made in the process that measures it, because importing a library belongs to the figures
of memory. All have the same weights, and the same tokens.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, Protocol

import numpy as np

TOKENS, BATCH, LENGTH, LAYERS, WIDTH, HEADS = 65, 8, 128, 4, 256, 4
CONTEXT = 64
"""Positions that are in the cache when a token is decoded."""
BURST = 16
"""Tokens that are decoded one after the other."""


class Model(Protocol):
    """What is measured. Functions return when their result is in memory."""

    def forward(self) -> float:
        """The loss of a batch."""

    def step(self) -> float:
        """The loss of a batch, and one step of training."""

    def rewind(self) -> None:
        """Let the next token be the first after the context."""

    def decode(self) -> None:
        """One more token, whose keys and values are kept."""


def batch() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Inputs and targets."""
    rng = np.random.default_rng(1)
    windows = rng.integers(0, TOKENS, (BATCH, LENGTH + 1))
    return windows[:, :-1].copy(), windows[:, 1:].copy()


def weights() -> dict[str, np.ndarray[Any, Any]]:
    """Random weights by GPT-2's names; those of linear layers are (out, in)."""
    rng = np.random.default_rng(0)
    shapes: dict[str, tuple[int, ...]] = {"wte.weight": (TOKENS, WIDTH)}
    shapes["wpe.weight"] = (LENGTH, WIDTH)
    for n in range(LAYERS):
        for name, rows, columns in (
            ("attn.c_attn", 3 * WIDTH, WIDTH),
            ("attn.c_proj", WIDTH, WIDTH),
            ("mlp.c_fc", 4 * WIDTH, WIDTH),
            ("mlp.c_proj", WIDTH, 4 * WIDTH),
        ):
            shapes[f"h.{n}.{name}.weight"] = (rows, columns)
            shapes[f"h.{n}.{name}.bias"] = (rows,)
        for name in ("ln_1", "ln_2"):
            shapes |= {f"h.{n}.{name}.weight": (WIDTH,), f"h.{n}.{name}.bias": (WIDTH,)}
    shapes |= {"ln_f.weight": (WIDTH,), "ln_f.bias": (WIDTH,)}
    found = {}
    for name, shape in shapes.items():
        noise = rng.normal(0.0, 0.02, shape).astype("float32")
        found[name] = noise + 1 if "ln_" in name and name.endswith("weight") else noise
    return found


def example() -> Any:
    """The module of examples/gpt.py."""
    path = Path(__file__).parents[1] / "examples" / "gpt.py"
    sys.path.append(str(path.parent))
    spec = spec_from_file_location("gpt_example_program", path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["gpt_example_program"] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Onebuf:
    """The model of examples/gpt.py, captured."""

    def __init__(self, threads: int) -> None:
        import onebuf
        from onebuf import nn, optim

        self.onebuf = onebuf
        self.settings: AbstractContextManager[Any] = onebuf.config(threads=threads)
        self.settings.__enter__()
        gpt = example()
        model = gpt.GPT(gpt.Sizes(TOKENS, LENGTH, LAYERS, WIDTH, HEADS))
        model.load_state_dict(weights())
        self.pair = [onebuf.asarray(part) for part in batch()]
        self.train = gpt.training_step(model, optim.AdamW(model.parameters(), 1e-3))
        self.caches = caches = model.new_caches()
        self.token = onebuf.asarray([[1]])

        @onebuf.jit
        def loss(inputs: Any, targets: Any) -> Any:
            with nn.no_grad():
                return gpt.loss_of(model, inputs, targets).data

        @onebuf.jit
        def following(token: Any) -> Any:
            with nn.no_grad():
                return model(token, caches).data

        self.loss, self.following = loss, following

    def forward(self) -> float:
        return self.loss(*self.pair).item()  # type: ignore[no-any-return]

    def step(self) -> float:
        return self.train(*self.pair).item()  # type: ignore[no-any-return]

    def kernels(self) -> int:
        """Passes over memory of one step of training."""
        self.step()
        with self.onebuf.counters() as count:
            self.step()
        return int(count.kernels)

    def rewind(self) -> None:
        for cache in self.caches:
            cache.position[...] = CONTEXT

    def decode(self) -> None:
        np.asarray(self.following(self.token))


class Torch:
    """The same with torch's layers, attention and optimiser, as its users write them."""

    is_compiled = False

    def __init__(self, threads: int) -> None:
        import torch
        from torch.nn import functional as F

        torch.set_num_threads(threads)
        torch.manual_seed(0)
        self.torch = torch
        nn = torch.nn

        class Block(nn.Module):  # type: ignore[misc, name-defined]
            def __init__(self) -> None:
                super().__init__()
                self.ln_1, self.ln_2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
                self.attn, self.mlp = nn.Module(), nn.Module()
                self.attn.c_attn = nn.Linear(WIDTH, 3 * WIDTH)
                self.attn.c_proj = nn.Linear(WIDTH, WIDTH)
                self.mlp.c_fc = nn.Linear(WIDTH, 4 * WIDTH)
                self.mlp.c_proj = nn.Linear(4 * WIDTH, WIDTH)

            def forward(self, x: Any, cache: Any = None, place: int = 0) -> Any:
                many, length, _ = x.shape
                parts = self.attn.c_attn(self.ln_1(x)).split(WIDTH, 2)
                q, k, v = (part.view(many, length, HEADS, -1).transpose(1, 2) for part in parts)
                if cache is not None:
                    cache[0, :, :, place : place + length] = k
                    cache[1, :, :, place : place + length] = v
                    k, v = cache[:, :, :, : place + length]
                found = F.scaled_dot_product_attention(q, k, v, is_causal=cache is None)
                x = x + self.attn.c_proj(found.transpose(1, 2).reshape(x.shape))
                wide = F.gelu(self.mlp.c_fc(self.ln_2(x)), approximate="tanh")
                return x + self.mlp.c_proj(wide)

        class GPT(nn.Module):  # type: ignore[misc, name-defined]
            def __init__(self) -> None:
                super().__init__()
                self.wte, self.wpe = nn.Embedding(TOKENS, WIDTH), nn.Embedding(LENGTH, WIDTH)
                self.h = nn.ModuleList([Block() for _ in range(LAYERS)])
                self.ln_f = nn.LayerNorm(WIDTH)

            def forward(self, tokens: Any, caches: Any = None, place: int = 0) -> Any:
                x = self.wte(tokens) + self.wpe.weight[place : place + tokens.shape[1]]
                for number, block in enumerate(self.h):
                    x = block(x, None if caches is None else caches[number], place)
                return F.linear(self.ln_f(x), self.wte.weight)

        self.model = GPT()
        state = {name: torch.tensor(array) for name, array in weights().items()}
        self.model.load_state_dict(state)
        # Fused is the fastest that torch has; eager users have the default.
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), 1e-3, fused=True if self.is_compiled else None
        )
        self.pair = [torch.tensor(part) for part in batch()]
        shape = (2, 1, HEADS, LENGTH, WIDTH // HEADS)
        self.caches = [torch.zeros(shape) for _ in range(LAYERS)]
        self.token, self.place = torch.tensor([[1]]), CONTEXT

        def loss(inputs: Any, targets: Any) -> Any:
            return F.cross_entropy(self.model(inputs).view(-1, TOKENS), targets.view(-1))

        self.loss: Callable[..., Any] = torch.compile(loss) if self.is_compiled else loss

    def forward(self) -> float:
        with self.torch.no_grad():
            return self.loss(*self.pair).item()  # type: ignore[no-any-return]

    def step(self) -> float:
        loss = self.loss(*self.pair)
        self.optimizer.zero_grad()
        loss.backward()
        self.torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return loss.item()  # type: ignore[no-any-return]

    def rewind(self) -> None:
        self.place = CONTEXT

    def decode(self) -> None:
        with self.torch.inference_mode():
            self.model(self.token, self.caches, self.place)
        self.place += 1


class Compiled(Torch):
    """The same with forward and backward pass through torch.compile, and the fused optimiser."""

    is_compiled = True


MODELS: dict[str, Callable[[int], Model]] = {
    "onebuf": Onebuf,
    "torch": Torch,
    "torch.compile": Compiled,
}
