"""Leaving: to Python's values, text, copies, pickles, and other libraries' views of the memory."""

from __future__ import annotations

import copy
import ctypes
import gc
import pickle

import numpy as np
import pytest
from buffer.cases import MODES, assert_same, cases, in_mode, lazily, make, values
from hypothesis import given, settings
from hypothesis import strategies as st

import onebuf
from onebuf import Buffer, Window, dtypes
from onebuf.errors import CopyError, LayoutError

both_modes = pytest.mark.parametrize("mode", MODES)
every_dtype = pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
protocols = pytest.mark.parametrize("protocol", [2, 3, 4, 5])


# Python's values


@both_modes
@settings(max_examples=80, deadline=None)
@given(case=cases(dtypes.STANDARD))
def test_to_python_is_numpys_tolist(mode, case):
    got, wanted = case.buffer(mode).to_python(), case.array().tolist()
    np.testing.assert_array_equal(np.array(got), np.array(wanted))
    assert type(got) is type(wanted)


@every_dtype
def test_elements_come_out_as_pythons_own_numbers(dtype):
    python = {"b": bool, "i": int, "u": int, "f": float, "c": complex}[dtypes.kind(dtype)]
    x = Buffer([1, 0], dtype=dtype)
    assert [type(one) for one in x.to_python()] == [python, python]
    assert type(x[0].item()) is python


@both_modes
@pytest.mark.parametrize("shape", [(), (1,), (1, 1, 1)])
def test_one_element_of_any_shape_is_a_number(mode, shape):
    x = make(np.full(shape, 3), mode)
    assert (x.item(), int(x), float(x), complex(x), bool(x)) == (3, 3, 3.0, 3 + 0j, True)


@both_modes
def test_a_whole_number_is_an_index(mode):
    x = make(np.array(2), mode)
    assert "abc"[x] == "c"
    assert list(range(5))[:x] == [0, 1]


@both_modes
def test_bool_is_the_truth_of_the_element(mode):
    assert [bool(x) for x in make(np.array([0.0, -0.0, np.nan, 2.0]), mode)] == [
        *(False, False, True, True)
    ]


@both_modes
def test_iteration_gives_views_along_the_first_axis(mode):
    x = make(np.arange(6).reshape(2, 3), mode)
    rows = list(x)
    assert [row.to_python() for row in rows] == [[0, 1, 2], [3, 4, 5]]
    assert all(row.base is x for row in rows)
    assert len(x) == 2
    assert 4 in x[1]
    assert 7 not in x[1]


def test_iteration_computes_pending_elements_once():
    with lazily():
        x = Buffer([1.0, 2.0, 3.0]) + 1
        with onebuf.counters() as counted:
            assert [float(one) for one in x] == [2.0, 3.0, 4.0]
    assert counted.kernels == 1


def test_a_buffer_has_no_hash_because_equality_is_by_element():
    with pytest.raises(TypeError, match="unhashable"):
        hash(Buffer([1]))


# Text


@pytest.mark.parametrize(
    "make_one, text",
    [
        (lambda: Buffer([1, 2]), "Buffer([1, 2], shape=(2,), dtype=int32, device=CPU)"),
        (lambda: Buffer(2.5), "Buffer(2.5, shape=(), dtype=float32, device=CPU)"),
        (lambda: Buffer.zeros((0, 3)), "Buffer([], shape=(0, 3), dtype=float32, device=CPU)"),
        (
            lambda: Buffer([[1.0], [2.0]]),
            "Buffer([[1.],\n        [2.]], shape=(2, 1), dtype=float32, device=CPU)",
        ),
    ],
)
def test_repr_shows_values_and_facts(make_one, text):
    assert repr(make_one()) == text


def test_repr_of_pending_work_names_it_and_does_not_do_it():
    with lazily():
        x = Buffer([1.0, 2.0]) * 3
        with onebuf.counters() as counted:
            text = repr(x)
    assert text == "Buffer(<lazy multiply>, shape=(2,), dtype=float32, device=CPU)"
    assert counted.kernels == 0


