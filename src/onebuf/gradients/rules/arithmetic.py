"""The arithmetic that rules are written in: operations on nodes by short names.

Factors of analytic functions are conjugated here (`along`), and gradients are brought to the shape
and dtype of an operand here (`fitted`), so that rules read as in a textbook.
"""

from __future__ import annotations

from typing import Any

from onebuf.dtypes import kind
from onebuf.graph import BINARY, CONSTANT, REDUCE, UNARY, Node
from onebuf.ops import binary, cast, constant, reduce, reshape, ternary_where, unary


def add(x: Any, y: Any) -> Node:
    """The sum; one of the two may be a number, here and below."""
    return binary(BINARY["add"], x, y)


def subtract(x: Any, y: Any) -> Node:
    """The difference."""
    return binary(BINARY["subtract"], x, y)


def multiply(x: Any, y: Any) -> Node:
    """The product."""
    return binary(BINARY["multiply"], x, y)


def divide(x: Any, y: Any) -> Node:
    """The quotient."""
    return binary(BINARY["divide"], x, y)


def negative(x: Node) -> Node:
    """The same with the opposite sign."""
    return unary(UNARY["negative"], x)


def square(x: Node) -> Node:
    """The square."""
    return unary(UNARY["square"], x)


def call(name: str, x: Node) -> Node:
    """The elementary function of that name."""
    return unary(UNARY[name], x)


def compare(name: str, x: Any, y: Any) -> Node:
    """Where the comparison of that name holds."""
    return binary(BINARY[name], x, y)


def where(condition: Node, x: Node, y: Node | float) -> Node:
    """``x`` where the condition holds, else ``y``, in the dtype of ``x``."""
    other = y if isinstance(y, Node) else constant((), y, x.dtype)
    return ternary_where(condition, x, other)


def conj(x: Node) -> Node:
    """The complex conjugate; a real ``x`` itself."""
    return unary(UNARY["conj"], x) if kind(x.dtype) == "c" else x


def along(g: Node, slope: Node) -> Node:
    """The gradient of an operand at which an analytic function has this derivative."""
    return multiply(g, conj(slope))


def against(g: Node, divisor: Node) -> Node:
    """The same for the derivative ``1 / divisor``."""
    return divide(g, conj(divisor))


def constant_of(x: Node) -> Any:
    """The number that a node has everywhere, as Python has it; None if it is not known."""
    base = x.base
    is_known = base.op is CONSTANT and (x is base or (x.has_strides and x.view.mask is None))
    return base.arg.item() if is_known else None


def total(x: Node, axes: tuple[int, ...], keepdims: bool = False) -> Node:
    """The sum along ``axes``; of none of them, ``x`` itself."""
    return reduce(REDUCE["sum"], x, axes, keepdims) if axes else x


def unbroadcast(g: Node, shape: tuple[int, ...]) -> Node:
    """``g`` summed over the axes along which an operand of ``shape`` was repeated.

    >>> from onebuf.dtypes import float32
    >>> unbroadcast(constant((4, 2, 3), 1, float32), (2, 1)).shape
    (2, 1)
    """
    if g.shape == shape:
        return g
    added = len(g.shape) - len(shape)
    grown = [axis for axis in range(added, len(g.shape)) if g.shape[axis] != shape[axis - added]]
    summed = total(g, (*range(added), *grown))
    return summed if summed.shape == shape else reshape(summed, shape)


def fitted(g: Node, operand: Node) -> Node:
    """``g`` as a gradient of an operand: in its shape and dtype."""
    if kind(g.dtype) == "c" and kind(operand.dtype) != "c":
        g = call("real", g)
    return cast(unbroadcast(g, operand.shape), operand.dtype)
