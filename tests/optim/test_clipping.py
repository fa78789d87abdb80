"""Clipping of gradients by norm and by value."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pytest
from tensor_differences import draw

from onebuf import optim
from onebuf.errors import ArgumentError
from onebuf.tensor import Tensor


def with_gradients(*arrays: Any) -> list[Tensor]:
    made = []
    for array in arrays:
        x = Tensor(np.zeros_like(array), requires_grad=True)
        x.grad = Tensor(array.copy())
        made.append(x)
    return made


@pytest.mark.parametrize("order", [1.0, 2.0, 3.0, inf])
def test_all_gradients_are_scaled_together(order: float) -> None:
    arrays = draw(3, 2), draw(4, seed=1)
    tensors = with_gradients(*arrays)
    whole = np.concatenate([array.ravel() for array in arrays])
    norm = np.linalg.norm(whole, order)
    assert optim.clip_grad_norm_(tensors, 0.5, order).item() == pytest.approx(norm)
    for x, array in zip(tensors, arrays, strict=True):
        assert x.grad is not None
        np.testing.assert_allclose(x.grad.numpy(), array * (0.5 / (norm + 1e-6)), rtol=1e-12)


def test_small_gradients_stay() -> None:
    (x,) = with_gradients(draw(3))
    optim.clip_grad_norm_(x, 100.0)
    assert x.grad is not None
    assert x.grad.tolist() == draw(3).tolist()


def test_tensors_without_gradient_are_left_out() -> None:
    x = Tensor([1.0], requires_grad=True)
    assert optim.clip_grad_norm_([x], 1.0).item() == 0.0
    optim.clip_grad_value_([x], 1.0)
    assert x.grad is None


def test_elements_are_limited() -> None:
    (x,) = with_gradients(np.array([-3.0, 0.5, 2.0]))
    optim.clip_grad_value_([x], 1.0)
    assert x.grad is not None
    assert x.grad.tolist() == [-1.0, 0.5, 1.0]


def test_wrong_limits_are_named() -> None:
    with pytest.raises(ArgumentError, match="positive norm_type, got 0"):
        optim.clip_grad_norm_([], 1.0, 0)
    with pytest.raises(ArgumentError, match="at least 0, got -1"):
        optim.clip_grad_value_([], -1)
