"""Views as indexing, with NumPy's arrays for those of a library."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from random_views import views

from onebuf.backends.libraries.views import positions, slices
from onebuf.layout import View
from onebuf.layout import positions as meaning


@given(views())
def test_slices_see_what_the_view_sees(drawn):
    shape, view = drawn
    array = np.arange(View.contiguous(shape).numel).reshape(shape)
    if not view.numel:
        return
    found = slices(view, shape)
    if found is not None:
        part = array.reshape(found.shape)[found.key].transpose(found.order).reshape(found.kept)
        np.testing.assert_array_equal(np.broadcast_to(part, view.shape), positions(view))


@given(views())
def test_positions_are_what_a_view_means(drawn):
    _, view = drawn
    assert positions(view).shape == view.shape
    assert positions(view).reshape(-1).tolist() == list(meaning(view))


def test_common_views_are_slices():
    base = View.contiguous((4, 6))
    flat = View.contiguous((24,))
    for view, shape in (
        (base.permute((1, 0)), (4, 6)),
        (base.flip(), (4, 6)),
        (base.index((slice(1, 3), slice(None, None, 2))), (4, 6)),
        (base.index(2), (4, 6)),
        (base.index((slice(None), 3)).expand((5, 4)), (4, 6)),
        (base.index((slice(None), slice(1, 4))), (24,)),
        (base.index((slice(None), slice(None, None, 3))), (24,)),
        (flat.slice(0, slice(20, 3, -4)), (4, 6)),
        (base.reshape((2, 2, 3, 2)).permute((3, 1, 0, 2)), (4, 6)),
    ):
        assert slices(view, shape) is not None, view


def test_windows_and_diagonals_are_not():
    assert slices(View.contiguous((6,)).windows(3, 0), (6,)) is None
    assert slices(View.contiguous((4, 6)).diagonal(), (4, 6)) is None
