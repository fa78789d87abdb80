"""Memory for results: nodes whose elements are about to be written, or have just been computed."""

from __future__ import annotations

from math import prod

import numpy as np

from onebuf import events
from onebuf.dtypes import DT, Array, as_dtype
from onebuf.events import listeners, tell
from onebuf.graph import Fresh, Leaf, Loose, Node
from onebuf.memory import POOL, Block
from onebuf.options import options

LEAST_ADOPTED = 16384
"""Bytes up to which copying a result into the pool, whose memory is aligned, costs little."""
_ndarray = np.ndarray
_allocate = POOL.allocate
_new_cell = POOL.cell
_shelves = POOL.shelves.by_kind


def new_array(shape: tuple[int, ...], dtype: DT) -> tuple[Array, Block]:
    """Uninitialised elements in a block of their own."""
    block = _allocate(prod(shape) * dtype.itemsize)
    return _ndarray(shape, dtype, block.memory, block.offset_bytes), block


def place(shape: tuple[int, ...], dtype: DT, numel: int) -> Node:
    """A node for ``numel`` elements that are about to be written to its array."""
    try:
        cell = _shelves[shape, dtype].pop()
    except (KeyError, IndexError):
        new = _new_cell(shape, dtype, numel * dtype.itemsize)
        return Leaf(*new_array(shape, dtype)) if new is None else Fresh(new, shape, dtype)
    if listeners():
        tell(events.Allocated(cell.chunk.nbytes, POOL.stats().in_use))
    return Fresh(cell, shape, dtype)


def adopted(array: Array) -> Node:
    """A node for a new array with no other reference: on its memory, where the array owns that."""
    dtype = as_dtype(array.dtype)
    is_own = array.base is None and array.flags.carray and array.dtype is dtype and array.ndim
    is_small = array.nbytes <= LEAST_ADOPTED
    if not is_own or is_small or options().memory_cap is not None or listeners():
        return pooled(array)
    return Loose(array, dtype)


def pooled(array: Array) -> Node:
    """A node for a copy of ``array`` in the pool's memory, which is aligned."""
    result = place(array.shape, as_dtype(array.dtype), array.size)
    result.array[...] = array  # type: ignore[index]
    return result
