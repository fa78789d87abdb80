"""The error function: a polynomial below 1, and from there on 1 - exp(-P(x - 1)).

The exponential is erfc(x), at most 0.16 there, so that its errors hardly show.
"""

from __future__ import annotations

from onebuf.render.math import float32
from onebuf.render.math.coefficients import ERF, ERF_TAIL
from onebuf.render.math.exponential import exp_sum
from onebuf.render.math.term import Term, horner, least, magnitude, polynomial, where, with_sign


def erf(x: Term) -> Term:
    """2 / sqrt(pi) times the integral of exp(-t**2) from 0 to x."""
    if x.type == "float":
        return float32.erf(x)
    size = magnitude(x)
    near = size + size * horner(size * size, ERF)
    far = 1.0 - exp_sum(-polynomial(least(size, 6.0) - 1.0, ERF_TAIL))
    return with_sign(where(size < 1.0, near, far), x)
