"""The view algebra's examples (spec: strided buffers, 9 to 19), and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import onebuf.layout
from onebuf.errors import (
    ArgumentError,
    ArgumentTypeError,
    AxisError,
    IndexRangeError,
    LayoutError,
    OnebufError,
    ShapeError,
)
from onebuf.layout import View, positions

SQUARE = View.contiguous((4, 4))
EMPTY = View.contiguous((3, 0, 2))
SCALAR = View.contiguous(())


def test_permute_twice_is_the_original():
    turned = SQUARE.permute((1, 0))
    assert turned == View((4, 4), (1, 4))
    assert not turned.is_contiguous
    assert turned.permute((1, 0)) == SQUARE


def test_reshape_merges_axes_that_memory_continues():
    assert View.contiguous((2, 3, 4)).permute((1, 2, 0)).reshape((12, 2)) == View((12, 2), (1, 12))


def test_reshape_adds_and_drops_axes_of_extent_1():
    turned = SQUARE.permute((1, 0))
    spread = turned.reshape((1, 4, 1, 4, 1))
    assert spread.shape == (1, 4, 1, 4, 1)
    assert spread.stride[1::2] == (1, 4)
    assert spread.reshape((4, 4)) == turned


def test_reshape_is_none_where_a_copy_is_needed():
    assert SQUARE.permute((1, 0)).reshape((16,)) is None


def test_expand_repeats_with_stride_0():
    assert View.contiguous((1, 10)).expand((10, 10)) == View((10, 10), (0, 1))
    assert View.contiguous((3,)).expand((2, -1)) == View((2, 3), (0, 1))


def test_slices_move_the_offset():
    rows = View.contiguous((10, 10)).index(slice(2, 5))
    assert rows == View((3, 10), (10, 1), offset=20)
    assert rows.reshape((30,)) == View((30,), (1,), offset=20)
    block = View.contiguous((10, 10)).index((slice(2, 5), slice(3, 6)))
    assert block == View((3, 3), (10, 1), offset=23)


def test_flip_goes_backwards_from_the_end():
    line = View.contiguous((10,))
    assert line.flip(0) == View((10,), (-1,), offset=9)
    assert line.flip(0).flip(0).is_contiguous
    assert line.slice(0, slice(None, None, 3)) == View((4,), (3,))


def test_reshape_of_a_view_flipped_on_all_axes_is_a_view():
    assert View.contiguous((4, 6)).flip((0, 1)).reshape((24,)) == View((24,), (-1,), offset=23)


def test_pad_keeps_a_mask_and_shrink_takes_it_away():
    padded = SQUARE.pad([(1, 1), (0, 2)])
    assert padded == View((6, 6), (4, 1), offset=-4, mask=((1, 5), (0, 4)))
    assert padded.shrink([(1, 5), (0, 4)]) == SQUARE
    assert padded.span == (0, 16)


def test_sliding_windows_are_one_view():
    assert View.contiguous((6,)).windows(4, axis=0) == View((3, 4), (1, 1))
    assert View.contiguous((2, 6)).windows(2, axis=-1, step=2) == View((2, 3, 2), (6, 2, 1))


def test_windows_of_padding_that_no_box_describes_are_none():
    padded = View.contiguous((6,)).pad([(1, 1)])
    assert padded.windows(4, axis=0) is None
    assert padded.windows(1, axis=0).mask == ((1, 7), (0, 1))


def test_a_masked_reshape_keeps_splits_and_merges_whole_rows():
    rows = View.contiguous((4, 6)).pad([(1, 1), (0, 0)])
    assert rows.reshape((36,)).mask == ((6, 30),)
    assert rows.reshape((6, 2, 3)).mask == ((1, 5), (0, 2), (0, 3))
    assert rows.reshape((36,)).reshape((6, 6)) == rows
    assert View((12,), (1,), mask=((3, 7),)).reshape((4, 3)) is None
    assert View((12,), (1,), mask=((2, 6),)).reshape((4, 3)) is None
    assert View((4, 3), (3, 1), mask=((0, 4), (1, 2))).reshape((12,)) is None
    columns = View.contiguous((4, 6)).pad([(0, 0), (1, 1)])
    assert columns.reshape((32,)) is None
    assert columns.reshape((2, 2, 8)).mask == ((0, 2), (0, 2), (1, 7))


@pytest.mark.parametrize("place", [(0, 0), (0, -1), (-1, 0), (-1, -1), (2, 5)])
def test_padding_alone_stays_padding_without_axes(place):
    corner = SQUARE.pad([(1, 1), (1, 1)]).index(place)
    assert (corner.shape, corner.mask) == ((), ((0, 0),))
    assert list(positions(corner)) == [None]
    assert list(positions(corner.expand((2,)))) == [None, None]
    assert corner.reshape((1,)).reshape(()) == corner


@pytest.mark.parametrize("view", [EMPTY, SCALAR])
def test_views_of_nothing_and_of_one_element_do_everything(view):
    pairs = [(0, n) for n in view.shape]
    assert view.is_contiguous
    assert not view.overlaps_itself
    assert view.permute(range(view.ndim)) == view.reshape(view.shape) == view.expand(view.shape)
    assert view.shrink(pairs) == view.index(...) == view.squeeze() == view.flip().flip() == view
    assert view.expand_dims(0).squeeze(0) == view
    assert len(list(positions(view))) == view.numel


def test_a_view_of_nothing_touches_nothing():
    assert View((0, 3), (3, 1), offset=5).span == (5, 5)
    assert EMPTY.reshape((0, 7)) == View.contiguous((0, 7))
    assert EMPTY.diagonal(9).numel == 0


def test_a_selection_of_nothing_points_inside_the_memory():
    assert View.contiguous((4,)).slice(0, slice(9, 2)) == View((0,), (1,))
    assert SQUARE.diagonal(9) == SQUARE.diagonal(-9) == View((0,), (5,))


def test_axes_of_extent_1_never_block_contiguity():
    assert View((3, 1, 2), (2, 99, 1)).is_contiguous
    assert not View((3, 1, 2), (4, 99, 1)).is_contiguous
    assert not View.contiguous((3,)).pad([(0, 1)]).is_contiguous


def test_a_mask_has_one_spelling():
    assert View((4,), (1,), mask=((0, 4),)) == View((4,), (1,), mask=((-2, 9),)) == View((4,), (1,))
    nothing = View((4, 2), (2, 1), mask=((3, 1), (0, 2)))
    assert nothing.mask == ((0, 0), (0, 0)) == View((4, 2), (2, 1), mask=((0, 4), (5, 9))).mask
    assert View((0,), (1,), mask=((0, 0),)).mask is None


def test_at_gives_one_position():
    padded = SQUARE.pad([(1, 0), (0, 0)])
    assert padded.at((1, 0)) == 0
    assert padded.at((-1, -1)) == 15
    assert padded.at((0, 3)) is None


def test_numpy_integers_are_integers():
    two = np.int64(2)
    assert View.contiguous((two, two)) == View.contiguous((2, 2))
    assert type(View.contiguous([two]).shape[0]) is int
    assert SQUARE.index((two, two)) == SQUARE.index((2, 2))


def test_a_view_is_a_value():
    assert {SQUARE: 1}[View((4, 4), (4, 1))] == 1
    with pytest.raises(AttributeError, match="a view does not change"):
        SQUARE.offset = 3
    assert repr(SQUARE.pad([(0, 1), (0, 0)])) == (
        "View(shape=(5, 4), stride=(4, 1), offset=0, mask=((0, 4), (0, 4)))"
    )


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: SQUARE.reshape((5, 3)), ShapeError, r"\(4, 4\) has 16, got \(5, 3\) with 15"),
        (lambda: SQUARE.reshape((-1, 3)), ShapeError, r"16 elements .* \(-1, 3\)"),
        (lambda: SQUARE.reshape((-1, -1)), ShapeError, r"at most one -1, got \(-1, -1\)"),
        (lambda: SQUARE.reshape((-4, -4)), ShapeError, r"0 or more.*got \(-4, -4\)"),
        (lambda: EMPTY.reshape((-1, 0)), ShapeError, r"no answer for -1"),
        (lambda: SQUARE.expand((4, 8)), ShapeError, r"\(4, 4\).*got \(4, 8\)"),
        (lambda: SQUARE.expand((4,)), ShapeError, r"got \(4,\)"),
        (lambda: SQUARE.expand((-1, 4, 4)), ShapeError, r"new axes go in front"),
        (lambda: SQUARE.index((0, 0, 0)), IndexRangeError, r"at most 2 indices.*got 3"),
        (lambda: SQUARE.index((0, 4)), IndexRangeError, r"index 4 for axis 1 with extent 4"),
        (lambda: EMPTY.index((0, 0)), IndexRangeError, r"index 0 for axis 1 with extent 0"),
        (lambda: SQUARE.index((..., ...)), IndexRangeError, r"at most one '\.\.\.'"),
        (lambda: SQUARE.index(slice(0, 2, 0)), ArgumentError, r"step other than 0"),
        (lambda: SQUARE.index(slice("a", 2)), ArgumentTypeError, r"got slice\('a', 2, None\)"),
        (lambda: SQUARE.index(True), ArgumentTypeError, r"got True"),
        (lambda: SQUARE.index([0, 1]), ArgumentTypeError, r"got \[0, 1\]"),
        (lambda: SQUARE.at((0,)), IndexRangeError, r"needs 2 indices"),
        (lambda: SQUARE.at((0, 9)), IndexRangeError, r"index 9 for axis 1"),
        (lambda: SQUARE.permute((0, 0)), AxisError, r"at most once, got axes \(0, 0\)"),
        (lambda: SQUARE.permute((0,)), AxisError, r"exactly once, got \(0,\)"),
        (lambda: SQUARE.permute((0, 2)), AxisError, r"axis in -2\.\.1.*got axis 2"),
        (lambda: SQUARE.pad([(0, 0), (-1, 0)]), ArgumentError, r"0 or more, got .*-1.*shrink"),
        (lambda: SQUARE.pad([(0, 0)]), ShapeError, r"pass 2 pairs"),
        (lambda: SQUARE.shrink([(0, 4), (0, 5)]), IndexRangeError, r"<= 4 for axis 1.*\(0, 5\)"),
        (lambda: SQUARE.shrink([(0, 4), (3, 2)]), IndexRangeError, r"got \(3, 2\)"),
        (lambda: SQUARE.squeeze(0), ShapeError, r"axis 0 with extent 4"),
        (lambda: SQUARE.windows(5, axis=0), ArgumentError, r"1 <= size <= 4.*got size 5"),
        (lambda: SQUARE.windows(2, axis=0, step=0), ArgumentError, r"step 0"),
        (lambda: SQUARE.windows(2, axis=2), AxisError, r"windows needs an axis"),
        (lambda: SQUARE.diagonal(0, 1, -1), AxisError, r"at most once"),
        (lambda: SCALAR.flip(0), AxisError, r"0-d"),
        (lambda: View((2, 2), (1,)), LayoutError, r"one stride for each axis"),
        (lambda: View((-2,), (1,)), ShapeError, r"0 or more, got shape \(-2,\)"),
        (lambda: View((2,), (1,), mask=((0, 1), (0, 1))), LayoutError, r"each of 1 axes"),
    ],
)
def test_mistakes_name_what_was_needed_and_what_came(call, error, message):
    with pytest.raises(error, match=message) as caught:
        call()
    assert isinstance(caught.value, OnebufError)
    assert isinstance(caught.value, (ValueError, IndexError, TypeError))
    assert "; " in str(caught.value), "says what to do"


def test_the_package_lists_its_names_in_order():
    assert onebuf.layout.__all__ == sorted(onebuf.layout.__all__)
    assert all(hasattr(onebuf.layout, name) for name in onebuf.layout.__all__)
