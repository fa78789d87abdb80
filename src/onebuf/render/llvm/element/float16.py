"""Narrow floats: float16 and bfloat16, stored in 16 bits and computed in float32.

A value of such a dtype is its bits, an ``i16``. An operation widens its operands to float32, which
is exact, computes there, and rounds the result. NumPy and ml_dtypes do the same, so the bits are
theirs. Operations that only move values or change a sign work on the bits, NaNs included.

If the float32 form of a value is known, the builder remembers it (``Builder.wide``), so that the
next operation need not widen the value that was just rounded.
"""

from __future__ import annotations

from collections.abc import Callable

from onebuf.dtypes import DT, bfloat16, float16
from onebuf.graph import BINARY, UNARY, WHERE, Op
from onebuf.render.builder import Builder, Value

Emit = Callable[[Builder, tuple[Value, ...], DT], Value]

NARROW_FLOATS = frozenset({float16, bfloat16})
BITS = "i16"
"""The LLVM type of a narrow float."""

_SIGN = -(1 << 15)
_SIZE = (1 << 15) - 1


def widen(b: Builder, x: Value, dtype: DT) -> Value:
    """A narrow float as a float32."""
    known = b.wide.get(x.name)
    if known is not None:
        return known._replace(uniform=x.uniform)
    if dtype == float16:
        return b.convert("fpext", b.convert("bitcast", x, "half"), "float")
    high = b.binary("shl", b.convert("zext", x, "i32"), b.constant("i32", 16))
    return b.convert("bitcast", high, "float")


def narrow(b: Builder, x: Value, dtype: DT, exact: bool = False) -> Value:
    """The nearest narrow float of a float32, ties to even; ``exact``: it needs no rounding."""
    if dtype == float16:
        half = b.convert("bitcast", b.convert("fptrunc", x, "half"), BITS)
        if exact:
            b.wide[half.name] = x
        return half
    bits = b.convert("bitcast", x, "i32")
    if not exact:
        bits = _rounded(b, x, bits)
        x = b.convert("bitcast", b.binary("and", bits, b.constant("i32", -65536)), "float")
    high = b.binary("lshr", bits, b.constant("i32", 16))
    half = b.convert("trunc", high, BITS)
    b.wide[half.name] = x
    return half


def _rounded(b: Builder, x: Value, bits: Value) -> Value:
    """The bits of a float whose upper half is the nearest bfloat16; a NaN keeps only its sign."""
    last = b.binary("and", b.binary("lshr", bits, b.constant("i32", 16)), b.constant("i32", 1))
    more = b.binary("add", b.binary("add", bits, b.constant("i32", 0x7FFF)), last)
    sign = b.binary("and", bits, b.constant("i32", -(1 << 31)))
    nan = b.binary("or", sign, b.constant("i32", 0x7FC00000))
    return b.select(b.compare("fcmp uno", x, x), nan, more)


def from_double(b: Builder, x: Value, dtype: DT) -> Value:
    """A float64 as a narrow float: rounded once to float16, by way of float32 to bfloat16."""
    near = b.convert("fptrunc", x, "float")
    if dtype == bfloat16:
        return narrow(b, near, dtype)
    return narrow(b, _odd(b, x, near), dtype)


def _odd(b: Builder, x: Value, near: Value) -> Value:
    """``x`` rounded to odd: the last bit is set if the result is inexact, so that a second rounding
    gives the result of a single one (Boldo and Melquiond 2008)."""
    back = b.convert("fpext", near, "double")
    inexact = b.compare("fcmp one", back, x)
    too_far = b.compare("fcmp ogt", b.call("llvm.fabs", back), b.call("llvm.fabs", x))
    bits = b.convert("bitcast", near, "i32")
    less = b.binary("sub", bits, b.constant("i32", 1))
    odd = b.binary("or", b.select(too_far, less, bits), b.constant("i32", 1))
    return b.convert("bitcast", b.select(inexact, odd, bits), "float")


# -- operations on bits ----------------------------------------------------------------------------


