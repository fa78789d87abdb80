"""Counting: integers of a small range are told apart by a table of them, not by sorting.

Keys of groups, labels and bins are such integers. A table takes one pass over the elements, where
a sort takes as many as there are bits in their number. The answers are NumPy's, to the element.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.dtypes import Array

FEW = 2048
"""Fewer elements than this NumPy sorts as soon."""
_NAMED = frozenset(("equal_nan", "sorted"))
"""Arguments that make no difference to integers in order."""
_NARROW = 1 << 16
"""So many integers NumPy's stable sort orders digit by digit."""


def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    **named: Any,
) -> Any:
    """What `numpy.unique` gives, in one pass where a table of the elements is small.

    >>> unique(np.array([3, 1, 3]), return_counts=True)
    (array([1, 3]), array([1, 2]))
    """
    is_plain = axis is None and ar.__class__ is np.ndarray and _NAMED.issuperset(named)
    found = _offsets(ar, 2 * ar.size) if is_plain else None
    if found is None:
        theirs: Any = np.unique
        return theirs(ar, return_index, return_inverse, return_counts, axis, **named)
    places, least = found
    table = np.bincount(places)
    present = np.flatnonzero(table)
    parts = [_raised(present, least, ar.dtype)]
    if return_index:
        first = np.empty(table.size, np.intp)
        first[places[::-1]] = np.arange(places.size - 1, -1, -1)  # of several the last one stays
        parts.append(first[present])
    if return_inverse:
        ranks = np.cumsum(table != 0) - 1
        parts.append(ranks[places].reshape(ar.shape))
    if return_counts:
        parts.append(table[present])
    return tuple(parts) if len(parts) > 1 else parts[0]


def narrow_order(rows: Array) -> Array | None:
    """The stable order along the last axis of integers of a small range; None of others."""
    found = _offsets(rows, _NARROW)
    if found is None:
        return None
    return np.argsort(found[0].astype(np.uint16).reshape(rows.shape), axis=-1, kind="stable")


def _offsets(x: Array, span: int) -> tuple[Array, int] | None:
    """Many integers, flat, as distances from the least, which is the other part; below ``span``."""
    if x.dtype.kind not in "iu" or x.size < FEW:
        return None
    least = int(x.min())
    if int(x.max()) - least >= span:
        return None
    if x.dtype.itemsize == 8:
        return (x - x.dtype.type(least)).astype(np.int64).reshape(-1), least
    return (x.astype(np.int64) - least).reshape(-1), least


def _raised(places: Array, least: int, dtype: np.dtype[Any]) -> Array:
    """Distances from ``least`` as the integers that they came from."""
    found: Array = (
        places.astype(dtype) + dtype.type(least) if dtype.itemsize == 8 else places + least
    )
    return found.astype(dtype, copy=False)
