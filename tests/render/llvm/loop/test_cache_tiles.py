"""Transposition in tiles gives the values of a loop over single elements."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nests import (
    addresses_of,
    assert_same,
    empty,
    group_of,
    in_order,
    run,
    strides_of,
)

import onebuf as ob
from onebuf.engine.cpu.strategy import is_aligned
from onebuf.kernel import best_order
from onebuf.render.builder import Builder
from onebuf.render.llvm.loop.cache_tiles import WIDTH, has_cache_tiles
from onebuf.render.llvm.loop.register_tiles import has_register_tiles
from onebuf.render.llvm.memory.transpose import transpose
from onebuf.render.llvm.rendering import Rendering

ROWS = Rendering()
TILES = Rendering(strategy="cache_tiles")
DTYPES = ("float32", "float64", "int8", "uint16", "int32", "int64", "bool")
EDGES = st.sampled_from((2, 7, 8, 9, 16, 31, 64, 65, WIDTH, WIDTH + 3))


def numbers(shape: tuple[int, ...], dtype: str) -> Any:
    rng = np.random.default_rng(sum(shape))
    return rng.integers(0, 2 if dtype == "bool" else 120, shape).astype(dtype)


def copied(x: Any) -> Any:
    return ob.where(ob.asarray(True), x, x)


@given(
    dtype=st.sampled_from(DTYPES),
    rows=EDGES,
    columns=EDGES,
    offset=st.integers(0, 3),
    other=st.sampled_from(DTYPES),
    variant=st.sampled_from(("copy", "add", "both", "row", "mixed")),
    piece=st.integers(0, 140),
    lanes=st.sampled_from((1, 4, 8, 16, 32, 64)),
)
@settings(max_examples=60, deadline=None)
def test_tiles_have_the_value_of_rows(
    dtype: str,
    rows: int,
    columns: int,
    offset: int,
    other: str,
    variant: str,
    piece: int,
    lanes: int,
) -> None:
    wide = numbers((rows, columns + offset), dtype)
    array = wide[:, offset:]
    second = numbers((columns, rows), other)
    with ob.config(eager_numel=0):
        x, y = ob.asarray(wide, copy=True)[:, offset:].T, ob.asarray(second, copy=True)
        made = {
            "copy": lambda: copied(x),
            "add": lambda: x + y,
            "both": lambda: x + ob.asarray(numbers((rows, columns), other)).T,
            "row": lambda: x + y[0],
            "mixed": lambda: ob.astype(x, ob.float32) * 0.5 + ob.astype(y, ob.float32),
        }[variant]()
        one = group_of(made)
    assert has_cache_tiles(one.nest)
    assert has_register_tiles(one.nest) == (variant in ("copy", "both", "row"))
    want = run(one, ROWS, empty(one))
    if variant == "copy":
        assert_same(want, np.ascontiguousarray(array.T))
    for strategy, pieces in product(("rows", "cache_tiles", "register_tiles"), ((), (piece,))):
        rendering = Rendering(lanes, strategy)  # type: ignore[arg-type]
        assert_same(run(one, rendering, empty(one), pieces), want)
    blocks = Rendering(lanes, "register_tiles", tiles=4)
    assert_same(run(one, blocks, empty(one), (piece,)), want)
    out = empty(one)
    if is_aligned(one.nest, addresses_of(one, out), strides_of(one)):
        for strategy in ("rows", "cache_tiles", "register_tiles"):
            streamed = Rendering(lanes, strategy, streamed=True)  # type: ignore[arg-type]
            assert_same(run(one, streamed, empty(one)), want)


@pytest.mark.parametrize("axes", list(permutations(range(3))))
def test_loops_in_another_order_have_the_same_value(axes: tuple[int, ...]) -> None:
    array = numbers((11, 20, 33), "float32")
    with ob.config(eager_numel=0):
        x = ob.permute_dims(ob.asarray(array), axes)
        one = group_of(x + ob.asarray(numbers(x.shape, "float32")))
    order = best_order(one.nest)
    want = run(one, ROWS, empty(one))
    if axes == (2, 1, 0):
        assert order == (1, 0, 2)
    if order is not None:
        assert has_cache_tiles(in_order(one, order).nest)
        assert_same(run(in_order(one, order), TILES, empty(one)), want)
    elif one.nest.ndim == 3:
        assert_same(run(in_order(one, (1, 0, 2)), ROWS, empty(one)), want)


@pytest.mark.parametrize(("size", "nbytes"), [(16, 1), (8, 2), (8, 4), (4, 8), (32, 1), (2, 8)])
def test_a_square_is_turned_round(size: int, nbytes: int) -> None:
    b = Builder(1)
    values = {f"%r{row}": [(row, column) for column in range(size)] for row in range(size)}
    turned = transpose(b, "i8", list(values), nbytes)
    for line in b.lines:  # "%v1 = shufflevector <4 x i8> %a, <4 x i8> %b, <4 x i32> <i32 0, ...>"
        name, text = line.strip().split(" = ")
        one, two = (part.split()[-1] for part in text.split(",")[:2])
        places = [int(part.split()[-1].strip(">")) for part in text.split("<i32")[1].split(",")]
        both = values[one] + values[two]
        values[name] = [both[place] for place in places]
    for column, name in enumerate(turned):
        assert values[name] == [(row, column) for row in range(size)]
