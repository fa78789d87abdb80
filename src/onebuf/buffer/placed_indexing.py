"""Indexing on other devices than the host: by arrays of indices and masks.

Elements are picked where they are. How many a mask picks is known to the device alone, so the mask
is downloaded, which is counted as any transfer; the indices go up again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.buffer.taking import taken
from onebuf.engine import assign, moved, read
from onebuf.errors import DeviceError, IndexRangeError
from onebuf.graph import Leaf, Node
from onebuf.memory import Block
from onebuf.ops import Scalar, as_operand, reshape, take, ternary_where

Array = np.ndarray[Any, Any]


def pick(node: Node, key: Any) -> Node:
    """The elements that ``key``, which is not basic, selects."""
    mask = _mask(key)
    if mask is not None:
        return _masked(node, mask)
    parts = tuple([_picking(part, node) for part in (key if isinstance(key, tuple) else (key,))])
    found = taken(node, parts)
    if found is None:
        raise _refusal(node, "picking by several arrays at once")
    return found


def _picking(part: Any, node: Node) -> Any:
    """One part of a key, on the device of ``node``; a mask of one axis as the indices it picks."""
    mask = _mask(part)
    if mask is None or len(mask.shape) != 1:
        return _on_device(part, node)
    flags = read(mask) if isinstance(mask, Node) else mask
    return _on_device(np.flatnonzero(flags), node)


def put(node: Node, key: Any, value: Node | Scalar) -> None:
    """Write to the elements that ``key``, which is not basic, selects."""
    mask = _mask(key)
    if mask is None or mask.shape != node.shape:
        raise _refusal(node, "writing by arrays of indices")
    one = as_operand(value, node.dtype, node.device)
    if one.numel != 1:
        raise _refusal(node, "writing several values by a mask")
    where = _on_device(mask, node)._node if isinstance(mask, np.ndarray) else mask
    assign(node, ternary_where(where, reshape(one, ()), node))


def _mask(key: Any) -> Node | Array | None:
    held = getattr(key, "_node", key)
    if isinstance(held, Node | np.ndarray) and held.dtype == np.bool:
        return held
    return None


class _Held:
    """A node, as buffers hold theirs."""

    __slots__ = ("_node",)

    def __init__(self, node: Node) -> None:
        self._node = node


def _on_device(part: Any, node: Node) -> Any:
    if not isinstance(part, np.ndarray):
        return part
    part = np.asarray(part, order="C")
    leaf = Leaf(part, Block.foreign(part))
    assert node.device is not None
    return _Held(moved(leaf, node.device))


def _masked(node: Node, mask: Node | Array) -> Node:
    flags = read(mask) if isinstance(mask, Node) else mask
    ndim = flags.ndim
    if flags.shape != node.shape[:ndim]:
        raise IndexRangeError(
            f"a mask needs the shape of the axes that it picks from, {node.shape[:ndim]}, got "
            f"{flags.shape}"
        )
    flat = reshape(node, (-1, *node.shape[ndim:])) if node.numel else reshape(node, (0,))
    places = np.flatnonzero(flags)
    return take(flat, _on_device(places, node)._node, 0)


def _refusal(node: Node, what: str) -> DeviceError:
    return DeviceError(
        f"{what} is done on the host alone, and these elements are on {node.device}; "
        f"copy them: x.to_device('CPU')"
    )
