"""Functions of two real operands."""

from __future__ import annotations

from array_api.special_values.rows import rows

_DIVISION = """
{name}
    nan, any -> nan
    any, nan -> nan
    inf, inf -> nan
    0, 0 -> nan
    +0, >0 -> +0
    -0, >0 -> -0
    +0, <0 -> -0
    -0, <0 -> +0
    >0, +0 -> +inf
    >0, -0 -> -inf
    <0, +0 -> -inf
    <0, -0 -> +inf
    +inf, positive -> +inf
    +inf, negative -> -inf
    -inf, positive -> -inf
    -inf, negative -> +inf
    positive, +inf -> +0
    positive, -inf -> -0
    negative, +inf -> -0
    negative, -inf -> +0
    positive, positive -> >=0
    negative, negative -> >=0
    positive, negative -> <=0
    negative, positive -> <=0
    nonzero, nonzero -> {rest}
"""

_EXTREME = """
{name}
    nan, any -> nan
    any, nan -> nan
"""

_ORDER = """
{name}
    nan, any -> false
    any, nan -> false
    0, 0 -> {equal}
    +inf, +inf -> {equal}
    -inf, -inf -> {equal}
    finite, +inf -> {less}
    -inf, finite -> {less}
    -inf, +inf -> {less}
    finite, -inf -> {greater}
    +inf, finite -> {greater}
"""

ROWS = [
    *rows(_DIVISION.format(name="divide", rest="quotient")),
    *rows(_DIVISION.format(name="floor_divide", rest="floor of quotient")),
    *rows(_EXTREME.format(name="maximum")),
    *rows(_EXTREME.format(name="minimum")),
    *rows(_ORDER.format(name="less", equal="false", less="true", greater="false")),
    *rows(_ORDER.format(name="less_equal", equal="true", less="true", greater="false")),
    *rows(_ORDER.format(name="greater", equal="false", less="false", greater="true")),
    *rows(_ORDER.format(name="greater_equal", equal="true", less="false", greater="true")),
    *rows("""
add
    nan, any -> nan
    any, nan -> nan
    +inf, -inf -> nan
    -inf, +inf -> nan
    +inf, +inf -> +inf
    -inf, -inf -> -inf
    +inf, finite -> +inf
    -inf, finite -> -inf
    finite, +inf -> +inf
    finite, -inf -> -inf
    -0, -0 -> -0
    -0, +0 -> +0
    +0, -0 -> +0
    +0, +0 -> +0
    0, nonzero -> x2
    nonzero, 0 -> x1
    nonzero, nonzero -> opposites' sum
    nonzero, nonzero -> sum
atan2
    nan, any -> nan
    any, nan -> nan
    >0, +0 -> pi/2
    >0, -0 -> pi/2
    +0, >0 -> +0
    +0, +0 -> +0
    +0, -0 -> pi
    +0, <0 -> pi
    -0, >0 -> -0
    -0, +0 -> -0
    -0, -0 -> -pi
    -0, <0 -> -pi
    <0, +0 -> -pi/2
    <0, -0 -> -pi/2
    positive, +inf -> +0
    positive, -inf -> pi
    negative, +inf -> -0
    negative, -inf -> -pi
    +inf, finite -> pi/2
    -inf, finite -> -pi/2
    +inf, +inf -> pi/4
    +inf, -inf -> 3pi/4
    -inf, +inf -> -pi/4
    -inf, -inf -> -3pi/4
copysign
    not nan, <0 -> -|x1|
    not nan, -0 -> -|x1|
    not nan, +0 -> |x1|
    not nan, >0 -> |x1|
    not nan, -nan -> -|x1|
    not nan, +nan -> |x1|
    nan, <0 -> -nan
    nan, -0 -> -nan
    nan, +0 -> +nan
    nan, >0 -> +nan
    nan, -nan -> -nan
    nan, +nan -> +nan
    -nan, >0 -> +nan
equal
    nan, any -> false
    any, nan -> false
    +inf, +inf -> true
    -inf, -inf -> true
    -0, 0 -> true
    +0, 0 -> true
    finite, finite -> true if equal
    finite, inf -> false
    inf, finite -> false
    +inf, -inf -> false
    -inf, +inf -> false
hypot
    inf, any -> +inf
    any, inf -> +inf
    0, any -> |x2|
    any, 0 -> |x1|
    not inf, nan -> nan
    nan, not inf -> nan
logaddexp
    nan, any -> nan
    any, nan -> nan
    +inf, not nan -> +inf
    not nan, +inf -> +inf
logical_and
    0, any -> false
    any, 0 -> false
    not 0, not 0 -> true
    nan, nan -> true
logical_or
    0, 0 -> false
    not 0, any -> true
    any, not 0 -> true
    nan, any -> true
logical_xor
    0, 0 -> false
    0, not 0 -> true
    not 0, 0 -> true
    not 0, not 0 -> false
    nan, inf -> false
multiply
    nan, any -> nan
    any, nan -> nan
    inf, 0 -> nan
    0, inf -> nan
    >0, >0 -> >=0
    <0, <0 -> >=0
    >0, <0 -> <=0
    <0, >0 -> <=0
    inf, inf -> infinite product
    inf, nonzero -> infinite product
    nonzero, inf -> infinite product
    finite, finite -> product
nextafter
    nan, any -> nan
    any, nan -> nan
    -0, +0 -> +0
    +0, -0 -> -0
not_equal
    nan, any -> true
    any, nan -> true
    +inf, -inf -> true
    -inf, +inf -> true
    finite, finite -> true if different
    0, 0 -> false
    +inf, +inf -> false
    -inf, -inf -> false
    finite, inf -> true
    inf, finite -> true
pow
    not 1, nan -> nan
    any, +0 -> 1
    any, -0 -> 1
    nan, not 0 -> nan
    |>1|, +inf -> +inf
    |>1|, -inf -> +0
    |1|, +inf -> 1
    |1|, -inf -> 1
    1, not nan -> 1
    |<1|, +inf -> +0
    |<1|, -inf -> +inf
    +inf, >0 -> +inf
    +inf, <0 -> +0
    -inf, odd>0 -> -inf
    -inf, not odd>0 -> +inf
    -inf, odd<0 -> -0
    -inf, not odd<0 -> +0
    +0, >0 -> +0
    +0, <0 -> +inf
    -0, odd>0 -> -0
    -0, not odd>0 -> +0
    -0, odd<0 -> -inf
    -0, not odd<0 -> +inf
    negative, fraction -> nan
remainder
    nan, any -> nan
    any, nan -> nan
    inf, inf -> nan
    0, 0 -> nan
    +0, >0 -> +0
    -0, >0 -> +0
    +0, <0 -> -0
    -0, <0 -> -0
    >0, +0 -> nan
    >0, -0 -> nan
    <0, +0 -> nan
    <0, -0 -> nan
    +inf, positive -> nan
    +inf, negative -> nan
    -inf, positive -> nan
    -inf, negative -> nan
    positive, +inf -> x1
    positive, -inf -> x2
    negative, +inf -> x2
    negative, -inf -> x1
    nonzero, nonzero -> python's
"""),
]

ROWS += [row.turned("less the opposite", "subtract") for row in ROWS if row.function == "add"]
