"""Operations on nodes by short names, for formulas.

Operands are nodes, or Python's numbers next to one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from onebuf.dtypes import bool as bool_
from onebuf.graph import BINARY, UNARY, Node
from onebuf.ops import binary, constant, ternary_where, unary


def two(name: str) -> Callable[[Any, Any], Node]:
    """An operation of two operands."""
    return partial(binary, BINARY[name])


def one(name: str) -> Callable[[Node], Node]:
    """An operation of one operand."""
    return partial(unary, UNARY[name])


add, subtract, multiply, divide = map(two, ("add", "subtract", "multiply", "divide"))
equal, less, less_equal, power = map(two, ("equal", "less", "less_equal", "pow"))
not_equal, either, atan2 = map(two, ("not_equal", "logical_or", "atan2"))
maximum, minimum, hypot, with_sign = map(two, ("maximum", "minimum", "hypot", "copysign"))
floor_divide = two("floor_divide")
exp, log, sqrt, sin, cos = map(one, ("exp", "log", "sqrt", "sin", "cos"))
absolute, negative, floor, ceil = map(one, ("abs", "negative", "floor", "ceil"))
expm1, log1p, sinh, cosh = map(one, ("expm1", "log1p", "sinh", "cosh"))
isnan, isinf, signbit, invert = map(one, ("isnan", "isinf", "signbit", "bitwise_invert"))
logical_not, real, imag = map(one, ("logical_not", "real", "imag"))


def number(value: Any, like: Node) -> Node:
    """A number in the dtype of a node."""
    return constant((), value, like.dtype)


def where(condition: Node, x: Any, y: Any) -> Node:
    """``x`` where a condition holds, else ``y``; one of them may be a number."""
    like = x if isinstance(x, Node) else y
    chosen = [part if isinstance(part, Node) else number(part, like) for part in (x, y)]
    return ternary_where(condition, *chosen)


def truth(x: Node) -> Node:
    """Whether elements are other than zero."""
    return x if x.dtype == bool_ else not_equal(x, 0)
