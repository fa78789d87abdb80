"""slice and chip: views of a box, against NumPy's slices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import onebuf
from onebuf import Buffer
from onebuf.errors import ArgumentTypeError, IndexRangeError, RegionError, ShapeError
from onebuf.shapes import Smooth


@pytest.fixture
def x() -> Buffer:
    return onebuf.asarray(np.arange(200.0).reshape(10, 20), copy=True)


def test_a_slice_is_written_through():
    parent = Buffer([1, 2, 3, 4])
    part = parent.slice((0,), (2,))
    part[0] = 99
    assert parent[0] == 99
    assert part.base is parent


def test_a_slice_keeps_the_rank_and_counts_from_zero():
    part = Buffer([[1, 2], [3, 4]]).slice((1, 0), (2, 2))
    assert part.shape == (1, 2)
    assert part[0, 1] == 4
    assert part[0, -1] == 4


def test_leading_indices_pin_axes(x):
    assert x.slice(0).shape == (1, 20)
    assert x.slice(3, 4).shape == (1, 1)
    assert x.chip(2).shape == (20,)
    assert x.chip(2, 3).shape == ()
    np.testing.assert_array_equal(x.slice(3), np.asarray(x)[3:4])
    np.testing.assert_array_equal(x.chip(2), np.asarray(x)[2])


def test_a_chip_leaves_out_axes_of_one_index(x):
    column = x.chip((0, 2), (10, 3))
    assert column.shape == (10,)
    np.testing.assert_array_equal(column, np.asarray(x)[:, 2])
    column[4] = -1
    assert x[4, 2] == -1


def test_a_chip_of_one_element_is_memory_that_can_be_written(x):
    one = x.chip(3, 4)
    one[...] = -5
    assert x[3, 4] == -5
    assert one.base is x


def test_slices_nest(x):
    part = x.slice((2, 3), (8, 15)).slice((1, 1), (3, 5)).chip(0)
    np.testing.assert_array_equal(part, np.asarray(x)[3, 4:8])
    part[0] = -1
    assert x[3, 4] == -1


def test_a_shape_with_an_origin_says_the_box(x):
    np.testing.assert_array_equal(x.slice(Smooth(2, 3, origin=(1, 4))), np.asarray(x)[1:3, 4:7])
    np.testing.assert_array_equal(x.chip(Smooth(1, 3, origin=(1, 4))), np.asarray(x)[1, 4:7])


def test_indices_may_be_what_counts_as_integers(x):
    assert x.slice(np.int64(3)).shape == x.slice(onebuf.asarray(3)).shape == (1, 20)
    assert x.slice(np.array([1, 2]), [3, 4]).shape == (2, 2)
    assert x.chip(np.array(2)).shape == (20,)


def test_access_outside_of_a_slice_is_an_error(x):
    part = x.slice((2, 3), (4, 6))
    with pytest.raises(IndexRangeError):
        part[2, 0]
    with pytest.raises(IndexRangeError):
        part[0, 3] = 1
    with pytest.raises(RegionError):
        part.slice((0, 0), (3, 1))


@pytest.mark.parametrize(
    "bounds, error",
    [
        (((0,), (2,)), ShapeError),
        (((0, 0), (2,)), ShapeError),
        (((3, 0), (3, 2)), RegionError),
        (((4, 0), (3, 2)), RegionError),
        (((0, 0), (11, 2)), RegionError),
        (((-1, 0), (1, 2)), RegionError),
        ((10,), RegionError),
        ((-1,), RegionError),
        ((0, 0, 0), ShapeError),
        ((), ArgumentTypeError),
        ((1.0,), ArgumentTypeError),
        ((slice(0, 2),), ArgumentTypeError),
        ((Smooth(11, 1),), RegionError),
        ((Smooth(1),), ShapeError),
    ],
)
@pytest.mark.parametrize("method", ["slice", "chip"])
def test_bounds_that_are_no_box_are_errors(x, bounds, error, method):
    before = np.array(x)
    with pytest.raises(error, match=method):
        getattr(x, method)(*bounds)
    with pytest.raises((ValueError, TypeError)):
        getattr(x, method)(*bounds)
    np.testing.assert_array_equal(x, before)


def test_buffers_without_axes_or_elements_have_few_slices():
    assert onebuf.zeros(()).slice((), ()).shape == ()
    with pytest.raises(RegionError):
        onebuf.zeros(()).chip((), ())
    with pytest.raises(RegionError):
        onebuf.zeros((0, 3)).slice(0)
    with pytest.raises(RegionError):
        onebuf.zeros((0, 3)).slice((0, 0), (0, 3))


def test_a_slice_of_a_pending_buffer_is_a_view_of_it(x):
    with onebuf.config(eager_numel=0):
        y = x * 2 + 1
        part = y.slice((1, 1), (3, 4))
        assert not y.is_realized
        part[0, 0] = -7
    assert y[1, 1] == -7
    np.testing.assert_array_equal(part[1], np.asarray(x)[2, 1:4] * 2 + 1)


@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=4),
    st.data(),
    st.sampled_from(["stored", "transposed", "strided", "pending", "padded"]),
)
def test_boxes_are_those_of_numpy(shape, data, kind):
    shape = tuple(shape)
    array = np.arange(float(np.prod(shape))).reshape(shape)
    buffer = onebuf.asarray(array, copy=True)
    if kind == "transposed":
        array, buffer = array.T, buffer.T
    elif kind == "strided":
        array, buffer = array[::-1], buffer[::-1]
    elif kind == "pending":
        with onebuf.config(eager_numel=0):
            array, buffer = array + 1, buffer + 1
    elif kind == "padded":
        widths = [(1, 0)] * array.ndim
        array, buffer = np.pad(array, widths), buffer.pad(widths)
    first = [data.draw(st.integers(0, n - 1)) for n in array.shape]
    last = [data.draw(st.integers(low + 1, n)) for low, n in zip(first, array.shape, strict=True)]
    box = array[tuple(map(slice, first, last))]
    np.testing.assert_array_equal(buffer.slice(first, last), box)
    if 1 in box.shape:
        np.testing.assert_array_equal(buffer.chip(first, last), box.squeeze())
    pins = first[: data.draw(st.integers(1, len(first)))]
    np.testing.assert_array_equal(buffer.chip(*pins), array[tuple(pins)])
    np.testing.assert_array_equal(buffer.slice(*pins), array[tuple(slice(i, i + 1) for i in pins)])
