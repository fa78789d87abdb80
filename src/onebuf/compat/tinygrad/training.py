"""Modes: whether a model is being trained, and whether gradients are recorded.

tinygrad has both as attributes of its class ``Tensor`` that programs assign to. Here they belong to
the thread or asynchronous task that set them, as options do.
"""

from __future__ import annotations

from contextlib import ContextDecorator
from contextvars import ContextVar, Token
from typing import Any, Self

from onebuf.capture.guard.ambient import register_ambient
from onebuf.compat.tinygrad.missing import MissingName
from onebuf.errors import ArgumentTypeError
from onebuf.tensor import is_grad_enabled, set_grad_enabled

_training: ContextVar[bool] = ContextVar("training", default=False)
register_ambient("tinygrad's training mode", _training.get)

is_training = _training.get
"""Whether dropout drops elements, and optimisers may step."""


class train(ContextDecorator):
    """Training in a block of code, or in a function: ``with Tensor.train():``.

    >>> with train():
    ...     is_training()
    True
    """

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode
        self._tokens: list[Token[bool]] = []

    def __enter__(self) -> Self:
        self._tokens.append(_training.set(self.mode))
        return self

    def __exit__(self, *error: object) -> None:
        _training.reset(self._tokens.pop())


class test(set_grad_enabled):
    """No gradients are recorded in a block of code, or in a function: ``with Tensor.test():``.

    >>> with test():
    ...     is_grad_enabled()
    False
    """

    def __init__(self, mode: bool = True) -> None:
        super().__init__(not mode)


class Context(ContextDecorator):
    """``TRAINING`` in a block of code, as later versions of tinygrad spell `train`.

    >>> with Context(TRAINING=1):
    ...     is_training()
    True
    """

    def __init__(self, **variables: int) -> None:
        unknown = sorted(set(variables) - {"TRAINING"})
        if unknown:
            raise ArgumentTypeError(
                f"Context has the variable TRAINING here, got {unknown[0]}; onebuf's settings are "
                "those of onebuf.config"
            )
        self._train = train(bool(variables.get("TRAINING", is_training())))

    def __enter__(self) -> Self:
        self._train.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._train.__exit__(*error)


class Modes(type):
    """The class of ``Tensor``, for the modes that are attributes of it."""

    @property
    def training(cls) -> bool:
        """Whether a model is being trained."""
        return is_training()

    @training.setter
    def training(cls, mode: bool) -> None:
        _training.set(bool(mode))

    @property
    def no_grad(cls) -> bool:
        """Whether no gradients are recorded."""
        return not is_grad_enabled()

    @no_grad.setter
    def no_grad(cls, mode: bool) -> None:
        set_grad_enabled(not mode).__enter__()  # for good: until it is set again

    def __getattr__(cls, name: str) -> Any:
        raise MissingName(cls.__name__, name)
