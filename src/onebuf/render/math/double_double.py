"""Pairs: a number as the sum of two doubles, the second less than a rounding error of the first.

Sums and products of two doubles are such pairs exactly. The rounding error of a product is one
`fma`; a language that has none splits the factors in halves.
"""

from __future__ import annotations

from typing import NamedTuple

from onebuf.render.math.term import Operand, Term, fma


class Pair(NamedTuple):
    """``high + low``."""

    high: Term
    low: Term

    def __neg__(self) -> Pair:
        return Pair(-self.high, -self.low)


def exact_sum(x: Term, y: Operand) -> Pair:
    """x + y."""
    total = x + y
    shared = total - x
    return Pair(total, (x - (total - shared)) + (y - shared))


def ordered_sum(x: Operand, y: Term) -> Pair:
    """x + y, where x is zero or |x| >= |y|, or x is a multiple of the last bit of y."""
    total = x + y
    return Pair(total, (x - total) + y)


def halves(x: Term) -> tuple[Term, Term]:
    """Two numbers of 26 bits each whose sum is ``x``."""
    high = ((x.bits() + 0x4000000) & -0x8000000).floating()
    return high, x - high


def exact_product(x: Term, y: Term) -> Pair:
    """x y, unless it is so small that its low part is subnormal."""
    if not x.b.has_fma:
        return split_product(x, y)
    product = x * y
    return Pair(product, fma(x, y, -product))


def split_product(x: Term, y: Term) -> Pair:
    """The same from the halves of both."""
    product = x * y
    x_high, x_low = halves(x)
    y_high, y_low = (x_high, x_low) if x is y else halves(y)
    low = ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low
    return Pair(product, low)


def product(x: Pair, y: Pair) -> Pair:
    """x y to about 2**-104; not normalised."""
    high, low = exact_product(x.high, y.high)
    return Pair(high, fma(x.high, y.low, fma(x.low, y.high, low)))


def quotient(x: Pair, y: Pair) -> Pair:
    """x / y to about 2**-104; not normalised."""
    first = x.high / y.high
    high, low = exact_product(first, y.high)
    rest = ((x.high - high) - low) + fma(-first, y.low, x.low)
    return Pair(first, rest / y.high)


def normal(x: Pair) -> Pair:
    """The same number with a low part below a rounding error of the high one."""
    return ordered_sum(x.high, x.low)
