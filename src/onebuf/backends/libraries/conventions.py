"""NumPy's conventions, where the array API standard leaves the result open.

Integers divided by zero, negative powers of integers, signs of zeros, the order of complex numbers:
libraries differ there. Each convention is built from functions that all of them have.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from onebuf.backends.operand_errors import negative_power


def _floor_divide_int(xp: Any, x: Any, y: Any) -> Any:
    """Integer quotients; zero where the divisor is zero."""
    is_zero = y == 0
    return xp.where(is_zero, xp.zeros_like(x), xp.floor_divide(x, xp.where(is_zero, y + 1, y)))


def _remainder_int(xp: Any, x: Any, y: Any) -> Any:
    is_zero = y == 0
    return xp.where(is_zero, xp.zeros_like(x), xp.remainder(x, xp.where(is_zero, y + 1, y)))


def _floor_divide(xp: Any, x: Any, y: Any) -> Any:
    """The floor of the quotient; of infinite operands and zero divisors the quotient itself."""
    quotient = x / y
    plain = xp.isfinite(x) & xp.isfinite(y) & (y != 0)
    found = xp.floor_divide(x, y)
    signed = xp.where(found == 0, xp.copysign(found, quotient), found)
    return xp.where(plain, signed, quotient)


def _remainder(xp: Any, x: Any, y: Any) -> Any:
    """The remainder, with the sign of ``y`` even if it is zero."""
    found = xp.remainder(x, y)
    return xp.where(found == 0, xp.copysign(found, y), found)


def check_powers(lowest: int) -> None:
    """Raise where integers are raised to a negative power."""
    if lowest < 0:
        raise negative_power(lowest)


def _pow_int(xp: Any, x: Any, y: Any) -> Any:
    if prod(y.shape):
        check_powers(int(xp.min(y)))
    return xp.pow(x, y)


def power_by_squaring(xp: Any, x: Any, y: Any, bits: int) -> Any:
    """Powers of integers, modulo their width; exponents have ``bits`` bits."""
    result = xp.ones_like(x)
    for bit in range(bits):
        result = xp.where((y >> bit) & 1 == 1, result * x, result)
        x = x * x
    return result


def _pow_complex(xp: Any, x: Any, y: Any) -> Any:
    """Anything to the power of zero is one."""
    return xp.where(y == 0, xp.ones_like(x), xp.pow(x, y))


def _sign(xp: Any, x: Any) -> Any:
    """-1, +0 or 1; NaN of NaN."""
    return xp.where(x == 0, xp.zeros_like(x), xp.where(x == x, xp.sign(x), x))


def _less(strict: bool) -> Callable[..., Any]:
    """The lexicographic order of complex numbers: by real parts, then by imaginary ones."""

    def compare(xp: Any, x: Any, y: Any) -> Any:
        a, b, c, d = xp.real(x), xp.imag(x), xp.real(y), xp.imag(y)
        known = (b == b) & (d == d)
        return ((a < c) & known) | ((a == c) & (b < d if strict else b <= d))

    return compare


def _flipped(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda xp, x, y: function(xp, y, x)


def _extreme(is_first: Callable[..., Any]) -> Callable[..., Any]:
    """The first of two complex numbers if it is the extreme or has a NaN part, else the second."""

    def choose(xp: Any, x: Any, y: Any) -> Any:
        return xp.where(is_first(xp, x, y) | (x != x), x, y)

    return choose


def _mixed(name: str, signed_first: bool) -> Callable[..., Any]:
    """Compare an int64 with a uint64, which have no common integer dtype."""
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
    # 1 / x truncated to an integer
    ("reciprocal", "i"): lambda xp, x: xp.where((x == 1) | (x == -1), x, xp.zeros_like(x)),
    ("reciprocal", "u"): lambda xp, x: xp.where(x == 1, x, xp.zeros_like(x)),
    **{
        (name, letter * 2): function
        for letter in "iu"
        for name, function in (
            ("floor_divide", _floor_divide_int),
            ("remainder", _remainder_int),
            ("pow", _pow_int),
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
"""Functions (namespace, *operands), by operation name and the kinds of NumPy's loop dtypes."""
