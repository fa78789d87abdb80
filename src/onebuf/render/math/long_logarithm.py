"""Logarithms with twice the digits, for powers and for inverse hyperbolic functions.

Good to about 2**-66, which is what y log(x) needs for x**y: whatever is lost there is multiplied by
up to 745.
"""

from __future__ import annotations

from onebuf.render.math.coefficients import LN2, LOG_LONG, THIRD
from onebuf.render.math.double_double import (
    Pair,
    exact_product,
    exact_sum,
    normal,
    ordered_sum,
    product,
    quotient,
)
from onebuf.render.math.logarithm import all_parts
from onebuf.render.math.term import Term, polynomial


def log_of_ratio(numerator: Pair, denominator: Pair, k: Term) -> Pair:
    """k log(2) + log((1 + s) / (1 - s)), s being the ratio, |s| <= 0.172."""
    s = normal(quotient(numerator, denominator))
    square = exact_product(s.high, s.high)
    z = Pair(square.high, square.low + (s.high + s.high) * s.low)
    series = ordered_sum(THIRD[0], z.high * polynomial(z.high, LOG_LONG))
    cubic = product(s, product(z, Pair(series.high, series.low + THIRD[1])))
    total = ordered_sum(s.high, cubic.high)
    high = total.high + total.high
    low = total.low + (s.low + cubic.low)
    whole = ordered_sum(k * LN2[0], high)
    return normal(Pair(whole.high, whole.low + (k * LN2[1] + (low + low))))


def long_log(x: Term, low: Term | None = None) -> Pair:
    """log(x + low) of a positive number."""
    k, m, scale = all_parts(x)
    difference, total = m - 1.0, exact_sum(m, 1.0)
    rest = m.of(0.0) if low is None else low * scale
    return log_of_ratio(Pair(difference, rest), Pair(total.high, total.low + rest), k)
