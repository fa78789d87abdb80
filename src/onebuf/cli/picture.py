"""Views as pictures: a grid that shows where each element lies, beside the flat storage.

Pure functions from a `View` to text. A number in a cell is a position in the storage; a dot is a
place without one: padding in a grid, an element that the view does not see in the storage.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from onebuf.errors import ArgumentError
from onebuf.layout import View, positions

NOTHING = "·"


def draw(view: View, numel: int) -> str:
    """``view`` as a grid, beside a storage of ``numel`` elements and the way through it.

    >>> print(draw(View.contiguous((2, 3)).permute((1, 0)), 6))
    ┌───┬───┐   ┌───┬───┬───┬───┬───┬───┐
    │ 0 │ 3 │   │ 0 │ 1 │ 2 │ 3 │ 4 │ 5 │
    │ 1 │ 4 │   └───┴───┴───┴───┴───┴───┘
    │ 2 │ 5 │   shape (3, 2), stride (1, 3), offset 0:
    └───┴───┘   start at 0, down +1, right +3
    """
    left = draw_grid(view).splitlines()
    facts = f"shape {view.shape}, stride {view.stride}, offset {view.offset}:"
    right = [*draw_storage(view, numel).splitlines(), facts, describe_steps(view)]
    width = max(map(len, left))
    pairs = zip_longest(left, right, fillvalue="")
    return "\n".join(f"{one:{width}}   {other}".rstrip() for one, other in pairs)


def draw_grid(view: View) -> str:
    """The position behind each index of a view with at most two axes."""
    if view.ndim > 2:
        raise ArgumentError(
            f"a drawing needs at most 2 axes, got shape {view.shape}; index all but two of them"
        )
    if view.numel == 0:
        return "(no elements)"
    rows, columns = (1, 1, *view.shape)[-2:]
    cells = [_cell(position) for position in positions(view)]
    return _box([cells[row * columns : (row + 1) * columns] for row in range(rows)])


def draw_storage(view: View, numel: int) -> str:
    """A row of ``numel`` elements, with the positions of those that the view sees.

    >>> print(draw_storage(View((3,), (-2,), offset=5), 6))
    ┌───┬───┬───┬───┬───┬───┐
    │ · │ 1 │ · │ 3 │ · │ 5 │
    └───┴───┴───┴───┴───┴───┘
    """
    if numel == 0:
        return "(no elements)"
    seen = set(positions(view))
    return _box([[_cell(position if position in seen else None) for position in range(numel)]])


def describe_steps(view: View) -> str:
    """Where the first element is, and how far each axis steps.

    >>> describe_steps(View.contiguous((2, 3)).flip(1))
    'start at 2, down +3, right -1'
    """
    names = ("down", "right")[-view.ndim :] if view.ndim else ()
    steps = [f"{name} {step:+d}" for name, step in zip(names, view.stride, strict=True)]
    return ", ".join([f"start at {view.offset}", *steps])


def _cell(position: int | None) -> str:
    return NOTHING if position is None else str(position)


def _box(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells of one width inside lines."""
    width = max(len(cell) for row in rows for cell in row)
    count = len(rows[0])

    def rule(left: str, middle: str, right: str) -> str:
        return left + middle.join(["─" * (width + 2)] * count) + right

    lines = ["│" + "│".join(f" {cell:>{width}} " for cell in row) + "│" for row in rows]
    return "\n".join([rule("┌", "┬", "┐"), *lines, rule("└", "┴", "┘")])
