"""Stochastic gradient descent, with momentum."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from onebuf.buffer import Buffer
from onebuf.errors import ArgumentError
from onebuf.optim.optimizer import Group, Optimizer, check_at_least
from onebuf.tensor import Tensor


class SGD(Optimizer):
    """``p -= lr * gradient``, where the gradient may be a running sum by ``momentum``.

    >>> from onebuf.tensor import Tensor
    >>> x = Tensor([1.0], requires_grad=True)
    >>> optimizer = SGD([x], lr=0.25)
    >>> (x * x).sum().backward()
    >>> optimizer.step()
    >>> x.tolist()
    [0.5]
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        momentum: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
    ) -> None:
        check_at_least(0, momentum=momentum, weight_decay=weight_decay)
        if nesterov and not momentum:
            raise ArgumentError("nesterov needs a momentum, got momentum=0")
        settings = {"momentum": momentum, "weight_decay": weight_decay, "nesterov": nesterov}
        super().__init__(params, lr, **settings)
        for group in self.groups:
            if group.settings["momentum"]:
                group.add_moment("momentum_buffer")

    def update(self, group: Group, wanted: list[tuple[int, Tensor, Buffer]]) -> None:
        """One step down the gradient."""
        momentum, decay = group.settings["momentum"], group.settings["weight_decay"]
        for place, p, gradient in wanted:
            data = p.data
            if decay:
                gradient = gradient + data * decay
            if momentum:
                kept = group.moments["momentum_buffer"][place]
                kept[...] = kept * momentum + gradient
                gradient = gradient + kept * momentum if group.settings["nesterov"] else kept
            data[...] = data - gradient * group.lr.astype(data.dtype)
