"""Arithmetic on TinyGPT's buffers: what Python gives for two elements, and no more."""

import math
import operator

import numpy as np
import pytest

from onebuf.compat.tinygpt import Buffer, DType

ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]
BINARY = ARITHMETIC + COMPARISONS
VALUES = {DType.float32: [0.5, -2.0, 4.0], DType.int32: [3, -2, 5], DType.bool: [True, True, True]}


def same(buffer, values):
    """Whether the buffer has these values, of these types, along one axis, and says so."""
    return (
        buffer.to_python() == values
        and [type(value) for value in buffer.data] == [type(value) for value in values]
        and buffer.dtype is DType.deduce_dtype(values[0])
        and (buffer.stride, buffer.offset) == ((1,), 0)
    )


# -- two buffers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("function", BINARY)
@pytest.mark.parametrize("dtype", DType)
def test_two_buffers_give_the_values_and_types_of_python(function, dtype):
    ours, theirs = VALUES[dtype], VALUES[dtype][::-1]
    expected = [function(a, b) for a, b in zip(ours, theirs, strict=True)]
    assert same(function(Buffer(ours), Buffer(theirs)), expected)


def test_a_sum_of_booleans_is_an_int():
    assert same(Buffer([True, False]) + Buffer([True, False]), [2, 0])


def test_a_quotient_of_ints_is_a_float():
    assert same(Buffer([4, 3]) / Buffer([2, 2]), [2.0, 1.5])


@pytest.mark.parametrize("function", [*BINARY, Buffer.maximum])
def test_two_dtypes_are_a_value_error(function):
    with pytest.raises(ValueError, match=r"^DType mismatch.* DType\.int32 and DType\.float32"):
        function(Buffer([1]), Buffer([1.0]))


@pytest.mark.parametrize("function", [*BINARY, Buffer.maximum])
@pytest.mark.parametrize("other", [Buffer(1), Buffer([1]), Buffer([[1, 2]])])
def test_two_shapes_are_a_runtime_error(function, other):
    with pytest.raises(RuntimeError, match=r"^Shape mismatch.*one shape"):
        function(Buffer([1, 2]), other)


def test_operands_may_be_views_with_any_stride():
    matrix = Buffer([[1, 2], [3, 4]])
    assert (matrix + matrix.permute((1, 0))).to_python() == [[2, 5], [5, 8]]


def test_a_result_has_data_of_its_own():
    buffer = Buffer([1, 2])
    assert (buffer + 0).data is not buffer.data


def test_a_result_of_no_elements_has_the_type_it_would_have():
    empty = Buffer([1, 2])[2:]
    assert (empty + 1).dtype is DType.int32
    assert (empty / 2).dtype is DType.float32
    assert (empty < 1).dtype is DType.bool


# -- a buffer and a scalar ------------------------------------------------------------------------


@pytest.mark.parametrize("function", BINARY)
@pytest.mark.parametrize("dtype", DType)
@pytest.mark.parametrize("scalar", [2, 2.5, True])
def test_a_scalar_on_the_right_meets_each_element(function, dtype, scalar):
    values = VALUES[dtype]
    expected = [function(value, scalar) for value in values]
    assert same(function(Buffer(values), scalar), expected)


@pytest.mark.parametrize("function", BINARY)
@pytest.mark.parametrize("dtype", DType)
@pytest.mark.parametrize("scalar", [2, 2.5, True])
def test_a_scalar_on_the_left_meets_each_element(function, dtype, scalar):
    values = VALUES[dtype]
    expected = [function(scalar, value) for value in values]
    assert same(function(scalar, Buffer(values)), expected)


def test_a_subclass_of_float_counts_as_a_float():
    assert same(Buffer([1.0]) + np.float64(0.5), [1.5])


@pytest.mark.parametrize("function", [*BINARY, Buffer.maximum])
@pytest.mark.parametrize("other", [None, "1", [1], (1,), 1j, [], range(1)])
def test_any_other_operand_is_a_type_error(function, other):
    with pytest.raises(TypeError, match="needs an int, a float or a bool"):
        function(Buffer([1]), other)


