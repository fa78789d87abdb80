"""Special values of functions that fold, accumulate or test many elements."""

from __future__ import annotations

from math import copysign, inf, isnan, nan
from typing import Any

import numpy as np
import pytest
from array_api.special_values.ways import at_once, lazily

import onebuf as xp
from onebuf import OnebufError

FLOATS = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
NUMBERS = ("int8", "uint8", "int64", "uint64", *FLOATS, *COMPLEX)
PLACES = (0, 1, 7, 16)
"""Where in 17 elements the special one is: in vectors, between them, in what is left over."""

modes = pytest.mark.parametrize("mode", [at_once, lazily], ids=["at once", "lazily"])


def among(number: Any, place: int, dtype: str, others: Any = 1) -> xp.Buffer:
    array = np.full(17, others, dtype)
    array[place] = number
    return xp.asarray(array)


def is_number(got: Any, wanted: Any) -> bool:
    """Whether both are one number, in both parts, signs of zeros too."""
    if isinstance(wanted, complex):
        return is_number(got.real, wanted.real) and is_number(got.imag, wanted.imag)
    if isnan(wanted):
        return isnan(got)
    return bool(got == wanted) and copysign(1, got) == copysign(1, wanted)


# -- nothing to fold -------------------------------------------------------------------------------


@modes
@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("name, wanted", [("sum", 0), ("prod", 1)])
def test_the_fold_of_nothing_is_its_identity(name: str, wanted: int, dtype: str, mode: Any) -> None:
    with mode():
        empty = xp.zeros((0, 3), dtype=dtype)
        assert getattr(xp, name)(empty).item() == wanted
        assert getattr(xp, name)(empty, axis=0).tolist() == [wanted] * 3
        assert getattr(xp, name)(empty, axis=(0, 1), keepdims=True).tolist() == [[wanted]]
        assert getattr(xp, name)(empty, axis=1).tolist() == []


@modes
@pytest.mark.parametrize("dtype", ["bool", *NUMBERS])
@pytest.mark.parametrize("name, wanted", [("all", True), ("any", False)])
def test_nothing_is_true_of_all_and_of_none(name: str, wanted: bool, dtype: str, mode: Any) -> None:
    with mode():
        empty = xp.zeros((0, 3), dtype=dtype)
        assert getattr(xp, name)(empty).item() is wanted
        assert getattr(xp, name)(empty, axis=0).tolist() == [wanted] * 3


@modes
@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX])
def test_the_mean_of_nothing_is_nan(dtype: str, mode: Any) -> None:
    with mode():
        empty = xp.zeros((0, 3), dtype=dtype)
        for got in (xp.mean(empty), xp.mean(empty, axis=0)):
            assert np.isnan(got.unwrap().real).all()
            assert np.isnan(got.unwrap().imag).all() == (dtype in COMPLEX)


@modes
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("correction", [3, 3.0, 3.5, 7])
@pytest.mark.parametrize("name", ["std", "var"])
def test_a_spread_without_freedom_is_nan(
    name: str, correction: float, dtype: str, mode: Any
) -> None:
    with mode():
        x = xp.asarray([[1.0, 2.0, 4.0], [3.0, 3.0, 3.0]], dtype=dtype)
        got = getattr(xp, name)(x, axis=1, correction=correction)
        assert np.isnan(got.unwrap()).all()
        assert isnan(getattr(xp, name)(x[:0]).item())
        assert getattr(xp, name)(x, axis=1, correction=2).tolist()[1] == 0.0


@modes
@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
def test_nothing_has_no_extreme(name: str, mode: Any) -> None:
    with mode(), pytest.raises(OnebufError, match=name):
        getattr(xp, name)(xp.zeros((0, 3)), axis=0)


# -- special elements ------------------------------------------------------------------------------


@modes
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["max", "mean", "min", "prod", "std", "sum", "var"])
def test_nan_goes_through(name: str, dtype: str, place: int, mode: Any) -> None:
    with mode():
        x = among(nan, place, dtype)
        assert isnan(getattr(xp, name)(x).item())
        square = xp.stack([x, xp.ones_like(x)])
        ours, plain = getattr(xp, name)(square, axis=1).tolist()
        assert isnan(ours)
        assert not isnan(plain)
        assert isnan(getattr(xp, name)(square, axis=0).tolist()[place])


@modes
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", ["mean", "sum"])
def test_nan_in_one_part_leaves_the_other(name: str, dtype: str, place: int, mode: Any) -> None:
    with mode():
        total = 17 if name == "sum" else 1
        got = getattr(xp, name)(among(complex(nan, 1), place, dtype, 1 + 1j)).item()
        assert is_number(got, complex(nan, total))
        got = getattr(xp, name)(among(complex(1, nan), place, dtype, 1 + 1j)).item()
        assert is_number(got, complex(total, nan))


