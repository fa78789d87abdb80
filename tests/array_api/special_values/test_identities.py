"""Identities that the standard states: symmetries, and functions defined by way of others."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np
import pytest

import onebuf as xp
from onebuf.ops import quietly

Array = np.ndarray[Any, Any]

FLOATS = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
PARTS = [0.0, 1e-30, 1e-3, 0.3, 0.5, 1.0, 1.5, 2.0, 3.0, 20.0, 1e10, 1e30, inf]
SIGNED = [sign * part for part in PARTS for sign in (1, -1)]
GRID = [complex(a, b) for a, b in itertools.product([*SIGNED, nan], repeat=2)]

CONJUGATE = (
    *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "expm1"),
    *("log", "log10", "log1p", "log2", "sin", "sinh", "sqrt", "tan", "tanh"),
)
ODD = ("asin", "asinh", "atan", "atanh", "sin", "sinh", "tan", "tanh")
EVEN = ("cos", "cosh")
DEFINED: dict[str, Callable[[Any], Any]] = {
    "asin": lambda z: over_j(xp.asinh(times_j(z))),
    "atan": lambda z: over_j(xp.atanh(times_j(z))),
    "cos": lambda z: xp.cosh(times_j(z)),
    "sin": lambda z: over_j(xp.sinh(times_j(z))),
    "tan": lambda z: over_j(xp.tanh(times_j(z))),
}


def complexes(real: Any, imag: Any, like: Any) -> xp.Buffer:
    result = np.empty(like.shape, like.dtype)
    result.real, result.imag = real, imag
    return xp.asarray(result)


def times_j(z: xp.Buffer) -> xp.Buffer:
    return complexes(-xp.imag(z).unwrap(), xp.real(z).unwrap(), z)


def over_j(z: xp.Buffer) -> xp.Buffer:
    return complexes(xp.imag(z).unwrap(), -xp.real(z).unwrap(), z)


def grid(dtype: str, keep: Callable[[complex], bool] = lambda z: True) -> xp.Buffer:
    return xp.asarray(np.array([z for z in GRID if keep(z)], dtype))


def parts(z: xp.Buffer) -> Array:
    array = z.unwrap()
    return np.stack((array.real, array.imag)) if array.dtype.kind == "c" else array


def assert_identical(one: xp.Buffer, two: xp.Buffer, z: xp.Buffer) -> None:
    """The same numbers, signs of zeros too; all NaNs are one."""
    a, b = parts(one), parts(two)
    same = (np.isnan(a) & np.isnan(b)) | ((a == b) & (np.signbit(a) == np.signbit(b)))
    wrong = np.flatnonzero(~np.atleast_2d(same).all(axis=0))
    assert wrong.size == 0, [
        (z[i].item(), one[i].item(), two[i].item()) for i in wrong.tolist()[:5]
    ]


def assert_near(one: xp.Buffer, two: xp.Buffer, z: xp.Buffer, ulps: float = 16) -> None:
    """The same special parts, and finite numbers at a distance small beside their size."""
    a, b = one.unwrap(), two.unwrap()
    with np.errstate(all="ignore"):
        near = np.abs(a - b) <= ulps * np.finfo(a.dtype).eps * np.abs(b)
    p, q = parts(one), parts(two)
    with np.errstate(all="ignore"):
        parts_near = (np.isnan(p) & np.isnan(q)) | (p == q)
        parts_near |= np.abs(p - q) <= ulps * np.finfo(a.dtype).eps * np.abs(q)
    wrong = np.flatnonzero(~(near | parts_near.all(axis=0)))
    assert wrong.size == 0, [
        (z[i].item(), one[i].item(), two[i].item()) for i in wrong.tolist()[:5]
    ]


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", CONJUGATE)
def test_the_conjugate_goes_through(name: str, dtype: str) -> None:
    # the conjugate of a NaN is that NaN, so that a sign beside it has nothing to follow
    z = grid(dtype, lambda z: z.imag == z.imag)
    function = getattr(xp, name)
    if name in ("asin", "atan", "cos", "sin", "tan"):  # as if at jz, where NaN is the real part
        z = grid(dtype, lambda z: z == z)
    assert_identical(function(xp.conj(z)), xp.conj(function(z)), z)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", ODD)
def test_an_odd_function_changes_sign_with_its_operand(name: str, dtype: str) -> None:
    z = grid(dtype, lambda z: z == z)
    function = getattr(xp, name)
    assert_identical(function(-z), -function(z), z)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", EVEN)
def test_an_even_function_does_not_see_the_sign(name: str, dtype: str) -> None:
    z = grid(dtype, lambda z: z == z)
    function = getattr(xp, name)
    assert_identical(function(-z), function(z), z)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", [*ODD, *EVEN])
def test_real_functions_are_odd_or_even_too(name: str, dtype: str) -> None:
    x = xp.asarray(np.array([*SIGNED, 0.7, 0.9, 5.5, nan], dtype))
    function = getattr(xp, name)
    wanted = function(x) if name in EVEN else -function(x)
    assert_identical(function(-x), wanted, x)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", DEFINED)
def test_a_circular_function_is_the_hyperbolic_one_at_jz(name: str, dtype: str) -> None:
    z = grid(dtype)
    assert_near(getattr(xp, name)(z), DEFINED[name](z), z)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_acosh_is_acos_turned_by_a_right_angle(dtype: str) -> None:
    z = grid(dtype, lambda z: z == z and np.copysign(1, z.imag) > 0)
    turned = times_j(xp.acos(z))
    assert_near(xp.acosh(z), turned, z)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_acos_and_asin_together_are_a_right_angle(dtype: str) -> None:
    z = grid(dtype, lambda z: np.isfinite(z) and abs(z) < 1e9)
    total = xp.acos(z) + xp.asin(z)
    assert xp.all(xp.abs(total - np.pi / 2) <= 30 * xp.finfo(dtype).eps * (1 + xp.abs(xp.asin(z))))


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name, base", [("log2", 2), ("log10", 10)])
def test_a_logarithm_of_another_base_is_a_quotient(name: str, base: int, dtype: str) -> None:
    z = grid(dtype)
    natural = xp.log(z).unwrap()
    with np.errstate(all="ignore"):
        wanted = complexes(natural.real / np.log(base), natural.imag / np.log(base), z)
    assert_near(getattr(xp, name)(z), wanted, z)


@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX])
def test_square_and_reciprocal_are_a_product_and_a_quotient(dtype: str) -> None:
    z = grid(dtype) if dtype in COMPLEX else xp.asarray(np.array([*SIGNED, nan], dtype))
    assert_identical(xp.square(z), z * z, z)
    assert_identical(xp.reciprocal(z), 1.0 / z, z)


@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX])
def test_a_difference_is_the_sum_with_the_opposite(dtype: str) -> None:
    some = GRID[::7] if dtype in COMPLEX else [*SIGNED, nan]
    pairs = np.array(list(itertools.product(some, some)), dtype).T
    x, y = xp.asarray(pairs[0].copy()), xp.asarray(pairs[1].copy())
    assert_identical(x - y, x + (-y), x)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_parts_are_rounded_each_for_itself(dtype: str) -> None:
    z = grid(dtype) * 0.77
    got = xp.round(z)
    assert_identical(xp.real(got), xp.round(xp.real(z)), z)
    assert_identical(xp.imag(got), xp.round(xp.imag(z)), z)


@pytest.mark.parametrize("dtype", FLOATS)
def test_hypot_sees_neither_order_nor_signs(dtype: str) -> None:
    pairs = np.array(list(itertools.product([*SIGNED, nan, 0.1], repeat=2)), dtype).T
    x, y = xp.asarray(pairs[0].copy()), xp.asarray(pairs[1].copy())
    wanted = xp.hypot(x, y)
    for got in (xp.hypot(y, x), xp.hypot(x, -y), xp.hypot(-x, y), xp.hypot(-x, -y)):
        assert_identical(got, wanted, x)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_a_power_is_the_exponential_of_a_multiple_of_a_logarithm(dtype: str) -> None:
    z = grid(dtype, lambda z: 1e-4 < abs(z) < 100)
    for exponent in (0.5, -1.5, 2.0, 1j, 0.25 - 0.5j):
        assert_near(z**exponent, xp.exp(xp.log(z) * exponent), z, ulps=100)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_a_special_power_tells_at_least_what_the_exponential_does(dtype: str) -> None:
    """The standard lets a power be more careful: a part may be known where that is NaN."""
    few = [
        complex(a, b) for a, b in itertools.product((nan, inf, -inf, 0.0, -0.0, 1.5, -2), repeat=2)
    ]
    pairs = np.array(list(itertools.product(few, few)), dtype).T
    base, exponent = xp.asarray(pairs[0].copy()), xp.asarray(pairs[1].copy())
    got, plain = parts(base**exponent), parts(xp.exp(exponent * xp.log(base)))
    known = ~np.isnan(plain) & (np.isinf(plain) | (plain == 0))
    assert known.any()
    assert not np.isnan(got[known]).any()


@pytest.mark.parametrize("dtype", COMPLEX)
def test_a_sign_has_modulus_one(dtype: str) -> None:
    info = np.finfo(dtype)
    sizes = [info.smallest_subnormal, info.smallest_normal, 1e-3, 1.0, info.max / 2, info.max]
    for size, turn in itertools.product(sizes, [1, 1j, -1, -1j, 1 + 1j, -1 + 1j, 1 - 1j]):
        z = np.array([float(size) * turn.real + 1j * (float(size) * turn.imag)], dtype)
        got = xp.sign(xp.asarray(z)).item()
        assert abs(got - turn / abs(turn)) <= 4 * info.eps, (z, got)


@pytest.mark.parametrize("dtype", FLOATS)
def test_clip_keeps_nan_wherever_it_is(dtype: str) -> None:
    x = xp.asarray([-2.0, 0.5, nan, 7.0, inf, -inf], dtype=dtype)
    every = xp.asarray([nan, 1.0], dtype=dtype)
    assert xp.clip(x, 0.0, 1.0).tolist()[:2] == [0.0, 0.5]
    assert np.isnan(xp.clip(x, 0.0, 1.0).tolist()[2])
    assert np.isnan(xp.clip(x, nan, 1.0).unwrap()).all()
    assert np.isnan(xp.clip(x, 0.0, nan).unwrap()).all()
    assert np.isnan(xp.clip(x[:2], every, 2.0).unwrap()).tolist() == [True, False]
    assert np.isnan(xp.clip(x[:2], -3.0, every).unwrap()).tolist() == [True, False]
    assert quietly(xp.clip, x).tolist()[3:] == [7.0, inf, -inf]
