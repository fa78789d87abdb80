"""Hyperbolic functions, from exponentials, and their inverses, from logarithms.

Near zero, where both would cancel, odd polynomials.
"""

from __future__ import annotations

from onebuf.render.math import float32
from onebuf.render.math.coefficients import (
    ASINH,
    LN2,
    LOG_FLOAT,
    SINH,
    TANH,
)
from onebuf.render.math.double_double import Pair, exact_product, exact_sum, normal, ordered_sum
from onebuf.render.math.exponential import (
    ROUNDER,
    exp_parts,
    power_of_two,
    scaled,
    short_exp,
    short_expm1,
)
from onebuf.render.math.logarithm import (
    INFINITY,
    NAN,
    log_of_ratio,
    long_log,
    parts,
    short_log,
)
from onebuf.render.math.term import Term, fma, least, magnitude, polynomial, root, where, with_sign


def _powers(size: Term) -> tuple[Term, Pair, Term]:
    """exp(x) and exp(-x) divided by 2**n, for a double x >= 0, and bits that end in n - 1."""
    reduced, pair = exp_parts(least(size, 711.0))
    power = normal(pair)
    inverse = power_of_two((ROUNDER - 2.0 * least(reduced.n, 60.0)).bits())
    return reduced.bits - 1, power, inverse / power.high


def sinh(x: Term) -> Term:
    """(exp(x) - exp(-x)) / 2."""
    size = magnitude(x.to("double"))
    if x.type == "float":
        less = short_expm1(least(size, 100.0))
        return with_sign((0.5 * (less + less / (less + 1.0))).to("float"), x)
    bits, power, inverse = _powers(size)
    far = scaled(power.high + (power.low - inverse), bits)
    z = size * size
    near = fma(size, z * polynomial(z, SINH), size)
    return with_sign(where(size < 1.0, near, far), x)


def cosh(x: Term) -> Term:
    """(exp(x) + exp(-x)) / 2."""
    size = magnitude(x.to("double"))
    if x.type == "float":
        short = short_exp(least(size, 100.0))
        return (0.5 * (short + 1.0 / short)).to("float")
    bits, power, inverse = _powers(size)
    return scaled(power.high + (power.low + inverse), bits)


def tanh(x: Term) -> Term:
    """sinh(x) / cosh(x)."""
    if x.type == "float":
        return float32.tanh(x)
    size = magnitude(x)
    reduced, pair = exp_parts(least(size + size, 80.0))
    twice, scale = normal(pair), power_of_two(reduced.bits)
    below = ordered_sum(twice.high * scale, size.of(1.0))
    # 1 - 2 / (exp(2 x) + 1), the second part of the sum being a correction to its inverse
    half = 1.0 / below.high
    rest = fma(twice.low, scale, below.low)
    far = 1.0 - fma(-(half + half) * half, rest, half + half)
    z = size * size
    near = fma(size, z * polynomial(z, TANH), size)
    return with_sign(where(size < 0.55, near, far), x)


def asinh(x: Term) -> Term:
    """The number whose sinh is x."""
    size = magnitude(x.to("double"))
    z = size * size
    if x.type == "float":
        near = fma(size * z, -1.0 / 6.0, size)
        far = short_log(size + root(z + 1.0))
        y = where(size < 2.0**-10, near, far).to("float")
        return with_sign(where(magnitude(x) < INFINITY, y, x), x)
    near = fma(size, z * polynomial(z, ASINH), size)
    square = exact_product(size, size)
    above = exact_sum(square.high, 1.0)
    far = _log_with_root(size, Pair(above.high, above.low + square.low))
    return with_sign(where(size < INFINITY, where(size < 0.5, near, far), x), x)


def acosh(x: Term) -> Term:
    """The number from zero on whose cosh is x."""
    wide = x.to("double")
    beyond = wide - 1.0
    if x.type == "float":
        y = short_log(wide + root(beyond * (wide + 1.0))).to("float")
    else:
        square = exact_product(beyond, beyond)
        above = exact_sum(beyond + beyond, square.high)
        y = _log_with_root(wide, Pair(above.high, above.low + square.low))
    return where(x < INFINITY, where(x < 1.0, NAN, y), x)


def _log_with_root(x: Term, square: Pair) -> Term:
    """log(x + sqrt(square)); for a large x, where it is the same, log(x / 4) + log(8)."""
    large = x > 2.0**28
    s = root(square.high)
    back = exact_product(s, s)
    lost = ((square.high - back.high) - back.low) + square.low
    rest = lost / where(s == 0.0, 1.0, s + s)
    total = exact_sum(x, s)
    zero = x.of(0.0)
    high = where(large, x * 0.25, total.high)
    logarithm = long_log(high, where(large, 0.0, total.low + rest))
    sum_ = exact_sum(logarithm.high, where(large, 3.0 * LN2[0], zero))
    return sum_.high + (sum_.low + (logarithm.low + where(large, 3.0 * LN2[1], zero)))


def atanh(x: Term) -> Term:
    """The number whose tanh is x."""
    size = magnitude(x.to("double"))
    if x.type == "float":
        z = size * size
        near = fma(size, z * polynomial(z, LOG_FLOAT), size)
        far = 0.5 * short_log((1.0 + size) / (1.0 - size))
        y = where(size < 0.17, near, far)
    else:
        y = _half_log_of_ratio(size)
    edge = where(size == 1.0, INFINITY, y.of(NAN))
    return with_sign(where(size < 1.0, y, edge), x.to("double")).to(x.type)


def _half_log_of_ratio(size: Term) -> Term:
    """log((1 + x) / (1 - x)) / 2, 0 <= x < 1."""
    above, below = exact_sum(size.of(1.0), size), exact_sum(size.of(1.0), -size)
    k, _, scale = parts(above.high / below.high)
    above = Pair(above.high * scale, above.low * scale)
    difference, total = exact_sum(above.high, -below.high), exact_sum(above.high, below.high)
    y = log_of_ratio(
        Pair(difference.high, difference.low + (above.low - below.low)),
        Pair(total.high, total.low + (above.low + below.low)),
        k,
    )
    # The smallest numbers lose their last bits in a pair, and are their own result.
    return where(size < 2.0**-500, size, 0.5 * (y.high + y.low))
