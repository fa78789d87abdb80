"""Indexing: parts read and written through any key, on any layout, before or after computing."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest
from array_api.properties.arrays import (
    BOOL,
    COMPLEX,
    EVERY,
    FLOATS,
    INTEGERS,
    NUMERIC,
    REAL,
    STANDARD,
    Operand,
    agree,
    assert_apart,
    assert_bits,
    assert_same,
    covers,
    deep_shapes,
    examples,
    full_deep_shapes,
    full_shapes,
    modes,
    of_array,
    one_axis,
    operands,
    quietly,
)
from array_api.properties.keys import basic_keys, picking_keys
from buffer.cases import in_mode, lazily, pending
from hypothesis import given
from hypothesis import strategies as st

import onebuf as xp
from onebuf import Buffer, OnebufError, dtypes

many = examples(80)
some = examples(40)
WRITABLE = ("whole", "offset", "step", "back", "back step", "pad")


# -- functions -------------------------------------------------------------------------------------


@covers("take")
@some
@given(data=st.data(), mode=modes)
def test_take_is_numpys(data: st.DataObject, mode: str) -> None:
    x = data.draw(operands())
    ndim = x.array.ndim
    axis = data.draw(st.none() | st.integers(-ndim - 1, ndim))
    extent = 1
    if axis is None:
        extent = x.array.size
    elif -ndim <= axis < ndim:
        extent = x.array.shape[axis]
    shape = data.draw(st.lists(st.integers(0, 3), max_size=2).map(tuple))
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    beyond = data.draw(st.integers(0, 9)) == 0
    found = rng.integers(-extent, extent + beyond, shape) if extent or beyond else np.zeros(0, int)
    dtype = data.draw(st.sampled_from([xp.int64, xp.int8, xp.int32]))
    indices = data.draw(of_array(found.astype(dtype)))

    def theirs() -> Any:
        if ndim == 0 and axis is not None:
            raise ValueError("there is no axis")
        return np.take(x.array, indices.array, axis=axis)

    agree(mode, lambda: xp.take(x.buffer, indices.buffer, axis=axis), theirs, x, indices)


@covers("take_along_axis")
@some
@given(data=st.data(), mode=modes)
def test_take_along_axis_is_numpys(data: st.DataObject, mode: str) -> None:
    x = data.draw(operands(shape=deep_shapes))
    ndim = x.array.ndim
    axis = data.draw(st.integers(-ndim - 1, ndim))
    shape = list(x.array.shape)
    extent = 1
    if -ndim <= axis < ndim:
        extent = shape[axis]
        shape[axis] = data.draw(st.integers(0, 3)) if extent else 0
    for place in range(ndim):
        if place != axis % ndim and data.draw(st.integers(0, 4)) == 0:
            shape[place] = 1
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    beyond = data.draw(st.integers(0, 9)) == 0
    found = rng.integers(-extent, max(extent + beyond, 1), tuple(shape))
    indices = data.draw(of_array(found))
    agree(
        mode,
        lambda: xp.take_along_axis(x.buffer, indices.buffer, axis=axis),
        lambda: np.take_along_axis(x.array, indices.array, axis=axis),
        *(x, indices),
    )


# -- reading ---------------------------------------------------------------------------------------


@many
@given(data=st.data(), mode=modes)
def test_a_basic_key_gives_a_view_or_a_number(data: st.DataObject, mode: str) -> None:
    x = data.draw(operands())
    key = data.draw(basic_keys(x.array.shape))
    got = agree(mode, lambda: x.buffer[key.ours], lambda: x.array[key.theirs], x, fresh=False)
    if got is not None:
        assert_view_or_number(got, x, x.array[key.theirs])


def assert_view_or_number(got: Any, x: Operand, wanted: Any) -> None:
    """Fails unless the result shares memory where NumPy's does: a number shares none."""
    if isinstance(wanted, np.generic):
        assert not got.is_view
        assert_apart(got, x.buffer)
    elif got.numel:
        assert got.is_view
        assert np.shares_memory(got.unwrap(), x.buffer.unwrap())


@some
@given(data=st.data(), mode=modes)
def test_a_number_is_apart_from_the_buffer_that_it_was_read_from(
    data: st.DataObject, mode: str
) -> None:
    x = data.draw(operands(NUMERIC, full_shapes, "finite", WRITABLE))
    place = tuple([data.draw(one_axis(extent)) for extent in x.array.shape])
    with in_mode(mode):
        number, view = x.buffer[place], x.buffer[(*place, ...)]
        before = x.array[place]
        x.buffer[place] = 77
        assert_bits(np.array(number.unwrap()), np.asarray(before))
        assert view.item() == x.buffer[place].item() == 77
        view[...] = 78
        assert number.item() == before
        assert x.buffer[place].item() == 78


@many
@given(data=st.data(), mode=modes)
def test_arrays_and_masks_pick_elements(data: st.DataObject, mode: str) -> None:
    x = data.draw(operands())
    key = data.draw(picking_keys(x.array.shape))
    # One whole number as a 0-d array counts as that number, which gives a view or a number.
    arrays = key.theirs if isinstance(key.theirs, tuple) else (key.theirs,)
    fresh = any(np.ndim(part) or np.asarray(part).dtype == bool for part in arrays)
    agree(mode, lambda: x.buffer[key.ours], lambda: x.array[key.theirs], x, fresh=fresh)


