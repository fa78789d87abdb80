"""Scalar arithmetic: two numbers without arrays, with the bits that arrays of one would give.

Programs that go through a buffer element by element do little else, and an array for every number
would cost ten times the arithmetic. float64 is Python's float. int64 is Python's int as long as the
result fits; what does not, and every other dtype and operation, is left to arrays.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from onebuf.dtypes import bool as bool_
from onebuf.dtypes import float64, int64
from onebuf.graph import BINARY, UNARY, Element, Number, Op

_LOW, _HIGH = -(1 << 63), (1 << 63) - 1

_FLOATS: dict[Op, Callable[[Any, Any], Any]] = {
    BINARY["add"]: operator.add,
    BINARY["subtract"]: operator.sub,
    BINARY["multiply"]: operator.mul,
    BINARY["divide"]: operator.truediv,
}
_INTS: dict[Op, Callable[[Any, Any], Any]] = {
    BINARY["add"]: operator.add,
    BINARY["subtract"]: operator.sub,
    BINARY["multiply"]: operator.mul,
    BINARY["floor_divide"]: operator.floordiv,
    BINARY["remainder"]: operator.mod,
    BINARY["bitwise_and"]: operator.and_,
    BINARY["bitwise_or"]: operator.or_,
    BINARY["bitwise_xor"]: operator.xor,
}
_COMPARISONS: dict[Op, Callable[[Any, Any], Any]] = {
    BINARY["equal"]: operator.eq,
    BINARY["not_equal"]: operator.ne,
    BINARY["less"]: operator.lt,
    BINARY["less_equal"]: operator.le,
    BINARY["greater"]: operator.gt,
    BINARY["greater_equal"]: operator.ge,
}
_SIGNS: dict[Op, Callable[[Any], Any]] = {
    UNARY["negative"]: operator.neg,
    UNARY["abs"]: operator.abs,
    UNARY["positive"]: operator.pos,
}
Apply = Callable[[Number, Any], Number | None]
"""An operation on a number and another, or a scalar; None where arrays have to compute it."""


def _nothing(x: Number, other: Any) -> None:
    return None


def _quotient(x: int, y: int) -> float:
    return float(x) / float(y)


def quick(op: Op) -> tuple[Apply, Apply]:
    """``x op other`` and ``other op x``."""
    compare = _COMPARISONS.get(op)
    float_result: np.dtype[Any]
    int_result: np.dtype[Any]
    floats, float_result = (compare, bool_) if compare else (_FLOATS.get(op), float64)
    ints, int_result = (compare, bool_) if compare else (_INTS.get(op), int64)
    if op is BINARY["divide"]:
        ints, int_result = _quotient, float64
    if floats is None and ints is None:
        return _nothing, _nothing

    def of_floats(x: Any, y: Any) -> Number | None:
        try:
            found = floats(float(x), float(y))  # type: ignore[misc]
        except (TypeError, ZeroDivisionError, OverflowError):  # no function, no answer, no float
            return None
        node = Number()  # `Number.of`, spelled out for speed
        node.scalar = found
        node.dtype = float_result
        node._array = node._block = None
        return node

    def of_ints(x: Any, y: Any) -> Number | None:
        try:
            found = ints(int(x), int(y))  # type: ignore[misc]
        except (TypeError, ZeroDivisionError):
            return None
        if int_result is int64 and not _LOW <= found <= _HIGH:
            return None
        return Number.of(found, int_result)

    def apply(x: Number, other: Any) -> Number | None:
        dtype = x.dtype
        kind = other.__class__
        if kind is float or kind is int:
            if dtype is float64 or (kind is float and dtype is int64):
                return of_floats(x.scalar, other)
            if dtype is int64 and _LOW <= other <= _HIGH:
                return of_ints(x.scalar, other)
        elif kind is Number or kind is Element:
            if dtype is float64 and (other.dtype is float64 or other.dtype is int64):
                return of_floats(x.scalar, other.scalar)
            if dtype is int64:
                if other.dtype is int64:
                    return of_ints(x.scalar, other.scalar)
                if other.dtype is float64:
                    return of_floats(x.scalar, other.scalar)
        return None

    def reflected(x: Number, other: Any) -> Number | None:
        dtype = x.dtype
        kind = other.__class__
        if kind is float or kind is int:
            if dtype is float64 or (kind is float and dtype is int64):
                return of_floats(other, x.scalar)
            if dtype is int64 and _LOW <= other <= _HIGH:
                return of_ints(other, x.scalar)
        return None

    return apply, reflected


def quick_sign(op: Op) -> Callable[[Number], Number | None] | None:
    """One operation on one number; None where there is no short way."""
    compute = _SIGNS.get(op)
    if compute is None:
        return None

    def computed(x: Number) -> Number | None:
        if x.dtype is float64:
            return Number.of(compute(float(x.scalar)), float64)
        if x.dtype is not int64:
            return None
        found = compute(int(x.scalar))
        return Number.of(found, int64) if found <= _HIGH else None

    return computed
