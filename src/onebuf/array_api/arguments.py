"""Arguments as callers pass them, checked in one place, so that errors name the function."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from operator import index as as_int
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

import numpy as np

from onebuf import dtypes
from onebuf.buffer import Buffer
from onebuf.buffer.exchange.construction import as_node
from onebuf.buffer.numpy.out_arguments import check_cast as check_cast
from onebuf.buffer.numpy.out_arguments import written
from onebuf.buffer.operators import operand
from onebuf.errors import ArgumentError, ArgumentTypeError, OnebufError
from onebuf.graph import Node
from onebuf.machine import Tracer
from onebuf.options import options

if TYPE_CHECKING:
    from numpy.typing import ArrayLike as NumpyLike

    ArrayLike = Buffer | NumpyLike
else:
    ArrayLike = Any
"""What becomes a buffer: buffers, arrays, numbers and nested sequences of them."""

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


def node_of(name: str, x: Any, argument: str = "x") -> Node:
    """The node of an argument of ``name``: a buffer, an array, a number or nested lists of them."""
    node = operand(x)
    if isinstance(node, Node):
        return node
    if node.__class__ in _NUMBERS:
        made = operand(_NUMBERS[node.__class__](node)) if _is_usual(node) else None
        if isinstance(made, Node):
            return made
    if x is None or isinstance(x, str | bytes | dict | set):
        raise ArgumentTypeError(
            f"{name} needs a buffer, numbers or nested lists of them as {argument}, got "
            f"{type(x).__name__}: {x!r}"
        )
    try:
        return as_node(x, None, None, defaults(), None)
    except OnebufError as error:
        raise type(error)(f"{name}, {argument}: {error}") from None


_NUMBERS: dict[type, Any] = {
    bool: np.bool,
    int: np.int64,
    float: np.float64,
    complex: np.complex128,
}


def _is_usual(number: Any) -> bool:
    """Whether NumPy's type of a Python number is the one that it becomes here."""
    if number.__class__ is int:
        return -(2**63) <= number < 2**63
    return number.__class__ is bool or options().default_float is dtypes.float64


def buffer_of(name: str, x: Any, argument: str = "x") -> Buffer:
    """An argument of ``name`` as a buffer; arrays, numbers and nested lists become one."""
    return x if isinstance(x, Buffer) else Buffer._value(node_of(name, x, argument))


def operand_of(name: str, x: Any, argument: str = "x") -> Any:
    """An argument of ``name`` as a node, or as the Python number that it is."""
    found = operand(x)
    return node_of(name, x, argument) if found is None else found


def buffers_of(name: str, arrays: Any, argument: str = "arrays") -> list[Buffer]:
    """An argument of ``name`` that has to be a sequence of buffers, or of what becomes one."""
    no_rows = isinstance(arrays, Buffer | np.ndarray) and not arrays.shape
    if not hasattr(arrays, "__getitem__") or no_rows or isinstance(arrays, str | dict):
        raise ArgumentTypeError(
            f'{name}: arrays to stack must be passed as a "sequence" type: needed a list or tuple '
            f"of buffers as {argument}, got {type(arrays).__name__}"
        )
    return [buffer_of(name, x, f"{argument}[{place}]") for place, x in enumerate(arrays)]


def defaults() -> dict[np.dtype[Any], np.dtype[Any]]:
    """Which types Python's numbers become, in place of NumPy's."""
    default = options().default_float
    if default.itemsize == 8:
        return {}
    return {dtypes.float64: default, dtypes.complex128: dtypes.complex64}


def into(name: str, out: Any, result: Buffer, casting: str = "same_kind") -> Buffer:
    """``result``, written to ``out`` if there is one, which then comes back itself.

    >>> b = Buffer([0.0, 0.0])
    >>> into("add", b, Buffer([1, 2])) is b, b.to_python()
    (True, [1.0, 2.0])
    """
    return result if out is None else cast(Buffer, written(name, out, result, casting))


def in_order(name: str, order: Any, known: str = "ACFK") -> bool:
    """Whether ``order`` asks for column-major order: True for "F"."""
    if order is None or (isinstance(order, str) and order.upper() in tuple(known)):
        return order is not None and order.upper() == "F"
    raise ArgumentError(f"{name} needs an order of {', '.join(known)} or None, got {order!r}")


def whole(name: str, argument: str, value: Any, least: int | None = None) -> int:
    """An argument of ``name`` that has to be an integer, and perhaps at least ``least``."""
    try:
        number = value if value.__class__ is int else as_int(value)
    except TypeError:
        raise ArgumentTypeError(
            f"{name} needs an integer as {argument}, got {value!r}; pass an int"
        ) from None
    if least is not None and number < least:
        raise ArgumentError(f"{name} needs {argument} of at least {least}, got {number}")
    return number


def number(name: str, argument: str, value: Any, kinds: Any = (int, float)) -> Any:
    """An argument of ``name`` that has to be a number; of real ones, unless ``kinds`` says more."""
    if isinstance(value, (*kinds, np.number)):
        return value
    if isinstance(value, Buffer) and value.shape == ():
        return read_number(name, value)
    raise ArgumentTypeError(f"{name} needs a number as {argument}, got {value!r}")


def read_number(name: str, value: Buffer) -> Any:
    """The number in a 0-d buffer, unless a trace that follows gradients refuses to have it read."""
    if isinstance(value._node.device, Tracer):
        value._node.device.refuse(name, value._node)
    return value.item()


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
