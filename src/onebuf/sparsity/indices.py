"""Lists of indices as arrays: what callers pass, checked against a shape, all indices at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from onebuf.errors import ArgumentError, ArgumentTypeError, IndexRangeError, ShapeError
from onebuf.shapes.box import extents_of

Integers: TypeAlias = NDArray[np.int64]

MOST_FROM_ZERO = 2**31
"""Entries of a shape of which the zero ones can be listed: all others are kept one by one."""


def checked_shape(shape: Any, what: str) -> tuple[int, ...]:
    """The extents of a shape whose elements 64-bit integers can number."""
    extents = extents_of(shape, what)
    if prod(extents) >= 2**63:
        raise ArgumentError(f"{what} needs a shape of less than 2**63 elements, got {extents}")
    return extents


def index_array(indices: Any, shape: tuple[int, ...], what: str) -> Integers:
    """Indices as an array with a row for each, all inside ``shape``.

    >>> index_array([(1, 2), (0, 3)], (2, 4), "nonzero").tolist()
    [[1, 2], [0, 3]]
    >>> index_array({3, 5}, (10,), "nonzero").tolist()
    [[3], [5]]
    """
    rank = len(shape)
    array = integer_array(indices, what)
    if array.ndim == 1 and (rank == 1 or not array.size):
        array = array.reshape(-1, rank) if array.size or rank else array.reshape(len(array), 0)
    if array.ndim != 2 or array.shape[1] != rank:
        raise ShapeError(
            f"{what} needs indices of {rank} numbers for the shape {shape}, got an array of shape "
            f"{array.shape}" + ("" if rank == 1 else "; pass a list of tuples")
        )
    outside = (array < 0) | (array >= np.array(shape, np.int64))
    if outside.any():
        index = array[outside.any(axis=1).argmax()]
        raise IndexRangeError(
            f"{what} has the index {tuple(index.tolist())}, which is outside of the shape {shape}"
        )
    return array.astype(np.int64, copy=False)


def integer_array(values: Any, what: str) -> NDArray[Any]:
    """``values``, integers or nested sequences of them, as an array of an integer dtype."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise ArgumentTypeError(f"{what} needs a list of indices, got {values!r}")
    if not isinstance(values, (list, tuple, range)) and not hasattr(values, "__array__"):
        try:
            # Sets have no order of their own, and sorting makes errors the same each time.
            values = sorted(values) if isinstance(values, Collection) else list(values)
        except TypeError:
            values = list(values)
    try:
        array = np.asarray(values)
    except (ValueError, OverflowError, TypeError):
        raise ShapeError(
            f"{what} needs indices of one length, with an integer for each axis, got {values!r}"
        ) from None
    if not array.size:
        return array.astype(np.int64)
    if array.dtype == object and all(type(one) is int for one in array.flat):
        raise IndexRangeError(f"{what} has an index of 2**63 or more")
    if array.dtype.kind not in "iu":
        raise ArgumentTypeError(
            f"{what} needs indices that are integers, got {array.dtype}: {_shortened(values)}"
        )
    return array


def flat_indices(array: Integers, shape: tuple[int, ...]) -> Integers:
    """The row-major flat index of each row of ``array``.

    >>> flat_indices(np.array([[1, 2], [0, 3]]), (2, 4)).tolist()
    [6, 3]
    """
    flat = np.zeros(len(array), np.int64)
    for axis, extent in enumerate(shape):
        flat *= extent
        flat += array[:, axis]
    return flat


def unflat_indices(flat: Integers, shape: tuple[int, ...]) -> Integers:
    """The index, a row each, of row-major flat indices: the inverse of `flat_indices`."""
    array = np.empty((len(flat), len(shape)), np.int64)
    for axis in range(len(shape))[::-1]:
        flat, array[:, axis] = np.divmod(flat, max(shape[axis], 1))
    return array


def sorted_distinct(flat: Integers) -> Integers:
    """The flat indices in order, each one once; several times faster than `np.unique`.

    >>> sorted_distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    flat = np.sort(flat)
    differs = np.ones(len(flat), bool)
    differs[1:] = flat[1:] != flat[:-1]
    return flat[differs]


def distinct_flat(array: Integers, shape: tuple[int, ...], what: str) -> Integers:
    """The sorted flat indices of the rows of ``array``, no two of which are the same."""
    flat = np.sort(flat_indices(array, shape))
    twice = np.flatnonzero(flat[1:] == flat[:-1])
    if len(twice):
        index = tuple(unflat_indices(flat[twice[:1]], shape)[0].tolist())
        raise ArgumentError(f"{what} needs each index once, got {index} several times")
    return flat


def flat_complement(flat: Integers, shape: tuple[int, ...], what: str) -> Integers:
    """All flat indices of a shape that are not among ``flat``."""
    size = prod(shape)
    if size > MOST_FROM_ZERO:
        raise ArgumentError(
            f"{what} needs at most {MOST_FROM_ZERO} entries in the shape, because all others are "
            f"kept one by one, got {shape}; Block(shape, zero=...) keeps boxes"
        )
    remains = np.ones(size, bool)
    remains[flat] = False
    return np.flatnonzero(remains)


def _shortened(values: Any) -> str:
    text = repr(values)
    return text if len(text) < 60 else text[:56] + " ..."
