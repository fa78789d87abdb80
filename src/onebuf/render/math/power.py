"""Powers, from logarithms and exponentials, and roots: the hypotenuse and the cube root."""

from __future__ import annotations

from onebuf.render.math.coefficients import CBRT, CBRT_FLOAT, LOG_POWER_FLOAT
from onebuf.render.math.double_double import exact_product, exact_sum, halves, normal
from onebuf.render.math.exponential import (
    exp_parts,
    exp_sum,
    nearest,
    power_of_two,
    scaled,
    short_exp,
)
from onebuf.render.math.logarithm import INFINITY, NAN, all_parts, log1p, long_log, short_log
from onebuf.render.math.term import (
    Term,
    fma,
    least,
    magnitude,
    most,
    polynomial,
    root,
    where,
    with_sign,
)

_WHOLE = {"float": 2.0**23, "double": 2.0**52}
"""From here on all numbers are whole."""


def _is_whole(x: Term) -> Term:
    """If a number that is not negative is whole."""
    start = _WHOLE[x.type]
    return (x >= start) | ((x + start) - start == x)


def pow(x: Term, y: Term) -> Term:
    """x**y, with the special values of C99."""
    size, count = magnitude(x), magnitude(y)
    if x.type == "float":
        power = _short_power(size.to("double"), y.to("double")).to("float")
    else:
        power = _power(size, y)
    endless = (size == 0.0) | (size == INFINITY)
    vanishes = (size == 0.0) ^ (y < 0.0)
    power = where(endless, where(vanishes, 0.0, power.of(INFINITY)), power)
    whole = _is_whole(count)
    odd = whole & ~_is_whole(count * 0.5)
    negative = x.bits() < 0
    power = where(negative & odd, -power, power)
    power = where(negative & ~(whole | endless), NAN, power)
    power = where(x.is_nan() | y.is_nan(), x + y, power)
    return where((y == 0.0) | (x == 1.0), 1.0, power)


def _short_power(size: Term, exponent: Term) -> Term:
    # The logarithm is multiplied by up to 2**29 and needs more digits than a float has.
    bounded = most(least(exponent, 2.0**40), -(2.0**40))
    product = bounded * short_log(size, LOG_POWER_FLOAT)
    return short_exp(most(least(product, 100.0), -120.0))


def _power(size: Term, exponent: Term) -> Term:
    # Beyond 2**70 every power but that of 1 is 0 or infinity; nothing must overflow before.
    bounded = most(least(exponent, 2.0**70), -(2.0**70))
    logarithm = long_log(size)
    high, low = exact_product(bounded, logarithm.high)
    low = fma(bounded, logarithm.low, low)
    limited = most(least(high, 800.0), -800.0)
    return exp_sum(limited, where(limited == high, low, 0.0))


def hypot(x: Term, y: Term) -> Term:
    """sqrt(x**2 + y**2) without overflow on the way."""
    first, second = magnitude(x.to("double")), magnitude(y.to("double"))
    endless = (first == INFINITY) | (second == INFINITY)
    if x.type == "float":
        length = root(fma(first, first, second * second))
        return where(endless, INFINITY, length).to("float")
    greater = where(first > second, first, second)
    large, small = greater > 2.0**500, greater < 2.0**-400
    scale = where(large, 2.0**-600, where(small, 2.0**600, first.of(1.0)))
    back = where(large, 2.0**600, where(small, 2.0**-600, first.of(1.0)))
    lesser = where(first > second, second, first)
    large_, small_ = greater * scale, lesser * scale
    most_, least_ = exact_product(large_, large_), exact_product(small_, small_)
    length = root(((least_.low + most_.low) + least_.high) + most_.high) * back
    return where(endless, INFINITY, length)


def cbrt(x: Term) -> Term:
    """The cube root, of negative numbers too."""
    size = magnitude(x.to("double"))
    k, m, _ = all_parts(size)
    third, bits = nearest(k * (1.0 / 3.0))
    left = k - third * 3.0
    coefficients = CBRT_FLOAT if x.type == "float" else CBRT
    near = polynomial(m - 1.0, coefficients)
    near = near * where(left > 0.0, 2.0 ** (1 / 3), where(left < 0.0, 0.5 ** (1 / 3), m.of(1.0)))
    if x.type == "double":
        # A step of Halley's from a number of 26 bits, whose square is exact.
        near, _ = halves(near)
        cube = where(left > 0.0, m + m, where(left < 0.0, m * 0.5, m))
        ratio = cube / (near * near)
        near = near + near * ((ratio - near) / (near + near + ratio))
    found = with_sign((near * power_of_two(bits)).to(x.type), x)
    return where((x == 0.0) | ~(magnitude(x) < INFINITY), x, found)


def logaddexp(x: Term, y: Term) -> Term:
    """log(exp(x) + exp(y)) without overflow on the way."""
    first, second = x.to("double"), y.to("double")
    greater = where(first > second, first, second)
    lesser = where(first > second, second, first)
    if x.type == "float":
        sum_ = greater + log1p(exp_sum(most(lesser - greater, -740.0)))
    else:
        sum_ = _log_of_sum(greater, lesser)
    sum_ = where(magnitude(greater) == INFINITY, greater, sum_)
    return where(first.is_nan() | second.is_nan(), first + second, sum_).to(x.type)


def _log_of_sum(greater: Term, lesser: Term) -> Term:
    difference = exact_sum(lesser, -greater)
    limited = most(difference.high, -746.0)
    reduced, pair = exp_parts(limited, where(limited == difference.high, difference.low, 0.0))
    power = normal(pair)
    total = exact_sum(scaled(power.high, reduced.bits), 1.0)
    logarithm = long_log(total.high, total.low + scaled(power.low, reduced.bits))
    result = exact_sum(greater, logarithm.high)
    return result.high + (result.low + logarithm.low)
