"""A special value as a number of Python's: bool, int, float and complex of a 0-d buffer."""

from __future__ import annotations

from math import copysign, inf, isnan, nan
from typing import Any

import pytest
from array_api.special_values.ways import at_once, lazily

import onebuf as xp

FLOATS = ("float32", "float64")
COMPLEX = ("complex64", "complex128")

modes = pytest.mark.parametrize("mode", [at_once, lazily], ids=["at once", "lazily"])


def one(number: Any, dtype: str) -> xp.Buffer:
    return xp.asarray(number, dtype=dtype) * xp.asarray(1, dtype=dtype)


@modes
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "number, wanted", [(nan, True), (inf, True), (-inf, True), (0.0, False), (-0.0, False)]
)
def test_truth_of_a_float(number: float, wanted: bool, dtype: str, mode: Any) -> None:
    with mode():
        assert bool(one(number, dtype)) is wanted


@modes
@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("a", [nan, inf, -inf, 0.0, -0.0, 1.0])
@pytest.mark.parametrize("b", [nan, inf, -inf, 0.0, -0.0, 1.0])
def test_truth_of_a_complex_number_is_that_of_either_part(
    a: float, b: float, dtype: str, mode: Any
) -> None:
    with mode():
        assert bool(xp.asarray(complex(a, b), dtype=dtype)) is (bool(a) or bool(b))


@modes
@pytest.mark.parametrize("dtype", FLOATS)
def test_complex_of_a_float(dtype: str, mode: Any) -> None:
    with mode():
        missing = complex(one(nan, dtype))
        assert isnan(missing.real)
        assert isnan(missing.imag)
        for number in (inf, -inf, 0.0, -0.0, 1.5, -2.0):
            got = complex(one(number, dtype))
            assert (got.real, got.imag) == (number, 0.0)
            assert copysign(1, got.real) == copysign(1, number)
            assert copysign(1, got.imag) == 1


@modes
@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_of_a_complex_number_keeps_both_parts(dtype: str, mode: Any) -> None:
    with mode():
        got = complex(xp.asarray(complex(nan, 2), dtype=dtype))
        assert isnan(got.real)
        assert got.imag == 2


@modes
@pytest.mark.parametrize("number, wanted", [(True, 1), (False, 0)])
def test_numbers_of_a_truth_value(number: bool, wanted: int, mode: Any) -> None:
    with mode():
        x = xp.asarray(number)
        assert (int(x), float(x), complex(x)) == (wanted, wanted, wanted)
        assert (type(int(x)), type(float(x)), type(complex(x))) == (int, float, complex)


@modes
@pytest.mark.parametrize("dtype", FLOATS)
def test_int_of_a_float(dtype: str, mode: Any) -> None:
    with mode():
        for number, wanted in ((2.75, 2), (-2.75, -2), (-0.0, 0), (0.0, 0), (2.0**40, 2**40)):
            assert int(one(number, dtype)) == wanted
        for number in (inf, -inf):
            with pytest.raises(OverflowError):
                int(one(number, dtype))
        with pytest.raises(ValueError, match=r"(?i)nan"):
            int(one(nan, dtype))


@modes
@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("kind", [int, float])
def test_a_complex_number_is_not_a_real_one(kind: Any, dtype: str, mode: Any) -> None:
    with mode(), pytest.raises(TypeError):
        kind(xp.asarray(complex(nan, 0), dtype=dtype))
