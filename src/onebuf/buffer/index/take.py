"""Gather: one array of indices among slices, as a node of the graph.

A gather of few stored elements costs less than a graph of it, so NumPy does it at once, as it does
masks and several arrays of indices. A gather of many or of pending elements is a pending node: an
index that is out of range is found when the elements are computed.
"""

from __future__ import annotations

from math import prod
from types import EllipsisType
from typing import Any

import numpy as np

from onebuf.dtypes import int8, int16, int32, int64, uint8, uint16, uint32
from onebuf.graph import Node, settle
from onebuf.ops import adopted, index, take
from onebuf.options import options

_ALL = slice(None)
_DTYPES = frozenset({int8, int16, int32, int64, uint8, uint16, uint32})
"""What int64 holds exactly."""


def taken(node: Node, key: Any) -> Node | None:
    """The elements that ``key`` picks, if they are to be picked later; None if at once."""
    if key.__class__ is tuple:
        parts = key
        places = [place for place, part in enumerate(parts) if not _is_slice(part)]
        if len(places) != 1:
            return None
        (place,) = places
    else:
        parts, place = (key,), 0
    shape = _shape_of(parts[place])
    if shape is None:
        return None
    stored = settle(node) is not None and _is_stored(parts[place])
    if stored and _is_small(node, parts, shape):
        return None
    rest = index(node, tuple([_ALL if n == place else part for n, part in enumerate(parts)]))
    after = len(parts) - place - 1
    axis = len(rest.shape) - 1 - after if any(part is ... for part in parts[:place]) else place
    extent = rest.shape[axis]
    if stored and rest.numel // max(1, extent) * prod(shape) <= options().eager_numel:
        return None
    if _is_known_outside(parts[place], extent):
        return None
    return take(rest, _node_of(parts[place]), axis)


def _is_small(node: Node, parts: tuple[Any, ...], shape: tuple[int, ...]) -> bool:
    """Whether few elements are picked: found quickly, and by no means always."""
    numel = node.numel
    if len(parts) == 1 and numel:
        numel //= node.shape[0]
    return numel * prod(shape) <= options().eager_numel


def _is_slice(part: Any) -> bool:
    return part is None or part.__class__ is slice or part.__class__ is EllipsisType


def _shape_of(part: Any) -> tuple[int, ...] | None:
    """The shape of an array of indices that can be taken by; None of anything else."""
    held = getattr(part, "_node", part)
    if not isinstance(held, Node | np.ndarray):
        return None
    fits = held.shape and held.dtype in _DTYPES
    return held.shape if fits else None


def _is_stored(part: Any) -> bool:
    node = _held(part)
    return node is None or settle(node) is not None


def _held(part: Any) -> Node | None:
    """The node of a part of a key, which may be one itself; None of an array."""
    node = part if isinstance(part, Node) else getattr(part, "_node", None)
    return node if isinstance(node, Node) else None


def _is_known_outside(part: Any, extent: int) -> bool:
    """Whether an array of the user's has an index that is out of range, which is said at once."""
    if not isinstance(part, np.ndarray) or not part.size:
        return False
    return bool(part.min() < -extent or part.max() >= extent)


def _node_of(part: Any) -> Node:
    node = _held(part)
    return adopted(part.copy()) if node is None else node
