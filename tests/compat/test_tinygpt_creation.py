"""Making a buffer of TinyGPT: from nested data, from another buffer, from a shape, from a list."""

import copy
import pickle
import random
import statistics

import numpy as np
import pytest

from onebuf.compat.tinygpt import Buffer, DType

FACTORIES = [Buffer.zeros, Buffer.ones, Buffer.uniform, Buffer.normal]


# -- DType ----------------------------------------------------------------------------------------


def test_the_dtypes_are_float32_int32_and_bool_in_this_order():
    assert [dtype.name for dtype in DType] == ["float32", "int32", "bool"]


@pytest.mark.parametrize(
    "dtype, value, expected",
    [
        (DType.float32, 0.1, 0.1),
        (DType.float32, True, 1.0),
        (DType.int32, -2.9, -2),
        (DType.int32, 2**40, 2**40),
        (DType.bool, -3, True),
        (DType.bool, 0.0, False),
    ],
)
def test_cast_is_the_conversion_of_python(dtype, value, expected):
    result = dtype.cast(value)
    assert (result, type(result)) == (expected, type(expected))


@pytest.mark.parametrize(
    "value, dtype", [(1.0, DType.float32), (1, DType.int32), (True, DType.bool)]
)
def test_the_dtype_of_a_value_is_deduced_from_its_exact_type(value, dtype):
    assert DType.deduce_dtype(value) is dtype


@pytest.mark.parametrize("value", [None, "1", [1], 1j, np.float64(1.0), DType])
def test_no_dtype_is_deduced_from_any_other_type(value):
    with pytest.raises(RuntimeError, match="Could not infer dtype of type"):
        DType.deduce_dtype(value)


# -- nested data ----------------------------------------------------------------------------------


