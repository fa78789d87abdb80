"""How many elements of a tensor are independent, counted without looking at its elements.

Indices that a group carries into each other form an orbit, and one element of an orbit gives all
others. An orbit is zero if an operation of sign -1 that does not conjugate keeps one of its
indices: then ``x == -x``. An element that has to be real, or imaginary, is stored as any other.

Counting goes by Burnside's lemma, unless there are operations of both signs that conjugate. Then it
goes by the pattern of equal indices: an operation keeps an index if it exchanges equal entries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import perm, prod

import numpy as np

from onebuf.symmetry.operation import Operation


def independent_elements(operations: Sequence[Operation], extents: tuple[int, ...]) -> int:
    """How many orbits of indices are not zero.

    >>> from onebuf.symmetry import Hermitian, Symmetric
    >>> independent_elements(Symmetric(0, 1).operations, (10**6, 10**6))
    500000500000
    >>> independent_elements(Hermitian(0, 1).operations, (3, 3))
    6
    """
    factors = {operation.sign for operation in operations if operation.conjugate}
    if len(factors) < 2:
        # With one sign among the operations that conjugate, those that keep an index count as 1.
        return _burnside(operations, extents)
    return _by_patterns(operations, extents)


def _burnside(operations: Sequence[Operation], extents: tuple[int, ...]) -> int:
    """The mean, over the group, of the signed number of indices that an operation keeps."""
    total = 0
    for operation in operations:
        # An index is kept if it is constant on each cycle, whose axes all have one extent.
        kept = prod(extents)
        for cycle in operation.permutation.cycles:
            kept //= max(extents[cycle[0]], 1) ** (len(cycle) - 1)
        total += kept if operation.conjugate else operation.sign * kept
    return total // len(operations)


def _by_patterns(operations: Sequence[Operation], extents: tuple[int, ...]) -> int:
    lines = np.array([operation.permutation.one_line for operation in operations])
    orbits = lines.min(axis=0)  # axes of different orbits are never compared
    loses = np.array([one.sign < 0 and not one.conjugate for one in operations])
    total = 0
    for pattern in _patterns(orbits.tolist()):
        count = 1
        for axis in set(orbits.tolist()):
            different = {pattern[other] for other in np.flatnonzero(orbits == axis).tolist()}
            count *= perm(extents[axis], len(different))
        entries = np.array(pattern)
        keeps = (entries[lines] == entries).all(axis=1)
        if count and not (keeps & loses).any():
            total += count * int(keeps.sum())
    return total // len(operations)


def _patterns(orbits: list[int]) -> Iterator[list[int]]:
    """Every way in which indices can be equal, as labels: equal labels are equal indices."""

    def extended(pattern: list[int]) -> Iterator[list[int]]:
        axis = len(pattern)
        if axis == len(orbits):
            yield pattern
            return
        known = {pattern[other] for other in range(axis) if orbits[other] == orbits[axis]}
        for label in [*sorted(known), axis]:
            yield from extended([*pattern, label])

    return extended([])
