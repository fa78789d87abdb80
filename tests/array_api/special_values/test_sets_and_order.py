"""Sets tell NaNs apart and zeros not; sorting and searching agree on where NaNs go."""

from __future__ import annotations

import itertools
from math import inf, isnan, nan
from typing import Any

import numpy as np
import pytest
from array_api.special_values.ways import at_once, lazily

import onebuf as xp

FLOATS = ("float32", "float64")
COMPLEX = ("complex64", "complex128")

modes = pytest.mark.parametrize("mode", [at_once, lazily], ids=["at once", "lazily"])

REAL = [nan, 0.0, -0.0, 1.0, nan, inf, 1.0, -inf, inf, nan, -0.0]
PARTLY = [complex(nan, 0), complex(nan, 0), complex(1, nan), complex(1, nan), complex(nan, nan)]
ZEROS = [complex(a, b) for a, b in itertools.product((0.0, -0.0), repeat=2)]
OTHERS = [1j, 1j, complex(inf, 1), complex(inf, 1), 2.0]


def elements(dtype: str) -> np.ndarray[Any, Any]:
    return np.array(REAL if dtype in FLOATS else [*PARTLY, *ZEROS, *OTHERS], dtype)


@modes
@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX])
def test_every_nan_is_distinct_and_all_zeros_are_one(dtype: str, mode: Any) -> None:
    array = elements(dtype)
    numbers = [z for z in array.tolist() if z == z]
    with mode():
        x = xp.asarray(array)
        found = xp.unique_all(x)
        assert xp.unique_values(x).shape == found.values.shape
        for values in (found.values, xp.unique_values(x), xp.unique_inverse(x).values):
            assert sum(z != z for z in values.tolist()) == len(array) - len(numbers)
            assert {z for z in values.tolist() if z == z} == set(numbers)
            assert len([z for z in values.tolist() if z == z]) == len(set(numbers))
        for values, counts in (
            (found.values, found.counts),
            tuple(xp.unique_counts(x)),
        ):
            for value, count in zip(values.tolist(), counts.tolist(), strict=True):
                assert count == (numbers.count(value) if value == value else 1)
        for inverse in (found.inverse_indices, xp.unique_inverse(x).inverse_indices):
            assert inverse.shape == x.shape
        again = found.values.unwrap()[found.inverse_indices.unwrap()]
        np.testing.assert_array_equal(again, array)
        first = found.indices.tolist()
        np.testing.assert_array_equal(array[first], found.values.unwrap())
        for value, index in zip(found.values.tolist(), first, strict=True):
            if value == value:
                assert index == array.tolist().index(value)


@modes
@pytest.mark.parametrize("dtype", FLOATS)
def test_membership_is_equality(dtype: str, mode: Any) -> None:
    with mode():
        x = xp.asarray([nan, 0.0, -0.0, inf, 1.0], dtype=dtype)
        other = xp.asarray([nan, -0.0, inf], dtype=dtype)
        assert xp.isin(x, other).tolist() == [False, True, True, True, False]
        assert xp.isin(x, other, invert=True).tolist() == [True, False, False, False, True]


@modes
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", FLOATS)
def test_sorting_loses_no_nan_and_orders_the_rest(dtype: str, descending: bool, mode: Any) -> None:
    with mode():
        x = xp.asarray(elements(dtype))
        got = xp.sort(x, descending=descending).tolist()
        numbers = [z for z in got if z == z]
        assert numbers == sorted((z for z in REAL if z == z), reverse=descending)
        assert sum(map(isnan, got)) == 3
        order = xp.argsort(x, descending=descending).tolist()
        assert sorted(order) == list(range(len(REAL)))
        np.testing.assert_array_equal(elements(dtype)[order], got)
        zeros = [i for i in order if REAL[i] == 0]
        assert zeros == sorted(zeros), "equal elements keep their order"


@modes
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", FLOATS)
def test_searching_agrees_with_sorting(dtype: str, side: str, mode: Any) -> None:
    with mode():
        ordered = xp.sort(xp.asarray(elements(dtype)))
        for value in (nan, inf, -inf, 0.0, -0.0, 0.5):
            place = xp.searchsorted(ordered, xp.asarray([value], dtype=dtype), side=side).item()
            inserted = np.insert(ordered.unwrap(), place, value)
            np.testing.assert_array_equal(xp.sort(xp.asarray(inserted)).unwrap(), inserted)
