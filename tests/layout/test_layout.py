"""Layouts as values: what they are made of, when they are equal, and what is refused."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from random_layouts import ANTIHERMITIAN, layouts

import onebuf
from onebuf import Layout
from onebuf.errors import ArgumentTypeError, LayoutError, OnebufError, ShapeError
from onebuf.shapes import Jagged, Nested, Smooth, Tiled
from onebuf.sparsity import Block, Element, Norm
from onebuf.symmetry import Antisymmetric, Group, Hermitian, Operation, Permutation, Symmetric

NAMES: dict[str, Any] = {
    **{one.__name__: one for one in (Layout, Smooth, Tiled, Jagged, Block, Element, Norm, Group)},
    **{one.__name__: one for one in (Antisymmetric, Hermitian, Symmetric, Operation, Permutation)},
    "array": np.array,
}


@given(layouts())
def test_a_pickled_layout_is_equal_and_stores_alike(layout: Layout) -> None:
    again = pickle.loads(pickle.dumps(layout))
    assert again == layout
    assert hash(again) == hash(layout)
    assert again.stored == layout.stored
    for one, two in zip(again.tables, layout.tables, strict=True):
        assert np.array_equal(one, two)
    assert copy.deepcopy(layout) == layout


@given(layouts())
def test_the_repr_says_how_to_make_the_layout_again(layout: Layout) -> None:
    text = repr(layout)
    if "<" not in text:  # long sparsities are told in short
        assert eval(text, NAMES) == layout


@given(layouts(), layouts())
def test_equal_layouts_store_the_same_elements(one: Layout, two: Layout) -> None:
    assert (one == two) == (two == one)
    if one == two:
        assert hash(one) == hash(two)
        assert (one.shape, one.stored) == (two.shape, two.stored)


def test_layouts_differ_by_shape_symmetry_sparsity_and_tiles() -> None:
    four = (4, 4)
    different = [
        Layout(four),
        Layout((4, 5)),
        Layout(four, Symmetric(0, 1)),
        Layout(four, Antisymmetric(0, 1)),
        Layout(four, Hermitian(0, 1)),
        Layout(four, ANTIHERMITIAN),
        Layout(four, sparsity=Element(four, [(1, 1)])),
        Layout(four, sparsity=Block(four, [((1, 1), (2, 2))])),
        Layout(four, Symmetric(0, 1), Element(four, [(1, 1)])),
        Layout(four, tiles=2),
        Layout(four, tiles=(2, 4)),
    ]
    assert len(set(different)) == len(different)
    assert Layout(four) != four


def test_shapes_of_every_sort_give_extents() -> None:
    assert Layout(5).shape == (5,)
    assert Layout([2, np.int64(3)]).shape == (2, 3)
    assert Layout(np.array([2, 3])).shape == (2, 3)
    assert Layout(Smooth(2, 3)) == Layout((2, 3))
    assert Layout(Nested((1, 1), (2, 3))).shape == (2, 3)
    assert Layout(Tiled((5, 15, 10), (5, 15, 10))).shape == (30, 30)
    assert Layout(Jagged([10, 20, 30])).shape == (3, 30)
    assert Layout(()).shape == ()


def test_a_jagged_shape_stores_its_rows_alone() -> None:
    assert Layout(Jagged([10, 20, 30])).stored == 60
    assert Layout(Jagged([0, 0])).stored == 0


def test_tiles_store_every_element() -> None:
    layout = Layout((7, 5), tiles=3)
    assert layout.tiles == Tiled((3, 3, 1), (3, 2))
    assert layout.stored == 35
    assert not layout.is_plain
    assert Layout((7, 5), tiles=((4, 3), 5)).tiles == Tiled((4, 3), (5,))


def test_a_trivial_group_is_no_symmetry() -> None:
    assert Layout((2, 2), Group(rank=2)).symmetry is None
    assert Layout((2, 2), Group(rank=2)) == Layout((2, 2))
    assert Layout((2, 2)).is_plain


def test_a_symmetry_of_fewer_axes_leaves_the_others_alone() -> None:
    assert Layout((3, 3, 2), Symmetric(0, 1)).stored == 12


def test_a_layout_of_compressed_rows_is_equal_to_one_of_its_elements() -> None:
    starts, columns = np.array([0, 2, 2, 3], np.int32), np.array([0, 2, 1], np.int32)
    rows = Layout.of_rows((3, 4), starts, columns)
    other = Layout((3, 4), sparsity=Element((3, 4), [(0, 0), (0, 2), (2, 1)]))
    assert rows == other
    assert hash(rows) == hash(other)
    assert rows.stored == other.stored == 3
    assert not rows.is_plain
    assert pickle.loads(pickle.dumps(rows)) == rows
    assert repr(rows) == repr(other)


WRONG: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "no shape": ({"shape": "ab"}, ArgumentTypeError, "integer"),
    "None": ({"shape": None}, ArgumentTypeError, "integer"),
    "a float": ({"shape": (2.5, 2)}, ArgumentTypeError, "integer"),
    "negative": ({"shape": (2, -1)}, OnebufError, "0 or more"),
    "other extents": ({"shape": (2, 3), "symmetry": Symmetric(0, 1)}, ShapeError, "one extent"),
    "too few axes": ({"shape": (2,), "symmetry": Symmetric(0, 1)}, OnebufError, "rank"),
    "no group": ({"shape": (2, 2), "symmetry": "symmetric"}, ArgumentTypeError, "symmetry group"),
    "no sparsity": ({"shape": (2,), "sparsity": [1]}, ArgumentTypeError, "sparsity"),
    "sparsity of another shape": (
        {"shape": (2, 2), "sparsity": Element((2, 3), [(0, 0)])},
        LayoutError,
        "of this shape",
    ),
    "jagged and sparse": (
        {"shape": Jagged([1, 2]), "sparsity": Element((2, 2), [])},
        LayoutError,
        "jagged",
    ),
    "tiles twice": ({"shape": Tiled((1, 1), (2,)), "tiles": 1}, LayoutError, "already"),
    "tiles and symmetry": (
        {"shape": (2, 2), "symmetry": Symmetric(0, 1), "tiles": 1},
        LayoutError,
        "either",
    ),
    "tiles and sparsity": (
        {"shape": (2, 2), "sparsity": Element((2, 2), []), "tiles": 1},
        LayoutError,
        "either",
    ),
    "tiles of another rank": ({"shape": (2, 2), "tiles": (1, 1, 1)}, LayoutError, "each of its 2"),
    "tiles that do not cover": ({"shape": (4,), "tiles": ((1, 2),)}, LayoutError, "cover"),
    "tiles of nothing": ({"shape": (4,), "tiles": 0}, LayoutError, "at least 1"),
    "tiles of words": ({"shape": (4,), "tiles": "a"}, OnebufError, "integer"),
    "tiles of a float": ({"shape": (4,), "tiles": 1.5}, OnebufError, "integer"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_layout_that_cannot_be_is_refused(name: str) -> None:
    arguments, error, words = WRONG[name]
    with pytest.raises(error, match=words):
        Layout(**arguments)


def test_a_sparsity_that_the_symmetry_moves_is_refused() -> None:
    pattern = Element((3, 3), [(0, 1), (2, 2)])
    with pytest.raises(LayoutError, match=r"\(0, 1\) is stored and \(1, 0\)"):
        onebuf.allocator().allocate(Layout((3, 3), Symmetric(0, 1), pattern))


@pytest.mark.parametrize("name", ["shape", "symmetry", "sparsity", "tiles"])
def test_a_layout_is_not_changed(name: str) -> None:
    layout = Layout((2, 2), Symmetric(0, 1))
    before = getattr(layout, name)
    with pytest.raises(AttributeError, match="make another layout"):
        setattr(layout, name, None)
    with pytest.raises(AttributeError):
        delattr(layout, name)
    assert getattr(layout, name) == before
