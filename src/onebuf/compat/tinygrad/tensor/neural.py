"""What networks are made of: layers without parameters of their own, pooling, and losses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self, TypeVar

import onebuf
from onebuf import nn
from onebuf.compat.tinygrad.dtype import DType, dtypes
from onebuf.compat.tinygrad.missing import NotCarried
from onebuf.compat.tinygrad.tensor.elementwise import Elementwise
from onebuf.compat.tinygrad.tensor.movement import Movement
from onebuf.compat.tinygrad.tensor.reduce import Axes, Reduce
from onebuf.compat.tinygrad.training import is_training
from onebuf.errors import ArgumentError, ShapeError

NO_CLASS = -(1 << 40)
"""A target that no program has, for losses that leave none out."""
T = TypeVar("T", bound=Reduce)


class Neural(Elementwise, Movement, Reduce):
    """Layers as functions, and losses.

    >>> from onebuf.compat.tinygrad import Tensor
    >>> logits = Tensor([[2.0, 0.0], [0.0, 2.0]])
    >>> round(logits.sparse_categorical_crossentropy(Tensor([0, 1])).item(), 4)
    0.1269
    """

    __slots__ = ()

    # -- layers ------------------------------------------------------------------------------------

    def sequential(self, ll: Sequence[Callable[[Any], Any]]) -> Self:
        """The functions one after another, the first one on this tensor."""
        found: Any = self
        for function in ll:
            found = function(found)
        return found  # type: ignore[no-any-return]

    def linear(self, weight: Any, bias: Any = None, dtype: DType | str | None = None) -> Self:
        """``x @ weight + bias``; a weight with one axis is multiplied element by element."""
        if dtype is not None:
            shift = None if bias is None else bias.cast(dtype)
            return self.cast(dtype).linear(weight.cast(dtype), shift)
        found = self * weight if weight.ndim == 1 else self.dot(weight)
        return found if bias is None else found + bias

    def layernorm(self, axis: Axes = -1, eps: float = 1e-5) -> Self:
        """The elements shifted and scaled to mean 0 and variance 1 along some axes."""
        apart = self - self.mean(axis, keepdim=True)
        return apart * (apart.square().mean(axis, keepdim=True) + eps).rsqrt()

    def batchnorm(
        self, weight: Any, bias: Any, mean: Any, invstd: Any, axis: int | tuple[int, ...] = 1
    ) -> Self:
        """``(x - mean) * invstd * weight + bias``, each of which has the extent of ``axis``."""
        axes = (axis,) if isinstance(axis, int) else axis
        shape = tuple(extent if n in axes else 1 for n, extent in enumerate(self.shape))
        scale = invstd.reshape(shape)
        if weight is not None:
            scale = scale * weight.reshape(shape)
        found: Self = (self - mean.reshape(shape)) * scale
        return found if bias is None else found + bias.reshape(shape)

    def dropout(self, p: float = 0.5) -> Self:
        """Elements set to 0 with the chance ``p`` while training, the others divided by 1 - p."""
        return self._of(nn.dropout(self._tensor, p, is_training()))

    def scaled_dot_product_attention(
        self,
        key: Any,
        value: Any,
        attn_mask: Any = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        enable_gqa: bool = False,
    ) -> Self:
        """``softmax(x @ key.T / sqrt(width)) @ value``.

        ``attn_mask`` is true where a query may look at a key, or is added to the products. With
        ``enable_gqa``, each head of keys and values serves several heads of queries.
        """
        if is_causal and attn_mask is not None:
            raise ArgumentError("attention is causal or has a mask, got both; join the two masks")
        if enable_gqa:
            times = self.shape[-3] // key.shape[-3]
            key, value = (x.repeat_interleave(times, dim=-3) for x in (key, value))
        return self._call(  # type: ignore[no-any-return]
            nn.scaled_dot_product_attention,
            *(self, key, value, attn_mask),
            causal=is_causal,
            dropout=dropout_p if is_training() else 0.0,
        )

    # -- windows -----------------------------------------------------------------------------------

    def conv2d(
        self,
        weight: Any,
        bias: Any = None,
        groups: int = 1,
        stride: Any = 1,
        dilation: Any = 1,
        padding: Any = 0,
        dtype: DType | str | None = None,
    ) -> Self:
        """The convolution of images (batch, channels, height, width) with ``weight``.

        ``padding`` is a number, one for height and one for width, or four: left, right, top and
        bottom.
        """
        if weight.ndim != 4:
            raise NotCarried(
                f"conv2d has images with height and width here, got a weight of shape "
                f"{weight.shape}; add an axis of extent 1"
            )
        found: Self = self._call(
            nn.conv2d,
            *(self._padded(padding, 0.0), weight, bias),
            stride=_pair(stride),
            dilation=_pair(dilation),
            groups=groups,
        )
        return found if dtype is None else found.cast(dtype)

    def max_pool2d(
        self,
        kernel_size: Any = (2, 2),
        stride: Any = None,
        dilation: Any = 1,
        padding: Any = 0,
    ) -> Self:
        """The greatest element of each window of height and width."""
        least = dtypes.min(self.dtype)
        return self._padded(padding, least)._windows(kernel_size, stride, dilation).max((-2, -1))

    def avg_pool2d(
        self,
        kernel_size: Any = (2, 2),
        stride: Any = None,
        dilation: Any = 1,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> Self:
        """The mean of each window of height and width."""
        if ceil_mode:
            raise NotCarried("avg_pool2d has windows inside of the image alone; pad it first")
        pooled = self._padded(padding, 0.0)._windows(kernel_size, stride, dilation)
        if count_include_pad:
            return pooled.mean((-2, -1))
        counts = (self * 0 + 1)._padded(padding, 0.0)._windows(kernel_size, stride, dilation)
        return pooled.sum((-2, -1)) / counts.sum((-2, -1))

    def _padded(self, padding: Any, value: float) -> Self:
        sides = (padding, padding) if isinstance(padding, int) else tuple(padding)
        if len(sides) == 2:
            high, wide = sides
            sides = (wide, wide, high, high)
        return self.pad(sides, value=value) if any(sides) else self

    def _windows(self, kernel_size: Any, stride: Any, dilation: Any) -> Self:
        """The windows of height and width, as two more axes."""
        kernel = _pair(kernel_size)
        steps = kernel if stride is None else _pair(stride)
        seen = self._tensor
        axes = (self.ndim - 2, self.ndim - 1)
        for axis, size, step, gap in zip(axes, kernel, steps, _pair(dilation), strict=True):
            seen = seen.sliding_window((size - 1) * gap + 1, axis, step)[..., ::gap]
        return self._of(seen)

    # -- losses ------------------------------------------------------------------------------------

    def one_hot(self, num_classes: int) -> Self:
        """A new last axis, 1 at the place that each element names and 0 elsewhere."""
        places = onebuf.arange(num_classes, device=self._tensor.device)
        return self._of(self.unsqueeze(-1)._tensor == places).cast(dtypes.default_int)

    def sparse_categorical_crossentropy(
        self,
        Y: Any,
        ignore_index: int = -1,
        label_smoothing: float = 0.0,
        reduction: str = "mean",
    ) -> Self:
        """How unlikely the classes ``Y`` are by these logits, whose last axis has the classes."""
        rows = self.reshape(-1, self.shape[-1])
        found: Self = self._call(
            nn.cross_entropy,
            *(rows, Y.reshape(-1).long()),
            ignore_index=NO_CLASS if ignore_index == -1 else ignore_index,
            reduction=reduction,
            label_smoothing=label_smoothing,
            strict=False,
        )
        return found.reshape(Y.shape) if reduction == "none" else found

    def cross_entropy(self, Y: Any, reduction: str = "mean", label_smoothing: float = 0.0) -> Self:
        """How unlikely ``Y`` is by these logits, whose axis 1 has the classes.

        ``Y`` are the numbers of classes, or a chance for each class.
        """
        if Y.shape != self.shape:
            return self._call(  # type: ignore[no-any-return]
                nn.cross_entropy,
                *(self, Y.long()),
                ignore_index=NO_CLASS,
                reduction=reduction,
                label_smoothing=label_smoothing,
                strict=False,
            )
        axis = 0 if self.ndim == 1 else 1
        chances = Y * (1 - label_smoothing) + label_smoothing / self.shape[axis]
        losses: Self = -(self.log_softmax(axis) * chances).sum(axis)
        return _reduced(losses, reduction)

    def nll_loss(
        self,
        Y: Any,
        weight: Any = None,
        ignore_index: int | None = None,
        reduction: str = "mean",
    ) -> Self:
        """The negative logarithms, of which these are all, of the classes ``Y`` along axis 1."""
        scale = self._of(Y._tensor * 0 + 1).cast(self.dtype) if weight is None else weight[Y]
        if ignore_index is not None:
            scale = scale * Y.ne(ignore_index)
        losses: Self = -self.gather(1, Y.unsqueeze(1)).squeeze(1) * scale
        return losses.sum() / scale.sum() if reduction == "mean" else _reduced(losses, reduction)

    def binary_crossentropy(self, Y: Any, reduction: str = "mean") -> Self:
        """How unlikely the chances ``Y`` are by these chances."""
        losses: Self = -(self.log() * Y + (1 - self).log() * (1 - Y))
        return _reduced(losses, reduction)

    def binary_crossentropy_logits(self, Y: Any, reduction: str = "mean") -> Self:
        """How unlikely the chances ``Y`` are by ``sigmoid(x)``, without overflow."""
        logits, chances = self._floats(), Y._floats()
        return self._of(nn.binary_cross_entropy_with_logits(logits, chances, reduction))


def _pair(value: Any) -> tuple[int, int]:
    if isinstance(value, int):
        return value, value
    if len(value) != 2:
        raise ShapeError(f"needed one number, or one for height and one for width, got {value}")
    return value[0], value[1]


def _reduced(losses: T, reduction: str) -> T:
    if reduction not in ("mean", "sum", "none"):
        raise ArgumentError(f"reduction needs 'mean', 'sum' or 'none', got {reduction!r}")
    if reduction == "none":
        return losses
    return losses.mean() if reduction == "mean" else losses.sum()
