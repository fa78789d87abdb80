"""Adam and AdamW: steps by running means of gradients and of their squares.

The order of operations is torch's. Factors that depend on the number of the step are computed once
for all parameters, in float64.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from onebuf.buffer import Buffer
from onebuf.errors import ArgumentError
from onebuf.optim.optimizer import Group, Optimizer, check_at_least
from onebuf.tensor import Tensor


class Adam(Optimizer):
    """Adam; ``weight_decay`` is added to the gradient.

    The number of steps is one for all parameters, also for those that had no gradient in some.

    >>> from onebuf.tensor import Tensor
    >>> x = Tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = Adam([x], lr=0.1)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> [round(value, 6) for value in x.tolist()]
    [0.9, -1.9]
    """

    decouples_decay = False
    """Whether the decay is that of the parameter itself, and not part of the gradient."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        check_at_least(0, eps=eps, weight_decay=weight_decay)
        if not all(0 <= beta < 1 for beta in betas):
            raise ArgumentError(f"betas need to be at least 0 and below 1, got {betas}")
        super().__init__(params, lr, betas=betas, eps=eps, weight_decay=weight_decay)
        for group in self.groups:
            group.add_moment("exp_avg")
            group.add_moment("exp_avg_sq")

    def update(self, group: Group, wanted: list[tuple[int, Tensor, Buffer]]) -> None:
        """One step along the mean gradient, over the root of the mean square."""
        beta1, beta2 = group.settings["betas"]
        eps, decay = group.settings["eps"], group.settings["weight_decay"]
        size = group.lr / (1 - beta1**self.steps)
        root = (1 - beta2**self.steps).sqrt()
        remains = 1 - group.lr * decay
        for place, p, gradient in wanted:
            data, dtype = p.data, p.dtype
            value = data
            if decay and self.decouples_decay:
                value = data * remains.astype(dtype)
            elif decay:
                gradient = gradient + data * decay
            mean, square = (group.moments[name][place] for name in ("exp_avg", "exp_avg_sq"))
            mean[...] = mean + (gradient - mean) * (1 - beta1)
            square[...] = square * beta2 + gradient * gradient * (1 - beta2)
            below = square.sqrt() / root.astype(dtype) + eps
            data[...] = value - mean * size.astype(dtype) / below


class AdamW(Adam):
    """Adam whose ``weight_decay`` shrinks the parameters themselves.

    >>> from onebuf.tensor import Tensor
    >>> x = Tensor([1.0], requires_grad=True)
    >>> optimizer = AdamW([x], lr=0.1, weight_decay=0.1)
    >>> (x * 0).sum().backward()
    >>> optimizer.step()
    >>> round(x.item(), 6)
    0.99
    """

    decouples_decay = True

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay)
