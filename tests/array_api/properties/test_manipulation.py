"""Manipulation functions: the same elements, moved, joined or repeated; views where NumPy's are."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import pytest
from array_api.properties.arrays import (
    EVERY,
    STANDARD,
    Operand,
    agree,
    assert_apart,
    axis_tuples,
    broadcastable,
    covers,
    deep_shapes,
    each,
    examples,
    modes,
    of_array,
    one_axis,
    operands,
    several_axes,
    shapes,
)
from buffer.cases import in_mode
from hypothesis import given
from hypothesis import strategies as st
from layout.moves import factorings
from numpy.lib.array_utils import normalize_axis_index

import onebuf as xp
from onebuf import Buffer, OnebufError
from onebuf.errors import CopyError

some = examples(40)


def on_axis(x: Operand, axis: Any, call: Callable[[], Any]) -> Callable[[], Any]:
    """A call of NumPy that refuses axis 0 of a 0-d array, as the standard does."""

    def checked() -> Any:
        if axis is not None and not isinstance(axis, tuple):
            normalize_axis_index(axis, x.array.ndim)
        return call()

    return checked


def assert_views(got: Any, x: Operand, wanted: Any) -> None:
    """A result shares memory with its operand just where NumPy's does."""
    if got is None or not got.numel:
        return
    assert got.is_view
    assert np.shares_memory(got.unwrap(), x.buffer.unwrap())
    for extent, ours, theirs in zip(got.shape, got.stride, wanted.strides, strict=True):
        assert extent == 1 or ours == theirs // wanted.itemsize


@covers("broadcast_to")
@some
@given(data=st.data(), mode=modes)
def test_broadcast_to_is_a_view(data: st.DataObject, mode: str) -> None:
    small, other = data.draw(broadcastable())
    shape = data.draw(st.sampled_from([np.broadcast_shapes(small, other), other]))
    x = data.draw(operands(shape=small))
    got = agree(
        mode,
        lambda: xp.broadcast_to(x.buffer, shape),
        lambda: np.broadcast_to(x.array, shape),
        x,
        fresh=False,
    )
    if got is not None:
        assert_views(got, x, np.broadcast_to(x.array, shape))


@covers("broadcast_arrays", "broadcast_shapes")
@some
@given(data=st.data(), mode=modes)
def test_broadcast_arrays_are_views_in_the_shape_of_broadcast_shapes(
    data: st.DataObject, mode: str
) -> None:
    found = data.draw(broadcastable(3))
    xs = [data.draw(operands(shape=shape)) for shape in found]
    shape = xp.broadcast_shapes(*found)
    assert shape == np.broadcast_shapes(*found)
    got = agree(
        mode,
        lambda: xp.broadcast_arrays(*[x.buffer for x in xs]),
        lambda: [np.broadcast_to(x.array, shape) for x in xs],
        *xs,
        fresh=False,
    )
    assert type(got) is tuple
    for x, one in zip(xs, got, strict=True):
        assert_views(one, x, np.broadcast_to(x.array, shape))


@covers("broadcast_shapes")
@some
@given(st.lists(shapes, max_size=3))
def test_broadcast_shapes_refuses_what_numpy_refuses(found: list[tuple[int, ...]]) -> None:
    try:
        wanted = np.broadcast_shapes(*found)
    except ValueError:
        with pytest.raises(OnebufError):
            xp.broadcast_shapes(*found)
    else:
        assert xp.broadcast_shapes(*found) == wanted


@covers("concat")
@some
@given(data=st.data(), mode=modes)
def test_concat_joins_along_an_axis(data: st.DataObject, mode: str) -> None:
    shape = data.draw(shapes)
    axis = data.draw(st.integers(-len(shape) - 1, len(shape)) | st.none())
    types = data.draw(st.sampled_from([STANDARD, EVERY[-1:], EVERY[-2:-1]]))
    xs = []
    for _ in range(data.draw(st.integers(1, 3))):
        mine = list(shape)
        if axis is not None and -len(shape) <= axis < len(shape):
            mine[axis] = data.draw(st.integers(0, 3))
        elif axis is None and data.draw(st.booleans()):
            mine = list(data.draw(shapes))
        xs.append(data.draw(operands(types, tuple(mine))))
    agree(
        mode,
        lambda: xp.concat([x.buffer for x in xs], axis=axis),
        lambda: np.concat([x.array for x in xs], axis=axis),
        *xs,
    )


