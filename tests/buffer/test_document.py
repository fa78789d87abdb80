"""The document "Buffer", its example and its sentences, and items 1 to 8 of the spec."""

from __future__ import annotations

import numpy as np
import pytest
from buffer.cases import only_views

import onebuf
from onebuf import Buffer, DType

PROGRAM = """\
from onebuf import Buffer, DType

# Creating a Buffer with zeros
buffer = Buffer.zeros((3, 3), dtype=DType.float32)

# Performing element-wise addition
buffer = buffer + 5.0

# Accessing and modifying elements
buffer[1, 1] = 10.0

# Reshaping the buffer
reshaped_buffer = buffer.reshape((9,))

# Summing along an axis
summed_buffer = buffer.sum(axes=(0,))

# Converting to a Python list
python_list = buffer.to_python()

# Accessing the shape and stride
shape = buffer.shape
stride = buffer.stride

print("Original Buffer:\\n", buffer)
print("Reshaped Buffer:\\n", reshaped_buffer)
print("Summed Buffer:\\n", summed_buffer)
print("Python List:\\n", python_list)
print("Shape:", shape)
print("Strides:", stride)
"""

PRINTED = """\
Original Buffer:
 [[ 5.  5.  5.]
 [ 5. 10.  5.]
 [ 5.  5.  5.]]
Reshaped Buffer:
 [ 5.  5.  5.  5. 10.  5.  5.  5.  5.]
Summed Buffer:
 [15. 20. 15.]
Python List:
 [[5.0, 5.0, 5.0], [5.0, 10.0, 5.0], [5.0, 5.0, 5.0]]
Shape: (3, 3)
Strides: (3, 1)
"""


@pytest.mark.parametrize("eager_numel", [4096, 0])
def test_the_example_runs_as_written(eager_numel, capsys):
    with onebuf.config(eager_numel=eager_numel):
        exec(PROGRAM, {})
    assert capsys.readouterr().out == PRINTED


# 1. Storage


def test_a_3_by_3_list_has_the_documents_storage():
    b = Buffer([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    assert b.data.tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert (b.shape, b.stride, b.offset) == ((3, 3), (3, 1), 0)
    assert b.dtype == DType.int32


# 2. Making


@pytest.mark.parametrize("name, value", [("zeros", 0), ("ones", 1)])
@pytest.mark.parametrize("dtype", [DType.float32, DType.int32, DType.bool])
def test_zeros_and_ones_have_one_value_of_the_dtype(name, value, dtype):
    b = getattr(Buffer, name)((2, 3), dtype=dtype)
    assert (b.shape, b.dtype) == ((2, 3), dtype)
    assert b.to_python() == [[dtype.type(value).item()] * 3] * 2


@pytest.mark.parametrize("name", ["zeros", "ones", "uniform", "normal"])
def test_factories_make_float32_unless_told(name):
    assert getattr(Buffer, name)((2,)).dtype == DType.float32


@pytest.mark.parametrize("name", ["uniform", "normal"])
def test_random_factories_make_different_numbers_of_the_shape(name):
    b = getattr(Buffer, name)((20, 5), dtype=DType.float32)
    assert b.shape == (20, 5)
    assert len(set(b.ravel().to_python())) > 90


@pytest.mark.parametrize(
    "data, dtype",
    [
        ([1.0, 2.0], DType.float32),
        ([1, 2], DType.int32),
        ([True, False], DType.bool),
        (((1.5,), (2.5,)), DType.float32),
        ([[1], (2,)], DType.int32),
        ([1, 2.5], DType.float32),
        (7, DType.int32),
        (0.5, DType.float32),
        (True, DType.bool),
    ],
)
def test_lists_and_tuples_deduce_their_dtype(data, dtype):
    b = Buffer(data)
    assert b.dtype == dtype
    np.testing.assert_array_equal(np.asarray(b), np.array(data, dtype))


def test_dtype_overrides_what_is_deduced():
    assert Buffer([1, 2], dtype=DType.float32).dtype == DType.float32
    assert Buffer([0.0, 2.5], dtype=DType.bool).to_python() == [False, True]


# 3. Arithmetic


@pytest.mark.parametrize(
    "text",
    [
        "a + b",
        "a - b",
        "a * b",
        "a / b",
        "a ** b",
        "a + 2.0",
        "2.0 - a",
        "a * 2",
        "1 / a",
        "2 ** a",
    ],
)
def test_operators_take_a_buffer_or_a_scalar(text):
    a = np.array([1.0, 2.0, 3.0], np.float32)
    b = np.array([4.0, 0.5, 2.0], np.float32)
    result = eval(text, {"a": Buffer(a), "b": Buffer(b)})
    wanted = eval(text, {"a": a, "b": b})
    assert result.dtype == wanted.dtype
    np.testing.assert_allclose(np.asarray(result), wanted, rtol=1e-6)


def test_log_and_exp_undo_one_another():
    b = Buffer([0.5, 1.0, 2.0])
    np.testing.assert_allclose(np.asarray(b.exp().log()), [0.5, 1.0, 2.0], rtol=1e-6)
    np.testing.assert_allclose(np.asarray(b.exp()), np.exp([0.5, 1.0, 2.0]), rtol=1e-6)


def test_maximum_takes_the_larger_of_two():
    assert Buffer([1.0, 5.0]).maximum(Buffer([3.0, 2.0])).to_python() == [3.0, 5.0]
    assert Buffer([1.0, 5.0]).maximum(2.0).to_python() == [2.0, 5.0]


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("a < 2", [True, False, False]),
        ("a <= 2", [True, True, False]),
        ("a > 2", [False, False, True]),
        ("a >= 2", [False, True, True]),
        ("a == 2", [False, True, False]),
        ("a != 2", [True, False, True]),
    ],
)
def test_comparisons_give_bools(text, wanted):
    result = eval(text, {"a": Buffer([1, 2, 3])})
    assert (result.dtype, result.to_python()) == (DType.bool, wanted)


