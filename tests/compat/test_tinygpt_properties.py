"""Properties of TinyGPT's buffers, with NumPy's float64, int64 and bool arrays as the oracle."""

import math
import operator
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from onebuf.compat.tinygpt import Buffer, DType

ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]
DTYPES = {DType.float32: np.float64, DType.int32: np.int64, DType.bool: np.bool_}


def without_dust(value):
    """The value, or 0 where a quotient by it could overflow, of which NumPy would warn."""
    return value if abs(value) > 1e-100 else 0.0


SHAPES = npst.array_shapes(min_dims=0, max_dims=4, min_side=1, max_side=4)
ELEMENTS = {
    DType.float32: st.floats(-1e6, 1e6, allow_subnormal=False).map(without_dust),
    DType.int32: st.integers(-1000, 1000),
    DType.bool: st.booleans(),
}


def assert_same(buffer, array):
    """The buffer is this array: shape, values, and the type of every value."""
    assert buffer.shape == array.shape
    assert buffer.to_python() == array.tolist()
    assert DTYPES[buffer.dtype] == array.dtype
    assert {type(value) for value in buffer} <= {buffer.dtype.value}
    assert (buffer.ndim, buffer.numel) == (array.ndim, array.size)


def as_numbers(array):
    """The array as Python counts with it: True is 1."""
    return array.astype(np.int64) if array.dtype == np.bool_ else array


@st.composite
def arrays(draw, dtypes=tuple(DType), shapes=SHAPES):
    dtype = draw(st.sampled_from(dtypes))
    return draw(npst.arrays(DTYPES[dtype], shapes, elements=ELEMENTS[dtype]))


@st.composite
def shapes_of(draw, count):
    """A shape with this many elements, some of its extents 1."""
    shape = []
    while count > 1:
        extent = draw(st.sampled_from([n for n in range(2, count + 1) if count % n == 0]))
        shape.append(extent)
        count //= extent
    for _ in range(draw(st.integers(0, 2))):
        shape.insert(draw(st.integers(0, len(shape))), 1)
    return tuple(shape)


@st.composite
def keys(draw, shape):
    """Integers and forward slices, for some of the axes; not empty."""
    key = []
    for extent in shape[: draw(st.integers(0, len(shape)))]:
        start = draw(st.integers(0, extent - 1))
        stop = draw(st.integers(start + 1, extent + 2))
        step = draw(st.integers(1, 3))
        index = st.sampled_from([start, start - extent, slice(start, stop, step), slice(None)])
        key.append(draw(index))
    return tuple(key)


class State(NamedTuple):
    """A buffer and an array after the same moves, from the same elements."""

    buffer: Buffer
    array: np.ndarray
    base: Buffer
    """The buffer before all moves."""
    steps: list[tuple[Buffer, str, Buffer]]
    """Each move's name, between the buffer before it and the buffer after it."""


@st.composite
def moved(draw):
    array = draw(arrays())
    buffer = base = Buffer(array.tolist())
    steps = []
    names = st.sampled_from(["reshape", "permute", "expand", "index"])
    for name in draw(st.lists(names, max_size=5)):
        before = buffer
        if name == "reshape":
            argument = draw(shapes_of(array.size))
            buffer, array = buffer.reshape(argument), array.reshape(argument)
        elif name == "permute":
            argument = tuple(draw(st.permutations(range(array.ndim))))
            buffer, array = buffer.permute(argument), array.transpose(argument)
        elif name == "expand":
            argument = tuple(n if n > 1 else draw(st.integers(1, 2)) for n in array.shape)
            buffer, array = buffer.expand(argument), np.broadcast_to(array, argument)
        else:
            argument = draw(keys(array.shape))
            buffer, array = buffer[argument], np.asarray(array[argument])
        steps.append((before, name, buffer))
    return State(buffer, array, base, steps)


@given(moved())
def test_moves_in_any_order_give_what_numpy_gives(state):
    assert_same(state.buffer, state.array)


@given(moved())
def test_a_move_shares_the_data_exactly_if_the_base_is_contiguous_or_one_element_is_indexed(state):
    for before, name, after in state.steps:
        one_element = name == "index" and after.ndim == 0
        assert (after.data is before.data) == (before.is_contiguous() or one_element)


