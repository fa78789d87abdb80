"""Drawings are exact: what a reader sees is what the view says."""

from textwrap import dedent

import pytest

from onebuf.cli.picture import describe_steps, draw, draw_grid, draw_storage
from onebuf.errors import ArgumentError
from onebuf.layout import View

WHOLE = View.contiguous((2, 4))


def lines(text: str) -> str:
    return dedent(text).strip("\n")


def test_a_contiguous_view_counts_through_its_storage() -> None:
    assert draw(WHOLE, 8) == lines(
        """
        ┌───┬───┬───┬───┐   ┌───┬───┬───┬───┬───┬───┬───┬───┐
        │ 0 │ 1 │ 2 │ 3 │   │ 0 │ 1 │ 2 │ 3 │ 4 │ 5 │ 6 │ 7 │
        │ 4 │ 5 │ 6 │ 7 │   └───┴───┴───┴───┴───┴───┴───┴───┘
        └───┴───┴───┴───┘   shape (2, 4), stride (4, 1), offset 0:
                            start at 0, down +4, right +1
        """
    )


def test_a_transpose_is_taller_than_its_storage() -> None:
    assert draw(WHOLE.permute((1, 0)), 8) == lines(
        """
        ┌───┬───┐   ┌───┬───┬───┬───┬───┬───┬───┬───┐
        │ 0 │ 4 │   │ 0 │ 1 │ 2 │ 3 │ 4 │ 5 │ 6 │ 7 │
        │ 1 │ 5 │   └───┴───┴───┴───┴───┴───┴───┴───┘
        │ 2 │ 6 │   shape (4, 2), stride (1, 4), offset 0:
        │ 3 │ 7 │   start at 0, down +1, right +4
        └───┴───┘
        """
    )


def test_a_slice_leaves_dots_where_it_sees_nothing() -> None:
    assert draw(WHOLE.index((slice(None), slice(1, 3))), 8) == lines(
        """
        ┌───┬───┐   ┌───┬───┬───┬───┬───┬───┬───┬───┐
        │ 1 │ 2 │   │ · │ 1 │ 2 │ · │ · │ 5 │ 6 │ · │
        │ 5 │ 6 │   └───┴───┴───┴───┴───┴───┴───┴───┘
        └───┴───┘   shape (2, 2), stride (4, 1), offset 1:
                    start at 1, down +4, right +1
        """
    )


def test_a_flip_steps_backwards() -> None:
    assert draw_grid(WHOLE.flip(1)) == lines(
        """
        ┌───┬───┬───┬───┐
        │ 3 │ 2 │ 1 │ 0 │
        │ 7 │ 6 │ 5 │ 4 │
        └───┴───┴───┴───┘
        """
    )
    assert describe_steps(WHOLE.flip(1)) == "start at 3, down +4, right -1"


def test_an_expanded_row_is_seen_again_and_again() -> None:
    view = WHOLE.index(slice(0, 1)).expand((3, 4))
    assert draw(view, 8) == lines(
        """
        ┌───┬───┬───┬───┐   ┌───┬───┬───┬───┬───┬───┬───┬───┐
        │ 0 │ 1 │ 2 │ 3 │   │ 0 │ 1 │ 2 │ 3 │ · │ · │ · │ · │
        │ 0 │ 1 │ 2 │ 3 │   └───┴───┴───┴───┴───┴───┴───┴───┘
        │ 0 │ 1 │ 2 │ 3 │   shape (3, 4), stride (0, 1), offset 0:
        └───┴───┴───┴───┘   start at 0, down +0, right +1
        """
    )


def test_padding_is_a_dot() -> None:
    assert draw_grid(View.contiguous((2,)).pad([(1, 2)])) == lines(
        """
        ┌───┬───┬───┬───┬───┐
        │ · │ 0 │ 1 │ · │ · │
        └───┴───┴───┴───┴───┘
        """
    )


def test_cells_are_as_wide_as_the_longest_number() -> None:
    assert draw_storage(View((2,), (1,), offset=9), 11) == lines(
        """
        ┌────┬────┬────┬────┬────┬────┬────┬────┬────┬────┬────┐
        │  · │  · │  · │  · │  · │  · │  · │  · │  · │  9 │ 10 │
        └────┴────┴────┴────┴────┴────┴────┴────┴────┴────┴────┘
        """
    )


def test_one_axis_steps_to_the_right() -> None:
    assert describe_steps(View((3,), (-2,), offset=5)) == "start at 5, right -2"


def test_no_axis_is_one_cell_and_no_step() -> None:
    view = View((), (), offset=3)
    assert draw_grid(view) == "┌───┐\n│ 3 │\n└───┘"
    assert describe_steps(view) == "start at 3"


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)])
def test_nothing_is_said_to_be_nothing(shape: tuple[int, ...]) -> None:
    assert draw_grid(View.contiguous(shape)) == "(no elements)"
    assert draw_storage(View.contiguous(shape), 0) == "(no elements)"


def test_three_axes_are_refused_with_advice() -> None:
    with pytest.raises(ArgumentError, match=r"at most 2 axes, got shape \(2, 3, 4\); index"):
        draw_grid(View.contiguous((2, 3, 4)))
