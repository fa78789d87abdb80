"""Payne-Hanek reduction: a huge angle times as many digits of 2 / pi as matter.

All arithmetic is on integers, for one lane: x = m 2**e with an integer m of 53 bits. Of
the binary digits of 2 / pi those that make whole turns with m 2**e are left out, and 192 are used;
the product's first two binary digits are the quadrant and the others the fraction. What is cut off
is below 2**-137 of a quarter turn; no double is nearer than 2**-62 to a multiple of one. Numbers of
192 bits are three words, the first one worth most.
"""

from __future__ import annotations

from onebuf.render.math.coefficients import HALF_PI_PAIR, TWO_OVER_PI
from onebuf.render.math.double_double import Pair, normal, product
from onebuf.render.math.term import Operand, Term, where

_TABLE = "onebuf.two_over_pi"
_LEADING = 64
"""Zeros before the binary point, for angles whose last bit is worth less than a turn."""

Words = tuple[Term, Term, Term]


def quarter_turns(x: Term) -> tuple[Term, Pair]:
    """An integer, in the last bits, and the angle beyond it, of one double, |x| > 2**20."""
    assert x.b.lanes == 1, "one lane at a time"
    turns = _times_two_over_pi(x)
    quadrant = (turns[0] + (1 << 61)) >> 62
    beyond = _shifted((*turns, x.bits().of(0)), 2)
    # The complement is one unit less than the negative, too little to matter.
    negative = beyond[0] < 0
    size = [where(negative, ~word, word) for word in beyond]
    angle = _angle((size[0], size[1], size[2]))
    mirrored = x.bits() < 0
    flipped = negative ^ mirrored
    nan = x - x  # of infinities too
    endless = nan.is_nan()
    high, low = (where(endless, nan, where(flipped, -part, part)) for part in angle)
    return where(mirrored, 0 - quadrant, quadrant), Pair(high, low)


def _times_two_over_pi(x: Term) -> Words:
    """x * 2 / pi in quarter turns modulo 4, in units of 2**-190, x taken as positive."""
    bits = x.bits() & 0x7FFFFFFFFFFFFFFF
    exponent = bits >> 52
    mantissa = (bits & 0xFFFFFFFFFFFFF) | (1 << 52)
    # Digit j after the point times m 2**e is a multiple of four if e - j >= 2.
    first = exponent - (1023 + 52 + 2) + _LEADING
    # What is not finite has an exponent beyond the table.
    first = where(exponent == 0x7FF, _LEADING, first)
    words = _digits(first >> 6)
    digits = _shifted(words, first & 63)
    third = _long(mantissa) * _long(digits[2])
    second = _long(mantissa) * _long(digits[1]) + (third >> 64)
    return mantissa * digits[0] + _word(second >> 64), _word(second), _word(third)


def _digits(position: Term) -> tuple[Term, Term, Term, Term]:
    """Four words of the digits of 2 / pi."""
    b = position.b
    table = (0, *TWO_OVER_PI)
    words = [Term(b, b.looked_up(_TABLE, table, (position + k).value)) for k in range(4)]
    return words[0], words[1], words[2], words[3]


def _shifted(words: tuple[Term, Term, Term, Term], count: Operand) -> Words:
    """The first three words after moving all four to the left."""
    first, second, third, fourth = words
    return (
        first.call("llvm.fshl", second, count),
        second.call("llvm.fshl", third, count),
        third.call("llvm.fshl", fourth, count),
    )


def _long(word: Term) -> Term:
    return Term(word.b, word.b.convert("zext", word.value, "i128"))


def _word(number: Term) -> Term:
    return Term(number.b, number.b.convert("trunc", number.value, "i64"))


def _angle(size: Words) -> Pair:
    """A fraction of a quarter turn, in units of 2**-192, as radians."""
    b = size[0].b
    zeros = Term(b, b.call("llvm.ctlz", size[0].value, b.constant("i1", 0)))
    first, second, _ = _shifted((*size, zeros.of(0)), zeros)
    high, low = first >> 11, ((first & 0x7FF) << 42) | (second >> 22)
    unit = ((1023 - 53 - zeros) << 52).floating()
    digits = [Term(b, b.convert("uitofp", part.value, "double")) for part in (high, low)]
    fraction = Pair(digits[0] * unit, digits[1] * unit * 2.0**-53)
    turn = Pair(*(Term(b, b.constant("double", part)) for part in HALF_PI_PAIR))
    return normal(product(fraction, turn))
