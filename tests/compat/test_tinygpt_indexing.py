"""Reading and writing parts of TinyGPT's buffers with ``x[key]``."""

import numpy as np
import pytest

from onebuf.compat.tinygpt import Buffer, DType

EVERYTHING = slice(None)


def counting(*shape):
    return Buffer(np.arange(np.prod(shape)).reshape(shape).tolist())


def turned(*shape):
    """As ``counting``, with the elements in another order in memory."""
    axes = tuple(range(len(shape)))[::-1]
    array = np.arange(np.prod(shape)).reshape(shape)
    return Buffer(array.transpose(axes).tolist()).permute(axes)


WRONG_KEYS = [None, ..., [0], [0, 1], 0.0, "0", (0, None), (..., 0), (0, [1]), (1.0, 0)]
KEYS = [
    0,
    -1,
    EVERYTHING,
    (),
    slice(1, 3),
    slice(-2, None),
    slice(0, 99, 2),
    (1, 2),
    (-1, -1, -1),
    (EVERYTHING, 0),
    (EVERYTHING, EVERYTHING, 1),
    (slice(1, None), slice(-2, None), slice(1, 3)),
    (slice(1, 3), 1, slice(0, 2)),
    np.int64(1),
]


# -- reading --------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("make", [counting, turned])
def test_a_key_selects_what_numpy_selects(make, key):
    expected = np.arange(60).reshape(4, 3, 5)[key]
    result = make(4, 3, 5)[key]
    assert (result.shape, result.to_python()) == (expected.shape, expected.tolist())


@pytest.mark.parametrize("key", KEYS)
def test_a_selection_from_contiguous_elements_is_a_view(key):
    buffer = counting(4, 3, 5)
    assert buffer[key].data is buffer.data


def test_a_view_says_where_its_elements_are():
    view = counting(10, 10)[2:5, 3:6]
    assert (view.shape, view.stride, view.offset) == ((3, 3), (10, 1), 23)


def test_an_element_is_a_view_also_of_other_elements():
    buffer = turned(4, 3)
    element = buffer[-1, 1]
    assert element.data is buffer.data
    assert (element.shape, element.to_python()) == ((), 10)


@pytest.mark.parametrize("key", [0, EVERYTHING, (), (EVERYTHING, 1), (slice(1, 3), slice(0, 2))])
def test_a_selection_from_other_elements_is_a_contiguous_copy(key):
    buffer = turned(4, 3)
    selected = buffer[key]
    assert selected.data is not buffer.data
    assert (selected.is_contiguous(), selected.offset) == (True, 0)
    assert len(selected.data) == selected.numel


@pytest.mark.parametrize("dtype", DType)
def test_a_selection_keeps_the_dtype(dtype):
    buffer = Buffer([0, 1, 2], dtype)
    assert [buffer[1].dtype, buffer[1:].dtype, buffer[3:].dtype] == [dtype] * 3


@pytest.mark.parametrize("make", [counting, turned])
@pytest.mark.parametrize(
    "key",
    [
        slice(2, 0),
        slice(-1, -1),
        slice(99, None),
        (0, slice(0, 0)),
        (slice(0, 0), EVERYTHING, 1),
        (EVERYTHING, slice(3, None), slice(1, 2)),
    ],
)
def test_an_empty_slice_collapses_to_one_axis_without_elements(make, key):
    selected = make(4, 3, 5)[key]
    assert (selected.shape, selected.numel, selected.to_python()) == ((0,), 0, [])
    assert selected.is_contiguous()


def test_an_empty_key_selects_a_scalar_itself():
    buffer = Buffer(3.0)
    assert buffer[()].data is buffer.data


# -- wrong keys, for reading and for writing ------------------------------------------------------


def read(buffer, key):
    buffer[key]


def write(buffer, key):
    buffer[key] = 0


@pytest.mark.parametrize("use", [read, write])
@pytest.mark.parametrize("make", [counting, turned])
@pytest.mark.parametrize("key", [slice(None, None, -1), (0, slice(2, 0, -1)), slice(0, 2, 0)])
def test_a_step_less_than_one_is_a_value_error(use, make, key):
    with pytest.raises(ValueError, match="step of at least 1"):
        use(make(4, 3), key)


@pytest.mark.parametrize("use", [read, write])
@pytest.mark.parametrize("key", WRONG_KEYS)
def test_any_other_key_is_a_type_error(use, key):
    with pytest.raises(TypeError, match="needs ints and slices"):
        use(counting(4, 3), key)


@pytest.mark.parametrize("use", [read, write])
def test_a_slice_between_floats_is_a_type_error(use):
    with pytest.raises(TypeError):
        use(counting(4), slice(0.0, 2.0))


@pytest.mark.parametrize("use", [read, write])
@pytest.mark.parametrize("make", [counting, turned])
@pytest.mark.parametrize("key", [4, -5, (0, 3), (EVERYTHING, -4), (slice(0, 0), 3)])
def test_an_index_out_of_range_is_an_index_error(use, make, key):
    with pytest.raises(IndexError):
        use(make(4, 3), key)


@pytest.mark.parametrize("use", [read, write])
@pytest.mark.parametrize("key", [(0, 0, 0), (EVERYTHING, EVERYTHING, EVERYTHING)])
def test_more_indices_than_axes_are_an_index_error(use, key):
    with pytest.raises(IndexError):
        use(counting(4, 3), key)


