"""Tilings that are asked for in any of the documented ways, and those that nobody can have."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onebuf.errors import ArgumentError, ArgumentTypeError, OnebufError, ShapeError
from onebuf.placement import default_tiles, tiles_of
from onebuf.placement.tiles import COUNT
from onebuf.shapes import Jagged, Nested, Smooth, Tiled

shapes = st.lists(st.integers(0, 60), max_size=4).map(tuple)


@given(shapes, st.integers(0, COUNT))
def test_default_tiles_do_not_depend_on_places_up_to_24(shape: tuple[int, ...], count: int) -> None:
    assert default_tiles(shape, count) == default_tiles(shape)
    assert tiles_of(shape, None, count) == default_tiles(shape)


@given(shapes, st.integers(0, 1000))
def test_default_tiles_are_whole_rows_that_cover_the_shape(
    shape: tuple[int, ...], count: int
) -> None:
    found = default_tiles(shape, count)
    assert found.extents == shape
    assert all(axis in ((), (extent,)) for axis, extent in zip(found.axes[1:], shape[1:]))  # noqa: B905
    if shape:
        rows = found.axes[0]
        assert len(rows) <= max(COUNT, 2 * count)
        assert len(set(rows[:-1])) <= 1


@given(st.integers(25, 500))
def test_default_tiles_are_enough_for_many_places(count: int) -> None:
    assert default_tiles((10_000,), count).grid[0] * 2 > count


@given(shapes, st.integers(1, 70))
def test_one_extent_is_that_of_all_axes(shape: tuple[int, ...], size: int) -> None:
    wanted = Tiled.regular(shape, [size] * len(shape))
    assert tiles_of(shape, size) == wanted
    assert tiles_of(shape, np.int32(size)) == wanted
    assert tiles_of(shape, np.array(size)) == wanted
    assert tiles_of(shape, [size] * len(shape)) == wanted


@given(st.data(), shapes)
def test_an_extent_for_each_axis(data: st.DataObject, shape: tuple[int, ...]) -> None:
    sizes = data.draw(st.tuples(*[st.sampled_from([None, -1, 1, 2, 5, 100])] * len(shape)))
    wanted = []
    for extent, size in zip(shape, sizes, strict=True):
        step = max(1, extent) if size in (None, -1) else size
        wanted.append(Tiled.regular(extent, step).axes[0])
    assert tiles_of(shape, sizes) == Tiled(*wanted)
    assert tiles_of(shape, list(sizes)) == Tiled(*wanted)


@given(st.lists(st.lists(st.integers(1, 5), max_size=5), max_size=4))
def test_the_extents_of_all_tiles_along_each_axis(axes: list[list[int]]) -> None:
    tiled = Tiled(*axes)
    assert tiles_of(tiled.extents, axes) == tiled
    assert tiles_of(tiled.extents, tuple([np.array(axis, int) for axis in axes])) == tiled
    assert tiles_of(tiled.extents, tiled) == tiled
    rank = len(axes)
    assert tiles_of(tiled.extents, Nested((rank, rank), tiled)) == tiled


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 4)), max_size=3))
def test_a_nested_shape_is_a_grid_of_tiles(pairs: list[tuple[int, int]]) -> None:
    counts, sizes = [count for count, _ in pairs], [size for _, size in pairs]
    rank = len(pairs)
    shape = tuple([count * size for count, size in pairs])
    found = tiles_of(shape, Nested((rank, rank), (*counts, *sizes)))
    assert found == Tiled(*[(size,) * count for count, size in pairs])


def test_ways_may_be_mixed() -> None:
    assert tiles_of((4, 6, 5), ((1, 3), None, 2)) == Tiled((1, 3), (6,), (2, 2, 1))


def test_an_axis_without_elements_has_no_tiles() -> None:
    for tiles in (None, 3, (2, 4), (None, 4), (-1, -1), (0, 4), ((), 4)):
        assert tiles_of((0, 4), tiles).grid[0] == 0, tiles


MISTAKES: list[tuple[tuple[int, ...], Any, type[OnebufError], str]] = [
    ((4, 6), (2,), ShapeError, "each of 2 axes"),
    ((4, 6), (2, 3, 1), ShapeError, "None is the whole"),
    ((), (2,), ShapeError, "each of 0 axes"),
    ((4, 6), 0, ArgumentError, "None is the whole axis"),
    ((4, 6), (2, 0), ArgumentError, "along axis 1, got 0; None is the whole"),
    ((4, 6), (-2, 3), ArgumentError, "along axis 0, got -2; None is the whole"),
    ((0,), (-2,), ArgumentError, "along axis 0, got -2"),
    ((4, 6), 2.0, ArgumentTypeError, "pass an int"),
    ((4, 6), -1.0, ArgumentTypeError, "pass an int"),
    ((4, 6), (2, -1.0), ArgumentTypeError, "pass an int"),
    ((4, 6), True, ArgumentTypeError, "pass an int"),
    ((4, 6), (True, 2), ArgumentTypeError, "axis 0 has to be an integer"),
    ((), 2.5, ArgumentTypeError, "pass an int"),
    ((4, 6), "22", ArgumentTypeError, "pass an int"),
    ((4, 6), b"22", ArgumentTypeError, "pass an int"),
    ((4, 6), ("2", 2), ArgumentTypeError, "pass an int"),
    ((4, 6), (b"\2\2", 2), ArgumentTypeError, "pass an int"),
    ((4, 6), ((2, None), 6), ArgumentTypeError, "pass an int"),
    ((4, 6), ((4, 0), 6), ArgumentError, "1 or more"),
    ((4, 6), ((1, 2), 6), ShapeError, r"cover \(3, 6\); one extent for each axis"),
    ((4, 6), Tiled((4,)), ShapeError, r"cover the shape \(4, 6\)"),
    ((4, 6), Tiled((4,), (3, 2)), ShapeError, r"cover \(4, 5\)"),
    ((4,), Nested((1, 1), (2, 3)), ShapeError, r"cover \(6,\)"),
    ((4,), Nested((2,), (2, 2)), ShapeError, "two layers of rank 1"),
    ((4,), Nested((1, 1), Jagged([2, 1])), ShapeError, "two layers of rank 1"),
    ((4, 6), Nested((1, 3), Tiled((4,), (6,))), ShapeError, "two layers of rank 2"),
    ((4, 6), Smooth(2, 2), ShapeError, "each of 2 axes"),
]


@pytest.mark.parametrize("shape, tiles, error, says", MISTAKES, ids=str)
def test_wrong_tiles_are_errors_that_say_what_to_do(
    shape: tuple[int, ...], tiles: Any, error: type[OnebufError], says: str
) -> None:
    with pytest.raises(error, match=says):
        tiles_of(shape, tiles)
