"""Functions with an exact result have NumPy's bits, and special values are NumPy's everywhere."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from compiled import DTYPES, Compiled

from onebuf.backends.numpy.loops import LOOPS
from onebuf.graph import BINARY, UNARY
from onebuf.render.math import MATH
from onebuf.testing.contract import numpys

Array = np.ndarray[Any, Any]
ELEMENTS = ["float", "double"]
OPS = UNARY | BINARY
EXACT = [name for name in MATH if OPS[name].is_exact]
ROUNDED = [name for name in MATH if not OPS[name].is_exact]


def operands(name: str) -> int:
    return 2 if name in BINARY else 1


def numpy_of(name: str, *arrays: Array) -> Array:
    with np.errstate(all="ignore"):
        if name == "floor_divide":
            out = np.empty_like(arrays[0])
            LOOPS[BINARY[name]](*arrays, out)
            return out
        return numpys(name, *arrays)


def specials(element: str) -> Array:
    limits = np.finfo(DTYPES[element])
    numbers = [
        *(0.0, math.inf, math.nan, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 1e-5, 7.0, 100.0, 1000.0, 1e6),
        *(float(limits.max), float(limits.tiny), float(limits.smallest_subnormal)),
        *(2.0**23, 2.0**23 + 1, 2.0**24, 2.0**52, 2.0**52 + 1, 2.0**53, 0.1, 1 / 3),
    ]
    return np.array([sign * x for x in numbers for sign in (1.0, -1.0)], DTYPES[element])


def mixture(element: str, count: int, seed: int) -> Array:
    """Numbers of all exponents, ordinary ones, and whole ones and halves."""
    rng = np.random.default_rng(seed)
    dtype = DTYPES[element]
    words = rng.integers(0, 2 ** (8 * dtype.itemsize), count, dtype=f"u{dtype.itemsize}")
    usual = rng.normal(0.0, 100.0, count).astype(dtype)
    halves = (rng.integers(-1000, 1000, count) / 2).astype(dtype)
    return rng.permutation(np.concatenate([words.view(dtype), usual, halves]))


def same(got: Array, want: Array) -> Array:
    """If numbers are the same, zeros with their sign; all NaNs are alike."""
    if got.dtype == bool:
        return np.asarray(got == want)
    equal = (got == want) & (np.signbit(got) == np.signbit(want))
    return np.asarray(equal | (np.isnan(got) & np.isnan(want)))


def assert_same(got: Array, want: Array, arrays: list[Array]) -> None:
    wrong = np.flatnonzero(~same(got, want))[:5]
    assert got.dtype == want.dtype
    assert wrong.size == 0, [([a[k] for a in arrays], got[k], want[k]) for k in wrong]


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("name", EXACT)
def test_an_exact_function_has_the_bits_of_numpy(name: str, element: str) -> None:
    count = operands(name)
    points = np.array(list(itertools.product(specials(element), repeat=count))).T
    drawn = [mixture(element, 20_000, seed) for seed in range(count)]
    arrays = [np.concatenate([p, d]) for p, d in zip(points, drawn, strict=True)]
    got = Compiled(MATH[name], element, 8, count)(*arrays)
    assert_same(got, numpy_of(name, *arrays), arrays)


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("name", ["remainder", "floor_divide"])
def test_division_is_exact_for_quotients_of_any_size(name: str, element: str) -> None:
    rng = np.random.default_rng(5)
    dtype, count = DTYPES[element], 30_000
    top = 120 if element == "float" else 1000
    y = rng.uniform(1, 2, count) * 2.0 ** rng.uniform(-top / 2, top / 4, count)
    y = (y * rng.choice([-1, 1], count)).astype(dtype)
    # Around whole quotients: the multiple itself, and its neighbours.
    whole = np.floor(2.0 ** rng.uniform(0, 70, count)) * rng.choice([-1, 1], count)
    with np.errstate(over="ignore"):
        x = (y * whole).astype(dtype)
    x = np.nextafter(x, rng.choice([-np.inf, 0.0, np.inf], count).astype(dtype))
    assert np.isfinite(x).mean() > 0.9
    got = Compiled(MATH[name], element, 4, 2)(x, y)
    assert_same(got, numpy_of(name, x, y), [x, y])


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("name", ROUNDED)
def test_special_values_are_those_of_numpy(name: str, element: str) -> None:
    count = operands(name)
    arrays = list(np.array(list(itertools.product(specials(element), repeat=count))).T.copy())
    got, want = Compiled(MATH[name], element, 8, count)(*arrays), numpy_of(name, *arrays)
    edge = ~np.isfinite(got) | ~np.isfinite(want) | (got == 0) | (want == 0)
    assert edge.any()
    assert_same(got[edge], want[edge], [a[edge] for a in arrays])
    # NumPy's own error, mostly: its logaddexp loses digits next to zero.
    np.testing.assert_array_max_ulp(got[~edge], want[~edge], 16 if name == "logaddexp" else 3)


@pytest.mark.parametrize("name, base", [("log2", 2), ("log10", 10), ("exp2", 2)])
@pytest.mark.parametrize("element", ELEMENTS)
def test_powers_of_a_base_and_their_logarithms_are_exact(
    name: str, base: int, element: str
) -> None:
    top = {("float", 2): 127, ("float", 10): 10, ("double", 2): 1023, ("double", 10): 22}
    whole = np.arange(top[element, base] + 1, dtype=DTYPES[element])
    powers = np.array([float(base ** int(k)) for k in whole], DTYPES[element])
    x, want = (whole, powers) if name == "exp2" else (powers, whole)
    assert_same(Compiled(MATH[name], element, 4)(x), want, [x])
