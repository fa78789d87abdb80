"""Scatters against NumPy, on every kind of device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from finite_differences import elements, stored
from foreign_devices import FOREIGN
from hypothesis import given
from hypothesis import strategies as st

import onebuf
from onebuf.errors import IndexRangeError
from onebuf.graph import LIBRARY, Node
from onebuf.ops import copied
from onebuf.ops.scatter import scatter_add, scatter_add_along, scatter_put

Array = np.ndarray[Any, Any]
each_foreign_device = pytest.mark.parametrize("device", FOREIGN)
generators = st.integers(0, 1 << 32).map(np.random.default_rng)


def added(shape: tuple[int, ...], indices: Array, updates: Array, axis: int) -> Array:
    """What `scatter_add` is to give, update by update."""
    result = np.zeros(shape, updates.dtype)
    rows = np.moveaxis(result, axis, 0)
    parts = updates.reshape(*shape[:axis], indices.size, *shape[axis + 1 :])
    for place, part in zip(indices.reshape(-1), np.moveaxis(parts, axis, 0), strict=True):
        rows[place] += part
    return result


def added_along(shape: tuple[int, ...], indices: Array, updates: Array, axis: int) -> Array:
    result = np.zeros(shape, updates.dtype)
    for place in np.ndindex(updates.shape):
        to = (*place[:axis], indices[place], *place[axis + 1 :])
        result[to] += updates[place]
    return result


def on(device: str, array: Any) -> Node:
    """A node with these elements on a device."""
    return onebuf.asarray(np.array(array)).to_device(device)._node


def back(node: Node) -> Array:
    return np.array(onebuf.Buffer._value(node).to_device("CPU"))


@st.composite
def problems(draw: Any) -> tuple[tuple[int, ...], Array, Array, int]:
    """A shape, indices of any sign, updates that add up exactly, and an axis."""
    shape = draw(st.sampled_from([(3,), (1,), (4, 2), (2, 3, 2), (5, 20), (2, 4, 17), (3, 0)]))
    axis = draw(st.sampled_from([n for n, extent in enumerate(shape) if extent]))
    chosen = draw(st.sampled_from([(), (0,), (1,), (4,), (2, 3), (30,)]))
    random = draw(generators)
    indices = random.integers(-shape[axis], shape[axis], chosen)
    updates = random.integers(-9, 9, (*shape[:axis], *chosen, *shape[axis + 1 :]))
    return shape, indices, updates.astype(draw(st.sampled_from(["f4", "f8", "c16", "i8"]))), axis


@given(problems(), st.booleans())
def test_slices_are_added_where_the_indices_say(problem: Any, is_lazy: bool) -> None:
    shape, indices, updates, axis = problem
    with onebuf.config(eager_numel=0 if is_lazy else 4096):
        found = scatter_add(shape, stored(indices), stored(updates), axis)
        np.testing.assert_array_equal(elements(found), added(shape, indices, updates, axis))
        assert found.dtype == updates.dtype


@given(problems(), generators)
def test_elements_are_added_at_an_index_of_their_own(problem: Any, random: Any) -> None:
    shape, _, _, axis = problem
    own = (*shape[:axis], int(random.integers(0, 5)), *shape[axis + 1 :])
    indices = random.integers(-shape[axis], shape[axis], own)
    updates = random.integers(-9, 9, own).astype("f8")
    found = scatter_add_along(shape, stored(indices), stored(updates), axis)
    np.testing.assert_array_equal(elements(found), added_along(shape, indices, updates, axis))


@pytest.mark.parametrize("width", [1, 40])
def test_updates_of_one_place_are_added_in_their_order(width: int) -> None:
    random = np.random.default_rng(0)
    indices = random.integers(0, 3, 600)
    updates = random.standard_normal((600, width)).astype("f4")
    found = scatter_add((3, width), stored(indices), stored(updates), 0)
    np.testing.assert_array_equal(elements(found), added((3, width), indices, updates, 0))


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_sums_of_small_floats_are_rounded_once(name: str) -> None:
    updates = onebuf.full((300, 20), 1.0, dtype=name)._node
    found = scatter_add((2, 20), stored(np.zeros(300, int)), updates, 0)
    assert found.dtype == updates.dtype
    rows = elements(found).astype("f4")
    np.testing.assert_array_equal(rows, np.repeat([[300.0], [0.0]], 20, axis=1))


def test_the_last_of_several_updates_of_one_place_stays() -> None:
    found = scatter_put(stored(np.zeros(4)), stored([1, 3, 1, -1]), stored([1.0, 2.0, 3.0, 4.0]))
    np.testing.assert_array_equal(elements(found), [0, 3, 0, 4])


def test_a_put_leaves_its_operand_as_it_was() -> None:
    x = stored(np.zeros(3))
    scatter_put(x, stored([1]), stored([5.0]))
    np.testing.assert_array_equal(elements(x), np.zeros(3))


def test_a_put_keeps_the_dtype() -> None:
    found = scatter_put(stored(np.zeros(3, "f4")), stored([1]), stored([5.0]))
    assert found.dtype == np.float32


@pytest.mark.parametrize("place", [3, -4])
def test_an_index_outside_says_the_range(place: int) -> None:
    with pytest.raises(IndexRangeError, match="from -3 to 2, got"):
        scatter_add((3, 2), stored([0, place]), stored(np.ones((2, 2))), 0)


def test_one_index_a_row_needs_no_library_call() -> None:
    with onebuf.config(eager_numel=0):
        indices, updates = stored([[1], [0]]), copied(stored(np.ones((2, 1))))
        found = scatter_add_along((2, 5), indices, updates, 1)
        assert found.base.op is not LIBRARY


@each_foreign_device
def test_a_device_adds_slices(device: str) -> None:
    indices, updates = np.array([0, 2, -1, 2]), np.arange(24, dtype="f4").reshape(2, 4, 3)
    found = scatter_add((2, 3, 3), on(device, indices), on(device, updates), 1)
    np.testing.assert_allclose(back(found), added((2, 3, 3), indices, updates, 1))


@each_foreign_device
def test_a_device_adds_elements(device: str) -> None:
    indices, updates = np.array([[0, 2, -1], [1, 1, 1]]), np.arange(6, dtype="f4").reshape(2, 3)
    found = scatter_add_along((2, 4), on(device, indices), on(device, updates), 1)
    np.testing.assert_allclose(back(found), added_along((2, 4), indices, updates, 1))


@each_foreign_device
def test_a_device_puts_the_last_update(device: str) -> None:
    operands = (np.zeros(4, "f4"), np.array([1, 3, 1, -1]), np.array([1, 2, 3, 4], "f4"))
    found = scatter_put(*[on(device, one) for one in operands])
    np.testing.assert_array_equal(back(found), [0, 3, 0, 4])


@each_foreign_device
def test_a_device_puts_nothing(device: str) -> None:
    operands = (np.ones(4, "f4"), np.zeros(0, "i8"), np.zeros(0, "f4"))
    found = scatter_put(*[on(device, one) for one in operands])
    np.testing.assert_array_equal(back(found), np.ones(4))
