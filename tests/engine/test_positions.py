"""Positions of extremes: NumPy's in every tier, on any number of threads, whatever comes before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nests import empty, group_of, launch, run, run_checked

import onebuf
from onebuf import config
from onebuf.backends.reference import interpreter
from onebuf.kernel import CHUNK, FOLDS
from onebuf.render.llvm.rendering import Rendering

DTYPES = ("float32", "float64", "int8", "int16", "int32", "int64")
DTYPES = (*DTYPES, "uint8", "uint16", "uint32", "uint64", "bool")
SHAPES = ((1,), (17,), (5, 40), (40, 5), (3, 1, 70), (2, 3, 4), (1, 33), (100, 3))
LONG = (CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 12 * CHUNK + 17)
NAMES = ("argmax", "argmin")


def numbers(dtype: str, shape: Any, seed: int) -> Any:
    """Few different values, so that there are ties; zeros of both signs, NaNs and infinities."""
    rng = np.random.default_rng(seed)
    array = rng.integers(0, 4, shape).astype(dtype)
    if np.dtype(dtype).kind == "f" and array.size:
        odd = rng.choice(np.array([-0.0, 0.0, np.inf, -np.inf, np.nan, 2.0]), 3)
        array.reshape(-1)[rng.integers(0, array.size, 3)] = odd
    return array


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(DTYPES),
    st.sampled_from(SHAPES),
    st.sampled_from(NAMES),
    st.booleans(),
    st.integers(0, 999),
    st.data(),
)
def test_a_position_is_numpys_and_one_kernel(dtype, shape, name, keepdims, seed, data):
    array = numbers(dtype, shape, seed)
    axis = data.draw(st.sampled_from([None, *range(len(shape))]))
    steps = [data.draw(st.sampled_from([1, -1])) for _ in shape]
    if axis is None:  # all axes are one row then, which has one stride
        steps = steps[:1] * len(shape)
    key = tuple([slice(None, None, step) for step in steps])
    wanted = np.asarray(getattr(np, name)(array[key], axis=axis, keepdims=keepdims))
    for tier in ("compile", "interpret"):
        with config(tier=tier, eager_numel=0):
            x = onebuf.asarray(array)[key]
            got = getattr(onebuf, name)(x, axis=axis, keepdims=keepdims)
            (item,) = onebuf.schedule(got)
            assert (item.kind == "kernel") == (tier == "compile")
            assert got.dtype == np.int64
            np.testing.assert_array_equal(np.asarray(got), wanted, strict=True)
    with config(eager_numel=10**9):
        at_once = getattr(onebuf, name)(onebuf.asarray(array)[key], axis=axis, keepdims=keepdims)
    np.testing.assert_array_equal(np.asarray(at_once), wanted, strict=True)


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("size", LONG)
@pytest.mark.parametrize("dtype", ["float32", "int64", "bool"])
def test_threads_share_the_search_through_everything(dtype, size, threads):
    for seed in range(4):
        array = numbers(dtype, size, seed)
        if dtype == "float32" and seed > 1:
            array[np.isnan(array)] = 1
        with config(tier="compile", eager_numel=0, threads=threads):
            x = onebuf.asarray(array)
            results = [onebuf.argmax(x), onebuf.argmin(x), onebuf.max(x), onebuf.min(x)]
            assert len(onebuf.schedule(*results)) == 1
            onebuf.realize(*results)
        for result, name in zip(results, ("argmax", "argmin", "max", "min"), strict=True):
            np.testing.assert_array_equal(np.asarray(result), getattr(np, name)(array))


def test_an_extreme_in_the_last_place_of_the_last_chunk_is_found():
    array = np.zeros(5 * CHUNK + 3, np.float32)
    for place in (0, CHUNK - 1, CHUNK, 5 * CHUNK, array.size - 1):
        array[place] = 1
        with config(tier="compile", eager_numel=0):
            assert int(onebuf.argmax(onebuf.asarray(array, copy=True))) == place
        array[place] = 0


@pytest.mark.parametrize("shape", [(300, 200), (3, 20_000), (70_000,)])
@pytest.mark.parametrize("axis", [0, -1, None])
def test_what_comes_before_is_computed_in_the_same_kernel(shape, axis):
    rng = np.random.default_rng(5)
    one, two = rng.standard_normal((2, *shape))
    with config(tier="compile", eager_numel=0):
        x, y = onebuf.asarray(one), onebuf.asarray(two)
        got = onebuf.argmax(onebuf.exp(x) * y + 1, axis=axis)
        assert len(onebuf.schedule(got)) == 1
        value = np.asarray(onebuf.exp(x) * y + 1)
        np.testing.assert_array_equal(np.asarray(got), np.argmax(value, axis=axis))


def test_one_value_everywhere_is_first_everywhere():
    for shape in ((30,), (CHUNK * 3,), (4, 50)):
        with config(tier="compile", eager_numel=0):
            x = onebuf.broadcast_to(onebuf.asarray(np.array([2.5])), shape)
            assert int(onebuf.argmax(x)) == 0
            nan = onebuf.broadcast_to(onebuf.asarray(np.array([np.nan])), shape)
            assert int(onebuf.argmin(nan)) == 0


@pytest.mark.parametrize("strategy", ["rows", "columns"])
@pytest.mark.parametrize("shape", [(3, 5), (33, 70), (64, 64)])
@pytest.mark.parametrize("axis", [0, 1])
def test_every_rendering_and_the_reference_agree(strategy, shape, axis):
    array = numbers("float64", shape, 11)
    with config(tier="compile", eager_numel=0):
        group = group_of(onebuf.argmin(onebuf.asarray(array) * 2, axis=axis))
        wanted = np.argmin(array * 2, axis=axis)
        for lanes in (1, 4, 16):
            found = run(group, Rendering(lanes, strategy), empty(group))
            np.testing.assert_array_equal(found, wanted)
    reference = np.empty(wanted.shape, np.int64)
    interpreter.run(group, [reference])
    np.testing.assert_array_equal(reference, wanted)


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_a_position_is_told_as_one_thing(dtype):
    with config(tier="compile", eager_numel=0):
        x = onebuf.asarray(np.ones((4, 50), dtype))
        for got, name in (
            (onebuf.argmax(x, axis=1), "max + argmax"),
            (onebuf.argmin(x * 2, axis=0) + 1, "multiply + min + argmin + add"),
        ):
            assert [item.name for item in onebuf.schedule(got)] == [name]


def test_a_search_that_would_leave_its_memory_is_stopped():
    array = np.zeros(1000)
    array[-1] = 1
    x = onebuf.asarray(array)
    with config(tier="compile", eager_numel=0):
        group = group_of(onebuf.argmax(x))
    address = array.ctypes.data if x.unwrap() is array else np.asarray(x).ctypes.data
    out = empty(group)
    for cut, left in ((0, -1), (8, 0), (4000, 0)):
        limits = [
            (0, 0) if reach.is_index else (address, address + array.nbytes - cut)
            for reach in group.reaches
        ]
        limits[-1] = (out.ctypes.data, out.ctypes.data + out.nbytes)
        slots = [n for n, reach in enumerate(group.reaches) if not reach.is_index]
        got = run_checked(group, Rendering(), out, limits)
        assert got == (left if left < 0 else slots[0])


def test_checked_kernels_of_many_chunks_find_the_same():
    array = numbers("float32", 5 * CHUNK + 9, 3)
    with config(tier="compile", eager_numel=0, check_bounds=True):
        x = onebuf.asarray(array)
        assert int(onebuf.argmax(x)) == np.argmax(array)


def test_a_position_is_searched_for_and_not_folded_along_a_row():
    with config(tier="compile", eager_numel=0):
        group = group_of(onebuf.argmax(onebuf.asarray(np.zeros((4, 50)))))
        first = [step for step in group.nest.steps if step.op in FOLDS and step.arg.first]
        assert len(first) == 1
        array = np.zeros(group.extents[0])
        array[[7, 30]] = 1
        folded = replace(group.nest, steps=_without_search(group.nest.steps))
        assert folded != group.nest
        one = group_of(onebuf.argmax(onebuf.asarray(array)))
        out = np.empty((), np.int64)
        launch(replace(one, nest=_same(one.nest)), [out])
        assert out == 7


def _without_search(steps: Any) -> Any:
    return tuple(
        [replace(s, arg=replace(s.arg, first=False)) if s.op in FOLDS else s for s in steps]
    )


def _same(nest: Any) -> Any:
    return replace(nest, steps=_without_search(nest.steps))
