"""Windows, with ``memoryview`` as the oracle where it can, and NumPy where it cannot."""

from __future__ import annotations

import gc
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onebuf import dtypes
from onebuf.errors import ArgumentTypeError, CopyError, DTypeError, OnebufError
from onebuf.interop.window import Window, memoryview_of
from onebuf.memory import POOL

NARROW = [dtypes.bfloat16, dtypes.float8_e4m3fn, dtypes.float8_e5m2]
PLAIN = [
    dtype
    for dtype in dtypes.STANDARD
    if dtypes.kind(dtype) != "c"  # what memoryview can index
]
ATTRIBUTES = (
    *("itemsize", "nbytes", "format", "ndim", "shape", "strides", "suboffsets", "readonly"),
    *("c_contiguous", "f_contiguous", "contiguous"),
)


def numbers(dtype: np.dtype[Any], *shape: int) -> np.ndarray[Any, Any]:
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def address(array: np.ndarray[Any, Any]) -> int:
    return int(array.__array_interface__["data"][0])


def steps(view: Any) -> list[int]:
    """The strides that lead somewhere."""
    if 0 in view.shape:
        return []
    return [step for length, step in zip(view.shape, view.strides, strict=True) if length > 1]


@st.composite
def arrays(draw: st.DrawFn, types: Any = dtypes.ALL) -> np.ndarray[Any, Any]:
    """Arrays of any layout that slicing and transposing can make."""
    shape = draw(st.lists(st.integers(0, 4), max_size=3))
    array = numbers(draw(st.sampled_from(types)), *shape)
    array = array.transpose(draw(st.permutations(range(array.ndim))))
    array = array[(..., *(draw(st.slices(n)) for n in array.shape))]
    if draw(st.booleans()):
        array = array.view()
        array.flags.writeable = False
    return array


# The document "Memoryview in tinygrad", line by line


@pytest.mark.parametrize("view", [memoryview, Window, lambda memory: memoryview_of(memory)])
def test_the_document_on_bytes(view: Any) -> None:
    a = view(np.frombuffer(b"abc", np.uint8))
    assert [a[0], a[1], a[2]] == [97, 98, 99]
    assert (len(a), a.itemsize, a.nbytes, a.format) == (3, 1, 3, "B")


@pytest.mark.parametrize("view", [memoryview, Window, lambda memory: memoryview_of(memory)])
def test_the_document_on_integers(view: Any) -> None:
    a = np.array([1, 2, 3, 4], "int64")
    ptr = view(a)
    assert (ptr.format, ptr.itemsize, ptr.nbytes) == (a.data.format, 8, 32)
    assert ptr[0] == 1
    casted_ptr = ptr.cast("B")
    assert (casted_ptr.itemsize, len(casted_ptr), casted_ptr.nbytes) == (1, 32, 32)
    assert [casted_ptr[n] for n in range(8)] == [1, 0, 0, 0, 0, 0, 0, 0]
    assert np.array(ptr).tolist() == [1, 2, 3, 4]
    assert address(np.array(ptr)) != address(a)
    assert np.asarray(ptr).tolist() == [1, 2, 3, 4]
    assert address(np.asarray(ptr)) == address(a)
    assert np.array(casted_ptr).tolist() == list(a.tobytes())
    assert np.array(casted_ptr).view(np.int64).tolist() == [1, 2, 3, 4]
    assert np.array(casted_ptr.cast("q")).tolist() == [1, 2, 3, 4]


def test_the_documents_long_is_as_wide_as_this_machines() -> None:
    assert Window(bytearray(16)).cast("l").itemsize == np.dtype("long").itemsize


def test_bytes_can_be_looked_at_directly() -> None:
    assert Window(b"abc").tolist() == [97, 98, 99]


# Against memoryview


@given(arrays(PLAIN))
def test_attributes_are_those_of_memoryview(array: np.ndarray[Any, Any]) -> None:
    window, view = Window(array), memoryview(array)
    for name in ATTRIBUTES:
        if name == "strides" or (not array.size and name.endswith("contiguous")):
            continue  # where they mean nothing, NumPy and memoryview differ in them
        assert getattr(window, name) == getattr(view, name), name
    assert steps(window) == steps(view)
    assert window.tolist() == view.tolist()
    assert window.tobytes() == view.tobytes()
    assert window.tobytes("F") == view.tobytes("F")
    assert window.hex("-") == view.hex("-")
    assert window.obj is array


