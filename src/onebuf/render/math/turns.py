"""Whole turns of a huge angle: its product with as many digits of 2 / pi as matter.

Payne and Hanek's way, on whole numbers and for one lane: x = m 2**e with a whole m of 53 bits. Of
the binary digits of 2 / pi those that make whole turns with m 2**e are left out, and 192 are used;
the product's first two binary digits are the quadrant and the others the fraction. What is cut off
is below 2**-137 of a quarter turn; no double is nearer than 2**-62 to a multiple of one.
"""

from __future__ import annotations

from onebuf.render.builder import Builder, Value
from onebuf.render.math.coefficients import HALF_PI_PAIR, TWO_OVER_PI
from onebuf.render.math.pairs import Pair, normal, product
from onebuf.render.math.term import Term, where

_TABLE = "onebuf.two_over_pi"
_LEADING = 64
"""Zeros before the binary point, for angles whose last bit is worth less than a turn."""


def quarter_turns(x: Term) -> tuple[Term, Pair]:
    """A whole number, in the last bits, and the angle beyond it, of one double, |x| > 2**20."""
    b = x.b
    assert b.lanes == 1, "one lane at a time"
    product_ = Term(b, _times_two_over_pi(b, x))
    turned = product_ + (1 << 189)
    quadrant = Term(b, b.convert("trunc", (turned >> 190).value, "i64"))
    beyond = product_ << 2
    negative = beyond < 0
    size = where(negative, 0 - beyond, beyond)
    angle = _angle(size)
    signed = [where(negative, -part, part) for part in angle]
    flipped = x.bits() < 0
    bits = where(flipped, 0 - quadrant, quadrant)
    pair = Pair(*(where(flipped, -part, part) for part in signed))
    endless = (x - x).is_nan()
    return bits, Pair(where(endless, x - x, pair.high), where(endless, x - x, pair.low))


def _times_two_over_pi(b: Builder, x: Term) -> Value:
    """x * 2 / pi in quarter turns modulo 4, in units of 2**-190."""
    words = ", ".join(f"i64 {word}" for word in (0, *TWO_OVER_PI, 0, 0))
    count = len(TWO_OVER_PI) + 3
    b.helpers[_TABLE] = f"@{_TABLE} = internal constant [{count} x i64] [{words}]"
    bits = x.bits() & 0x7FFFFFFFFFFFFFFF
    exponent = bits >> 52
    mantissa = (bits & 0xFFFFFFFFFFFFF) | (1 << 52)
    # Digit j after the point times m 2**e is a multiple of four if e - j >= 2.
    first = exponent - (1023 + 52 + 2) + _LEADING
    # Not a number and infinity have an exponent beyond the table.
    first = where(exponent == 0x7FF, _LEADING, first)
    word, shift = first >> 6, first & 63
    window = _wide(b, b.constant("i64", 0), 256)
    for k in range(4):
        address = b.emit(f"getelementptr i64, ptr @{_TABLE}, i64 {(word + k).value.name}")
        loaded = Value(b.emit(f"load i64, ptr {address}"), "i64")
        window = (window << 64) | _wide(b, loaded, 256)
    window = (window << _wide(b, shift.value, 256)) >> 64
    times = window * _wide(b, mantissa.value, 256)
    return b.convert("trunc", times.value, "i192")


def _wide(b: Builder, value: Value, width: int) -> Term:
    return Term(b, b.convert("zext", value, f"i{width}"))


def _angle(size: Term) -> Pair:
    """A fraction of a quarter turn, in units of 2**-192, as radians."""
    b = size.b
    zeros = Term(b, b.call("llvm.ctlz", size.value, b.constant("i1", 0)))
    aligned = size << zeros
    high = b.convert("trunc", (aligned >> 139).value, "i64")
    low = b.convert("trunc", ((aligned >> 86) & ((1 << 53) - 1)).value, "i64")
    count = Term(b, b.convert("trunc", zeros.value, "i64"))
    unit = ((1023 - 53 - count) << 52).floating()
    digits = [Term(b, b.convert("uitofp", part, "double")) for part in (high, low)]
    fraction = Pair(digits[0] * unit, digits[1] * unit * 2.0**-53)
    turn = Pair(*(Term(b, b.constant("double", part)) for part in HALF_PI_PAIR))
    return normal(product(fraction, turn))
