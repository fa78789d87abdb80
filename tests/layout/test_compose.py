"""A view of a view is one view wherever digits add without carry, and means the same."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layout.moves import (
    MOVES,
    flip,
    full_shapes,
    index,
    masked_views,
    pad,
    permute,
    reshape,
    shapes,
    shrink,
    slices,
    walked_views,
)

from onebuf.errors import IndexRangeError
from onebuf.layout import View, compose, positions

PADDED = [pad, *MOVES]


def through(outer, inner):
    """What composing means."""
    memory = list(positions(inner))
    return [None if position is None else memory[position] for position in positions(outer)]


@st.composite
def pairs(draw, inner_kinds=MOVES, outer_kinds=MOVES):
    """An outer view over the elements of an inner one."""
    inner = draw(walked_views(draw(shapes), inner_kinds))
    flat = draw(walked_views((inner.numel,), [reshape], most=1))
    outer = draw(walked_views(flat.shape, outer_kinds))
    return outer, inner


@settings(max_examples=200)
@given(pairs(PADDED, PADDED))
def test_the_composition_reads_through_both(pair):
    composed = compose(*pair)
    if composed is not None:
        assert composed.shape == pair[0].shape
        assert list(positions(composed)) == through(*pair)


@given(shapes, st.data())
def test_a_contiguous_inner_view_always_composes(shape, data):
    inner = View(shape, View.contiguous(shape).stride, offset=7)
    outer = data.draw(walked_views((inner.numel,), PADDED))
    composed = compose(outer, inner)
    assert composed is not None
    assert list(positions(composed)) == through(outer, inner)


@given(full_shapes, st.data())
def test_what_reshape_can_express_compose_can(shape, data):
    inner = data.draw(walked_views(shape, PADDED))
    outer = data.draw(walked_views((inner.numel,), [reshape], most=1))
    reshaped = inner.reshape(outer.shape)
    composed = compose(outer, inner)
    assert (composed is None) == (reshaped is None)
    if composed is not None:
        assert list(positions(composed)) == list(positions(reshaped))


@given(full_shapes, st.data())
def test_moves_that_keep_axes_apart_always_compose(shape, data):
    inner = data.draw(walked_views(shape, PADDED))
    outer = data.draw(walked_views(inner.shape, [permute, flip, shrink, index, pad]))
    composed = compose(outer, inner)
    assert composed is not None
    assert list(positions(composed)) == through(outer, inner)


@given(full_shapes, st.data())
def test_the_identity_on_either_side_changes_nothing(shape, data):
    view = data.draw(walked_views(shape, PADDED))
    low, high = view.span
    assert compose(View.contiguous(view.shape), view) == view
    if low >= 0:
        composed = compose(view, View.contiguous((max(high, 1),)))
        assert list(positions(composed)) == list(positions(view))


def affine(places):
    """Whether positions along one axis step evenly."""
    return len({b - a for a, b in pairwise(places)}) <= 1


@settings(max_examples=400)
@given(full_shapes, st.data())
def test_none_means_that_no_single_strided_view_exists(shape, data):
    inner = data.draw(walked_views(shape, [permute, flip, index, shrink]))
    outer = View.contiguous((inner.numel,)).slice(0, data.draw(slices(inner.numel)))
    assert (compose(outer, inner) is not None) == affine(through(outer, inner))


@settings(max_examples=200)
@given(masked_views(), st.data())
def test_padding_of_the_inner_view_is_never_lost(inner, data):
    outer = data.draw(walked_views((inner.numel,), PADDED))
    composed = compose(outer, inner)
    if composed is not None:
        assert list(positions(composed)) == through(outer, inner)


def test_a_transposed_inner_view_composes_axis_by_axis():
    inner = View.contiguous((4, 6)).permute((1, 0))
    outer = View.contiguous((6, 4)).index((slice(None, None, 2), slice(1, 3)))
    assert compose(outer, inner) == View((3, 2), (2, 6), offset=6)


def test_a_step_that_borrows_from_the_next_digit_composes():
    inner = View((4, 4), (10, 1))
    assert compose(View((4,), (3,), offset=3), inner) == View((4,), (9,), offset=3)


@pytest.mark.parametrize("outer", [View((3,), (1,)), View((4,), (1,)), View((3,), (-1,), 3)])
def test_a_carry_into_a_gap_does_not_compose(outer):
    assert compose(outer, View((2, 2), (10, 1))) is None


def test_padding_of_the_inner_view_follows_its_axis():
    inner = View.contiguous((3,)).pad([(1, 1)]).expand((2, 5))
    outer = View.contiguous((2, 5)).permute((1, 0))
    assert compose(outer, inner) == View((5, 2), (1, 0), offset=-1, mask=((1, 4), (0, 2)))


def test_padding_that_two_axes_reach_does_not_compose():
    inner = View.contiguous((3,)).pad([(1, 1)])
    assert compose(View.contiguous((5,)).windows(3, axis=0), inner) is None


def test_padding_of_both_views_is_the_padding_of_either():
    inner = View.contiguous((4,)).pad([(1, 1)])
    outer = View.contiguous((6,)).shrink([(0, 4)]).pad([(2, 0)])
    assert list(positions(compose(outer, inner))) == [None, None, None, 0, 1, 2]


def test_elements_within_one_row_of_padding_stay_one_run():
    inner = View((2, 3), (3, 1), mask=((1, 2), (0, 2)))
    assert compose(View.contiguous((6,)), inner) == View((6,), (1,), mask=((3, 5),))


def test_one_element_of_the_padding_is_padding():
    inner = View.contiguous((2, 2)).pad([(1, 1), (1, 1)])
    for position, expected in enumerate(positions(inner)):
        assert list(positions(compose(View((), (), offset=position), inner))) == [expected]


def test_nothing_composes_to_nothing():
    assert compose(View.contiguous((0, 3)), View((2, 2), (9, 1), offset=4)).numel == 0
    assert compose(View.contiguous(()), View((), (), offset=4)) == View((), (), offset=4)


def test_positions_outside_the_inner_view_are_an_error():
    with pytest.raises(IndexRangeError, match=r"0\.\.5.*got positions 0\.\.6"):
        compose(View.contiguous((7,)), View.contiguous((2, 3)))
