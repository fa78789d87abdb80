"""Positions: what a view means, element by element.

Plain and slow: for drawings, and for tests to hold everything else against.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from onebuf.layout.view import View


def positions(view: View) -> Iterator[int | None]:
    """Position of every element in row-major order, None for padding: the slow, plain meaning.

    >>> list(positions(View.contiguous((3,)).flip().pad([(1, 0)])))
    [None, 2, 1, 0]
    """
    return map(view.at, product(*map(range, view.shape)))
