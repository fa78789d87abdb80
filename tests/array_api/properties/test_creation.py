"""Creation functions: shapes, dtypes and values are NumPy's, and memory is shared only if asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from array_api.properties.arrays import (
    COMPLEX,
    EVERY,
    FLOATS,
    INTEGERS,
    NARROW,
    REAL,
    STANDARD,
    Operand,
    agree,
    assert_apart,
    assert_bits,
    assert_same,
    covers,
    each,
    examples,
    modes,
    operands,
    shapes,
)
from buffer.cases import in_mode
from hypothesis import given
from hypothesis import strategies as st

import onebuf as xp
from onebuf import Buffer, OnebufError, dtypes

some = examples(30)
types = st.none() | st.sampled_from(EVERY)
small = st.integers(-20, 20)
halves = small.map(lambda n: n / 4)


@each("zeros", "ones")
@some
@given(shape=shapes | st.integers(0, 4), dtype=types, mode=modes)
def test_constants_are_numpys(name: str, shape: Any, dtype: Any, mode: str) -> None:
    agree(
        mode,
        lambda: getattr(xp, name)(shape, dtype=dtype),
        lambda: getattr(np, name)(shape, dtype=dtype),
    )


@each("zeros_like", "ones_like")
@some
@given(x=operands(), dtype=types, mode=modes)
def test_constants_like_another_are_numpys(name: str, x: Operand, dtype: Any, mode: str) -> None:
    agree(
        mode,
        lambda: getattr(xp, name)(x.buffer, dtype=dtype),
        lambda: getattr(np, name)(x.array, dtype=dtype),
        x,
    )


@covers("empty", "empty_like")
@some
@given(x=operands(), dtype=types, mode=modes)
def test_empty_has_memory_of_its_own(x: Operand, dtype: Any, mode: str) -> None:
    with in_mode(mode):
        made = xp.empty(x.array.shape, dtype=dtype)
        alike = xp.empty_like(x.buffer, dtype=dtype)
    assert (made.shape, made.dtype) == (x.array.shape, dtype or xp.float64)
    assert (alike.shape, alike.dtype) == (x.array.shape, dtype or x.array.dtype)
    made[...] = 1
    alike[...] = 1
    assert_same(alike, np.ones_like(x.array, dtype=dtype))
    assert_apart(alike, x.buffer)
    assert_apart(made, alike)
    x.check()


NUMBERS = [True, False, 0, 1, 7, -1, 300, 2**40, 0.5, -0.0, np.inf, np.nan, 1j, 2.5 - 1j]


def filled(shape: Any, value: Any, dtype: Any) -> Any:
    """NumPy's full, less the conversions that the standard does not know and that lose a number."""
    kind = "c" if dtype is None else dtypes.kind(dtype)
    if isinstance(value, complex) and kind != "c":
        raise TypeError("complex numbers have no place in a real array")
    if kind in "iu" and not np.isfinite(value):
        raise ValueError("infinity and NaN are no whole numbers")
    return np.full(shape, value, dtype)


@covers("full", "full_like")
@some
@given(x=operands(), value=st.sampled_from(NUMBERS), dtype=types, mode=modes)
def test_full_is_numpys(x: Operand, value: Any, dtype: Any, mode: str) -> None:
    shape = x.array.shape
    agree(
        mode,
        lambda: xp.full(shape, value, dtype=dtype),
        lambda: filled(shape, value, dtype),
    )
    agree(
        mode,
        lambda: xp.full_like(x.buffer, value, dtype=dtype),
        lambda: filled(shape, value, dtype or x.array.dtype),
        x,
    )


@covers("arange")
@some
@given(
    bounds=st.tuples(small) | st.tuples(small, small) | st.tuples(small, small, small),
    dtype=st.none() | st.sampled_from(REAL + NARROW),
    mode=modes,
)
def test_arange_of_whole_numbers_is_numpys(bounds: Any, dtype: Any, mode: str) -> None:
    # All but the first two elements wrap around, which have to be held by the dtype.
    agree(mode, lambda: xp.arange(*bounds, dtype=dtype), lambda: np.arange(*bounds, dtype=dtype))


