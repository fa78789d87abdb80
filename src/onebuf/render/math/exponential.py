"""Exponentials: 2**n times a polynomial, n being the nearest integer to x / log(2).

With r = x - n log(2), |r| <= 0.35, and exp(r) = 1 + r + r**2 P(r). The integer comes from
adding 1.5 * 2**52, which leaves it in the last bits of the sum; a shift makes it an exponent.
"""

from __future__ import annotations

from typing import NamedTuple

from onebuf.render.math import float32
from onebuf.render.math.coefficients import EXP, EXP_FLOAT, EXPM1_FLOAT, LN2
from onebuf.render.math.double_double import Pair, ordered_sum
from onebuf.render.math.term import (
    Operand,
    Term,
    fma,
    horner,
    least,
    most,
    pattern,
    polynomial,
    where,
    with_sign,
)

ROUNDER = 1.5 * 2.0**52
"""Added to a number below 2**51, this leaves no room for a fraction."""
_ONE = pattern("double", 1.0)
LOG2_E = 1.4426950408889634


def nearest(x: Term, factor: float = 1.0) -> tuple[Term, Term]:
    """The nearest integer of a double times a factor, and bits that end in it."""
    shifted = x + ROUNDER if factor == 1.0 else fma(x, factor, ROUNDER)
    return shifted - ROUNDER, shifted.bits()


def power_of_two(bits: Term) -> Term:
    """2**n for bits that end in n, -1022 <= n <= 1023."""
    return ((bits << 52) + _ONE).floating()


def scaled(x: Term, bits: Term) -> Term:
    """x 2**n, rounded once, for bits that come from `nearest` and -2044 <= n <= 2044."""
    positive = bits + (2048 - pattern("double", ROUNDER))
    half = positive >> 1
    other = positive - half
    once = ((half << 52) + (_ONE - (1024 << 52))).floating()
    twice = ((other << 52) + (_ONE - (1024 << 52))).floating()
    return x * once * twice


class Reduced(NamedTuple):
    """exp(x) = 2**n exp(r + rest)."""

    n: Term
    bits: Term
    r: Term
    rest: Term


def reduce(x: Term, low: Operand = 0.0) -> Reduced:
    """Take out powers of two of a double x, |x| < 1500, or of x + low."""
    n, bits = nearest(x, LOG2_E)
    high = fma(n, -LN2[0], x)
    small = fma(n, LN2[1], -low) if isinstance(low, Term) else n * LN2[1]
    r = high - small
    return Reduced(n, bits, r, (high - r) - small)


def exp_parts(x: Term, low: Operand = 0.0) -> tuple[Reduced, Pair]:
    """exp(x + low) as 2**n times a pair that is good to 2**-58 or so."""
    reduced = reduce(x, low)
    r = reduced.r
    one = ordered_sum(1.0, r)
    return reduced, Pair(one.high, one.low + fma(r * r, polynomial(r, EXP), reduced.rest))


def short_exp(x: Term) -> Term:
    """exp of a double, |x| < 700, good enough for a float."""
    n, bits = nearest(x, LOG2_E)
    r = fma(n, -(LN2[0] + LN2[1]), x)
    return horner(r, (1.0, 1.0, *EXP_FLOAT)) * power_of_two(bits)


def short_expm1(x: Term) -> Term:
    """exp - 1 of a double, |x| < 700, good enough for a float."""
    n, bits = nearest(x, LOG2_E)
    r = fma(n, -(LN2[0] + LN2[1]), x)
    scale = power_of_two(bits)
    return fma(scale, r * polynomial(r, (1.0, *EXPM1_FLOAT)), scale - 1.0)


def exp(x: Term) -> Term:
    """e**x."""
    if x.type == "float":
        return float32.exp(x)
    # What vanishes is not computed: processors are slow where numbers underflow.
    vanishes = x < -746.0
    return where(vanishes, 0.0, exp_sum(where(vanishes, 0.0, least(x, 710.0))))


def exp_sum(x: Term, low: Operand = 0.0) -> Term:
    """exp(x + low), -1000 < x < 1000."""
    reduced, pair = exp_parts(x, low)
    return scaled(pair.high + pair.low, reduced.bits)


def exp2(x: Term) -> Term:
    """2**x."""
    wide = x.to("double")
    if x.type == "float":
        wide = most(least(wide, 130.0), -160.0)
        n, bits = nearest(wide)
        r = (wide - n) * (LN2[0] + LN2[1])
        return (horner(r, (1.0, 1.0, *EXP_FLOAT)) * power_of_two(bits)).to("float")
    wide = most(least(wide, 1025.0), -1080.0)
    n, bits = nearest(wide)
    # (wide - n) log(2) without the error of one product: log(2)'s first part has 42 bits.
    part = wide - n
    short = (part.bits() & -0x100000000).floating()
    first = short * LN2[0]
    rest = fma(part - short, LN2[0], part * LN2[1])
    r = first + rest
    one = ordered_sum(1.0, r)
    low = one.low + fma(r * r, polynomial(r, EXP), (first - r) + rest)
    return scaled(one.high + low, bits)


def expm1(x: Term) -> Term:
    """e**x - 1, also near zero."""
    if x.type == "float":
        wide = most(least(x, 90.0), -20.0).to("double")
        return with_sign(short_expm1(wide).to("float"), x)
    reduced = reduce(most(least(x, 710.0), -60.0))
    r = reduced.r
    small = fma(r * r, polynomial(r, EXP), reduced.rest)
    # 2**n ((1 - 2**-n) + r + small): where the bracket's first number is not 0 it is the greater.
    inverse = power_of_two((ROUNDER - least(reduced.n, 100.0)).bits())
    whole = ordered_sum(1.0, -inverse)
    total = ordered_sum(whole.high, r)
    return with_sign(scaled(total.high + (total.low + (whole.low + small)), reduced.bits), x)
