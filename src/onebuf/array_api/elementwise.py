"""Element-wise functions, each made from the operation of its name."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from onebuf import dtypes, ops
from onebuf.array_api.arguments import buffer_of, into, node_of, public, whole
from onebuf.array_api.ufunc.ufunc import Function, chosen, one_operand, two_operands
from onebuf.buffer import Buffer
from onebuf.buffer.native_core import clipping
from onebuf.buffer.operators import bounded
from onebuf.graph import BINARY, UNARY

abs = one_operand(UNARY["abs"])
acos = one_operand(UNARY["acos"])
acosh = one_operand(UNARY["acosh"])
asin = one_operand(UNARY["asin"])
asinh = one_operand(UNARY["asinh"])
atan = one_operand(UNARY["atan"])
atanh = one_operand(UNARY["atanh"])
bitwise_invert = one_operand(UNARY["bitwise_invert"])
cbrt = one_operand(UNARY["cbrt"])
ceil = one_operand(UNARY["ceil"])
conj = one_operand(UNARY["conj"])
cos = one_operand(UNARY["cos"])
cosh = one_operand(UNARY["cosh"])
erf: Function = one_operand(UNARY["erf"])
erfc: Function = one_operand(UNARY["erfc"])
exp = one_operand(UNARY["exp"])
exp2 = one_operand(UNARY["exp2"])
expm1 = one_operand(UNARY["expm1"])
floor = one_operand(UNARY["floor"])
isfinite = one_operand(UNARY["isfinite"])
isinf = one_operand(UNARY["isinf"])
isnan = one_operand(UNARY["isnan"])
log = one_operand(UNARY["log"])
log10 = one_operand(UNARY["log10"])
log1p = one_operand(UNARY["log1p"])
log2 = one_operand(UNARY["log2"])
logical_not = one_operand(UNARY["logical_not"])
negative = one_operand(UNARY["negative"])
positive = one_operand(UNARY["positive"])
reciprocal = one_operand(UNARY["reciprocal"])
sign = one_operand(UNARY["sign"])
signbit = one_operand(UNARY["signbit"])
sin = one_operand(UNARY["sin"])
sinh = one_operand(UNARY["sinh"])
sqrt = one_operand(UNARY["sqrt"])
square = one_operand(UNARY["square"])
tan = one_operand(UNARY["tan"])
tanh = one_operand(UNARY["tanh"])
trunc = one_operand(UNARY["trunc"])

add = two_operands(BINARY["add"])
atan2 = two_operands(BINARY["atan2"])
bitwise_and = two_operands(BINARY["bitwise_and"])
bitwise_left_shift = two_operands(BINARY["bitwise_left_shift"])
bitwise_or = two_operands(BINARY["bitwise_or"])
bitwise_right_shift = two_operands(BINARY["bitwise_right_shift"])
bitwise_xor = two_operands(BINARY["bitwise_xor"])
copysign = two_operands(BINARY["copysign"])
divide = two_operands(BINARY["divide"])
equal = two_operands(BINARY["equal"])
floor_divide = two_operands(BINARY["floor_divide"])
greater = two_operands(BINARY["greater"])
greater_equal = two_operands(BINARY["greater_equal"])
hypot = two_operands(BINARY["hypot"])
less = two_operands(BINARY["less"])
less_equal = two_operands(BINARY["less_equal"])
logaddexp = two_operands(BINARY["logaddexp"])
logical_and = two_operands(BINARY["logical_and"])
logical_or = two_operands(BINARY["logical_or"])
logical_xor = two_operands(BINARY["logical_xor"])
maximum = two_operands(BINARY["maximum"])
minimum = two_operands(BINARY["minimum"])
multiply = two_operands(BINARY["multiply"])
nextafter = two_operands(BINARY["nextafter"])
not_equal = two_operands(BINARY["not_equal"])
pow = two_operands(BINARY["pow"])
remainder = two_operands(BINARY["remainder"])
subtract = two_operands(BINARY["subtract"])


@clipping()
@public
def clip(
    x: Any,
    /,
    min: Any = None,
    max: Any = None,
    out: Any = None,
    *,
    a_min: Any = None,
    a_max: Any = None,
    where: Any = True,
    casting: str = "same_kind",
    dtype: Any = None,
) -> Buffer:
    """``x`` with elements below ``min`` raised to it and those above ``max`` lowered to it.

    ``a_min`` and ``a_max`` are NumPy's older names of the bounds.

    >>> clip(Buffer([1, 5, 9]), 2, 6)
    Buffer([2, 5, 6], shape=(3,), dtype=int32, device=CPU)
    """
    low, high = (a_min if min is None else min), (a_max if max is None else max)
    node = node_of("clip", x)
    if dtype is not None:
        node = ops.cast(node, dtypes.as_dtype(dtype))
    low, high = (_bound(bound) for bound in (low, high))
    node = bounded(node, low, high)
    if out is None and where is True:
        return Buffer._value(node)
    return chosen("clip", node, out, where, casting)  # type: ignore[no-any-return]


def _bound(bound: Any) -> Any:
    return buffer_of("clip", bound, "a bound") if isinstance(bound, list | tuple) else bound


@public
def imag(x: Any, /) -> Buffer:
    """The imaginary parts."""
    return Buffer._value(ops.unary(UNARY["imag"], node_of("imag", x)))


@public
def real(x: Any, /) -> Buffer:
    """The real parts."""
    return Buffer._value(ops.unary(UNARY["real"], node_of("real", x)))


@public
def round(x: Any, /, decimals: int = 0, out: Any = None) -> Buffer:  # noqa: A001
    """The nearest number with so many ``decimals``; of two, the one whose last digit is even.

    >>> round(Buffer([1.25, 2.5]), 1).to_python()
    [1.2..., 2.5]
    """
    node, digits = node_of("round", x), whole("round", "decimals", decimals)
    if digits == 0:
        return into("round", out, Buffer._value(ops.unary(UNARY["round"], node)))
    kind = dtypes.kind(node.dtype)
    if kind in "biu":
        if digits > 0:
            return into("round", out, Buffer._value(node))
        result = ops.library(_round_whole, (node,), (digits,), node.shape, node.dtype, "round")
        return into("round", out, Buffer._value(result))
    scale = float(10 ** builtins.abs(digits))
    there, back = ("multiply", "divide") if digits > 0 else ("divide", "multiply")
    scaled = ops.binary(BINARY[there], node, scale)
    result = ops.binary(BINARY[back], ops.unary(UNARY["round"], scaled), scale)
    return into("round", out, Buffer._value(result))


def _round_whole(array: Any, decimals: int) -> Any:
    return np.round(array, decimals)
