"""Operations in terms of simpler ones, for devices that lack them.

Each function takes the operands of an operation and gives the same values from other operations,
which are nearer to what any device has: sums, products, quotients, comparisons, exponentials and
logarithms. There are no cycles among them, so that rewriting ends. Floats narrower than 32 bits are
computed in float32. The last bits of functions may differ by a few units.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log

import numpy as np

from onebuf.dtypes import bool as bool_
from onebuf.dtypes import float32, kind
from onebuf.graph import REDUCE, Node
from onebuf.graph.loop_dtypes import loop_dtypes
from onebuf.op_graph.rewrite import complex_rewrites as parts
from onebuf.op_graph.rewrite import simple_terms as t
from onebuf.ops import cast, constant, copied, reduce, ternary_where

LOG_2, LOG_10 = log(2.0), log(10.0)

Rewrite = Callable[..., Node | None]
"""(*operands, node=the node to rewrite); None if nothing simpler is known for its dtypes."""


def _rewrite_hypot(x: Node, y: Node) -> Node:
    x, y = t.absolute(x), t.absolute(y)
    large, small = t.maximum(x, y), t.minimum(x, y)
    ratio = t.divide(small, large)
    length = t.multiply(large, t.sqrt(t.add(t.multiply(ratio, ratio), 1.0)))
    length = t.where(t.equal(large, 0.0), large, length)
    return t.where(t.either(t.isinf(x), t.isinf(y)), inf, length)


def _rewrite_logaddexp(x: Node, y: Node) -> Node:
    distance = t.absolute(t.subtract(x, y))
    apart = t.add(t.maximum(x, y), t.log1p(t.exp(t.negative(distance))))
    return t.where(t.equal(x, y), t.add(x, LOG_2), apart)


def _rewrite_expm1(x: Node) -> Node:
    """Kahan's: the error of exp(x) - 1 and that of the logarithm of exp(x) are the same."""
    power = t.exp(x)
    less = t.subtract(power, 1.0)
    scaled = t.divide(t.multiply(less, x), t.log(power))
    found = t.where(t.equal(less, -1.0), -1.0, scaled)
    return t.where(t.equal(power, 1.0), x, t.where(t.isinf(power), power, found))


def _rewrite_log1p(x: Node) -> Node:
    """Kahan's: the same for log(1 + x)."""
    more = t.add(x, 1.0)
    scaled = t.divide(t.multiply(t.log(more), x), t.subtract(more, 1.0))
    return t.where(t.equal(more, 1.0), x, t.where(t.equal(more, inf), more, scaled))


def _rewrite_exp2(x: Node) -> Node:
    return t.power(t.number(2.0, x), x)


def _rewrite_log2(x: Node) -> Node:
    return t.divide(t.log(x), LOG_2)


def _rewrite_log10(x: Node) -> Node:
    return t.divide(t.log(x), LOG_10)


def _rewrite_tan(x: Node) -> Node:
    return t.divide(t.sin(x), t.cos(x))


def _rewrite_sinh(x: Node) -> Node:
    grown = t.expm1(t.absolute(x))
    both = t.add(grown, t.divide(grown, t.add(grown, 1.0)))
    return t.with_sign(t.where(t.isinf(grown), grown, t.multiply(both, 0.5)), x)


def _rewrite_cosh(x: Node) -> Node:
    grown = t.exp(t.absolute(x))
    return t.multiply(t.add(grown, t.divide(t.number(1.0, grown), grown)), 0.5)


def _rewrite_tanh(x: Node) -> Node:
    shrunk = t.expm1(t.multiply(t.absolute(x), -2.0))
    return t.with_sign(t.divide(shrunk, t.add(shrunk, 2.0)), x)


def _rewrite_asinh(x: Node) -> Node:
    size = t.absolute(x)
    square = t.multiply(size, size)
    near = t.log1p(t.add(size, t.divide(square, t.add(t.sqrt(t.add(square, 1.0)), 1.0))))
    far = t.add(t.log(size), LOG_2)
    return t.with_sign(t.where(t.less(t.number(1e8, size), size), far, near), x)


def _rewrite_acosh(x: Node) -> Node:
    above = t.subtract(x, 1.0)
    root = t.sqrt(t.add(t.multiply(above, 2.0), t.multiply(above, above)))
    far = t.add(t.log(x), LOG_2)
    return t.where(t.less(t.number(1e8, x), x), far, t.log1p(t.add(above, root)))


def _rewrite_atanh(x: Node) -> Node:
    size = t.absolute(x)
    ratio = t.divide(t.multiply(size, 2.0), t.subtract(t.number(1.0, size), size))
    return t.with_sign(t.multiply(t.log1p(ratio), 0.5), x)


def _leg(x: Node) -> Node:
    """The other leg of a right triangle with hypotenuse 1."""
    one = t.number(1.0, x)
    return t.sqrt(t.multiply(t.subtract(one, x), t.add(x, one)))


