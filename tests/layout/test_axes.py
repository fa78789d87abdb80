"""Axes and broadcasting agree with NumPy, and errors name the axis."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onebuf.errors import ArgumentTypeError, AxisError, ShapeError
from onebuf.layout import broadcast_shapes, normalize_axes, normalize_axis

near = st.lists(st.integers(0, 3), max_size=4).map(tuple)


@given(st.lists(near, max_size=4))
def test_broadcasting_is_numpys(shapes):
    try:
        expected = np.broadcast_shapes(*shapes)
    except ValueError:
        with pytest.raises(ShapeError):
            broadcast_shapes(*shapes)
    else:
        assert broadcast_shapes(*shapes) == expected


def test_a_misfit_names_the_shapes_and_the_axis():
    with pytest.raises(
        ShapeError,
        match=r"could not be broadcast together.*\(2, 3\) and \(4, 1\).* 2 and 4 along axis -2",
    ):
        broadcast_shapes((2, 3), (4, 1))


@given(st.integers(0, 4), st.integers(-6, 6))
def test_an_axis_counts_from_the_end_when_negative(ndim, axis):
    if -ndim <= axis < ndim:
        assert normalize_axis(axis, ndim, "sum") == range(ndim)[axis]
    else:
        with pytest.raises(AxisError, match=rf"sum needs an axis.*got axis {axis}"):
            normalize_axis(axis, ndim, "sum")


def test_axes_keep_their_order():
    assert normalize_axes((-1, 0), 3) == (2, 0)
    assert normalize_axes(-1, 3) == (2,)
    assert normalize_axes(np.int64(1), 3) == (1,)
    assert normalize_axes(None, 3) == (0, 1, 2)
    assert normalize_axes((), 3) == ()


def test_an_axis_named_twice_is_an_error():
    with pytest.raises(AxisError, match=r"at most once, got axes \(1, -1\)"):
        normalize_axes((1, -1), 2)


@pytest.mark.parametrize("axis", [1.0, "0", None])
def test_an_axis_is_an_integer(axis):
    with pytest.raises(ArgumentTypeError, match="as an integer, got"):
        normalize_axis(axis, 2)


def test_an_axis_error_is_numpys_too_and_keeps_its_words() -> None:
    with pytest.raises(np.exceptions.AxisError, match=r"sum .*axis 2 is out of bounds for array"):
        normalize_axis(2, 2, "sum")
