"""Moving the elements of TinyGPT's buffers: views where the base is contiguous, else of a copy."""

import io
from contextlib import redirect_stdout

import numpy as np
import pytest

from onebuf.compat.tinygpt import Buffer, DType

MOVES = [Buffer.reshape, Buffer.expand, Buffer.permute]


def counting(*shape):
    return Buffer(np.arange(np.prod(shape)).reshape(shape).tolist())


def every_other(count, offset=0):
    """``count`` elements that lie two apart, so that they are not contiguous."""
    data = list(range(2 * count + offset))
    return Buffer._create_buffer_from_data(data, (count,), (2,), offset)


# -- contiguity -----------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [1, [1, 2], [[1, 2], [3, 4]], [[[1], [2]]], [], [[], []]])
def test_a_new_buffer_is_contiguous(data):
    assert Buffer(data).is_contiguous()


@pytest.mark.parametrize(
    "shape, stride, offset", [((1, 4, 1), (4, 1, 1), 0), ((2, 3), (3, 1), 2), ((), (), 3)]
)
def test_row_major_strides_are_contiguous_from_any_offset(shape, stride, offset):
    assert Buffer._create_buffer_from_data(list(range(8)), shape, stride, offset).is_contiguous()


@pytest.mark.parametrize(
    "shape, stride",
    [
        ((2, 2), (1, 2)),
        ((2,), (2,)),
        ((1,), (4,)),
        ((1, 1), (2, 2)),
        ((1, 4, 1), (0, 1, 0)),
        ((1, 2), (1, 1)),
        ((2, 2), (0, 1)),
    ],
)
def test_any_other_stride_is_not_contiguous_on_axes_of_extent_one_either(shape, stride):
    assert not Buffer._create_buffer_from_data(list(range(8)), shape, stride, 0).is_contiguous()


# -- reshape --------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(12,), (2, 6), (2, 1, 3, 2), (1, 12, 1)])
def test_reshape_of_contiguous_elements_shares_them(shape):
    buffer = counting(3, 4)
    result = buffer.reshape(shape)
    assert result.data is buffer.data
    assert result.to_python() == np.arange(12).reshape(shape).tolist()
    assert result.is_contiguous()


def test_reshape_keeps_the_offset_of_contiguous_elements():
    result = counting(4, 3)[1:3].reshape((6,))
    assert (result.offset, result.to_python()) == (3, [3, 4, 5, 6, 7, 8])


def test_reshape_of_other_elements_is_a_contiguous_copy_at_offset_zero():
    buffer = every_other(6, offset=1)
    result = buffer.reshape((2, 3))
    assert result.data is not buffer.data
    assert (result.data, result.stride, result.offset) == ([1, 3, 5, 7, 9, 11], (3, 1), 0)


def test_reshape_copies_where_only_an_axis_of_extent_one_is_not_contiguous():
    buffer = Buffer._create_buffer_from_data([1, 2], (1, 2), (7, 1), 0)
    assert buffer.reshape((2,)).data is not buffer.data


def test_reshape_adds_axes_to_a_scalar_and_removes_them():
    buffer = Buffer(1.5)
    assert buffer.reshape((1, 1)).to_python() == [[1.5]]
    assert buffer.reshape((1, 1)).reshape(()).to_python() == 1.5


def test_reshape_takes_new_shape_by_name():
    assert counting(4).reshape(new_shape=(2, 2)).shape == (2, 2)


@pytest.mark.parametrize("shape", [(4, -1), (-1,), (4, 0), (-2, -2)])
def test_reshape_to_an_extent_less_than_one_is_a_value_error(shape):
    with pytest.raises(ValueError, match="at least 1"):
        counting(4).reshape(shape)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (4, 2)])
def test_reshape_to_another_number_of_elements_is_a_runtime_error(shape):
    with pytest.raises(RuntimeError, match="as many elements after as before"):
        counting(4).reshape(shape)


# -- expand ---------------------------------------------------------------------------------------


def test_expand_repeats_axes_of_extent_one_with_stride_zero():
    buffer = Buffer([[1, 2, 3]])
    result = buffer.expand((4, 3))
    assert result.data is buffer.data
    assert (result.shape, result.stride, result.numel) == ((4, 3), (0, 1), 12)
    assert result.to_python() == [[1, 2, 3]] * 4


def test_expand_to_the_same_shape_stays_contiguous():
    buffer = counting(4, 1)
    result = buffer.expand((4, 1))
    assert result.data is buffer.data
    assert result.is_contiguous()


def test_expand_of_a_scalar_is_a_scalar():
    assert Buffer(2).expand(()).to_python() == 2


def test_expand_of_other_elements_expands_a_contiguous_copy():
    buffer = Buffer._create_buffer_from_data(list(range(9)), (3, 1), (2, 1), 1)
    result = buffer.expand((3, 2))
    assert result.data is not buffer.data
    assert (result.data, result.stride, result.offset) == ([1, 3, 5], (1, 0), 0)


def test_expand_takes_new_shape_by_name():
    assert counting(1).expand(new_shape=(2,)).shape == (2,)