@some
@given(data=st.data(), mode=modes)
def test_a_0d_buffer_of_whole_numbers_is_an_index(data: st.DataObject, mode: str) -> None:
    x = data.draw(operands(shape=full_deep_shapes))
    extent = x.array.shape[0]
    place = data.draw(st.integers(-extent, extent - 1))
    number = data.draw(of_array(np.array(place, data.draw(st.sampled_from(INTEGERS[:4])))))
    got = agree(
        mode, lambda: x.buffer[number.buffer], lambda: x.array[place], x, number, fresh=False
    )
    assert_view_or_number(got, x, x.array[place])


# -- writing ---------------------------------------------------------------------------------------

SCALARS = st.sampled_from([True, 0, 3, -1, 300, 0.5, 1e300, float("inf"), float("nan"), 1j])


def write(array: Any, key: Any, value: Any) -> Any:
    """NumPy's assignment, less what onebuf refuses: a complex number in a real array."""
    if np.asarray(value).dtype.kind == "c" and array.dtype.kind != "c":
        raise TypeError("imaginary parts would be lost")
    array[key] = value
    return array


def check_write(
    mode: str, x: Operand, ours: Any, theirs: Any, value: Any, twin: Any, *others: Operand
) -> None:
    """An assignment changes what NumPy's changes, whatever still has to read the old elements."""
    before = np.array(x.array)
    later = pending(x.buffer)
    node = x.buffer
    try:
        changed = quietly(lambda: write(np.array(x.array), theirs, twin))
    except (TypeError, ValueError, IndexError, OverflowError):
        with pytest.raises(OnebufError), in_mode(mode):
            x.buffer[ours] = value
        x.check()
    else:
        with in_mode(mode):
            x.buffer[ours] = value
        assert_same(x.buffer, changed)
        quietly(lambda: write(x.array, theirs, twin))
        check_base(x)
    assert x.buffer is node
    assert_same(later, before)
    for other in others:
        other.check()


def check_base(x: Operand) -> None:
    """The elements around a view are what they were, too."""
    whole = x.array if x.array.base is None else x.array.base
    if x.buffer.is_view and whole.shape == x.buffer.base.shape:
        assert_same(x.buffer.base, whole)


@st.composite
def targets(draw: st.DrawFn, types: Any = EVERY, shape: Any = None) -> Operand:
    """Operands whose elements each have a place of their own."""
    return draw(operands(types, deep_shapes if shape is None else shape, cuts=WRITABLE))


@many
@given(data=st.data(), value=SCALARS, mode=modes)
def test_a_number_is_written_where_numpy_writes_it(
    data: st.DataObject, value: Any, mode: str
) -> None:
    x = data.draw(targets())
    key = data.draw(basic_keys(x.array.shape) | picking_keys(x.array.shape))
    check_write(mode, x, key.ours, key.theirs, value, value)


@many
@given(data=st.data(), mode=modes)
def test_elements_are_written_where_numpy_writes_them(data: st.DataObject, mode: str) -> None:
    x = data.draw(targets(STANDARD))
    key = data.draw(basic_keys(x.array.shape) | picking_keys(x.array.shape))
    try:
        shape = np.asarray(x.array[key.theirs]).shape
    except IndexError:
        shape = ()
    shape = tuple([n if data.draw(st.integers(0, 3)) else 1 for n in shape])
    shape = shape[data.draw(st.integers(0, len(shape))) :]
    if data.draw(st.integers(0, 9)) == 0:
        shape = (*shape, 2)
    kinds = "bfc" if x.array.dtype.kind != "c" else "biufc"
    fits = tuple(d for d in STANDARD if d == x.array.dtype or d.kind in kinds)
    value = data.draw(operands(fits, shape, "tame"))
    check_write(mode, x, key.ours, key.theirs, value.buffer, value.array, value)