@covers("arange")
@some
@given(
    bounds=st.tuples(halves) | st.tuples(halves, halves) | st.tuples(halves, halves, halves),
    dtype=st.none() | st.sampled_from(FLOATS),
    mode=modes,
)
def test_arange_of_floats_is_numpys(bounds: Any, dtype: Any, mode: str) -> None:
    agree(mode, lambda: xp.arange(*bounds, dtype=dtype), lambda: np.arange(*bounds, dtype=dtype))


@covers("arange")
@some
@given(
    start=st.floats(-1e6, 1e6),
    count=st.integers(0, 30),
    step=st.floats(1e-3, 1e3) | st.floats(-1e3, -1e-3),
    mode=modes,
)
def test_arange_rounds_as_numpy_does(start: float, count: int, step: float, mode: str) -> None:
    stop = start + count * step
    agree(mode, lambda: xp.arange(start, stop, step), lambda: np.arange(start, stop, step))


@covers("linspace")
@some
@given(
    start=halves | small | st.sampled_from([2j, 1.5 - 3j]),
    stop=halves | small | st.sampled_from([1e6, -1j]),
    num=st.integers(-1, 9),
    endpoint=st.booleans(),
    dtype=st.none() | st.sampled_from(EVERY[1:]),
    mode=modes,
)
def test_linspace_is_numpys(
    start: Any, stop: Any, num: int, endpoint: bool, dtype: Any, mode: str
) -> None:
    drops = isinstance(start, complex) or isinstance(stop, complex)
    if drops and dtype is not None and dtypes.kind(dtype) != "c":
        dtype = None
    agree(
        mode,
        lambda: xp.linspace(start, stop, num, dtype=dtype, endpoint=endpoint),
        lambda: np.linspace(start, stop, num, dtype=dtype, endpoint=endpoint),
    )


@covers("eye")
@some
@given(
    rows=st.integers(0, 5),
    columns=st.none() | st.integers(0, 5),
    k=st.integers(-7, 7),
    dtype=types,
    mode=modes,
)
def test_eye_is_numpys(rows: int, columns: int | None, k: int, dtype: Any, mode: str) -> None:
    agree(
        mode,
        lambda: xp.eye(rows, columns, k=k, dtype=dtype),
        lambda: np.eye(rows, columns, k=k, dtype=dtype or float),
    )


@each("tril", "triu")
@some
@given(x=operands(), k=st.integers(-5, 5), mode=modes)
def test_triangles_are_numpys(name: str, x: Operand, k: int, mode: str) -> None:
    def theirs() -> Any:
        if x.array.ndim < 2:
            raise ValueError("NumPy makes a square of a row, the standard does not")
        return getattr(np, name)(x.array, k=k)

    agree(mode, lambda: getattr(xp, name)(x.buffer, k=k), theirs, x)


@covers("meshgrid")
@some
@given(
    xs=st.lists(operands(shape=st.lists(st.integers(0, 4), max_size=1).map(tuple)), max_size=3),
    indexing=st.sampled_from(["xy", "ij"]),
    mode=modes,
)
def test_meshgrid_is_numpys(xs: list[Operand], indexing: str, mode: str) -> None:
    got = agree(
        mode,
        lambda: xp.meshgrid(*[x.buffer for x in xs], indexing=indexing),
        lambda: np.meshgrid(*[x.array for x in xs], indexing=indexing),
        *xs,
    )
    assert type(got) is tuple


nested = st.recursive(
    st.booleans() | st.integers(-9, 9) | halves | st.sampled_from([1j, np.nan, -np.inf]),
    lambda inner: st.lists(inner, min_size=1, max_size=3),
    max_leaves=4,
)


@covers("asarray")
@some
@given(inner=nested, count=st.integers(0, 3), rows=st.booleans(), mode=modes)
def test_asarray_of_nested_numbers_is_numpys(inner: Any, count: int, rows: bool, mode: str) -> None:
    data = [inner] * count if rows else inner
    agree(mode, lambda: xp.asarray(data), lambda: np.asarray(data))