@pytest.mark.parametrize(
    "shape", [(), (3,), (1, 3), (2, 1, 3), (4, 3), (2, 4), (2, 1), (0, 3), (-1, 3), (2, 0)]
)
def test_expand_to_any_other_shape_is_a_value_error(shape):
    with pytest.raises(ValueError, match=r"add axes with reshape|at least 1"):
        counting(2, 3).expand(shape)


# -- permute --------------------------------------------------------------------------------------


def test_permute_of_contiguous_elements_shares_them():
    buffer = counting(2, 3, 4)
    result = buffer.permute((2, 0, 1))
    assert result.data is buffer.data
    assert (result.shape, result.stride) == ((4, 2, 3), (1, 12, 4))
    assert result.to_python() == np.arange(24).reshape(2, 3, 4).transpose(2, 0, 1).tolist()


def test_permute_of_other_elements_permutes_a_contiguous_copy():
    buffer = counting(2, 3).permute((1, 0))
    result = buffer.permute((1, 0))
    assert result.data is not buffer.data
    assert result.data == [0, 3, 1, 4, 2, 5]
    assert (result.stride, result.offset) == ((1, 2), 0)
    assert result.to_python() == [[0, 1, 2], [3, 4, 5]]


def test_permute_keeps_the_offset_of_contiguous_elements():
    assert counting(3, 2)[1:].permute((1, 0)).to_python() == [[2, 4], [3, 5]]


def test_permute_of_a_scalar_is_a_scalar():
    assert Buffer(3.0).permute(()).to_python() == 3.0


@pytest.mark.parametrize("axes", [(), (0,), (0, 0), (0, 2), (0, 1, 2), (0, -1), (-2, -1)])
def test_permute_needs_each_axis_once_counted_from_the_front(axes):
    with pytest.raises(ValueError, match="exactly once"):
        counting(2, 3).permute(axes)


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("argument", [None, [2, 3], 6, "6", (2.0, 3.0), (None, 1)])
def test_a_move_needs_a_tuple_of_ints(move, argument):
    with pytest.raises(TypeError, match="tuple of ints"):
        move(counting(2, 3), argument)


# -- writes are seen through views ----------------------------------------------------------------


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.reshape((6,)),
        lambda x: x.permute((1, 0)),
        lambda x: x.expand((2, 3)),
        lambda x: x[:],
        Buffer,
    ],
)
def test_a_write_to_the_base_is_seen_by_the_view(view):
    buffer = counting(2, 3)
    seen = view(buffer)
    buffer[1, 2] = 77
    assert 77 in list(seen)


# -- concatenate ----------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("sequence", [list, tuple])
def test_concatenate_joins_along_an_axis(axis, sequence):
    arrays = [np.arange(12).reshape(2, 3, 2), np.arange(12).reshape(2, 3, 2) + 50]
    result = Buffer.concatenate(sequence(Buffer(array.tolist()) for array in arrays), axis)
    assert result.to_python() == np.concatenate(arrays, axis).tolist()
    assert (result.dtype, result.is_contiguous()) == (DType.int32, True)


def test_concatenate_takes_different_extents_along_its_axis():
    result = Buffer.concatenate([Buffer([[1], [2]]), Buffer([[3, 4], [5, 6]])], axis=1)
    assert result.to_python() == [[1, 3, 4], [2, 5, 6]]


def test_concatenate_reads_views_by_their_strides():
    result = Buffer.concatenate([counting(2, 2).permute((1, 0)), every_other(4).reshape((2, 2))], 0)
    assert result.to_python() == [[0, 2], [1, 3], [0, 2], [4, 6]]


def test_concatenate_copies_also_one_buffer():
    buffer = counting(3)
    assert Buffer.concatenate([buffer], 0).data is not buffer.data


def test_concatenate_of_two_dtypes_is_a_value_error():
    with pytest.raises(ValueError, match="DType mismatch"):
        Buffer.concatenate([Buffer([1]), Buffer([1.0])], 0)


def test_concatenate_of_shapes_that_differ_elsewhere_is_a_value_error():
    with pytest.raises(ValueError, match="differ in axis 0 only"):
        Buffer.concatenate([Buffer([[1, 2]]), Buffer([[1, 2, 3]])], 0)
    with pytest.raises(ValueError, match="differ in axis 1 only"):
        Buffer.concatenate([Buffer([[1, 2]]), Buffer([[1], [2]])], 1)


@pytest.mark.parametrize("other", [Buffer([1, 2]), Buffer(1), Buffer([[[1, 2]]])])
def test_concatenate_of_other_numbers_of_axes_is_a_value_error(other):
    with pytest.raises(ValueError, match="one number of axes"):
        Buffer.concatenate([Buffer([[1, 2]]), other], 0)


@pytest.mark.parametrize("axis", [-1, 2])
def test_concatenate_along_an_axis_out_of_range_is_a_value_error(axis):
    with pytest.raises(ValueError, match="concatenate needs an axis"):
        Buffer.concatenate([Buffer([[1, 2]])], axis)


