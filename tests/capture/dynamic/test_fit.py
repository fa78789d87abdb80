"""A fit goes through all samples, or there is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onebuf.capture.dynamic.fit import Fits, Instance, Misfit
from onebuf.layout import View
from onebuf.ops.library import LibraryCall, Part, Shared

POINTS = [(64,), (1,), (2,), (1277,)]
FITS = Fits(POINTS)
SMALL = st.integers(-50, 50)


def values(function: Any) -> list[Any]:
    return [function(n) for (n,) in POINTS]


def at(found: Any, n: int) -> Any:
    return found(Instance((n,)))


@given(SMALL, SMALL, SMALL, st.integers(1, 1000))
def test_a_polynomial_of_degree_two_is_found(a: int, b: int, c: int, n: int) -> None:
    found = FITS.value(values(lambda n: a * n * n + b * n + c))
    assert at(found, n) == a * n * n + b * n + c


@pytest.mark.parametrize("function", [lambda n: n**3, lambda n: min(n, 5), lambda n: n // 2])
def test_what_is_no_such_polynomial_is_refused(function: Any) -> None:
    with pytest.raises(Misfit):
        FITS.value(values(function))


def test_a_value_that_is_no_integer_is_refused() -> None:
    found = Fits([(2,), (4,), (6,), (100,)]).integer([1, 2, 3, 50])
    assert at(found, 8) == 4
    with pytest.raises(Misfit, match="no integer"):
        at(found, 9)


def test_two_lengths_are_told_apart() -> None:
    points = [(3, 5), (1, 5), (2, 5), (99, 5), (3, 1), (3, 2), (3, 99), (1, 1), (99, 99)]
    found = Fits(points).value([2 * n * m + m * m - n + 7 for n, m in points])
    assert found(Instance((10, 4))) == 80 + 16 - 10 + 7


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
@pytest.mark.parametrize("form", ["n", "2 * n - 1", "1 / n", "n ** 0.5", "1 / n ** 0.5"])
def test_a_number_is_found_to_the_bit(dtype: Any, form: str) -> None:
    def number(n: int) -> Any:
        return dtype(eval(form, {"n": n}))

    if dtype is np.int64 and form not in ("n", "2 * n - 1"):
        return
    found = FITS.value(values(number))
    for n in range(1, 100):
        assert at(found, n).tobytes() == number(n).tobytes()
        assert type(at(found, n)) is dtype


def test_a_number_that_is_none_of_these_is_refused() -> None:
    with pytest.raises(Misfit, match="the numbers"):
        FITS.value(values(lambda n: np.float64(np.sin(n))))


def test_offsets_and_strides_do_not_matter_where_there_is_nothing_to_step_over() -> None:
    views = [View((n - 1, 6), (6, 1), 6 if n > 1 else 0) for (n,) in POINTS]
    views[2] = View((1, 6), (77, 1), 6)
    assert at(FITS.value(views), 9) == View((8, 6), (6, 1), 6)
    assert at(FITS.value(views), 1) == View((0, 6), (6, 1), 0)


def test_results_of_one_call_stay_results_of_one_call() -> None:
    shared = [Shared(LibraryCall(np.linalg.qr, (n, slice(0, n)))) for (n,) in POINTS]
    one = FITS.value([Part(call, 0) for call in shared])
    two = FITS.value([Part(call, 1) for call in shared])
    instance = Instance((5,))
    assert one(instance).shared is two(instance).shared
    assert one(instance).shared.call.static == (5, slice(0, 5))


def test_functions_are_the_same_if_their_code_and_its_values_are() -> None:
    def made(value: Any) -> Any:
        return lambda x: x + value

    first = made("a")
    assert at(FITS.value([first, made("a"), made("a"), made("a")]), 3) is first
    with pytest.raises(Misfit):
        FITS.value(values(made))


def test_values_that_differ_otherwise_are_refused() -> None:
    for different in ([1, 1.0, 1, 1], ["a", "b", "a", "a"], [(1,), (1, 2), (1,), (1,)]):
        with pytest.raises(Misfit):
            FITS.value(different)