def _masked(instruction: str, mask: int) -> Emit:
    """An operation that changes the sign and nothing else."""
    return lambda b, operands, dtype: b.binary(instruction, operands[0], b.constant(BITS, mask))


def _copysign(b: Builder, operands: tuple[Value, ...], dtype: DT) -> Value:
    x, y = operands
    size = b.binary("and", x, b.constant(BITS, _SIZE))
    return b.binary("or", size, b.binary("and", y, b.constant(BITS, _SIGN)))


def _signbit(b: Builder, operands: tuple[Value, ...], dtype: DT) -> Value:
    return b.compare("icmp slt", operands[0], b.constant(BITS, 0))


def _where(b: Builder, operands: tuple[Value, ...], dtype: DT) -> Value:
    condition, x, y = operands
    found = b.select(condition, x, y)
    b.wide[found.name] = b.select(condition, widen(b, x, dtype), widen(b, y, dtype))
    return found


def _sign(b: Builder, operands: tuple[Value, ...], dtype: DT) -> Value:
    """-1, 0 or 1; NaN of NaN; NumPy gives 0 for -0, ml_dtypes gives -0."""
    (x,) = operands
    wide = widen(b, x, dtype)
    one = b.constant(BITS, 0x3C00 if dtype == float16 else 0x3F80)
    signed = b.binary("or", b.binary("and", x, b.constant(BITS, _SIGN)), one)
    zero = b.constant(BITS, 0) if dtype == float16 else x
    found = b.select(b.compare("fcmp oeq", wide, b.constant("float", 0.0)), zero, signed)
    return b.select(b.compare("fcmp uno", wide, wide), x, found)


def _extreme(sign: str) -> Emit:
    """The greater or the lesser of two, NaN if one is; of equal ones the first in float16, the
    second in bfloat16."""

    def emit(b: Builder, operands: tuple[Value, ...], dtype: DT) -> Value:
        x, y = operands
        one, two = widen(b, x, dtype), widen(b, y, dtype)
        test = f"fcmp o{sign}{'e' if dtype == float16 else 't'}"
        first = b.binary("or", b.compare(test, one, two), b.compare("fcmp uno", one, one))
        found = b.select(first, x, y)
        b.wide[found.name] = b.select(first, one, two)
        return found

    return emit


def _nextafter(b: Builder, operands: tuple[Value, ...], dtype: DT) -> Value:
    x, y = operands
    one, two = widen(b, x, dtype), widen(b, y, dtype)
    zero = b.constant(BITS, 0)
    outwards = b.binary("xor", b.compare("fcmp ogt", two, one), b.compare("icmp slt", x, zero))
    step = b.select(outwards, b.constant(BITS, 1), b.constant(BITS, -1))
    least = b.binary("or", b.binary("and", y, b.constant(BITS, _SIGN)), b.constant(BITS, 1))
    none = b.compare("fcmp oeq", one, b.constant("float", 0.0))
    moved = b.select(none, least, b.binary("add", x, step))
    same = b.compare("fcmp oeq", one, two)
    stays = x if dtype == float16 else y
    nan = b.compare("fcmp uno", one, two)
    return b.select(nan, narrow(b, b.fadd(one, two), dtype), b.select(same, stays, moved))


ON_BITS: dict[Op, Emit] = {
    UNARY["abs"]: _masked("and", _SIZE),
    UNARY["negative"]: _masked("xor", _SIGN),
    UNARY["positive"]: lambda b, operands, dtype: operands[0],
    UNARY["sign"]: _sign,
    UNARY["signbit"]: _signbit,
    BINARY["copysign"]: _copysign,
    BINARY["maximum"]: _extreme("g"),
    BINARY["minimum"]: _extreme("l"),
    BINARY["nextafter"]: _nextafter,
    WHERE: _where,
}
"""Operations on the bits of narrow floats: (builder, operands, dtype of the operands)."""

EXACT = frozenset(UNARY[name] for name in ("ceil", "floor", "round", "trunc"))
"""Operations of float32 whose result is a narrow float if the operand is one."""
