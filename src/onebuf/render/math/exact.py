"""Functions whose result is exact or correctly rounded: the same bits as NumPy's."""

from __future__ import annotations

from onebuf.render.math.term import BITS, Term, magnitude, root, where, with_sign

INFINITY = float("inf")


def abs(x: Term) -> Term:
    """x without its sign."""
    return magnitude(x)


def negative(x: Term) -> Term:
    """-x."""
    return -x


def square(x: Term) -> Term:
    """x x."""
    return x * x


def sqrt(x: Term) -> Term:
    """The square root."""
    return root(x)


def reciprocal(x: Term) -> Term:
    """1 / x."""
    return 1.0 / x


def sign(x: Term) -> Term:
    """-1, 0 or 1; NaN of NaN."""
    one = with_sign(x.of(1.0), x)
    return where(x == 0.0, 0.0, where(x.is_nan(), x, one))


def isnan(x: Term) -> Term:
    """If x is not a number."""
    return x.is_nan()


def isinf(x: Term) -> Term:
    """If x is an infinity."""
    return magnitude(x) == INFINITY


def isfinite(x: Term) -> Term:
    """If x is neither an infinity nor not a number."""
    return magnitude(x) < INFINITY


def signbit(x: Term) -> Term:
    """If x is negative, also of zeros and NaNs."""
    return x.bits() < 0


def copysign(x: Term, y: Term) -> Term:
    """x with the sign of y."""
    return with_sign(x, y)


def maximum(x: Term, y: Term) -> Term:
    """The greater of two, NaN if one is."""
    return where((x > y) | x.is_nan(), x, y)


def minimum(x: Term, y: Term) -> Term:
    """The lesser of two, NaN if one is."""
    return where((x < y) | x.is_nan(), x, y)


def nextafter(x: Term, y: Term) -> Term:
    """The next number after x on the way to y."""
    bits = x.bits()
    outwards = (y > x) ^ (bits < 0)
    step = where(outwards, bits.of(1), bits.of(-1))
    least_bits = (y.bits() & _sign_bit(x)) | 1
    moved = where(x == 0.0, least_bits.floating(), (bits + step).floating())
    return where(x.is_nan() | y.is_nan(), x + y, where(x == y, y, moved))


def _sign_bit(x: Term) -> int:
    return -(1 << 63) if BITS[x.type] == "i64" else -(1 << 31)


def floor(x: Term) -> Term:
    """The greatest integer up to x."""
    return x.call("llvm.floor")


def ceil(x: Term) -> Term:
    """The least integer from x on."""
    return x.call("llvm.ceil")


def trunc(x: Term) -> Term:
    """x without its fraction."""
    return x.call("llvm.trunc")


def round(x: Term) -> Term:
    """The nearest integer; of two equally near ones, the even one."""
    return x.call("llvm.rint")
