"""Polynomials as their coefficients, the highest power first."""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf import dtypes
from onebuf.array_api.arguments import buffer_of
from onebuf.array_api.creation import arange, eye
from onebuf.array_api.elementwise import sqrt
from onebuf.array_api.manipulation import concat
from onebuf.buffer import Buffer
from onebuf.numpy_api.by_operations.series import convolve
from onebuf.numpy_api.by_operations.shapes import vander
from onebuf.numpy_api.by_operations.table import stands_for, without_form
from onebuf.ops.numpy import lapack


def _coefficients(p: Any) -> Buffer:
    x = buffer_of("a polynomial", p)
    return x.reshape(1) if not x.ndim else x


@stands_for(np.polyval)
def polyval(p: Any, x: Any) -> Buffer:
    """The value at ``x``, by Horner's scheme."""
    coefficients, places = _coefficients(p), buffer_of("polyval", x)
    found = places * 0
    for place in range(coefficients.size):
        found = found * places + coefficients[place : place + 1].reshape(())
    return found


@stands_for(np.polyadd)
def polyadd(a1: Any, a2: Any) -> Buffer:
    """The sum of two polynomials."""
    one, two = _aligned(a1, a2)
    return one + two


@stands_for(np.polysub)
def polysub(a1: Any, a2: Any) -> Buffer:
    """The difference of two polynomials."""
    one, two = _aligned(a1, a2)
    return one - two


def _aligned(a1: Any, a2: Any) -> tuple[Buffer, Buffer]:
    one, two = _coefficients(a1), _coefficients(a2)
    length = max(one.size, two.size)
    return one.pad([(length - one.size, 0)]), two.pad([(length - two.size, 0)])


@stands_for(np.polymul)
def polymul(a1: Any, a2: Any) -> Buffer:
    """The product of two polynomials."""
    return convolve(_coefficients(a1), _coefficients(a2))


@stands_for(np.polyder)
def polyder(p: Any, m: int = 1) -> Buffer:
    """The derivative, ``m`` times over."""
    x = _coefficients(p)
    for _ in range(m):
        x = x[:-1] * arange(x.size - 1, 0, -1, dtype=dtypes.float64)
    return x


@stands_for(np.polyint)
def polyint(p: Any, m: int = 1, k: Any = None) -> Buffer:
    """The integral, ``m`` times over, with constants ``k``."""
    x = _coefficients(p)
    constants = np.zeros(m) if k is None else np.broadcast_to(np.asarray(k, np.float64), (m,))
    for constant in constants.tolist():
        x = concat([x / arange(x.size, 0, -1, dtype=dtypes.float64), buffer_of("k", [constant])])
    return x


@stands_for(np.polyfit)
def polyfit(x: Any, y: Any, deg: int, *, w: Any = None) -> Buffer:
    """The polynomial of degree ``deg`` with the least squares of distances from the points."""
    powers, values = vander(x, deg + 1), buffer_of("polyfit", y)
    if w is not None:
        weights = buffer_of("polyfit", w)
        powers = powers * weights.expand_dims(1)
        values = values * (weights if values.ndim == 1 else weights.expand_dims(1))
    sizes = sqrt((powers * powers).sum(0))
    scaled = (powers / sizes)._node
    routine = lapack.Routine("pinv", (("hermitian", False),))
    inverse = lapack.call(routine, (scaled,), scaled.shape[::-1], scaled.dtype)
    found = Buffer._value(inverse) @ values
    return found / (sizes if values.ndim == 1 else sizes.expand_dims(1))


@stands_for(np.roots)
def roots(p: Any) -> Buffer:
    """The zeros of a polynomial whose first coefficient is not 0."""
    coefficients = _coefficients(p)
    row = -coefficients[1:] / coefficients[:1]
    number = row.size
    below = eye(number, dtype=row.dtype)[:-1]
    companion = concat([row.expand_dims(0), below])._node
    dtype = lapack.complex_of(companion.dtype)
    routine = lapack.Routine("eigvals")
    return Buffer._value(lapack.call(routine, (companion,), (number,), dtype))


@stands_for(np.poly)
def poly(seq_of_zeros: Any) -> Buffer:
    """The polynomial with these zeros."""
    zeros = buffer_of("poly", seq_of_zeros)
    if zeros.ndim != 1:
        raise without_form("poly", f"shape {zeros.shape}")
    found = buffer_of("poly", [1.0])
    for place in range(zeros.size):
        found = concat([found, zeros[:1] * 0]) - zeros[place] * concat([zeros[:1] * 0, found])
    return found
