"""Arrangements place every element, and say of each stored one where it belongs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_layouts import GROUPS, dense_array, extents_of, layouts, mask_of

from onebuf import Layout
from onebuf.backends.numpy.gather import Places, gather, locate
from onebuf.layout.arrangement.arrangement import Packed
from onebuf.layout.expression import indices
from onebuf.layout.on_arrays import evaluated
from onebuf.sparsity import Block, Element

Array = np.ndarray[Any, Any]


def places_of(layout: Layout) -> Places:
    """The places of all elements."""
    return locate(layout, np.indices(layout.shape, sparse=True), *layout.tables)


def stored_index(layout: Layout) -> list[Array]:
    """An index of each stored element, in the order of positions."""
    storage = layout.arrangement.storage
    tables: list[Array] = []
    wanted = layout.arrangement.indices(indices(len(storage)), tables)
    found = evaluated(wanted, np.indices(storage, sparse=True), tables)
    return [np.broadcast_to(along, storage).reshape(-1) for along in found]


def weights_of(layout: Layout) -> Array:
    """How many elements each stored one stands for."""
    storage = layout.arrangement.storage
    tables: list[Array] = []
    wanted = layout.arrangement.weight(indices(len(storage)), tables)
    if wanted is None:
        return np.ones(layout.stored, int)
    [found] = evaluated([wanted], np.indices(storage, sparse=True), tables)
    return np.broadcast_to(found, storage).reshape(-1)


def there_of(layout: Layout, places: Places) -> Array:
    return np.ones(layout.shape, bool) if places.there is None else places.there


@given(layouts())
def test_every_element_that_is_there_has_a_position_in_range(layout: Layout) -> None:
    places = places_of(layout)
    there = there_of(layout, places)
    position = places.position[there]
    assert np.array_equal(there, mask_of(layout))
    assert ((position >= 0) & (position < layout.stored)).all()
    assert np.array_equal(np.unique(position), np.arange(layout.stored))


@given(layouts())
def test_the_index_of_a_stored_element_is_placed_where_it_is(layout: Layout) -> None:
    index = tuple(stored_index(layout))
    assert layout.stored == int(np.prod(layout.arrangement.storage))
    if layout.stored and layout.rank:
        places = locate(layout, index, *layout.tables)
        assert np.array_equal(places.position, np.arange(layout.stored))
        assert places.there is None or places.there.all()
        assert places.negated is None or not places.negated.any()
        assert places.conjugated is None or not places.conjugated.any()


@given(layouts())
def test_elements_share_a_position_only_with_those_of_their_orbit(layout: Layout) -> None:
    places = places_of(layout)
    there = there_of(layout, places)
    index = np.indices(layout.shape)
    first = np.full(layout.shape, layout.size)
    for one in layout.group:
        moved = index[[one.permutation.image(axis) for axis in range(layout.rank)]]
        if layout.size:
            first = np.minimum(first, np.ravel_multi_index(tuple(moved), layout.shape))
    pairs = np.unique(np.stack([first[there], places.position[there]]), axis=1)
    assert pairs.shape[1] == layout.stored


@given(layouts())
def test_weights_count_every_element_that_is_not_structurally_0(layout: Layout) -> None:
    places = places_of(layout)
    counts = np.bincount(places.position[there_of(layout, places)], minlength=layout.stored)
    assert np.array_equal(weights_of(layout), counts)


@given(layouts(), st.integers(0, 99))
def test_what_is_stored_reads_as_the_array_that_has_the_layout(layout: Layout, seed: int) -> None:
    dense = dense_array(layout, complex, seed)
    stored = dense[tuple(stored_index(layout))].reshape(layout.stored)
    assert np.array_equal(gather(layout, stored, *layout.tables), dense)


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize("size", [0, 1, 2, 3, 4])
def test_a_symmetry_stores_as_many_elements_as_it_leaves_independent(name: str, size: int) -> None:
    group = GROUPS[name]
    shape = extents_of(group, [size + axis % 2 for axis in range(group.rank)])
    assert Layout(shape, group).stored == group.unique(shape)


@pytest.mark.parametrize(
    "name", ["symmetric", "S3", "signed S4", "eightfold", "twisted", "pairs", "two products"]
)
def test_common_symmetries_need_no_table(name: str) -> None:
    group = GROUPS[name]
    arrangement = Layout(extents_of(group, [3] * group.rank), group).arrangement
    assert isinstance(arrangement, Packed)
    assert arrangement.tables == ()


@given(layouts())
def test_tables_are_integers_of_one_axis(layout: Layout) -> None:
    for table in layout.tables:
        assert table.ndim == 1
        assert table.dtype == np.int64


def test_a_table_has_room_for_elements_that_are_not_only_few() -> None:
    layout = Layout((10**6, 10**6), sparsity=Element((10**6, 10**6), [(3, 4), (10**6 - 1, 0)]))
    assert sum(table.size for table in layout.tables) < 100
    assert places_at(layout, (3, 4)) == 0
    assert places_at(layout, (10**6 - 1, 0)) == 1
    assert places_at(layout, (3, 5)) is None


def places_at(layout: Layout, index: tuple[int, ...]) -> int | None:
    """The position of one element; None if there is none."""
    places = locate(layout, [np.asarray(i) for i in index], *layout.tables)
    return int(places.position) if places.there is None or places.there else None


@pytest.mark.parametrize(
    "layout",
    [
        Layout((), sparsity=Element((), [()])),
        Layout((), sparsity=Element((), [])),
        Layout((), sparsity=Block((), [((), ())])),
        Layout((), sparsity=Block((), [])),
    ],
)
def test_a_scalar_may_have_a_sparsity(layout: Layout) -> None:
    assert layout.sparsity is not None
    assert layout.stored == layout.sparsity.nonzero_count
    dense = np.full((), 7.0 * layout.stored)
    assert gather(layout, dense.reshape(-1)[: layout.stored], *layout.tables) == dense
