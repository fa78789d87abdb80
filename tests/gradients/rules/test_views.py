"""Gradients through any view are what its definition says, by views and pads where that can be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from finite_differences import elements, inputs_of, seed_like, stored
from hypothesis import given
from hypothesis import strategies as st
from random_views import views

import onebuf
from onebuf import Layout, ops
from onebuf.gradients.reverse import pullback
from onebuf.graph import CONCAT, COPY, LIBRARY, PAD, REDUCE, VIEW, Kind, Node, make
from onebuf.layout import View, positions
from onebuf.symmetry import Antisymmetric, Hermitian

Array = np.ndarray[Any, Any]


def adjoint(shape: tuple[int, ...], view: View) -> tuple[Array, Array, Node]:
    """The gradient of a base of ``shape`` by the rule, by the definition, and the rule's node."""
    seed = np.random.default_rng(0).standard_normal(view.shape)
    expected = np.zeros(int(np.prod(shape)))
    for position, g in zip(positions(view), seed.reshape(-1), strict=True):
        if position is not None:
            expected[position] += g
    with onebuf.config(eager_numel=0):
        (base,) = inputs_of([np.zeros(shape)])
        node = make(VIEW, (base,), view, view.shape, base.dtype)
        (found,) = pullback([node], [ops.copied(stored(seed))], [base])
        assert found is not None
        # What is stored forgets what it was computed from.
        ops_of_it = make(COPY, (found,), None, found.shape, found.dtype, unique=True)
        kept = walk(found)
        return elements(ops_of_it), expected.reshape(shape), kept


def walk(node: Node) -> Any:
    """The operations that a node is computed by, between the inputs and itself."""
    found, stack = [], [node]
    while stack:
        one = stack.pop()
        found.append(one.op)
        stack.extend(one.srcs)
    return found


@given(views())
def test_a_gradient_is_summed_over_all_places_of_an_element(drawn: Any) -> None:
    found, expected, _ = adjoint(*drawn)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@given(views(), st.data())
def test_padding_gets_no_gradient(drawn: Any, data: Any) -> None:
    shape, view = drawn
    width = st.tuples(st.integers(0, 2), st.integers(0, 2))
    padded = view.pad([data.draw(width) for _ in view.shape])
    found, expected, _ = adjoint(shape, padded)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_a_view_of_padding_alone_gives_no_gradient() -> None:
    found, expected, _ = adjoint((2,), View((2,), (1,)).pad([(1, 0)]).index(slice(0, 1)))
    np.testing.assert_array_equal(found, expected)


@given(views(repeats=False))
def test_a_view_that_shows_elements_once_is_undone_without_a_scatter(drawn: Any) -> None:
    _, _, kinds = adjoint(*drawn)
    assert LIBRARY not in kinds


LONG = View((70, 70), (1, 1))


def test_long_windows_are_scattered() -> None:
    found, expected, kinds = adjoint((139,), LONG)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert LIBRARY in kinds


def test_long_windows_with_padding_are_scattered() -> None:
    found, expected, kinds = adjoint((139,), LONG.pad([(1, 0), (0, 2)]))
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert LIBRARY in kinds


def test_short_windows_are_sums_of_pads() -> None:
    _, _, kinds = adjoint((100,), View((98, 3), (1, 1)))
    assert LIBRARY not in kinds
    assert kinds.count(PAD) == 3