@both_modes
@settings(max_examples=40, deadline=None)
@given(case=cases(dtypes.ALL))
def test_str_is_numpys(mode, case):
    assert str(case.buffer(mode)) == str(case.array())


def test_str_of_pending_work_does_it():
    with lazily():
        assert str(Buffer([1, 2]) * 3) == "[3 6]"


def test_repr_of_many_elements_is_short():
    assert len(repr(Buffer(np.zeros(100_000)))) < 300


# Copies


COPIES = {"copy": lambda x: x.copy(), "copy.copy": copy.copy, "deepcopy": copy.deepcopy}


@both_modes
@pytest.mark.parametrize("name", COPIES)
def test_a_copy_shares_nothing(mode, name):
    x = make(np.arange(6).reshape(2, 3), mode)
    with in_mode(mode):
        y = COPIES[name](x.T)
        y[0, 0] = 99
        assert x.to_python() == [[0, 1, 2], [3, 4, 5]]
        x[1, 1] = 77
        assert y.to_python() == [[99, 3], [1, 4], [2, 5]]
    assert (y.is_view, y.is_contiguous()) == (False, True)


def test_deepcopy_of_a_structure_keeps_one_buffer_one():
    x = Buffer([1.0])
    one, two = copy.deepcopy([x, x])
    assert one is two


# Pickles


@protocols
@both_modes
@settings(max_examples=25, deadline=None)
@given(case=cases(dtypes.ALL))
def test_a_pickle_brings_back_dtype_layout_and_elements(protocol, mode, case):
    x = case.buffer(mode)
    back = pickle.loads(pickle.dumps(x, protocol))
    assert_same(back, case.array())
    if x.numel:
        assert (back.stride, back.offset) == (x.stride, x.offset)


@protocols
def test_views_of_one_base_stay_views_of_one_base(protocol):
    x = Buffer([[1.0, 2.0], [3.0, 4.0]])
    whole, turned, row = pickle.loads(pickle.dumps([x, x.T, x[1]], protocol))
    whole[1, 0] = 9.0
    assert turned.to_python() == [[1.0, 9.0], [2.0, 4.0]]
    assert row.to_python() == [9.0, 4.0]
    assert np.shares_memory(np.asarray(whole), np.asarray(row))


@protocols
def test_what_comes_out_of_a_pickle_can_be_written(protocol):
    back = pickle.loads(pickle.dumps(Buffer([1.0, 2.0]), protocol))
    back[0] = 5.0
    back += 1
    assert back.to_python() == [6.0, 3.0]


@protocols
def test_a_pickle_has_no_part_in_the_original(protocol):
    x = Buffer([1.0, 2.0])
    back = pickle.loads(pickle.dumps(x, protocol))
    back[0] = 5.0
    assert x.to_python() == [1.0, 2.0]


def test_a_pickle_out_of_band_copies_no_element():
    x = Buffer(np.zeros(10_000))
    bands: list[pickle.PickleBuffer] = []
    stream = pickle.dumps([x, x[5:]], 5, buffer_callback=bands.append)
    assert len(stream) < 1000
    assert [band.raw().nbytes for band in bands] == [80_000]
    one, two = pickle.loads(stream, buffers=bands)
    x[5] = 7.0
    assert (one[5].item(), two[0].item()) == (7.0, 7.0)


def test_a_pickle_out_of_band_through_bytes_is_read_only():
    bands: list[pickle.PickleBuffer] = []
    stream = pickle.dumps(Buffer([1.0, 2.0]), 5, buffer_callback=bands.append)
    back = pickle.loads(stream, buffers=[bytes(band.raw()) for band in bands])
    assert back.to_python() == [1.0, 2.0]
    back = pickle.loads(stream, buffers=[bytearray(band.raw()) for band in bands])
    back[0] = 3.0
    assert back.to_python() == [3.0, 2.0]


