"""Methods of tensors, made from those of buffers by tables of names.

What a method computes is said by `Buffer` and by `onebuf.ops`, and its gradient by the rules of
`onebuf.gradients`; this module only says which names there are, and which of them are recorded.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from onebuf.buffer import Buffer
from onebuf.graph import BINARY, UNARY, Op, Rule
from onebuf.ops import binary, unary
from onebuf.tensor.base import TensorState
from onebuf.tensor.precision import product
from onebuf.tensor.recording import as_tensors, call, plain

RECORDED = (
    *("abs", "astype", "chip", "clip", "conj", "conjugate", "contiguous", "copy", "cos"),
    *("cumprod", "cumsum", "diagonal", "dot", "exp", "expand", "expand_dims", "flatten", "flip"),
    *("log", "max", "maximum", "mean", "min", "minimum", "pad", "permute", "prod", "ptp", "ravel"),
    *("repeat", "reshape", "round", "shrink", "sin", "slice", "sliding_window", "sqrt", "square"),
    *("squeeze", "std", "sum", "swapaxes", "take", "tanh", "to_device", "trace", "transpose"),
    *("unsqueeze", "var"),
)
"""Methods of buffers that give new elements, or views, with a gradient."""
UNRECORDED = (
    *("all", "any", "argmax", "argmin", "argpartition", "argsort", "nonzero", "searchsorted"),
)
"""Methods of buffers whose results have no gradient."""
PROPERTIES = ("T", "mT", "real", "imag")
"""Properties of buffers that are elements."""
OPERATORS = {
    **{"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide"},
    **{"floordiv": "floor_divide", "mod": "remainder", "pow": "pow"},
    **{"and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor"},
    **{"lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift", "matmul": "matmul"},
}
"""Operators with two operands, by the names of Python and of the operation."""
COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
SIGNS = {"neg": "negative", "pos": "positive", "abs": "abs", "invert": "bitwise_invert"}
_OPERANDS = (TensorState, Buffer, int, float, complex, np.ndarray, np.generic, list, tuple)


def method(name: str) -> Callable[..., Any]:
    """The method of buffers ``name``, recorded."""

    def on_buffer(x: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(x, name)(*args, **kwargs)

    def recorded(self: TensorState, *args: Any, **kwargs: Any) -> Any:
        return call(on_buffer, name, self, *args, **kwargs)

    return _named(recorded, name, getattr(Buffer, name).__doc__)


def unrecorded(name: str) -> Callable[..., Any]:
    """The method of buffers ``name``, whose result has no gradient."""

    def unrecorded(self: TensorState, *args: Any, **kwargs: Any) -> Any:
        found = getattr(self._data, name)(*plain(args), **plain(kwargs))
        return as_tensors(found, type(self))

    return _named(unrecorded, name, getattr(Buffer, name).__doc__)


def element(name: str) -> property:
    """The property of buffers ``name``, recorded."""
    on_buffer = operator.attrgetter(name)

    def recorded(self: TensorState) -> Any:
        return call(on_buffer, name, self)

    return property(_named(recorded, name, getattr(Buffer, name).__doc__))


def operation(op: Op) -> Callable[..., Any]:
    """An elementwise operation as a method of its name."""
    if op.arity == 1:

        def on_buffers(x: Buffer) -> Any:
            return x._value(unary(op, x._node))

    else:

        def on_buffers(x: Buffer, y: Any) -> Any:  # type: ignore[misc]
            return x._value(binary(op, x._node, y._node if isinstance(y, Buffer) else y))

    has_gradient = op.rule is not Rule.BOOL and op.rule is not Rule.INTEGER

    def applied(self: TensorState, *others: Any) -> Any:
        if has_gradient:
            return call(on_buffers, op.name, self, *others)
        return as_tensors(on_buffers(self._data, *plain(others)), type(self))

    text = f"{op.name.replace('_', ' ').capitalize()}, element by element."
    return _named(applied, op.name, text)


def infix(name: str, swapped: bool = False) -> Callable[..., Any]:
    """``x op y``; ``y op x`` if ``swapped``."""
    compute: Callable[..., Any] = getattr(operator, _spelled(name))
    if name == "matmul":
        compute = product
    text = OPERATORS[name]

    def applied(self: TensorState, other: Any, /) -> Any:
        if not isinstance(other, _OPERANDS):
            return NotImplemented
        if swapped:
            return call(compute, text, as_operand(other), self)
        return call(compute, text, self, as_operand(other))

    return _named(applied, f"__{'r' * swapped}{name}__", None)


def in_place(name: str) -> Callable[..., Any]:
    """``x op= y``: the elements are changed, and the change is recorded."""
    compute, text = infix(name), OPERATORS[name]
    write: Callable[..., Any] = getattr(operator, f"i{name}")

    def applied(self: Any, other: Any, /) -> Any:
        if not isinstance(other, _OPERANDS):
            return NotImplemented
        if not self._is_recorded_with(other):
            self._data = write(self._data, plain(as_operand(other)))
            return self
        self._check_may_change(f"{text} in place")
        self._become(compute(self, other), ...)
        return self

    return _named(applied, f"__i{name}__", None)


def comparison(name: str) -> Callable[..., Any]:
    """``x op y``, which has no gradient."""
    compute: Callable[..., Any] = getattr(operator, name)

    def applied(self: TensorState, other: Any, /) -> Any:
        if not isinstance(other, _OPERANDS):
            return NotImplemented
        return as_tensors(compute(self._data, plain(as_operand(other))), type(self))

    return _named(applied, f"__{name}__", None)


def prefix(name: str) -> Callable[..., Any]:
    """``op x``."""
    compute: Callable[..., Any] = getattr(operator, name)

    def applied(self: TensorState, /) -> Any:
        return call(compute, SIGNS[name], self)

    return _named(applied, f"__{name}__", None)


def as_operand(other: Any) -> Any:
    """An operand that buffers know: of NumPy's arrays and of lists, a buffer."""
    return Buffer(other) if isinstance(other, np.ndarray | list | tuple) else other


def _spelled(name: str) -> str:
    return f"{name}_" if name in ("and", "or") else name


def _named(function: Callable[..., Any], name: str, text: str | None) -> Callable[..., Any]:
    function.__name__ = function.__qualname__ = name
    # Examples in the text are those of buffers, which are run there.
    function.__doc__ = None if text is None else text.split("\n")[0]
    return function


def table() -> dict[str, Any]:
    """Every method that is made here, by name."""
    made: dict[str, Any] = {}
    for op in (UNARY | BINARY).values():
        made[op.name] = operation(op)
    made |= {name: method(name) for name in RECORDED}
    made |= {name: unrecorded(name) for name in UNRECORDED}
    made |= {name: element(name) for name in PROPERTIES}
    for name in OPERATORS:
        made[f"__{name}__"] = infix(name)
        made[f"__r{name}__"] = infix(name, swapped=True)
        made[f"__i{name}__"] = in_place(name)
    made |= {f"__{name}__": comparison(name) for name in COMPARISONS}
    made |= {f"__{name}__": prefix(name) for name in SIGNS}
    return made


def with_methods(kind: type[Any]) -> type[Any]:
    """``kind`` with all methods of the table that it does not have itself."""
    own = vars(kind)
    for name, made in table().items():
        if name not in own:
            setattr(kind, name, made)
    return kind
