"""Element-wise functions, each made from the operation of its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from onebuf.array_api.arguments import public
from onebuf.buffer import Buffer
from onebuf.buffer.operators import bounded, node_of, operand
from onebuf.errors import ArgumentTypeError
from onebuf.graph import BINARY, UNARY, Node, Op
from onebuf.ops import binary, unary


def _unary(op: Op) -> Callable[[Buffer], Buffer]:
    def function(x: Buffer, /) -> Buffer:
        return Buffer._value(unary(op, node_of(op.name, x)))

    return _named(function, op.name)


def _binary(op: Op) -> Callable[[Any, Any], Buffer]:
    def function(x1: Any, x2: Any, /) -> Buffer:
        one, two = operand(x1), operand(x2)
        if not (isinstance(one, Node) or isinstance(two, Node)) or one is None or two is None:
            raise ArgumentTypeError(
                f"{op.name} needs a buffer and a buffer or number, got {type(x1).__name__} and "
                f"{type(x2).__name__}; convert with onebuf.asarray(...)"
            )
        return Buffer._value(binary(op, one, two))

    return _named(function, op.name)


def _named(function: Callable[..., Buffer], name: str) -> Callable[..., Buffer]:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name.replace('_', ' ').capitalize()}, element by element."
    return function


abs = _unary(UNARY["abs"])
acos = _unary(UNARY["acos"])
acosh = _unary(UNARY["acosh"])
asin = _unary(UNARY["asin"])
asinh = _unary(UNARY["asinh"])
atan = _unary(UNARY["atan"])
atanh = _unary(UNARY["atanh"])
bitwise_invert = _unary(UNARY["bitwise_invert"])
ceil = _unary(UNARY["ceil"])
conj = _unary(UNARY["conj"])
cos = _unary(UNARY["cos"])
cosh = _unary(UNARY["cosh"])
exp = _unary(UNARY["exp"])
expm1 = _unary(UNARY["expm1"])
floor = _unary(UNARY["floor"])
imag = _unary(UNARY["imag"])
isfinite = _unary(UNARY["isfinite"])
isinf = _unary(UNARY["isinf"])
isnan = _unary(UNARY["isnan"])
log = _unary(UNARY["log"])
log10 = _unary(UNARY["log10"])
log1p = _unary(UNARY["log1p"])
log2 = _unary(UNARY["log2"])
logical_not = _unary(UNARY["logical_not"])
negative = _unary(UNARY["negative"])
positive = _unary(UNARY["positive"])
real = _unary(UNARY["real"])
reciprocal = _unary(UNARY["reciprocal"])
round = _unary(UNARY["round"])
sign = _unary(UNARY["sign"])
signbit = _unary(UNARY["signbit"])
sin = _unary(UNARY["sin"])
sinh = _unary(UNARY["sinh"])
sqrt = _unary(UNARY["sqrt"])
square = _unary(UNARY["square"])
tan = _unary(UNARY["tan"])
tanh = _unary(UNARY["tanh"])
trunc = _unary(UNARY["trunc"])

add = _binary(BINARY["add"])
atan2 = _binary(BINARY["atan2"])
bitwise_and = _binary(BINARY["bitwise_and"])
bitwise_left_shift = _binary(BINARY["bitwise_left_shift"])
bitwise_or = _binary(BINARY["bitwise_or"])
bitwise_right_shift = _binary(BINARY["bitwise_right_shift"])
bitwise_xor = _binary(BINARY["bitwise_xor"])
copysign = _binary(BINARY["copysign"])
divide = _binary(BINARY["divide"])
equal = _binary(BINARY["equal"])
floor_divide = _binary(BINARY["floor_divide"])
greater = _binary(BINARY["greater"])
greater_equal = _binary(BINARY["greater_equal"])
hypot = _binary(BINARY["hypot"])
less = _binary(BINARY["less"])
less_equal = _binary(BINARY["less_equal"])
logaddexp = _binary(BINARY["logaddexp"])
logical_and = _binary(BINARY["logical_and"])
logical_or = _binary(BINARY["logical_or"])
logical_xor = _binary(BINARY["logical_xor"])
maximum = _binary(BINARY["maximum"])
minimum = _binary(BINARY["minimum"])
multiply = _binary(BINARY["multiply"])
nextafter = _binary(BINARY["nextafter"])
not_equal = _binary(BINARY["not_equal"])
pow = _binary(BINARY["pow"])
remainder = _binary(BINARY["remainder"])
subtract = _binary(BINARY["subtract"])


@public
def clip(x: Buffer, /, min: Any = None, max: Any = None) -> Buffer:
    """``x`` with elements below ``min`` raised to it and those above ``max`` lowered to it.

    >>> clip(Buffer([1, 5, 9]), 2, 6)
    Buffer([2, 5, 6], shape=(3,), dtype=int32, device=CPU)
    """
    return Buffer._value(bounded(node_of("clip", x), min, max))
