"""Shapes: which indices they have, against lists of indices."""

import copy
import pickle
from dataclasses import fields
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import onebuf
from onebuf.errors import (
    ArgumentError,
    ArgumentTypeError,
    IndexRangeError,
    OnebufError,
    RegionError,
    ShapeError,
)
from onebuf.shapes import Jagged, Nested, Smooth, Tiled

EXAMPLES = [
    Smooth(),
    Smooth(0, 3),
    Smooth(2, 3),
    Smooth(2, 3, origin=(1, -1)),
    Jagged([]),
    Jagged([10, 20, 30]),
    Jagged([[1], [2, 0]]),
    Jagged([(2, 3), (4, 1)]),
    Tiled(),
    Tiled((5, 15, 10), (5, 15, 10)),
    Tiled((2,), ()),
    Nested((1, 2), (10, 20, 30)),
    Nested((1, 1), Jagged([1, 2])),
    Nested((1, 1), Tiled((1, 2))),
    Nested((1,), Smooth(2, origin=(1,))),
]


def in_boxes(shape) -> list[tuple[int, ...]]:
    return sorted(
        index
        for first, last in shape.boxes()
        for index in product(*[range(*bounds) for bounds in zip(first, last, strict=True)])
    )


@pytest.mark.parametrize("shape", EXAMPLES, ids=repr)
def test_a_shape_evaluates_from_its_repr_and_can_be_pickled_and_copied(shape) -> None:
    for same in (eval(repr(shape)), pickle.loads(pickle.dumps(shape)), copy.deepcopy(shape)):
        assert same == shape
        assert hash(same) == hash(shape)
        assert type(same) is type(shape)


@pytest.mark.parametrize("shape", EXAMPLES, ids=repr)
def test_a_shape_iterates_over_as_many_distinct_indices_as_it_has_elements(shape) -> None:
    indices = list(shape)
    assert len(set(indices)) == len(indices) == shape.size
    assert len(list(shape.offsets())) == shape.size
    assert all(index in shape for index in indices)


@pytest.mark.parametrize("shape", EXAMPLES, ids=repr)
def test_boxes_have_exactly_the_elements(shape) -> None:
    assert in_boxes(shape) == sorted(shape)


@pytest.mark.parametrize("shape", EXAMPLES, ids=repr)
def test_a_shape_does_not_change(shape) -> None:
    for field in fields(shape):
        with pytest.raises(AttributeError):
            setattr(shape, field.name, ())


def test_no_two_examples_are_equal() -> None:
    assert len(set(EXAMPLES)) == len(EXAMPLES)
    assert Smooth(2) != (2,)


def test_shapes_are_an_attribute_of_the_namespace() -> None:
    assert onebuf.shapes.Smooth is Smooth


# Smooth


def test_a_smooth_shape_has_rank_size_and_extents() -> None:
    shape = Smooth(2, 3)
    assert (shape.rank, shape.size, shape.extents, shape.extent(1)) == (2, 6, (2, 3), 3)
    assert (Smooth().rank, Smooth().size) == (0, 1)
    assert Smooth((2, 3)) == Smooth([2, 3]) == Smooth(np.int64(2), 3) == Smooth(shape) == shape


def test_iteration_is_absolute_and_offsets_are_relative() -> None:
    part = Smooth(2, 3).slice((0, 1), (1, 3))
    assert list(part) == [(0, 1), (0, 2)]
    assert list(part.offsets()) == [(0, 0), (0, 1)]
    assert list(Smooth(2, 1, origin=(10, 10))) == [(10, 10), (11, 10)]
    assert list(Smooth()) == [()]


def test_slices_keep_the_rank_and_chips_lower_it() -> None:
    shape = Smooth(10, 20)
    assert shape.slice(0) == Smooth(1, 20)
    assert shape.slice(3, 4) == Smooth(1, 1, origin=(3, 4))
    assert shape.slice((0, 0), (5, 5)) == Smooth(5, 5)
    assert shape.slice(Smooth(2, 3, origin=(1, 0))) == Smooth(2, 3, origin=(1, 0))
    assert shape.chip(2) == Smooth(20)
    assert shape.chip(2, 3) == Smooth()
    assert shape.chip((0, 2), (10, 3)) == Smooth(10)
    assert shape.chip((4, 2), (10, 3)) == Smooth(6, origin=(4,))


