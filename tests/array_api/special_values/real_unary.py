"""Functions of one real operand."""

from __future__ import annotations

from array_api.special_values.rows import rows

_ROUNDING = """
{name}
    whole -> x
    +inf -> +inf
    -inf -> -inf
    +0 -> +0
    -0 -> -0
    nan -> nan
"""

_LOGARITHM = """
{name}
    nan -> nan
    <0 -> nan
    0 -> -inf
    1 -> +0
    +inf -> +inf
"""

ROWS = [
    *(
        row
        for name in ("ceil", "floor", "round", "trunc")
        for row in rows(_ROUNDING.format(name=name))
    ),
    *(row for name in ("log", "log2", "log10") for row in rows(_LOGARITHM.format(name=name))),
    *rows("""
abs
    nan -> nan
    -0 -> +0
    -inf -> +inf
acos
    nan -> nan
    >1 -> nan
    <-1 -> nan
    1 -> +0
acosh
    nan -> nan
    <1 -> nan
    1 -> +0
    +inf -> +inf
asin
    nan -> nan
    >1 -> nan
    <-1 -> nan
    +0 -> +0
    -0 -> -0
asinh
    nan -> nan
    +0 -> +0
    -0 -> -0
    +inf -> +inf
    -inf -> -inf
atan
    nan -> nan
    +0 -> +0
    -0 -> -0
    +inf -> pi/2
    -inf -> -pi/2
atanh
    nan -> nan
    <-1 -> nan
    >1 -> nan
    -1 -> -inf
    1 -> +inf
    +0 -> +0
    -0 -> -0
cbrt
    nan -> nan
    +0 -> +0
    -0 -> -0
    +inf -> +inf
    -inf -> -inf
conj
    any -> x
cos
    nan -> nan
    +0 -> 1
    -0 -> 1
    +inf -> nan
    -inf -> nan
cosh
    nan -> nan
    +0 -> 1
    -0 -> 1
    +inf -> +inf
    -inf -> +inf
erf
    nan -> nan
    +0 -> +0
    -0 -> -0
    +inf -> 1
    -inf -> -1
erfc
    nan -> nan
    +0 -> 1
    -0 -> 1
    +inf -> +0
    -inf -> 2
exp
    nan -> nan
    +0 -> 1
    -0 -> 1
    +inf -> +inf
    -inf -> +0
exp2
    nan -> nan
    +0 -> 1
    -0 -> 1
    +inf -> +inf
    -inf -> +0
expm1
    nan -> nan
    +0 -> +0
    -0 -> -0
    +inf -> +inf
    -inf -> -1
isfinite
    inf -> false
    nan -> false
    finite -> true
isinf
    inf -> true
    finite -> false
    nan -> false
isnan
    nan -> true
    not nan -> false
log1p
    nan -> nan
    <-1 -> nan
    -1 -> -inf
    -0 -> -0
    +0 -> +0
    +inf -> +inf
logical_not
    0 -> true
    not 0 -> false
    nan -> false
negative
    any -> -x
positive
    any -> x
real
    any -> x
reciprocal
    nan -> nan
    +0 -> +inf
    -0 -> -inf
    +inf -> +0
    -inf -> -0
    nonzero -> inverse
round
    half -> even
sign
    <0 -> -1
    0 -> 0
    >0 -> 1
    nan -> nan
signbit
    +0 -> false
    -0 -> true
    +inf -> false
    -inf -> true
    positive -> false
    negative -> true
    +nan -> false
    -nan -> true
sin
    nan -> nan
    +0 -> +0
    -0 -> -0
    inf -> nan
sinh
    nan -> nan
    +0 -> +0
    -0 -> -0
    +inf -> +inf
    -inf -> -inf
sqrt
    nan -> nan
    <0 -> nan
    +0 -> +0
    -0 -> -0
    +inf -> +inf
square
    nan -> nan
    0 -> +0
    inf -> +inf
tan
    nan -> nan
    +0 -> +0
    -0 -> -0
    inf -> nan
tanh
    nan -> nan
    +0 -> +0
    -0 -> -0
    +inf -> 1
    -inf -> -1
"""),
]
