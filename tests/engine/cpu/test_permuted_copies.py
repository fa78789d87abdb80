"""Copies with the axes in another order: whole cache lines are moved, and NumPy's values stay."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onebuf as ob
from onebuf.engine.cpu import strategy
from onebuf.engine.cpu.launch import arranged
from onebuf.kernel import read_order

DTYPES = ("int8", "bool", "uint16", "float32", "int64", "complex64", "complex128")
EXTENTS = st.sampled_from((1, 2, 7, 8, 16, 17, 33, 64, 65, 130))


@contextmanager
def streaming() -> Iterator[None]:
    """Whatever is written goes past the caches, if it is aligned."""
    usual = strategy.STREAMED_BYTES
    strategy.STREAMED_BYTES = 0
    strategy.facts_of.cache_clear()
    try:
        yield
    finally:
        strategy.STREAMED_BYTES = usual
        strategy.facts_of.cache_clear()


def numbers(shape: tuple[int, ...], dtype: str) -> Any:
    found = np.random.default_rng(sum(shape)).integers(0, 120, shape)
    return (found % 2 if dtype == "bool" else found).astype(dtype)


def stored(shape: tuple[int, ...]) -> ob.Buffer:
    return ob.asarray(numbers(shape, "float32"), copy=True)


@st.composite
def views(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[slice, ...], tuple[int, ...]]:
    """A shape, slices of it that may go backwards, and an order of its axes."""
    shape = tuple(draw(st.lists(EXTENTS, min_size=2, max_size=3)))
    if draw(st.booleans()):
        shape = (draw(st.integers(1, 9)), *shape)
    steps = st.sampled_from((slice(None), slice(1, None), slice(None, None, -1), slice(None, -3)))
    key = tuple(draw(st.lists(steps, min_size=len(shape), max_size=len(shape))))
    return shape, key, tuple(draw(st.permutations(range(len(shape)))))


@given(view=views(), dtype=st.sampled_from(DTYPES), checked=st.booleans(), whole=st.booleans())
@settings(max_examples=80, deadline=None)
def test_a_permuted_copy_is_that_of_numpy(
    view: tuple[tuple[int, ...], tuple[slice, ...], tuple[int, ...]],
    dtype: str,
    checked: bool,
    whole: bool,
) -> None:
    shape, key, axes = view
    array = numbers(shape, dtype)
    if whole:
        key = ()
    with streaming(), ob.config(eager_numel=0, tier="compile", check_bounds=checked):
        x = ob.asarray(array, copy=True)
        made = np.asarray(ob.permute_dims(x[key], axes).contiguous())
    np.testing.assert_array_equal(made, array[key].transpose(axes))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize("shape", [(512, 512), (520, 264), (1024, 256)])
def test_blocks_of_tiles_have_the_values_of_numpy(
    dtype: str, checked: bool, shape: tuple[int, int]
) -> None:
    array = numbers(shape, dtype)
    with streaming(), ob.config(eager_numel=0, tier="compile", check_bounds=checked):
        x = ob.asarray(array, copy=True)
        np.testing.assert_array_equal(np.asarray(x.T.contiguous()), array.T)
        np.testing.assert_array_equal(np.asarray((x.T != 1).contiguous()), array.T != 1)


@pytest.mark.parametrize(("shape", "tiles"), [((512, 1024), 4), ((512, 256), 4), ((528, 512), 1)])
def test_rows_in_each_others_way_are_written_in_longer_runs(
    shape: tuple[int, int], tiles: int
) -> None:
    with streaming(), ob.config(eager_numel=0, tier="compile"):
        (group,) = ob.schedule(stored(shape).T.contiguous())
        rendering = arranged(group).rendering
    assert (rendering.strategy, rendering.streamed) == ("register_tiles", True)
    assert rendering.tiles == tiles


def test_rows_that_are_written_past_the_caches_are_read_in_order() -> None:
    with ob.config(eager_numel=0, tier="compile"):
        x = stored((64, 65, 32))
        (group,) = ob.schedule(ob.permute_dims(x, (1, 0, 2)).contiguous())
        assert arranged(group).extents == (65, 64, 32)
        with streaming():
            assert arranged(group).extents == (64, 65, 32)
            (other,) = ob.schedule(ob.permute_dims(x[:2], (1, 0, 2)).contiguous())
            assert arranged(other).extents == (65, 2, 32)  # too few for threads to share


def test_operands_in_different_orders_have_no_order_of_reading() -> None:
    with ob.config(eager_numel=0, tier="compile"):
        x = stored((8, 9, 32))
        y = stored((9, 8, 32))
        (group,) = ob.schedule(ob.permute_dims(x, (1, 0, 2)) + y)
    strides = [reach.view.stride for reach in group.reaches]
    assert read_order(group.nest, strides) is None
