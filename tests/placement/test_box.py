"""Boxes of indices, against lists of indices."""

from itertools import product
from math import prod

from hypothesis import given
from hypothesis import strategies as st

from onebuf.placement import Box, boxes_between, intersection, is_empty, numel_of, shifted
from onebuf.placement.box import origin_of, shape_of, within

shapes = st.lists(st.integers(0, 5), max_size=4).map(tuple)
ranges = st.tuples(st.integers(-3, 6), st.integers(0, 5)).map(lambda pair: (pair[0], sum(pair)))


def boxes(rank: int) -> st.SearchStrategy[Box]:
    """Boxes of so many axes, with and without indices."""
    return st.tuples(*[ranges] * rank)


def indices(box: Box) -> list[tuple[int, ...]]:
    """All indices of a box, in row-major order."""
    return list(product(*[range(low, high) for low, high in box]))


@given(st.data(), shapes)
def test_boxes_between_have_exactly_the_indices_in_row_major_order(
    data: st.DataObject, shape: tuple[int, ...]
) -> None:
    begin = data.draw(st.integers(0, prod(shape)))
    end = data.draw(st.integers(0, prod(shape)))
    everything = indices(tuple([(0, extent) for extent in shape]))
    found = list(boxes_between(begin, end, shape))
    assert [index for box in found for index in indices(box)] == everything[begin:end]
    assert not any(is_empty(box) for box in found)
    assert len(found) <= max(1, 2 * len(shape) - 1)


@given(st.integers(0, 4).flatmap(lambda rank: st.tuples(boxes(rank), boxes(rank))))
def test_an_intersection_has_the_indices_of_both(pair: tuple[Box, Box]) -> None:
    one, other = pair
    found = intersection(one, other)
    assert set(indices(found)) == set(indices(one)) & set(indices(other))
    assert all(extent >= 0 for extent in shape_of(found))


@given(st.integers(0, 4).flatmap(boxes))
def test_a_box_knows_its_shape(box: Box) -> None:
    assert numel_of(box) == prod(shape_of(box)) == len(indices(box))
    assert is_empty(box) == (not indices(box))
    assert origin_of(box) == tuple([low for low, _ in box])


@given(st.integers(0, 3).flatmap(lambda rank: st.tuples(boxes(rank), boxes(rank))))
def test_a_box_seen_from_another_begins_where_that_begins(pair: tuple[Box, Box]) -> None:
    box, outer = pair
    seen = shifted(box, origin_of(outer))
    assert shape_of(seen) == shape_of(box)
    assert shifted(seen, [-low for low in origin_of(outer)]) == box
    assert within(box, outer) == tuple([slice(low, high) for low, high in seen])