def test_indices_of_a_slice_of_a_slice_count_from_zero() -> None:
    part = Smooth(10, 20).slice((2, 3), (8, 9))
    assert part.slice((2, 5), (4, 9)) == Smooth(2, 4, origin=(2, 5))
    with pytest.raises(RegionError):
        part.slice((0, 3), (1, 4))


@pytest.mark.parametrize(
    "bounds, error",
    [
        (((0,), (2,)), ShapeError),
        (((0, 0), (2,)), ShapeError),
        (((0, 0, 0), (1, 1, 1)), ShapeError),
        (((1, 0), (1, 2)), RegionError),
        (((2, 0), (1, 2)), RegionError),
        (((0, 0), (11, 1)), RegionError),
        (((-1, 0), (1, 1)), RegionError),
        ((10,), RegionError),
        ((-1,), RegionError),
        ((0, 0, 0), ShapeError),
        ((), ArgumentTypeError),
        ((0.5,), ArgumentTypeError),
        ((True,), ArgumentTypeError),
        (("ab", "cd"), ArgumentTypeError),
        (((0, 0), 1), ArgumentTypeError),
        (((0, 0),), ArgumentTypeError),
        ((Smooth(3),), ShapeError),
        ((Smooth(11, 1),), RegionError),
        ((Smooth(0, 1),), RegionError),
    ],
)
@pytest.mark.parametrize("method", ["slice", "chip"])
def test_bounds_that_are_no_box_in_the_shape_are_errors(bounds, error, method) -> None:
    with pytest.raises(error, match=method):
        getattr(Smooth(10, 20), method)(*bounds)


def test_an_error_of_bounds_is_an_index_error_and_a_value_error() -> None:
    assert issubclass(RegionError, (OnebufError))
    assert issubclass(RegionError, IndexError)
    assert issubclass(RegionError, ValueError)


def test_a_chip_that_pins_no_axis_is_an_error() -> None:
    with pytest.raises(RegionError, match="slice keeps"):
        Smooth(10, 20).chip((0, 0), (10, 20))


@pytest.mark.parametrize(
    "extents, origin, error",
    [
        ((-1,), None, ArgumentError),
        ((2.0,), None, ArgumentTypeError),
        ((True,), None, ArgumentTypeError),
        (("2",), None, ArgumentTypeError),
        ((None,), None, ArgumentTypeError),
        ((2, 3), (0,), ShapeError),
        ((2,), 1, ArgumentTypeError),
        ((2,), (0.5,), ArgumentTypeError),
    ],
)
def test_extents_and_origins_are_checked(extents, origin, error) -> None:
    with pytest.raises(error):
        Smooth(*extents, origin=origin)


def test_the_extent_of_an_axis_that_is_not_there_is_an_error() -> None:
    for axis in (2, -1):
        with pytest.raises(IndexRangeError):
            Smooth(2, 3).extent(axis)
    with pytest.raises(IndexRangeError):
        Smooth().extent(0)


# Jagged


def test_a_jagged_shape_has_the_size_of_its_rows() -> None:
    shape = Jagged([Smooth(10), Smooth(20), Smooth(30)])
    assert shape == Jagged([10, 20, 30]) == Jagged(10, 20, 30) == Jagged((10, 20, 30))
    assert (shape.rank, shape.size, shape.bounding, shape.extents) == (2, 60, (3, 30), (3, 30))
    assert (2, 29) in shape
    assert (1, 20) not in shape
    assert (3, 0) not in shape


def test_rows_may_be_boxes_or_jagged() -> None:
    assert Jagged([(10, 20, 30), (1, 10, 20)]).size == 6200
    deep = Jagged([[[10], [20, 30]], [[10, 30], [20], [10, 20, 30]]])
    assert (deep.rank, deep.bounding) == (4, (2, 3, 3, 30))
    assert deep.chip(1, 2, 0) == Smooth(10)
    assert deep.chip(0, 1) == Jagged([20, 30])
    assert deep.chip(0, 1, 1, 4) == Smooth()


