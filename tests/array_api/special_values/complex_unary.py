"""Functions of one complex operand a + bj, and what identities make of their rows."""

from __future__ import annotations

from array_api.special_values.rows import Row, rows

_BASE = rows("""
acos
    (0, +0) -> pi/2, -0
    (0, nan) -> pi/2, nan
    (finite, +inf) -> pi/2, -inf
    (nonzero, nan) -> nan, nan
    (-inf, positive) -> pi, -inf
    (+inf, positive) -> +0, -inf
    (-inf, +inf) -> 3pi/4, -inf
    (+inf, +inf) -> pi/4, -inf
    (inf, nan) -> nan, inf
    (nan, finite) -> nan, nan
    (nan, +inf) -> nan, -inf
    (nan, nan) -> nan, nan
acosh
    (0, +0) -> +0, pi/2
    (finite, +inf) -> +inf, pi/2
    (nonzero, nan) -> nan, nan
    (+0, nan) -> nan, +-pi/2
    (-inf, positive) -> +inf, pi
    (+inf, positive) -> +inf, +0
    (-inf, +inf) -> +inf, 3pi/4
    (+inf, +inf) -> +inf, pi/4
    (inf, nan) -> +inf, nan
    (nan, finite) -> nan, nan
    (nan, +inf) -> +inf, nan
    (nan, nan) -> nan, nan
asinh
    (+0, +0) -> +0, +0
    (positive, +inf) -> +inf, pi/2
    (finite, nan) -> nan, nan
    (+inf, positive) -> +inf, +0
    (+inf, +inf) -> +inf, pi/4
    (nan, +0) -> nan, +0
    (nan, nonzero) -> nan, nan
    (nan, +inf) -> inf, nan
    (nan, nan) -> nan, nan
atanh
    (+0, +0) -> +0, +0
    (+0, nan) -> +0, nan
    (1, +0) -> +inf, +0
    (positive, +inf) -> +0, pi/2
    (nonzero, nan) -> nan, nan
    (+inf, positive) -> +0, pi/2
    (+inf, +inf) -> +0, pi/2
    (+inf, nan) -> +0, nan
    (nan, finite) -> nan, nan
    (nan, +inf) -> 0, pi/2
    (nan, nan) -> nan, nan
cosh
    (+0, +0) -> 1, +0
    (+0, +inf) -> nan, 0
    (+0, nan) -> nan, 0
    (nonzero, +inf) -> nan, nan
    (nonzero, nan) -> nan, nan
    (+inf, +0) -> +inf, +0
    (+inf, nonzero) -> inf*cos(b), inf*sin(b)
    (+inf, +inf) -> inf, nan
    (+inf, nan) -> +inf, nan
    (nan, 0) -> nan, 0
    (nan, nonzero) -> nan, nan
    (nan, nan) -> nan, nan
exp
    (0, +0) -> 1, +0
    (finite, +inf) -> nan, nan
    (finite, nan) -> nan, nan
    (+inf, +0) -> +inf, +0
    (-inf, finite) -> 0*cos(b), 0*sin(b)
    (+inf, nonzero) -> inf*cos(b), inf*sin(b)
    (-inf, +inf) -> 0, 0
    (+inf, +inf) -> inf, nan
    (-inf, nan) -> 0, 0
    (+inf, nan) -> inf, nan
    (nan, +0) -> nan, +0
    (nan, not 0) -> nan, nan
    (nan, nan) -> nan, nan
expm1
    (0, +0) -> +0, +0
    (finite, +inf) -> nan, nan
    (finite, nan) -> nan, nan
    (+inf, +0) -> +inf, +0
    (-inf, finite) -> -1, 0*sin(b)
    (+inf, nonzero) -> inf*cos(b), inf*sin(b)
    (-inf, +inf) -> -1, 0
    (+inf, +inf) -> inf, nan
    (-inf, nan) -> -1, 0
    (+inf, nan) -> inf, nan
    (nan, +0) -> nan, +0
    (nan, not 0) -> nan, nan
    (nan, nan) -> nan, nan
log
    (-0, +0) -> -inf, pi
    (+0, +0) -> -inf, +0
    (finite, +inf) -> +inf, pi/2
    (finite, nan) -> nan, nan
    (-inf, positive) -> +inf, pi
    (+inf, positive) -> +inf, +0
    (-inf, +inf) -> +inf, 3pi/4
    (+inf, +inf) -> +inf, pi/4
    (inf, nan) -> +inf, nan
    (nan, finite) -> nan, nan
    (nan, +inf) -> +inf, nan
    (nan, nan) -> nan, nan
log1p
    (-1, +0) -> -inf, +0
    (finite, +inf) -> +inf, pi/2
    (finite, nan) -> nan, nan
    (-inf, positive) -> +inf, pi
    (+inf, positive) -> +inf, +0
    (-inf, +inf) -> +inf, 3pi/4
    (+inf, +inf) -> +inf, pi/4
    (inf, nan) -> +inf, nan
    (nan, finite) -> nan, nan
    (nan, +inf) -> +inf, nan
    (nan, nan) -> nan, nan
sinh
    (+0, +0) -> +0, +0
    (+0, +inf) -> 0, nan
    (+0, nan) -> 0, nan
    (positive, +inf) -> nan, nan
    (positive, nan) -> nan, nan
    (+inf, +0) -> +inf, +0
    (+inf, positive) -> inf*cos(b), inf*sin(b)
    (+inf, +inf) -> inf, nan
    (+inf, nan) -> inf, nan
    (nan, +0) -> nan, +0
    (nan, nonzero) -> nan, nan
    (nan, nan) -> nan, nan
sqrt
    (0, +0) -> +0, +0
    (any, +inf) -> +inf, +inf
    (finite, nan) -> nan, nan
    (-inf, positive) -> +0, +inf
    (+inf, positive) -> +inf, +0
    (-inf, nan) -> nan, inf
    (+inf, nan) -> +inf, nan
    (nan, finite) -> nan, nan
    (nan, nan) -> nan, nan
tanh
    (+0, +0) -> +0, +0
    (nonzero, +inf) -> nan, nan
    (+0, +inf) -> +0, nan
    (nonzero, nan) -> nan, nan
    (+0, nan) -> +0, nan
    (+inf, positive) -> 1, +0
    (+inf, +inf) -> 1, 0
    (+inf, nan) -> 1, 0
    (nan, +0) -> nan, +0
    (nan, not 0) -> nan, nan
    (nan, nan) -> nan, nan
""")
# The standard speaks of sqrt(nan + inf j) twice; the row that says "including NaN" wins, as in C.

