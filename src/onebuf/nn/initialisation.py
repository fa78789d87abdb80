"""Initial parameters: the distributions that torch starts from, drawn from `onebuf.random`."""

from __future__ import annotations

from math import sqrt

from onebuf.buffer import Buffer
from onebuf.tensor import Tensor


def parameter(data: Buffer) -> Tensor:
    """A leaf that requires a gradient, in memory now."""
    return Tensor(data.realize(), requires_grad=True)


def spread_evenly(shape: tuple[int, ...], fan_in: int) -> Tensor:
    """Numbers spread evenly over ±1/sqrt(fan_in); zeros if there is no input."""
    bound = 1 / sqrt(fan_in) if fan_in else 0.0
    return parameter(Buffer.uniform(shape, -bound, bound) if bound else Buffer.zeros(shape))


def xavier_uniform(shape: tuple[int, int]) -> Tensor:
    """Numbers spread evenly over ±sqrt(6 / (rows + columns))."""
    bound = sqrt(6 / sum(shape))
    return parameter(Buffer.uniform(shape, -bound, bound))


def normal(shape: tuple[int, ...], std: float = 1.0) -> Tensor:
    """Numbers of the normal distribution around 0."""
    return parameter(Buffer.normal(shape, 0.0, std))


def ones(shape: tuple[int, ...]) -> Tensor:
    """Ones."""
    return parameter(Buffer.ones(shape))


def zeros(shape: tuple[int, ...]) -> Tensor:
    """Zeros."""
    return parameter(Buffer.zeros(shape))
