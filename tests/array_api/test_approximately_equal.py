"""approximately_equal: one shape, and every difference less than the tolerance."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import onebuf
from onebuf import approximately_equal
from onebuf.errors import ArgumentError, ArgumentTypeError

FLOATS = ["float16", "float32", "float64", "bfloat16", "float8_e5m2"]
ALL = [*FLOATS, "complex64", "complex128", "bool", "int8", "uint8", "int64", "uint64"]


def test_the_comparison_is_strict():
    assert not approximately_equal(1.0, 1.5, 0.5)
    assert approximately_equal(1.0, 1.5, 0.5000001)
    assert not approximately_equal([1.0, 2.0], [1.0, 2.0], 0)
    assert approximately_equal([1.0, 2.0], [1.0, 2.0])


def test_shapes_have_to_be_equal_and_do_not_broadcast():
    x = onebuf.ones((2, 3))
    assert not approximately_equal(x, onebuf.ones((3, 2)), 10)
    assert not approximately_equal(x, onebuf.ones((3,)), 10)
    assert not approximately_equal(x, 1.0, 10)
    assert not approximately_equal(1.0, x, 10)
    assert approximately_equal(x, np.ones((2, 3)), 1e-9)
    assert approximately_equal(onebuf.ones((0, 3)), onebuf.zeros((0, 3)), 0)


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [*FLOATS[:3], "complex64"])
def test_elements_that_are_no_finite_numbers_are_equal_to_none(special, dtype):
    x = onebuf.asarray(np.array([1, special], dtype))
    assert not approximately_equal(x, x, 1e300)
    assert not approximately_equal(x, np.array([1, 1], dtype), np.inf)


@pytest.mark.parametrize("dtype", ALL)
def test_every_dtype_is_equal_to_itself_within_the_smallest_tolerance(dtype):
    x = onebuf.asarray([0, 1, 1]).astype(getattr(onebuf, dtype))
    assert approximately_equal(x, x, 5e-324)
    assert approximately_equal(x, x.copy())
    y = onebuf.asarray([0, 1, 0]).astype(getattr(onebuf, dtype))
    assert not approximately_equal(x, y, 1)
    assert approximately_equal(x, y, 1.0000001)


def test_a_difference_of_complex_numbers_is_an_absolute_value():
    assert approximately_equal(3 + 4j, 0j, 5.000001)
    assert not approximately_equal(3 + 4j, 0j, 5)
    assert approximately_equal([1 + 1j], np.array([1 + 1j]), 1e-12)
    assert not approximately_equal(1 + 1e-3j, 1.0, 1e-4)


def test_differences_of_narrow_floats_do_not_round_away():
    x, y = np.array([2048], "float16"), np.array([2050], "float16")
    assert not approximately_equal(x, y, 2)
    assert approximately_equal(np.float32([1]), np.float32([1]), 1e-60)


def test_differences_of_integers_neither_wrap_nor_round():
    low, high = np.array([-(2**63)]), np.array([2**63 - 1])
    assert not approximately_equal(low, high, 2.0**64 - 2**12)
    assert approximately_equal(low, high, 2**64)
    assert approximately_equal(low, high, np.inf)
    assert not approximately_equal(np.array([2**62]), np.array([2**62 + 1]), 1)
    assert approximately_equal(np.array([2**62]), np.array([2**62 + 1]), 1.5)
    assert not approximately_equal(np.uint8([0]), np.uint8([255]), 2)
    assert approximately_equal(np.uint64([2**64 - 1]), np.uint64([2**64 - 2]), 2)
    assert not approximately_equal(np.int8([-128]), np.uint8([255]), 383)
    assert approximately_equal(np.int8([-128]), np.uint8([255]), 383.5)


@given(
    st.sampled_from(["int8", "uint16", "int64", "uint64", "float32", "float64"]),
    st.data(),
    st.floats(0, 1e3),
)
def test_the_answer_is_that_of_exact_arithmetic(dtype, data, tol):
    elements = None
    if dtype.startswith("float"):
        # Of these, differences are exact in double precision.
        elements = st.integers(-1000, 1000).map(lambda n: n / 8)
    shape = data.draw(hnp.array_shapes(max_dims=2, max_side=3, min_dims=0))
    x, y = [data.draw(hnp.arrays(dtype, shape, elements=elements)) for _ in "xy"]
    exact = [
        abs(Fraction(a) - Fraction(b)) < Fraction(tol)
        for a, b in zip(x.ravel().tolist(), y.ravel().tolist(), strict=True)
    ]
    assert approximately_equal(onebuf.asarray(x), y, tol) == all(exact)
    with onebuf.config(eager_numel=0, tier="compile"):
        assert approximately_equal(onebuf.asarray(x), onebuf.asarray(y), tol) == all(exact)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "complex64"])
def test_a_large_comparison_is_one_kernel(dtype):
    x = onebuf.asarray(np.ones((1000, 1000), dtype), copy=True)
    y = onebuf.asarray(np.ones((1000, 1000), dtype), copy=True)
    with onebuf.config(tier="compile"), onebuf.counters() as count:
        assert approximately_equal(x, y, 1e-9)
    assert count.kernels == 1
    assert count.copies == 0


def test_views_and_pending_buffers_are_compared():
    x = onebuf.asarray(np.arange(12.0).reshape(3, 4))
    assert approximately_equal(x.T, (x.T * 2) / 2, 1e-9)
    assert not approximately_equal(x[::2], x[1:], 1e-9)


@pytest.mark.parametrize("tol", [-1, np.nan, np.complex128(1)])
def test_a_tolerance_below_zero_is_an_error(tol):
    with pytest.raises(ArgumentError, match="tol"):
        approximately_equal(1.0, 1.0, tol)


@pytest.mark.parametrize("tol", ["1", None, [1]])
def test_a_tolerance_that_is_no_number_is_an_error(tol):
    with pytest.raises(ArgumentTypeError, match="tol"):
        approximately_equal(1.0, 1.0, tol)


@pytest.mark.parametrize("x", [None, "abc", {1}])
def test_what_has_no_elements_is_an_error(x):
    with pytest.raises(ArgumentTypeError, match="approximately_equal"):
        approximately_equal(x, 1.0, 1)


def test_tolerances_beyond_floats_are_infinite():
    assert approximately_equal(1.0, 2.0, 10**400)
    assert approximately_equal(1, 2, 10**400)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.int8, onebuf.asarray, int])
def test_a_tolerance_may_be_a_number_of_any_type(kind):
    assert approximately_equal(1, 2, kind(2))
    assert approximately_equal(1.0, 2.0, kind(2))
    assert not approximately_equal(1.0, 3.0, kind(2))
