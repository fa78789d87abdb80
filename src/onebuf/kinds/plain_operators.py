"""Operators of a kind whose results are of another: the class of what is computed from it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from onebuf.buffer import Buffer

_OPERATORS = (
    *("__add__", "__sub__", "__mul__", "__truediv__", "__floordiv__", "__mod__", "__pow__"),
    *("__and__", "__or__", "__xor__", "__lshift__", "__rshift__", "__lt__", "__le__", "__gt__"),
    *("__ge__", "__eq__", "__ne__", "maximum", "minimum"),
)
"""Operators of two buffers, which otherwise give the class of the first one."""


def give_plain_results(kind: type[Any], plain: Callable[[Any], Any]) -> None:
    """Let the operators of ``kind`` be those of ``plain(self)``, the same elements in a handle of
    the class that results are to have."""
    for name in _OPERATORS:
        setattr(kind, name, _operator(getattr(Buffer, name), plain))


def _operator(method: Callable[..., Any], plain: Callable[[Any], Any]) -> Callable[..., Any]:
    @wraps(method)
    def operator(self: Any, other: Any, /) -> Any:
        return method(plain(self), other)

    return operator
