"""Complex numbers as vectors of two floats, whose parts are ``.x`` and ``.y`` in every dialect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from onebuf.dtypes import DT, complex64, complex128, float32, float64
from onebuf.graph import BINARY, COMPLEX, UNARY, Op
from onebuf.render.clike import float_functions
from onebuf.render.clike.terms import Terms

PARTS: dict[DT, DT] = {complex64: float32, complex128: float64}
"""The dtype of the parts."""


def _multiply(t: Terms, name: str, dtype: DT) -> str:
    C = t.type(dtype)
    pair = t.dialect.pair(dtype, "a.x * b.x - a.y * b.y", "a.x * b.y + a.y * b.x")
    return f"{C} {name}({C} a, {C} b) {{ return {pair}; }}"


def _divide(t: Terms, name: str, dtype: DT) -> str:
    """Smith's algorithm (1962), as in NumPy: intermediate results do not overflow."""
    C, part = t.type(dtype), PARTS[dtype]
    R, zero, one = t.type(part), t.literal(part, 0.0), t.literal(part, 1.0)
    pair = t.dialect.pair
    large = f"{t.call('fabs', 'b.x')} >= {t.call('fabs', 'b.y')}"
    nothing = pair(dtype, f"a.x / {t.call('fabs', 'b.x')}", f"a.y / {t.call('fabs', 'b.x')}")
    return (
        f"{C} {name}({C} a, {C} b) {{\n"
        f"  if ({large}) {{\n"
        f"    if (b.x == {zero} && b.y == {zero}) return {nothing};\n"
        f"    {R} r = b.y / b.x, s = {one} / (b.x + b.y * r);\n"
        f"    return {pair(dtype, '(a.x + a.y * r) * s', '(a.y - a.x * r) * s')};\n"
        "  }\n"
        f"  {R} r = b.x / b.y, s = {one} / (b.y + b.x * r);\n"
        f"  return {pair(dtype, '(a.x * r + a.y) * s', '(a.y * r - a.x) * s')};\n}}"
    )


def _each(sign: str) -> Callable[..., str]:
    return lambda t, dtype, x, y: f"{x} {sign} {y}"


def _own(name: str, write: Any) -> Callable[..., str]:
    return lambda t, dtype, x, y: f"{t.define(name, dtype, write)}({x}, {y})"


def _either(name: str, write: Any, both: str) -> Callable[..., str]:
    def express(t: Terms, dtype: DT, x: str) -> str:
        test = t.define(name, PARTS[dtype], write)
        return f"{test}({x}.x) {both} {test}({x}.y)"

    return express


def _square(t: Terms, dtype: DT, x: str) -> str:
    return OPERATIONS[BINARY["multiply"]](t, dtype, x, x)


OPERATIONS: dict[Op, Callable[..., str]] = {
    BINARY["add"]: _each("+"),
    BINARY["subtract"]: _each("-"),
    BINARY["multiply"]: _own("multiply", _multiply),
    BINARY["divide"]: _own("divide", _divide),
    BINARY["equal"]: lambda t, dtype, x, y: f"{x}.x == {y}.x && {x}.y == {y}.y",
    BINARY["not_equal"]: lambda t, dtype, x, y: f"{x}.x != {y}.x || {x}.y != {y}.y",
    UNARY["abs"]: lambda t, dtype, x: t.call("hypot", f"{x}.x", f"{x}.y"),
    UNARY["conj"]: lambda t, dtype, x: t.dialect.pair(dtype, f"{x}.x", f"-{x}.y"),
    UNARY["imag"]: lambda t, dtype, x: f"{x}.y",
    UNARY["isfinite"]: _either("is_finite", float_functions.is_finite, "&&"),
    UNARY["isinf"]: _either("is_inf", float_functions.is_inf, "||"),
    UNARY["isnan"]: _either("is_nan", float_functions.is_nan, "||"),
    UNARY["negative"]: lambda t, dtype, x: f"-{x}",
    UNARY["positive"]: lambda t, dtype, x: x,
    UNARY["real"]: lambda t, dtype, x: f"{x}.x",
    UNARY["square"]: _square,
}
"""(terms, dtype of the operands, *their texts) to the text of the result."""


def express(t: Terms, op: Op, dtype: DT, texts: tuple[str, ...], result: DT) -> str:
    """The text of an operation on pairs, or one that makes them."""
    if op is COMPLEX:
        return t.dialect.pair(result, *texts)
    return OPERATIONS[op](t, dtype, *texts)


def truth(t: Terms, dtype: DT, x: str) -> str:
    """Whether a pair is not zero."""
    zero = t.literal(PARTS[dtype], 0.0)
    return f"({x}.x != {zero} || {x}.y != {zero})"
