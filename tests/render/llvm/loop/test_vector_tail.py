"""Masked vector tails give the values of a loop over single elements."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from nests import addresses_of, assert_same, empty, group_of, run, strides_of

import onebuf as ob
from onebuf.backends.cpu import compile, host
from onebuf.engine.cpu import program
from onebuf.engine.cpu.program import pack, scalar_words
from onebuf.engine.cpu.strategy import choose
from onebuf.render.llvm.loop import vector_loops
from onebuf.render.llvm.memory.masked_access import has_vector_tail
from onebuf.render.llvm.module import render
from onebuf.render.llvm.rendering import Rendering, RowCache

LENGTHS = (*range(2, 36), 47, 48, 49, 63, 64, 65, 143, 8191, 8192, 8193)
"""Less than a vector, more, and next to the chunks of a fold."""


def softmax(x: Any) -> Any:
    powers = ob.exp(x - ob.max(x, axis=1, keepdims=True))
    return powers / ob.sum(powers, axis=1, keepdims=True)


MADE: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "exp": ("float32", ob.exp),
    "log of doubles": ("float64", lambda x: ob.log(ob.abs(x))),
    "sum": ("float32", lambda x: ob.sum(x, axis=1)),
    "sum of doubles": ("float64", lambda x: ob.sum(x * x, axis=1)),
    "product": ("int32", lambda x: ob.prod(x, axis=1)),
    "least": ("int64", lambda x: ob.min(x, axis=1)),
    "greatest": ("float64", lambda x: ob.max(x, axis=1)),
    "greatest of zeros": ("float32", lambda x: ob.max(x * 0, axis=1)),
    "least of zeros": ("float64", lambda x: ob.min(x * 0, axis=1)),
    "any": ("float32", lambda x: ob.any(x > 3, axis=1)),
    "from the mean": ("float32", lambda x: x - ob.mean(x, axis=1, keepdims=True)),
    "softmax": ("float32", softmax),
    "softmax of doubles": ("float64", softmax),
    "positions": ("float32", lambda x: ob.exp(x * ob.astype(ob.arange(x.shape[1]), x.dtype))),
}


def operand(length: int, dtype: str) -> Any:
    rng = np.random.default_rng(length)
    whole = rng.normal(size=(3, length + 1)) * 3
    whole[1, ::7] = -0.0
    if length > 3:
        whole[2, length - 1] = np.nan if dtype.startswith("f") else 0
    # Rows that are not contiguous are not merged; elements after them must not matter.
    whole[:, length] = 1e30 if dtype.startswith("f") else 1e9
    return ob.asarray(whole.astype(dtype))[:, :length]


@pytest.mark.parametrize("lanes", [8, 32])
@pytest.mark.parametrize("name", list(MADE))
def test_tails_have_the_bits_of_single_elements(
    name: str, lanes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    dtype, function = MADE[name]
    texts = set()
    for length in LENGTHS:
        with ob.config(eager_numel=0):
            one = group_of(function(operand(length, dtype)))
        keeps: tuple[RowCache, ...] = ("", "stack", "output") if "softmax" in name else ("",)
        for keep in keeps if length <= 8192 else ("", "output")[: len(keeps)]:
            rendering = Rendering(lanes, row_cache=keep)
            text = render(one.nest, "kernel", rendering)
            assert ".masked.load." in text
            got = run(one, rendering, empty(one))
            with monkeypatch.context() as patch:
                patch.setattr(vector_loops, "has_vector_tail", lambda *_: False)
                program.program.cache_clear()
                assert ".masked.load." not in render(one.nest, "kernel", rendering)
                want = run(one, rendering, empty(one))
            program.program.cache_clear()
            assert_same(got, want)
            texts.add(text)
    assert len(texts) <= 2 * len(keeps)


@pytest.mark.parametrize("name", list(MADE))
@pytest.mark.parametrize("length", [5, 16, 21, 37])
def test_tails_stay_within_their_memory(name: str, length: int) -> None:
    dtype, function = MADE[name]
    with ob.config(eager_numel=0, tier="compile"):
        want = function(operand(length, dtype)).realize()
        with ob.config(check_bounds=True):
            got = function(operand(length, dtype)).realize()
    assert_same(np.asarray(got), np.asarray(want))


@pytest.mark.parametrize(
    "dtype, function, expected",
    [
        ("float32", ob.exp, True),
        ("float32", lambda x: x * 2, False),  # as fast one by one
        ("float32", lambda x: ob.sum(x, axis=1), True),
        ("float64", lambda x: ob.sum(x[:, ::2], axis=1), False),
        ("float64", lambda x: ob.exp(ob.flip(x)), False),
        ("int8", lambda x: ob.max(x, axis=1), False),
    ],
)
def test_which_rows_end_in_a_vector(dtype: str, function: Any, expected: bool) -> None:
    with ob.config(eager_numel=0):
        nest = group_of(function(operand(20, dtype))).nest
    folds = any(step.op.kind == "reduce" for step in nest.steps)
    assert has_vector_tail(nest, range(len(nest.steps)), folds) is expected
    assert (".masked.load." in render(nest, "kernel", Rendering())) is expected


def test_short_rows_of_elements_that_end_in_vectors_are_rows() -> None:
    chosen = []
    for dtype in ("float32", "int8"):
        with ob.config(eager_numel=0):
            nest = group_of(ob.max(operand(20, dtype), axis=1)).nest
        strides = [(21, 1), (1, 0)]
        for extent in (15, 16, 31, 32):
            chosen.append(choose(nest, (1000, extent), [0, 0], strides).strategy)
    assert chosen == ["columns", "rows", "rows", "rows", "columns", "columns", "columns", "rows"]


def test_long_rows_of_functions_of_floats_have_long_vectors() -> None:
    chosen = []
    for dtype, function in (("float32", ob.exp), ("float64", ob.exp), ("float32", ob.abs)):
        with ob.config(eager_numel=0):
            nest = group_of(function(operand(20, dtype))).nest
        for extent in (63, 64):
            chosen.append(choose(nest, (3, extent), [4, 4], [(99, 1), (99, 1)]).lanes)
    assert chosen == [16, 32, 8, 8, 16, 16]


def loops_with(word: str, function: Any, lanes: int = 16) -> list[bool]:
    """Which loops over vectors of a row contain a word, in order."""
    with ob.config(eager_numel=0):
        nest = group_of(function(operand(20, "float32"))).nest
    bodies = re.split(r"\nloop\d+\.body:", render(nest, "kernel", Rendering(lanes)))[1:]
    return [word in body for body in bodies if "load <" in body]


def test_a_fold_prefetches_its_row_and_the_second_loop_over_it_the_next() -> None:
    def relative(x: Any) -> Any:
        return x / ob.sum(x, axis=1, keepdims=True)

    prefetch = "call void @llvm.prefetch"
    assert loops_with(prefetch, softmax) == [True, True, False]
    assert loops_with(prefetch, relative) == [True, True]
    assert loops_with(prefetch, ob.exp) == [False]
    assert loops_with(prefetch, lambda x: ob.sum(x, axis=1)) == [True]


def test_a_loop_that_stores_after_a_slow_fold_prefetches_nothing() -> None:
    def away(name: str) -> Any:
        return lambda x: x - getattr(ob, name)(x, axis=1, keepdims=True)

    prefetch = "call void @llvm.prefetch"
    assert loops_with(prefetch, away("var")) == [True, False]
    assert loops_with(prefetch, away("mean")) == [True, True]
    assert loops_with(prefetch, lambda x: x / ob.sum(ob.exp(x), axis=1, keepdims=True)) == [
        *(True, False),
    ]


def test_a_loop_without_the_widest_elements_has_more_lanes() -> None:
    def scaled(x: Any) -> Any:
        return x * ob.astype(ob.sum(ob.astype(x, "float64") ** 2, axis=1, keepdims=True), x.dtype)

    assert loops_with("store <16 x float>", scaled, 8) == [False, True]
    assert loops_with("store <8 x float>", lambda x: x * 2, 8) == [True]


def test_extremes_of_long_rows_are_compared_with_one_another_first() -> None:
    assert loops_with("load <64 x float>", lambda x: ob.max(x, axis=1)) == [True]
    assert loops_with("load <16 x float>", lambda x: ob.sum(x, axis=1)) == [True]
    assert loops_with("load <16 x float>", lambda x: ob.any(x > 3, axis=1)) == [True]
    assert loops_with("load <16 x float>", lambda x: ob.max(x * x + x * 2 - 1, axis=1)) == [True]


@pytest.mark.parametrize("name", ["softmax", "sum of doubles", "least"])
def test_processors_that_cannot_turn_lanes_off_give_the_same_bits(
    name: str,
) -> None:
    dtype, function = MADE[name]
    with ob.config(eager_numel=0):
        one = group_of(function(operand(21, dtype)))
    want = run(one, Rendering(), empty(one))
    text = render(one.nest, "kernel", Rendering())
    baseline = compile(text, "kernel", host().baseline())
    words = pack(
        addresses_of(one, out := empty(one)),
        one.extents,
        strides_of(one),
        scalar_words(one.scalars),
    )
    baseline.call(words.ctypes.data, 0, one.extents[0])
    assert_same(out, want)