@given(moved())
def test_contiguity_is_exactly_row_major_strides(state):
    buffer = state.buffer
    expected = [math.prod(buffer.shape[axis + 1 :]) for axis in range(buffer.ndim)]
    assert buffer.is_contiguous() == (list(buffer.stride) == expected)


@given(moved(), st.data())
def test_a_write_reaches_exactly_the_elements_of_the_base_that_are_shared(state, data):
    buffer, base = state.buffer, state.base
    key = data.draw(keys(buffer.shape))
    value = data.draw(ELEMENTS[buffer.dtype])
    before = list(base.data)
    flat = np.arange(len(buffer.data))
    strides = tuple(step * flat.itemsize for step in buffer.stride)
    positions = np.lib.stride_tricks.as_strided(flat[buffer.offset :], buffer.shape, strides)
    written = set(np.ravel(positions[key]).tolist()) if buffer.data is base.data else set()
    buffer[key] = value
    assert base.data == [value if i in written else old for i, old in enumerate(before)]


@given(arrays(), st.data())
def test_writing_a_buffer_through_a_view_gives_what_numpy_gives(array, data):
    base = Buffer(array.tolist())
    axes = tuple(data.draw(st.permutations(range(array.ndim))))
    view, array_view = base.permute(axes), array.transpose(axes)
    key = data.draw(keys(view.shape))
    value = data.draw(arrays(shapes=st.just(array_view[key].shape)))
    view[key] = Buffer(value.tolist())
    array_view[key] = value
    assert_same(view, array_view)
    assert_same(base, array)


@given(moved(), st.data())
@pytest.mark.parametrize("function", ARITHMETIC + COMPARISONS)
def test_operators_on_views_give_what_numpy_gives(function, state, data):
    buffer, array = state.buffer, state.array
    shape, elements = st.just(array.shape), ELEMENTS[buffer.dtype]
    other = data.draw(npst.arrays(array.dtype, shape, elements=elements))
    if function is operator.truediv:
        other[other == 0] = 1
    if function in ARITHMETIC:
        expected = function(as_numbers(array), as_numbers(other))
    else:
        expected = function(array, other)
    assert_same(function(buffer, Buffer(other.tolist())), np.asarray(expected))


@given(moved(), st.integers(-9, 9) | st.floats(-9, 9))
@pytest.mark.parametrize("function", [operator.add, operator.sub, operator.mul, operator.lt])
def test_operators_with_scalars_on_either_side_give_what_numpy_gives(function, state, scalar):
    numbers = as_numbers(state.array)
    assert_same(function(state.buffer, scalar), np.asarray(function(numbers, scalar)))
    assert_same(function(scalar, state.buffer), np.asarray(function(scalar, numbers)))


@given(moved(), st.integers(0, 3))
def test_powers_of_views_give_what_python_gives(state, exponent):
    expected = [value**exponent for value in state.array.ravel().tolist()]
    assert list(state.buffer**exponent) == expected


@given(moved())
def test_negatives_of_views_give_what_numpy_gives(state):
    assert_same(-state.buffer, np.asarray(-as_numbers(state.array)))


@given(moved(), st.data())
@pytest.mark.parametrize("name", ["sum", "max"])
def test_reductions_of_views_give_what_numpy_gives(name, state, data):
    buffer = state.buffer
    axes = data.draw(st.permutations(range(buffer.ndim)))
    axes = tuple(axes[: data.draw(st.integers(0, buffer.ndim))])
    result = getattr(buffer, name)(axes)
    expected = np.asarray(getattr(state.array, name)(axis=axes, keepdims=True))
    if not axes:
        assert result is buffer
    elif buffer.dtype is DType.float32 and name == "sum":
        assert result.shape == expected.shape
        # NumPy adds in another order.
        np.testing.assert_allclose(result.to_python(), expected, rtol=1e-12, atol=1e-6)
    else:
        assert_same(result, expected)


@given(arrays(shapes=npst.array_shapes(min_dims=1, max_dims=3, max_side=3)), st.data())
def test_concatenations_give_what_numpy_gives(array, data):
    axis = data.draw(st.integers(0, array.ndim - 1))
    extents = data.draw(st.lists(st.integers(1, array.shape[axis]), min_size=1, max_size=3))
    parts = [array.take(range(extent), axis) for extent in extents]
    result = Buffer.concatenate([Buffer(part.tolist()) for part in parts], axis)
    assert_same(result, np.concatenate(parts, axis))