def _rewrite_asin(x: Node) -> Node:
    return t.atan2(x, _leg(x))


def _rewrite_acos(x: Node) -> Node:
    return t.atan2(_leg(x), x)


def _rewrite_atan(x: Node) -> Node:
    return t.atan2(x, t.number(1.0, x))


def _rewrite_cbrt(x: Node) -> Node:
    """By logarithm, and one step of Newton's for the last digits."""
    size = t.absolute(x)
    root = t.exp(t.divide(t.log(size), 3.0))
    square = t.multiply(root, root)
    step = t.divide(t.subtract(root, t.divide(size, square)), 3.0)
    is_special = t.either(t.equal(size, 0.0), t.isinf(size))
    return t.with_sign(t.where(is_special, size, t.subtract(root, step)), x)


def _rewrite_square(x: Node) -> Node:
    return t.multiply(x, x)


def _rewrite_reciprocal(x: Node) -> Node | None:
    return t.divide(t.number(1, x), x) if kind(x.dtype) in "fc" else None


def _rewrite_negative(x: Node) -> Node:
    return t.subtract(t.number(0, x), x) if kind(x.dtype) == "u" else t.multiply(x, -1)


def _rewrite_abs(x: Node) -> Node:
    if kind(x.dtype) in "bu":
        return copied(x)
    return t.where(t.less_equal(x, 0), t.subtract(t.number(0, x), x), x)


def _rewrite_sign(x: Node) -> Node | None:
    if kind(x.dtype) == "c":
        return None
    below = t.where(t.less(x, 0), -1, x) if kind(x.dtype) != "u" else x
    above = t.where(t.less(t.number(0, x), x), 1, below)
    return t.where(t.equal(x, 0), 0, above)


def _rewrite_ceil(x: Node) -> Node:
    if kind(x.dtype) != "f":
        return copied(x)
    return t.negative(t.floor(t.negative(x)))


def _rewrite_trunc(x: Node) -> Node:
    if kind(x.dtype) != "f":
        return copied(x)
    return t.where(t.less(x, 0), t.ceil(x), t.floor(x))


def _rewrite_maximum(x: Node, y: Node) -> Node | None:
    if kind(x.dtype) == "c":
        return None
    is_first = t.less_equal(y, x)
    if kind(x.dtype) == "f":
        is_first = t.either(is_first, t.isnan(x))
    return t.where(is_first, x, y)


def _rewrite_minimum(x: Node, y: Node) -> Node | None:
    if kind(x.dtype) == "c":
        return None
    is_first = t.less_equal(x, y)
    if kind(x.dtype) == "f":
        is_first = t.either(is_first, t.isnan(x))
    return t.where(is_first, x, y)


def _rewrite_remainder(x: Node, y: Node) -> Node | None:
    if kind(x.dtype) not in "iu":
        return None
    rest = t.subtract(x, t.multiply(t.floor_divide(x, y), y))
    return t.where(t.equal(y, 0), 0, rest)


def _rewrite_copysign(x: Node, y: Node) -> Node:
    size = t.absolute(x)
    return t.where(t.signbit(y), t.negative(size), size)


def _rewrite_invert(x: Node) -> Node:
    if x.dtype == bool_:
        return t.logical_not(x)
    most = np.iinfo(x.dtype).max if kind(x.dtype) == "u" else -1
    return t.subtract(t.number(most, x), x)


def _rewrite_isnan(x: Node) -> Node:
    return t.logical_not(t.equal(x, x))


def _rewrite_isinf(x: Node) -> Node | None:
    return t.equal(t.absolute(x), inf) if kind(x.dtype) == "f" else None


def _rewrite_isfinite(x: Node) -> Node | None:
    return t.less(t.absolute(x), inf) if kind(x.dtype) == "f" else None


def _rewrite_greater(x: Node, y: Node) -> Node:
    return t.less(y, x)


def _rewrite_greater_equal(x: Node, y: Node) -> Node:
    return t.less_equal(y, x)


def _rewrite_not_equal(x: Node, y: Node) -> Node:
    return t.logical_not(t.equal(x, y))


def _rewrite_not(x: Node) -> Node:
    return t.equal(x, False if x.dtype == bool_ else 0)


def _rewrite_and(x: Node, y: Node) -> Node:
    return ternary_where(t.truth(x), t.truth(y), constant((), False, bool_))


def _rewrite_or(x: Node, y: Node) -> Node:
    return ternary_where(t.truth(x), constant((), True, bool_), t.truth(y))


def _rewrite_xor(x: Node, y: Node) -> Node:
    return t.not_equal(t.truth(x), t.truth(y))


def _in_loop(formula: Callable[..., Node | None]) -> Rewrite:
    """A formula on operands in the dtypes of NumPy's loop, narrow floats in float32."""

    def rewrite(*operands: Node, node: Node) -> Node | None:
        loop = loop_dtypes(node.op, tuple([operand.dtype for operand in operands]))
        if loop is None:
            return None
        wide = [float32 if kind(one) == "f" and one.itemsize < 4 else one for one in loop]
        given = [cast(operand, one) for operand, one in zip(operands, wide, strict=True)]
        found = formula(*given)
        return None if found is None else cast(found, node.dtype)

    return rewrite


