"""Allocators make buffers with a layout: of numbers, functions, arrays and buffers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_layouts import GROUPS, dense_array, layouts, mask_of

import onebuf
from onebuf import Buffer, Layout, allocator
from onebuf.errors import ArgumentTypeError, LayoutError, OnebufError, ShapeError
from onebuf.sparsity import Block, Element
from onebuf.symmetry import Antisymmetric, Hermitian, Symmetric

N = 40
SQUARE = Layout((N, N), Symmetric(0, 1))


# -- making ----------------------------------------------------------------------------------------


@given(layouts(), st.sampled_from(["float32", "int8", "complex128"]))
def test_what_is_allocated_has_the_layout_and_zeros_where_it_has_them(
    layout: Layout, dtype: str
) -> None:
    x = allocator().allocate(layout, dtype)
    assert (x.shape, x.dtype, x.layout) == (layout.shape, np.dtype(dtype), layout)
    assert not np.asarray(x)[~mask_of(layout)].any()
    x[...] = 0
    assert not np.asarray(x).any()


@given(layouts(), st.integers(0, 9), st.booleans())
def test_an_array_is_taken_at_once_and_its_memory_is_not(
    layout: Layout, seed: int, eager: bool
) -> None:
    dense = dense_array(layout, float, seed)
    source = dense.copy()
    with onebuf.config(eager_numel=4096 if eager else 0):
        x = allocator().construct(layout, source)
        source[...] = 77
        assert np.array_equal(np.asarray(x), dense)
        assert x.layout == layout


def test_a_large_array_is_taken_at_once() -> None:
    source = np.ones((300, 300))
    x = allocator().construct(Layout((300, 300), Symmetric(0, 1)), source)
    y = allocator().construct((300, 300), source)
    source[...] = 0
    assert float(x.sum()) == float(y.sum()) == 90000


@settings(max_examples=60)
@given(layouts(most=4), st.data())
def test_an_array_that_the_layout_cannot_hold_is_refused(layout: Layout, data: Any) -> None:
    dense = dense_array(layout, float, 1)
    if not layout.size or (layout.symmetry is None and mask_of(layout).all()):
        return
    at = np.unravel_index(data.draw(st.integers(0, layout.size - 1)), layout.shape)
    dense[at] += 100
    images = [one.permutation.image for one in layout.group]
    orbit = {tuple([at[image(axis)] for axis in range(layout.rank)]) for image in images}
    if len(orbit) > 1 or not mask_of(layout)[at]:
        with pytest.raises(LayoutError, match="write needs"):
            allocator().construct(layout, dense)


def test_a_number_fills_everything() -> None:
    assert np.asarray(allocator().construct((2, 3), 5)).tolist() == [[5.0] * 3] * 2
    assert np.asarray(allocator().construct(SQUARE, 5)).min() == 5
    assert allocator().construct(SQUARE).dtype == onebuf.zeros(1).dtype
    assert not np.asarray(allocator().construct(SQUARE)).any()
    assert allocator().construct((2,), 1j).dtype == np.complex128
    assert allocator().construct((2,), True).dtype == np.bool_
    assert allocator().construct((2,), np.float32(2)).dtype == np.float32
    assert allocator().construct((2,), 2, dtype="int8").dtype == np.int8
    assert float(allocator().construct((), 3)[...]) == 3


def test_a_number_that_the_layout_cannot_hold_is_refused() -> None:
    with pytest.raises(LayoutError, match="zeros"):
        allocator().construct(Layout((3,), sparsity=Element((3,), [1])), 1)
    with pytest.raises(LayoutError, match="symmetry"):
        allocator().construct(Layout((3, 3), Antisymmetric(0, 1)), 1)
    with pytest.raises(LayoutError, match="symmetry"):
        allocator().construct(Layout((3, 3), Hermitian(0, 1)), 1j)
    assert not np.asarray(allocator().construct(Layout((3, 3), Antisymmetric(0, 1)), 0)).any()


# -- functions -------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(layouts(("none", "symmetric", "cyclic", "S3", "eightfold", "pairs", "pair and one")))
def test_a_function_of_the_index_gives_the_stored_elements(layout: Layout) -> None:
    x = allocator().construct(layout, lambda *index: sum(index) + 1)
    expected = np.where(mask_of(layout), np.indices(layout.shape).sum(axis=0) + 1, 0)
    assert np.array_equal(np.asarray(x), expected)


def test_a_function_may_need_plain_integers() -> None:
    table = [[1, 2], [2, 5]]
    x = allocator().construct(Layout((2, 2), Symmetric(0, 1)), lambda i, j: table[i][j])
    assert np.asarray(x).tolist() == table
    y = allocator().construct((2, 2), lambda i, j: 7 if i == j else 1.5)
    assert np.asarray(y).tolist() == [[7, 1.5], [1.5, 7]]


def test_a_function_may_give_one_value_or_a_row() -> None:
    assert np.asarray(allocator().construct((2, 3), lambda i, j: 4)).tolist() == [[4] * 3] * 2
    assert float(allocator().construct((), lambda: 4.5)[...]) == 4.5
    x = allocator().construct((2, 3), lambda i, j: i + j, dtype="float32")
    assert x.dtype == np.float32


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda i, j: i - j, "symmetry"),
        (lambda i, j: np.zeros((7, 7)), "one value for each index"),
        (lambda i, j: "text", "numbers"),
        (lambda i, j: None, "numbers"),
    ],
)
def test_a_function_that_does_not_fit_is_refused(function: Any, words: str) -> None:
    with pytest.raises(OnebufError, match=words):
        allocator().construct(Layout((3, 3), Symmetric(0, 1)), function)


def test_a_function_with_other_arguments_says_so() -> None:
    with pytest.raises(TypeError):
        allocator().construct((3, 3), lambda i: i)

    def broken(i: Any, j: Any) -> Any:
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        allocator().construct((3, 3), broken)


def test_a_function_with_signs_gives_an_antisymmetric_buffer() -> None:
    x = allocator().construct(Layout((3, 3), Antisymmetric(0, 1)), lambda i, j: i - j)
    assert np.asarray(x).tolist() == [[0, -1, -2], [1, 0, -1], [2, 1, 0]]
    h = allocator().construct(Layout((2, 2), Hermitian(0, 1)), lambda i, j: (i - j) * 1j)
    assert np.asarray(h).tolist() == [[0, -1j], [1j, 0]]


# -- buffers ---------------------------------------------------------------------------------------


def test_a_buffer_is_copied_with_its_layout() -> None:
    x = allocator().construct(SQUARE, lambda i, j: i + j)
    y = allocator().construct(x)
    assert y.layout == SQUARE
    y[0, 1] = 50
    assert x[0, 1] == 1
    z = allocator().construct(x, dtype="float32")
    assert (z.dtype, z.layout) == (np.float32, SQUARE)


def test_a_buffer_that_is_moved_keeps_its_memory() -> None:
    x = allocator().construct(SQUARE, 1.0)
    assert allocator().construct(x, move=True) is x
    native = np.arange(4.0)
    assert np.asarray(allocator().construct(native)).tolist() == [0, 1, 2, 3]


def test_a_buffer_goes_to_the_device_of_the_allocator_and_back() -> None:
    x = allocator().construct(SQUARE, lambda i, j: i + j)
    there = allocator("PYTHON").construct(x)
    assert str(there.device) == "PYTHON"
    assert there.layout == SQUARE
    assert np.array_equal(np.asarray(allocator().construct(there)), np.asarray(x))


# -- kinds and runtimes ----------------------------------------------------------------------------


def test_buffers_know_their_allocator_and_their_runtime() -> None:
    x = allocator().construct(SQUARE)
    assert x.allocator == allocator()
    assert x.runtime is allocator().runtime
    assert x.allocator.construct(SQUARE).layout == x.layout
    assert x.to_device("PYTHON").allocator == allocator("PYTHON")
    assert hash(allocator()) == hash(allocator("CPU"))


def test_an_allocator_makes_the_kinds_of_its_device() -> None:
    assert allocator().can_rebind(Buffer)
    assert allocator().can_rebind(onebuf.OnDemandBuffer)
    assert allocator().rebind(Buffer) == allocator()
    assert allocator("CPU", Buffer) == allocator()
    for wrong in (3, None, int, "nonsense"):
        with pytest.raises(ArgumentTypeError, match="kind"):
            allocator().can_rebind(wrong)
    with pytest.raises(OnebufError):
        allocator("NOWHERE")


@pytest.mark.parametrize("layout", ["ab", None, (2, -1), (1.5,)])
def test_what_is_no_layout_is_refused(layout: Any) -> None:
    for make in (allocator().allocate, allocator().construct):
        with pytest.raises(OnebufError):
            make(layout)


def test_other_values_are_refused() -> None:
    with pytest.raises(ShapeError, match="shape of the layout"):
        allocator().construct(SQUARE, np.ones(3))
    with pytest.raises(OnebufError):
        allocator().construct(SQUARE, "text")
    with pytest.raises(OnebufError):
        allocator().construct(SQUARE, 1, dtype="nonsense")
    with pytest.raises(OnebufError, match="negated"):
        allocator().construct(Layout((2, 2), Antisymmetric(0, 1)), False, dtype=bool)


# -- memory ----------------------------------------------------------------------------------------

STORED: dict[str, tuple[Layout, int]] = {
    "symmetric": (SQUARE, N * (N + 1) // 2),
    "antisymmetric": (Layout((N, N), Antisymmetric(0, 1)), N * (N - 1) // 2),
    "eightfold": (Layout((8,) * 4, GROUPS["eightfold"]), 36 * 37 // 2),
    "blocks": (
        Layout((N, N), sparsity=Block.tiles((N, N), (4, 4), nonzero=[(0, 0), (2, 3), (9, 9)])),
        48,
    ),
    "elements": (Layout((N, N), sparsity=Element((N, N), [(0, 0), (5, 7)])), 2),
    "nothing": (Layout((N, N), sparsity=Element((N, N), [])), 0),
}


@pytest.mark.parametrize("name", STORED)
def test_memory_is_taken_for_what_is_stored_alone(name: str) -> None:
    layout, stored = STORED[name]
    assert layout.stored == stored
    allocator().construct(layout)  # tables of the layout are made once
    with onebuf.counters() as counted:
        x = allocator().allocate(layout, "float64")
        x[...] = 0
        assert x.unwrap().shape == (stored,)
        assert x.nbytes == stored * 8
    assert counted.bytes_allocated <= max(2 * stored * 8, 4096)


def test_results_take_memory_for_what_is_stored_alone() -> None:
    x = allocator().construct(Layout((1000, 1000), Symmetric(0, 1)), 2.0)
    float((x * 2).sum())
    with onebuf.counters() as counted:
        y = x * 3 + 1
        y.unwrap()
    assert counted.bytes_allocated < 2 * y.nbytes * 1.1  # two results, neither of 1000 by 1000
    assert y.nbytes == 1000 * 1001 // 2 * 8


def test_a_sparse_buffer_may_be_larger_than_memory() -> None:
    shape = (10**7, 10**7)
    x = allocator().construct(Layout(shape, sparsity=Element(shape, [(5, 6), (7, 8)])), 0)
    x[5, 6] = 4.0
    y = x * 2
    assert (float(y[5, 6]), float(y[5, 7]), float(y.sum())) == (8, 0, 8)
    assert y.nbytes == 16
