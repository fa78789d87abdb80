"""How many kernels tinygrad runs for the training step of benchmarks/gpt.py: it prints the number.

tinygrad's device NULL compiles kernels and runs none, so no compiler is needed. The first step also
makes the weights and is not counted. Kernels are counted one by one, without TinyJit's batches::

    python benchmarks/gpt_tinygrad.py
"""

from __future__ import annotations

import os
from typing import Any

os.environ |= {"DEV": "NULL", "JIT": "0"}  # read when tinygrad is imported

from gpt_models import BATCH, HEADS, LAYERS, LENGTH, TOKENS, WIDTH
from tinygrad import GlobalCounters, Tensor, dtypes, nn
from tinygrad.helpers import Context


class Block:
    """Attention, then a network for each position."""

    def __init__(self) -> None:
        self.ln_1, self.ln_2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.c_attn, self.c_proj = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.c_fc, self.c_out = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def __call__(self, x: Any) -> Any:
        split = (BATCH, LENGTH, 3, HEADS, WIDTH // HEADS)
        q, k, v = self.c_attn(self.ln_1(x)).reshape(split).permute(2, 0, 3, 1, 4)
        found = q.scaled_dot_product_attention(k, v, is_causal=True)
        x = x + self.c_proj(found.transpose(1, 2).reshape(x.shape))
        return x + self.c_out(self.c_fc(self.ln_2(x)).gelu())


class GPT:
    """The model of examples/gpt.py."""

    def __init__(self) -> None:
        self.wte, self.wpe = nn.Embedding(TOKENS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.h = [Block() for _ in range(LAYERS)]
        self.ln_f = nn.LayerNorm(WIDTH)

    def __call__(self, tokens: Any) -> Any:
        x = self.wte(tokens) + self.wpe.weight[:LENGTH]
        for block in self.h:
            x = block(x)
        return self.ln_f(x) @ self.wte.weight.T


def kernels() -> int:
    """Kernels of the second step."""
    model = GPT()
    parameters = nn.state.get_parameters(model)
    optimizer = nn.optim.AdamW(parameters, lr=1e-3)
    shape = (BATCH, LENGTH)
    inputs, targets = (Tensor.zeros(*shape, dtype=dtypes.int32).contiguous() for _ in range(2))
    Tensor.realize(inputs, targets)
    for _ in range(2):
        GlobalCounters.reset()
        with Context(TRAINING=1):
            optimizer.zero_grad()
            logits = model(inputs).reshape(-1, TOKENS)
            loss = logits.sparse_categorical_crossentropy(targets.reshape(-1))
            loss.backward()
            norm = sum([p.grad.square().sum() for p in parameters], Tensor(0.0)).sqrt()
            for p in parameters:
                p.grad = p.grad * (1.0 / (norm + 1e-6)).minimum(1.0)
            loss.realize(*optimizer.schedule_step())
    return int(GlobalCounters.kernel_count)


if __name__ == "__main__":
    print(kernels())
