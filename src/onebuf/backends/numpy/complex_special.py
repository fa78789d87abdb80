"""Special values of complex functions: operands with an infinite or NaN part, as in the array API.

C libraries differ there, so these rules use real functions alone. A rule takes the real and the
imaginary parts ``a`` and ``b`` of such operands and returns the parts of the results; it does not
hold for operands whose parts are both finite.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy import copysign, inf, isfinite, isinf, isnan, nan, pi, where

from onebuf.dtypes import Array

Parts = tuple[Array, Array]
Rule = Callable[[Array, Array], Parts]


def apply(rule: Rule, z: Array) -> Array:
    """The results of a rule, as complex numbers.

    >>> apply(log, np.array([complex(inf, inf)]))
    array([inf+0.78539816j])
    """
    result = np.empty_like(z)
    result.real, result.imag = rule(z.real, z.imag)
    return result


def exp(a: Array, b: Array) -> Parts:
    """Zero or infinite times cos b + j sin b; of a direction that is lost, what remains."""
    size = np.exp(a)
    lost = isinf(a) & ~isfinite(b)
    p = where(lost, size, size * np.cos(b))
    q = where(lost, where(a > 0, nan, copysign(0, b)), size * np.sin(b))
    return p, where(b == 0, b, q)


def expm1(a: Array, b: Array) -> Parts:
    """One less than `exp`."""
    p, q = exp(a, b)
    return p - 1, q


def log(a: Array, b: Array) -> Parts:
    """Real functions have its special values already."""
    return np.log(np.hypot(a, b)), np.arctan2(b, a)


def log1p(a: Array, b: Array) -> Parts:
    """`log` of one more."""
    return log(a + 1, b)


def _over(rule: Rule, divisor: float) -> Rule:
    def divided(a: Array, b: Array) -> Parts:
        p, q = rule(a, b)
        return p / divisor, q / divisor

    return divided


def sqrt(a: Array, b: Array) -> Parts:
    """An infinite imaginary part wins, then an infinite real one."""
    size = where(isinf(a) | isinf(b), inf, nan)
    vanished = where(isnan(b), nan, 0)
    p = where(isinf(b), inf, where(a < 0, vanished, size))
    q = where(isinf(b), b, where(a > 0, copysign(vanished, b), copysign(size, b)))
    return where(isnan(a) & ~isinf(b), nan, p), where(isnan(a) & ~isinf(b), nan, q)


def cosh(a: Array, b: Array) -> Parts:
    """cosh a cos b + j sinh a sin b."""
    lost = isinf(a) & ~isfinite(b)
    p = where(lost, inf, np.cosh(a) * np.cos(b))
    q = where(lost, nan, np.sinh(a) * np.sin(b))
    return p, where((a == 0) | (b == 0), copysign(0, a) * copysign(1, b), q)


def sinh(a: Array, b: Array) -> Parts:
    """sinh a cos b + j cosh a sin b."""
    lost = (isinf(a) | (a == 0)) & ~isfinite(b)
    p = where(lost, a, np.sinh(a) * np.cos(b))
    q = where(lost, nan, np.cosh(a) * np.sin(b))
    return p, where(b == 0, b, q)


def tanh(a: Array, b: Array) -> Parts:
    """±1 at both ends of the real axis, wherever off it."""
    p = where(isinf(a), copysign(1, a), where(a == 0, a, nan))
    return p, where(isinf(a), copysign(0, b), where(b == 0, b, nan))


def acos(a: Array, b: Array) -> Parts:
    """The angle of a point on an infinite circle, and how far out it is."""
    p = where((a == 0) & isnan(b), pi / 2, np.arctan2(np.abs(b), a))
    infinite = isinf(a) | isinf(b)
    return where(infinite | isnan(b), p, nan), where(infinite, -copysign(inf, b), nan)


def acosh(a: Array, b: Array) -> Parts:
    """`acos` turned into the right half plane."""
    p, q = acos(a, b)
    return np.abs(q), copysign(p, b)


def asinh(a: Array, b: Array) -> Parts:
    """Infinitely far out, at an angle that no longer depends on the sign of ``a``."""
    p = where(isinf(a) | isinf(b), copysign(inf, a), nan)
    q = where(isnan(a) & (b == 0), b, np.arctan2(b, np.abs(a)))
    return p, where(isinf(a) | isinf(b) | (b == 0), q, nan)


def atanh(a: Array, b: Array) -> Parts:
    """Everything infinite comes back at ±πj/2."""
    p = where(isinf(a) | isinf(b) | (a == 0), copysign(0, a), nan)
    return p, where(isnan(b) | ~(isinf(a) | isinf(b)), nan, copysign(pi / 2, b))


def _at_jz(rule: Rule) -> Rule:
    """The rule of f(z) = g(jz)."""
    return lambda a, b: rule(-b, a)


def _at_jz_over_j(rule: Rule) -> Rule:
    """The rule of f(z) = g(jz) / j."""

    def turned(a: Array, b: Array) -> Parts:
        p, q = rule(-b, a)
        return q, -p

    return turned


RULES: dict[str, Rule] = {
    "acos": acos,
    "acosh": acosh,
    "asin": _at_jz_over_j(asinh),
    "asinh": asinh,
    "atan": _at_jz_over_j(atanh),
    "atanh": atanh,
    "cos": _at_jz(cosh),
    "cosh": cosh,
    "exp": exp,
    "expm1": expm1,
    "log": log,
    "log10": _over(log, float(np.log(10))),
    "log1p": log1p,
    "log2": _over(log, float(np.log(2))),
    "sin": _at_jz_over_j(sinh),
    "sinh": sinh,
    "sqrt": sqrt,
    "tan": _at_jz_over_j(tanh),
    "tanh": tanh,
}
