"""Floored division: quotient and remainder with the sign of the divisor, as NumPy rounds them.

The remainder of two numbers is exact. If their quotient has few enough bits, it is one subtraction;
otherwise the slow path calls the machine's ``fmod``.
"""

from __future__ import annotations

from onebuf.render.builder import Builder, Value
from onebuf.render.math.double_double import exact_product
from onebuf.render.math.term import Term, magnitude, where, with_sign
from onebuf.render.slow_path import slow_path

INFINITY = float("inf")
_WHOLE = 2.0**52


def _whole_part(x: Term) -> Term:
    """The whole part of a double, 0 <= x < 2**52."""
    near = (x + _WHOLE) - _WHOLE
    return where(near > x, near - 1.0, near)


def fmod(x: Term, y: Term) -> Term:
    """x less the multiple of y that leaves the least of x's sign."""
    first, second = magnitude(x.to("double")), magnitude(y.to("double"))
    ratio = first / second
    whole = _whole_part(ratio)
    if x.type == "float":
        rest = first - whole * second
        common = ratio < 2.0**26
    else:
        high, low = exact_product(whole, second)
        rest = (first - high) - low
        # The quotient may have been rounded up to the next integer.
        rest = where(rest < 0.0, rest + second, rest)
        inside = (first < 2.0**1000) & (first > 2.0**-800)
        common = (ratio < 2.0**51) & inside
        few = first < second
        rest, common = where(few, first, rest), common | few
    if x.type == "float":
        rest = where(second == INFINITY, first, rest)
    usual = with_sign(rest, x.to("double")).to(x.type)
    defined = (magnitude(x) < INFINITY) & ~y.is_nan() & (y != 0.0)
    usual = where(defined, usual, float("nan"))
    remaining = defined & ~common
    return Term(
        x.b, slow_path(x.b, "fmod", remaining.value, usual.value, _machine, x.value, y.value)
    )


def _machine(b: Builder, x: Value, y: Value) -> Value:
    return b.binary("frem", x, y)


def remainder(x: Term, y: Term) -> Term:
    """What is left of x after taking off y floor(x / y): zero or of y's sign."""
    return _adjusted(fmod(x, y), y)[0]


def _adjusted(rest: Term, y: Term) -> tuple[Term, Term]:
    """The remainder from the truncated one, and where it is another multiple of ``y``."""
    differs = (rest != 0.0) & ((y < 0.0) ^ (rest < 0.0))
    signed = where(rest == 0.0, with_sign(rest.of(0.0), y), rest)
    return where(differs, rest + y, signed), differs


def floor_divide(x: Term, y: Term) -> Term:
    """floor(x / y), of the exact quotient; where one is infinite, the standard's x / y."""
    rest = fmod(x, y)
    _, differs = _adjusted(rest, y)
    direct = x / y
    quotient = (x - rest) / y
    quotient = where(differs, quotient - 1.0, quotient)
    below = quotient.call("llvm.floor")
    floored = where(quotient - below > 0.5, below + 1.0, below)
    floored = where(quotient == 0.0, with_sign(x.of(0.0), direct), floored)
    infinite = (magnitude(x) == INFINITY) | (magnitude(y) == INFINITY)
    nan = x.is_nan() | y.is_nan()
    return where((infinite & ~nan) | (y == 0.0), direct, floored)
