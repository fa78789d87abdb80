"""Buffers that a captured function leaves in attributes have the elements of the last call."""

from __future__ import annotations

from typing import Any

import numpy as np

import onebuf
from onebuf import Buffer, optim
from onebuf.tensor import Tensor


class Layer:
    def __init__(self) -> None:
        self.weight = onebuf.asarray([2.0, 3.0])
        self.seen: Any = None
        self.part: Any = None

    def forward(self, x: Any) -> Any:
        self.seen = x * self.weight
        self.part = self.seen[1:]
        return self.seen + 1


def test_an_attribute_that_a_function_sets_is_what_plain_calls_make_it() -> None:
    layer, plain = Layer(), Layer()
    jitted = onebuf.jit(layer.forward)
    for n in range(1, 5):
        x = onebuf.full(2, float(n))
        np.testing.assert_array_equal(jitted(x), plain.forward(x))
        np.testing.assert_array_equal(layer.seen, plain.seen)
        np.testing.assert_array_equal(layer.part, plain.part)
    assert jitted.captures <= 2


def test_gradients_stay_on_tensors_after_a_captured_step() -> None:
    def made() -> tuple[Any, Any]:
        w = Tensor(Buffer([1.0, 2.0]), requires_grad=True)
        opt = optim.AdamW([w], lr=0.1)

        def step(x: Any) -> Any:
            opt.zero_grad()
            loss = (w * w * Tensor(x)).sum()
            loss.backward()
            opt.step()
            return loss.data

        return w, step

    (mine, jitted), (other, plain) = made(), made()
    jitted = onebuf.jit(jitted)
    for n in range(1, 6):
        x = onebuf.full(2, float(n), dtype="float32")
        assert jitted(x).item() == plain(x).item()
        assert mine.tolist() == other.tolist()
        assert mine.grad.tolist() == other.grad.tolist()
    assert jitted.captures <= 2


def test_a_result_that_is_also_kept_has_memory_of_its_own() -> None:
    class Kept:
        last: Any = None

        def __call__(self, x: Any) -> Any:
            self.last = x * 2
            return self.last

    kept = Kept()
    f = onebuf.jit(kept)
    for n in range(3):
        found = f(onebuf.full(2, float(n)))
        assert found.tolist() == [2.0 * n] * 2
        assert kept.last.tolist() == [2.0 * n] * 2
