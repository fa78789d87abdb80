"""Gradients of functions of tensors next to finite differences in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from onebuf.tensor import Tensor

Array = np.ndarray[Any, Any]
STEP = 1e-6


def leaf(array: Any, dtype: str = "float64") -> Tensor:
    """A leaf on a copy of ``array``."""
    return Tensor(np.array(array, dtype), requires_grad=True)


def check_gradients(function: Callable[..., Tensor], *arrays: Array, rtol: float = 1e-6) -> None:
    """Compare ``backward`` with differences of ``function``, weighted by fixed numbers."""
    leaves = [leaf(array) for array in arrays]
    result = function(*leaves)
    seed = np.random.default_rng(0).standard_normal(result.shape)
    result.backward(seed)

    def value(given: list[Array]) -> float:
        return float((function(*[Tensor(x) for x in given]).numpy() * seed).sum())

    for place, (array, made) in enumerate(zip(arrays, leaves, strict=True)):
        wanted = np.zeros(array.shape)
        for index in np.ndindex(*array.shape):
            above, below = ([x.copy() for x in arrays] for _ in range(2))
            above[place][index] += STEP
            below[place][index] -= STEP
            wanted[index] = (value(above) - value(below)) / (2 * STEP)
        assert made.grad is not None
        np.testing.assert_allclose(made.grad.numpy(), wanted, rtol=rtol, atol=1e-6)


def draw(*shape: int, seed: int = 0) -> Array:
    """Numbers of the normal distribution."""
    return np.random.default_rng(seed).standard_normal(shape)
