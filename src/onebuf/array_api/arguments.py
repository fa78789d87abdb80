"""Arguments as callers pass them, checked in one place, so that errors name the function."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from operator import index as as_int
from typing import Any, ParamSpec, TypeVar

import numpy as np

from onebuf.buffer import Buffer
from onebuf.buffer.operators import operand
from onebuf.errors import ArgumentError, ArgumentTypeError, OnebufError
from onebuf.graph import Node

P = ParamSpec("P")
R = TypeVar("R")


def public(function: Callable[P, R]) -> Callable[P, R]:
    """A function of the namespace, whose errors name it, whichever layer below they come from.

    >>> @public
    ... def halve(x: Buffer) -> Buffer:
    ...     return x.reshape(2, -1)
    >>> halve(Buffer([1, 2, 3]))
    Traceback (most recent call last):
    onebuf.errors.ShapeError: halve: reshape ...
    """
    name = function.__name__

    @wraps(function)
    def named(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except OnebufError as error:
            if name in str(error):
                raise
            named_error = type(error)(f"{name}: {error}").with_traceback(error.__traceback__)
            for note in getattr(error, "__notes__", ()):  # such as the line that it goes back to
                named_error.add_note(note)
            raise named_error from None

    return named


def buffer_of(name: str, x: Any, argument: str = "x") -> Buffer:
    """An argument of ``name`` that has to be a buffer; a NumPy array becomes one."""
    if isinstance(x, Buffer):
        return x
    node = operand(x)
    if isinstance(node, Node):
        return Buffer._value(node)
    raise ArgumentTypeError(
        f"{name} needs a buffer as {argument}, got {type(x).__name__}; "
        f"convert with onebuf.asarray(...)"
    )


def buffers_of(name: str, arrays: Any, argument: str = "arrays") -> list[Buffer]:
    """An argument of ``name`` that has to be a sequence of buffers."""
    if not isinstance(arrays, Iterable) or (isinstance(arrays, Buffer) and not arrays.shape):
        raise ArgumentTypeError(
            f"{name} needs a list or tuple of buffers as {argument}, got {type(arrays).__name__}"
        )
    return [buffer_of(name, x, f"{argument}[{place}]") for place, x in enumerate(arrays)]


def whole(name: str, argument: str, value: Any, least: int | None = None) -> int:
    """An argument of ``name`` that has to be a whole number, and perhaps at least ``least``."""
    try:
        number = as_int(value)
    except TypeError:
        raise ArgumentTypeError(
            f"{name} needs a whole number as {argument}, got {value!r}; pass an int"
        ) from None
    if least is not None and number < least:
        raise ArgumentError(f"{name} needs {argument} of at least {least}, got {number}")
    return number


def number(name: str, argument: str, value: Any, kinds: Any = (int, float)) -> Any:
    """An argument of ``name`` that has to be a number; of real ones, unless ``kinds`` says more."""
    if isinstance(value, (*kinds, np.number)):
        return value
    if isinstance(value, Buffer) and value.shape == ():
        return value.item()
    raise ArgumentTypeError(f"{name} needs a number as {argument}, got {value!r}")


def flag(name: str, argument: str, value: Any) -> bool:
    """An argument of ``name`` that has to be true or false."""
    if isinstance(value, bool | int | np.bool):
        return bool(value)
    raise ArgumentTypeError(f"{name} needs True or False as {argument}, got {value!r}")


def sequence(name: str, argument: str, value: Any) -> tuple[Any, ...]:
    """An argument of ``name`` that has to be a sequence, such as a shape or some axes."""
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return tuple(value)
    raise ArgumentTypeError(f"{name} needs a tuple as {argument}, got {value!r}")
