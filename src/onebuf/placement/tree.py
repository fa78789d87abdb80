"""The tree in which partial results are combined: the same for any number of places.

Its leaves are the numbers 0 to n-1, and the node above leaves ``b`` to ``b + 2**k`` combines those
of its two halves. A place that has a run of leaves combines all nodes whose leaves it has, and
hands on what is left: about two values for each level of the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

T = TypeVar("T")
Span = tuple[int, int]
"""The leaves below a node: from the first, to one past the last."""


def nodes_of_run(begin: int, end: int) -> list[Span]:
    """The largest nodes of the tree that have leaves of a run alone, in order.

    >>> nodes_of_run(6, 12)
    [(6, 8), (8, 12)]
    >>> nodes_of_run(0, 6)
    [(0, 4), (4, 6)]
    """
    found = []
    while begin < end:
        size = begin & -begin or 1 << (end - begin).bit_length()
        while begin + size > end:
            size //= 2
        found.append((begin, begin + size))
        begin += size
    return found


def combined(span: Span, known: Mapping[Span, T], combine: Callable[[T, T], T]) -> T:
    """The value of the node above leaves 0 to ``span[1]``, or of another one, from nodes below it.

    ``known`` has values that cover the leaves.

    >>> combined((0, 3), {(0, 2): "ab", (2, 3): "c"}, lambda x, y: f"({x}{y})")
    '(abc)'
    """
    begin, end = span
    size = 1
    while size < end - begin:
        size *= 2
    return _value(begin, size, end, known, combine)


def _value(
    begin: int, size: int, end: int, known: Mapping[Span, T], combine: Callable[[T, T], T]
) -> T:
    found = known.get((begin, min(begin + size, end)))
    if found is not None:
        return found
    half = size // 2
    left = _value(begin, half, end, known, combine)
    if begin + half >= end:
        return left
    return combine(left, _value(begin + half, half, end, known, combine))
