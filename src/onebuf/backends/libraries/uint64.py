"""uint64 arithmetic, computed in int64 with the same bits.

Some libraries store uint64 and have few functions for it. Sums, products and bitwise operations are
the same for both; the order differs, and with it quotients, right shifts and extremes. Functions
take a namespace and int64 arrays, and return int64 arrays with the bits of the result, or bools.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from onebuf.backends.libraries.conventions import power_by_squaring

_TOP = -(1 << 63)
_WIDTH = 64


def ordered(x: Any) -> Any:
    """Signed integers in the order of the unsigned ones with the bits of ``x``; its own inverse."""
    return x ^ _TOP


def _compare(name: str) -> Callable[..., Any]:
    return lambda xp, x, y: getattr(xp, name)(ordered(x), ordered(y))


def _extreme(name: str) -> Callable[..., Any]:
    return lambda xp, x, y: ordered(getattr(xp, name)(ordered(x), ordered(y)))


def _floor_divide(xp: Any, x: Any, y: Any) -> Any:
    """The quotient of x / 2 in int64, doubled and corrected (Warren, Hacker's Delight)."""
    is_zero, large = y == 0, y < 0
    divisor = xp.where(is_zero | large, xp.ones_like(y), y)
    half = _shift_right(xp, x, xp.ones_like(y))
    quotient = xp.floor_divide(half, divisor) * 2
    left = x - quotient * divisor
    quotient = quotient + (ordered(left) >= ordered(divisor))
    once = (ordered(x) >= ordered(y)) * xp.ones_like(x)
    quotient = xp.where(large, once, quotient)
    return xp.where(is_zero, xp.zeros_like(quotient), quotient)


def _remainder(xp: Any, x: Any, y: Any) -> Any:
    left = x - _floor_divide(xp, x, y) * y
    return xp.where(y == 0, xp.zeros_like(left), left)


def _shift_left(xp: Any, x: Any, y: Any) -> Any:
    shifted = xp.bitwise_left_shift(x, y & (_WIDTH - 1))
    return xp.where(ordered(y) < ordered(_WIDTH), shifted, xp.zeros_like(shifted))


def _shift_right(xp: Any, x: Any, y: Any) -> Any:
    """A logical shift: the sign bit is shifted apart from the rest."""
    places = y & (_WIDTH - 1)
    rest = xp.bitwise_right_shift(x & ~_TOP, places)
    top = xp.where(x < 0, xp.bitwise_left_shift(xp.ones_like(x), _WIDTH - 1 - places), 0 * x)
    shifted = rest | top
    return xp.where(ordered(y) < ordered(_WIDTH), shifted, xp.zeros_like(shifted))


def _pow(xp: Any, x: Any, y: Any) -> Any:
    return power_by_squaring(xp, x + 0 * y, y, _WIDTH)


def _logical(name: str) -> Callable[..., Any]:
    return lambda xp, *operands: getattr(xp, name)(*[operand != 0 for operand in operands])


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _compare(name) for name in ("less", "less_equal", "greater", "greater_equal")},
    **{name: _extreme(name) for name in ("maximum", "minimum")},
    **{name: _logical(name) for name in ("logical_and", "logical_or", "logical_xor")},
    "logical_not": lambda xp, x: x == 0,
    "equal": lambda xp, x, y: x == y,
    "not_equal": lambda xp, x, y: x != y,
    "add": lambda xp, x, y: x + y,
    "subtract": lambda xp, x, y: x - y,
    "multiply": lambda xp, x, y: x * y,
    "bitwise_and": lambda xp, x, y: x & y,
    "bitwise_or": lambda xp, x, y: x | y,
    "bitwise_xor": lambda xp, x, y: x ^ y,
    "bitwise_invert": lambda xp, x: ~x,
    "negative": lambda xp, x: -x,
    "square": lambda xp, x: x * x,
    "sign": lambda xp, x: (x != 0) * xp.ones_like(x),
    "reciprocal": lambda xp, x: (x == 1) * xp.ones_like(x),
    "imag": lambda xp, x: xp.zeros_like(x),
    **{
        name: lambda xp, x: x
        for name in ("abs", "ceil", "conj", "floor", "positive", "real", "round", "trunc")
    },
    "isfinite": lambda xp, x: x == x,
    "isinf": lambda xp, x: x != x,
    "isnan": lambda xp, x: x != x,
    "floor_divide": _floor_divide,
    "remainder": _remainder,
    "bitwise_left_shift": _shift_left,
    "bitwise_right_shift": _shift_right,
    "pow": _pow,
}
"""Functions (namespace, *operands), by the standard's names."""