@given(
    st.sampled_from(PLAIN),
    st.integers(0, 6),
    st.one_of(
        st.integers(-9, 9),
        st.booleans(),
        st.builds(slice, *[st.none() | st.integers(-9, 9)] * 2, st.none() | st.integers(-3, 3)),
        st.sampled_from([None, "a", 1.0, [0], (0, 0), (1,)]),
    ),
)
def test_an_index_gives_what_memoryview_gives(
    dtype: np.dtype[Any], length: int, index: Any
) -> None:
    array = numbers(dtype, length)
    window, view = Window(array), memoryview(array)
    try:
        expected = view[index]
    except (TypeError, IndexError, ValueError) as error:
        with pytest.raises((type(error), IndexError)):
            window[index]
        return
    found = window[index]
    if isinstance(expected, memoryview):
        assert isinstance(found, Window)
        assert found.tolist() == expected.tolist()
        assert steps(found) == steps(expected)
    else:
        assert found == expected
        assert type(found) is type(expected)


@given(
    st.sampled_from(PLAIN),
    st.integers(-6, 6),
    st.one_of(
        st.integers(-(2**70), 2**70),
        st.integers(-200, 300),
        st.floats(),
        st.booleans(),
        st.complex_numbers(),
        st.sampled_from(["1", b"1", None, []]),
    ),
)
def test_an_assignment_does_what_memoryview_does(
    dtype: np.dtype[Any], position: int, value: Any
) -> None:
    first, second = numbers(dtype, 4), numbers(dtype, 4)
    window, view = Window(first), memoryview(second)
    try:
        view[position] = value
    except (TypeError, IndexError, ValueError) as error:
        with pytest.raises(type(error)):
            window[position] = value
    except OverflowError:  # a whole number too large for a float
        with pytest.raises(ValueError):
            window[position] = value
    else:
        window[position] = value
    assert first.tobytes() == second.tobytes()


@given(st.sampled_from(PLAIN), st.slices(8), st.slices(8), st.sampled_from(PLAIN))
def test_assigning_a_slice_does_what_memoryview_does(
    dtype: np.dtype[Any], target: slice, source: slice, other: np.dtype[Any]
) -> None:
    first, second = numbers(dtype, 8), numbers(dtype, 8)
    window, view = Window(first), memoryview(second)
    values = numbers(other, 8)[source]
    try:
        view[target] = memoryview(values)
    except ValueError:
        with pytest.raises(ValueError):
            window[target] = memoryview(values)
    else:
        window[target] = memoryview(values)
    assert first.tolist() == second.tolist()


def test_a_slice_assigned_from_itself_is_read_before_it_is_written() -> None:
    window = Window(np.arange(6))
    window[1:] = window[:-1]
    assert window.tolist() == [0, 0, 1, 2, 3, 4]


@given(arrays(PLAIN), arrays(PLAIN))
def test_equality_is_that_of_memoryview(
    left: np.ndarray[Any, Any], right: np.ndarray[Any, Any]
) -> None:
    expected = memoryview(left) == memoryview(right)
    if not left.size and not right.size:  # memoryview stops comparing shapes at the first zero
        expected = left.shape == right.shape
    assert (Window(left) == Window(right)) is expected
    assert (Window(left) == memoryview(right)) is expected
    assert (Window(left) != right.data) is not expected


# Beyond memoryview, against NumPy


@given(arrays())
def test_every_dtype_and_layout_reads_as_numpy_does(array: np.ndarray[Any, Any]) -> None:
    window = Window(array)
    assert window.tolist() == array.tolist()
    assert window.tobytes() == array.tobytes()
    assert window.dtype is array.dtype
    assert window == array.copy()
    for index in np.ndindex(array.shape):
        assert window[index] == array[index].item()
        assert type(window[index]) in (bool, int, float, complex)
    if array.ndim:
        assert len(window) == len(array)
        assert [getattr(row, "tolist", lambda row=row: row)() for row in window] == array.tolist()


@given(arrays())
def test_np_asarray_shares_and_np_array_copies(array: np.ndarray[Any, Any]) -> None:
    window = Window(array)
    shared, copied = np.asarray(window), np.array(window)
    assert shared.dtype == copied.dtype == array.dtype
    assert shared.shape == copied.shape == array.shape
    assert shared.flags.writeable == array.flags.writeable
    assert not array.size or address(shared) == address(array)
    assert not array.size or not np.shares_memory(copied, array)


