"""exp, log, tanh and erf of floats in float arithmetic, for speed.

Most functions of floats are computed in double, which needs little care and is almost correctly
rounded. These are in the innermost loops of many programs, and with twice as many elements in
a vector they take half to two thirds of the time, at up to 0.85 units in the last place (erf: 1.1,
tanh: 1.3). The formulas are those for doubles, with shorter polynomials; exp makes do without the
low part of its sums.
"""

from __future__ import annotations

from onebuf.render.math.coefficients import (
    ERF_FLOAT,
    ERF_TAIL_FLOAT,
    EXP_FLOAT,
    LN2_FLOAT,
    LOG_FLOAT,
    TANH_FLOAT,
)
from onebuf.render.math.term import (
    Term,
    fma,
    horner,
    least,
    magnitude,
    pattern,
    polynomial,
    where,
    with_sign,
)

_ROUNDER = 1.5 * 2.0**23
_ONE = pattern("float", 1.0)
_SQRT_HALF = pattern("float", 0.5**0.5)
_LOG2_E, _LN2 = 1.4426950408889634, 0.6931471805599453
_HALF_AT = 0.5495
"""From here on tanh(x) is more than 1/2."""


def _exp(x: Term) -> tuple[Term, Term]:
    """exp(x) = 2**n p: p, and bits that end in n."""
    shifted = fma(x, _LOG2_E, _ROUNDER)
    n = shifted - _ROUNDER
    r = fma(n, -LN2_FLOAT[1], fma(n, -LN2_FLOAT[0], x))
    return horner(r, (1.0, 1.0, *EXP_FLOAT)), shifted.bits()


def _power_of_two(bits: Term) -> Term:
    """2**n for bits that end in n, -126 <= n <= 127."""
    return ((bits << 23) + _ONE).floating()


def exp(x: Term) -> Term:
    """e**x."""
    # What vanishes is not computed: processors are slow where numbers underflow.
    remains = ~(x < -104.0)
    p, bits = _exp(where(remains, least(x, 89.0), 0.0))
    # In two steps, because 2**n may be too large or too small on its own; the second one rounds.
    # The first is half of n, rounded down: its bits go where exponents are, less the last one.
    # p is near 1, so that the first step is an addition to its exponent.
    once = (bits << 22) & -(1 << 23)
    twice = (bits << 23) - once
    return where(remains, (p.bits() + once).floating() * (twice + _ONE).floating(), 0.0)


def log(x: Term) -> Term:
    """The natural logarithm of a positive float; of others, anything."""
    small = x < 2.0**-126
    bits = where(small, x * 2.0**24, x).bits()
    biased = (bits + (_ONE - _SQRT_HALF)) >> 23
    whole = where(small, biased - (127 + 24), biased - 127)
    k = Term(x.b, x.b.convert("sitofp", whole.value, "float"))
    f = (bits - ((biased << 23) - _ONE)).floating() - 1.0
    s = f / (f + 2.0)
    z = s * s
    series = z * polynomial(z, LOG_FLOAT)
    half = f * f * 0.5
    rest = s * (half + (series + series))
    return fma(k, LN2_FLOAT[0], f - (half - fma(k, LN2_FLOAT[1], rest)))


def tanh(x: Term) -> Term:
    """sinh(x) / cosh(x).

    x = r + n log(2) / 2, n = 0 while tanh(x) < 1/2 and from there on 0.17 < r < 0.53. With
    t = tanh(r), tanh(x) = 1 - 2 (1 - t) / (2**n (1 + t) + (1 - t)): what is taken from 1 is at most
    1/2, so its errors hardly show. The remainder is exact: log(2) / 2 and x end in the same bit.
    """
    size = magnitude(x)
    is_near = size < _HALF_AT
    size = least(size, 10.0)
    shifted = fma(size, 2.0 * _LOG2_E, _ROUNDER)
    r = fma(where(is_near, 0.0, shifted - (_ROUNDER + 1.0)), -0.5 * _LN2, size)
    z = r * r
    t = fma(r * z, horner(z, TANH_FLOAT), r)
    power = _power_of_two(shifted.bits() - 1)
    rest = (1.0 - t) / fma(power - 1.0, t, power + 1.0)
    return with_sign(where(is_near, t, fma(rest, -2.0, 1.0)), x)


def erf(x: Term) -> Term:
    """2 / sqrt(pi) times the integral of exp(-t**2) from 0 to x."""
    size = magnitude(x)
    z = size * size
    near = fma(size, horner(z, ERF_FLOAT), size)
    p, bits = _exp(-polynomial(least(size, 4.0) - 1.0, ERF_TAIL_FLOAT))
    far = fma(-p, _power_of_two(bits), 1.0)
    return with_sign(where(size < 1.0, near, far), x)
