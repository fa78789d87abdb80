"""Rules of elementwise operations: what the chain rule multiplies a gradient with.

A slope is written with the node's own result where that is cheaper than to compute it from the
operands: ``exp`` is its own slope. Operands are broadcast, so gradients are summed back.
Where a function has no slope, a rule chooses one: equal operands of ``maximum`` share the gradient
evenly, and ``abs`` and ``hypot`` are flat at 0.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log, pi, sqrt

from onebuf.dtypes import kind, promote
from onebuf.gradients.rules.arithmetic import (
    add,
    against,
    along,
    call,
    compare,
    conj,
    constant_of,
    divide,
    fitted,
    multiply,
    negative,
    square,
    subtract,
    where,
)
from onebuf.gradients.rules.table import RULES, Rule, differentiates, has_gradients
from onebuf.graph import BINARY, CAST, COMPLEX, UNARY, WHERE, Node
from onebuf.ops import binary, cast, constant

Pair = tuple[Node | None, Node | None]
One = Callable[[Node, Node, Node], Node]
"""(g, x, node) -> the gradient of ``x``, the only operand of ``node``."""


def _is_needed(operand: Node) -> bool:
    return has_gradients(operand.dtype) and constant_of(operand) is None


def _of_one(pull: One) -> Rule:
    """The rule of an operation with one operand."""

    def rule(node: Node, g: Node) -> tuple[Node | None]:
        (x,) = node.srcs
        return (fitted(pull(g, x, node), x) if has_gradients(x.dtype) else None,)

    return rule


_HALF_ROOT_PI = sqrt(pi) / 2


def _bell(g: Node, x: Node) -> Node:
    """The gradient through the error function."""
    return divide(multiply(g, call("exp", negative(square(x)))), _HALF_ROOT_PI)


def _over_root(g: Node, x: Node) -> Node:
    """``g / sqrt(1 - x^2)``."""
    return against(g, call("sqrt", subtract(1.0, square(x))))


def _acosh(g: Node, x: Node, node: Node) -> Node:
    one, two = subtract(x, 1.0), add(x, 1.0)
    if kind(x.dtype) == "c":  # the root of a product is on another branch
        return against(g, multiply(call("sqrt", one), call("sqrt", two)))
    return divide(g, call("sqrt", multiply(one, two)))


def _abs(g: Node, x: Node, node: Node) -> Node:
    is_complex = kind(x.dtype) == "c"
    return multiply(g, divide(x, _or_one(node)) if is_complex else call("sign", x))


@differentiates(UNARY["sign"])
def _sign(node: Node, g: Node) -> tuple[Node | None]:
    """A sign of complex numbers is ``z / abs(z)``, which only turns; that of reals is constant."""
    (x,) = node.srcs
    if kind(x.dtype) != "c":
        return (None,)
    outwards = multiply(node, call("real", multiply(conj(node), g)))
    return (divide(subtract(g, outwards), _or_one(call("abs", x))),)


def _or_one(x: Node) -> Node:
    """A divisor: 1 in place of 0."""
    return where(compare("equal", x, 0), constant((), 1, x.dtype), x)


def _imag(g: Node, x: Node, node: Node) -> Node:
    return multiply(cast(g, promote(g.dtype, x.dtype)), 1j) if kind(x.dtype) == "c" else _none(g)


def _none(g: Node) -> Node:
    return constant(g.shape, 0, g.dtype)


_ONE_OPERAND: dict[str, One] = {
    "abs": _abs,
    "acos": lambda g, x, node: negative(_over_root(g, x)),
    "acosh": _acosh,
    "asin": lambda g, x, node: _over_root(g, x),
    "asinh": lambda g, x, node: against(g, call("sqrt", add(square(x), 1.0))),
    "atan": lambda g, x, node: against(g, add(square(x), 1.0)),
    "atanh": lambda g, x, node: against(g, subtract(1.0, square(x))),
    "cbrt": lambda g, x, node: divide(g, multiply(square(node), 3.0)),
    "conj": lambda g, x, node: conj(g),
    "cos": lambda g, x, node: negative(along(g, call("sin", x))),
    "cosh": lambda g, x, node: along(g, call("sinh", x)),
    "erf": lambda g, x, node: _bell(g, x),
    "erfc": lambda g, x, node: negative(_bell(g, x)),
    "exp": lambda g, x, node: along(g, node),
    "exp2": lambda g, x, node: along(multiply(g, log(2)), node),
    "expm1": lambda g, x, node: along(g, add(node, 1.0)),
    "imag": _imag,
    "log": lambda g, x, node: against(g, x),
    "log10": lambda g, x, node: against(g, multiply(x, log(10))),
    "log1p": lambda g, x, node: against(g, add(x, 1.0)),
    "log2": lambda g, x, node: against(g, multiply(x, log(2))),
    "negative": lambda g, x, node: negative(g),
    "positive": lambda g, x, node: g,
    "real": lambda g, x, node: g,
    "reciprocal": lambda g, x, node: negative(along(g, square(node))),
    "sin": lambda g, x, node: along(g, call("cos", x)),
    "sinh": lambda g, x, node: along(g, call("cosh", x)),
    "sqrt": lambda g, x, node: against(g, multiply(node, 2.0)),
    "square": lambda g, x, node: along(multiply(g, 2.0), x),
    "tan": lambda g, x, node: along(g, add(square(node), 1.0)),
    "tanh": lambda g, x, node: along(g, subtract(1.0, square(node))),
}
RULES.update({UNARY[name]: _of_one(pull) for name, pull in _ONE_OPERAND.items()})
RULES[CAST] = _of_one(lambda g, x, node: g)


@differentiates(BINARY["add"])
def _add(node: Node, g: Node) -> Pair:
    x, y = node.srcs
    return _pair(node, g if _is_needed(x) else None, g if _is_needed(y) else None)


@differentiates(BINARY["subtract"])
def _subtract(node: Node, g: Node) -> Pair:
    x, y = node.srcs
    return _pair(node, g if _is_needed(x) else None, negative(g) if _is_needed(y) else None)


@differentiates(BINARY["multiply"])
def _multiply(node: Node, g: Node) -> Pair:
    x, y = node.srcs
    return _pair(
        node, along(g, y) if _is_needed(x) else None, along(g, x) if _is_needed(y) else None
    )


@differentiates(BINARY["divide"])
def _divide(node: Node, g: Node) -> Pair:
    _, y = node.srcs
    over = against(g, y)
    return _pair(node, over, negative(along(over, node)) if _is_needed(y) else None)


@differentiates(BINARY["pow"])
def _pow(node: Node, g: Node) -> Pair:
    x, y = node.srcs
    one = _base_of_power(g, x, y) if _is_needed(x) else None
    return _pair(node, one, _exponent(g, x, node) if _is_needed(y) else None)


def _base_of_power(g: Node, x: Node, y: Node) -> Node | None:
    """The gradient of ``x`` in ``x ** y``: 0 for an exponent of 0, also at 0."""
    power = BINARY["pow"]
    exponent = constant_of(y)
    if exponent is None or kind(y.dtype) == "c":
        is_zero = compare("equal", y, 0)
        less = subtract(where(is_zero, constant((), 1, y.dtype), y), 1)
        return along(g, where(is_zero, _none(g), multiply(binary(power, x, less), y)))
    if exponent == 0:
        return None
    if exponent == 1:
        return g
    return along(multiply(g, float(exponent)), binary(power, x, float(exponent) - 1))


def _exponent(g: Node, x: Node, node: Node) -> Node:
    """The gradient of ``y`` in ``x ** y``: 0 where ``x`` is 0."""
    base = constant_of(x)
    if base is not None and kind(x.dtype) != "c" and base > 0:
        return along(multiply(g, log(base)), node)
    return along(g, multiply(node, call("log", _or_one(cast(x, node.dtype)))))


@differentiates(BINARY["maximum"])
def _maximum(node: Node, g: Node) -> Pair:
    return _extreme(node, g, "greater")


@differentiates(BINARY["minimum"])
def _minimum(node: Node, g: Node) -> Pair:
    return _extreme(node, g, "less")


def _extreme(node: Node, g: Node, wins: str) -> Pair:
    """The gradients if the operand counts that ``wins`` a comparison; equal ones share it."""

    def gradient(one: Node, two: Node) -> Node | None:
        if not _is_needed(one):
            return None
        shared = where(compare("equal", one, two), multiply(g, 0.5), 0)
        return fitted(where(compare(wins, one, two), g, shared), one)

    x, y = node.srcs
    return gradient(x, y), gradient(y, x)


@differentiates(BINARY["atan2"])
def _atan2(node: Node, g: Node) -> Pair:
    y, x = node.srcs
    over = divide(g, add(square(cast(x, node.dtype)), square(cast(y, node.dtype))))
    return _pair(node, multiply(over, x), negative(multiply(over, y)))


@differentiates(BINARY["hypot"])
def _hypot(node: Node, g: Node) -> Pair:
    x, y = node.srcs
    over = divide(g, _or_one(node))
    return _pair(node, multiply(over, x), multiply(over, y))


@differentiates(BINARY["logaddexp"])
def _logaddexp(node: Node, g: Node) -> Pair:
    def gradient(x: Node) -> Node:
        is_same = compare("equal", x, node)  # and their difference not a number, if infinite
        return multiply(g, call("exp", where(is_same, _none(node), subtract(x, node))))

    x, y = node.srcs
    return _pair(node, gradient(x), gradient(y))


@differentiates(BINARY["copysign"])
def _copysign(node: Node, g: Node) -> Pair:
    x, _ = node.srcs
    is_kept = compare("equal", call("signbit", cast(x, node.dtype)), call("signbit", node))
    return _pair(node, where(is_kept, g, negative(g)), None)


@differentiates(BINARY["remainder"])
def _remainder(node: Node, g: Node) -> Pair:
    x, y = node.srcs
    quotient = binary(BINARY["floor_divide"], x, y) if _is_needed(y) else None
    return _pair(node, g, None if quotient is None else negative(multiply(g, quotient)))


def _pair(node: Node, one: Node | None, two: Node | None) -> Pair:
    """The gradients of both operands in their shapes and dtypes."""
    x, y = node.srcs
    return (
        fitted(one, x) if one is not None and has_gradients(x.dtype) else None,
        fitted(two, y) if two is not None and has_gradients(y.dtype) else None,
    )


@differentiates(WHERE)
def _where(node: Node, g: Node) -> tuple[None, Node | None, Node | None]:
    condition, x, y = node.srcs
    nothing = constant((), 0, g.dtype)
    return (
        None,
        fitted(where(condition, g, nothing), x) if _is_needed(x) else None,
        fitted(where(condition, nothing, g), y) if _is_needed(y) else None,
    )


@differentiates(COMPLEX)
def _complex(node: Node, g: Node) -> Pair:
    return _pair(node, call("real", g), call("imag", g))