_PARTS = rows("""
abs
    (inf, any) -> +inf
    (any, inf) -> +inf
    (0, any) -> |b|
    (any, 0) -> |a|
    (nan, finite) -> nan
    (finite, nan) -> nan
    (nan, nan) -> nan
conj
    (any, any) -> a, -b
imag
    (any, any) -> b
isfinite
    (nan, any) -> false
    (any, nan) -> false
    (inf, any) -> false
    (any, inf) -> false
    (finite, finite) -> true
isinf
    (inf, any) -> true
    (not inf, inf) -> true
    (not inf, not inf) -> false
isnan
    (nan, any) -> true
    (any, nan) -> true
    (not nan, not nan) -> false
negative
    (any, any) -> -a, -b
positive
    (any, any) -> a, b
real
    (any, any) -> a
reciprocal
    (nan, nan) -> nan, nan
round
    (any, any) -> round a, round b
sign
    (0, 0) -> +0, +0
    (nan, any) -> nan, nan
    (any, nan) -> nan, nan
square
    (nan, nan) -> nan, nan
""")

EVEN = ("cosh",)
ODD = ("asinh", "atanh", "sinh", "tanh")


def _with_symmetries(row: Row) -> list[Row]:
    found = [row, row.turned("conjugated")]
    if row.function in EVEN:
        found += [turned.turned("even") for turned in found]
    if row.function in ODD:
        found += [turned.turned("odd") for turned in found]
    return found


BASE = [turned for row in _BASE for turned in _with_symmetries(row)]

_DERIVED = {
    "asinh": [("asin", "at jz, over j")],
    "atanh": [("atan", "at jz, over j")],
    "cosh": [("cos", "at jz")],
    "sinh": [("sin", "at jz, over j")],
    "tanh": [("tan", "at jz, over j")],
    "log": [("log2", "over log 2"), ("log10", "over log 10")],
}

DERIVED = [
    row.turned(turn, function) for row in BASE for function, turn in _DERIVED.get(row.function, [])
]

ROWS = [*BASE, *DERIVED, *_PARTS]
