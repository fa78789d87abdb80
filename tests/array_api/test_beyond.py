"""What the namespace takes and gives beyond the standard, as NumPy does."""

from __future__ import annotations

import numpy as np
import pytest

import onebuf
from onebuf.errors import ArgumentError, ArgumentTypeError


@pytest.mark.parametrize("k", [-2, -1, 0, 1, 3])
@pytest.mark.parametrize("extent", [0, 1, 4])
def test_diag_of_elements_is_a_matrix(extent, k):
    array = np.arange(1.0, extent + 1)
    found = onebuf.diag(onebuf.asarray(array), k)
    assert found.shape == np.diag(array, k).shape
    np.testing.assert_array_equal(np.asarray(found), np.diag(array, k))


@pytest.mark.parametrize("k", [-1, 0, 2])
def test_diag_of_a_matrix_is_a_view(k):
    array = np.arange(12).reshape(3, 4)
    b = onebuf.asarray(array, copy=True)
    diagonal = onebuf.diag(b, k)
    np.testing.assert_array_equal(np.asarray(diagonal), np.diag(array, k))
    assert diagonal.base is b


def test_diag_names_the_shape_that_it_cannot_take():
    with pytest.raises(ArgumentError, match=r"\(1, 1, 1\)"):
        onebuf.diag(onebuf.zeros((1, 1, 1)))


@pytest.mark.parametrize("kind", [int, np.int64, onebuf.asarray])
def test_arange_takes_whatever_holds_one_number(kind):
    found = onebuf.arange(kind(2), kind(9), kind(3))
    assert found.dtype == onebuf.int64
    assert found.to_python() == [2, 5, 8]


def test_arange_refuses_more_than_one_number():
    with pytest.raises(ArgumentTypeError, match="stop"):
        onebuf.arange(0, onebuf.asarray([3]))


@pytest.mark.parametrize("kind", [float, np.float64, onebuf.asarray])
def test_linspace_takes_whatever_holds_one_number(kind):
    np.testing.assert_array_equal(
        np.asarray(onebuf.linspace(kind(0.0), kind(1.0), 5)), np.linspace(0, 1, 5)
    )


@pytest.mark.parametrize("dtype", ["int8", "float32", "complex128", "bool"])
def test_full_takes_a_0d_buffer_and_its_dtype(dtype):
    value = onebuf.asarray(np.array(1, dtype))
    found = onebuf.full((2, 3), value)
    assert found.dtype == value.dtype
    np.testing.assert_array_equal(np.asarray(found), np.full((2, 3), 1, dtype))
    assert onebuf.full((2,), value, dtype=onebuf.complex64).dtype == onebuf.complex64


@pytest.mark.parametrize("numbers", [(1, 2), (1, 2.0), (True,), (1.0, 2j), (True, 3)])
def test_result_type_of_numbers_alone_is_that_of_numpy(numbers):
    assert onebuf.result_type(*numbers) == np.result_type(*numbers)


@pytest.mark.parametrize("numbers, wanted", [((1, 2.0), "float32"), ((1, 2j), "complex64")])
def test_result_type_of_numbers_alone_follows_the_default(numbers, wanted):
    with onebuf.config(default_float=onebuf.float32):
        assert onebuf.result_type(*numbers) == wanted


@pytest.mark.parametrize("dtype", ["int64", "uint8", "float32", "complex64", "bool"])
def test_unique_values_come_in_order(dtype):
    array = np.array([7, 2, 9, 2, 0, 7, 5, 1]).astype(dtype)
    expected = np.unique(array)
    np.testing.assert_array_equal(np.asarray(onebuf.unique_values(onebuf.asarray(array))), expected)


def test_unique_values_keep_each_nan():
    found = onebuf.unique_values(onebuf.asarray([np.nan, 1.0, np.nan, 1.0]))
    assert found.shape == (3,)


def test_result_type_of_nothing_is_an_error():
    with pytest.raises(ArgumentError, match="got none"):
        onebuf.result_type()