@protocols
def test_read_only_memory_stays_read_only_in_a_pickle(protocol):
    back = pickle.loads(pickle.dumps(Buffer(b"ab"), protocol))
    assert back.to_python() == [97, 98]
    with pytest.raises(ValueError):
        back[0] = 1


def test_a_pickle_of_pending_work_has_its_result():
    with lazily():
        stream = pickle.dumps(Buffer([1.0, 2.0]) + 1)
    assert pickle.loads(stream).to_python() == [2.0, 3.0]


def test_a_pickle_of_a_small_view_restores_on_a_memory_that_holds_it():
    x = Buffer(np.arange(10.0))[8:]
    assert pickle.loads(pickle.dumps(x)).to_python() == [8.0, 9.0]


# NumPy


@both_modes
@settings(max_examples=60, deadline=None)
@given(case=cases(dtypes.ALL))
def test_asarray_is_the_same_elements_in_the_same_layout(mode, case):
    x, wanted = case.buffer(mode), case.array()
    array = np.asarray(x)
    assert (array.dtype, array.shape) == (wanted.dtype, wanted.shape)
    assert_same(Buffer(array), wanted)
    if array.size:
        for extent, step, got in zip(x.shape, x.stride, array.strides, strict=True):
            assert extent == 1 or got == step * x.itemsize


@both_modes
@every_dtype
def test_asarray_shares_and_array_copies(mode, dtype):
    x = make(np.zeros(2, dtype), mode)
    shared, copied = np.asarray(x), np.array(x)
    shared[0] = 1
    x[1] = 1
    assert x.astype("bool").to_python() == [True, True]
    assert shared.astype(bool).tolist() == [True, True]
    assert copied.astype(bool).tolist() == [False, False]


def test_asarray_with_copy_false_raises_where_a_copy_is_needed():
    with pytest.raises(CopyError, match=r"float32.*float64"):
        Buffer([1.0]).__array__("float64", copy=False)


def test_asarray_of_an_expanded_view_cannot_be_written():
    array = np.asarray(Buffer([[1.0, 2.0]]).expand(3, 2))
    assert not array.flags.writeable
    assert array.strides == (0, 4)


def test_asarray_of_read_only_memory_cannot_be_written():
    assert not np.asarray(Buffer(b"ab")).flags.writeable


def test_the_memory_of_an_array_outlives_the_buffer():
    array = np.asarray(Buffer(np.arange(1000.0), copy=True))
    gc.collect()
    others = [Buffer.full((1000,), -1.0, "float64").realize() for _ in range(10)]
    np.testing.assert_array_equal(array, np.arange(1000.0))
    assert not any(np.shares_memory(array, np.asarray(other)) for other in others)


class Foreign:
    """What knows the array interface and nothing else."""

    def __init__(self, interface):
        self.__array_interface__ = interface


@both_modes
@pytest.mark.parametrize(
    "view", [lambda x: x, lambda x: x.T, lambda x: x[::-1, 1:], lambda x: x[1], lambda x: x[:0]]
)
def test_the_array_interface_pins_the_memory_by_itself(mode, view):
    x = view(make(np.arange(6.0).reshape(2, 3), mode).copy())
    wanted = values(x)
    interface = x.__array_interface__
    del x
    gc.collect()
    scribble = [Buffer.full((2, 3), -1.0, "float64").realize() for _ in range(20)]
    array = np.asarray(Foreign(interface))
    del interface
    gc.collect()
    scribble += [Buffer.full((2, 3), -2.0, "float64").realize() for _ in range(20)]
    np.testing.assert_array_equal(array, wanted)


def test_the_array_interface_tells_the_address():
    x = onebuf.arange(6.0).reshape(2, 3)[1:]
    address, is_read_only = x.__array_interface__["data"]
    assert address == np.asarray(x).ctypes.data
    assert not is_read_only
    with pytest.raises(BufferError, match="window"):
        x.free()
    memory = (ctypes.c_double * 3).from_address(address)
    x.resize(100)
    scribble = [onebuf.full((6,), -1.0) for _ in range(20)]
    assert list(memory) == [3, 4, 5]
    del scribble