def test_equal_neighbouring_rows_share_a_box() -> None:
    assert Jagged([4, 4, 2, 4]).boxes() == [
        ((0, 0), (2, 4)),
        ((2, 0), (3, 2)),
        ((3, 0), (4, 4)),
    ]


def test_rows_of_different_rank_are_an_error_that_names_the_row() -> None:
    with pytest.raises(ShapeError, match=r"rank 1 in row 0 and rank 2 in row 2"):
        Jagged([1, 2, (1, 2)])


@pytest.mark.parametrize("rows", [[1.5], ["ab"], [None], [{1}], [Tiled((1,))]])
def test_rows_that_are_no_shapes_are_errors(rows) -> None:
    with pytest.raises(ArgumentTypeError):
        Jagged(rows)


def test_a_jagged_row_begins_at_zero_and_has_no_negative_extent() -> None:
    with pytest.raises(ArgumentError, match="begin at index 0"):
        Jagged([Smooth(2, origin=(1,))])
    with pytest.raises(ArgumentError):
        Jagged([3, -1])


@pytest.mark.parametrize("row", [3, -1])
def test_a_row_that_is_not_there_is_an_error(row) -> None:
    with pytest.raises(RegionError):
        Jagged([1, 2, 3]).chip(row)


@given(
    st.recursive(
        st.integers(0, 4), lambda inner: st.lists(inner, min_size=1, max_size=3), max_leaves=8
    )
)
def test_jagged_shapes_of_nested_lists_have_their_indices_or_refuse_their_ranks(rows) -> None:
    def depth(rows) -> set[int]:
        return {1 + d for row in rows for d in depth(row)} if isinstance(rows, list) else {1}

    def indices(rows) -> list[tuple[int, ...]]:
        if isinstance(rows, int):
            return [(i,) for i in range(rows)]
        return [(n, *index) for n, row in enumerate(rows) for index in indices(row)]

    rows = rows if isinstance(rows, list) else [rows]
    if len(depth(rows)) > 1:
        with pytest.raises(ShapeError):
            Jagged(rows)
        return
    shape = Jagged(rows)
    assert list(shape) == indices(rows)
    assert in_boxes(shape) == sorted(indices(rows))
    assert shape.rank == depth(rows).pop()


# Tiled


def test_a_tiled_shape_has_a_grid_of_tiles() -> None:
    shape = Tiled((5, 15, 10), (5, 15, 10))
    assert (len(shape.tiles), shape.size, shape.grid) == (9, 900, (3, 3))
    assert shape.bounds == ((0, 5, 20, 30), (0, 5, 20, 30))
    assert shape.tile(0, 1) == shape.tile((0, 1)) == Smooth(5, 15, origin=(0, 5))
    assert shape.tiles[1] == shape.tile(0, 1)
    assert shape.tiles[-1] == shape.tile(2, 2)
    assert shape.tiles[1:3] == [shape.tile(0, 1), shape.tile(0, 2)]


axes_of_tiles = st.lists(st.lists(st.integers(1, 4), max_size=3), max_size=3)


@given(axes_of_tiles)
def test_every_element_is_in_the_tile_that_tile_of_names(axes) -> None:
    shape = Tiled(*axes)
    assert sorted(index for tile in shape.tiles for index in tile) == list(shape)
    assert list(shape.tiles) == [shape.tiles[n] for n in range(len(shape.tiles))]
    for index in shape:
        assert index in shape.tile(*shape.tile_of(index))


@given(axes_of_tiles, st.data())
def test_tiles_in_a_box_are_those_that_meet_it(axes, data) -> None:
    shape = Tiled(*axes)
    if not shape.size:
        return
    first = tuple(data.draw(st.integers(0, extent - 1)) for extent in shape.extents)
    last = tuple(
        data.draw(st.integers(low + 1, extent))
        for low, extent in zip(first, shape.extents, strict=True)
    )
    box = Smooth(*shape.extents).slice(first, last) if axes else Smooth()
    assert shape.tiles_in(first, last) == sorted({shape.tile_of(index) for index in box})


