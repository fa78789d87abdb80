"""Loops on complex numbers, where NumPy's differ from the array API or lose precision.

Finite numbers take NumPy's loops nearly everywhere. Its results for infinities and NaNs depend on
the C library, so that special values come from rules instead. A loop may write to its operand: it
writes after everything is read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from onebuf.backends.numpy.complex_special import RULES, Rule, apply
from onebuf.dtypes import Array
from onebuf.graph import BINARY, UNARY, Op

Loop = Callable[..., Any]

_INFO = {np.dtype(kind): np.finfo(kind) for kind in (np.complex64, np.complex128)}
_LARGEST_EXPONENT = {dtype: float(np.log(info.max)) for dtype, info in _INFO.items()}
_SMALLEST_NORMAL = {dtype: float(info.smallest_normal) for dtype, info in _INFO.items()}
_LOPSIDED = ("atan", "atanh")
"""Functions that C libraries round differently in each quadrant."""
_SPLITTER = 2.0**27 + 1
"""Splits a float64 into two halves whose products are exact (Dekker 1971)."""


def corrected(loop: Loop, rule: Rule) -> Loop:
    """``loop``, with the results of ``rule`` for infinite and NaN operands."""

    def run(x: Array, out: Array) -> None:
        finite = np.isfinite(x)
        if finite.all():
            loop(x, out)
            return
        special = ~finite
        values = apply(rule, x[special])
        loop(x, out)
        out[special] = values

    return run


def symmetric(loop: Loop) -> Loop:
    """``loop`` on the first quadrant, mirrored into the others: exactly odd, exactly conjugate."""

    def run(x: Array, out: Array) -> None:
        quadrant = np.empty_like(x)
        quadrant.real, quadrant.imag = np.abs(x.real), np.abs(x.imag)
        loop(quadrant, quadrant)
        p, q = np.copysign(quadrant.real, x.real), np.copysign(quadrant.imag, x.imag)
        out.real, out.imag = p, q

    return run


def _expm1(x: Array, out: Array) -> None:
    """NumPy's, except for special values and where e to the real part overflows."""
    plain = np.isfinite(x) & (x.real < _LARGEST_EXPONENT[x.dtype])
    values = None if plain.all() else _far_expm1(x[~plain])
    np.expm1(x, out)
    np.add(out.real, 0.0, out=out.real)  # the standard has +0 for ±0
    if values is not None:
        out[~plain] = values


def _far_expm1(z: Array) -> Array:
    return np.where(np.isfinite(z), np.exp(z), apply(RULES["expm1"], z))


def _log1p(x: Array, out: Array) -> None:
    """log|1 + z| from |1 + z|² - 1 near the unit circle, where log of the modulus loses all digits.

    The difference is a(2 + a) + b². Where that cancels, its rounding errors are summed too.
    """
    a, b = x.real.astype(np.float64), x.imag.astype(np.float64)
    modulus = np.hypot(a + 1, b)
    size = np.log(modulus)
    near = (modulus > 0.5) & (modulus < 2)
    if near.any():
        one, two = a * (a + 2), b * b
        excess = np.asarray(one + two)
        cancels = near & (excess < 0.75 * (np.abs(one) + two))
        if cancels.any():
            c, d = a[cancels], b[cancels]
            excess[cancels] = _total(2 * c, *_square(c), *_square(d))
        size = np.where(near, 0.5 * np.log1p(excess), size)
    huge = np.isinf(modulus)
    if huge.any():
        size = np.where(huge, np.log(np.hypot(a / 4, b / 4)) + np.log(4), size)
    angle = np.arctan2(b, a + 1)
    out.real, out.imag = size, angle


def _square(x: Array) -> tuple[Array, Array]:
    """x² and its rounding error."""
    rounded = x * x
    shifted = _SPLITTER * x
    high = shifted - (shifted - x)
    low = x - high
    return rounded, ((high * high - rounded) + 2 * high * low) + low * low


def _total(first: Array, *others: Array) -> Array:
    """The sum with its rounding errors, and with those of their sum (compensated twice)."""
    total, tail, rest = first, np.zeros_like(first), np.zeros_like(first)
    for other in others:
        total, taken = _two_sum(total, other)
        tail, taken = _two_sum(tail, taken)
        rest = rest + taken
    return np.asarray(total + (tail + rest))


def _two_sum(x: Array, y: Array) -> tuple[Array, Array]:
    """x + y and its rounding error (Knuth)."""
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)


def _sign(x: Array, out: Array) -> None:
    """NumPy's, except where a part is NaN, or the modulus overflows or is subnormal."""
    modulus = np.abs(x)
    plain = (modulus > _SMALLEST_NORMAL[x.dtype]) & np.isfinite(modulus)
    values = None if plain.all() else _hard_sign(x[~plain])
    np.sign(x, out)
    if values is not None:
        out[~plain] = values


def _hard_sign(z: Array) -> Array:
    power = np.where(np.abs(z) < 1, 2 - _INFO[z.dtype].minexp, -2).astype(np.int32)
    scaled = np.empty_like(z)
    scaled.real, scaled.imag = np.ldexp(z.real, power), np.ldexp(z.imag, power)
    result = np.sign(scaled)
    result[np.isnan(z)] = complex(np.nan, np.nan)
    return result


def _multiply(x: Any, y: Any, out: Array) -> None:
    """The product without fused multiply-add, which NumPy uses on some processors and strides."""
    x, y = np.asarray(x, out.dtype), np.asarray(y, out.dtype)
    real = x.real * y.real - x.imag * y.imag
    imaginary = x.real * y.imag + x.imag * y.real
    out.real, out.imag = real, imaginary


def _reciprocal(x: Array, out: Array) -> None:
    """1 / x; NumPy's reciprocal is wrong at zeros and at infinities."""
    np.divide(1, x, out)


COMPLEX_LOOPS: dict[Op, Loop] = {
    **{UNARY[name]: corrected(getattr(np, name), rule) for name, rule in RULES.items()},
    **{UNARY[name]: corrected(symmetric(getattr(np, name)), RULES[name]) for name in _LOPSIDED},
    UNARY["expm1"]: _expm1,
    UNARY["log1p"]: _log1p,
    UNARY["reciprocal"]: _reciprocal,
    UNARY["sign"]: _sign,
    UNARY["square"]: lambda x, out: _multiply(x, x, out),
    BINARY["multiply"]: _multiply,
}
"""Loops with complex results that replace NumPy's: (*operands, out)."""


def complex_pow(x: Any, y: Any, out: Array) -> None:
    """NumPy's; exp(y log x) where that has fewer NaNs: at infinite and zero bases."""
    result = np.asarray(np.pow(x, y))
    lost = np.isnan(result)
    if lost.any():
        base, exponent = (np.broadcast_to(z, out.shape)[lost].astype(result.dtype) for z in (x, y))
        COMPLEX_LOOPS[UNARY["log"]](base, base)
        power = exponent * base
        COMPLEX_LOOPS[UNARY["exp"]](power, power)
        found = result[lost]
        result[lost] = np.where(_nan_parts(power) < _nan_parts(found), power, found)
    np.copyto(out, result, casting="same_kind")


def _nan_parts(z: Array) -> Array:
    return np.asarray(np.isnan(z.real).astype(np.int8) + np.isnan(z.imag))
