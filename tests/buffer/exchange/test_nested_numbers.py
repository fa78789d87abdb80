"""Lists that hold buffers, and numbers that were read from them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import onebuf as ob

DTYPES = ["float64", "float32", "float16", "int64", "int8", "uint16", "bool", "complex64"]


def number(dtype: str) -> Any:
    """The same number as NumPy's and as a buffer's element."""
    array = np.array([1, 0, 1]).astype(dtype)
    return array[0], ob.asarray(array)[0]


@given(st.lists(st.sampled_from([*DTYPES, "int", "float"]), min_size=1, max_size=4), st.booleans())
def test_numbers_meet_in_numpys_dtype(kinds: list[str], is_nested: bool):
    plain = {"int": (3, 3), "float": (0.5, 0.5)}
    pairs = [plain[kind] if kind in plain else number(kind) for kind in kinds]
    theirs, ours = [one for one, _ in pairs], [two for _, two in pairs]
    want = np.array([theirs, theirs] if is_nested else theirs)
    for found in (ob.array([ours, tuple(ours)] if is_nested else ours), ob.asarray(tuple(ours))):
        assert found.dtype == want.dtype
        np.testing.assert_array_equal(
            np.asarray(found), want[0] if found.ndim < want.ndim else want
        )


def test_rows_that_are_buffers_are_copied_and_not_handed_out():
    x = ob.asarray(np.arange(6.0)).copy()
    made = ob.array([x[:3], x[3:] * 2])
    np.testing.assert_array_equal(np.asarray(made), [[0, 1, 2], [6, 8, 10]])
    x[0] = 9
    assert made[0, 0] == 0
    assert not x._node.block.has_window


def test_ragged_rows_and_what_is_no_number_are_errors():
    x = ob.asarray([1.0, 2.0])
    with pytest.raises(ValueError, match="rows of one length"):
        ob.array([x, [1.0]])
    with pytest.raises(TypeError, match="needs numbers or bools"):
        ob.array([x[0], object()])
    with pytest.raises(ValueError, match="copy=False"):
        ob.asarray([x[0]], copy=False)


def test_integers_that_floats_cannot_hold_stay_integers():
    for data in ([2**63, 1], [[1, 2**63]], [1, 2**62 + 1]):
        np.testing.assert_array_equal(np.asarray(ob.array(data)), np.array(data, dtype="uint64"))
    assert ob.array([2.0**60, 1]).dtype == ob.float64


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8"])
def test_numbers_of_a_buffer_are_indices(dtype: str):
    places = ob.asarray(np.array([2, 1], dtype))
    a = np.arange(12.0).reshape(3, 4)
    x = ob.asarray(a.copy())
    i, j = places[0], places[1]
    assert x[i, j] == a[2, 1]
    assert x[i, 1] == a[2, 1]
    np.testing.assert_array_equal(np.asarray(x[:, j]), a[:, 1])
    np.testing.assert_array_equal(np.asarray(x[None, i, ::2]), a[None, 2, ::2])
    x[i, j] += 5
    assert x[2, 1] == a[2, 1] + 5
    x[:, j] *= 2
    np.testing.assert_array_equal(np.asarray(x[:, 1]), [2, 10, 28])
    with pytest.raises(IndexError):
        x[i, i * 2]
    with pytest.raises(IndexError):
        x[ob.asarray([1.0])[0], 1]