@pytest.mark.parametrize("function", [operator.eq, operator.ne])
def test_comparing_none_with_a_buffer_is_a_type_error_too(function):
    with pytest.raises(TypeError, match="got None"):
        function(None, Buffer([1]))


@pytest.mark.parametrize("function", ARITHMETIC)
def test_any_other_operand_on_the_left_is_a_type_error(function):
    with pytest.raises(TypeError):
        function(None, Buffer([1]))


# -- powers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("exponent", [2, 3.0, 0, -1, True])
@pytest.mark.parametrize("dtype", DType)
def test_a_power_gives_the_values_and_types_of_python(dtype, exponent):
    values = VALUES[dtype]
    assert same(Buffer(values) ** exponent, [value**exponent for value in values])


@pytest.mark.parametrize("exponent", [Buffer(2), Buffer([2]), None, "2", 2j])
def test_an_exponent_needs_to_be_an_int_or_a_float(exponent):
    with pytest.raises(TypeError, match="exponent"):
        Buffer([3]) ** exponent


def test_a_buffer_is_no_exponent():
    with pytest.raises(TypeError):
        2 ** Buffer([1])


@pytest.mark.parametrize("values", [[-1.0], [4.0, -1.0]])
def test_a_power_that_is_complex_is_a_runtime_error(values):
    with pytest.raises(RuntimeError, match=r"-1\.0 \*\* 0\.5"):
        Buffer(values) ** 0.5


def test_a_power_that_is_too_large_is_an_overflow_error():
    with pytest.raises(OverflowError, match=r"\*\* needs .* got 10\.0, 1000"):
        Buffer([1.0, 10.0]) ** 1000


# -- one buffer -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DType)
def test_a_negative_gives_the_values_and_types_of_python(dtype):
    assert same(-Buffer(VALUES[dtype]), [-value for value in VALUES[dtype]])


@pytest.mark.parametrize("values", [[0.0, 1.5], [0, 2], [True, False]])
def test_exp_gives_floats(values):
    assert same(Buffer(values).exp(), [math.exp(value) for value in values])


@pytest.mark.parametrize("values", [[0.5, 1.5], [1, 2], [True, True]])
def test_log_gives_floats(values):
    assert same(Buffer(values).log(), [math.log(value) for value in values])


@pytest.mark.parametrize("values", [[0.0, 1.5], [0, 2], [True, False]])
def test_float_converts_to_float32(values):
    assert same(Buffer(values).float(), [float(value) for value in values])


def test_float_of_a_view_is_a_contiguous_copy():
    view = Buffer([[1.0, 2.0], [3.0, 4.0]]).permute((1, 0))
    result = view.float()
    assert result.is_contiguous()
    assert result.data == [1.0, 3.0, 2.0, 4.0]


# -- maximum --------------------------------------------------------------------------------------


def test_maximum_takes_the_greater_of_each_two_elements():
    assert same(Buffer([3, 5]).maximum(Buffer([6, 2])), [6, 5])


def test_maximum_of_booleans_is_a_bool():
    assert same(Buffer([True, False]).maximum(Buffer([False, False])), [True, False])


def test_maximum_takes_a_scalar():
    assert same(Buffer([-1.0, 2.0]).maximum(0.0), [0.0, 2.0])


def test_maximum_with_a_scalar_of_another_type_has_one_type():
    assert same(Buffer([1, 3]).maximum(2.5), [2.5, 3.0])


# -- where Python has no result -------------------------------------------------------------------


@pytest.mark.parametrize("zero", [0, 0.0, False])
def test_division_by_zero_is_a_zero_division_error(zero):
    with pytest.raises(ZeroDivisionError, match=r"/ needs elements .* change or mask"):
        Buffer([1, 2]) / zero


def test_division_by_an_element_that_is_zero_names_the_operands():
    with pytest.raises(ZeroDivisionError, match=r"got 2\.0, 0\.0"):
        Buffer([1.0, 2.0]) / Buffer([1.0, 0.0])


def test_division_of_a_scalar_by_zero_names_the_operands():
    with pytest.raises(ZeroDivisionError, match="got 7, 0"):
        7 / Buffer([1, 0])