def test_nested_lists_become_flat_data_with_row_major_strides():
    buffer = Buffer([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    assert buffer.data == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert (buffer.shape, buffer.stride, buffer.offset) == ((3, 3), (3, 1), 0)
    assert (buffer.ndim, buffer.numel, buffer.dtype) == (2, 9, DType.int32)


def test_nested_tuples_are_read_like_lists():
    assert Buffer(((1.0, 2.0), (3.0, 4.0))).to_python() == [[1.0, 2.0], [3.0, 4.0]]


def test_nested_lists_are_copied():
    data = [1, 2]
    buffer = Buffer(data)
    buffer[0] = 9
    assert data == [1, 2]


@pytest.mark.parametrize(
    "value, dtype", [(2.5, DType.float32), (2, DType.int32), (True, DType.bool)]
)
def test_a_number_becomes_a_buffer_without_axes(value, dtype):
    buffer = Buffer(value)
    assert (buffer.data, buffer.shape, buffer.stride, buffer.offset) == ([value], (), (), 0)
    assert (buffer.ndim, buffer.numel, buffer.dtype) == (0, 1, dtype)


def test_a_dtype_converts_every_element():
    buffer = Buffer([[1.9, -2.9]], dtype=DType.int32)
    assert buffer.data == [1, -2]
    assert buffer.dtype is DType.int32


def test_a_float32_element_is_a_python_double():
    assert Buffer([0.1]).data == [0.1]


def test_an_int32_element_has_no_bounds():
    assert (Buffer([2**80]) + 1).data == [2**80 + 1]


def test_booleans_after_an_int_are_ints():
    buffer = Buffer([1, True])
    assert [type(value) for value in buffer.data] == [int, int]
    assert buffer.data == [1, 1]


@pytest.mark.parametrize("data, shape", [([], (0,)), ([[], []], (2, 0)), ([[[]]], (1, 1, 0))])
def test_data_without_numbers_is_float32_and_keeps_its_shape(data, shape):
    buffer = Buffer(data)
    assert (buffer.data, buffer.shape, buffer.numel) == ([], shape, 0)
    assert buffer.dtype is DType.float32
    assert buffer.to_python() == data


def test_data_without_numbers_takes_the_dtype_that_is_given():
    assert Buffer([], DType.bool).dtype is DType.bool


@pytest.mark.parametrize("data", [[[1, 2], [3]], [[], [1]], [[[1, 2], [3, 4]], [[5, 6], [7]]]])
def test_ragged_data_is_a_value_error(data):
    with pytest.raises(ValueError, match=r"^Inconsistent size at dim [23]: .*rows of one length"):
        Buffer(data)


@pytest.mark.parametrize("data", [[1, 2.5], [1.0, 2], [True, 2], [1, None], [1, "2"]])
@pytest.mark.parametrize("dtype", [None, DType.float32])
def test_mixed_types_are_a_type_error(data, dtype):
    with pytest.raises(TypeError, match=r"^Type mismatch at dim \d: .*elements of one type"):
        Buffer(data, dtype)


@pytest.mark.parametrize("data", [[[1, 2], 3], [1, [2]], [[[1]], [2]], [[1], (2,)]])
def test_mixed_depths_are_a_type_error(data):
    with pytest.raises(TypeError, match=r"^Type mismatch at dim \d: .*elements of one type"):
        Buffer(data)


@pytest.mark.parametrize("data", [None, "1", range(3), {1: 2}, 1j, DType, ["1"], [[None]]])
@pytest.mark.parametrize("dtype", [None, DType.int32])
def test_data_that_is_neither_numbers_nor_lists_is_a_runtime_error(data, dtype):
    with pytest.raises(RuntimeError, match="Could not infer dtype of type"):
        Buffer(data, dtype)


@pytest.mark.parametrize("dtype", ["float32", float, 1, np.float32])
@pytest.mark.parametrize("data", [[1.0], Buffer([1.0])])
def test_a_dtype_that_is_no_dtype_is_a_value_error(data, dtype):
    with pytest.raises(ValueError, match="needs to be a DType"):
        Buffer(data, dtype)


# -- a buffer of a buffer, and copies -------------------------------------------------------------


@pytest.mark.parametrize("dtype", [None, DType.int32])
def test_a_buffer_of_a_buffer_has_the_same_data_and_layout(dtype):
    original = Buffer([[1, 2, 3], [4, 5, 6]]).permute((1, 0))
    alias = Buffer(original, dtype)
    assert alias.data is original.data
    assert (alias.shape, alias.stride, alias.offset) == ((3, 2), (1, 3), 0)


def test_a_buffer_of_a_buffer_with_another_dtype_is_a_runtime_error():
    with pytest.raises(RuntimeError, match=r"needs their dtype DType\.int32, got DType\.float32"):
        Buffer(Buffer([1, 2]), DType.float32)


def test_a_deep_copy_has_its_own_data_and_the_same_layout():
    original = Buffer([[1, 2, 3], [4, 5, 6]]).permute((1, 0))
    duplicate = copy.deepcopy(original)
    duplicate[0, 0] = 9
    assert original.to_python() == [[1, 4], [2, 5], [3, 6]]
    assert (duplicate.shape, duplicate.stride, duplicate.dtype) == ((3, 2), (1, 3), DType.int32)


def test_views_copied_together_still_share_their_data():
    base = Buffer([1, 2, 3])
    base, part = copy.deepcopy((base, base[1:]))
    base[1] = 9
    assert part.to_python() == [9, 3]


def test_a_buffer_survives_pickling():
    original = Buffer([[1.5, 2.5]]).expand((2, 2))
    assert repr(pickle.loads(pickle.dumps(original))) == repr(original)


# -- factories ------------------------------------------------------------------------------------


def test_zeros_are_zeros():
    assert Buffer.zeros((2, 2)).to_python() == [[0.0, 0.0], [0.0, 0.0]]


def test_ones_are_ones():
    assert Buffer.ones((1, 2)).to_python() == [[1.0, 1.0]]


def test_uniform_fills_its_range_and_no_more():
    values = Buffer.uniform((40, 50), low=-2.0, high=4.0).data
    assert -2.0 <= min(values) < -1.5
    assert 3.5 < max(values) <= 4.0


def test_uniform_is_between_zero_and_one_by_default():
    values = Buffer.uniform((2000,)).data
    assert 0.0 <= min(values) < 0.1 < 0.9 < max(values) <= 1.0


def test_normal_has_the_mean_and_deviation_asked_for():
    random.seed(0)
    values = Buffer.normal((10_000,), mean=3.0, std=2.0).data
    assert statistics.mean(values) == pytest.approx(3.0, abs=0.1)
    assert statistics.stdev(values) == pytest.approx(2.0, abs=0.1)


def test_normal_is_standard_by_default():
    random.seed(0)
    values = Buffer.normal((10_000,)).data
    assert statistics.mean(values) == pytest.approx(0.0, abs=0.1)
    assert statistics.stdev(values) == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize("factory", [Buffer.uniform, Buffer.normal])
def test_random_elements_repeat_after_random_seed(factory):
    random.seed(7)
    first = factory((5,)).to_python()
    random.seed(7)
    assert factory((5,)).to_python() == first


@pytest.mark.parametrize("factory", FACTORIES)
def test_a_factory_makes_float32_of_any_shape(factory):
    buffer = factory((2, 1, 3))
    assert (buffer.shape, buffer.stride, buffer.offset) == ((2, 1, 3), (3, 3, 1), 0)
    assert buffer.dtype is DType.float32
    assert {type(value) for value in buffer.data} == {float}


@pytest.mark.parametrize("factory", FACTORIES)
def test_a_factory_takes_the_empty_shape_for_one_element(factory):
    buffer = factory(())
    assert (buffer.shape, buffer.numel) == ((), 1)


@pytest.mark.parametrize("factory", FACTORIES)
@pytest.mark.parametrize("dtype", DType)
def test_a_factory_takes_a_dtype(factory, dtype):
    buffer = factory((3,), dtype=dtype)
    assert buffer.dtype is dtype
    assert {type(value) for value in buffer.data} == {dtype.value}


@pytest.mark.parametrize("factory", FACTORIES)
@pytest.mark.parametrize("shape", [None, 3, [2, 3], "2", (2.0,), (2, None)])
def test_a_factory_needs_a_tuple_of_ints(factory, shape):
    with pytest.raises(TypeError, match="tuple of ints"):
        factory(shape)


@pytest.mark.parametrize("factory", FACTORIES)
@pytest.mark.parametrize("shape", [(-1,), (1, 2, 3, 0), (1, -1, 3)])
def test_a_factory_needs_positive_extents(factory, shape):
    with pytest.raises(ValueError, match="at least 1"):
        factory(shape)


@pytest.mark.parametrize("factory", FACTORIES)
def test_a_factory_needs_a_dtype_that_is_one(factory):
    with pytest.raises(ValueError, match="needs to be a DType"):
        factory((2,), dtype="float32")


@pytest.mark.parametrize(
    "factory, name", [(Buffer.uniform, "low"), (Buffer.uniform, "high"), (Buffer.normal, "mean")]
)
def test_the_parameters_of_random_elements_need_to_be_numbers(factory, name):
    with pytest.raises(TypeError, match=f"{name} needs to be an int or a float"):
        factory((2,), **{name: "1"})


def test_a_negative_deviation_is_a_value_error():
    with pytest.raises(ValueError, match="std needs to be at least 0"):
        Buffer.normal((2,), std=-1.0)


# -- the strided factory --------------------------------------------------------------------------


def test_the_strided_factory_shares_the_list():
    data = [1, 2, 3, 4, 5, 6]
    buffer = Buffer._create_buffer_from_data(data=data, shape=(2, 2), stride=(2, 1), offset=2)
    assert buffer.data is data
    assert buffer.to_python() == [[3, 4], [5, 6]]
    assert (buffer.ndim, buffer.numel, buffer.dtype) == (2, 4, DType.int32)


def test_the_strided_factory_accepts_strides_of_zero():
    buffer = Buffer._create_buffer_from_data([1.5, 2.5], (3, 2), (0, 1), 0)
    assert buffer.to_python() == [[1.5, 2.5]] * 3


def test_the_strided_factory_accepts_strides_that_overlap():
    buffer = Buffer._create_buffer_from_data(list(range(6)), (3, 4), (1, 1), 0)
    assert buffer.to_python() == [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5]]


@pytest.mark.parametrize("dtype", DType)
def test_the_strided_factory_deduces_the_dtype(dtype):
    data = [dtype.cast(0), dtype.cast(1)]
    assert Buffer._create_buffer_from_data(data, (2,), (1,), 0).dtype is dtype


@pytest.mark.parametrize(
    "wrong",
    [
        *({"data": data} for data in (None, (1, 2), "a", 1)),
        *({"shape": shape} for shape in (None, [2], 2, (2.0,))),
        *({"stride": stride} for stride in (None, [1], 1, (1.0,))),
        *({"offset": offset} for offset in (None, (), "a", 0.0)),
        {"data": [1, 2.5]},
    ],
)
def test_the_strided_factory_checks_the_types_of_its_arguments(wrong):
    arguments = {"data": [1, 2], "shape": (2,), "stride": (1,), "offset": 0}
    with pytest.raises(TypeError):
        Buffer._create_buffer_from_data(**arguments | wrong)


@pytest.mark.parametrize(
    "shape, stride, offset",
    [
        ((-1,), (1,), 0),
        ((0,), (1,), 0),
        ((2,), (-1,), 1),
        ((2, 2), (1,), 0),
        ((2,), (1,), -1),
        ((1,), (1,), 4),
        ((5,), (1,), 0),
        ((4,), (1,), 1),
        ((2, 2), (3, 1), 0),
    ],
)
def test_the_strided_factory_stays_inside_the_list(shape, stride, offset):
    with pytest.raises(ValueError):
        Buffer._create_buffer_from_data([1, 2, 3, 4], shape, stride, offset)


def test_the_strided_factory_needs_an_element():
    with pytest.raises(ValueError, match="need 1 elements, got data with 0"):
        Buffer._create_buffer_from_data([], (), (), 0)