@pytest.mark.parametrize("use", [read, write])
@pytest.mark.parametrize("key", [0, -1, EVERYTHING, (0, 0)])
def test_a_scalar_has_no_axis_to_index(use, key):
    with pytest.raises(IndexError):
        use(Buffer(3.0), key)


# -- writing --------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [counting, turned])
@pytest.mark.parametrize("key", KEYS)
def test_a_scalar_is_written_to_every_element_of_a_selection(make, key):
    expected = np.arange(60).reshape(4, 3, 5)
    expected[key] = -7
    buffer = make(4, 3, 5)
    buffer[key] = -7
    assert buffer.to_python() == expected.tolist()


@pytest.mark.parametrize("make", [counting, turned])
@pytest.mark.parametrize("key", KEYS)
def test_a_buffer_is_written_element_by_element(make, key):
    expected = np.arange(60).reshape(4, 3, 5)
    value = -np.arange(60).reshape(4, 3, 5)[key]
    expected[key] = value
    buffer = make(4, 3, 5)
    buffer[key] = Buffer(value.tolist())
    assert buffer.to_python() == expected.tolist()


def test_a_write_to_a_view_is_seen_by_the_base():
    base = counting(3, 4)
    base.permute((1, 0))[0] = Buffer([-1, -2, -3])
    assert base.to_python() == [[-1, 1, 2, 3], [-2, 5, 6, 7], [-3, 9, 10, 11]]


def test_a_write_to_an_element_of_a_view_is_seen_by_the_base():
    base = counting(3, 4)
    base[1:, 1:3][1, 0] = 99
    assert base[2, 1].to_python() == 99


def test_a_write_through_stride_zero_changes_the_one_element():
    base = Buffer([[1, 2]])
    base.expand((3, 2))[1, 0] = 9
    assert base.to_python() == [[9, 2]]


def test_a_scalar_without_axes_is_written_with_an_empty_key():
    buffer = Buffer(1.0)
    buffer[()] = 2
    assert buffer.to_python() == 2.0


@pytest.mark.parametrize(
    "dtype, value, expected",
    [(DType.int32, 2.9, 2), (DType.float32, 2, 2.0), (DType.bool, 5, True), (DType.int32, True, 1)],
)
def test_a_value_is_cast_to_the_dtype(dtype, value, expected):
    buffer = Buffer([0, 0, 0], dtype)
    buffer[0] = value
    buffer[1:2] = Buffer([value])
    assert buffer.data[:2] == [expected] * 2
    assert {type(element) for element in buffer.data} == {dtype.value}
    assert buffer.dtype is dtype


@pytest.mark.parametrize("shape", [(2, 3), (1, 2, 3), (2, 1, 3, 1)])
def test_axes_of_extent_one_in_the_value_do_not_matter(shape):
    buffer = Buffer.zeros((2, 3), DType.int32)
    buffer[:] = counting(*shape)
    assert buffer.to_python() == [[0, 1, 2], [3, 4, 5]]


def test_axes_of_extent_one_in_the_selection_do_not_matter():
    buffer = Buffer.zeros((2, 3), DType.int32)
    buffer[1:2] = Buffer([7, 8, 9])
    buffer[0, 0] = Buffer([[6]])
    assert buffer.to_python() == [[6, 0, 0], [7, 8, 9]]


@pytest.mark.parametrize("value", [Buffer([1, 2]), Buffer(1), counting(3, 2), counting(2, 3, 2)])
def test_a_value_of_another_shape_is_a_value_error(value):
    buffer = Buffer.zeros((2, 3), DType.int32)
    with pytest.raises(ValueError, match=r"shape \(2, 3\)"):
        buffer[:] = value


@pytest.mark.parametrize("value", [None, [1, 2, 3], (1, 2, 3), "123", 1j, np.array([1, 2, 3])])
@pytest.mark.parametrize("key", [EVERYTHING, 0, slice(2, 0)])
def test_a_value_that_is_neither_number_nor_buffer_is_a_value_error(key, value):
    buffer = Buffer([4, 5, 6])
    with pytest.raises(ValueError, match="assignment needs"):
        buffer[key] = value
    assert buffer.data == [4, 5, 6]


@pytest.mark.parametrize("value", [0, Buffer([]), Buffer([1, 2, 3])])
@pytest.mark.parametrize("key", [slice(2, 0), slice(-1, -1), (slice(0, 0), 1)])
def test_a_write_to_an_empty_selection_does_nothing(key, value):
    buffer = Buffer([[4, 5], [6, 7]])
    buffer[key] = value
    assert buffer.to_python() == [[4, 5], [6, 7]]


def test_a_write_of_overlapping_elements_reads_them_all_first():
    buffer = counting(5)
    buffer[1:] = buffer[:-1]
    assert buffer.to_python() == [0, 0, 1, 2, 3]


def test_a_write_that_cannot_be_cast_changes_nothing():
    buffer = Buffer([1, 2, 3])
    with pytest.raises(ValueError, match="NaN"):
        buffer[:] = Buffer([7.0, float("nan"), 9.0])
    assert buffer.to_python() == [1, 2, 3]
