"""Elements picked, padded and joined by kernels: NumPy's values, one answer, and safe failures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onebuf
from onebuf import Buffer, config
from onebuf.backends import null
from onebuf.backends.reference import interpreter
from onebuf.engine.cpu.supports import supports
from onebuf.errors import IndexRangeError
from onebuf.scheduler.fuse.concat import MOST_PARTS, ConcatKernel
from onebuf.scheduler.fuse.fusion import group
from onebuf.scheduler.fuse.group import Group

Array = np.ndarray[Any, Any]
DTYPES = ("float32", "float64", "int32", "uint8", "bool", "int64", "complex64", "float16")
RNG = np.random.default_rng(5)
WIDE = RNG.normal(size=(300, 700)).astype(np.float32)
TABLE = RNG.normal(size=(50, 129)).astype(np.float32)
LONG = RNG.integers(-50, 50, 40_000)


def numbers(shape: tuple[int, ...], dtype: str, seed: int) -> Array:
    return np.random.default_rng(seed).integers(0, 100, shape).astype(dtype)


def in_every_tier(function: Callable[[], Any]) -> Array:
    """What ``function`` gives, which is the same whatever computes it."""
    found = []
    for options in (
        {"eager_numel": 10**9},
        {"eager_numel": 0, "tier": "interpret"},
        {"eager_numel": 0, "tier": "compile", "threads": 1},
        {"eager_numel": 0, "tier": "compile", "threads": 3},
        {"eager_numel": 0, "tier": "compile", "check_bounds": True},
    ):
        with config(**options):
            found.append(np.asarray(function()))
    assert len({each.tobytes() for each in found}) == 1
    return found[0]


def assert_same(got: Array, wanted: Array) -> None:
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_array_equal(got, wanted)


@st.composite
def viewed(draw: Any) -> tuple[Buffer, Array]:
    """A buffer of up to three axes, seen through some view, and the same as an array."""
    shape = tuple(draw(st.lists(st.sampled_from([1, 2, 3, 5, 19, 33]), min_size=1, max_size=3)))
    array = numbers(shape, draw(st.sampled_from(DTYPES)), draw(st.integers(0, 99)))
    array = array.transpose(draw(st.permutations(range(array.ndim))))
    if draw(st.booleans()):
        array = array[..., :: draw(st.sampled_from([2, -1]))][::-1]
    return onebuf.asarray(array), array


SLOW = settings(max_examples=40, deadline=None)


# Picking


@SLOW
@given(viewed(), st.data())
def test_take_picks_what_numpy_picks(pair, data):
    buffer, array = pair
    axis = data.draw(st.integers(0, array.ndim - 1))
    extent = array.shape[axis]
    shape = data.draw(st.sampled_from([(), (1,), (7,), (40,), (3, 5), (2, 1, 3)]))
    dtype = data.draw(st.sampled_from(["int8", "int32", "int64"]))
    indices = np.random.default_rng(data.draw(st.integers(0, 99)))
    indices = indices.integers(-extent, extent, shape).astype(dtype)
    got = in_every_tier(lambda: onebuf.take(buffer, onebuf.asarray(indices), axis=axis))
    assert_same(got, np.take(array, indices, axis=axis))
    if array.dtype.kind == "f" and array.dtype.itemsize > 2:
        got = in_every_tier(lambda: onebuf.take(buffer, onebuf.asarray(indices), axis=axis) * 2 + 1)
        assert_same(got, np.take(array, indices, axis=axis) * 2 + 1)


@SLOW
@given(viewed(), st.data())
def test_take_along_axis_picks_what_numpy_picks(pair, data):
    buffer, array = pair
    axis = data.draw(st.integers(0, array.ndim - 1))
    extent = array.shape[axis]
    shape = list(array.shape)
    shape[axis] = data.draw(st.integers(1, 20))
    numbers = np.random.default_rng(data.draw(st.integers(0, 99)))
    indices = numbers.integers(-extent, extent, shape)
    got = in_every_tier(lambda: onebuf.take_along_axis(buffer, onebuf.asarray(indices), axis=axis))
    assert_same(got, np.take_along_axis(array, indices, axis=axis))


@SLOW
@given(viewed(), st.data())
def test_an_array_of_indices_among_slices_picks_what_numpy_picks(pair, data):
    buffer, array = pair
    place = data.draw(st.integers(0, array.ndim - 1))
    indices = np.random.default_rng(data.draw(st.integers(0, 99)))
    step = data.draw(st.sampled_from([1, 2, -1]))
    key: list[Any] = [slice(None, None, step) for _ in range(array.ndim)]
    key[place] = indices.integers(-array.shape[place], array.shape[place], (4, 3))
    if data.draw(st.booleans()):
        key = [*key[: place + 1], ...] if data.draw(st.booleans()) else [..., *key[place:]]
    if data.draw(st.booleans()):
        key.insert(data.draw(st.integers(0, len(key))), None)
    wanted = array[tuple(key)]
    assert_same(in_every_tier(lambda: buffer[tuple(key)]), wanted)
    form = data.draw(st.sampled_from([onebuf.asarray, np.ndarray.tolist]))
    given_as = tuple([form(part) if isinstance(part, np.ndarray) else part for part in key])
    assert_same(in_every_tier(lambda: buffer[given_as]), wanted)


def test_what_an_array_of_indices_picks_is_there_later_whatever_becomes_of_the_array():
    indices = np.arange(20)
    with config(eager_numel=0):
        picked = onebuf.asarray(np.arange(20.0))[indices]
        indices[:] = 0
        np.testing.assert_array_equal(np.asarray(picked), np.arange(20.0))


def test_what_is_picked_is_what_was_there_before_a_later_write():
    with config(eager_numel=0):
        x = onebuf.asarray(np.arange(20.0), copy=True)
        picked = x[onebuf.asarray([3, -1])]
        x[:] = 0
        assert picked.to_python() == [3, 19]


@pytest.mark.parametrize("options", [{"tier": "interpret"}, {"tier": "compile"}])
@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize(
    "indices, wrong", [([0, 50, 3], 50), ([0, -51], -51), ([1 << 40], 1 << 40), ([-60, 99], 99)]
)
def test_an_index_out_of_range_is_one_error_in_every_tier(options, checked, indices, wrong):
    with config(eager_numel=0, check_bounds=checked, **options):
        table = onebuf.asarray(TABLE)
        bad = onebuf.take(table, onebuf.asarray(indices), axis=0) * 2 + 1  # the line to name
        before = np.asarray(table).copy()
        for _ in range(2):
            with pytest.raises(IndexRangeError) as caught:
                bad.realize()
            message = f"take along axis 0 needs indices in -50..49, got {wrong}"
            assert str(caught.value) == message
            assert "# the line to name" in caught.value.__notes__[0]
        assert not bad.is_realized
        np.testing.assert_array_equal(np.asarray(table), before)
        good = onebuf.take(table, onebuf.asarray([49, -50]), axis=0) * 2 + 1
        np.testing.assert_array_equal(np.asarray(good), TABLE[[49, 0]] * 2 + 1)


@pytest.mark.parametrize("threads", [1, 3])
def test_one_wrong_index_among_many_is_found(threads):
    indices = RNG.integers(-50, 50, 100_000)
    indices[77_777] = 50
    with config(eager_numel=0, tier="compile", threads=threads):
        for expression in (
            lambda x, i: onebuf.take(x, i) + 1,
            lambda x, i: onebuf.sum(onebuf.take(x, i)),
            lambda x, i: onebuf.concat([x * 2, onebuf.take(x, i)]),
            lambda x, i: onebuf.max(onebuf.take_along_axis(x, i, axis=0), axis=0),
        ):
            result = expression(onebuf.asarray(TABLE[:, 0]), onebuf.asarray(indices))
            with pytest.raises(IndexRangeError, match="got 50"):
                result.realize()


@pytest.mark.parametrize(
    "source",
    [
        lambda xp: xp.arange(12),
        lambda xp: xp.zeros(12),
        lambda xp: xp.full((12,), 7),
        lambda xp: xp.arange(24)[::2],
        lambda xp: xp.reshape(xp.arange(12.0), (3, 4)).T.copy().reshape(12),
        lambda xp: xp.broadcast_to(xp.asarray([5.0]), (12,)),
    ],
)
def test_anything_can_be_picked_from(source):
    indices = np.array([3, -1, 11, 0])

    def picked(xp: Any) -> Any:
        x = source(xp)
        return xp.take(x, xp.asarray(indices), axis=0) + x[1]

    assert_same(in_every_tier(lambda: picked(onebuf)), picked(np))


@pytest.mark.parametrize(
    "source",
    [
        lambda x: x.copy().T,
        lambda x: x.copy()[::-1],
        lambda x: x[:, ::2].copy().T,
        lambda x: x.T.copy().copy().T[1:],
        lambda x: x.copy().T.copy(),
        lambda x: (x + 1).copy().T,
    ],
)
def test_views_of_copies_can_be_picked_from(source):
    x = np.arange(24.0).reshape(4, 6)
    rows = np.array([2, 0, -1, 1])
    got = in_every_tier(lambda: source(onebuf.asarray(x))[onebuf.asarray(rows)])
    assert_same(got, source(x)[rows])


def test_an_index_that_is_computed_is_looked_at_too():
    with config(eager_numel=0, tier="compile"):
        x = onebuf.asarray(np.arange(10.0))
        places = onebuf.asarray(np.arange(4)) * 3
        assert (onebuf.take(x, places) + 1).to_python() == [1, 4, 7, 10]
        with pytest.raises(IndexRangeError, match="got 12"):
            onebuf.take(x, places + 3).realize()


def test_every_index_counts_even_if_only_some_of_the_result_is_read():
    for tier in ("interpret", "compile"):
        with config(eager_numel=0, tier=tier):
            some = onebuf.take(onebuf.asarray(np.arange(4.0)), onebuf.asarray([0, 1, 9]))[:2]
            with pytest.raises(IndexRangeError, match="got 9"):
                (some + 1).realize()


def test_nothing_can_be_picked_where_there_is_nothing():
    for tier in ("interpret", "compile"):
        with config(eager_numel=0, tier=tier):
            empty = onebuf.asarray(np.zeros((0, 3)))
            with pytest.raises(IndexRangeError, match=r"needs indices in 0\.\.-1"):
                (onebuf.take(empty, onebuf.asarray([0]), axis=0) + 1).realize()
            none = onebuf.take(empty, onebuf.asarray(np.zeros(0, int)), axis=0) + 1
            assert none.realize().shape == (0, 3)


def test_the_reference_backend_refuses_an_index_out_of_range():
    with config(eager_numel=0):
        bad = onebuf.take(onebuf.asarray(np.arange(4.0)), onebuf.asarray([0, 4]))
        (kernel,) = group([bad._node], supports)
        assert isinstance(kernel, Group)
        with pytest.raises(IndexRangeError, match=r"-4\.\.3, got 4"):
            interpreter.run(kernel, [np.zeros(2)])


# Padding


@SLOW
@given(viewed(), st.data())
def test_pad_gives_what_numpy_gives(pair, data):
    buffer, array = pair
    width = st.sampled_from([0, 0, 1, 2, 17, 70])
    widths = [(data.draw(width), data.draw(width)) for _ in array.shape]
    value = data.draw(st.integers(0, 1))
    got = in_every_tier(lambda: buffer.pad(widths, value))
    wanted = np.pad(array, widths, constant_values=value)
    assert_same(got, wanted)
    if array.dtype.kind == "f" and array.dtype.itemsize > 2:
        got = in_every_tier(lambda: ((buffer * 2).pad(widths, value) + 1)[..., ::-1] * 3)
        assert_same(got, (np.pad(array * 2, widths, constant_values=value) + 1)[..., ::-1] * 3)
    if array.dtype.kind in "iuf" and array.dtype.itemsize > 2:
        axis = data.draw(st.sampled_from([None, *range(array.ndim)]))
        got = in_every_tier(lambda: onebuf.sum(buffer.pad(widths, value), axis=axis))
        np.testing.assert_array_equal(got, wanted.sum(axis=axis))


@SLOW
@given(viewed(), st.data())
def test_pads_of_different_widths_meet(pair, data):
    buffer, array = pair
    width = st.sampled_from([0, 1, 3, 40])
    one = [(data.draw(width), data.draw(width)) for _ in array.shape]
    two = [(sum(pair), 0) for pair in one]
    more = [(data.draw(width), data.draw(width)) for _ in array.shape]

    def padded(pad: Callable[[Any, Any, int], Any], x: Any) -> Any:
        return pad(pad(x, one, 1) + pad(x, two, 0), more, 1)

    got = in_every_tier(lambda: padded(lambda x, widths, value: x.pad(widths, value), buffer))
    numpy = padded(lambda x, widths, value: np.pad(x, widths, constant_values=value), array)
    assert_same(got, numpy)


@pytest.mark.parametrize(
    "widths", [[(1, 1), (1, 1)], [(0, 0), (16, 4)], [(0, 9), (100, 1)], [(500, 0), (0, 0)]]
)
def test_a_large_pad_is_written_past_the_caches_and_by_threads(widths):
    x = np.arange(3_000_000.0).reshape(3000, 1000)
    with config(tier="compile"):
        got = np.asarray(onebuf.asarray(x).pad(widths, 7))
    np.testing.assert_array_equal(got, np.pad(x, widths, constant_values=7))


# Joining


@SLOW
@given(viewed(), st.data())
def test_concat_and_stack_give_what_numpy_gives(pair, data):
    buffer, array = pair
    axis = data.draw(st.integers(0, array.ndim - 1))
    real = array.dtype.kind == "f" and array.dtype.itemsize > 2
    fitting = PARTS if real else PARTS[:4]
    parts = data.draw(st.lists(st.sampled_from(fitting), min_size=1, max_size=4))

    def joined(xp: Any, x: Any, how: str, axis: int) -> Any:
        return getattr(xp, how)([part(xp, x) for part in parts], axis=axis)

    for how in ("concat", "stack"):
        got = in_every_tier(lambda how=how: joined(onebuf, buffer, how, axis))
        assert_same(got, joined(np, array, how, axis))


PARTS: list[Any] = [
    lambda xp, x: x,
    lambda xp, x: x[::-1],
    lambda xp, x: xp.flip(x),
    lambda xp, x: xp.zeros(x.shape, dtype=x.dtype),
    lambda xp, x: x * 2 + 1,
    lambda xp, x: xp.abs(x) - xp.max(x, axis=-1, keepdims=True),
]


@pytest.mark.parametrize("axis", [0, 1])
def test_parts_of_a_large_join_are_computed_in_their_places(axis):
    x = np.arange(4_000_000, dtype=np.float32).reshape(2000, 2000)
    with config(tier="compile"):
        buffer = onebuf.asarray(x)
        before = onebuf.memory_stats()["CPU"].in_use
        with onebuf.counters() as counted:
            joined = onebuf.concat([buffer * 2, buffer, buffer[:, ::-1] + 1], axis=axis).realize()
        assert (counted.kernels, counted.copies) == (1, 0)
        assert counted.peak_bytes - before < 1.1 * joined.nbytes
        wanted = np.concat([x * 2, x, x[:, ::-1] + 1], axis=axis)
        np.testing.assert_array_equal(np.asarray(joined), wanted)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize(
    "part",
    [
        lambda xp, x: x - xp.mean(x),
        lambda xp, x: x / xp.max(x),
        lambda xp, x: x - xp.mean(x, axis=(1, 2), keepdims=True),
        lambda xp, x: x - xp.mean(x, axis=(0, 2), keepdims=True),
        lambda xp, x: xp.cumsum(x, axis=1) - xp.max(x, axis=-1, keepdims=True),
        lambda xp, x: (x - xp.mean(x)) / xp.sum(x - xp.mean(x), axis=(1, 2), keepdims=True),
    ],
)
def test_parts_with_reductions_over_several_axes_are_joined_anywhere(part, axis):
    x = np.random.default_rng(5).random((4, 6, 5))

    def joined(xp: Any, x: Any) -> Any:
        return xp.concat([part(xp, x), x, part(xp, x)], axis=axis)

    got = in_every_tier(lambda: joined(onebuf, onebuf.asarray(x)))
    np.testing.assert_allclose(np.asarray(got), joined(np, x), rtol=1e-12)


def test_many_operands_and_few_elements_are_joined_by_numpy():
    with config(eager_numel=0, tier="compile"):
        x = onebuf.asarray(np.arange(3.0))
        (many,) = group([onebuf.stack([x] * (MOST_PARTS + 1))._node], supports)
        (few,) = group([onebuf.stack([x] * 2)._node], supports)
        assert not isinstance(many, ConcatKernel)
        assert not isinstance(few, ConcatKernel)


def test_operands_without_elements_are_no_parts():
    with config(eager_numel=0, tier="compile"):
        x = onebuf.asarray(np.arange(6.0).reshape(2, 3))
        joined = onebuf.concat([x[:, :0] + 1, x + 1, x[:, :0]], axis=1)
        (item,) = [
            item for item in group([joined._node], supports) if isinstance(item, ConcatKernel)
        ]
        assert len(item.parts) == 1
        np.testing.assert_array_equal(np.asarray(joined), np.arange(6.0).reshape(2, 3) + 1)


# Looking


def test_explain_names_what_kernels_move():
    with config(eager_numel=0, tier="compile"):
        x, i = onebuf.asarray(TABLE), onebuf.asarray([0, 1])
        text = (onebuf.take(x + 1, i, axis=0) * 2).explain()
        assert "%1 = add(" in text
        assert "elements of it are picked by index" in text
        assert "%2 = take + multiply(" in text
        assert "= pad + add(" in (x.pad([(1, 1), (0, 0)]) + 1).explain()
        assert "= multiply | concat(" in onebuf.concat([x * 2, x]).explain()
        assert "gather, " in onebuf.take(x, i, axis=0).explain()


def test_the_null_backend_counts_the_parts_of_a_join():
    with config(eager_numel=0, tier="compile"):
        x = onebuf.asarray(np.ones((4, 4), np.float32))
        plan = group([onebuf.concat([x * 2, x + 1])._node], supports)
        assert null.counts_of(plan) == null.Counts(1, 32, 64, 128)
