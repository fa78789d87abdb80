"""Clipping: gradients made smaller before a step, with torch's names and formulas."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from onebuf.buffer import Buffer
from onebuf.engine import realize
from onebuf.errors import ArgumentError
from onebuf.tensor import Tensor, no_grad


@no_grad()
def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, norm_type: float = 2.0
) -> Tensor:
    """Scale all gradients together, so that their norm is at most ``max_norm``.

    The result is the norm that they had. ``norm_type`` may be ``math.inf`` for the largest element.

    >>> x = Tensor([3.0, 4.0], requires_grad=True)
    >>> (x * x * 0.5).sum().backward()
    >>> clip_grad_norm_([x], 1.0).item()
    5.0
    >>> [round(g, 4) for g in x.grad.tolist()]
    [0.6, 0.8]
    """
    if norm_type <= 0:
        raise ArgumentError(f"clip_grad_norm_ needs a positive norm_type, got {norm_type}")
    owners = _with_gradients(parameters)
    gradients = [p.grad.data for p in owners if p.grad is not None]
    if not gradients:
        return Tensor(0.0)
    total = _norm(gradients, norm_type)
    factor = (max_norm / (total + 1e-6)).minimum(1.0)
    clipped = [gradient * factor.astype(gradient.dtype) for gradient in gradients]
    realize([total._node, *[gradient._node for gradient in clipped]])
    for p, gradient in zip(owners, clipped, strict=True):
        p.grad = Tensor(gradient)
    return Tensor(total)


@no_grad()
def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float) -> None:
    """Limit every element of every gradient to ±``clip_value``."""
    if clip_value < 0:
        raise ArgumentError(f"clip_grad_value_ needs a limit of at least 0, got {clip_value}")
    for p in _with_gradients(parameters):
        if p.grad is not None:
            p.grad = Tensor(p.grad.data.clip(-clip_value, clip_value))


def _with_gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [p for p in given if p.grad is not None]


def _norm(gradients: list[Buffer], norm_type: float) -> Buffer:
    if norm_type == inf:
        found = gradients[0].abs().max()
        for gradient in gradients[1:]:
            found = found.maximum(gradient.abs().max())
        return found
    powers = [(g * g if norm_type == 2 else g.abs() ** norm_type).sum() for g in gradients]
    found = powers[0]
    for power in powers[1:]:
        found = found + power
    return found.sqrt() if norm_type == 2 else found ** (1 / norm_type)