def _by_parts(of_real: Callable[..., Node] | None, of_complex: Callable[..., Node]) -> Rewrite:
    """One formula for real numbers, if there is one, and another for complex ones."""

    def rewrite(*operands: Node, node: Node) -> Node | None:
        is_complex = any(kind(operand.dtype) == "c" for operand in operands)
        formula = of_complex if is_complex else of_real
        return None if formula is None else _in_loop(formula)(*operands, node=node)

    return rewrite


def _of_real(formula: Callable[..., Node | None]) -> Rewrite:
    """A formula for real numbers alone."""

    def rewrite(*operands: Node, node: Node) -> Node | None:
        if any(kind(operand.dtype) == "c" for operand in operands):
            return None
        return _in_loop(formula)(*operands, node=node)

    return rewrite


def _mirrored(name: str) -> Rewrite:
    """A reduction by its opposite: the least element is the largest one of the mirror image."""

    def rewrite(x: Node, node: Node) -> Node | None:
        axes, keepdims = node.arg
        if kind(x.dtype) in "iu":
            found = reduce(REDUCE[name], t.invert(x), axes, keepdims)
            return t.invert(found) if node.dtype == x.dtype else found
        if kind(x.dtype) == "f":
            found = reduce(REDUCE[name], t.negative(x), axes, keepdims)
            return t.negative(found) if node.dtype == x.dtype else found
        return None

    return rewrite


def _rewrite_any(x: Node, node: Node) -> Node:
    axes, keepdims = node.arg
    return t.logical_not(reduce(REDUCE["all"], t.logical_not(t.truth(x)), axes, keepdims))


REWRITES: dict[str, Rewrite] = {
    "abs": _by_parts(_rewrite_abs, parts.complex_abs),
    "acos": _of_real(_rewrite_acos),
    "acosh": _of_real(_rewrite_acosh),
    "any": _rewrite_any,
    "argmin": _mirrored("argmax"),
    "asin": _of_real(_rewrite_asin),
    "asinh": _of_real(_rewrite_asinh),
    "atan": _of_real(_rewrite_atan),
    "atanh": _of_real(_rewrite_atanh),
    "bitwise_invert": _of_real(_rewrite_invert),
    "cbrt": _of_real(_rewrite_cbrt),
    "ceil": _of_real(_rewrite_ceil),
    "copysign": _of_real(_rewrite_copysign),
    "cos": _by_parts(None, parts.complex_cos),
    "cosh": _by_parts(_rewrite_cosh, parts.complex_cosh),
    "exp": _by_parts(None, parts.complex_exp),
    "exp2": _of_real(_rewrite_exp2),
    "expm1": _of_real(_rewrite_expm1),
    "greater": _of_real(_rewrite_greater),
    "greater_equal": _of_real(_rewrite_greater_equal),
    "hypot": _of_real(_rewrite_hypot),
    "isfinite": _of_real(_rewrite_isfinite),
    "isinf": _of_real(_rewrite_isinf),
    "isnan": _in_loop(_rewrite_isnan),
    "log": _by_parts(None, parts.complex_log),
    "log10": _by_parts(_rewrite_log10, parts.scaled_log(1 / LOG_10)),
    "log1p": _of_real(_rewrite_log1p),
    "log2": _by_parts(_rewrite_log2, parts.scaled_log(1 / LOG_2)),
    "logaddexp": _of_real(_rewrite_logaddexp),
    "logical_and": _in_loop(_rewrite_and),
    "logical_not": _in_loop(_rewrite_not),
    "logical_or": _in_loop(_rewrite_or),
    "logical_xor": _in_loop(_rewrite_xor),
    "maximum": _of_real(_rewrite_maximum),
    "min": _mirrored("max"),
    "minimum": _of_real(_rewrite_minimum),
    "negative": _in_loop(_rewrite_negative),
    "not_equal": _in_loop(_rewrite_not_equal),
    "positive": _in_loop(copied),
    "pow": _by_parts(None, parts.complex_pow),
    "reciprocal": _in_loop(_rewrite_reciprocal),
    "remainder": _of_real(_rewrite_remainder),
    "sign": _of_real(_rewrite_sign),
    "sin": _by_parts(None, parts.complex_sin),
    "sinh": _by_parts(_rewrite_sinh, parts.complex_sinh),
    "sqrt": _by_parts(None, parts.complex_sqrt),
    "square": _in_loop(_rewrite_square),
    "tan": _of_real(_rewrite_tan),
    "tanh": _by_parts(_rewrite_tanh, parts.complex_tanh),
    "trunc": _of_real(_rewrite_trunc),
}
"""What is known in simpler terms, by the name of the operation."""
