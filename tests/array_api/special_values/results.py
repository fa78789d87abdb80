"""Results of special values that depend on the operands, as the rows name them.

Each takes the operands (or the parts of a complex one) and the name of the real dtype. Rounding is
exact: sums, products and quotients are computed as fractions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from math import copysign, inf, pi
from typing import Any

import numpy as np

ANGLES = {"pi": pi, "pi/2": pi / 2, "pi/4": pi / 4, "3pi/4": 3 * pi / 4}


def _nearest(exact: Fraction, dtype: str) -> float:
    """The number of ``dtype`` nearest to ``exact``.

    By way of float64, which changes nothing: it has more than twice the digits of float32.
    """
    try:
        near = float(exact)
    except OverflowError:
        near = inf if exact > 0 else -inf
    with np.errstate(over="ignore", under="ignore"):
        return float(np.dtype(dtype).type(near))


def _common_sign(x: float, y: float) -> float:
    return copysign(1, x) * copysign(1, y)


def _sum(x: float, y: float, dtype: str) -> float:
    return _nearest(Fraction(x) + Fraction(y), dtype)


def _product(x: float, y: float, dtype: str) -> float:
    return copysign(_nearest(Fraction(x) * Fraction(y), dtype), _common_sign(x, y))


def _quotient(x: float, y: float, dtype: str) -> float:
    return copysign(_nearest(Fraction(x) / Fraction(y), dtype), _common_sign(x, y))


def _python_remainder(x: float, y: float, dtype: str) -> float:
    with np.errstate(over="ignore", under="ignore"):
        return float(np.dtype(dtype).type(x % y))


def _is_exact_floor(x: float, y: float) -> bool:
    return 1 <= abs(Fraction(x) / Fraction(y)) < 2**20


RESULTS: dict[str, Callable[..., Any]] = {
    "x": lambda x, dtype: x,
    "-x": lambda x, dtype: -x,
    "x1": lambda x, y, dtype: x,
    "x2": lambda x, y, dtype: y,
    "|x1|": lambda x, y, dtype: abs(x),
    "|x2|": lambda x, y, dtype: abs(y),
    "-|x1|": lambda x, y, dtype: -abs(x),
    "opposites' sum": lambda x, y, dtype: 0.0,
    "sum": _sum,
    "product": _product,
    "quotient": _quotient,
    "inverse": lambda x, dtype: _quotient(1.0, x, dtype),
    "floor of quotient": lambda x, y, dtype: float(math.floor(Fraction(x) / Fraction(y))),
    "python's": _python_remainder,
    "infinite product": lambda x, y, dtype: copysign(inf, _common_sign(x, y)),
    "even": lambda x, dtype: copysign(2.0 * math.floor((abs(x) + 1) / 2), x),
    "true if equal": lambda x, y, dtype: x == y,
    "true if different": lambda x, y, dtype: x != y,
    # of complex operands a + bj and c + dj
    "a": lambda a, b, dtype: a,
    "b": lambda a, b, dtype: b,
    "-a": lambda a, b, dtype: -a,
    "-b": lambda a, b, dtype: -b,
    "|a|": lambda a, b, dtype: abs(a),
    "|b|": lambda a, b, dtype: abs(b),
    "round a": lambda a, b, dtype: float(np.rint(a)),
    "round b": lambda a, b, dtype: float(np.rint(b)),
    "inf*cos(b)": lambda a, b, dtype: copysign(inf, math.cos(b)),
    "inf*sin(b)": lambda a, b, dtype: copysign(inf, math.sin(b)),
    "0*cos(b)": lambda a, b, dtype: copysign(0.0, math.cos(b)),
    "0*sin(b)": lambda a, b, dtype: copysign(0.0, math.sin(b)),
    "a+c": lambda a, b, c, d, dtype: a + c,
    "b+d": lambda a, b, c, d, dtype: b + d,
    "a-c": lambda a, b, c, d, dtype: a - c,
    "b-d": lambda a, b, c, d, dtype: b - d,
    "ac-bd": lambda a, b, c, d, dtype: a * c - b * d,
    "bc+ad": lambda a, b, c, d, dtype: b * c + a * d,
    "a=c and b=d": lambda a, b, c, d, dtype: a == c and b == d,
    "a!=c or b!=d": lambda a, b, c, d, dtype: a != c or b != d,
}

CONDITIONS: dict[str, Callable[..., bool]] = {
    "opposites' sum": lambda x, y: x == -y,
    "sum": lambda x, y: x != -y,
    "floor of quotient": _is_exact_floor,
    "true if equal": lambda x, y: x == y,
    "true if different": lambda x, y: x != y,
}
"""The operands that a row with such a result speaks of; without an entry, all of them."""
