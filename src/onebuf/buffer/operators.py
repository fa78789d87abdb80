"""Operators: each a method made from the operation that it stands for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from onebuf.buffer.exchange.construction import as_node
from onebuf.buffer.handle import Handle
from onebuf.buffer.number_arithmetic import quick, quick_sign
from onebuf.buffer.numpy.out_arguments import written
from onebuf.dtypes import as_dtype, is_supported
from onebuf.dtypes import bool as bool_
from onebuf.dtypes import kind as kind_of
from onebuf.errors import ArgumentTypeError, ShapeError
from onebuf.graph import BINARY, UNARY, Foreign, Node, Number, Op
from onebuf.late import Late
from onebuf.machine import CPU
from onebuf.ops import PAIRS, SCALARS, SINGLES, SWAPPED, Scalar, binary, copied, full, matmul, unary
from onebuf.ops import cast as cast_node

if TYPE_CHECKING:
    from onebuf import engine
else:
    engine = Late("onebuf.engine")


_SCALARS = frozenset(SCALARS)
_new = object.__new__
_PLAIN = object()
_MULTIPLY, _EQUAL, _NOT_EQUAL = BINARY["multiply"], BINARY["equal"], BINARY["not_equal"]


def operand(other: Any) -> Node | Scalar | None:
    """What ``other`` is as an operand; None if it cannot be one.

    Python's scalars stay scalars and take the type of the buffer they meet.
    """
    if other.__class__ in _SCALARS:
        return cast(Scalar, other)
    node = getattr(other, "_node", None)
    if isinstance(node, Node):
        return node
    if isinstance(other, np.ndarray | np.generic) and is_supported(other.dtype):
        if isinstance(other, np.generic):
            return Number.of(other, other.dtype)
        return Foreign(np.asarray(other))
    if isinstance(other, SCALARS):  # an enumeration member, a subclass of float
        base: Any = next(kind for kind in SCALARS if isinstance(other, kind))
        return cast(Scalar, base(other))
    return None


def other_operand(self: Handle, other: Any) -> Node | Scalar | None:
    """What ``other`` is as the second operand of an operator: lists count as arrays."""
    found = operand(other)
    if found is None and isinstance(other, list | tuple):
        found = engine.moved(as_node(other, None, None, {}, None), self._node.device or CPU)
    return found


def node_of(name: str, x: Any) -> Node:
    """The node of an argument of ``name`` that has to be a buffer."""
    node = operand(x)
    if isinstance(node, Node):
        return node
    raise ArgumentTypeError(
        f"{name} needs a buffer, got {type(x).__name__}; convert with onebuf.asarray(...)"
    )


def bounded(x: Node, low: Any, high: Any) -> Node:
    """``x`` with elements below ``low`` raised to it, those above ``high`` lowered; same dtype.

    A Python integer beyond all that the dtype holds bounds nothing.
    """
    dtype = x.dtype
    if kind_of(dtype) in "iu":
        info = np.iinfo(dtype)
        low = None if low.__class__ is int and low <= info.min else low
        high = None if high.__class__ is int and high >= info.max else high
    if low is None and high is None:
        return copied(x)
    for bound, op in ((low, BINARY["maximum"]), (high, BINARY["minimum"])):
        if bound is not None:
            other = operand(bound)
            if other is None:
                raise ArgumentTypeError(f"clip needs numbers or buffers as bounds, got {bound!r}")
            x = binary(op, x, cast_node(other, dtype) if isinstance(other, Node) else other)
    return x


def infix(op: Op) -> Callable[..., Any]:
    """``x op y``."""

    on_numbers, _ = quick(op)
    compute = PAIRS[op]

    def method(self: Handle, other: Any, /) -> Any:
        cls = self.__class__
        kind = other.__class__
        y = other._node if kind is cls else other if kind in _SCALARS else operand(other)
        if y is None:
            return _with_foreign(op, self, other)
        x = self._node
        node: Node | None = None
        if not x.shape and isinstance(x, Number):
            node = on_numbers(x, y)
        if node is None:
            node = compute(x, y)
            if node.claimed:
                return self._value(node)
            node.claimed = True  # the rest is `_value`, spelled out for speed
        result = _new(cls)
        result._node = node
        result._base = None
        return result

    return _named(method, op)


def _with_foreign(op: Op, self: Handle, other: Any, swapped: bool = False) -> Any:
    """``self op other``, where ``other`` is no buffer, array or number; else way round if swapped.

    Lists and tuples count as arrays; but an integer repeats them, as Python's integers do. Nothing
    equals None, text, or an object that equals only itself.
    """
    if isinstance(other, list | tuple | str | bytes) and op is _MULTIPLY and _is_integer(self):
        return other * int(self)  # type: ignore[call-overload]
    y = other_operand(self, other)
    if y is not None:
        one, two = (y, self._node) if swapped else (self._node, y)
        return self._value(binary(op, one, two))
    if op is not _EQUAL and op is not _NOT_EQUAL:
        return NotImplemented
    if getattr(other, "__array_ufunc__", _PLAIN) is None:
        return NotImplemented
    if isinstance(other, str | bytes) or (_is_itself_alone(other) and not self._is_number):
        node = self._node
        return self._value(full(node.shape, op is _NOT_EQUAL, bool_, node.device or CPU))
    return NotImplemented


def _is_itself_alone(other: Any) -> bool:
    """Whether ``other`` is an object that equals no other."""
    equals: Any = type(other).__eq__
    return other is None or equals is object.__eq__


def _is_integer(self: Handle) -> bool:
    return self._is_number and kind_of(self._node.dtype) in "iu"


def reflected(op: Op) -> Callable[..., Any]:
    """``y op x``, where ``y`` does not know how."""

    _, on_numbers = quick(op)
    compute = SWAPPED[op]

    def method(self: Handle, other: Any, /) -> Any:
        x = self._node
        node = on_numbers(x, other) if not x.shape and isinstance(x, Number) else None
        if node is not None:
            return self._value(node)
        y = other if other.__class__ in _SCALARS else operand(other)
        if y is None:
            return _with_foreign(op, self, other, swapped=True)
        return self._value(compute(x, y))

    return _named(method, op)


def in_place(op: Op) -> Callable[..., Any]:
    """``x op= y``: written to the memory of ``x``, seen by every view of it.

    A number never changes: ``x`` becomes the name of another one.
    """

    forward = infix(op)

    def method(self: Handle, other: Any, /) -> Any:
        if self._base is None and not self._node.shape:
            return forward(self, other)
        kind = other.__class__
        if kind is self.__class__:
            y = other._node
        else:
            y = other if kind in _SCALARS else other_operand(self, other)
        if y is None:
            return NotImplemented
        engine.update(op, self._node, y)
        return self

    return _named(method, op)


def prefix(op: Op) -> Callable[..., Any]:
    """``op x``, also as a method of that name."""

    on_number = quick_sign(op)
    compute = SINGLES[op]

    def method(self: Handle, /) -> Any:
        x = self._node
        node = None
        if not x.shape and on_number is not None and isinstance(x, Number):
            node = on_number(x)
        return self._value(compute(x) if node is None else node)

    return _named(method, op)


def matrix_product(self: Handle, other: Any, /) -> Any:
    """The matrix product ``x @ y``."""
    y = other._node if other.__class__ is self.__class__ else other_operand(self, other)
    return self._value(matmul(self._node, y)) if isinstance(y, Node) else NotImplemented


def reflected_matrix_product(self: Handle, other: Any, /) -> Any:
    """The matrix product ``y @ x``, where ``y`` does not know how."""
    y = other_operand(self, other)
    return self._value(matmul(y, self._node)) if isinstance(y, Node) else NotImplemented


def matrix_product_in_place(self: Handle, other: Any, /) -> Any:
    """``x @= y``: written to the memory of ``x``, whose shape the product has to have."""
    y = other_operand(self, other)
    if not isinstance(y, Node):
        return NotImplemented
    x = self._node
    product = matmul(x, y)
    if product.shape != x.shape:
        raise ShapeError(
            f"matmul in place needs a product of the shape of x, {x.shape}, got {product.shape} "
            f"for y of shape {y.shape}; write x = x @ y for a new buffer"
        )
    engine.check_in_place("matmul", product.dtype, x.dtype)
    engine.assign(x, product)
    return self


def _named(method: Callable[..., Any], op: Op) -> Callable[..., Any]:
    method.__name__ = method.__qualname__ = op.name
    method.__doc__ = f"{op.name.replace('_', ' ').capitalize()}, element by element."
    return method


class Operators(Handle):
    """The operators of a buffer, one line each."""

    __slots__ = ()

    __add__, __radd__, __iadd__ = (f(BINARY["add"]) for f in (infix, reflected, in_place))
    __sub__, __rsub__, __isub__ = (f(BINARY["subtract"]) for f in (infix, reflected, in_place))
    __mul__, __rmul__, __imul__ = (f(BINARY["multiply"]) for f in (infix, reflected, in_place))
    __truediv__ = infix(BINARY["divide"])
    __rtruediv__ = reflected(BINARY["divide"])
    __itruediv__ = in_place(BINARY["divide"])
    __floordiv__ = infix(BINARY["floor_divide"])
    __rfloordiv__ = reflected(BINARY["floor_divide"])
    __ifloordiv__ = in_place(BINARY["floor_divide"])
    __mod__, __rmod__, __imod__ = (f(BINARY["remainder"]) for f in (infix, reflected, in_place))
    __pow__, __rpow__, __ipow__ = (f(BINARY["pow"]) for f in (infix, reflected, in_place))
    __and__, __rand__, __iand__ = (f(BINARY["bitwise_and"]) for f in (infix, reflected, in_place))
    __or__, __ror__, __ior__ = (f(BINARY["bitwise_or"]) for f in (infix, reflected, in_place))
    __xor__, __rxor__, __ixor__ = (f(BINARY["bitwise_xor"]) for f in (infix, reflected, in_place))
    __lshift__ = infix(BINARY["bitwise_left_shift"])
    __rlshift__ = reflected(BINARY["bitwise_left_shift"])
    __ilshift__ = in_place(BINARY["bitwise_left_shift"])
    __rshift__ = infix(BINARY["bitwise_right_shift"])
    __rrshift__ = reflected(BINARY["bitwise_right_shift"])
    __irshift__ = in_place(BINARY["bitwise_right_shift"])
    __lt__, __le__ = infix(BINARY["less"]), infix(BINARY["less_equal"])
    __gt__, __ge__ = infix(BINARY["greater"]), infix(BINARY["greater_equal"])
    __eq__, __ne__ = infix(BINARY["equal"]), infix(BINARY["not_equal"])
    __matmul__, __rmatmul__ = matrix_product, reflected_matrix_product
    __imatmul__ = matrix_product_in_place
    __neg__, __pos__ = prefix(UNARY["negative"]), prefix(UNARY["positive"])
    __abs__, __invert__ = prefix(UNARY["abs"]), prefix(UNARY["bitwise_invert"])

    exp, log, sqrt = prefix(UNARY["exp"]), prefix(UNARY["log"]), prefix(UNARY["sqrt"])
    sin, cos, tanh = prefix(UNARY["sin"]), prefix(UNARY["cos"]), prefix(UNARY["tanh"])
    abs, square = prefix(UNARY["abs"]), prefix(UNARY["square"])
    maximum, minimum = infix(BINARY["maximum"]), infix(BINARY["minimum"])

    def __divmod__(self, other: Any, /) -> Any:
        """The quotient rounded down and the remainder."""
        quotient = self.__floordiv__(other)
        return quotient if quotient is NotImplemented else (quotient, self.__mod__(other))

    def __rdivmod__(self, other: Any, /) -> Any:
        """The same the other way round."""
        quotient = self.__rfloordiv__(other)
        return quotient if quotient is NotImplemented else (quotient, self.__rmod__(other))

    def conj(self, out: Any = None) -> Any:
        """Complex conjugates; real numbers are their own."""
        if out is not None:
            return np.conjugate(self, out)  # type: ignore[call-overload]
        if kind_of(self._node.dtype) != "c":
            return self
        return self._value(unary(UNARY["conj"], self._node))

    conjugate = conj

    def clip(
        self,
        min: Any = None,
        max: Any = None,
        out: Any = None,
        *,
        casting: str | None = None,
        dtype: Any = None,
        where: Any = True,
    ) -> Any:
        """Elements below ``min`` raised to it and those above ``max`` lowered to it."""
        node = self._node if dtype is None else cast_node(self._node, as_dtype(dtype))
        result = self._value(bounded(node, min, max))
        if where is not True:
            out = self._value(copied(self._node)) if out is None else out
            np.copyto(out, result, casting=casting or "same_kind", where=where)  # type: ignore[arg-type]
            return out
        return result if out is None else written("clip", out, result, casting or "same_kind")