def test_regular_tiles_end_with_a_smaller_one() -> None:
    assert Tiled.regular((10, 7), (4, 7)) == Tiled((4, 4, 2), (7,))
    assert Tiled.regular((0, 3), (2, 2)).grid == (0, 2)
    assert Tiled.regular(5, 2) == Tiled((2, 2, 1))


@pytest.mark.parametrize(
    "make, error",
    [
        (lambda: Tiled((5, 0)), ArgumentError),
        (lambda: Tiled((5, -1)), ArgumentError),
        (lambda: Tiled(5), ArgumentTypeError),
        (lambda: Tiled((1.5,)), ArgumentTypeError),
        (lambda: Tiled("ab"), ArgumentTypeError),
        (lambda: Tiled.regular((4, 4), (2,)), ShapeError),
        (lambda: Tiled.regular((4,), (0,)), ArgumentError),
        (lambda: Tiled((1, 2)).tile(2), IndexRangeError),
        (lambda: Tiled((1, 2)).tile(-1), IndexRangeError),
        (lambda: Tiled((1, 2)).tile(0, 0), ShapeError),
        (lambda: Tiled((1, 2)).tile_of((3,)), IndexRangeError),
        (lambda: Tiled((1, 2)).tile_of((0, 0)), ShapeError),
        (lambda: Tiled((1, 2)).tiles[2], IndexRangeError),
        (lambda: Tiled((1, 2)).tiles_in((0,), (4,)), RegionError),
    ],
)
def test_wrong_tiles_are_errors(make, error) -> None:
    with pytest.raises(error):
        make()


# Nested


def test_a_nested_shape_counts_the_elements_of_each_layer() -> None:
    shape = Nested((1, 2), (10, 20, 30))
    assert (shape.layers, shape.rank, shape.size) == ((1, 2), 3, 6000)
    assert shape.elements == (10, 6000)
    assert [shape.layer_axes(n) for n in (0, 1)] == [range(0, 1), range(1, 3)]
    assert Nested((1, 2), Jagged([(10, 20), (30, 1)])).elements == (2, 230)
    assert Nested((0, 1), (10,)).elements == (1, 10)
    assert Nested((0, 0), Smooth()).elements == (1, 1)
    assert Nested((), Smooth()).elements == ()
    assert Nested([2], [2, 3]) == Nested((2,), Smooth(2, 3))


def test_the_outer_layer_of_tiles_is_their_grid() -> None:
    tiles = Tiled((5, 15, 10), (5, 25))
    assert Nested((2, 2), tiles).elements == (6, 900)
    assert Nested((1, 1, 1, 1), tiles).elements == (3, 6, 60, 900)


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=3), min_size=1, max_size=3),
    st.integers(0, 3),
)
def test_elements_of_a_layer_are_the_beginnings_of_indices(rows, first) -> None:
    shape = Jagged(rows)
    counts = (1, len(rows), sum(len(row) for row in rows), shape.size)
    assert Nested((first, 3 - first), shape).elements == (counts[first], shape.size)


@pytest.mark.parametrize(
    "layers, shape, error",
    [
        ((1, 1), (10, 20, 30), ShapeError),
        ((1, 3), (10, 20, 30), ShapeError),
        ((4, -1), (10, 20, 30), ArgumentError),
        ((1, 1), Tiled((1, 2), (3,)), ShapeError),
        (3, (10, 20, 30), ArgumentTypeError),
        ((1.0,), (10,), ArgumentTypeError),
    ],
)
def test_layers_have_to_sum_to_the_rank(layers, shape, error) -> None:
    with pytest.raises(error):
        Nested(layers, shape)


def test_a_layer_that_is_not_there_is_an_error() -> None:
    with pytest.raises(IndexRangeError):
        Nested((1,), (3,)).layer_axes(1)