@covers("stack")
@some
@given(data=st.data(), mode=modes)
def test_stack_joins_along_a_new_axis(data: st.DataObject, mode: str) -> None:
    shape = data.draw(shapes)
    axis = data.draw(st.integers(-len(shape) - 2, len(shape) + 1))
    types = data.draw(st.sampled_from([STANDARD, EVERY[-1:], EVERY[-2:-1]]))
    xs = [data.draw(operands(types, shape)) for _ in range(data.draw(st.integers(1, 3)))]
    if data.draw(st.integers(0, 5)) == 0:
        xs.append(data.draw(operands(types, shapes)))
    agree(
        mode,
        lambda: xp.stack(tuple([x.buffer for x in xs]), axis=axis),
        lambda: np.stack([x.array for x in xs], axis=axis),
        *xs,
    )


@covers("expand_dims")
@some
@given(data=st.data(), mode=modes)
def test_expand_dims_is_a_view(data: st.DataObject, mode: str) -> None:
    x = data.draw(operands())
    axis = data.draw(st.integers(-x.array.ndim - 2, x.array.ndim + 1) | axis_tuples(x.array.ndim))
    got = agree(
        mode,
        lambda: xp.expand_dims(x.buffer, axis),
        lambda: np.expand_dims(x.array, axis),
        x,
        fresh=False,
    )
    if got is not None:
        assert_views(got, x, np.expand_dims(x.array, axis))


@covers("squeeze")
@some
@given(data=st.data(), mode=modes)
def test_squeeze_is_a_view(data: st.DataObject, mode: str) -> None:
    x = data.draw(operands(shape=st.lists(st.sampled_from([1, 1, 3, 0]), max_size=4).map(tuple)))
    axis = data.draw(
        st.integers(-x.array.ndim - 1, x.array.ndim)
        | axis_tuples(x.array.ndim)
        | st.just(tuple([n for n, extent in enumerate(x.array.shape) if extent == 1]))
    )
    got = agree(
        mode,
        lambda: xp.squeeze(x.buffer, axis),
        on_axis(x, axis, lambda: np.squeeze(x.array, axis)),
        x,
        fresh=False,
    )
    if got is not None:
        assert_views(got, x, np.squeeze(x.array, axis))


@covers("flip")
@some
@given(data=st.data(), mode=modes)
def test_flip_is_a_view(data: st.DataObject, mode: str) -> None:
    x = data.draw(operands())
    ndim = x.array.ndim
    axis = data.draw(several_axes(ndim) | st.integers(-ndim - 1, ndim))
    got = agree(
        mode,
        lambda: xp.flip(x.buffer, axis=axis),
        lambda: np.flip(x.array, axis=axis),
        x,
        fresh=False,
    )
    if got is not None:
        assert_views(got, x, np.flip(x.array, axis=axis))


@covers("moveaxis")
@some
@given(data=st.data(), mode=modes)
def test_moveaxis_is_a_view(data: st.DataObject, mode: str) -> None:
    x = data.draw(operands())
    ndim = x.array.ndim
    source = data.draw(axis_tuples(ndim) | st.integers(-ndim - 1, ndim))
    target = data.draw(st.integers(-ndim - 1, ndim))
    if isinstance(source, tuple):
        target = tuple(data.draw(st.permutations(range(ndim)))[: len(source)])
    got = agree(
        mode,
        lambda: xp.moveaxis(x.buffer, source, target),
        lambda: np.moveaxis(x.array, source, target),
        x,
        fresh=False,
    )
    if got is not None:
        assert_views(got, x, np.moveaxis(x.array, source, target))


