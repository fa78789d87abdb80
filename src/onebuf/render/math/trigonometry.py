"""Sine, cosine and tangent: x less the nearest multiple of pi / 2, then polynomials.

The multiple is taken off in four parts, of which the first three are exact, so that the rest is
known to all its digits however near x is to it. Beyond 2**20 quarter turns the slow path of
`onebuf.render.math.payne_hanek` takes over. Floats do the same with doubles.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from onebuf.render.builder import Builder, Value
from onebuf.render.math.coefficients import (
    COS,
    COS_FLOAT,
    HALF_PI,
    SIN,
    SIN_FLOAT,
    SIN_HALF_TURN_FLOAT,
)
from onebuf.render.math.double_double import Pair, normal, ordered_sum, quotient
from onebuf.render.math.exponential import nearest
from onebuf.render.math.payne_hanek import quarter_turns
from onebuf.render.math.term import Term, fma, horner, magnitude, polynomial, where
from onebuf.render.slow_path import slow_path

_LARGE = 2.0**20
_TWO_OVER_PI = 0.6366197723675814
_ONE_OVER_PI = 0.3183098861837907


class Angle(NamedTuple):
    """An angle as an integer of quarter turns, in the last bits of ``bits``, and the rest."""

    bits: Term
    rest: Pair


def _angle(x: Term) -> Angle:
    """The angle of a double, |x| <= 2**20."""
    n, bits = nearest(x, _TWO_OVER_PI)
    exact = fma(n, -HALF_PI[0], x)
    second = ordered_sum(exact, -(n * HALF_PI[1]))
    third = ordered_sum(second.high, -(n * HALF_PI[2]))
    low = fma(n, -HALF_PI[3], second.low + third.low)
    return Angle(bits, ordered_sum(third.high, low))


def _sine(r: Pair, z: Term) -> Pair:
    """sin of the rest: the first number is the rest itself."""
    cubic = r.high * z * polynomial(z, SIN)
    return Pair(r.high, fma(r.low, fma(z, -0.5, 1.0), cubic))


def _cosine(r: Pair, z: Term) -> Pair:
    """cos of the rest."""
    half = 0.5 * z
    one = ordered_sum(1.0, -half)
    return Pair(one.high, one.low + fma(z * z, polynomial(z, COS), -(r.high * r.low)))


def _negative(x: Term, bits: Term) -> Term:
    """x with its sign changed where the second last of ``bits`` is set."""
    return (x.bits() ^ ((bits & 2) << 62)).floating()


def _sin(angle: Angle) -> Term:
    z = angle.rest.high * angle.rest.high
    odd = (angle.bits & 1) == 1
    sine, cosine = _sine(angle.rest, z), _cosine(angle.rest, z)
    y = where(odd, cosine.high, sine.high) + where(odd, cosine.low, sine.low)
    return _negative(y, angle.bits)


def _cos(angle: Angle) -> Term:
    return _sin(Angle(angle.bits + 1, angle.rest))


def _tan(angle: Angle) -> Term:
    z = angle.rest.high * angle.rest.high
    odd = (angle.bits & 1) == 1
    sine, cosine = normal(_sine(angle.rest, z)), normal(_cosine(angle.rest, z))
    above = Pair(where(odd, -cosine.high, sine.high), where(odd, -cosine.low, sine.low))
    below = Pair(where(odd, sine.high, cosine.high), where(odd, sine.low, cosine.low))
    y = quotient(above, below)
    return y.high + y.low


def _short_tan(angle: Angle) -> Term:
    r = angle.rest.high
    z = r * r
    odd = (angle.bits & 1) == 1
    sine = fma(r * z, polynomial(z, SIN_FLOAT), r)
    cosine = horner(z, (1.0, -0.5, *COS_FLOAT))
    return where(odd, -cosine, sine) / where(odd, sine, cosine)


def _of_large(formula: Callable[[Angle], Term]) -> Callable[[Builder, Value], Value]:
    """The formula for one lane, of an angle of any size."""

    def one(b: Builder, value: Value) -> Value:
        x = Term(b, value)
        bits, rest = quarter_turns(x.to("double"))
        return formula(Angle(bits, rest)).to(x.type).value

    return one


def _with_large(name: str, x: Term, usual: Term, formula: Callable[[Angle], Term]) -> Term:
    """``usual``, but where x is large: there with as many digits of pi as that takes."""
    large = magnitude(x) > _LARGE
    return Term(x.b, slow_path(x.b, name, large.value, usual.value, _of_large(formula), x.value))


def sin(x: Term) -> Term:
    """The sine of an angle in radians."""
    if x.type == "float":
        n, bits = nearest(x.to("double"), _ONE_OVER_PI)
        usual = where(x == 0.0, x, _half_turn(x, n, bits))
    else:
        usual = where(x == 0.0, x, _sin(_angle(x)))
    return _with_large("sin", x, usual, _sin)


def cos(x: Term) -> Term:
    """The cosine of an angle in radians."""
    if x.type == "float":
        n, bits = nearest(fma(x.to("double"), _ONE_OVER_PI, -0.5))
        usual = _half_turn(x, n + 0.5, bits + 1)
    else:
        usual = _cos(_angle(x))
    return _with_large("cos", x, usual, _cos)


def tan(x: Term) -> Term:
    """The tangent of an angle in radians."""
    if x.type == "float":
        wide = x.to("double")
        n, bits = nearest(wide, _TWO_OVER_PI)
        rest = Pair(_less(wide, n), wide)
        usual = _short_tan(Angle(bits, rest)).to("float")
        usual = where(x == 0.0, x, usual)
        return _with_large("tan", x, usual, _short_tan)
    return _with_large("tan", x, where(x == 0.0, x, _tan(_angle(x))), _tan)


def _less(x: Term, n: Term) -> Term:
    """x - n pi / 2, to what a float needs of it."""
    return fma(n, -HALF_PI[2], fma(n, -HALF_PI[1], fma(n, -HALF_PI[0], x)))


def _half_turn(x: Term, n: Term, bits: Term) -> Term:
    """sin(x - n pi), with the other sign where ``bits`` is odd, of a float."""
    r = _less(x.to("double"), n + n)
    z = r * r
    y = fma(r * z, polynomial(z, SIN_HALF_TURN_FLOAT), r)
    return (y.bits() ^ (bits << 63)).floating().to("float")
