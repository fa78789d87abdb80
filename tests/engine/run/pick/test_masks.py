"""Masks: what they take, and where it is, with NumPy as the oracle in every tier."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import onebuf
from onebuf import config, dtypes
from onebuf.backends.cpu import host
from onebuf.engine.cpu.select import mask_select
from onebuf.engine.plan.decide import COMPILE_SECONDS
from onebuf.engine.run.pick import masks
from onebuf.errors import BoundsError, ShapeError
from onebuf.render.llvm import compress_kernels
from onebuf.render.llvm.mask_kernels import CHUNK

SIZES = (0, 1, 7, 8, 9, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK + 3, 40 * CHUNK + 11)
TIERS = ("compile", "interpret")


def elements(dtype: Any, shape: Any, seed: int) -> Any:
    numbers = np.random.default_rng(seed).integers(0, 100, shape)
    return numbers.astype(dtype)


def flags(shape: Any, share: float, seed: int) -> Any:
    return np.random.default_rng(seed).random(shape) < share


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_a_mask_takes_numpys_elements_of_every_dtype(tier, dtype):
    for size in SIZES:
        for share in (0.0, 0.02, 0.5, 1.0):
            array, mask = elements(dtype, size, size), flags(size, share, size + 1)
            with config(tier=tier):
                picked = onebuf.asarray(array)[onebuf.asarray(mask)]
            assert picked.dtype == dtype
            assert np.asarray(picked.unwrap()).tobytes() == array[mask].tobytes()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=3),
    st.sampled_from([1, 2, -1, -3]),
    st.booleans(),
    st.sampled_from([1, 2, 4]),
    st.integers(0, 99),
)
def test_a_mask_of_any_layout_takes_numpys_elements(shape, step, turned, threads, seed):
    array, mask = elements("float32", shape, seed), flags(shape, 0.4, seed)
    key = (slice(None, None, step),) * len(shape)
    wanted = array[key].T[mask[key].T] if turned else array[key][mask[key]]
    with config(tier="compile", threads=threads):
        x, m = onebuf.asarray(array)[key], onebuf.asarray(mask)[key]
        picked = x.T[m.T] if turned else x[m]
        places = onebuf.nonzero(m.T if turned else m)
    np.testing.assert_array_equal(np.asarray(picked), wanted)
    where = np.nonzero(mask[key].T if turned else mask[key])
    assert len(places) == len(where)
    for one, two in zip(places, where, strict=True):
        assert one.dtype == two.dtype
        np.testing.assert_array_equal(np.asarray(one), two)


@pytest.mark.parametrize("dtype", ["int8", "float32", "complex128"])
@pytest.mark.parametrize("shape", [(50, 3), (5000, 7), (6, 7, 8), (0, 3), (9, 0), (1, 1, 1)])
def test_a_mask_of_the_first_axes_takes_rows(shape, dtype):
    array = elements(dtype, shape, 1)
    for ndim in range(1, len(shape)):
        mask = flags(shape[:ndim], 0.5, ndim)
        with config(tier="compile"):
            x, m = onebuf.asarray(array), onebuf.asarray(mask)
            np.testing.assert_array_equal(np.asarray(x[m]), array[mask], strict=True)
            turned = np.asarray(onebuf.asarray(array)[::-1][m])
        np.testing.assert_array_equal(turned, array[::-1][mask], strict=True)


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("shape", [(300_001,), (300, 1000), (3, 100, 1000)])
def test_threads_share_a_mask(shape, threads):
    array, mask = elements("int32", shape, 1), flags(shape, 0.5, 2)
    with config(tier="compile", threads=threads):
        x, m = onebuf.asarray(array, copy=True), onebuf.asarray(mask)
        np.testing.assert_array_equal(np.asarray(x[m]), array[mask])
        for one, two in zip(onebuf.nonzero(m), np.nonzero(mask), strict=True):
            np.testing.assert_array_equal(np.asarray(one), two)
        x[m] = x[m] + 7
        array[mask] += 7
        np.testing.assert_array_equal(np.asarray(x), array)
        x[~m] = -1
        array[~mask] = -1
        np.testing.assert_array_equal(np.asarray(x), array)


def test_a_mask_that_is_still_to_be_computed_is_a_kernel_first():
    array = np.random.default_rng(3).standard_normal(100_000)
    with config(tier="compile"):
        x = onebuf.asarray(array)
        with onebuf.counters() as counted:
            picked = x[(x > 0) & (x < 1)]
    assert counted.kernels == 2
    np.testing.assert_array_equal(np.asarray(picked), array[(array > 0) & (array < 1)])


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_values_are_written_where_a_mask_says(tier, dtype):
    for size in SIZES:
        array, mask = elements(dtype, size, size), flags(size, 0.5, size + 1)
        values = elements(dtype, int(mask.sum()), 5)
        with config(tier=tier):
            x = onebuf.asarray(array, copy=True)
            x[onebuf.asarray(mask)] = onebuf.asarray(values)
            array[mask] = values
            assert np.asarray(x.unwrap()).tobytes() == array.tobytes()
            x[onebuf.asarray(~mask)] = 1
            array[~mask] = 1
            assert np.asarray(x.unwrap()).tobytes() == array.tobytes()


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("value", [2.75, True, 3])
def test_a_number_is_converted_before_it_is_written(tier, value):
    array, mask = np.arange(10, dtype=np.int16), np.arange(10) % 3 == 0
    with config(tier=tier):
        x = onebuf.asarray(array, copy=True)
        x[onebuf.asarray(mask)] = value
    array[mask] = value
    assert x.to_python() == array.tolist()


@pytest.mark.parametrize("tier", TIERS)
def test_a_wrong_number_of_values_changes_nothing(tier):
    array, mask = np.arange(10), np.arange(10) % 2 == 0
    with config(tier=tier):
        x = onebuf.asarray(array, copy=True)
        with pytest.raises(ShapeError, match="as many as the index picks"):
            x[onebuf.asarray(mask)] = onebuf.asarray(np.arange(4))
    assert x.to_python() == list(range(10))


def test_values_from_the_memory_that_is_written_are_read_first():
    with config(tier="compile"):
        x = onebuf.asarray(np.arange(6), copy=True)
        x[onebuf.asarray(np.array([False, True, True, True, True, True]))] = x[:5]
    assert x.to_python() == [0, 0, 1, 2, 3, 4]


def test_bytes_other_than_0_and_1_are_true():
    mask = np.arange(20, dtype=np.uint8).view(np.bool)
    array = np.arange(20)
    with config(tier="compile"):
        picked = onebuf.asarray(array)[onebuf.asarray(mask)]
        (places,) = onebuf.nonzero(onebuf.asarray(mask))
    assert picked.to_python() == places.to_python() == list(range(1, 20))


def ways(itemsize: int) -> list[Any]:
    """The ways of this processor to compress elements, the one without such instructions first."""
    best = compress_kernels.way(itemsize, host().features)
    older = compress_kernels.way(itemsize, "+avx2")
    return [None, *{best, older if best else None} - {None}]


@pytest.mark.parametrize("itemsize", [1, 2, 4, 8, 16])
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    numel=st.integers(0, 3 * CHUNK),
    start=st.integers(0, 70),
    step=st.sampled_from([1, 1, -1, 3]),
    share=st.sampled_from([0.0, 0.01, 0.5, 0.99, 1.0]),
    seed=st.integers(0, 99),
)
def test_every_way_to_compress_has_numpys_elements(
    monkeypatch, itemsize, numel, start, step, share, seed
):
    dtype = {1: "u1", 2: "u2", 4: "u4", 8: "u8", 16: "c16"}[itemsize]
    array = elements(dtype, start + 3 * numel, seed)[start:][:: abs(step)][:numel][:: np.sign(step)]
    mask = flags(start + numel, share, seed)[start:]
    values = elements(dtype, int(mask.sum()), seed + 1)
    written = array.copy()
    written[mask] = values
    for way in ways(itemsize):
        monkeypatch.setattr(mask_select, "_way", lambda _, way=way: way)
        np.testing.assert_array_equal(mask_select.pick(array, mask).array, array[mask])
        around = elements(dtype, start + numel + 9, seed)
        before = around.copy()
        target = around[start : start + numel]
        target[...] = array
        assert mask_select.spread(target, mask, values)
        np.testing.assert_array_equal(target, written)
        np.testing.assert_array_equal(around[:start], before[:start])
        np.testing.assert_array_equal(around[start + numel :], before[start + numel :])
        if itemsize == 8:
            (places,) = mask_select.positions(mask)
            np.testing.assert_array_equal(places.array, np.flatnonzero(mask))


@pytest.mark.parametrize("itemsize", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("numel", [5, 64, CHUNK, 2 * CHUNK + 7])
def test_a_mask_that_changes_between_its_passes_leaves_other_memory_alone(
    monkeypatch, itemsize, numel
):
    dtype = {1: "u1", 2: "u2", 4: "u4", 8: "u8", 16: "c16"}[itemsize]
    array, mask = elements(dtype, numel, 1), np.ones(numel, bool)
    few = mask_select._starts(flags(numel, 0.3, 2))
    monkeypatch.setattr(mask_select, "_starts", lambda _: few)
    for way in ways(itemsize):
        monkeypatch.setattr(mask_select, "_way", lambda _, way=way: way)
        room = np.full(int(few[-1]) + 200, 123, dtype)
        target = room[100 : 100 + int(few[-1])]
        monkeypatch.setattr(mask_select, "new_array", lambda *_, made=target: (made, None))
        monkeypatch.setattr(mask_select, "Leaf", lambda made, _: made)
        found = mask_select.pick(array, mask)
        for chunk, (first, end) in enumerate(pairwise(few.tolist())):
            kept = array[chunk * CHUNK : chunk * CHUNK + end - first]
            np.testing.assert_array_equal(found[first:end], kept)
        assert (room[:100] == 123).all()
        assert (room[-100:] == 123).all()
        beyond = np.full(int(few[-1]) + numel, 251, dtype)
        beyond[: int(few[-1])] = 7
        spread = elements(dtype, numel, 1)
        assert mask_select.spread(spread, mask, beyond[: int(few[-1])])
        assert not (spread == 251).any()


def test_small_masks_are_numpys_and_large_ones_are_compiled_for(monkeypatch):
    monkeypatch.setattr(masks, "_spent", 0.0)
    small = np.ones(masks.LEAST - 1, bool)
    large = np.ones(round(2 * COMPILE_SECONDS / masks.ELEMENT_SECONDS), bool)
    assert masks.pick(small, small) is None
    assert masks._spent == 0.0
    found = masks.pick(large, large)
    assert found is not None
    assert found.shape == large.shape


def test_a_chunk_that_would_leave_its_memory_is_reported(monkeypatch):
    array, mask = np.arange(3 * CHUNK), np.ones(3 * CHUNK, bool)
    short = mask_select._span

    def cut(given: Any) -> list[int]:
        place, first, end = short(given)
        return [place, first, end - (8 if given.dtype == array.dtype else 0)]

    monkeypatch.setattr(mask_select, "_span", cut)
    for run in (
        lambda: mask_select.pick(array, mask),
        lambda: mask_select.positions(mask),
        lambda: mask_select.fill(array, mask, np.int64(1)),
        lambda: mask_select.spread(array, mask, array.copy()),
    ):
        with pytest.raises(BoundsError, match="stay within its memory"):
            run()