def test_concatenate_of_scalars_has_no_axis():
    with pytest.raises(ValueError, match="concatenate needs an axis"):
        Buffer.concatenate([Buffer(1), Buffer(2)], 0)


def test_concatenate_of_nothing_is_a_value_error():
    with pytest.raises(ValueError, match="at least one Buffer"):
        Buffer.concatenate([], 0)


@pytest.mark.parametrize("buffers", [None, Buffer([1]), [Buffer([1]), [2]], "12", [1]])
def test_concatenate_needs_a_sequence_of_buffers(buffers):
    with pytest.raises(TypeError, match="concatenate needs"):
        Buffer.concatenate(buffers, 0)


@pytest.mark.parametrize("axis", [None, 0.0, (0,)])
def test_concatenate_needs_an_axis_that_is_an_int(axis):
    with pytest.raises(TypeError, match="axis as an int"):
        Buffer.concatenate([Buffer([1])], axis)


# -- tril -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("diagonal", range(-4, 5))
@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (4, 2), (2, 3, 3), (1, 2, 2, 3)])
def test_tril_clears_above_a_diagonal_of_the_last_two_axes(shape, diagonal):
    array = np.arange(1, np.prod(shape) + 1).reshape(shape)
    result = Buffer(array.tolist()).tril(diagonal)
    assert result.to_python() == np.tril(array, diagonal).tolist()


def test_tril_is_about_the_main_diagonal_by_default():
    assert Buffer([[True, True], [True, True]]).tril().to_python() == [[True, False], [True, True]]


def test_tril_of_infinities_has_zeros_above():
    infinities = Buffer(float("-inf")).reshape((1, 1)).expand((2, 2))
    assert infinities.tril(diagonal=-1).to_python() == [[0.0, 0.0], [float("-inf"), 0.0]]


def test_tril_leaves_its_buffer_as_it_was():
    buffer = counting(2, 2)
    buffer.tril(-5)
    assert buffer.to_python() == [[0, 1], [2, 3]]


@pytest.mark.parametrize("data", [1.0, [1.0, 2.0]])
def test_tril_of_less_than_two_axes_is_a_value_error(data):
    with pytest.raises(ValueError, match="at least 2 axes"):
        Buffer(data).tril()


@pytest.mark.parametrize("diagonal", [None, 0.5, (1,)])
def test_tril_needs_a_diagonal_that_is_an_int(diagonal):
    with pytest.raises(TypeError, match="diagonal needs to be an int"):
        counting(2, 2).tril(diagonal)


# -- looking at it --------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [1, 2.5, True, [1, 2], [[1.0], [2.0]], [], [[], []]])
def test_to_python_gives_back_the_nested_lists(data):
    result = Buffer(data).to_python()
    assert (result, type(result)) == (data, type(data))


def test_iteration_is_flat_over_python_scalars():
    values = list(counting(2, 2).permute((1, 0)))
    assert values == [0, 2, 1, 3]
    assert {type(value) for value in values} == {int}


def test_iteration_over_a_scalar_gives_it_once():
    assert list(Buffer(2.5)) == [2.5]


@pytest.mark.parametrize("data", [0, False, [], [0], [False, False]])
def test_a_buffer_is_always_true(data):
    assert Buffer(data)


def test_a_buffer_has_no_length():
    with pytest.raises(TypeError):
        len(Buffer([1, 2]))


def test_the_metadata_are_plain_attributes():
    buffer = counting(4)
    assert set(vars(buffer)) == {"data", "shape", "stride", "offset", "ndim", "numel", "dtype"}


def test_str_shows_the_values():
    assert str(counting(2, 2).permute((1, 0))) == "[[0, 2], [1, 3]]"


def test_repr_shows_values_shape_and_dtype():
    assert repr(Buffer([1.5])) == "<Buffer [1.5], shape=(1,), dtype=DType.float32>"


def test_the_example_of_the_document_runs():
    buffer = Buffer.zeros((3, 3), dtype=DType.float32)
    buffer = buffer + 5.0
    buffer[1, 1] = 10.0
    reshaped_buffer = buffer.reshape((9,))
    summed_buffer = buffer.sum(axes=(0,))
    printed = io.StringIO()
    with redirect_stdout(printed):
        print("Original Buffer:\n", buffer)
        print("Reshaped Buffer:\n", reshaped_buffer)
        print("Summed Buffer:\n", summed_buffer)
        print("Python List:\n", buffer.to_python())
        print("Shape:", buffer.shape)
        print("Strides:", buffer.stride)
    assert printed.getvalue().splitlines() == [
        "Original Buffer:",
        " [[5.0, 5.0, 5.0], [5.0, 10.0, 5.0], [5.0, 5.0, 5.0]]",
        "Reshaped Buffer:",
        " [5.0, 5.0, 5.0, 5.0, 10.0, 5.0, 5.0, 5.0, 5.0]",
        "Summed Buffer:",
        " [[15.0, 20.0, 15.0]]",
        "Python List:",
        " [[5.0, 5.0, 5.0], [5.0, 10.0, 5.0], [5.0, 5.0, 5.0]]",
        "Shape: (3, 3)",
        "Strides: (3, 1)",
    ]
