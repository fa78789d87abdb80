"""The error function and its complement.

erf(x) is a polynomial below 1, and from there on 1 - exp(-P(x - 1)): the exponential is erfc(x), at
most 0.16 there, so that its errors hardly show. erfc(x) itself has to keep its digits down to the
least number: from 5/8 on it is exp(-x**2) times a function that hardly changes, both as pairs.
"""

from __future__ import annotations

from onebuf.render.math import float32
from onebuf.render.math.coefficients import ERF, ERF_FLOAT, ERF_TAIL, ERFC, ERFC_FLOAT
from onebuf.render.math.double_double import exact_product, ordered_sum, product, quotient
from onebuf.render.math.exponential import exp_parts, exp_sum, scaled, short_exp
from onebuf.render.math.term import (
    Term,
    fma,
    horner,
    least,
    magnitude,
    polynomial,
    where,
    with_sign,
)


def erf(x: Term) -> Term:
    """2 / sqrt(pi) times the integral of exp(-t**2) from 0 to x."""
    if x.type == "float":
        return float32.erf(x)
    size = magnitude(x)
    near = fma(size, horner(size * size, ERF), size)
    far = 1.0 - exp_sum(-polynomial(least(size, 6.0) - 1.0, ERF_TAIL))
    return with_sign(where(size < 1.0, near, far), x)


def erfc(x: Term) -> Term:
    """1 - erf(x), also where that is nearly 0."""
    wide = x.to("double")
    size = magnitude(wide)
    if x.type == "float":
        near = 1.0 - fma(wide, horner(wide * wide, ERF_FLOAT), wide)
        far = _short_tail(least(size, 11.0))
    else:
        one = ordered_sum(1.0, -wide)
        near = one.high + fma(-wide, horner(wide * wide, ERF), one.low)
        far = _tail(least(size, 28.0))
    far = where(wide < 0.0, 2.0 - far, far)
    return where(size < 0.625, near, far).to(x.type)


def _short_tail(x: Term) -> Term:
    """erfc of a double from 5/8 to 11, good enough for a float."""
    q = (x - 4.0) / (x + 4.0)
    return short_exp(-(x * x)) * (1.2 + polynomial(q, ERFC_FLOAT)) / (x + x + 1.0)


def _tail(x: Term) -> Term:
    """erfc of a double from 5/8 to 28."""
    square = exact_product(x, x)
    reduced, power = exp_parts(-square.high, -square.low)
    q = (x - 4.0) / (x + 4.0)
    factor = ordered_sum(1.2, polynomial(q, ERFC))
    ratio = quotient(product(power, factor), ordered_sum(x + x, x.of(1.0)))
    return scaled(ratio.high + ratio.low, reduced.bits)
