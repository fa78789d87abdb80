"""NumPy's conventions, where the array API standard leaves open what happens.

Whole numbers divided by zero, their negative powers, signs of zeros, the order of complex numbers:
libraries differ there, and all of it can be said in the functions that they share.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from onebuf.errors import ArgumentError


def _floor_divide_whole(xp: Any, x: Any, y: Any) -> Any:
    """Whole quotients; of zero, zero."""
    nothing = y == 0
    return xp.where(nothing, xp.zeros_like(x), xp.floor_divide(x, xp.where(nothing, y + 1, y)))


def _remainder_whole(xp: Any, x: Any, y: Any) -> Any:
    nothing = y == 0
    return xp.where(nothing, xp.zeros_like(x), xp.remainder(x, xp.where(nothing, y + 1, y)))


def _floor_divide(xp: Any, x: Any, y: Any) -> Any:
    """The floor of the quotient; next to infinities and zeros the quotient itself."""
    quotient = x / y
    plain = xp.isfinite(x) & xp.isfinite(y) & (y != 0)
    found = xp.floor_divide(x, y)
    signed = xp.where(found == 0, xp.copysign(found, quotient), found)
    return xp.where(plain, signed, quotient)


def _remainder(xp: Any, x: Any, y: Any) -> Any:
    """What is left of ``x``, with the sign of ``y`` also if it is zero."""
    found = xp.remainder(x, y)
    return xp.where(found == 0, xp.copysign(found, y), found)


def check_powers(lowest: int) -> None:
    """Raise where whole numbers are raised to a negative power."""
    if lowest < 0:
        raise ArgumentError(
            f"pow: Integers to negative integer powers are not allowed, got the exponent "
            f"{lowest}; convert with astype('float64') first"
        )


def _pow_whole(xp: Any, x: Any, y: Any) -> Any:
    if prod(y.shape):
        check_powers(int(xp.min(y)))
    return xp.pow(x, y)


def power_by_squaring(xp: Any, x: Any, y: Any, bits: int) -> Any:
    """Powers of whole numbers, modulo their width; exponents have ``bits`` bits."""
    result = xp.ones_like(x)
    for bit in range(bits):
        result = xp.where((y >> bit) & 1 == 1, result * x, result)
        x = x * x
    return result


def _pow_complex(xp: Any, x: Any, y: Any) -> Any:
    """Anything to the power of zero is one."""
    return xp.where(y == 0, xp.ones_like(x), xp.pow(x, y))


def _sign(xp: Any, x: Any) -> Any:
    """-1, 0 or 1, where zero has no sign; of what is not a number, that."""
    return xp.where(x == 0, xp.zeros_like(x), xp.where(x == x, xp.sign(x), x))


def _less(strict: bool) -> Callable[..., Any]:
    """Complex numbers in the order of NumPy: by real parts, then by imaginary ones."""

    def compare(xp: Any, x: Any, y: Any) -> Any:
        a, b, c, d = xp.real(x), xp.imag(x), xp.real(y), xp.imag(y)
        known = (b == b) & (d == d)
        return ((a < c) & known) | ((a == c) & (b < d if strict else b <= d))

    return compare


def _flipped(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda xp, x, y: function(xp, y, x)


def _extreme(is_first: Callable[..., Any]) -> Callable[..., Any]:
    """The first of two complex numbers where it is the extreme, or has a part that is NaN."""

    def choose(xp: Any, x: Any, y: Any) -> Any:
        return xp.where(is_first(xp, x, y) | (x != x), x, y)

    return choose


def _mixed(name: str, signed_first: bool) -> Callable[..., Any]:
    """Compare an int64 with a uint64, which no type holds both of."""
    answer = getattr(np, name)(*((-1, 0) if signed_first else (0, -1)))

    def compare(xp: Any, x: Any, y: Any) -> Any:
        signed, unsigned = (x, y) if signed_first else (y, x)
        low, high = signed < 0, xp.astype(unsigned, signed.dtype) < 0
        same = xp.astype(unsigned, signed.dtype)
        compared = getattr(xp, name)(*((signed, same) if signed_first else (same, signed)))
        return xp.where(low | high, xp.full_like(low, bool(answer)), compared)

    return compare


_ORDER = {"less": _less(True), "less_equal": _less(False)}
_ORDER |= {"greater": _flipped(_ORDER["less"]), "greater_equal": _flipped(_ORDER["less_equal"])}

CONVENTIONS: dict[tuple[str, str], Callable[..., Any]] = {
    ("floor_divide", "ff"): _floor_divide,
    ("remainder", "ff"): _remainder,
    ("sign", "f"): _sign,
    ("pow", "cc"): _pow_complex,
    # 1 / x cut to a whole number
    ("reciprocal", "i"): lambda xp, x: xp.where((x == 1) | (x == -1), x, xp.zeros_like(x)),
    ("reciprocal", "u"): lambda xp, x: xp.where(x == 1, x, xp.zeros_like(x)),
    **{
        (name, letter * 2): function
        for letter in "iu"
        for name, function in (
            ("floor_divide", _floor_divide_whole),
            ("remainder", _remainder_whole),
            ("pow", _pow_whole),
        )
    },
    **{
        (name, letter): lambda xp, x: x
        for name, letters in (("real", "biuf"), ("conj", "biuf"), ("positive", "iu"))
        for letter in (*letters,)
    },
    **{
        (name, letter): lambda xp, x: x
        for name in ("round", "floor", "ceil", "trunc")
        for letter in "biu"
    },
    **{("imag", letter): lambda xp, x: xp.zeros_like(x) for letter in "biuf"},
    ("abs", "b"): lambda xp, x: x,
    **{(name, "cc"): function for name, function in _ORDER.items()},
    ("maximum", "cc"): _extreme(_ORDER["greater_equal"]),
    ("minimum", "cc"): _extreme(_ORDER["less_equal"]),
    **{
        (name, kinds): _mixed(name, kinds == "iu")
        for name in ("equal", "not_equal", *_ORDER)
        for kinds in ("iu", "ui")
    },
}
"""Functions of the namespace and the operands, by name and by the kinds of NumPy's loop."""