@every_dtype
def test_the_array_interface_names_the_dtype_or_does_not_exist(dtype):
    x = Buffer([1, 0], dtype=dtype)
    if hasattr(x, "__array_interface__"):
        assert np.dtype(x.__array_interface__["typestr"]) == dtype


@both_modes
def test_ufuncs_give_buffers(mode):
    x = make(np.array([1.0, 4.0]), mode)
    with in_mode(mode):
        for result in (np.sqrt(x), np.add(x, x), np.add(1.0, x), np.multiply(x, np.ones(2))):
            assert isinstance(result, Buffer)
        assert np.sqrt(x).to_python() == [1.0, 2.0]
        assert np.add(x, [1, 2]).to_python() == [2.0, 6.0]


@both_modes
def test_a_ufunc_writes_to_a_buffer_given_as_out(mode):
    x, out = make(np.array([1.0, 4.0]), mode), make(np.zeros(2), mode)
    view = out[1:]
    with in_mode(mode):
        assert np.sqrt(x, out=out) is out
    assert view.to_python() == [2.0]


def test_a_ufunc_writes_to_an_array_given_as_out():
    out = np.zeros(2)
    assert np.sqrt(Buffer([1.0, 4.0]), out=out) is out
    assert out.tolist() == [1.0, 2.0]


def test_a_ufunc_with_where_leaves_the_rest_of_out():
    out = Buffer([7.0, 7.0])
    np.sqrt(Buffer([1.0, 4.0]), out=out, where=Buffer([False, True]))
    assert out.to_python() == [7.0, 2.0]


def test_a_ufunc_with_two_results_gives_two_buffers():
    mantissa, exponent = np.frexp(Buffer([1.0, 8.0]))
    assert (mantissa.to_python(), exponent.to_python()) == ([0.5, 0.5], [1, 4])


def test_a_ufuncs_methods_take_buffers():
    assert np.add.reduce(Buffer([1.0, 2.0, 4.0])).item() == 7.0
    assert np.add.accumulate(Buffer([1.0, 2.0, 4.0])).to_python() == [1.0, 3.0, 7.0]
    assert np.multiply.outer(Buffer([1.0, 2.0]), [3.0]).to_python() == [[3.0], [6.0]]


@pytest.mark.parametrize("function", [np.sum, np.mean, np.max, np.min, np.prod, np.std, np.all])
def test_numpys_reductions_take_buffers(function):
    assert float(function(Buffer([1.0, 2.0]))) == pytest.approx(float(function([1.0, 2.0])))


# Memory


@every_dtype
def test_data_is_the_flat_storage_typed(dtype):
    x = Buffer([[1, 0], [0, 1]], dtype=dtype)
    data = x.T.data
    assert isinstance(data, memoryview | Window)
    assert (len(data), data.itemsize, data.nbytes) == (4, dtype.itemsize, 4 * dtype.itemsize)
    assert [bool(one) for one in data.tolist()] == [True, False, False, True]
    data[1] = 1
    assert bool(x[0, 1].item())


def test_a_memoryview_of_a_buffer_shares_its_memory():
    x = Buffer([[1, 2], [3, 4]])
    view = memoryview(x.T)
    assert (view.shape, view.strides, view.format) == ((2, 2), (4, 8), "i")
    x[0, 1] = 9
    assert view.tolist() == [[1, 3], [9, 4]]


def test_int64_memory_is_the_documents():
    data = onebuf.asarray([1, 2, 3, 4]).data
    assert (data.nbytes, data.itemsize, len(data)) == (32, 8, 4)
    assert list(data.cast("B")[:8]) == [1, 0, 0, 0, 0, 0, 0, 0]
    assert data.cast("B").cast(data.format).tolist() == [1, 2, 3, 4]


