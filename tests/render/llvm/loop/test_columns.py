"""Column reductions give the values of a loop over single elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nests import assert_same, empty, group_of, run

import onebuf as ob
from onebuf.kernel import CHUNK
from onebuf.render.llvm.loop.columns import has_columns, tile_columns
from onebuf.render.llvm.loop.row_cache import cached_steps
from onebuf.render.llvm.module import render
from onebuf.render.llvm.rendering import Rendering

ROWS = Rendering()
COLUMNS = Rendering(strategy="columns")
DTYPES = ("float32", "float64", "int8", "uint16", "int32", "int64", "bool")
FOLDS = ("sum", "prod", "max", "min", "all", "any")


def numbers(shape: tuple[int, ...], dtype: str, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    if dtype.startswith("float"):
        return (rng.normal(size=shape) * 10.0 ** rng.integers(-6, 6, shape)).astype(dtype)
    return rng.integers(0, 2 if dtype == "bool" else 100, shape).astype(dtype)


def folded(name: str, x: Any, axis: int, variant: str) -> Any:
    function = getattr(ob, name)
    if variant == "chain":
        return function(ob.abs(x) if x.dtype != ob.bool else ~x, axis=axis) == 1
    if variant == "twice" and x.dtype in (ob.float32, ob.float64):
        return ob.var(x, axis=axis)
    return function(x, axis=axis)


@given(
    name=st.sampled_from(FOLDS),
    dtype=st.sampled_from(DTYPES),
    shape=st.tuples(st.integers(2, 40), st.integers(2, 70)),
    layout=st.sampled_from(("C", "F", "middle", "strided", "flipped")),
    axis=st.sampled_from((0, 1)),
    variant=st.sampled_from(("plain", "chain", "twice")),
    piece=st.integers(0, 70),
    lanes=st.sampled_from((1, 4, 8, 16, 32, 64)),
    prefetch=st.booleans(),
    seed=st.integers(0, 99),
)
@settings(max_examples=120, deadline=None)
def test_columns_have_the_value_of_rows(
    name: str,
    dtype: str,
    shape: tuple[int, int],
    layout: str,
    axis: int,
    variant: str,
    piece: int,
    lanes: int,
    prefetch: bool,
    seed: int,
) -> None:
    if layout == "middle":
        array = numbers((3, *shape), dtype, seed)
        axis += 1
    elif layout == "strided":
        array = numbers((shape[0] * 2, shape[1] * 3), dtype, seed)[::2, 1::3]
    else:
        array = np.asarray(numbers(shape, dtype, seed), order="F" if layout == "F" else "C")
    if name in ("max", "min") and dtype == "bool":
        name = "any"
    with ob.config(eager_numel=0):
        x = ob.asarray(array)
        x = ob.flip(x) if layout == "flipped" else x
        one = group_of(folded(name, x, axis, variant))
    assert has_columns(one.nest)
    want = run(one, ROWS, empty(one))
    for strategy in ("rows", "columns"):
        rendering = Rendering(lanes, strategy, prefetch=prefetch)  # type: ignore[arg-type]
        assert_same(run(one, rendering, empty(one)), want)
        assert_same(run(one, rendering, empty(one), (piece,)), want)


def test_rows_of_large_columns_are_prefetched_once_for_each_cache_line() -> None:
    with ob.config(eager_numel=0):
        x, y = (ob.asarray(numbers((64, 80), dtype, 1)) for dtype in ("float64", "int8"))
        one = group_of(ob.sum(x * y, axis=0))
    text = render(one.nest, "f", Rendering(16, "columns", prefetch=True))
    # Two lines of each of eight rows of float64; a vector of int8 is a quarter of a line.
    assert text.count("call void @llvm.prefetch") == 2 * 8
    assert "i32 0, i32 2, i32 1" in text
    assert "llvm.prefetch" not in render(one.nest, "f", COLUMNS)


@pytest.mark.parametrize("more", [-1, 0, 17])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("axis", [0, 1])
def test_tiles_meet_at_their_edges(more: int, order: Any, axis: int) -> None:
    tile = 1024
    for _ in range(2):  # the first time to find how large a tile is
        shape = (33, tile + more) if axis == 0 else (tile + more, 33)
        array = np.asarray(numbers(shape, "float32", 1), order=order)
        with ob.config(eager_numel=0):
            one = group_of(ob.sum(ob.asarray(array), axis=axis))
        tile = tile_columns(one.nest)
    assert_same(run(one, COLUMNS, empty(one)), run(one, ROWS, empty(one)))


@pytest.mark.parametrize("axis", [0, 1])
def test_long_columns_are_folded_chunk_by_chunk(axis: int) -> None:
    shape = (2 * CHUNK + 77, 3) if axis == 0 else (3, 2 * CHUNK + 77)
    array = numbers(shape, "float32", 2)
    with ob.config(eager_numel=0):
        one = group_of(ob.sum(ob.asarray(array), axis=axis))
    assert_same(run(one, COLUMNS, empty(one)), run(one, ROWS, empty(one)))


def test_two_orders_in_one_kernel_are_those_of_two_kernels() -> None:
    array = numbers((40, 40), "float32", 3)
    with ob.config(eager_numel=0):
        x = ob.asarray(array)
        both = group_of(ob.sum(x, axis=0) + ob.sum(x, axis=1))
        parts = [group_of(ob.sum(x, axis=axis)) for axis in (0, 1)]
    first, second = (run(part, ROWS, empty(part)) for part in parts)
    for rendering in (ROWS, COLUMNS):
        assert_same(run(both, rendering, empty(both)), first + second)


def softmax(x: Any) -> Any:
    powers = ob.exp(x - ob.max(x, axis=-1, keepdims=True))
    return powers / ob.sum(powers, axis=-1, keepdims=True)


def normalized(x: Any) -> Any:
    mean = ob.mean(x, axis=-1, keepdims=True)
    return (x - mean) / ob.sqrt(ob.mean((x - mean) ** 2, axis=-1, keepdims=True))


@pytest.mark.parametrize("function", [softmax, normalized])
@pytest.mark.parametrize("shape", [(40, 7), (5, 33), (3, 20, 3), (70, 2), (300,)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_that_are_stored_again(function: Any, shape: tuple[int, ...], dtype: str) -> None:
    array = np.random.default_rng(4).normal(size=shape).astype(dtype)
    with ob.config(eager_numel=0):
        one = group_of(function(ob.asarray(array)))
    want = run(one, ROWS, empty(one))
    np.testing.assert_allclose(want, reference(function, array), rtol=1e-4, atol=1e-6)
    others = [Rendering(row_cache="stack"), Rendering(row_cache="output")]
    for rendering in [*others, *([COLUMNS] if len(shape) > 1 else [])]:
        assert_same(run(one, rendering, empty(one)), want)


def reference(function: Any, array: Any) -> Any:
    if function is softmax:
        powers = np.exp(array - array.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)
    return (array - array.mean(axis=-1, keepdims=True)) / array.std(axis=-1, keepdims=True)


def test_what_is_dear_is_kept() -> None:
    with ob.config(eager_numel=0):
        x = ob.asarray(numbers((9, 50), "float32", 0))
        dear, cheap = group_of(softmax(x)), group_of(normalized(x))
    assert [dear.nest.steps[number].op.name for number in cached_steps(dear.nest)] == ["exp"]
    assert cached_steps(cheap.nest) == ()
    once, twice = (render(dear.nest, "kernel", how) for how in (Rendering(row_cache="stack"), ROWS))
    assert len(once) < 0.9 * len(twice)
