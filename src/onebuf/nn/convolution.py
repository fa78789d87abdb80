"""Convolution: windows of the input as rows, times the weights as one matrix.

The windows are a view of the padded input; only the rows that the product reads are copied.
"""

from __future__ import annotations

from typing import Any

from onebuf.errors import ArgumentError, ShapeError
from onebuf.nn.initialisation import spread_evenly
from onebuf.nn.module import Module
from onebuf.tensor import recorded
from onebuf.tensor.precision import product

Pair = int | tuple[int, int]


@recorded
def conv2d(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Pair = 1,
    padding: Pair | str = 0,
    dilation: Pair = 1,
    groups: int = 1,
) -> Any:
    """The convolution of ``x`` (batch, channels, height, width) with ``weight``.

    ``weight`` is (out, channels / groups, height, width). ``padding`` zeros are added on each side;
    "same" keeps height and width, "valid" adds none.

    >>> from onebuf.nn import Tensor
    >>> conv2d(Tensor.ones((1, 1, 3, 3)), Tensor.ones((1, 1, 2, 2))).tolist()
    [[[[4.0, 4.0], [4.0, 4.0]]]]
    """
    steps, gaps = _pair(stride), _pair(dilation)
    out, depth, *kernel = weight.shape
    _check(x, weight, groups)
    spans = [(size - 1) * gap + 1 for size, gap in zip(kernel, gaps, strict=True)]
    seen = x.pad([(0, 0), (0, 0), *_widths(padding, spans, steps)])
    if any(extent < span for extent, span in zip(seen.shape[2:], spans, strict=True)):
        raise ShapeError(
            f"conv2d needs an image of at least {spans[0]} x {spans[1]} with its padding, got "
            f"{seen.shape[2]} x {seen.shape[3]}"
        )
    for axis, (span, step, gap) in enumerate(zip(spans, steps, gaps, strict=True), 2):
        seen = seen.sliding_window(span, axis, step)[..., ::gap]
    batch, _, high, wide = seen.shape[:4]
    # (batch, groups, depth, high, wide, kernel...) as rows of what one output reads.
    rows = seen.reshape(batch, groups, depth, high, wide, *kernel).permute(0, 1, 3, 4, 2, 5, 6)
    rows = rows.reshape(batch, groups, high * wide, -1)
    found = product(rows, weight.reshape(groups, out // groups, -1).mT)
    found = found.permute(0, 1, 3, 2).reshape(batch, out, high, wide)
    return found if bias is None else found + bias.reshape(out, 1, 1)


def _pair(value: Pair) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else value


def _widths(padding: Pair | str, spans: list[int], steps: tuple[int, int]) -> list[tuple[int, int]]:
    """How many zeros come before and after, along height and width."""
    if padding == "valid":
        return [(0, 0), (0, 0)]
    if padding == "same":
        if steps != (1, 1):
            raise ArgumentError(f"padding='same' needs a stride of 1, got {steps}")
        return [((span - 1) // 2, span // 2) for span in spans]
    if isinstance(padding, str):
        raise ArgumentError(f"padding needs numbers, 'same' or 'valid', got {padding!r}")
    return [(width, width) for width in _pair(padding)]


def _check(x: Any, weight: Any, groups: int) -> None:
    if x.ndim != 4 or weight.ndim != 4:
        raise ShapeError(
            f"conv2d needs (batch, channels, height, width) and (out, channels / groups, height, "
            f"width), got {x.shape} and {weight.shape}"
        )
    if x.shape[1] != weight.shape[1] * groups or weight.shape[0] % groups:
        raise ShapeError(
            f"conv2d with {groups} groups needs {weight.shape[1] * groups} channels for a weight "
            f"of shape {weight.shape}, and outputs that the groups share evenly, got {x.shape}"
        )


class Conv2d(Module):
    """`conv2d` with a weight and a bias of its own.

    >>> from onebuf import nn
    >>> nn.Conv2d(3, 8, 3, padding=1)(nn.Tensor.ones((1, 3, 6, 6))).shape
    (1, 8, 6, 6)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Pair,
        stride: Pair = 1,
        padding: Pair | str = 0,
        dilation: Pair = 1,
        groups: int = 1,
        bias: bool = True,
    ) -> None:
        if groups < 1 or in_channels % groups or out_channels % groups:
            raise ArgumentError(
                f"Conv2d needs channels that its groups share evenly, got {in_channels} in, "
                f"{out_channels} out and {groups} groups"
            )
        self.stride, self.padding, self.dilation, self.groups = stride, padding, dilation, groups
        kernel = _pair(kernel_size)
        fan_in = in_channels // groups * kernel[0] * kernel[1]
        self.weight = spread_evenly((out_channels, in_channels // groups, *kernel), fan_in)
        self.bias = spread_evenly((out_channels,), fan_in) if bias else None

    def forward(self, x: Any) -> Any:
        """The convolution of ``x``."""
        return conv2d(
            x, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups
        )
