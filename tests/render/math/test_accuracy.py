"""Functions are within two units in the last place everywhere, most of them within one."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from accuracy import FUNCTIONS, samples, worst
from compiled import Compiled, module

from onebuf.render.builder import Builder
from onebuf.render.math import MATH

COUNTS = {"float": 100_000, "double": 4_000}
MOST = {"float": 0.56, "double": 1.0}
MORE = {
    "float": {"erf": 1.15, "exp": 0.9, "log": 0.9, "tanh": 1.35},
    "double": {"erf": 1.2, "expm1": 1.2, "tanh": 1.1},
}
"""Units in the last place; for some functions, more."""


@pytest.mark.parametrize("element", ["float", "double"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_accurate_over_its_whole_domain(name: str, element: str) -> None:
    count = COUNTS[element]
    operands = samples(name, element, count)
    function = Compiled(MATH[name], element, 8, len(operands))
    error, where = worst(name, element, count, function(*operands))
    bound = MORE[element].get(name, MOST[element])
    assert error <= bound, f"{name} of {where} is {error:.3f} ulp off"


@pytest.mark.parametrize("element", ["float", "double"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_accurate_where_a_product_and_a_sum_are_rounded_twice(
    name: str, element: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = COUNTS[element] // 4
    operands = samples(name, element, count)
    monkeypatch.setattr(Builder, "has_fma", False)
    text, _ = module(MATH[name], element, 8, len(operands))
    assert "llvm.fma" not in text
    function = Compiled(MATH[name], element, 8, len(operands))
    error, where = worst(name, element, count, function(*operands))
    bound = MORE[element].get(name, MOST[element]) + 0.3 * (name in ("erf", "exp", "tanh"))
    assert error <= bound, f"{name} of {where} is {error:.3f} ulp off"


def test_tanh_of_floats_never_falls_and_is_odd() -> None:
    # All floats around the places where formulas change hands, and where it becomes 1.
    compiled = Compiled(MATH["tanh"], "float", 16)
    for edge in (0.5495, *(k * math.log(2.0) / 4 for k in (3, 5, 7, 9)), 8.3, 9.0, 10.0):
        middle = int(np.float32(edge).view(np.uint32))
        x = np.arange(middle - 5000, middle + 5000, dtype=np.uint32).view(np.float32)
        y = compiled(x)
        assert (np.diff(y) >= 0).all()
        np.testing.assert_array_equal(compiled(-x), -y)
        assert (y <= 1).all()


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_angles_next_to_a_multiple_of_a_quarter_turn_keep_their_digits(name: str) -> None:
    # For each exponent, the double among some thousand that is nearest to a multiple of pi / 2.
    exact, function = getattr(mpmath, name), Compiled(MATH[name], "double", 4)
    nearest = [_nearest_to_a_quarter_turn(2.0**e) for e in range(1, 1000, 37)]
    points = np.array([6381956970095103.0 * 2.0**797, *nearest])  # the nearest of all, and others
    with mpmath.workprec(1300):
        for x, got in zip(points, function(points), strict=True):
            true = exact(mpmath.mpf(float(x)))
            error = abs(mpmath.mpf(float(got)) - true) / math.ulp(float(true))
            # A small sine is the angle itself, whose digits are all there.
            assert error < (0.52 if abs(true) < 0.1 else 1.0)


def _nearest_to_a_quarter_turn(size: float) -> float:
    with mpmath.workprec(1300):
        first = mpmath.floor(mpmath.mpf(size) / (mpmath.pi / 2))
        candidates = [float((first + k) * (mpmath.pi / 2)) for k in range(1, 200)]
        return min(candidates, key=lambda x: abs(mpmath.sin(2 * mpmath.mpf(x))))


@pytest.mark.parametrize("element, unit", [("float", 2.0**-24), ("double", 2.0**-53)])
def test_logaddexp_loses_nothing_but_next_to_zero(element: str, unit: float) -> None:
    rng = np.random.default_rng(1)
    dtype = np.float32 if element == "float" else np.float64
    x = (rng.uniform(-4, 4, 2000) * 2.0 ** rng.integers(-8, 8, 2000)).astype(dtype)
    y = (x + rng.uniform(-50, 50, 2000) * 2.0 ** rng.integers(-8, 2, 2000)).astype(dtype)
    got = Compiled(MATH["logaddexp"], element, 8, 2)(x, y)
    for a, b, value in zip(x.tolist(), y.tolist(), got.tolist(), strict=True):
        with mpmath.workprec(200):
            true = mpmath.log(mpmath.exp(a) + mpmath.exp(b))
            error = float(abs(value - true))
        # Where exp(a) + exp(b) is nearly 1, the logarithm is the difference of its parts.
        assert error <= 2 * unit * abs(float(true)) + 2.0**-56
