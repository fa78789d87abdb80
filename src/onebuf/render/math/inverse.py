"""Inverse trigonometric functions: an odd polynomial near zero, and identities everywhere else."""

from __future__ import annotations

from onebuf.render.math.coefficients import (
    ASIN,
    ASIN_FLOAT,
    ATAN,
    ATAN_FLOAT,
    HALF_PI_PAIR,
    QUARTER_PI,
)
from onebuf.render.math.double_double import Pair, exact_sum, normal, ordered_sum, quotient
from onebuf.render.math.logarithm import INFINITY
from onebuf.render.math.term import (
    Term,
    fma,
    least,
    magnitude,
    polynomial,
    root,
    where,
    with_sign,
)

_TAN_22 = 0.41421356237309503
_HALF_PI = HALF_PI_PAIR[0]


def asin(x: Term) -> Term:
    """The angle between -pi / 2 and pi / 2 whose sine is x."""
    size = magnitude(x.to("double"))
    near = size < 0.5
    z = where(near, size * size, (1.0 - size) * 0.5)
    if x.type == "float":
        s = where(near, size, root(z))
        small = fma(s, z * polynomial(z, ASIN_FLOAT), s)
        angle = where(near, small, _HALF_PI - (small + small)).to("float")
        return with_sign(angle, x)
    series = z * polynomial(z, ASIN)
    s, short, rest = _long_root(z)
    # pi / 2 - 2 (s + s series), around pi / 4 so that nothing is lost next to it
    far = fma(s + s, series, -(HALF_PI_PAIR[1] - (rest + rest)))
    angle = QUARTER_PI[0] - (far - (QUARTER_PI[0] - (short + short)))
    return with_sign(where(near, fma(size, series, size), angle), x)


def acos(x: Term) -> Term:
    """The angle between 0 and pi whose cosine is x."""
    wide = x.to("double")
    size = magnitude(wide)
    near = size < 0.5
    z = where(near, size * size, (1.0 - size) * 0.5)
    if x.type == "float":
        s = where(near, size, root(z))
        small = fma(s, z * polynomial(z, ASIN_FLOAT), s)
        middle = _HALF_PI - with_sign(small, wide)
        double = small + small
        far = where(wide < 0.0, 2.0 * _HALF_PI - double, double)
        return where(near, middle, far).to("float")
    series = z * polynomial(z, ASIN)
    s, short, rest = _long_root(z)
    middle = _HALF_PI - (wide - fma(-wide, series, HALF_PI_PAIR[1]))
    rest = fma(s, series, rest)
    right = short + rest
    beyond = ordered_sum(_HALF_PI, -short)
    left = beyond.high + (beyond.low - (rest - HALF_PI_PAIR[1]))
    half = where(wide < 0.0, left, right)
    return where(near, middle, half + half)


def _long_root(z: Term) -> tuple[Term, Term, Term]:
    """sqrt(z), its first 21 bits, and the exact root less these."""
    s = root(z)
    short = (s.bits() & -0x100000000).floating()
    both = where(z == 0.0, 1.0, s + short)
    return s, short, fma(-short, short, z) / both


def atan(x: Term) -> Term:
    """The angle between -pi / 2 and pi / 2 whose tangent is x."""
    size = least(magnitude(x.to("double")), 2.0**100)
    one = size.of(1.0)
    steep = size > 1.0
    greater, lesser = where(steep, size, one), where(steep, one, size)
    formula = _short_angle if x.type == "float" else _angle
    zero = size.of(0.0)
    angle = formula(lesser, greater, where(steep, 2.0, zero), steep)
    return with_sign(angle.to(x.type), x)


def atan2(y: Term, x: Term) -> Term:
    """The angle of the point (x, y), from -pi to pi."""
    high, wide = magnitude(y.to("double")), magnitude(x.to("double"))
    steep = high > wide
    greater, lesser = where(steep, high, wide), where(steep, wide, high)
    endless = greater == INFINITY
    lesser = where(endless, where(lesser == INFINITY, 1.0, lesser.of(0.0)), lesser)
    greater = where(endless | (greater == 0.0), 1.0, greater)
    left = x.bits() < 0
    # In eighths of a turn: from the x-axis up or down, from the y-axis to either side.
    eighths = where(steep, 2.0, where(left, 4.0, greater.of(0.0)))
    backwards = left ^ steep
    if y.type == "float":
        angle = _short_angle(lesser, greater, eighths, backwards).to("float")
    else:
        scale = where(greater > 2.0**900, 2.0**-200, greater.of(1.0))
        scale = where(greater < 2.0**-800, 2.0**200, scale)
        angle = _angle(lesser * scale, greater * scale, eighths, backwards)
    angle = with_sign(angle, y)
    return where(x.is_nan() | y.is_nan(), x + y, angle)


def _turned(eighths: Term, backwards: Term, middle: Term) -> Term:
    """How many eighths of a turn, if the ratio was taken next to one."""
    further = where(backwards, eighths - 1.0, eighths + 1.0)
    return where(middle, further, eighths)


def _short_angle(lesser: Term, greater: Term, eighths: Term, backwards: Term) -> Term:
    middle = lesser > greater * _TAN_22
    above, below = where(middle, lesser - greater, lesser), where(middle, lesser + greater, greater)
    t = above / below
    z = t * t
    small = fma(t, z * polynomial(z, ATAN_FLOAT), t)
    turned = _turned(eighths, backwards, middle) * (QUARTER_PI[0] + QUARTER_PI[1])
    return turned + where(backwards, -small, small)


def _angle(lesser: Term, greater: Term, eighths: Term, backwards: Term) -> Term:
    """eighths * pi / 4 plus, or if backwards less, atan(lesser / greater)."""
    middle = lesser > greater * _TAN_22
    difference, total = exact_sum(lesser, -greater), exact_sum(lesser, greater)
    zero = lesser.of(0.0)
    above = Pair(where(middle, difference.high, lesser), where(middle, difference.low, zero))
    below = Pair(where(middle, total.high, greater), where(middle, total.low, zero))
    ratio = quotient(above, below)
    t = normal(Pair(ratio.high, where(magnitude(ratio.high) < 2.0**-900, 0.0, ratio.low)))
    z = t.high * t.high
    low = fma(t.low, 1.0 - z, t.high * (z * polynomial(z, ATAN)))
    high, low = where(backwards, -t.high, t.high), where(backwards, -low, low)
    turned = _turned(eighths, backwards, middle)
    sum_ = ordered_sum(turned * QUARTER_PI[0], high)
    return sum_.high + (sum_.low + fma(turned, QUARTER_PI[1], low))