@covers("permute_dims")
@some
@given(data=st.data(), mode=modes)
def test_permute_dims_is_a_view(data: st.DataObject, mode: str) -> None:
    x = data.draw(operands())
    ndim = x.array.ndim
    axes = tuple(data.draw(st.permutations(range(ndim))))
    if data.draw(st.integers(0, 5)) == 0:
        axes = (*axes[:-1], ndim)
    if data.draw(st.booleans()):
        axes = tuple([axis - ndim for axis in axes])
    got = agree(
        mode,
        lambda: xp.permute_dims(x.buffer, axes),
        lambda: np.permute_dims(x.array, axes),
        x,
        fresh=False,
    )
    if got is not None:
        assert_views(got, x, np.permute_dims(x.array, axes))


@pytest.mark.parametrize("name", ["T", "mT"])
@some
@given(data=st.data(), mode=modes)
def test_a_transpose_is_a_view(name: str, data: st.DataObject, mode: str) -> None:
    x = data.draw(operands())
    got = agree(
        mode, lambda: getattr(x.buffer, name), lambda: getattr(x.array, name), x, fresh=False
    )
    if got is not None:
        assert_views(got, x, getattr(x.array, name))


@covers("reshape")
@some
@given(data=st.data(), mode=modes)
def test_reshape_is_a_view_where_strides_allow_it(data: st.DataObject, mode: str) -> None:
    x = data.draw(operands())
    shape = data.draw(factorings(x.array.size))
    if shape and prod(shape) and data.draw(st.booleans()):
        shape[data.draw(st.integers(0, len(shape) - 1))] = -1
    elif data.draw(st.integers(0, 9)) == 0:
        shape.append(2)
    copy = data.draw(st.sampled_from([None, None, True]))
    got = agree(
        mode,
        lambda: xp.reshape(x.buffer, tuple(shape), copy=copy),
        lambda: np.reshape(x.array, tuple(shape), copy=copy),
        x,
        fresh=copy is True,
    )
    if got is None or copy or not x.array.size:
        return
    seen = np.reshape(x.array, tuple(shape))
    if np.shares_memory(seen, x.array):
        assert_views(got, x, seen)
        with in_mode(mode):
            assert_views(xp.reshape(x.buffer, tuple(shape), copy=False), x, seen)
    else:
        assert not np.shares_memory(got.unwrap(), x.buffer.unwrap())
        with pytest.raises(CopyError), in_mode(mode):
            xp.reshape(x.buffer, tuple(shape), copy=False)


@covers("repeat")
@some
@given(data=st.data(), mode=modes)
def test_repeat_repeats_each_slice(data: st.DataObject, mode: str) -> None:
    x = data.draw(operands())
    ndim = x.array.ndim
    axis = data.draw(st.none() | st.integers(-ndim - 1, ndim))
    extent = x.array.size if axis is None else (x.array.shape[axis] if -ndim <= axis < ndim else 1)
    counts = st.lists(st.integers(0, 3), min_size=extent, max_size=extent)
    one = st.lists(st.integers(0, 3), min_size=1, max_size=1)
    given_counts = data.draw(st.integers(-1 if extent else 0, 3) | counts | one)
    if isinstance(given_counts, int):
        agree(
            mode,
            lambda: xp.repeat(x.buffer, given_counts, axis=axis),
            on_axis(x, axis, lambda: np.repeat(x.array, given_counts, axis=axis)),
            x,
        )
        return
    repeats = data.draw(of_array(np.array(given_counts, np.int64)))
    agree(
        mode,
        lambda: xp.repeat(x.buffer, repeats.buffer, axis=axis),
        on_axis(x, axis, lambda: np.repeat(x.array, repeats.array, axis=axis)),
        *(x, repeats),
    )