@some
@given(data=st.data(), mode=modes)
def test_a_part_may_be_written_to_a_part_that_overlaps(data: st.DataObject, mode: str) -> None:
    x = data.draw(targets(shape=st.sampled_from([(4,), (5,), (3, 3), (2, 4, 2)])))
    ndim = x.array.ndim
    last = x.array.shape[-1]
    ways = [
        ((..., slice(1, None)), (..., slice(None, -1))),
        ((..., slice(None, -1)), (..., slice(1, None))),
        (..., (..., slice(None, None, -1))),
        ((..., [*range(1, last), 0]), ...),
        ((..., slice(0, last // 2)), (..., slice(last - 1, last - 1 - last // 2, -1))),
    ]
    to, of = data.draw(st.sampled_from(ways))
    check_write(mode, x, to, to, x.buffer[of], np.array(x.array[of]))
    if ndim == 2:
        check_write(mode, x, ..., ..., x.buffer.T, np.array(x.array.T))


@some
@given(data=st.data(), mode=modes)
def test_a_mask_made_from_the_buffer_itself_says_where_to_write(
    data: st.DataObject, mode: str
) -> None:
    x = data.draw(targets(REAL))
    with in_mode(mode):
        mask = x.buffer > 1
    with np.errstate(all="ignore"):
        twin = x.array > 1
    check_write(mode, x, mask, twin, 0, 0)


@some
@given(data=st.data(), mode=modes)
def test_a_write_to_elements_that_share_a_place_is_refused(data: st.DataObject, mode: str) -> None:
    row = data.draw(operands(shape=(1, 3), cuts=("whole", "back")))
    wide = Operand(row.buffer.expand(2, 3), np.broadcast_to(row.array, (2, 3)))
    key = data.draw(st.sampled_from([0, ..., (slice(None), 1), [0, 1], (0, 0)]))
    with pytest.raises(OnebufError), in_mode(mode):
        wide.buffer[key] = 1
    with pytest.raises(OnebufError), in_mode(mode):
        wide.buffer.__iadd__(wide.buffer)
    row.check()
    wide.check()


@some
@given(data=st.data())
def test_a_write_reaches_every_view_of_a_lazy_buffer(data: st.DataObject) -> None:
    base = data.draw(operands(FLOATS, (3, 4), "tame", ("whole",)))
    with lazily():
        x = base.buffer + 1
        views = [x.T, x[1:], x[::-1, ::2], x.reshape(2, 6)]
        total = x.sum()
        x[1, 1:3] = 50
    twin = base.array + 1
    wanted = twin.sum()
    twin[1, 1:3] = 50
    for view, same in zip(
        views, [twin.T, twin[1:], twin[::-1, ::2], twin.reshape(2, 6)], strict=True
    ):
        assert_same(view, same)
    assert float(total) == pytest.approx(float(wanted))
    base.check()


# -- one element, and one after another ------------------------------------------------------------

CONVERSIONS = {
    "bool": (bool, EVERY),
    "int": (int, BOOL + REAL),
    "float": (float, BOOL + REAL),
    "complex": (complex, STANDARD),
    "index": (operator.index, INTEGERS),
}


@pytest.mark.parametrize("name", CONVERSIONS)
@examples(40)
@given(data=st.data())
def test_a_number_is_computed_once_and_kept(name: str, data: st.DataObject) -> None:
    convert, types = CONVERSIONS[name]
    x = data.draw(operands(types, (), "finite"))
    with lazily(), xp.counters() as counted:
        later = xp.where(xp.asarray(True), x.buffer, x.buffer)
        assert counted.kernels == 0
        first = convert(later)
        computed = counted.kernels
        again = convert(later)
    assert computed >= 1
    assert counted.kernels == computed
    assert later.is_realized
    assert type(first) is type(again)
    assert first == again == convert(x.array[()])
    assert type(first) is type(convert(x.array[()]))


@pytest.mark.parametrize("name", CONVERSIONS)
@examples(30)
@given(data=st.data(), mode=modes)
def test_only_one_number_is_a_number(name: str, data: st.DataObject, mode: str) -> None:
    convert, types = CONVERSIONS[name]
    x = data.draw(operands(types, deep_shapes))
    if x.array.size == 1 and name != "index":
        return
    # NumPy says that the truth of several elements is not clear, which is an error of the value.
    wanted = ValueError if name == "bool" else TypeError
    with pytest.raises(wanted):
        convert(x.array)
    with pytest.raises(wanted) as caught, in_mode(mode):
        convert(x.buffer)
    assert isinstance(caught.value, OnebufError)


@examples(20)
@given(x=operands(FLOATS + COMPLEX + BOOL, ()), mode=modes)
def test_only_whole_numbers_are_indices(x: Operand, mode: str) -> None:
    with pytest.raises(TypeError), in_mode(mode):
        operator.index(x.buffer)


@some
@given(data=st.data())
def test_iterating_computes_once(data: st.DataObject) -> None:
    x = data.draw(operands(shape=deep_shapes))
    with lazily():
        later = xp.where(xp.asarray(True), x.buffer, x.buffer)
        list(x.buffer)
        with xp.counters() as counted:
            found = list(later)
            listed = [part.tolist() for part in found]
            again = [part.tolist() for part in later]
    assert counted.kernels <= 1
    assert counted.copies == 0
    assert len(found) == len(x.array) == len(later)
    assert repr(listed) == repr(again)
    for ours, theirs in zip(found, x.array, strict=True):
        assert type(ours) is Buffer
        assert_same(ours, theirs)


@some
@given(x=operands(), mode=modes)
def test_a_buffer_has_numpys_length_and_lists(x: Operand, mode: str) -> None:
    twin = x.array.astype(np.float32) if x.array.dtype == dtypes.bfloat16 else x.array
    with in_mode(mode):
        assert repr(x.buffer.tolist()) == repr(twin.tolist())
        if x.array.ndim:
            assert len(x.buffer) == len(x.array)
        else:
            with pytest.raises(TypeError):
                len(x.buffer)
            with pytest.raises(TypeError):
                iter(x.buffer)
