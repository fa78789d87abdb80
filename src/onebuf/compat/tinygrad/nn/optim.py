"""``tinygrad.nn.optim``: the optimisers of onebuf, with tinygrad's arguments."""

from __future__ import annotations

from collections.abc import Sequence

from onebuf import optim as ours
from onebuf import tensor
from onebuf.compat.tinygrad.missing import NotCarried
from onebuf.compat.tinygrad.tensor import Tensor
from onebuf.compat.tinygrad.training import is_training
from onebuf.errors import ArgumentError, GradientError
from onebuf.tracing import current


class Optimizer:
    """What changes parameters by their gradients.

    Tensors for which `Tensor.requires_grad` was left open are parameters from now on; those for
    which it is False are buffers, and stay as they are.
    """

    _ours: ours.Optimizer

    def __init__(self, params: Sequence[Tensor]) -> None:
        once = list({id(one): one for one in params}.values())
        for one in once:
            if one.requires_grad is None:
                one.requires_grad = True
        self.params = [one for one in once if one.requires_grad]
        self.buffers = [one for one in once if not one.requires_grad]
        if not self.params:
            raise ArgumentError("an optimiser needs a parameter, got none; see get_parameters")
        self.device = self.params[0].device

    @property
    def lr(self) -> Tensor:
        """The learning rate, a tensor of one element; assign to it to change it."""
        return Tensor(self._ours.groups[0].lr.reshape(1), requires_grad=False)

    @lr.setter
    def lr(self, lr: Tensor | float) -> None:
        self._ours.lr = lr.item() if isinstance(lr, Tensor) else lr

    def zero_grad(self) -> None:
        """Forget the gradients of all parameters."""
        for one in self.params:
            one.grad = None

    def step(self) -> None:
        """Change all parameters by their gradients; only while training.

        In a function that is captured the gradients are forgotten after that: they are values of
        the capture, which it does not leave behind.
        """
        if not is_training():
            raise GradientError(
                "an optimiser steps while training, and Tensor.training is False; put the step in "
                "a block 'with Tensor.train():'"
            )
        missing = [one.shape for one in self.params if one.grad is None]
        if missing:
            raise GradientError(
                f"an optimiser needs a gradient for every parameter, and one of shape {missing[0]} "
                "has none; call backward() first, or leave it out"
            )
        self._ours.step()
        if current() is not None:
            self.zero_grad()

    def _tensors(self) -> list[tensor.Tensor]:
        return [one._tensor for one in self.params]


class OptimizerGroup(Optimizer):
    """Several optimisers as one."""

    def __init__(self, *optimizers: Optimizer) -> None:
        self.optimizers = optimizers
        super().__init__([p for one in optimizers for p in (*one.params, *one.buffers)])

    def __getitem__(self, place: int) -> Optimizer:
        return self.optimizers[place]

    def step(self) -> None:
        """A step of each of them."""
        for one in self.optimizers:
            one.step()


class SGD(Optimizer):
    """``p -= lr * gradient``, where the gradient may be a running sum by ``momentum``.

    >>> x = Tensor([1.0])
    >>> optimizer = SGD([x], lr=0.25)
    >>> with Tensor.train():
    ...     _ = (x * x).sum().backward()
    ...     optimizer.step()
    >>> x.tolist()
    [0.5]
    """

    def __init__(
        self,
        params: Sequence[Tensor],
        lr: float = 0.001,
        momentum: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        classic: bool = False,
    ) -> None:
        if classic and momentum:
            raise NotCarried(
                "SGD multiplies by the learning rate after the momentum here; with a constant "
                "rate classic=False gives the same steps"
            )
        super().__init__(params)
        self._ours = ours.SGD(self._tensors(), lr, momentum, weight_decay, nesterov)


class Adam(Optimizer):
    """Adam.

    >>> x = Tensor([1.0, -2.0])
    >>> optimizer = Adam([x], lr=0.1)
    >>> with Tensor.train():
    ...     _ = (x * x).sum().backward()
    ...     optimizer.step()
    >>> [round(value, 6) for value in x.tolist()]
    [0.9, -1.9]
    """

    def __init__(
        self,
        params: Sequence[Tensor],
        lr: float = 0.001,
        b1: float = 0.9,
        b2: float = 0.999,
        eps: float = 1e-8,
    ) -> None:
        super().__init__(params)
        self._ours = ours.Adam(self._tensors(), lr, (b1, b2), eps)


class AdamW(Optimizer):
    """Adam whose ``weight_decay`` shrinks the parameters themselves."""

    def __init__(
        self,
        params: Sequence[Tensor],
        lr: float = 0.001,
        b1: float = 0.9,
        b2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: float = 0.01,
    ) -> None:
        super().__init__(params)
        self._ours = ours.AdamW(self._tensors(), lr, (b1, b2), eps, weight_decay)