@covers("asarray")
@some
@given(x=operands(), dtype=types, copy=st.sampled_from([None, True, False]), mode=modes)
def test_asarray_of_a_buffer_copies_when_it_is_told_or_has_to(
    x: Operand, dtype: Any, copy: bool | None, mode: str
) -> None:
    same = dtype is None or dtype == x.array.dtype
    lossy = not same and x.array.dtype.kind == "c" and dtypes.kind(dtype) not in "bc"
    if lossy or (copy is False and not same):
        refusal = (TypeError, ValueError) if lossy else ValueError
        with pytest.raises(refusal) as caught, in_mode(mode):
            xp.asarray(x.buffer, dtype=dtype, copy=copy)
        assert isinstance(caught.value, OnebufError)
        return
    with in_mode(mode):
        got = xp.asarray(x.buffer, dtype=dtype, copy=copy)
    assert got.dtype == (dtype or x.array.dtype)
    if same:
        assert_bits(np.array(got.unwrap()), x.array)
    if same and not copy:
        assert got is x.buffer
    else:
        assert_apart(got, x.buffer)
    x.check()


@covers("asbuffer")
@some
@given(x=operands(), dtype=types, queues=st.integers(0, 2), mode=modes)
def test_asbuffer_is_asarray_on_every_queue_of_the_context(
    x: Operand, dtype: Any, queues: int, mode: str
) -> None:
    def made() -> list[Any]:
        if not queues:
            return [xp.asbuffer(x.buffer, dtype).unwrap()]
        with xp.context(["CPU"], queues=queues):
            return list(xp.asbuffer(x.buffer, dtype).read())

    with in_mode(mode):
        try:
            wanted = xp.asarray(x.buffer, dtype=dtype)
        except OnebufError as refusal:
            with pytest.raises(type(refusal)):
                made()
            return
        found = made()
    assert len(found) == (queues or 1)
    for one in found:
        assert (one.dtype, one.shape) == (wanted.dtype, wanted.shape)
        assert_bits(np.array(one), np.array(wanted.unwrap()))
    x.check()


@covers("asarray", "from_dlpack")
@each("asarray", "from_dlpack")
@some
@given(x=operands(STANDARD), copy=st.sampled_from([None, True, False]), mode=modes)
def test_foreign_memory_is_shared_unless_a_copy_is_asked_for(
    name: str, x: Operand, copy: bool | None, mode: str
) -> None:
    array = x.array
    if not array.flags.writeable:  # NumPy's broadcast views are read only, and stay so
        array = np.array(array)
    with in_mode(mode):
        got = getattr(xp, name)(array, copy=copy)
    assert_same(got, array)
    if array.size:
        assert np.shares_memory(got.unwrap(), array) is (copy is not True)


@covers("from_dlpack")
@some
@given(x=operands(STANDARD), copy=st.sampled_from([None, True, False]), mode=modes)
def test_from_dlpack_of_a_buffer_gives_its_elements(
    x: Operand, copy: bool | None, mode: str
) -> None:
    with in_mode(mode):
        got = xp.from_dlpack(x.buffer, copy=copy)
    assert type(got) is Buffer
    assert_same(got, x.array)
    if x.array.size:
        assert np.shares_memory(got.unwrap(), x.buffer.unwrap()) is (copy is not True)
    x.check()


@some
@given(x=operands(STANDARD + NARROW), mode=modes)
def test_numpy_takes_a_buffer_as_it_is(x: Operand, mode: str) -> None:
    with in_mode(mode):
        seen = np.asarray(x.buffer)
        copied = np.array(x.buffer)
    assert_bits(seen, x.array)
    assert_bits(copied, x.array)
    if x.array.size:
        assert np.shares_memory(seen, x.buffer.unwrap())
    assert not np.may_share_memory(copied, x.buffer.unwrap())


@some
@given(x=operands(INTEGERS + FLOATS + COMPLEX), mode=modes)
def test_nested_lists_come_back_as_they_were(x: Operand, mode: str) -> None:
    with in_mode(mode):
        again = xp.asarray(x.buffer.tolist(), dtype=x.array.dtype)
    assert again.shape[: x.array.ndim] == x.array.shape or not x.array.size
    if x.array.size:
        assert_bits(np.array(again.unwrap()), np.array(x.array))
