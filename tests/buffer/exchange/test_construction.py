"""Making buffers: from lists, from foreign memory, from nothing."""

from __future__ import annotations

import array
import gc
import weakref

import numpy as np
import pytest
from buffer.cases import MODES, assert_same, in_mode, lazily, make
from hypothesis import given, settings
from hypothesis import strategies as st

import onebuf
from onebuf import Buffer, dtypes
from onebuf.errors import CopyError

both_modes = pytest.mark.parametrize("mode", MODES)
every_dtype = pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
NARROW = {"int64": "int32", "float64": "float32", "complex128": "complex64"}

numbers = st.integers(-1000, 1000) | st.floats(-100, 100, width=16) | st.booleans()


@settings(max_examples=100, deadline=None)
@given(
    shape=st.lists(st.integers(0, 3), max_size=3).map(tuple),
    kind=st.sampled_from(["int64", "float64", "bool", "complex128"]),
)
def test_nested_lists_become_numpys_array_in_narrow_types(shape, kind):
    nested = np.random.default_rng(0).integers(-9, 9, shape).astype(kind).tolist()
    oracle = np.array(nested)
    assert_same(Buffer(nested), oracle.astype(NARROW.get(oracle.dtype.name, oracle.dtype)))
    assert_same(onebuf.asarray(nested), oracle)


@given(st.lists(numbers, min_size=1, max_size=5))
def test_mixed_numbers_take_the_widest_kind(data):
    oracle = np.array(data)
    assert_same(Buffer(data), oracle.astype(NARROW.get(oracle.dtype.name, oracle.dtype)))


@pytest.mark.parametrize("data", [range(4), (1, 2), [(1,), (2,)], [np.int64(1), 2]])
def test_other_sequences_are_as_good_as_lists(data):
    assert_same(Buffer(data), np.array(data, np.int32))


def test_a_list_of_buffers_becomes_one_buffer():
    assert Buffer([Buffer([1, 2]), Buffer([3, 4])]).to_python() == [[1, 2], [3, 4]]


@every_dtype
def test_dtype_is_kept_and_named_in_any_way(dtype):
    for spelling in (dtype, dtype.name, dtype.type):
        assert Buffer([1, 0], dtype=spelling).dtype == dtype


@pytest.mark.parametrize("python, dtype", [(int, "int64"), (float, "float64"), (bool, "bool")])
def test_pythons_types_name_dtypes(python, dtype):
    assert Buffer([1, 0], dtype=python).dtype == dtype


def test_a_list_that_does_not_fit_the_dtype_warns_of_nothing():
    assert Buffer([1e40]).to_python() == [np.inf]
    assert Buffer([1e300], dtype="float16").to_python() == [np.inf]
    assert Buffer([300.7], dtype="int32").to_python() == [300]


@pytest.mark.parametrize(
    "number, kind", [("nan", ValueError), ("inf", OverflowError), ("-inf", OverflowError)]
)
@pytest.mark.parametrize("make", [Buffer, onebuf.asarray, onebuf.array, np.array])
def test_integers_have_no_infinities_and_no_nan(make, number, kind):
    with pytest.raises(kind, match=r"cannot convert float (NaN|infinity) to integer"):
        make([1.0, float(number)], dtype="int32")


def test_the_namespaces_default_float_follows_the_option():
    with onebuf.config(default_float="float32"):
        assert onebuf.asarray([1.5]).dtype == "float32"
        assert onebuf.zeros(2).dtype == "float32"
        assert onebuf.full(2, 1.5).dtype == "float32"
        assert onebuf.arange(0.0, 1.0, 0.5).dtype == "float32"
        assert onebuf.asarray([1j]).dtype == "complex64"
        assert onebuf.asarray([1]).dtype == "int64"
        assert onebuf.asarray(np.zeros(2)).dtype == "float64"
    assert onebuf.asarray([1.5]).dtype == "float64"


# Foreign memory


@every_dtype
def test_an_array_is_shared_both_ways(dtype):
    a = np.zeros(3, dtype)
    x = Buffer(a)
    a[0] = 1
    x[1] = 1
    assert x.dtype == dtype
    assert x.astype("bool").to_python() == [True, True, False]
    assert a.astype(bool).tolist() == [True, True, False]


