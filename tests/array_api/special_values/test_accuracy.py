"""Functions that lose digits where they are written naively keep them: tiny, huge, cancelling."""

from __future__ import annotations

import cmath
import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from array_api.special_values import exact
from array_api.special_values.ways import at_once, lazily

import onebuf as xp

COMPLEX = ("complex64", "complex128")
modes = pytest.mark.parametrize("mode", [at_once, lazily], ids=["at once", "lazily"])

TINY = [2.0**-140, 2.0**-60, 2.0**-30, 1e-8, 1e-4, 0.01]
MODERATE = [0.1, 0.3, 0.5, math.log(2), 0.9, 1.0, math.pi / 2, 2.0, 3.0, math.pi, 2 * math.pi, 10.0]
PARTS = [0.0, *TINY, *MODERATE]
SIGNED = [sign * part for part in PARTS for sign in (1, -1)]
GRID = [complex(a, b) for a, b in itertools.product(SIGNED, SIGNED)]
CIRCLE = [cmath.exp(1j * angle) - 1 for angle in np.linspace(-3.1, 3.1, 41).tolist()]
"""|1 + z| is 1 but for rounding: the logarithm's real part is what rounding left."""


def rounded(numbers: list[complex], dtype: str) -> np.ndarray[Any, Any]:
    return np.array(numbers, dtype)


@modes
@pytest.mark.parametrize("dtype", COMPLEX)
def test_expm1_keeps_its_digits(dtype: str, mode: Any) -> None:
    z = rounded(GRID, dtype)
    with mode():
        got = xp.expm1(xp.asarray(z)).tolist()
    epsilon = float(np.finfo(dtype).eps)
    least = float(np.finfo(dtype).smallest_subnormal)
    for number, w in zip(z.tolist(), got, strict=True):
        wanted = complex(*map(float, exact.expm1(number)))
        case = (number, w, wanted)
        assert abs(w - wanted) <= 4 * epsilon * abs(wanted) + least, case
        assert abs(w.imag - wanted.imag) <= 4 * epsilon * abs(wanted.imag) + least, case


@modes
@pytest.mark.parametrize("dtype", COMPLEX)
def test_expm1_does_not_overflow_before_its_result_does(dtype: str, mode: Any) -> None:
    limit = math.log(float(np.finfo(dtype).max))
    least, epsilon = (Fraction(float(x)) for x in (np.finfo(dtype).tiny, np.finfo(dtype).eps))
    z = rounded([limit + 1 + 1e-5j, limit + 0.5 + 1.57j, limit - 1 + 1j, -5 * limit + 1j], dtype)
    with mode():
        got = xp.expm1(xp.asarray(z)).tolist()
    for number, w in zip(z.tolist(), got, strict=True):
        for part, wanted in zip((w.real, w.imag), exact.expm1(number), strict=True):
            if abs(wanted) > Fraction(float(np.finfo(dtype).max)):
                assert math.isinf(part)
            else:
                slack = least + 8 * epsilon * abs(wanted)
                assert abs(Fraction(part) - wanted) <= slack, (number, w)


@modes
@pytest.mark.parametrize("dtype", COMPLEX)
def test_log1p_keeps_its_digits(dtype: str, mode: Any) -> None:
    near_pole = [complex(-1 + a, b) for a, b in itertools.product([0, 1e-9, -1e-5], [1e-300, 1e-7])]
    z = rounded([*GRID, *CIRCLE, *[-2 - w for w in CIRCLE], *near_pole], dtype)
    with mode():
        got = xp.log1p(xp.asarray(z)).tolist()
    epsilon = float(np.finfo(dtype).eps)
    least = float(np.finfo(dtype).smallest_subnormal)
    for number, w in zip(z.tolist(), got, strict=True):
        if number == -1:
            assert w.real == -math.inf
            continue
        real = exact.log1p(exact.modulus_squared_less_one(number)) / 2
        imag = math.atan2(number.imag, float(1 + Fraction(number.real)))
        assert abs(w.real - real) <= 4 * epsilon * abs(real) + least, (number, w, real)
        assert abs(w.imag - imag) <= 4 * epsilon * abs(imag) + least, (number, w, imag)


@modes
@pytest.mark.parametrize("dtype", COMPLEX)
def test_log1p_of_huge_numbers_is_their_logarithm(dtype: str, mode: Any) -> None:
    largest = float(np.finfo(dtype).max)
    z = rounded(
        [complex(a, b) for a, b in itertools.product((largest, -largest, 1e20), repeat=2)], dtype
    )
    with mode():
        got, wanted = xp.log1p(xp.asarray(z)), xp.log(xp.asarray(z))
        assert xp.all(xp.abs(got - wanted) <= 8 * xp.finfo(dtype).eps * xp.abs(wanted))


@modes
@pytest.mark.parametrize("dtype", COMPLEX)
def test_expm1_and_log1p_undo_one_another(dtype: str, mode: Any) -> None:
    z = xp.asarray(rounded([w for w in GRID if abs(w) < 0.5], dtype))
    with mode():
        again = xp.expm1(xp.log1p(z))
        assert xp.all(xp.abs(again - z) <= 8 * xp.finfo(dtype).eps * xp.abs(z))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_modulus_neither_overflows_nor_vanishes_on_the_way(dtype: str) -> None:
    info = np.finfo(dtype)
    for scale in (float(info.max) / 8, float(info.smallest_normal), 1.0, 2.0**100, 2.0**-100):
        x, y = xp.asarray([3 * scale], dtype=dtype), xp.asarray([4 * scale], dtype=dtype)
        assert xp.hypot(x, y).item() == pytest.approx(5 * scale, rel=4 * float(info.eps))
        z = xp.asarray(np.array([complex(3 * scale, -4 * scale)], f"c{2 * x.dtype.itemsize}"))
        assert xp.abs(z).item() == pytest.approx(5 * scale, rel=4 * float(info.eps))
    least = xp.asarray([float(info.smallest_subnormal)], dtype=dtype)
    assert xp.hypot(least, least).item() > 0


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_square_root_is_rounded_once(dtype: str) -> None:
    numbers = np.random.default_rng(5).lognormal(sigma=30, size=300).astype(dtype)
    for x, root in zip(numbers.tolist(), xp.sqrt(xp.asarray(numbers)).tolist(), strict=True):
        r = np.array(root, dtype)
        up, down = (float(np.nextafter(r, np.array(to, dtype))) for to in (np.inf, 0))
        low, high = (Fraction(root) + Fraction(other) for other in (down, up))
        assert low * low <= 4 * Fraction(x) <= high * high
