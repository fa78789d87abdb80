"""Layouts as arithmetic: index expressions, and layouts of layouts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_views import views
from sample_layouts import Antisymmetric, Indexed, Packed, Tiled

from onebuf.backends.numpy.gather import gather
from onebuf.errors import LayoutError
from onebuf.layout import IndexMap, View, compose, positions
from onebuf.layout.composed import through
from onebuf.layout.expression import Strided, indices

STORED = np.arange(1, 401)
"""Elements that differ, none of which is 0."""


def seen(layout: IndexMap) -> Any:
    """What the layout sees of STORED."""
    return gather(layout, STORED)


@given(views())
def test_a_view_places_elements_where_its_positions_are(drawn: Any) -> None:
    _, view = drawn
    assert seen(view).reshape(-1).tolist() == [at + 1 for at in positions(view) if at is not None]


@given(views(), st.integers(0, 3))
def test_padding_is_a_condition(drawn: Any, width: int) -> None:
    _, view = drawn
    padded = view.pad([(width, 1)] * view.ndim)
    wanted = [0 if at is None else at + 1 for at in positions(padded)]
    assert seen(padded).reshape(-1).tolist() == wanted


def test_nothing_but_padding_without_axes() -> None:
    assert seen(View.contiguous((2,)).pad([(1, 1)]).index(0)).tolist() == 0


@pytest.mark.parametrize("layout", [Packed(4), Antisymmetric(5), Tiled(2, 3, 4), Tiled(1, 2, 3)])
@given(drawn=st.data())
def test_views_of_a_layout_see_what_views_of_its_elements_see(layout: Any, drawn: Any) -> None:
    dense = seen(layout)
    outer = View.contiguous(layout.shape)
    steps: list[Any] = [
        lambda view: view.flip(),
        lambda view: view.permute(range(view.ndim)[::-1]),
        lambda view: view.slice(0, slice(1, None)),
        lambda view: view.slice(-1, slice(None, None, 2)),
        lambda view: view.reshape((view.numel,)) or view,
        lambda view: view.pad([(1, 2)] * view.ndim),
        lambda view: view.expand((2, *view.shape)),
    ]
    for step in drawn.draw(st.lists(st.sampled_from(steps), max_size=4)):
        outer = step(outer)
    flat = dense.reshape(-1)
    wanted = [0 if at is None else flat[at] for at in positions(outer)]
    assert seen(through(outer, layout)).reshape(-1).tolist() == wanted


def test_a_layout_of_a_layout_needs_no_strides() -> None:
    outer, inner = Packed(4), View((5, 2), (1, 5))
    assert (seen(through(outer, inner)) == seen(inner).reshape(-1)[seen(outer) - 1]).all()


def test_signs_of_two_layouts_cancel() -> None:
    inner = Antisymmetric(3)
    outer = Antisymmetric(4)
    flat = seen(inner).reshape(-1)
    twice = seen(through(outer, inner))
    position = np.abs(seen(outer))
    wanted = np.where(position, np.sign(seen(outer)) * flat[position - 1], 0)
    assert twice.tolist() == wanted.tolist()


def test_what_strides_can_say_stays_a_view() -> None:
    inner = View((4, 3), (10, 1), 2)
    outer = View.contiguous((4, 3)).permute((1, 0))
    assert through(outer, inner) == compose(outer, inner)
    assert through(View.contiguous((4, 4)), Packed(4)) == Packed(4)
    assert through(Packed(4), View.contiguous((10,))) == Packed(4)


def test_views_of_views_of_a_layout_become_one() -> None:
    turned = View.contiguous((4, 4)).permute((1, 0))
    assert through(turned, through(turned, Tiled(1, 1, 4))) == Tiled(1, 1, 4)


def test_sums_of_multiples_stay_strided() -> None:
    i, j = indices(2)
    assert 2 * (i - j) + (3 - i) * 4 == Strided((-2, -2), 12)


def test_a_condition_has_no_truth() -> None:
    i, j = indices(2)
    with pytest.raises(TypeError, match="where"):
        bool(i < j)


def test_a_value_elsewhere_cannot_be_padded_with_another() -> None:
    outer = View.contiguous((3,)).pad([(1, 1)])
    with pytest.raises(LayoutError, match="expand"):
        through(outer, Indexed(3, 2, 9.5)).place(indices(1))