@given(arrays(), st.sampled_from(dtypes.ALL))
def test_a_cast_reads_the_same_bytes(array: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> None:
    try:
        expected = (array.reshape(-1) if array.flags.c_contiguous else array).view(dtype)
    except ValueError:
        with pytest.raises(DTypeError):
            Window(array).cast(dtype)
        return
    found = Window(array).cast(dtype)
    assert (found.shape, found.strides) == (expected.shape, expected.strides)
    assert found.tobytes() == expected.tobytes()
    assert found.readonly is not array.flags.writeable
    assert not array.size or address(np.asarray(found)) == address(expected)


@pytest.mark.parametrize("letter", ["b", "H", "i", "q", "Q", "?", "e", "f", "d", "Zf", "Zd", "@n"])
def test_a_cast_takes_letters(letter: str) -> None:
    found = Window(np.zeros(4, "int64")).cast(letter)
    assert found.nbytes == 32
    assert letter == "@n" or found.dtype == np.dtype({"Zf": "F", "Zd": "D"}.get(letter, letter))


@pytest.mark.parametrize("letter", ["c", "s", "2i", "<i", "x", "T{i}", "", "object"])
def test_a_cast_to_a_letter_without_numbers_is_refused(letter: str) -> None:
    if letter == "<i":
        assert Window(np.zeros(1, "int64")).cast(letter).dtype is dtypes.int32
        return
    with pytest.raises(DTypeError):
        Window(np.zeros(4, "int64")).cast(letter)


@pytest.mark.parametrize("dtype", NARROW, ids=str)
def test_narrow_floats_have_their_name_as_format(dtype: np.dtype[Any]) -> None:
    window = Window(np.zeros(3, dtype))
    assert window.format == dtype.name
    assert window.cast("B").cast(window.format).dtype is dtype


@pytest.mark.parametrize("dtype", [*NARROW, dtypes.float16, dtypes.complex64], ids=str)
def test_numbers_without_a_memoryview_can_be_written(dtype: np.dtype[Any]) -> None:
    array = np.zeros(4, dtype)
    window = Window(array)
    window[1] = 1.5
    window[2:] = np.array([2, 3], dtype)
    window[-1] = np.float32(0.5)
    assert array.tolist() == [0, 1.5, 2, 0.5]


def test_a_number_fills_a_slice() -> None:
    array = np.zeros((2, 3), "int16")
    Window(array)[:, 1] = 7
    Window(array)[0] = 1
    assert array.tolist() == [[1, 1, 1], [0, 7, 0]]


def test_windows_of_more_axes_are_indexed_by_tuples() -> None:
    array = np.arange(24).reshape(2, 3, 4)
    window = Window(array)
    assert window[1, 2, 3] == 23
    assert window[1, ::2].tolist() == array[1, ::2].tolist()
    assert window[..., 0].tolist() == array[..., 0].tolist()
    assert window[...] == array
    assert Window(np.array(5.0))[()] == 5.0


@pytest.mark.parametrize("index", [2, -3, (0, 3), (0, 0, 0)])
def test_an_index_out_of_range_is_an_index_error(index: Any) -> None:
    window = Window(np.zeros((2, 3)))
    with pytest.raises(IndexError, match="shape"):
        window[index]
    with pytest.raises(IndexError, match="shape"):
        window[index] = 0


def test_a_window_without_axes_has_no_length() -> None:
    with pytest.raises(TypeError, match="no length"):
        len(Window(np.array(1)))


def test_a_cast_takes_a_shape() -> None:
    window = Window(bytearray(range(24))).cast("int32", (2, 3))
    assert (window.shape, window.strides) == ((2, 3), (12, 4))
    assert Window(np.array([1.0])).cast("d", ())[()] == 1.0


@pytest.mark.parametrize("shape", [(5,), (2, 2), (-1,), (-2, -3)])
def test_a_cast_to_a_shape_of_another_size_is_refused(shape: Any) -> None:
    with pytest.raises(ValueError, match="6 elements"):
        Window(bytearray(24)).cast("i", shape)


def test_a_cast_of_rows_with_gaps_between_them_keeps_the_rows() -> None:
    array = np.arange(12, dtype="int32").reshape(3, 4)[:, :2]
    found = Window(array).cast("int16")
    assert (found.shape, found.strides) == ((3, 4), (16, 2))


def test_equality_does_not_round() -> None:
    assert Window(np.array([2**53 + 1])) != np.array([2.0**53])
    assert Window(np.array([1, 2])) == np.array([1.0, 2.0])
    assert Window(np.array([np.nan])) != np.array([np.nan])


@pytest.mark.parametrize("other", ["abc", 3, None, [97, 98, 99], np.array(["a"])])
def test_a_window_differs_from_what_is_not_memory(other: Any) -> None:
    assert Window(b"abc") != other


def test_a_window_equals_the_bytes_it_looks_at_and_hashes_like_them() -> None:
    assert Window(b"abc") == b"abc"
    text = b"abc"
    assert text == Window(text)
    assert hash(Window(b"abc")) == hash(b"abc")


@pytest.mark.parametrize("source", [bytearray(b"abc"), np.frombuffer(b"abcd", "i4")])
def test_what_can_change_or_is_no_bytes_has_no_hash(source: Any) -> None:
    with pytest.raises(ValueError, match="hash"):
        hash(Window(source))


def test_read_only_memory_is_not_written() -> None:
    array = np.zeros(3)
    window = Window(array).toreadonly()
    for index in (0, slice(None), ...):
        with pytest.raises(TypeError, match="read-only"):
            window[index] = 1
    assert window.readonly
    assert window[1:].readonly
    assert window.cast("B").readonly
    array[0] = 2
    assert window[0] == 2


def test_an_order_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="order"):
        Window(b"abc").tobytes("X")


