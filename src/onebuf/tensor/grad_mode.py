"""Gradient mode: whether operations on tensors are recorded, here and now.

The mode belongs to the thread or asynchronous task that set it, as options do.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ContextDecorator
from contextvars import ContextVar, Token
from functools import wraps
from typing import Any, Self, TypeVar

from onebuf.capture.guard.ambient import register_ambient

_enabled: ContextVar[bool] = ContextVar("is_grad_enabled", default=True)
F = TypeVar("F", bound=Callable[..., Any])

is_grad_enabled = _enabled.get
"""Whether operations are recorded."""
register_ambient("gradient mode", is_grad_enabled)


class set_grad_enabled(ContextDecorator):
    """Whether operations are recorded in a block of code, or in a function.

    >>> with set_grad_enabled(False):
    ...     is_grad_enabled()
    False
    """

    def __init__(self, enabled: bool) -> None:
        self._to = enabled
        self._tokens: list[Token[bool]] = []

    def __enter__(self) -> Self:
        self._tokens.append(_enabled.set(self._to))
        return self

    def __exit__(self, *error: object) -> None:
        _enabled.reset(self._tokens.pop())

    def __call__(self, function: F) -> F:
        """``function`` with this mode during every call."""

        @wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            with set_grad_enabled(self._to):
                return function(*args, **kwargs)

        return called  # type: ignore[return-value]


class no_grad(set_grad_enabled):
    """Nothing is recorded in a block of code, or in a function: ``@no_grad()``.

    >>> from onebuf.tensor import Tensor
    >>> x = Tensor([1.0, 2.0], requires_grad=True)
    >>> with no_grad():
    ...     (x * 2).requires_grad
    False
    """

    def __init__(self) -> None:
        super().__init__(False)


class enable_grad(set_grad_enabled):
    """Operations are recorded in a block of code, also inside of `no_grad`."""

    def __init__(self) -> None:
        super().__init__(True)
