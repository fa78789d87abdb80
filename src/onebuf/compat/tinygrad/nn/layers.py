"""Layers that multiply by weights."""

from __future__ import annotations

from math import prod, sqrt
from typing import Any

from onebuf import nn as ours
from onebuf.compat.tinygrad.dtype import dtypes
from onebuf.compat.tinygrad.tensor import Tensor
from onebuf.errors import ArgumentError, ArgumentTypeError


class Linear:
    """``x @ weight.T + bias``; the weight is (out_features, in_features).

    >>> Linear(3, 4)(Tensor.ones(2, 3)).shape
    (2, 4)
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
        bound = 1 / sqrt(in_features)
        self.weight = Tensor.uniform(out_features, in_features, low=-bound, high=bound)
        self.bias = Tensor.uniform(out_features, low=-bound, high=bound) if bias else None

    def __call__(self, x: Tensor) -> Tensor:
        return x.linear(self.weight.transpose(), self.bias)


class Embedding:
    """A row of the weight for each index.

    >>> Embedding(10, 4)(Tensor([[1, 2, 3]])).shape
    (1, 3, 4)
    """

    def __init__(self, vocab_size: int, embed_size: int) -> None:
        self.vocab_sz, self.embed_sz = vocab_size, embed_size
        self.weight = Tensor.glorot_uniform(vocab_size, embed_size)

    def __call__(self, idx: Tensor) -> Tensor:
        if not dtypes.is_int(idx.dtype):
            raise ArgumentTypeError(
                f"an embedding needs integers as indices, got {idx.dtype}; convert with int()"
            )
        return self.weight._call(ours.embedding, idx, self.weight)  # type: ignore[no-any-return]


class Conv2d:
    """The convolution of images with a weight of its own.

    >>> Conv2d(3, 8, 3, padding=1)(Tensor.ones(1, 3, 6, 6)).shape
    (1, 8, 6, 6)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, int],
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
    ) -> None:
        if isinstance(kernel_size, int):
            kernel_size = (kernel_size, kernel_size)
        self.kernel_size = kernel_size
        self.stride, self.dilation, self.groups = stride, dilation, groups
        self.padding = self._same() if padding == "same" else padding
        if isinstance(self.padding, str):
            raise ArgumentError(f"padding needs numbers or 'same', got {padding!r}")
        bound = 1 / sqrt(in_channels * prod(self.kernel_size))
        shape = (out_channels, in_channels // groups, *self.kernel_size)
        self.weight = Tensor.uniform(*shape, low=-bound, high=bound)
        self.bias = Tensor.uniform(out_channels, low=-bound, high=bound) if bias else None

    def _same(self) -> tuple[int, ...]:
        """The padding that keeps height and width: left, right, top and bottom."""
        if self.stride not in (1, (1, 1)):
            raise ArgumentError(f"padding='same' needs a stride of 1, got {self.stride}")
        gap = self.dilation
        gaps = (gap, gap) if isinstance(gap, int) else tuple(gap)
        extra = [n * (size - 1) for n, size in zip(gaps, self.kernel_size, strict=True)]
        return tuple(side for more in extra[::-1] for side in (more // 2, more - more // 2))

    def __call__(self, x: Tensor) -> Tensor:
        return x.conv2d(
            self.weight, self.bias, self.groups, self.stride, self.dilation, self.padding
        )
