"""Partitions: every element is at its place, against an array of the place of each element."""

import pickle
from math import prod
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onebuf.dtypes import Array
from onebuf.errors import ArgumentError, IndexRangeError
from onebuf.placement import (
    Assigned,
    Blocked,
    Box,
    Cyclic,
    Everywhere,
    Partition,
    intersection,
    is_empty,
    numel_of,
)
from onebuf.shapes import Tiled

NONE = -1


@st.composite
def tilings(draw: st.DrawFn) -> Tiled:
    """Tiles of 0 to 4 axes, of which some have no element: regular ones, and any."""
    rank = draw(st.integers(0, 4))
    if draw(st.booleans()):
        shape = draw(st.tuples(*[st.integers(0, 9)] * rank))
        return Tiled.regular(shape, draw(st.tuples(*[st.integers(1, 10)] * rank)))
    return Tiled(*draw(st.tuples(*[st.lists(st.integers(1, 4), max_size=4)] * rank)))


@st.composite
def partitions(draw: st.DrawFn) -> Partition:
    """Partitions of all kinds, over fewer places than tiles and over more."""
    tiling = draw(tilings())
    kind = draw(st.sampled_from([Blocked, Cyclic, Assigned, Everywhere]))
    if kind is Cyclic:
        grid = draw(st.tuples(*[st.integers(1, 4)] * tiling.rank))
        return Partition(tiling, prod(grid), Cyclic(grid))
    places = draw(st.integers(1, 40))
    if kind is Assigned:
        return Partition(tiling, places, Assigned(draw(runs(prod(tiling.grid), places))))
    return Partition(tiling, places, kind())


@st.composite
def runs(draw: st.DrawFn, total: int, places: int) -> tuple[tuple[int, int, int], ...]:
    """Runs that cover so many tiles."""
    found, begin = [], 0
    while begin < total:
        end = draw(st.integers(begin + 1, total))
        found.append((begin, end, draw(st.integers(0, places - 1))))
        begin = end
    return tuple(found)


@st.composite
def boxes_of(draw: st.DrawFn, shape: tuple[int, ...]) -> Box:
    """A box inside of a shape; it may be empty."""
    ranges = [sorted([draw(st.integers(0, n)), draw(st.integers(0, n))]) for n in shape]
    return tuple([(low, high) for low, high in ranges])


def at(box: Box) -> tuple[slice, ...]:
    """A box as an index."""
    return tuple([slice(low, high) for low, high in box])


def owners(partition: Partition) -> Array:
    """The place of each element; every element has to be in one box of one place."""
    found = np.full(partition.shape, NONE)
    for place in range(partition.places):
        for box in partition.boxes(place):
            assert not is_empty(box)
            assert (found[at(box)] == NONE).all(), f"{box} of place {place} overlaps others"
            found[at(box)] = place
    assert (found != NONE).all()
    return found


def everywhere(partition: Partition) -> Partition:
    """The same tiles, all at every place."""
    return Partition(partition.tiling, partition.places, Everywhere())


@given(partitions().filter(lambda partition: not partition.is_everywhere))
def test_boxes_share_no_element_and_cover_all_of_them(partition: Partition) -> None:
    assert owners(partition).size == prod(partition.shape)


@given(partitions())
def test_boxes_of_a_place_are_runs_of_tiles_in_row_major_order(partition: Partition) -> None:
    grid = partition.tiling.grid
    numbers = np.arange(prod(grid)).reshape(grid)
    for place in range(partition.places):
        end = 0
        for box in partition.boxes(place):
            first = partition.tiling.tile_of([low for low, _ in box])
            last = partition.tiling.tile_of([high - 1 for _, high in box])
            tiles = numbers[at(tuple([(i, j + 1) for i, j in zip(first, last, strict=True)]))]
            run = tiles.reshape(-1).tolist()
            assert run == list(range(run[0], run[0] + len(run)))
            assert run[0] >= end
            end = run[-1] + 1