@pytest.mark.parametrize(
    "source",
    [
        array.array("i", [1, 2, 3]),
        bytearray(b"\x01\x02\x03"),
        memoryview(bytearray(b"\x01\x02\x03")),
        np.array([1, 2, 3]),
    ],
    ids=lambda source: type(source).__name__,
)
def test_memory_that_is_exported_is_shared(source):
    x = Buffer(source)
    assert x.to_python() == [1, 2, 3]
    x[0] = 9
    assert source[0] == 9


def test_bytes_are_read_only_elements():
    x = Buffer(b"ab")
    assert (x.dtype, x.to_python()) == ("uint8", [97, 98])
    with pytest.raises(ValueError):
        x[0] = 1


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::-1],
        lambda a: a.T,
        lambda a: a[::2, 1:],
        lambda a: np.broadcast_to(a[0], (4, 6)),
        lambda a: a[:0],
        lambda a: a[1, 2],
        lambda a: a[-1:, ::-2].T,
    ],
)
def test_strides_of_an_array_are_kept(view):
    a = np.arange(24.0).reshape(4, 6)
    seen = view(a)
    x = Buffer(seen)
    assert_same(x, seen)
    if seen.size > 1:
        assert x.stride == tuple(step // 8 for step in seen.strides)
        assert np.shares_memory(np.asarray(x), a)


def test_an_array_of_the_other_byte_order_is_converted():
    assert Buffer(np.array([1, 2], ">i4")).to_python() == [1, 2]
    with pytest.raises(ValueError):
        Buffer(np.array([1, 2], ">i4"), copy=False)


def test_copy_true_shares_nothing():
    a = np.zeros(3)
    x = Buffer(a, copy=True)
    a[0] = 1
    assert x.to_python() == [0.0, 0.0, 0.0]


def test_copy_false_shares_or_raises():
    a = np.zeros(3)
    x = Buffer(a, copy=False)
    a[0] = 1
    assert x[0].item() == 1
    with pytest.raises(CopyError):
        Buffer(a, dtype="float32", copy=False)


def test_wrap_shares_or_raises():
    a = np.zeros(3)
    Buffer.wrap(a)[0] = 5
    assert a[0] == 5
    with pytest.raises(CopyError):
        Buffer.wrap([1, 2])


def test_the_owner_lives_as_long_as_a_view_of_its_memory():
    class Owner(array.array):
        pass

    owner = Owner("d", [0.0] * 1000)
    alive = weakref.ref(owner)
    view = Buffer(owner)[10:20]
    del owner
    gc.collect()
    assert alive() is not None
    assert view.to_python() == [0.0] * 10
    del view
    gc.collect()
    assert alive() is None


def test_a_buffer_of_a_buffer_is_a_view_of_it():
    x = Buffer([1.0, 2.0])
    y = Buffer(x)
    assert y.base is x
    y[0] = 9.0
    assert x[0].item() == 9.0


def test_asarray_of_a_buffer_is_the_buffer():
    x = Buffer([1.0, 2.0])
    assert onebuf.asarray(x) is x
    assert onebuf.asarray(x, copy=True) is not x
    assert onebuf.asarray(x, dtype="int32").dtype == "int32"


# From nothing


@both_modes
@every_dtype
@pytest.mark.parametrize("shape", [(), (0,), (2, 3), 4, [2, 1]])
def test_zeros_ones_full_and_empty_have_shape_and_dtype(mode, dtype, shape):
    extents = (shape,) if isinstance(shape, int) else tuple(shape)
    with in_mode(mode):
        assert_same(Buffer.zeros(shape, dtype), np.zeros(extents, dtype))
        assert_same(Buffer.ones(shape, dtype), np.ones(extents, dtype))
        assert_same(Buffer.full(shape, 1, dtype), np.ones(extents, dtype))
        made = Buffer.empty(shape, dtype)
        assert (made.shape, made.dtype, made.realize().is_realized) == (extents, dtype, True)


@both_modes
@pytest.mark.parametrize("value", [True, 7, -0.0, 2.5, 1j, np.inf])
def test_full_of_the_namespace_takes_numpys_type(mode, value):
    with in_mode(mode):
        assert_same(onebuf.full((2,), value), np.full((2,), value))


@pytest.mark.parametrize("value", [np.float32(2.5), np.int8(3), np.bool_(True)])
def test_full_takes_a_numpy_scalar_with_its_type(value):
    assert_same(onebuf.full((2,), value), np.full((2,), value))


@both_modes
def test_full_keeps_the_sign_of_zero_and_nan(mode):
    with in_mode(mode):
        parts = [Buffer.full((2,), value) for value in (0.0, -0.0, float("nan"))]
        assert [np.signbit(np.asarray(part))[0] for part in parts[:2]] == [False, True]
        assert np.isnan(np.asarray(parts[2])).all()


def test_like_functions_take_shape_and_dtype():
    x = Buffer([[1, 2]], dtype="uint8")
    assert_same(onebuf.zeros_like(x), np.zeros((1, 2), "uint8"))
    assert_same(onebuf.ones_like(x, dtype="float32"), np.ones((1, 2), "float32"))


@both_modes
@settings(max_examples=80, deadline=None)
@given(
    start=st.integers(-50, 50),
    stop=st.integers(-50, 50),
    step=st.integers(-7, 7).filter(bool),
    dtype=st.sampled_from([None, "int32", "float32", "float64", "int16"]),
)
def test_arange_of_whole_numbers_is_numpys(mode, start, stop, step, dtype):
    with in_mode(mode):
        assert_same(
            onebuf.arange(start, stop, step, dtype=dtype), np.arange(start, stop, step, dtype)
        )


@both_modes
@settings(max_examples=60, deadline=None)
@given(
    start=st.integers(-20, 20), stop=st.integers(-20, 20), step=st.sampled_from([0.5, -0.25, 1.5])
)
def test_arange_of_floats_is_numpys(mode, start, stop, step):
    with in_mode(mode):
        assert_same(onebuf.arange(float(start), stop, step), np.arange(float(start), stop, step))


@both_modes
def test_arange_counts_down_in_unsigned_numbers(mode):
    with in_mode(mode):
        assert_same(onebuf.arange(5, 0, -1, dtype="uint8"), np.arange(5, 0, -1, dtype="uint8"))


def test_arange_with_one_number_counts_from_zero():
    assert onebuf.arange(3).to_python() == [0, 1, 2]


def test_empty_takes_no_memory_before_it_is_used():
    before = onebuf.memory_stats()["CPU"].in_use
    x = Buffer.empty((1_000_000,))
    assert onebuf.memory_stats()["CPU"].in_use == before
    x[...] = 1.0
    assert x.sum().item() == 1_000_000


def test_two_empties_are_two_buffers():
    x, y = Buffer.empty((3,)), Buffer.empty((3,))
    x[...] = 1.0
    y[...] = 2.0
    assert x.to_python() == [1.0, 1.0, 1.0]


@both_modes
def test_two_constants_are_two_buffers(mode):
    with in_mode(mode):
        x, y = Buffer.zeros((3,)), Buffer.zeros((3,))
        x[0] = 1.0
        assert y.to_python() == [0.0, 0.0, 0.0]


def test_two_large_constants_are_two_buffers():
    x, y = Buffer.zeros((5000,)), Buffer.zeros((5000,))
    x[0] = 1.0
    assert y[0].item() == 0.0


@both_modes
def test_work_on_a_constant_never_sees_a_later_write_to_it(mode):
    with in_mode(mode):
        x = Buffer.zeros((3,))
        waiting, copied, view = x + 1, x.copy(), x[1:] + 1
        x[...] = 5.0
        assert waiting.to_python() == [1.0, 1.0, 1.0]
        assert copied.to_python() == [0.0, 0.0, 0.0]
        assert view.to_python() == [1.0, 1.0]


def test_large_constants_take_no_memory_before_they_are_used():
    with lazily():
        before = onebuf.memory_stats()["CPU"].in_use
        x = Buffer.zeros((1000, 1000)) + 1
        assert onebuf.memory_stats()["CPU"].in_use == before
        assert x[0, 0].item() == 1.0


def test_device_is_the_host():
    x = Buffer([1], device="cpu")
    assert x.device == "CPU"
    assert x.to_device("cpu") is x


@both_modes
@every_dtype
def test_astype_is_numpys_for_small_numbers(mode, dtype):
    a = np.array([0, 1, 2, 3], np.int8)
    with in_mode(mode):
        assert_same(make(a, mode).astype(dtype), a.astype(dtype))


def test_astype_without_copy_is_the_buffer_where_nothing_changes():
    x = Buffer([1.0])
    assert x.astype("float32", copy=False) is x
    assert x.astype("float32") is not x
