"""Indexed loads: the steps that compute where a LOAD reads, and whether it reads at all.

A LOAD may have operands. An integer operand is a distance in elements from the slot's own position.
A bool operand is a condition: where it is false nothing is read, and the value is 0. Positions and
conditions are computed by ordinary steps:

- ``TAKE (index, extent[, stride])``: the distance of an index, which may count from the end. If the
  index is outside the extent, the kernel stops and sets the scalar number ``arg`` to FLAG.
- ``INSIDE (position, extent[, other])``: whether 0 <= position < extent, and the other bool holds.
- ``PAD (inside, value, border)``: the value where ``inside`` holds, else the border.

TAKE and PAD are the operations of the same name in `onebuf.graph`.
"""

from __future__ import annotations

from onebuf.graph import PAD, TAKE, Kind, Op

INSIDE = Op("inside", Kind.GENERATE)
ADDRESSING = frozenset({TAKE, PAD, INSIDE})
"""The operations above, which each form of a kernel writes in its own way."""
FLAG = 1
"""The value of the scalar after an index was outside."""


def wrapped(index: int, extent: int) -> int | None:
    """An index counted from the front; None if it is outside.

    >>> wrapped(-1, 3), wrapped(2, 3), wrapped(3, 3)
    (2, 2, None)
    """
    index += extent * (index < 0)
    return index if 0 <= index < extent else None
