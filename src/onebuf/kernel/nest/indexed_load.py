"""Moving: the steps by which a nest reads where indices point, and reads nothing where none is.

A LOAD may have operands. A whole number says how many elements beyond its slot's place it reads; a
bool says whether there is an element at all, and where there is none the value is 0. So whatever
tells where elements are, and whether they are, is made of steps like everything else:

- ``TAKE (index, extent[, stride])``: how far an index reaches. It may count from the end; unless it
  is within the extent, the kernel gives up and says so in the scalar number ``arg``.
- ``INSIDE (position, extent[, other])``: whether 0 <= position < extent, and the other holds.
- ``PAD (inside, value, border)``: the value inside, the border elsewhere.

`onebuf.graph` has TAKE and PAD: kernels name what they do by the same words as graphs.
"""

from __future__ import annotations

from onebuf.graph import Kind, Op

INSIDE = Op("inside", Kind.GENERATE)
FLAG = 1
"""What a kernel leaves in its scalar if an index was outside."""


def wrapped(index: int, extent: int) -> int | None:
    """An index counted from the front; None if it is outside.

    >>> wrapped(-1, 3), wrapped(2, 3), wrapped(3, 3)
    (2, 2, None)
    """
    index += extent * (index < 0)
    return index if 0 <= index < extent else None