@given(partitions())
def test_every_place_holds_all_of_what_is_everywhere(partition: Partition) -> None:
    same = everywhere(partition)
    whole = tuple([(0, extent) for extent in partition.shape])
    for place in range(same.places):
        assert same.boxes(place) == (() if is_empty(whole) else (whole,))


@given(partitions())
def test_tiles_refine_boxes(partition: Partition) -> None:
    for place in range(partition.places):
        held, tiles = partition.boxes(place), list(partition.tiles(place))
        assert sum(map(numel_of, tiles)) == sum(map(numel_of, held))
        for tile in tiles:
            assert [box for box in held if intersection(tile, box) == tile], f"{tile} is cut"


@given(partitions())
def test_tiles_of_all_places_are_those_of_the_tiling(partition: Partition) -> None:
    places = range(1 if partition.is_everywhere else partition.places)
    found = [tile for place in places for tile in partition.tiles(place)]
    wanted = [tuple(zip(*tile.box, strict=True)) for tile in partition.tiling.tiles]
    assert sorted(found) == sorted(wanted)
    for place in places:
        tiles = list(partition.tiles(place))
        assert tiles == sorted(tiles)


@given(partitions())
def test_the_holder_of_a_tile_has_it_in_its_boxes(partition: Partition) -> None:
    held = np.zeros(partition.shape, int) if partition.is_everywhere else owners(partition)
    holders = partition.holders()
    assert holders.shape == partition.tiling.grid
    for coordinates in np.ndindex(partition.tiling.grid):
        tile = tuple(zip(*partition.tiling.tile(*coordinates).box, strict=True))
        assert partition.holder(coordinates) == holders[coordinates]
        assert (held[at(tile)] == holders[coordinates]).all()


@settings(max_examples=400)
@given(st.data(), partitions())
def test_pieces_cover_a_box_once_each_inside_of_one_box_of_its_holder(
    data: st.DataObject, partition: Partition
) -> None:
    box = data.draw(boxes_of(partition.shape))
    near = data.draw(st.sampled_from([None, *range(partition.places)]))
    covered = np.zeros(partition.shape, int)
    for place, piece in partition.pieces(box, near):
        assert not is_empty(piece)
        covered[at(piece)] += 1
        assert [held for held in partition.boxes(place) if intersection(piece, held) == piece]
        if partition.is_everywhere:
            assert place == (near or 0)
    wanted = np.zeros(partition.shape, int)
    wanted[at(box)] = 1
    assert (covered == wanted).all()


def test_a_piece_does_not_span_two_boxes_of_its_holder() -> None:
    partition = Partition(Tiled((1, 1, 1), (1, 1, 1)), 2, Assigned(((0, 1, 0), (1, 9, 1))))
    assert partition.boxes(1) == (((0, 1), (1, 3)), ((1, 3), (0, 3)))
    assert partition.pieces(((0, 2), (1, 3))) == [(1, ((0, 1), (1, 3))), (1, ((1, 2), (1, 3)))]


@given(partitions())
def test_pieces_of_the_whole_are_the_boxes_of_all_places(partition: Partition) -> None:
    whole = tuple([(0, extent) for extent in partition.shape])
    places = range(1 if partition.is_everywhere else partition.places)
    held = [(place, box) for place in places for box in partition.boxes(place)]
    assert sorted(partition.pieces(whole)) == sorted(held)


@given(tilings(), st.integers(1, 40))
def test_blocked_runs_differ_by_one_tile_and_are_in_order(tiling: Tiled, places: int) -> None:
    partition = Partition(tiling, places)
    counts = [len(list(partition.tiles(place))) for place in range(places)]
    assert max(counts) - min(counts) <= 1
    numbers = partition.holders().reshape(-1).tolist()
    assert numbers == sorted(numbers)