def test_what_exports_no_memory_has_no_window() -> None:
    with pytest.raises(ArgumentTypeError, match="exports its memory"):
        Window([1, 2, 3])


def test_what_would_need_a_copy_has_no_window() -> None:
    with pytest.raises(CopyError, match="order"):
        Window(np.array([1], ">i4"))


def test_asarray_with_another_dtype_converts_unless_it_may_not_copy() -> None:
    window = Window(np.array([1, 2], ml_dtypes.bfloat16))
    assert np.asarray(window, "float32").tolist() == [1, 2]
    with pytest.raises(ValueError, match="copy=False"):
        window.__array__(np.dtype("float32"), copy=False)


# Lifetime


def test_a_released_window_refuses_everything() -> None:
    with Window(np.arange(3)) as window:
        part = window[1:]
    for use in (len, list, Window.tolist, Window.tobytes, Window.cast, hash, np.asarray):
        with pytest.raises(ValueError, match="released"):
            use(window, "B") if use is Window.cast else use(window)
    for name in (*ATTRIBUTES, "obj", "dtype"):
        with pytest.raises(ValueError, match="released"):
            getattr(window, name)
    with pytest.raises(ValueError, match="released"):
        window[0] = 1
    assert repr(window) == "<released Window>"
    assert window == window
    assert window != part
    window.release()
    assert part.tolist() == [1, 2]


def test_a_window_pins_its_block_until_released() -> None:
    block = POOL.allocate(64)
    window = Window(block.window((8,), dtypes.float64))
    part = window[2:4].cast("B")
    window.release()
    gc.collect()
    assert block.has_window
    part.release()
    gc.collect()
    assert not block.has_window


@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.bfloat16], ids=str)
def test_a_window_outlives_its_owner_and_reads_its_own_bytes(dtype: np.dtype[Any]) -> None:
    block = POOL.allocate(4096)
    array = block.window((512,), dtype)
    array[...] = 7
    view = memoryview_of(array)
    del block, array
    gc.collect()
    others = [POOL.allocate(4096) for _ in range(64)]
    for other in others:
        other.window((4096,), dtypes.uint8)[...] = 255
    assert view.tolist() == [7] * 512


# memoryview_of


@given(arrays())
def test_memoryview_of_is_pythons_own_where_that_can_index(array: np.ndarray[Any, Any]) -> None:
    view = memoryview_of(array)
    flat = array.flags.c_contiguous
    assert isinstance(view, memoryview) is (flat and array.dtype in PLAIN)
    assert view.shape == ((array.size,) if flat else array.shape)
    assert view.tobytes() == array.tobytes()
    assert view.readonly is not array.flags.writeable
    if view.ndim == 1 and array.size:
        assert view[0] == array.reshape(-1)[0].item()


# The C-level protocol


@given(arrays([dtype for dtype in dtypes.ALL if dtype not in NARROW]))
def test_memoryview_of_a_window_shares(array: np.ndarray[Any, Any]) -> None:
    view = memoryview(Window(array))
    assert (view.format, view.shape) == (array.data.format, array.shape)
    assert steps(view) == steps(array)
    assert view.readonly is not array.flags.writeable
    assert not array.size or address(np.asarray(view)) == address(array)


def test_bytes_of_a_narrow_float_can_be_written_to_a_file(tmp_path: Any) -> None:
    window = Window(np.ones(3, dtypes.bfloat16))
    with (tmp_path / "raw").open("wb") as file:
        file.write(window)
    assert (tmp_path / "raw").read_bytes() == window.tobytes()


def test_a_narrow_float_has_no_memoryview() -> None:
    with pytest.raises(BufferError, match="no letter"):
        memoryview(Window(np.ones(3, dtypes.bfloat16)))


def test_errors_are_ours() -> None:
    for index in ("a", 9):
        with pytest.raises(OnebufError):
            Window(b"abc")[index]
