"""Rows that are stored while the next one is folded have the values of rows stored at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nests import assert_same, empty, group_of, run, run_checked

import onebuf as ob
from onebuf.graph import settle
from onebuf.render.llvm.loop.overlap import overlaps
from onebuf.render.llvm.loop.row_cache import cached_steps
from onebuf.render.llvm.rendering import ROW_CACHE_NBYTES, Rendering, RowCache

Function = Callable[[Any], Any]


def softmax(x: Any) -> Any:
    powers = ob.exp(x - ob.max(x, axis=-1, keepdims=True))
    return powers / ob.sum(powers, axis=-1, keepdims=True)


def layernorm(x: Any) -> Any:
    centred = x - ob.mean(x, axis=-1, keepdims=True)
    return centred / ob.sqrt(ob.mean(centred * centred, axis=-1, keepdims=True) + 1e-5)


def from_sum(x: Any) -> Any:
    return x - ob.sum(x, axis=-1, keepdims=True)


def by_column(x: Any) -> Any:
    """What is stored needs the row, its fold, the number of the column and that of the row."""
    down = ob.astype(ob.arange(x.shape[-2]), x.dtype)[:, None]
    along = ob.astype(ob.arange(x.shape[-1]), x.dtype)
    return (x + along) * ob.max(x, axis=-1, keepdims=True) - down


def two_folds(x: Any) -> Any:
    return (x - ob.min(x, axis=-1, keepdims=True)) / ob.max(x, axis=-1, keepdims=True)


def three_folds(x: Any) -> Any:
    """The second loop of three caches what is stored."""
    powers = ob.exp(x - ob.max(x, axis=-1, keepdims=True))
    shares = powers / ob.sum(powers, axis=-1, keepdims=True)
    return powers * ob.sum(shares * shares, axis=-1, keepdims=True)


def plain(x: Any) -> Any:
    return ob.exp(x)


FUNCTIONS: dict[str, Function] = {
    each.__name__: each
    for each in (softmax, layernorm, from_sum, by_column, two_folds, three_folds)
}
ROWS = Rendering(16, streamed=True)


def operand(rows: int, columns: int, dtype: str) -> Any:
    """Rows that are not contiguous, so that they are not merged; what lies between is far off."""
    rng = np.random.default_rng(rows * columns)
    whole = rng.normal(size=(rows, columns + 3)) * 3
    whole[rows // 2, ::7] = -0.0
    whole[-1, columns // 2] = np.nan
    whole[:, columns:] = 1e30
    return ob.asarray(whole.astype(dtype))[:, :columns]


@given(
    name=st.sampled_from(list(FUNCTIONS)),
    dtype=st.sampled_from(["float32", "float64"]),
    rows=st.integers(2, 9),
    lines=st.integers(1, 20) | st.sampled_from([511, 512, 513, 1030]),
    is_kept=st.booleans(),
    lanes=st.sampled_from([8, 16, 32]),
    pieces=st.lists(st.integers(1, 8), max_size=3, unique=True).map(sorted),
)
@settings(max_examples=120, deadline=None)
def test_rows_stored_late_have_the_same_bits(
    name: str, dtype: str, rows: int, lines: int, is_kept: bool, lanes: int, pieces: list[int]
) -> None:
    columns = lines * 64 // np.dtype(dtype).itemsize
    with ob.config(eager_numel=0):
        one = group_of(FUNCTIONS[name](operand(rows, columns, dtype)))
    fits = lines * 64 * len(cached_steps(one.nest)) <= ROW_CACHE_NBYTES
    keep: RowCache = "stack" if is_kept and fits else ""
    late = Rendering(lanes, streamed=True, row_cache=keep)
    assert overlaps(one.nest, late)
    at_once = Rendering(lanes, row_cache=keep)
    assert not overlaps(one.nest, at_once)
    wanted = run(one, at_once, empty(one))
    assert_same(run(one, late, empty(one), tuple(pieces)), wanted)


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_rows_stored_late_stay_within_their_memory(name: str) -> None:
    with ob.config(eager_numel=0):
        one = group_of(FUNCTIONS[name](operand(5, 48, "float32")))
    out = empty(one)
    limits = []
    for reach in one.reaches:
        array = out if reach.is_index or reach.node in one.outputs else settle(reach.node)
        assert array is not None
        limits.append((0, 0) if reach.is_index else np.lib.array_utils.byte_bounds(array))
    assert run_checked(one, ROWS, out, limits) == -1
    for slot, (first, end) in enumerate(limits):
        if not one.reaches[slot].is_index:
            short = [*limits[:slot], (first, end - out.itemsize), *limits[slot + 1 :]]
            assert run_checked(one, ROWS, out, short) == slot


def test_which_rows_are_stored_late() -> None:
    def late(function: Function, dtype: str = "float32", rendering: Rendering = ROWS) -> bool:
        with ob.config(eager_numel=0):
            return overlaps(group_of(function(operand(4, 32, dtype))).nest, rendering)

    assert late(softmax)
    assert late(layernorm, "float64")
    assert not late(softmax, rendering=Rendering(16))  # stores end in the cache
    assert not late(plain)  # nothing is folded
    assert not late(lambda x: ob.cumulative_sum(x, axis=-1) / ob.max(x, axis=-1, keepdims=True))


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_large_results_and_those_in_place_are_the_same(name: str, threads: int) -> None:
    numbers = np.random.default_rng(7).normal(size=(2048, 2048)).astype("float32")
    function = FUNCTIONS[name]
    with ob.config(eager_numel=0, tier="interpret"):
        wanted = np.asarray(function(ob.asarray(numbers[:64])))
    with ob.config(eager_numel=0, tier="compile", threads=threads):
        x = ob.Buffer(numbers)
        found = function(x).realize()
        x[...] = function(x)
        rows = x.realize()
    assert_same(np.asarray(rows), np.asarray(found))
    assert_same(np.asarray(found)[:64], wanted)