SUMS = [
    ([-0.0, -0.0], -0.0),
    ([-0.0], -0.0),
    ([-0.0, 0.0], 0.0),
    ([0.0, -0.0], 0.0),
    ([inf, -inf], nan),
    ([inf, inf], inf),
    ([-inf, 5.0, -inf], -inf),
    ([1.0, inf, 3.0], inf),
    ([1.0, -1.0], 0.0),
    ([nan, inf], nan),
]
PRODUCTS = [
    ([-0.0], -0.0),
    ([-0.0, -0.0], 0.0),
    ([-0.0, 3.0], -0.0),
    ([inf, 0.0], nan),
    ([-0.0, inf], nan),
    ([inf, -inf], -inf),
    ([-inf, -2.0], inf),
    ([nan, 0.0], nan),
]


@modes
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "name, elements, wanted",
    [*(("sum", *case) for case in SUMS), *(("prod", *case) for case in PRODUCTS)],
)
def test_a_fold_is_one_step_after_another(
    name: str, elements: list[float], wanted: float, dtype: str, mode: Any
) -> None:
    with mode():
        x = xp.asarray(elements, dtype=dtype)
        assert is_number(getattr(xp, name)(x).item(), wanted)
        running = getattr(xp, f"cumulative_{name}")(x).tolist()
        assert is_number(running[0], elements[0])
        assert is_number(running[-1], wanted)
        wide = xp.broadcast_to(xp.reshape(x, (-1, 1)), (len(elements), 17))
        for got in getattr(xp, name)(wide, axis=0).tolist():
            assert is_number(got, wanted)
        with_first = getattr(xp, f"cumulative_{name}")(x, include_initial=True).tolist()
        assert is_number(with_first[0], 0.0 if name == "sum" else 1.0)


@modes
@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX])
def test_a_trace_is_a_sum(dtype: str, mode: Any) -> None:
    with mode():
        assert xp.linalg.trace(xp.zeros((0, 0), dtype=dtype)).item() == 0
        assert xp.linalg.trace(xp.ones((2, 3), dtype=dtype), offset=7).item() == 0
        for diagonal, wanted in SUMS:
            x = np.full((len(diagonal), len(diagonal)), nan, dtype)
            np.fill_diagonal(x, diagonal)
            got = xp.linalg.trace(xp.asarray(x)).item()
            assert is_number(got.real, wanted)


@modes
@pytest.mark.parametrize("count", [1, 2, 17])
@pytest.mark.parametrize("dtype", FLOATS)
def test_a_sum_of_negative_zeros_is_one(dtype: str, count: int, mode: Any) -> None:
    with mode():
        assert is_number(xp.sum(xp.full(count, -0.0, dtype=dtype)).item(), -0.0)
        assert is_number(xp.mean(xp.full(count, -0.0, dtype=dtype)).item(), -0.0)
        both = xp.full(count, complex(-0.0, -0.0))
        assert is_number(xp.sum(both).item(), complex(-0.0, -0.0))


@modes
@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_folds_are_one_step_after_another(dtype: str, mode: Any) -> None:
    elements = [
        complex(inf, 0),
        complex(1, -0.0),
        complex(-0.0, nan),
        complex(2, 3),
        complex(0, inf),
    ]
    with mode():
        for first in range(len(elements)):
            for stop in range(first + 1, len(elements) + 1):
                x = xp.asarray(elements[first:stop], dtype=dtype)
                total, product = x[0], x[0]
                for i in range(1, stop - first):
                    total, product = total + x[i], product * x[i]
                assert is_number(xp.sum(x).item(), total.item())
                assert is_number(xp.prod(x).item(), product.item())
                assert is_number(xp.cumulative_sum(x)[-1].item(), total.item())
                assert is_number(xp.cumulative_prod(x)[-1].item(), product.item())


@modes
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "number, truth",
    [
        *[(nan, True), (inf, True), (-inf, True), (0.0, False), (-0.0, False), (1e-40, True)],
        *[(complex(0, nan), True), (complex(-0.0, inf), True), (1j, True)],
        (complex(0.0, -0.0), False),
    ],
)
def test_what_is_not_zero_is_true(number: Any, truth: bool, place: int, mode: Any) -> None:
    with mode():
        for dtype in COMPLEX if isinstance(number, complex) else FLOATS:
            assert xp.all(among(number, place, dtype)).item() is truth
            x = among(number, place, dtype, others=0)
            assert xp.any(x).item() is truth
            assert xp.count_nonzero(x).item() == truth
            assert xp.nonzero(x)[0].tolist() == [place] * truth


@modes
@pytest.mark.parametrize("dtype", FLOATS)
def test_infinities_are_extremes(dtype: str, mode: Any) -> None:
    with mode():
        x = xp.asarray([1.0, inf, -inf, inf, -inf], dtype=dtype)
        assert (xp.max(x).item(), xp.min(x).item()) == (inf, -inf)
        assert (xp.argmax(x).item(), xp.argmin(x).item()) == (1, 2)
        zeros = xp.asarray([0.0, -0.0], dtype=dtype)
        assert xp.max(zeros).item() == xp.min(zeros).item() == 0


@modes
@pytest.mark.parametrize("dtype", FLOATS)
def test_differences_follow_subtraction(dtype: str, mode: Any) -> None:
    with mode():
        got = xp.diff(xp.asarray([inf, inf, 1.0, nan, 0.0, -0.0], dtype=dtype)).tolist()
    for number, wanted in zip(got, [nan, -inf, nan, nan, -0.0 - 0.0], strict=True):
        assert is_number(number, wanted)
