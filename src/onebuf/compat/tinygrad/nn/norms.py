"""Layers that shift and scale elements to mean 0 and variance 1, over this or that."""

from __future__ import annotations

from typing import Any

from onebuf.compat.tinygrad.dtype import dtypes
from onebuf.compat.tinygrad.tensor import Tensor
from onebuf.compat.tinygrad.training import is_training
from onebuf.errors import ShapeError


class LayerNorm:
    """Mean 0 and variance 1 over the last axes, then a weight and a bias for each place.

    >>> LayerNorm(2)(Tensor([[1.0, 3.0]])).round().tolist()
    [[-1.0, 1.0]]
    """

    def __init__(
        self,
        normalized_shape: int | tuple[int, ...],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
    ) -> None:
        if isinstance(normalized_shape, int):
            normalized_shape = (normalized_shape,)
        self.normalized_shape = tuple(normalized_shape)
        self.axis, self.eps = tuple(range(-len(self.normalized_shape), 0)), eps
        self.elementwise_affine = elementwise_affine
        self.weight, self.bias = _affine(self.normalized_shape, elementwise_affine)

    def __call__(self, x: Tensor) -> Tensor:
        if x.shape[-len(self.normalized_shape) :] != self.normalized_shape:
            raise ShapeError(
                f"LayerNorm needs a shape that ends with {self.normalized_shape}, got {x.shape}"
            )
        found = x.layernorm(self.axis, self.eps)
        if self.weight is None or self.bias is None:
            return found
        return found * self.weight + self.bias


class LayerNorm2d(LayerNorm):
    """`LayerNorm` over the channels of images (batch, channels, height, width)."""

    def __call__(self, x: Tensor) -> Tensor:
        return super().__call__(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class RMSNorm:
    """A mean square of 1 over the last axis, then a weight for each place.

    >>> RMSNorm(2)(Tensor([[3.0, -3.0]])).round().tolist()
    [[1.0, -1.0]]
    """

    def __init__(self, dim: int, eps: float = 1e-6, elementwise_affine: bool = True) -> None:
        self.eps = eps
        self.weight = Tensor.ones(dim) if elementwise_affine else None

    def __call__(self, x: Tensor) -> Tensor:
        wide = x.float()
        scale = (wide.square().mean(-1, keepdim=True) + self.eps).rsqrt()
        found = (wide * scale).cast(x.dtype)
        return found if self.weight is None else found * self.weight


class GroupNorm:
    """Mean 0 and variance 1 over groups of channels, then a weight and a bias for each channel."""

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True
    ) -> None:
        self.num_groups, self.num_channels, self.eps = num_groups, num_channels, eps
        self.weight, self.bias = _affine((num_channels,), affine)

    def __call__(self, x: Tensor) -> Tensor:
        rows = x.reshape(x.shape[0], self.num_groups, -1)
        found = rows.layernorm(eps=self.eps).reshape(x.shape)
        if self.weight is None or self.bias is None:
            return found
        shape = (1, -1, *[1] * (x.ndim - 2))
        return found * self.weight.reshape(shape) + self.bias.reshape(shape)


class InstanceNorm(GroupNorm):
    """`GroupNorm` with a group for each channel."""

    def __init__(self, num_features: int, eps: float = 1e-5, affine: bool = True) -> None:
        super().__init__(num_features, num_features, eps, affine)
        self.num_features = num_features


class BatchNorm:
    """Mean 0 and variance 1 for each channel, over the batch and all other axes.

    While training, means and variances are those of the batch, and running means of them are kept
    for later.

    >>> norm = BatchNorm(1, affine=False)
    >>> with Tensor.train():
    ...     norm(Tensor([[1.0], [3.0]])).round().tolist(), norm.running_mean.tolist()
    ([[-1.0], [1.0]], [0.2...])
    """

    def __init__(
        self,
        sz: int,
        eps: float = 1e-5,
        affine: bool = True,
        track_running_stats: bool = True,
        momentum: float = 0.1,
    ) -> None:
        self.eps, self.momentum = eps, momentum
        self.track_running_stats = track_running_stats
        self.weight, self.bias = _affine((sz,), affine)
        self.num_batches_tracked = Tensor.zeros(dtype=dtypes.long, requires_grad=False)
        if track_running_stats:
            self.running_mean = Tensor.zeros(sz, requires_grad=False)
            self.running_var = Tensor.ones(sz, requires_grad=False)

    def calc_stats(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The mean and the variance of each channel that are used now."""
        if self.track_running_stats and not is_training():
            return self.running_mean, self.running_var
        axes = tuple(n for n in range(x.ndim) if n != 1)
        return x.mean(axes), x.var(axes, correction=0)

    def __call__(self, x: Tensor) -> Tensor:
        mean, variance = self.calc_stats(x)
        if self.track_running_stats and is_training():
            count = x.numel() // x.shape[1]
            unbiased = variance.detach() * (count / (count - 1))
            self._follow(self.running_mean, mean.detach())
            self._follow(self.running_var, unbiased)
            self.num_batches_tracked += 1
        return x.batchnorm(self.weight, self.bias, mean, (variance + self.eps).rsqrt())

    def _follow(self, running: Any, new: Tensor) -> None:
        running.assign(running * (1 - self.momentum) + new * self.momentum)


BatchNorm2d = BatchNorm3d = BatchNorm


def _affine(shape: tuple[int, ...], wanted: bool) -> tuple[Tensor | None, Tensor | None]:
    """A weight of ones and a bias of zeros, if they are wanted."""
    return (Tensor.ones(shape), Tensor.zeros(shape)) if wanted else (None, None)
