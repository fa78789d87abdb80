"""Picking and putting by several arrays of indices, as NumPy has it, as nodes of the graph.

A key is a tuple of parts. What stands for an array of indices in it is `SLOT`; the arrays
themselves are operands, so that they may be computed as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from onebuf.dtypes import Array
from onebuf.errors import DeviceError
from onebuf.graph import Node
from onebuf.ops.library import library

Key = tuple[Any, ...]
SLOT = "slot"
"""The place of an array of indices in a key."""


def filled(key: Key, arrays: Sequence[Any]) -> Key:
    """``key`` with arrays in place of the slots; one of no axes is an integer."""
    left = iter(arrays)
    parts = [next(left) if part is SLOT else part for part in key]
    return tuple([int(p) if isinstance(p, np.ndarray) and not p.ndim else p for p in parts])


def picked_shape(shape: tuple[int, ...], key: Key, indices: Sequence[Node]) -> tuple[int, ...]:
    """The shape of what ``key`` picks out of ``shape``.

    >>> picked_shape((4, 5), (0, slice(1, 3)), [])
    (2,)
    """
    zeros = [np.zeros(index.shape, np.int64) for index in indices]
    return np.broadcast_to(np.False_, shape)[filled(key, zeros)].shape


def pick(x: Node, key: Key, indices: Sequence[Node]) -> Node:
    """The elements of ``x`` that ``key`` picks."""
    _check_device("picking by several arrays at once", x)
    shape = picked_shape(x.shape, key, indices)
    return library(_pick, (x, *indices), (Static(key),), shape, x.dtype, "pick")


def put(x: Node, key: Key, indices: Sequence[Node], values: Node) -> Node:
    """A copy of ``x`` whose elements that ``key`` picks are ``values``, broadcast."""
    _check_device("writing by arrays of indices", x)
    return library(_put, (x, values, *indices), (Static(key),), x.shape, x.dtype, "put")


class Static:
    """A key as an argument that can be hashed: slices cannot before Python 3.12."""

    __slots__ = ("key",)

    def __init__(self, key: Key) -> None:
        self.key = key


def key_of(node: Node) -> Key:
    """The key of a node that `pick` or `put` made."""
    return node.arg.static[0].key  # type: ignore[no-any-return]


def _pick(x: Array, *rest: Any) -> Array:
    *arrays, static = rest
    return np.array(x[filled(static.key, arrays)])


def _put(x: Array, values: Array, *rest: Any) -> Array:
    *arrays, static = rest
    made = x.copy()
    made[filled(static.key, arrays)] = values
    return made


def _check_device(what: str, x: Node) -> None:
    device = x.device
    if device is not None and not device.has_operations:
        raise DeviceError(
            f"{what} is done on the host alone, and these elements are on {device}; "
            f"copy them: x.to_device('CPU')"
        )