def test_exp_that_is_too_large_is_an_overflow_error():
    with pytest.raises(OverflowError, match=r"exp needs elements .* got 1000"):
        Buffer([1.0, 1000.0]).exp()


@pytest.mark.parametrize("value", [0.0, -1.0, 0])
def test_log_of_zero_or_less_is_a_value_error(value):
    with pytest.raises(ValueError, match=f"log needs elements .* got {value}"):
        Buffer([value]).log()


# -- nothing in place -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "pow"])
def test_there_are_no_operators_in_place(name):
    assert not hasattr(Buffer, f"__i{name}__")


def test_an_augmented_assignment_leaves_the_old_buffer_as_it_was():
    gradient = kept = Buffer([1.0, 2.0])
    gradient += Buffer([1.0, 1.0])
    assert gradient.to_python() == [2.0, 3.0]
    assert kept.to_python() == [1.0, 2.0]


# -- reductions -----------------------------------------------------------------------------------

CUBE = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]


@pytest.mark.parametrize("axes", [0, 1, 2, (0,), (0, 2), (2, 0), (0, 1, 2)])
@pytest.mark.parametrize("name", ["sum", "max"])
def test_a_reduction_keeps_the_axes_that_it_reduces(name, axes):
    expected = getattr(np.array(CUBE), name)(axis=axes, keepdims=True)
    assert getattr(Buffer(CUBE), name)(axes).to_python() == expected.tolist()


@pytest.mark.parametrize("name", ["sum", "max"])
def test_a_reduction_of_a_view_follows_its_strides(name):
    expected = getattr(np.array(CUBE).transpose(2, 0, 1), name)(axis=1, keepdims=True)
    result = getattr(Buffer(CUBE).permute((2, 0, 1)), name)(axes=1)
    assert result.to_python() == expected.tolist()
    assert (result.is_contiguous(), result.offset) == (True, 0)


@pytest.mark.parametrize("name", ["sum", "max"])
@pytest.mark.parametrize("data", [1.0, [[1, 2]]])
def test_a_reduction_over_no_axes_returns_the_buffer_itself(name, data):
    buffer = Buffer(data)
    assert getattr(buffer, name)(()) is buffer


@pytest.mark.parametrize("name", ["sum", "max"])
@pytest.mark.parametrize("axes", [-1, 3, (0, -1), (0, 3), (0, 0)])
def test_an_axis_out_of_range_or_named_twice_is_a_value_error(name, axes):
    with pytest.raises(ValueError, match=f"{name} needs"):
        getattr(Buffer(CUBE), name)(axes)


@pytest.mark.parametrize("name", ["sum", "max"])
def test_a_buffer_without_axes_has_none_to_reduce(name):
    with pytest.raises(ValueError, match=f"{name} needs an axis"):
        getattr(Buffer(1.0), name)(0)


@pytest.mark.parametrize("name", ["sum", "max"])
@pytest.mark.parametrize("axes", [None, [0], 0.0, ("0",)])
def test_axes_are_an_int_or_a_tuple_of_ints(name, axes):
    with pytest.raises(TypeError, match="an axis as an int"):
        getattr(Buffer(CUBE), name)(axes)


def test_a_sum_of_booleans_along_an_axis_is_an_int_also_of_one_element():
    assert same(Buffer([True]).sum(0), [1])


def test_a_sum_adds_from_first_to_last():
    assert same(Buffer([1.0, 1e100, 1.0, -1e100]).sum(0), [0.0])


def test_a_sum_does_not_depend_on_the_order_of_the_axes():
    buffer = Buffer([[1e100, 1.0], [-1e100, 1.0]])
    assert buffer.sum((1, 0)).data == buffer.sum((0, 1)).data == [1.0]


def test_a_maximum_of_booleans_along_an_axis_is_a_bool():
    assert same(Buffer([False, True]).max(0), [True])


@pytest.mark.parametrize("dtype, zero", [(DType.float32, 0.0), (DType.int32, 0), (DType.bool, 0)])
def test_a_sum_of_nothing_is_zero(dtype, zero):
    assert same(Buffer([], dtype).sum(0), [zero])


def test_a_maximum_of_nothing_is_a_value_error():
    with pytest.raises(ValueError, match="max needs elements"):
        Buffer([]).max(0)
