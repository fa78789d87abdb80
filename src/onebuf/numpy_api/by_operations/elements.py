"""Functions of each element."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np

from onebuf import dtypes
from onebuf.array_api.arguments import buffer_of
from onebuf.array_api.elementwise import atan2, exp2, imag, isnan, logaddexp, pow, real, trunc
from onebuf.array_api.manipulation import broadcast_arrays, broadcast_to
from onebuf.array_api.searching import where
from onebuf.buffer import Buffer
from onebuf.errors import ArgumentError
from onebuf.numpy_api.by_operations.table import stands_for


@stands_for(np.angle)
def angle(z: Any, deg: bool = False) -> Buffer:
    """The angle of complex numbers."""
    x = buffer_of("angle", z)
    is_complex = dtypes.kind(x.dtype) == "c"
    found = atan2(imag(x), real(x)) if is_complex else atan2(x * 0, x)
    return found * (180 / np.pi) if deg else found


@stands_for(np.float_power)
def float_power(x1: Any, x2: Any) -> Buffer:
    """A power in double precision at least."""
    one, two = (buffer_of("float_power", x) for x in (x1, x2))
    wide = dtypes.promote(one.dtype, two.dtype, dtypes.float64)
    return pow(one.astype(wide, copy=False), two.astype(wide, copy=False))


@stands_for(np.fmod)
def fmod(x1: Any, x2: Any) -> Buffer:
    """What is left of a division, with the sign of what was divided."""
    one, two = buffer_of("fmod", x1), buffer_of("fmod", x2)
    return one - trunc(one / two) * two


@stands_for(np.modf)
def modf(x: Any) -> tuple[Buffer, Buffer]:
    """What is behind the decimal point, and what is before it."""
    buffer = buffer_of("modf", x)
    whole = trunc(buffer)
    return buffer - whole, whole


@stands_for(np.ldexp)
def ldexp(x1: Any, x2: Any) -> Buffer:
    """``x1`` times a power of two."""
    mantissa = buffer_of("ldexp", x1)
    return mantissa * exp2(buffer_of("ldexp", x2).astype(mantissa.dtype))


@stands_for(np.logaddexp2)
def logaddexp2(x1: Any, x2: Any) -> Buffer:
    """The logarithm of a sum of powers of two."""
    scale = log(2)
    return (
        logaddexp(buffer_of("logaddexp2", x1) * scale, buffer_of("logaddexp2", x2) * scale) / scale
    )


@stands_for(np.heaviside)
def heaviside(x1: Any, x2: Any) -> Buffer:
    """0 before zero, 1 behind it, and ``x2`` there."""
    x = buffer_of("heaviside", x1)
    found = where(x < 0, 0.0, where(x > 0, 1.0, x2))
    return where(isnan(x), x, found)  # type: ignore[no-any-return]


@stands_for(np.nan_to_num)
def nan_to_num(x: Any, *, copy: bool, nan: Any, posinf: Any, neginf: Any) -> Buffer:
    """Complex numbers with numbers for NaN and infinities in their parts."""
    buffer = buffer_of("nan_to_num", x)
    limits = np.finfo(buffer.dtype)
    high = float(limits.max) if posinf is None else posinf
    low = float(limits.min) if neginf is None else neginf
    parts = []
    for part in (real(buffer), imag(buffer)):
        found = where(part == float("inf"), high, where(part == float("-inf"), low, part))
        parts.append(where(isnan(part), nan, found))
    return parts[0] + parts[1] * 1j  # type: ignore[no-any-return]


@stands_for(np.choose)
def choose(a: Any, choices: Any, *, mode: str = "raise") -> Buffer:
    """Of one of the ``choices`` each element; ``a`` says of which."""
    which = buffer_of("choose", a)
    parts = [buffer_of("choose", part) for part in choices]
    if mode == "wrap":
        which = which % len(parts)
    elif mode == "clip":
        which = where(which < 0, 0, where(which >= len(parts), len(parts) - 1, which))
    elif bool(((which < 0) | (which >= len(parts))).any()):
        raise ArgumentError(f"choose needs indices of {len(parts)} choices, got others among them")
    first, *others = broadcast_arrays(*parts)
    shape = broadcast_arrays(which, first)[0].shape
    found = broadcast_to(first, shape)
    for number, part in enumerate(others, 1):
        found = where(which == number, part, found)
    return found


@stands_for(np.array_equal)
def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    """Whether two buffers have one shape and equal elements."""
    one, two = buffer_of("array_equal", a1), buffer_of("array_equal", a2)
    return one.shape == two.shape and bool(_alike(one, two, equal_nan).all())


@stands_for(np.array_equiv)
def array_equiv(a1: Any, a2: Any) -> bool:
    """Whether two buffers are equal after broadcasting."""
    return bool(_alike(buffer_of("array_equiv", a1), buffer_of("array_equiv", a2), False).all())


def _alike(one: Buffer, two: Buffer, equal_nan: bool) -> Any:
    alike: Any = one == two
    return alike | (isnan(one) & isnan(two)) if equal_nan else alike
