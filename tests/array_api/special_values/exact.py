"""Elementary functions to hundreds of binary digits: the oracle of the accuracy tests.

Nothing of a floating-point library takes part. A complex number is a pair of integers that count
units of 2**-BITS, and every function is a Taylor series after halving its argument often enough.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

BITS = 640
"""Enough for a square of 2**-140, with 200 digits to spare."""
ONE = 1 << BITS

Fixed = tuple[int, int]


def fixed(z: complex) -> Fixed:
    """``z`` exactly."""
    return _units(z.real), _units(z.imag)


def _units(x: float) -> int:
    numerator, denominator = x.as_integer_ratio()
    assert denominator <= ONE, f"{x} has digits below 2**-{BITS}"
    return numerator * (ONE // denominator)


def times(x: Fixed, y: Fixed) -> Fixed:
    (a, b), (c, d) = x, y
    return (a * c - b * d) >> BITS, (a * d + b * c) >> BITS


@cache
def expm1(number: complex) -> tuple[Fraction, Fraction]:
    """The parts of e**z - 1: a series at z / 2**n, and (1 + w)**2 - 1 = w(w + 2) n times over."""
    z = fixed(number)
    halvings = max(abs(z[0]), abs(z[1]), ONE).bit_length() - BITS + 16
    small = (z[0] >> halvings, z[1] >> halvings)
    total = term = small
    for k in range(2, 200):
        a, b = times(term, small)
        term = (a // k, b // k)
        if term in ((0, 0), (-1, -1), (0, -1), (-1, 0)):
            break
        total = (total[0] + term[0], total[1] + term[1])
    for _ in range(halvings):
        total = times(total, (total[0] + 2 * ONE, total[1]))
    return Fraction(total[0], ONE), Fraction(total[1], ONE)


def modulus_squared_less_one(z: complex) -> Fraction:
    """|1 + z|² - 1 exactly."""
    a, b = Fraction(z.real), Fraction(z.imag)
    return 2 * a + a * a + b * b


def log1p(x: Fraction) -> float:
    """log(1 + x) of an exact number, correct to a few units in the last place."""
    rounded = float(x)
    if abs(rounded) < 0.5:
        return math.log1p(rounded)
    power = (1 + x).numerator.bit_length() - (1 + x).denominator.bit_length()
    return math.log((1 + x) / Fraction(2) ** power) + power * math.log(2)
