"""overlaps_itself never misses two indices that share an element."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from layout.moves import (
    MOVES,
    expand_dims,
    flip,
    index,
    pad,
    permute,
    shapes,
    shrink,
    squeeze,
    walked_views,
)

from onebuf.layout import View, positions


def shares(view):
    taken = sorted(position for position in positions(view) if position is not None)
    return any(a == b for a, b in pairwise(taken))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-9, 9)), max_size=4))
def test_false_is_certain_for_any_strides(axes):
    view = View(tuple(n for n, _ in axes), tuple(step for _, step in axes))
    assert view.overlaps_itself or not shares(view)


@given(st.data())
def test_false_is_certain_after_any_moves(data):
    view = data.draw(walked_views(data.draw(shapes), [pad, *MOVES]))
    assert view.overlaps_itself or not shares(view)


@given(st.data())
def test_moves_that_repeat_nothing_do_not_overlap(data):
    kinds = [permute, index, flip, shrink, squeeze, expand_dims, pad]
    assert not data.draw(walked_views(data.draw(shapes), kinds)).overlaps_itself


@pytest.mark.parametrize(
    ("view", "overlaps"),
    [
        (View.contiguous((1, 10)).expand((10, 10)), True),
        (View.contiguous((1, 10)).expand((1, 10)), False),
        (View((1, 4), (0, 1)), False),
        (View((2, 0), (0, 1)), False),
        (View((), ()), False),
        (View.contiguous((6,)).windows(4, axis=0), True),
        (View.contiguous((6,)).windows(2, axis=0, step=2), False),
        (View.contiguous((6,)).windows(2, axis=0, step=3), False),
        (View.contiguous((6,)).windows(6, axis=0), False),
        (View.contiguous((5, 5)).diagonal(), False),
        (View((3, 2), (-2, 1)), False),
        (View((3, 3), (-2, 1)), True),
        (View((3,), (0,), mask=((1, 2),)), False),
    ],
)
def test_known_views(view, overlaps):
    assert view.overlaps_itself is overlaps
    assert shares(view) is overlaps