# 4. Elements


def test_an_element_and_a_part_are_read():
    b = Buffer([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    assert b[0, 1].to_python() == 2
    assert b[0:2, :].to_python() == [[1, 2, 3], [4, 5, 6]]


def test_a_written_element_is_seen_through_every_view():
    b = Buffer.zeros((3, 3))
    flat, turned, row = b.reshape(9), b.T, b[1]
    b[1, 1] = 10.0
    assert (flat[4].item(), turned[1, 1].item(), row[1].item()) == (10.0, 10.0, 10.0)


def test_a_written_slice_is_seen_through_every_view():
    b = Buffer.zeros((3, 3))
    turned = b.permute((1, 0))
    b[0:2, :] = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    assert turned.to_python() == [[1.0, 4.0, 0.0], [2.0, 5.0, 0.0], [3.0, 6.0, 0.0]]


def test_a_write_through_a_view_is_seen_by_the_buffer():
    b = Buffer.zeros((2, 2))
    b.T[0] = Buffer([1.0, 2.0])
    assert b.to_python() == [[1.0, 0.0], [2.0, 0.0]]


# 5. Movement


@pytest.mark.parametrize(
    "start, move, shape",
    [
        ((9,), lambda b: b.reshape((3, 3)), (3, 3)),
        ((1, 3), lambda b: b.expand((4, 3)), (4, 3)),
        ((2, 3, 4), lambda b: b.permute((2, 0, 1)), (4, 2, 3)),
    ],
)
def test_movement_gives_a_view_and_moves_no_data(start, move, shape):
    b = Buffer.zeros(start)
    with only_views():
        moved = move(b)
    assert moved.shape == shape
    assert moved.base is b
    b[...] = 3.0
    assert moved.to_python() == np.full(shape, 3.0).tolist()


# 6. Reductions


@pytest.mark.parametrize("name, wanted", [("sum", [5.0, 7.0, 9.0]), ("max", [4.0, 5.0, 6.0])])
@pytest.mark.parametrize("by", [{"axes": (0,)}, {"axis": 0}, {"axis": (0,)}, {"axes": 0}])
def test_a_reduction_along_axis_0_of_2_by_3_has_shape_3(name, wanted, by):
    reduced = getattr(Buffer([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), name)(**by)
    assert (reduced.shape, reduced.to_python()) == ((3,), wanted)


def test_keepdims_keeps_an_axis_of_extent_1():
    b = Buffer([[1.0, 2.0], [3.0, 4.0]])
    assert b.sum(axes=(1,), keepdims=True).to_python() == [[3.0], [7.0]]


# 7. Attributes


def test_data_is_one_storage_for_all_views():
    b = Buffer([[1, 2], [3, 4]])
    data = b.T[1:].data
    assert data.tolist() == [1, 2, 3, 4]
    data[0] = 9
    assert b[0, 0].item() == 9


def test_data_is_a_typed_memoryview():
    data = Buffer([[1, 2], [3, 4]]).data
    assert isinstance(data, memoryview)
    assert (data.format, data.itemsize, data.nbytes, data.ndim) == ("i", 4, 16, 1)


def test_attributes_describe_the_layout():
    b = Buffer.zeros((4, 6))[1:3, ::2]
    assert (b.numel, b.shape, b.stride, b.offset) == (6, (2, 3), (6, 2), 6)
    assert not b.is_contiguous()
    assert b.contiguous().is_contiguous()


@pytest.mark.parametrize("data", [5, 2.5, True, [], [[1, 2], [3, 4]], [[[True], [False]]]])
def test_to_python_gives_back_the_lists(data):
    assert Buffer(data).to_python() == data


def test_print_shows_the_values(capsys):
    print(Buffer([[1, 2], [3, 4]]))
    assert capsys.readouterr().out == "[[1 2]\n [3 4]]\n"


# 8. Names


def test_dtype_names_the_three_types_of_the_document():
    assert [DType.float32, DType.int32, DType.bool] == ["float32", "int32", "bool"]
