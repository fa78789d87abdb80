"""Elementwise operations as C-like expressions, by the kind of their operands.

Operands already have the dtype that the operation computes in.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from onebuf.dtypes import DT, bfloat16, complex128, float16, float32, float64, int64, kind
from onebuf.graph import BINARY, CAST, COMPLEX, RANDOM_WORDS, UNARY, WHERE, Op, Rule
from onebuf.render.clike import complex_numbers, float_functions, int_functions
from onebuf.render.clike.dialect import NARROW
from onebuf.render.clike.terms import Terms

Express = Callable[..., str]
"""(terms, dtype of the operands, *their texts) to the text of the result."""


def _infix(sign: str) -> Express:
    return lambda t, dtype, x, y: f"{x} {sign} {y}"


def _arithmetic(sign: str, of_bools: str) -> Express:
    def express(t: Terms, dtype: DT, x: str, y: str) -> str:
        letter = kind(dtype)
        if letter == "b":
            return f"{x} {of_bools} {y}"
        return f"{x} {sign} {y}" if letter == "f" else t.wrapping(dtype, sign, x, y)

    return express


def _order(sign: str, of_bools: str) -> Express:
    """A comparison; languages differ in the order of bools."""

    def express(t: Terms, dtype: DT, x: str, y: str) -> str:
        return of_bools.format(x, y) if kind(dtype) == "b" else f"{x} {sign} {y}"

    return express


def _logic(sign: str) -> Express:
    return lambda t, dtype, x, y: f"{truth(t, dtype, x)} {sign} {truth(t, dtype, y)}"


def _bits(sign: str, of_bools: str) -> Express:
    def express(t: Terms, dtype: DT, x: str, y: str) -> str:
        return f"{x} {of_bools} {y}" if kind(dtype) == "b" else t.cast(dtype, f"{x} {sign} {y}")

    return express


def _own(name: str, of_whole: Any, of_real: Any = None) -> Express:
    """A function that the text defines."""

    def express(t: Terms, dtype: DT, *texts: str) -> str:
        write = of_real if kind(dtype) == "f" else of_whole
        return f"{t.define(name, dtype, write)}({', '.join(texts)})"

    return express


def _builtin(name: str) -> Express:
    """A function of floats that the language has; integers stay as they are."""
    return lambda t, dtype, *texts: t.call(name, *texts) if kind(dtype) == "f" else texts[0]


def _extreme(name: str, sign: str, of_real: Any) -> Express:
    def express(t: Terms, dtype: DT, x: str, y: str) -> str:
        if kind(dtype) == "f":
            return f"{t.define(name, dtype, of_real)}({x}, {y})"
        if kind(dtype) == "b":
            return f"{x} {'||' if sign == '>' else '&&'} {y}"
        return f"{x} {sign} {y} ? {x} : {y}"

    return express


def _test(name: str, of_real: Any, of_whole: bool) -> Express:
    def express(t: Terms, dtype: DT, x: str) -> str:
        if kind(dtype) == "f":
            return f"{t.define(name, dtype, of_real)}({x})"
        return t.literal(np.dtype(bool), of_whole)

    return express


def _abs(t: Terms, dtype: DT, x: str) -> str:
    if kind(dtype) == "f":
        return t.call("fabs", x)
    if kind(dtype) != "i":
        return x
    zero = t.literal(dtype, 0)
    return f"{x} < {zero} ? {t.wrapping(dtype, '-', zero, x)} : {x}"


def _negative(t: Terms, dtype: DT, x: str) -> str:
    if kind(dtype) == "f":
        return f"-{x}"
    return t.wrapping(dtype, "-", t.literal(dtype, 0), x)


def _invert(t: Terms, dtype: DT, x: str) -> str:
    return f"!{x}" if kind(dtype) == "b" else t.cast(dtype, f"~{x}")


def _square(t: Terms, dtype: DT, x: str) -> str:
    return OPERATIONS[BINARY["multiply"]](t, dtype, x, x)


def _sign(t: Terms, dtype: DT, x: str) -> str:
    if kind(dtype) == "f":
        found = f"{t.define('sign', dtype, float_functions.sign)}({x})"
        if dtype == bfloat16:  # its library keeps the sign of a zero
            return f"{x} == {t.literal(float32, 0.0)} ? {x} : {found}"
        return found
    zero, one = t.literal(dtype, 0), t.literal(dtype, 1)
    if kind(dtype) == "u":
        return f"{x} > {zero} ? {one} : {zero}"
    return f"{x} > {zero} ? {one} : ({x} < {zero} ? {t.literal(dtype, -1)} : {zero})"


def _signbit(t: Terms, dtype: DT, x: str) -> str:
    if kind(dtype) == "f":
        return f"{t.define('signbit', dtype, float_functions.signbit)}({x})"
    return f"{x} < {t.literal(dtype, 0)}" if kind(dtype) == "i" else "false"


def _reciprocal(t: Terms, dtype: DT, x: str) -> str:
    return f"{t.literal(dtype, 1.0)} / {x}"


def _power(t: Terms, dtype: DT, x: str, y: str) -> str:
    if kind(dtype) == "f":
        return t.call("pow", x, y)
    if kind(dtype) == "i":
        t.check(f"{y} < {t.literal(dtype, 0)}", t.cast(int64, y))
    return f"{t.define('power', dtype, int_functions.power)}({x}, {y})"


def truth(t: Terms, dtype: DT, x: str) -> str:
    """Whether a number is not zero."""
    if kind(dtype) == "c":
        return complex_numbers.truth(t, dtype, x)
    return x if kind(dtype) == "b" else f"({x} != {t.literal(dtype, 0)})"


_SAME: Express = lambda t, dtype, x: x  # noqa: E731

OPERATIONS: dict[Op, Express] = {
    BINARY["add"]: _arithmetic("+", "||"),
    BINARY["subtract"]: _arithmetic("-", "!="),
    BINARY["multiply"]: _arithmetic("*", "&&"),
    BINARY["divide"]: _infix("/"),
    BINARY["equal"]: _infix("=="),
    BINARY["not_equal"]: _infix("!="),
    BINARY["less"]: _order("<", "!{} && {}"),
    BINARY["less_equal"]: _order("<=", "!{} || {}"),
    BINARY["greater"]: _order(">", "{} && !{}"),
    BINARY["greater_equal"]: _order(">=", "{} || !{}"),
    BINARY["logical_and"]: _logic("&&"),
    BINARY["logical_or"]: _logic("||"),
    BINARY["logical_xor"]: _logic("!="),
    BINARY["bitwise_and"]: _bits("&", "&&"),
    BINARY["bitwise_or"]: _bits("|", "||"),
    BINARY["bitwise_xor"]: _bits("^", "!="),
    BINARY["bitwise_left_shift"]: _own("left_shift", int_functions.left_shift),
    BINARY["bitwise_right_shift"]: _own("right_shift", int_functions.right_shift),
    BINARY["floor_divide"]: _own(
        "floor_divide", int_functions.floor_divide, float_functions.floor_divide
    ),
    BINARY["remainder"]: _own("remainder", int_functions.remainder, float_functions.remainder),
    BINARY["maximum"]: _extreme("maximum", ">", float_functions.maximum),
    BINARY["minimum"]: _extreme("minimum", "<", float_functions.minimum),
    BINARY["pow"]: _power,
    UNARY["abs"]: _abs,
    UNARY["bitwise_invert"]: _invert,
    UNARY["ceil"]: _builtin("ceil"),
    UNARY["conj"]: _SAME,
    UNARY["floor"]: _builtin("floor"),
    UNARY["imag"]: lambda t, dtype, x: t.literal(dtype, 0),
    UNARY["isfinite"]: _test("is_finite", float_functions.is_finite, True),
    UNARY["isinf"]: _test("is_inf", float_functions.is_inf, False),
    UNARY["isnan"]: _test("is_nan", float_functions.is_nan, False),
    UNARY["logical_not"]: lambda t, dtype, x: f"!{truth(t, dtype, x)}",
    UNARY["negative"]: _negative,
    UNARY["positive"]: _SAME,
    UNARY["real"]: _SAME,
    UNARY["round"]: _builtin("rint"),
    UNARY["sign"]: _sign,
    UNARY["signbit"]: _signbit,
    UNARY["square"]: _square,
    UNARY["trunc"]: _builtin("trunc"),
    **{op: _own("random_words", int_functions.random_words) for op in RANDOM_WORDS},
}
"""Operations that are defined for integers and floats alike."""

FLOATS_ONLY: dict[Op, Express] = {
    **{
        op: _builtin(op.name)
        for op in (UNARY | BINARY).values()
        if op.rule is Rule.FLOAT and op not in OPERATIONS
    },
    BINARY["logaddexp"]: _own("logaddexp", None, float_functions.logaddexp),
    UNARY["reciprocal"]: _reciprocal,
}
"""What is defined for floats alone: mostly functions that C has by the same name."""

_KEEPING = frozenset(
    {WHERE, BINARY["maximum"], BINARY["minimum"], BINARY["copysign"]}
    | {UNARY[name] for name in ("abs", "conj", "negative", "positive", "real", "imag", "sign")}
    | {UNARY[name] for name in ("ceil", "floor", "round", "trunc")}
)
"""What gives a narrow float of narrow floats without rounding."""


def express(t: Terms, op: Op, dtypes: tuple[DT, ...], texts: tuple[str, ...], result: DT) -> str:
    """The text of an operation on values."""
    dtype = dtypes[-1]
    if op is WHERE:
        test = truth(t, dtypes[0], texts[0])
        return f"{test} ? {texts[1]} : {texts[2]}"
    if op in RANDOM_WORDS:
        return OPERATIONS[op](t, result, *texts)
    if kind(dtype) == "c" or op is COMPLEX:
        return complex_numbers.express(t, op, dtype, texts, result)
    if op is UNARY["conj"]:
        return convert(t, dtype, result, texts[0])  # of bools it gives int8, as NumPy does
    text = (OPERATIONS.get(op) or FLOATS_ONLY[op])(t, dtype, *texts)
    if result.name in NARROW and op not in _KEEPING:
        return t.rounded(result, text)
    return text


def convert(t: Terms, source: DT, target: DT, text: str) -> str:
    """The text of a conversion; floats out of range, as `onebuf.dtypes.integer_of` says."""
    if source == target:
        return text
    one, two = kind(source), kind(target)
    if two == "b":
        return truth(t, source, text)
    if two == "c":
        return _to_complex(t, source, target, text)
    if one == "f" and two in "iu":
        write = partial(float_functions.to_integer, target=target)
        return f"{t.define(f'to_{target.name}', source, write)}({text})"
    if target.name in NARROW:
        return _to_narrow(t, source, target, text)
    if t.real(source) == t.real(target):
        return text
    if one == "i" and target == int64:
        return t.dialect.widen(text)
    return t.cast(target, text)


def _to_complex(t: Terms, source: DT, target: DT, text: str) -> str:
    part = complex_numbers.PARTS[target]
    if kind(source) != "c":
        return t.dialect.pair(target, convert(t, source, part, text), t.literal(part, 0.0))
    own = complex_numbers.PARTS[source]
    parts = [convert(t, own, part, f"{text}.{member}") for member in "xy"]
    return t.dialect.pair(target, *parts)


def _to_narrow(t: Terms, source: DT, target: DT, text: str) -> str:
    """Rounded once, but to bfloat16 by way of float32 as its library does."""
    if source == float64 and target == float16 and t.dialect.has_float64:
        text = f"{t.define('to_odd', float64, float_functions.to_odd)}({text})"
    elif t.real(source) != float32:
        text = t.cast(float32, text)
    return t.rounded(target, text)


def supports(op: Op, operands: tuple[DT, ...], result: DT, has_float64: bool = True) -> bool:
    """Whether there is text for an elementwise operation on operands of these dtypes.

    >>> real, other = np.dtype("float32"), np.dtype("complex64")
    >>> supports(UNARY["exp"], (real,), real), supports(UNARY["exp"], (other,), other)
    (True, False)
    """
    used = (*operands, result)
    if not has_float64 and (float64 in used or complex128 in used):
        return False
    if any(dtype.name.startswith("float8") for dtype in used):
        return op is CAST and operands[0] == result  # they can be copied
    if any(kind(dtype) == "c" for dtype in used):
        if op is CAST:
            return kind(result) in "bc"
        return op in complex_numbers.OPERATIONS or op in (COMPLEX, WHERE)
    if op is BINARY["nextafter"] and operands[0] in (float16, bfloat16):
        return False
    if op in FLOATS_ONLY or op is BINARY["divide"]:
        return all(kind(dtype) == "f" for dtype in operands)
    return op in OPERATIONS or op in (CAST, WHERE)