@covers("roll")
@some
@given(data=st.data(), mode=modes)
def test_roll_shifts_elements_around(data: st.DataObject, mode: str) -> None:
    x = data.draw(operands())
    ndim = x.array.ndim
    shifts = st.integers(-9, 9)
    axis = data.draw(st.none() | st.integers(-ndim - 1, ndim) | axis_tuples(ndim))
    shift: Any = data.draw(shifts)
    if isinstance(axis, tuple) and data.draw(st.booleans()):
        shift = tuple([data.draw(shifts) for _ in axis])
    agree(
        mode,
        lambda: xp.roll(x.buffer, shift, axis=axis),
        lambda: x.array.copy() if axis == () else np.roll(x.array, shift, axis=axis),
        x,
    )


@covers("tile")
@some
@given(data=st.data(), mode=modes)
def test_tile_repeats_the_whole(data: st.DataObject, mode: str) -> None:
    x = data.draw(operands())
    counts = tuple(data.draw(st.lists(st.integers(0, 3), max_size=4)))
    agree(mode, lambda: xp.tile(x.buffer, counts), lambda: np.tile(x.array, counts), x)


@covers("unstack")
@some
@given(data=st.data(), mode=modes)
def test_unstack_gives_all_slices_as_indexing_does(data: st.DataObject, mode: str) -> None:
    x = data.draw(operands())
    ndim = x.array.ndim
    axis = data.draw(st.integers(-ndim - 1, ndim))
    got = agree(
        mode,
        lambda: xp.unstack(x.buffer, axis=axis),
        lambda: np.unstack(x.array, axis=axis),
        x,
        fresh=False,
    )
    if got is not None:
        assert type(got) is tuple
        for one, wanted in zip(got, np.unstack(x.array, axis=axis), strict=True):
            if isinstance(wanted, np.generic):
                assert not one.is_view
                assert_apart(one, x.buffer)
            else:
                assert_views(one, x, wanted)


@each("expand_dims", "flip", "squeeze", "unstack", "roll", "repeat", "concat", "stack")
@examples(10)
@given(data=st.data(), mode=modes)
def test_an_axis_that_is_not_there_is_an_index_error(
    name: str, data: st.DataObject, mode: str
) -> None:
    x = data.draw(operands())
    beyond = x.array.ndim + data.draw(st.integers(2, 9))
    axis = data.draw(st.sampled_from([beyond, -beyond - 1]))
    call: dict[str, Any] = {
        "expand_dims": lambda: xp.expand_dims(x.buffer, axis),
        "squeeze": lambda: xp.squeeze(x.buffer, axis),
        "roll": lambda: xp.roll(x.buffer, 1, axis=axis),
        "repeat": lambda: xp.repeat(x.buffer, 1, axis=axis),
        "concat": lambda: xp.concat([x.buffer], axis=axis),
        "stack": lambda: xp.stack([x.buffer], axis=axis),
    }
    other = lambda: getattr(xp, name)(x.buffer, axis=axis)  # noqa: E731
    with pytest.raises(IndexError) as caught, in_mode(mode):
        call.get(name, other)()
    assert isinstance(caught.value, OnebufError)
    x.check()


@examples(30)
@given(data=st.data())
def test_a_write_to_a_view_is_seen_by_its_base(data: st.DataObject) -> None:
    cuts = ("whole", "offset", "step", "back", "back step")
    x = data.draw(operands(shape=deep_shapes, cuts=cuts))  # NumPy flips a 0-d array into a number
    ndim = x.array.ndim
    axes = tuple(data.draw(st.permutations(range(ndim))))
    flipped = data.draw(axis_tuples(ndim))
    new = data.draw(one_axis(ndim + 1))
    seen = xp.expand_dims(xp.flip(xp.permute_dims(x.buffer, axes), axis=flipped), new)
    twin = np.expand_dims(np.flip(np.permute_dims(x.array, axes), axis=flipped), new)
    if not twin.flags.writeable:
        return
    seen[..., :1] = 1
    twin[..., :1] = 1
    x.check()
    assert type(seen) is Buffer