def heads(x: Node, part: int) -> Node:
    """One of the three parts of a projection, split into heads as attention does."""
    width = x.shape[-1] // 3
    one = ops.index(x, (..., slice(part * width, (part + 1) * width)))
    return ops.permute(ops.reshape(one, (*x.shape[:-1], 2, width // 2)), (0, 2, 1, 3))


def gradient_of(function: Callable[[Node], list[Node]], shape: tuple[int, ...]) -> Node:
    """The gradient node of an input of ``shape`` from the outputs of a function."""
    (x,) = inputs_of([np.zeros(shape)])
    outputs = function(x)
    seeds = [ops.copied(stored(np.ones(one.shape))) for one in outputs]
    (found,) = pullback(outputs, seeds, [x])
    assert found is not None
    return found


def test_parts_that_tile_a_tensor_are_joined_and_not_added() -> None:
    with onebuf.config(eager_numel=0):
        found = gradient_of(lambda x: [heads(x, n) for n in range(3)], (2, 5, 24))
        assert found.base.op is CONCAT
        assert PAD not in walk(found)


def test_heads_are_put_back_without_a_copy() -> None:
    with onebuf.config(eager_numel=0):
        found = gradient_of(lambda x: [heads(x, 1)], (2, 5, 24))
        kinds = walk(found)
        assert kinds.count(PAD) == 1
        assert kinds.count(COPY) == 1  # the seed


def test_parts_with_a_gap_are_joined_with_zeros() -> None:
    with onebuf.config(eager_numel=0):
        found = gradient_of(lambda x: [heads(x, 0), heads(x, 2)], (2, 5, 24))
        assert found.base.op is CONCAT
        expected = np.ones((2, 5, 24))
        expected[..., 8:16] = 0
        np.testing.assert_array_equal(elements(found), expected)


def test_parts_are_joined_before_the_whole_is_added() -> None:
    with onebuf.config(eager_numel=0):
        found = gradient_of(lambda x: [x, *[heads(x, n) for n in range(3)]], (2, 5, 24))
        assert found.op.name == "add"
        assert PAD not in walk(found)
        np.testing.assert_array_equal(elements(found), np.full((2, 5, 24), 2.0))


def test_steps_of_a_sequence_are_joined() -> None:
    with onebuf.config(eager_numel=0):
        found = gradient_of(
            lambda x: [ops.index(x, (slice(None), n)) for n in (5, 0, 2)], (2, 7, 3)
        )
        assert walk(found).count(CONCAT) == 1
        expected = np.zeros((2, 7, 3))
        expected[:, [0, 2, 5]] = 1
        np.testing.assert_array_equal(elements(found), expected)


def test_rows_and_slices_are_joined_too() -> None:
    with onebuf.config(eager_numel=0):
        found = gradient_of(lambda x: [ops.index(x, 0), ops.index(x, slice(1, 3))], (3, 4))
        assert found.base.op is CONCAT


def test_a_repeated_axis_is_summed() -> None:
    with onebuf.config(eager_numel=0):
        found = gradient_of(lambda x: [ops.expand(x, (7, 3))], (3,))
        assert [op for op in walk(found) if op.kind is Kind.REDUCE] == [REDUCE["sum"]]


@pytest.mark.parametrize("group", [Antisymmetric(0, 1), Hermitian(0, 1)], ids=str)
def test_a_layout_without_strides_gives_its_storage_a_gradient(group: Any) -> None:
    dtype = np.dtype("complex128")
    layout = Layout((3, 3), group)
    with onebuf.config(eager_numel=0):
        size = int(np.prod(layout.arrangement.storage))
        storage = np.arange(1, size + 1).astype(dtype) + 0.5j
        (flat,) = inputs_of([storage])
        node = make(VIEW, (flat,), layout, layout.shape, dtype)
        seed = seed_like(np.empty((3, 3), dtype))
        (found,) = pullback([node], [ops.copied(stored(seed))], [flat])
        assert found is not None
        moved = np.array([0.1, -0.2j, 0.3 + 0.1j])
        changed = [elements(ops.expanded(make(VIEW, (one,), layout, layout.shape, dtype)))
                   for one in inputs_of([storage, storage + np.resize(moved, size)])]  # fmt: skip
        expected = np.sum(np.conj(seed) * (changed[1] - changed[0])).real
        actual = np.sum(np.conj(elements(found)) * np.resize(moved, size)).real
        np.testing.assert_allclose(actual, expected)
