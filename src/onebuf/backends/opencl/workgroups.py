"""Work-group sizes, for kernels that do not fix them.

Drivers compile a kernel again for each size, so that few are used: powers of four whose product is
GROUP. Groups that reach beyond the last index cost more, and so do narrow ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from math import prod

GROUP = 256
_SIZES = (256, 64, 16, 4, 1)
_NARROW = 8
"""Neighbours that are computed at the same time, approximately (SIMD lanes)."""
_PARTIAL_COST = 3.0


@lru_cache(4096)
def group_size(extents: tuple[int, ...], most: int = GROUP) -> tuple[int, ...]:
    """How many work-items a group has along each dimension.

    >>> group_size((1000,)), group_size((3, 1000)), group_size((100, 1000))
    ((256,), (1, 256), (16, 16))
    """
    items = min(GROUP, most)
    if max(extents) == 1:
        return tuple([1 for _ in extents])  # there is one work-item, and no index to tell two apart
    if len(extents) == 1:
        return (items,)
    candidates = [sizes for sizes in product(_SIZES, repeat=len(extents)) if prod(sizes) == items]
    if not candidates:
        return (items, *(1 for _ in extents[1:]))
    return min(candidates, key=lambda sizes: _cost(extents, sizes))


def _cost(extents: Sequence[int], sizes: Sequence[int]) -> float:
    """The approximate cost of an element."""
    whole = prod([n // size * size / n for n, size in zip(extents, sizes, strict=True)])
    cost = whole + _PARTIAL_COST * (1 - whole)
    return cost * (1 if sizes[0] >= _NARROW else 2)