@given(tilings().filter(lambda tiling: tiling.rank > 0), st.integers(2, 6))
def test_rows_that_are_dealt_out_are_one_box_each(tiling: Tiled, places: int) -> None:
    grid = (places, *[1] * (tiling.rank - 1))
    partition = Partition(tiling, places, Cyclic(grid))
    rows = tiling.grid[0] if tiling.size else 0
    assert sum(len(partition.boxes(place)) for place in range(places)) == rows


@given(partitions())
def test_a_partition_is_a_value(partition: Partition) -> None:
    again = pickle.loads(pickle.dumps(partition))
    assert again == partition
    assert hash(again) == hash(partition)
    assert again.shape == partition.tiling.extents


@pytest.mark.parametrize("places", [0, -1, True, 2.0, "2", None])
def test_a_partition_needs_places(places: object) -> None:
    with pytest.raises(ArgumentError, match="at least one place"):
        Partition(Tiled((1, 1)), places)  # type: ignore[arg-type]


@pytest.mark.parametrize("grid", [(), (4,), (2, 3), (1, 2, 2), (-2, -2), (4, 0)])
def test_a_grid_of_places_has_to_fit(grid: tuple[int, ...]) -> None:
    with pytest.raises(ArgumentError, match=r"2 axes .* product is 4"):
        Partition(Tiled((1, 1), (2,)), 4, Cyclic(grid))


@pytest.mark.parametrize("how", [Blocked(), Cyclic((2,)), Assigned(((0, 3, 1),))])
@pytest.mark.parametrize("box", [((-1, 2),), ((2, 7),)])
def test_a_box_outside_is_refused(how: Blocked | Cyclic | Assigned, box: Box) -> None:
    with pytest.raises(IndexRangeError):
        Partition(Tiled((2, 2, 2)), 2, how).pieces(box)


# -- speed -----------------------------------------------------------------------------------------


def measure(partition: Partition, count: int = 1000, most: int | None = None) -> tuple[float, int]:
    """Seconds for the boxes of all places and for the pieces of random boxes, and how many came.

    ``most`` is the largest extent of such a box.
    """
    rng = np.random.default_rng(0)
    asked = []
    for _ in range(count):
        ranges = [sorted(rng.integers(0, extent + 1, 2).tolist()) for extent in partition.shape]
        asked.append(tuple([(low, min(high, low + (most or high))) for low, high in ranges]))
    start = perf_counter()
    found = sum([len(partition.boxes(place)) for place in range(partition.places)])
    found += sum([len(partition.pieces(box)) for box in asked])
    return perf_counter() - start, found


def large() -> dict[str, tuple[Partition, int | None]]:
    """Partitions of a million tiles over about a thousand places.

    A piece of a cyclic partition is a tile: large boxes have as many pieces as tiles, so these are
    asked for small ones.
    """
    line = Tiled.regular((10**7,), (10,))
    square = Tiled.regular((5000, 5000), (5, 5))
    cube = Tiled.regular((300, 300, 300), (3, 3, 3))
    return {
        "a line": (Partition(line, 1000), None),
        "a square": (Partition(square, 1000), None),
        "a square, rows shared": (Partition(square, 997), None),
        "a cube": (Partition(cube, 1000), None),
        "a square, rows dealt out": (Partition(square, 1000, Cyclic((1000, 1))), None),
        "a square, dealt out": (Partition(square, 1000, Cyclic((25, 40))), 100),
    }


def test_a_million_tiles_cost_by_places() -> None:
    # What is asked of runs must not grow with tiles: the numbers of boxes say so, without a clock.
    for name in ("a line", "a square", "a square, rows dealt out"):
        partition, _ = large()[name]
        _, found = measure(partition, count=10)
        assert found <= 3 * partition.places + 10 * 3 * partition.places, name


if __name__ == "__main__":
    for name, (partition, most) in large().items():
        seconds, found = measure(partition, most=most)
        print(f"{name}: {found} boxes and pieces in {seconds:.2f} s")
