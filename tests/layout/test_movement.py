"""Any sequence of movement operations does to a view what NumPy does to an array."""

from __future__ import annotations

from math import prod

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from layout.moves import (
    MOVES,
    draw_move,
    factorings,
    full_shapes,
    masked_views,
    pad,
    read,
    reshape,
    shapes,
    walked_views,
)

from onebuf.layout import View, positions


def start(data):
    shape = data.draw(shapes)
    base = np.arange(1, prod(shape) + 1)
    return View.contiguous(shape), base.reshape(shape), base


def address(array):
    return array.__array_interface__["data"][0]


def needs_copy(array, shape):
    try:
        np.reshape(array, shape, copy=False)
    except ValueError:
        return True
    return False


def long_axes(array):
    return [axis for axis, extent in enumerate(array.shape) if extent > 1]


@settings(max_examples=250)
@given(st.data())
def test_moves_give_numpys_values_strides_and_offset(data):
    view, array, base = start(data)
    for _ in range(data.draw(st.integers(1, 8))):
        move = draw_move(data.draw, array)
        if move is None:
            continue
        result = getattr(view, move.name)(*move.args)
        if move.name == "reshape":
            assert (result is None) == needs_copy(array, *move.args)
            if result is None:
                continue
        view, array = result, move.after
        assert view.shape == array.shape
        assert read(view, base) == array.ravel().tolist()
        assert view.is_contiguous == array.flags.c_contiguous
        if array.size:
            assert view.offset * base.itemsize == address(array) - address(base)
            for axis in long_axes(array):
                assert view.stride[axis] * base.itemsize == array.strides[axis]


@settings(max_examples=250)
@given(st.data())
def test_moves_with_padding_give_numpys_values(data):
    view, array, base = start(data)
    for _ in range(data.draw(st.integers(1, 8))):
        move = draw_move(data.draw, array, [pad, pad, *MOVES])
        if move is None:
            continue
        result = getattr(view, move.name)(*move.args)
        if result is None:
            assert move.name in ("reshape", "windows")
            continue
        view, array = result, move.after
        assert view.shape == array.shape
        assert read(view, base) == array.ravel().tolist()
        assert view.is_all_padding == (array.size > 0 and not array.any())


@given(st.data())
def test_only_padding_in_the_way_makes_windows_need_a_copy(data):
    view = data.draw(walked_views(data.draw(full_shapes)))
    if view.ndim and view.shape[0]:
        assert view.windows(data.draw(st.integers(1, view.shape[0])), 0) is not None


@given(st.data())
def test_pad_then_shrink_back_is_the_same_view(data):
    view = data.draw(walked_views(data.draw(shapes), [pad, *MOVES]))
    widths = [data.draw(st.tuples(st.integers(0, 3), st.integers(0, 3))) for _ in view.shape]
    bounds = [(before, before + n) for (before, _), n in zip(widths, view.shape, strict=True)]
    assert view.pad(widths).shrink(bounds) == view


@given(st.data())
def test_reshape_there_and_back_keeps_the_elements(data):
    view = data.draw(walked_views(data.draw(full_shapes), [pad, *MOVES]))
    move = draw_move(data.draw, np.empty(view.shape), [reshape])
    there = view.reshape(*move.args)
    if there is not None:
        back = there.reshape(view.shape)
        assert back is not None
        assert list(positions(back)) == list(positions(view))


def is_box(taken):
    """Whether the true values fill the smallest box around them."""
    if not taken.any():
        return True
    around = [np.ptp(places) + 1 for places in np.atleast_1d(taken).nonzero()]
    return taken.sum() == prod(around)


@settings(max_examples=250)
@given(masked_views(), st.data())
def test_a_masked_reshape_is_none_exactly_when_the_elements_form_no_box(view, data):
    shape = data.draw(factorings(view.numel))
    expected = list(positions(view))
    result = view.reshape(shape)
    taken = np.array([position is not None for position in expected]).reshape(shape)
    assert (result is not None) == is_box(taken)
    if result is not None:
        assert list(positions(result)) == expected


@given(st.data())
def test_flip_and_permute_undo_themselves(data):
    view = data.draw(walked_views(data.draw(full_shapes), [pad, *MOVES]))
    axes = data.draw(st.permutations(range(view.ndim)))
    assert view.flip().flip() == view
    assert view.permute(axes).permute(np.argsort(axes).tolist()) == view


@given(st.data())
def test_span_is_the_lowest_position_to_one_past_the_highest(data):
    view = data.draw(walked_views(data.draw(shapes), [pad, *MOVES]))
    taken = [position for position in positions(view) if position is not None]
    expected = (min(taken), max(taken) + 1) if taken else (view.offset, view.offset)
    assert view.span == expected


@given(st.data())
def test_masks_have_one_spelling(data):
    view = data.draw(walked_views(data.draw(shapes), [pad, *MOVES]))
    exists = [position is not None for position in positions(view)]
    assert (view.mask is None) == all(exists)
    assert view.is_all_padding == (bool(exists) and not any(exists))
    if view.mask is not None and not view.is_all_padding:
        assert prod(high - low for low, high in view.mask) == sum(exists)
