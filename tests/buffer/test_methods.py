"""Methods that NumPy's arrays have and clients call: what NumPy's give, in buffers."""

from __future__ import annotations

import numpy as np
import pytest

import onebuf
from onebuf import Buffer
from onebuf.errors import ArgumentTypeError

COMPLEX = np.array([[1 + 2j, -3j], [0.5, 4 - 1j]])


@pytest.mark.parametrize("dtype", ["complex64", "complex128", "float32", "int16"])
def test_real_and_imag_are_those_of_numpy(dtype):
    array = COMPLEX.astype(dtype) if dtype[0] == "c" else COMPLEX.real.astype(dtype)
    b = onebuf.asarray(array)
    for name in ("real", "imag"):
        part = getattr(b, name)
        assert isinstance(part, Buffer)
        assert part.dtype == getattr(array, name).dtype
        np.testing.assert_array_equal(np.asarray(part), getattr(array, name))


def test_conjugate_has_two_names():
    b = onebuf.asarray(COMPLEX)
    np.testing.assert_array_equal(np.asarray(b.conj()), COMPLEX.conj())
    np.testing.assert_array_equal(np.asarray(b.conjugate()), COMPLEX.conjugate())


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_argsort_keeps_the_order_of_equal_elements(axis):
    array = np.array([[3, 1, 1, 2], [1, 1, 0, 2], [3, 0, 1, 2]])
    order = onebuf.asarray(array).argsort(axis)
    assert order.dtype == onebuf.int64
    np.testing.assert_array_equal(np.asarray(order), array.argsort(axis, kind="stable"))


def test_complex_numbers_are_ordered_as_in_numpy():
    array = np.asarray(COMPLEX)
    found = onebuf.asarray(COMPLEX)
    np.testing.assert_array_equal(np.asarray(found.argsort()), array.argsort(kind="stable"))
    assert found.max().item() == array.max()
    assert found.argmin().item() == array.argmin()


@pytest.mark.parametrize("low, high", [(None, 2), (-1, None), (-1, 2), (None, None)])
def test_clip_keeps_the_dtype(low, high):
    array = np.array([-5, -1, 0, 2, 9], np.int16)
    b = onebuf.asarray(array)
    clipped = b.clip(low, high)
    expected = array if low is None and high is None else array.clip(low, high)
    assert clipped.dtype == array.dtype
    np.testing.assert_array_equal(np.asarray(clipped), expected)
    np.testing.assert_array_equal(np.asarray(b.clip(max=high, min=low)), expected)
    bounds = [None if bound is None else onebuf.asarray(bound) for bound in (low, high)]
    np.testing.assert_array_equal(np.asarray(b.clip(*bounds)), expected)


def test_clip_gives_a_buffer_of_its_own():
    b = Buffer([1, 2, 3])
    clipped = b.clip()
    clipped[0] = 9
    assert b.to_python() == [1, 2, 3]


def test_clip_says_what_a_bound_needs_to_be():
    with pytest.raises(ArgumentTypeError, match="clip needs numbers or buffers"):
        Buffer([1, 2]).clip("low")
