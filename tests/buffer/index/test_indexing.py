"""Indexing, read and written, with NumPy as the oracle."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from buffer.cases import MODES, assert_same, cases, in_mode, lazily, make, values
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import onebuf
from onebuf import Buffer, dtypes

both_modes = pytest.mark.parametrize("mode", MODES)

shapes = st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple)
any_shapes = st.lists(st.integers(0, 4), max_size=3).map(tuple)


def numbers(shape):
    return np.arange(prod(shape)).reshape(shape)


@st.composite
def basic_keys(draw, shape):
    return draw(hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True))


@st.composite
def picking_keys(draw, shape):
    """Keys with at least one array, list or mask, mixed with slices and integers."""
    kind = draw(st.sampled_from(["mask", "axis mask", "arrays", "mixed"]))
    bools = st.integers(0, 2**16).map(np.random.default_rng)
    if kind == "mask":
        return draw(bools).integers(0, 2, shape).astype(bool)
    if kind == "axis mask":
        return draw(bools).integers(0, 2, shape[0]).astype(bool).tolist()
    picked = draw(hnp.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=3))

    def indices(extent):
        array = draw(bools).integers(-extent, extent, picked)
        return array.tolist() if draw(st.booleans()) and array.size else array

    if kind == "arrays":
        count = draw(st.integers(1, len(shape)))
        return tuple(indices(extent) for extent in shape[:count])
    key = [draw(st.sampled_from([slice(None), slice(None, None, -1), 0])) for _ in shape]
    key[draw(st.integers(0, len(shape) - 1))] = indices(1)
    return tuple(key)


# Reading


@both_modes
@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_basic_key_gives_numpys_view(mode, data):
    array = numbers(data.draw(any_shapes))
    key = data.draw(basic_keys(array.shape))
    x = make(array, mode)
    with in_mode(mode):
        got = x[key]
    wanted = array[key]
    assert (got.base is x) == isinstance(wanted, np.ndarray)
    assert got.shape == wanted.shape
    np.testing.assert_array_equal(values(got), wanted)


@both_modes
@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_key_of_arrays_gives_numpys_elements_in_a_buffer_of_their_own(mode, data):
    array = numbers(data.draw(shapes))
    key = data.draw(picking_keys(array.shape))
    x = make(array, mode)
    with in_mode(mode):
        got = x[key]
    assert_same(got, array[key])
    assert not got.is_view
    if got.numel:
        got[...] = -1
        assert x.to_python() == array.tolist()


@both_modes
@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "uint64", "bool"])
def test_a_buffer_of_numbers_or_bools_is_a_key(mode, dtype):
    array = np.array([10, 20])
    key = np.array([1, 0], dtype)
    with in_mode(mode):
        assert_same(make(array, mode)[make(key, mode)], array[key])


@both_modes
def test_whole_numbers_of_every_kind_name_rows_and_numbers(mode):
    x = make(np.arange(4).reshape(2, 2), mode)
    for one in (1, np.int8(1), np.uint64(1), Buffer(1), Buffer([0, 1])[1]):
        with in_mode(mode):
            assert x[one].base is x
            assert x[one].tolist() == [2, 3]
            assert not x[one, one].is_view
            assert x[one, one].item() == 3


@both_modes
def test_a_bool_adds_an_axis_as_in_numpy(mode):
    x = make(np.arange(4), mode)
    with in_mode(mode):
        assert x[True].shape == (1, 4)
        assert x[False].shape == (0, 4)


@both_modes
@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_every_dtype_can_be_picked_from_and_written(mode, dtype):
    array = np.arange(4).astype(dtype)
    x = make(array, mode)
    with in_mode(mode):
        assert_same(x[[3, 0]], array[[3, 0]])
        x[1] = 1
        x[[2, 3]] = 0
        x[np.array([True, False, False, False])] = 1
    assert_same(x, np.array([1, 1, 0, 0]).astype(dtype))


# Writing


@both_modes
@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_write_by_a_basic_key_is_numpys(mode, data):
    array = numbers(data.draw(any_shapes))
    key = data.draw(basic_keys(array.shape))
    x = make(array, mode)
    target = np.asarray(array[key]).shape
    value = data.draw(values_for(target))
    with in_mode(mode):
        x[key] = make(value, mode) if data.draw(st.booleans()) else value
    array[key] = value
    assert x.to_python() == array.tolist()


@both_modes
@settings(max_examples=100, deadline=None)
@given(st.data())
def test_a_write_by_a_key_of_arrays_is_numpys(mode, data):
    array = numbers(data.draw(shapes))
    key = data.draw(picking_keys(array.shape))
    x = make(array, mode)
    value = data.draw(values_for(array[key].shape))
    with in_mode(mode):
        x[key] = make(value, mode) if data.draw(st.booleans()) else value
    array[key] = value
    assert x.to_python() == array.tolist()


@st.composite
def values_for(draw, shape):
    """An array that broadcasts to a shape."""
    part = [draw(st.sampled_from([extent, 1])) for extent in shape]
    part = part[draw(st.integers(0, len(part))) :]
    return 100 + numbers(tuple(part))


@both_modes
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_written_value_is_converted_as_numpy_does(mode, data):
    kinds = [d for d in dtypes.STANDARD if dtypes.kind(d) != "c"]
    source = data.draw(cases(kinds, (3,), tame=True))
    target = data.draw(st.sampled_from(kinds))
    array = np.zeros(3, target)
    x = make(array, mode)
    with in_mode(mode):
        x[...] = source.buffer(mode)
    array[...] = source.array()
    assert_same(x, array)


@both_modes
@pytest.mark.parametrize("value", [True, 3, 2.75, [7, 8, 9], (1.5, 2.5, 3.5), np.float32(4)])
@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "bool"])
def test_python_values_are_converted_as_numpy_does(mode, value, dtype):
    array = np.zeros((2, 3), dtype)
    x = make(array, mode)
    with in_mode(mode):
        x[1] = value
    array[1] = value
    assert_same(x, array)


# Overlap and laziness


@both_modes
@pytest.mark.parametrize(
    "to, source",
    [
        (slice(1, None), slice(None, -1)),
        (slice(None, -1), slice(1, None)),
        (slice(None), slice(None, None, -1)),
        (slice(None, None, 2), slice(0, 4)),
        ([0, 1, 2], slice(5, 2, -1)),
        ([7, 6, 5, 4, 3, 2, 1, 0], slice(None)),
    ],
)
def test_a_write_from_the_same_memory_reads_first(mode, to, source):
    array = np.arange(8)
    x = make(array, mode)
    with in_mode(mode):
        x[to] = x[source]
    array[to] = array[source].copy()
    assert x.to_python() == array.tolist()


@both_modes
@pytest.mark.parametrize(
    "expression",
    [
        lambda a: a[:-1] * 2 + a[1:],
        lambda a: a[::-1][:-1],
        lambda a: (a + a[::-1])[1:],
        lambda a: a[1:] - a[0],
        lambda a: a[:-1].copy(),
    ],
)
def test_an_expression_of_the_same_memory_is_computed_before_the_write(mode, expression):
    array = np.arange(6)
    x = make(array, mode)
    with in_mode(mode):
        x[1:] = expression(x)
    array[1:] = expression(array.copy())
    assert x.to_python() == array.tolist()


@both_modes
def test_a_matrix_is_transposed_into_itself(mode):
    array = np.arange(9).reshape(3, 3)
    x = make(array, mode)
    with in_mode(mode):
        x[...] = x.T
    assert x.to_python() == array.T.tolist()


WRITES = {
    "element": lambda x: x.__setitem__((0, 0), 99),
    "slice": lambda x: x.__setitem__(slice(0, 1), 99),
    "list": lambda x: x.__setitem__([0], 99),
    "mask": lambda x: x.__setitem__(np.array([True, False]), 99),
    "through a view": lambda x: x.T.__setitem__((..., 0), 99),
    "in place": lambda x: x.__iadd__(1),
    "ufunc with out": lambda x: np.add(x, 1, out=x),
    "ufunc.at": lambda x: np.add.at(x, (0, 0), 1),
}
WAITING = {
    "elementwise": lambda x: x * 2,
    "a view's": lambda x: x.T[1:] * 2,
    "copy": lambda x: x.copy(),
    "copied reshape": lambda x: x.T.reshape(6),
    "sum": lambda x: x.sum(axis=0),
    "pad": lambda x: x.pad([(1, 0), (0, 0)]),
    "a part of a pad": lambda x: x.pad([(1, 0), (0, 0)])[1:],
    "concat": lambda x: onebuf.concat([x, x]),
    "where": lambda x: onebuf.where(x > 2, x, 0),
    "cast": lambda x: x.astype("float64"),
    "matmul": lambda x: x @ x.T,
    "take": lambda x: onebuf.take(x, Buffer([1, 0]), axis=0),
    "chain": lambda x: ((x + 1) * 2).max(axis=1),
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("wait", WAITING)
def test_work_that_waits_never_sees_a_later_write(write, wait):
    array = np.arange(6).reshape(2, 3)
    wanted = WAITING[wait](onebuf.asarray(array.copy())).to_python()
    x = onebuf.asarray(array).copy()
    with lazily():
        waiting = WAITING[wait](x)
        WRITES[write](x)
        assert waiting.to_python() == wanted


@pytest.mark.parametrize("wait", WAITING)
def test_work_that_waits_for_pending_work_never_sees_a_later_write(wait):
    array = np.arange(6).reshape(2, 3)
    wanted = WAITING[wait](onebuf.asarray(array.copy())).to_python()
    x = make(array, "lazy")
    with lazily():
        waiting = WAITING[wait](x)
        x[0] = 99
        assert waiting.to_python() == wanted


def test_a_write_to_shared_memory_is_ordered_with_work_on_another_buffer_of_it():
    array = np.arange(3)
    x, y = onebuf.asarray(array), onebuf.asarray(array)
    with lazily():
        waiting = y + 1
        x[0] = 99
        assert waiting.to_python() == [1, 2, 3]


def test_a_write_to_memory_is_ordered_with_work_on_an_array_of_it():
    array = np.arange(3)
    x = onebuf.asarray(array)
    with lazily():
        waiting = Buffer([1, 1, 1]) + array
        x[0] = 99
        assert waiting.to_python() == [1, 2, 3]


@both_modes
def test_a_result_has_memory_of_its_own(mode):
    x = make(np.arange(3), mode)
    with in_mode(mode):
        one, two = x + 0, x + 0
        one[0] = 99
        assert two.to_python() == [0, 1, 2]
        assert x.to_python() == [0, 1, 2]


@both_modes
def test_an_empty_selection_writes_nothing(mode):
    x = make(np.arange(3), mode)
    with in_mode(mode):
        x[3:] = 7
        x[[]] = 7
        x[np.zeros(3, bool)] = 7
        x[1:1] = np.zeros((0,))
    assert x.to_python() == [0, 1, 2]


@both_modes
def test_leading_axes_of_extent_1_are_dropped_from_a_written_value(mode):
    x = make(np.zeros(3), mode)
    with in_mode(mode):
        x[...] = make(np.array([[[1.0, 2.0, 3.0]]]), mode)
    assert x.to_python() == [1.0, 2.0, 3.0]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_mix_of_writes_and_waiting_work_is_numpys(data):
    array = numbers(data.draw(shapes))
    assume(array.size)
    x = onebuf.asarray(array.copy())
    waiting = []
    with onebuf.config(eager_numel=data.draw(st.sampled_from([0, 4096]))):
        for step in range(data.draw(st.integers(1, 6))):
            key = data.draw(basic_keys(array.shape) | picking_keys(array.shape))
            if data.draw(st.booleans()):
                waiting.append((x[key] + step, np.asarray(array[key]) + step))
            else:
                x[key] = x[key] * 2 + step
                array[key] = array[key] * 2 + step
        for got, wanted in waiting:
            assert_same(got, wanted)
    assert x.to_python() == array.tolist()
