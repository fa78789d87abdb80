"""Schedules: the learning rate as a function of the number of steps.

A schedule writes to the buffers of learning rates that its optimiser has. Call ``step()`` after
``optimizer.step()``, outside of a captured function: the function reads what is in the buffers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import cos, pi
from typing import Any

from onebuf.errors import ArgumentError
from onebuf.optim.optimizer import Optimizer


class LambdaLR:
    """The first learning rate of each group times ``factor(steps)``.

    >>> from onebuf import optim
    >>> from onebuf.tensor import Tensor
    >>> optimizer = optim.SGD([Tensor([1.0], requires_grad=True)], lr=0.5)
    >>> schedule = LambdaLR(optimizer, lambda step: 1 / (1 + step))
    >>> schedule.step()
    >>> optimizer.lr
    0.25
    """

    def __init__(self, optimizer: Optimizer, factor: Callable[[int], float]) -> None:
        self.optimizer, self.factor = optimizer, factor
        self.base_lrs = [group.lr.item() for group in optimizer.groups]
        self.last_step = 0
        self._write()

    def step(self) -> None:
        """Go on to the learning rate of the next step."""
        self.last_step += 1
        self._write()

    def get_last_lr(self) -> list[float]:
        """The learning rate of each group."""
        return [base * self.factor(self.last_step) for base in self.base_lrs]

    def _write(self) -> None:
        for group, lr in zip(self.optimizer.groups, self.get_last_lr(), strict=True):
            group.lr[...] = lr

    def state_dict(self) -> dict[str, Any]:
        """What the learning rates to come depend on."""
        return {"last_step": self.last_step, "base_lrs": list(self.base_lrs)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from where another schedule of this kind was."""
        base = [float(lr) for lr in state["base_lrs"]]
        if len(base) != len(self.base_lrs):
            raise ArgumentError(
                f"the schedule needs a learning rate for each of {len(self.base_lrs)} groups, got "
                f"{len(base)}"
            )
        self.last_step, self.base_lrs = int(state["last_step"]), base
        self._write()


class ConstantLR(LambdaLR):
    """``factor`` times the learning rate for ``total_iters`` steps, then all of it."""

    def __init__(self, optimizer: Optimizer, factor: float = 1 / 3, total_iters: int = 5) -> None:
        super().__init__(optimizer, lambda step: factor if step < total_iters else 1.0)


class StepLR(LambdaLR):
    """The learning rate times ``gamma`` after every ``step_size`` steps."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1) -> None:
        if step_size < 1:
            raise ArgumentError(f"StepLR needs a step_size of at least 1, got {step_size}")
        super().__init__(optimizer, lambda step: gamma ** (step // step_size))


class LinearLR(LambdaLR):
    """A straight line from ``start_factor`` to ``end_factor`` in ``total_iters`` steps."""

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
    ) -> None:
        if total_iters < 1:
            raise ArgumentError(f"LinearLR needs total_iters of at least 1, got {total_iters}")

        def factor(step: int) -> float:
            part = min(step, total_iters) / total_iters
            return start_factor + (end_factor - start_factor) * part

        super().__init__(optimizer, factor)


class CosineLR(LambdaLR):
    """A straight line up in ``warmup`` steps, then half a cosine down to ``floor`` at ``total``.

    >>> from onebuf import optim
    >>> from onebuf.tensor import Tensor
    >>> optimizer = optim.SGD([Tensor([1.0], requires_grad=True)], lr=1.0)
    >>> schedule = CosineLR(optimizer, total=6, warmup=2, floor=0.1)
    >>> rates = [optimizer.lr]
    >>> for _ in range(6):
    ...     schedule.step()
    ...     rates.append(optimizer.lr)
    >>> [round(rate, 3) for rate in rates]
    [0.5, 1.0, 1.0, 0.868, 0.55, 0.232, 0.1]
    """

    def __init__(
        self, optimizer: Optimizer, total: int, warmup: int = 0, floor: float = 0.0
    ) -> None:
        if not 0 <= warmup < total:
            raise ArgumentError(
                f"CosineLR needs fewer steps of warm-up than steps, got warmup={warmup} and "
                f"total={total}"
            )

        def factor(step: int) -> float:
            if step < warmup:
                return (step + 1) / warmup
            part = min(step - warmup, total - warmup) / (total - warmup)
            return floor + (1 - floor) * (1 + cos(pi * part)) / 2

        super().__init__(optimizer, factor)
