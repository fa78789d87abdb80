"""Logarithms: k log(2) + log(m), where x = 2**k m and m is between sqrt(1/2) and sqrt(2).

With s = (m - 1) / (m + 1), log(m) = log((1 + s) / (1 - s)) = 2 s + 2 s z P(z), z = s**2. What is
left over of ``m - 1``, which is exact, is added in the order that loses least.

`long_log` has twice the digits, for powers and for inverse hyperbolic functions. It is good to
about 2**-66, which is what y log(x) needs for x**y: what is lost is multiplied by up to 745.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from onebuf.render.math import float32
from onebuf.render.math.coefficients import (
    LN2,
    LOG,
    LOG2_E,
    LOG10_2,
    LOG10_E,
    LOG_FLOAT,
    LOG_LONG,
    THIRD,
)
from onebuf.render.math.double_double import (
    Pair,
    exact_product,
    exact_sum,
    normal,
    ordered_sum,
    product,
    quotient,
)
from onebuf.render.math.term import (
    Term,
    fma,
    horner,
    magnitude,
    pattern,
    polynomial,
    where,
    with_sign,
)

INFINITY, NAN = float("inf"), float("nan")
_ONE = pattern("double", 1.0)
_SQRT_HALF = pattern("double", 0.5**0.5)
_WHOLE = 2.0**52


class Parts(NamedTuple):
    """A positive number as 2**k m."""

    k: Term
    m: Term
    scale: Term  # 2**-k


def parts(x: Term) -> Parts:
    """Split a normal positive double; anything else gives nonsense, but no trap."""
    biased = (x.bits() + (_ONE - _SQRT_HALF)) >> 52
    k = (biased | pattern("double", _WHOLE)).floating() - (_WHOLE + 1023.0)
    exponent = _ONE - ((biased << 52) - _ONE)
    m = (x.bits() + (exponent - _ONE)).floating()
    return Parts(k, m, exponent.floating())


def all_parts(x: Term) -> Parts:
    """Split a positive double that may be subnormal."""
    small = x < 2.0**-1022
    found = parts(where(small, x * 2.0**54, x))
    return found._replace(k=where(small, found.k - 54.0, found.k))


def domain(x: Term, y: Term, pole: float = 0.0) -> Term:
    """``y``, a logarithm of a number that is zero where x is ``pole``, with its special values."""
    outside = where(x == pole, -INFINITY, x.of(NAN))
    return where(x < INFINITY, where(x > pole, y, outside), x)


def short_log(x: Term, coefficients: Sequence[float] = LOG_FLOAT) -> Term:
    """log of a normal positive double, good enough for a float."""
    k, m, _ = parts(x)
    f = m - 1.0
    s = f / (f + 2.0)
    z = s * s
    t = s + s
    return fma(k, LN2[0] + LN2[1], fma(t, z * polynomial(z, coefficients), t))


def _correction(f: Term) -> tuple[Term, Term]:
    """log(1 + f) = f - (half - small): ``half`` and ``small``."""
    s = f / (f + 2.0)
    z = s * s
    series = z * polynomial(z, LOG)
    half = f * f * 0.5
    return half, s * (half + (series + series))


def log(x: Term) -> Term:
    """The natural logarithm."""
    if x.type == "float":
        return domain(x, float32.log(x))
    k, m, _ = all_parts(x)
    f = m - 1.0
    half, small = _correction(f)
    return domain(x, fma(k, LN2[0], f - (half - fma(k, LN2[1], small))))


def log1p(x: Term) -> Term:
    """log(1 + x), also near zero."""
    wide = x.to("double")
    if x.type == "float":
        tiny = wide * horner(wide, (1.0, -0.5, 1.0 / 3.0))
        y = where(magnitude(wide) < 2.0**-10, tiny, short_log(wide + 1.0)).to("float")
    else:
        total = exact_sum(wide.of(1.0), wide)
        k, m, _ = parts(total.high)
        f = m - 1.0
        half, small = _correction(f)
        lost = total.low / total.high
        y = fma(k, LN2[0], f - (half - (small + fma(k, LN2[1], lost))))
    return domain(x, with_sign(y, x), pole=-1.0)


def log2(x: Term) -> Term:
    """The logarithm to base 2."""
    if x.type == "float":
        return domain(x, (short_log(x.to("double")) * (LOG2_E[0] + LOG2_E[1])).to("float"))
    k, m, _ = all_parts(x)
    high, low = _split_log(m)
    return domain(x, _other_base(k, k.of(0.0), high, low, LOG2_E))


def log10(x: Term) -> Term:
    """The logarithm to base 10."""
    if x.type == "float":
        return domain(x, (short_log(x.to("double")) * (LOG10_E[0] + LOG10_E[1])).to("float"))
    k, m, _ = all_parts(x)
    high, low = _split_log(m)
    return domain(x, _other_base(k * LOG10_2[0], k * LOG10_2[1], high, low, LOG10_E))


def _split_log(m: Term) -> tuple[Term, Term]:
    """log(m) as a number of 21 bits and the rest."""
    f = m - 1.0
    half, small = _correction(f)
    high = ((f - half).bits() & -0x100000000).floating()
    return high, ((f - high) - half) + small


def _other_base(whole: Term, rest: Term, high: Term, low: Term, factor: tuple[float, ...]) -> Term:
    """whole + rest + (high + low) (factor[0] + factor[1])."""
    first = high * factor[0]
    second = rest + fma(low + high, factor[1], low * factor[0])
    total = whole + first
    return total + (second + ((whole - total) + first))


def log_of_ratio(numerator: Pair, denominator: Pair, k: Term) -> Pair:
    """k log(2) + log((1 + s) / (1 - s)), s being the ratio, |s| <= 0.172."""
    s = normal(quotient(numerator, denominator))
    square = exact_product(s.high, s.high)
    z = Pair(square.high, fma(s.high + s.high, s.low, square.low))
    series = ordered_sum(THIRD[0], z.high * polynomial(z.high, LOG_LONG))
    cubic = product(s, product(z, Pair(series.high, series.low + THIRD[1])))
    total = ordered_sum(s.high, cubic.high)
    high = total.high + total.high
    low = total.low + (s.low + cubic.low)
    whole = ordered_sum(k * LN2[0], high)
    return normal(Pair(whole.high, whole.low + fma(k, LN2[1], low + low)))


def long_log(x: Term, low: Term | None = None) -> Pair:
    """log(x + low) of a positive number."""
    k, m, scale = all_parts(x)
    difference, total = m - 1.0, exact_sum(m, 1.0)
    rest = m.of(0.0) if low is None else low * scale
    return log_of_ratio(Pair(difference, rest), Pair(total.high, total.low + rest), k)
