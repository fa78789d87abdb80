"""Standardisation: elements scaled to a mean square of 1, with a gradient in one pass.

The rules of single operations would give a gradient that goes over the elements several times: for
the mean, for the variance and for the quotient. Written as one formula, it needs the result and two
means along the same axes, which is one kernel.
"""

from __future__ import annotations

from onebuf.buffer import Buffer
from onebuf.gradients import custom_vjp

Axes = tuple[int, ...]
Kept = tuple[Buffer, Buffer, Axes, bool]


def _computed(x: Buffer, axes: Axes, eps: float, centred: bool) -> tuple[Buffer, Buffer]:
    """The result, and what ``x`` was divided by."""
    apart = x - x.mean(axes, keepdims=True) if centred else x
    scale = ((apart * apart).mean(axes, keepdims=True) + eps).sqrt()
    return apart / scale, scale


@custom_vjp
def standardised(x: Buffer, axes: Axes, eps: float, centred: bool) -> Buffer:
    """``x`` over the root of its mean square along ``axes``; less its mean first if ``centred``."""
    return _computed(x, axes, eps, centred)[0]


def _forward(x: Buffer, axes: Axes, eps: float, centred: bool) -> tuple[Buffer, Kept]:
    found, scale = _computed(x, axes, eps, centred)
    return found, (found, scale, axes, centred)


def _backward(kept: Kept, gradient: Buffer) -> tuple[Buffer, None, None, None]:
    found, scale, axes, centred = kept
    rest = gradient - found * (gradient * found).mean(axes, keepdims=True)
    if centred:
        rest = rest - gradient.mean(axes, keepdims=True)
    return rest / scale, None, None, None


standardised.defvjp(_forward, _backward)