@both_modes
def test_a_window_has_the_shape_and_shares_the_memory(mode):
    x = make(np.arange(6).reshape(2, 3), mode)
    window = x.T.window()
    assert (window.shape, window.tolist()) == ((3, 2), [[0, 3], [1, 4], [2, 5]])
    x[0, 0] = 9
    assert window[0, 0] == 9


# The same bytes as another dtype


@both_modes
@pytest.mark.parametrize(
    "start, dtype",
    [
        ("float32", "uint32"),
        ("float32", "uint8"),
        ("uint8", "float32"),
        ("int64", "complex64"),
        ("uint16", "bfloat16"),
        ("uint8", "float8_e5m2"),
        ("float64", "float64"),
    ],
)
def test_view_reads_the_same_bytes(mode, start, dtype):
    array = np.arange(8, dtype=start).reshape(2, 4)
    x = make(array, mode)
    seen = x.view(dtype)
    assert seen.base is x
    assert values(seen).tobytes() == array.tobytes()
    assert seen.shape == array.view(dtypes.as_dtype(dtype)).shape


@both_modes
def test_a_write_through_another_dtype_is_seen(mode):
    x = make(np.array([1.0, 2.0], np.float32), mode)
    x.view("uint32")[0] = 0x40400000
    assert x.to_python() == [3.0, 2.0]


def test_work_that_waits_never_sees_a_write_through_another_dtype():
    x = Buffer([1.0, 2.0])
    with lazily():
        bits = x.view("uint32")
        waiting = x * 2
        bits[...] = 0
        assert waiting.to_python() == [2.0, 4.0]


def test_a_view_of_another_dtype_has_strides_in_its_own_elements():
    x = Buffer(np.zeros((4, 6), np.float32))[1:, :4].view("float64")
    assert (x.shape, x.stride, x.offset) == ((3, 2), (3, 1), 3)


def test_view_refuses_bytes_that_do_not_fit():
    with pytest.raises(LayoutError, match=r"\(3,\).*int32.*int64.*contiguous"):
        Buffer([1, 2, 3]).view("int64")
    with pytest.raises(LayoutError):
        Buffer([[1, 2], [3, 4]]).T.view("uint8")


@settings(max_examples=60, deadline=None)
@given(case=cases([dtypes.float32, dtypes.int16, dtypes.uint8]), data=st.data())
def test_view_of_any_layout_is_numpys(case, data):
    dtype = data.draw(st.sampled_from(["uint8", "int16", "float32", "int64"]))
    try:
        wanted = case.array().view(dtype)
    except ValueError:
        with pytest.raises(LayoutError):
            case.buffer().view(dtype)
        return
    x = case.buffer()
    if (x.offset * x.itemsize) % wanted.itemsize and wanted.size:
        with pytest.raises(LayoutError, match="multiple"):
            x.view(dtype)
        return
    assert values(x.view(dtype)).tobytes() == wanted.tobytes()


def test_a_window_made_read_only_comes_back_read_only():
    x = Buffer([1.0, 2.0, 3.0])
    window = np.asarray(x)
    window.flags.writeable = False
    back = onebuf.asarray(window)
    for view in (back, back.flip(), back[1:], back.reshape(3, 1)):
        with pytest.raises(ValueError, match="read only"):
            view[0] = 9
    with lazily():
        waiting = back + 1
    x[0] = 7
    assert waiting.to_python() == [2.0, 3.0, 4.0]
    assert back.to_python() == [7.0, 2.0, 3.0]


def test_what_numpy_returns_in_a_named_tuple_stays_one():
    found = np.linalg.eigh(Buffer([[2.0, 0.0], [0.0, 3.0]]))
    assert found._fields == ("eigenvalues", "eigenvectors")
    assert isinstance(found.eigenvalues, Buffer)


def test_numpys_functions_keep_an_array_given_as_out():
    out = np.zeros(2)
    assert np.sum(Buffer([[1.0, 2.0], [3.0, 4.0]]), axis=0, out=out) is out
    assert out.tolist() == [4.0, 6.0]
