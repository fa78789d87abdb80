"""Indexing on other devices than the host: by arrays of indices and masks.

Elements are picked where they are. How many a mask picks is known to the device alone, so the mask
is downloaded, which is counted as any transfer; the indices go up again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.buffer.index.take import taken
from onebuf.dtypes import Array
from onebuf.engine import assign, moved, new_elements, read
from onebuf.errors import DeviceError, IndexRangeError, NotDistributed
from onebuf.graph import Leaf, Node
from onebuf.machine import Cluster
from onebuf.memory import Block
from onebuf.ops import Scalar, reshape, take, ternary_where


def pick(node: Node, key: Any) -> Node:
    """The elements that ``key``, which is not basic, selects."""
    mask = _mask(key)
    if isinstance(node.device, Cluster):
        return _pick_distributed(node, mask, node.device)
    if mask is not None:
        return _masked(node, mask)
    parts = key if isinstance(key, tuple) else (key,)
    here = tuple([_picking(node, parts, place) for place in range(len(parts))])
    found = taken(node, here)
    if found is None:
        raise _refusal(node, "picking by several arrays at once")
    return found


def _pick_distributed(node: Node, mask: Node | Array | None, cluster: Cluster) -> Node:
    """The elements that a mask picks, where they are."""
    if mask is None or mask.shape != node.shape:
        raise NotDistributed(
            f"a distributed buffer of shape {node.shape} can be indexed by slices, and by a mask "
            f"of its shape, got another key; gather it for others: x.to_local()[key]"
        )
    where = _placed(mask, node) if isinstance(mask, np.ndarray) else moved(mask, cluster)
    return cluster.driver.compacted(node, where)  # type: ignore[no-any-return]


def _picking(node: Node, parts: tuple[Any, ...], place: int) -> Any:
    """One part of a key, on the device of ``node``; a mask of one axis as the indices it picks."""
    part = parts[place]
    mask = _mask(part)
    if mask is None or len(mask.shape) != 1:
        return _placed(part, node) if isinstance(part, np.ndarray) else part
    return _places(mask, (_extent(node, parts, place),), node)


def _extent(node: Node, parts: tuple[Any, ...], place: int) -> int:
    """The extent of the axis that a part of a key is about."""
    before, rest = parts[:place], parts[place:]
    if any(part is ... for part in before):
        axis = len(node.shape) - len([part for part in rest if part is not None])
    else:
        axis = len([part for part in before if part is not None])
    return node.shape[axis] if 0 <= axis < len(node.shape) else 0


def put(node: Node, key: Any, value: Node | Scalar) -> None:
    """Write to the elements that ``key``, which is not basic, selects."""
    mask = _mask(key)
    if mask is None or mask.shape != node.shape:
        raise _refusal(node, "writing by arrays of indices")
    one = new_elements(node, value)
    if one.numel != 1:
        raise _refusal(node, "writing several values by a mask")
    where = _placed(mask, node) if isinstance(mask, np.ndarray) else mask
    assign(node, ternary_where(where, reshape(one, ()) if one.shape else one, node))


def _mask(key: Any) -> Node | Array | None:
    held = getattr(key, "_node", key)
    if isinstance(held, Node | np.ndarray) and held.dtype == np.bool:
        return held
    return None


def _placed(array: Array, node: Node) -> Node:
    """An array of the host, on the device of ``node``."""
    array = np.asarray(array, order="C")
    assert node.device is not None
    return moved(Leaf(array, Block.foreign(array)), node.device)


def _masked(node: Node, mask: Node | Array) -> Node:
    ndim = len(mask.shape)
    places = _places(mask, node.shape[:ndim], node)
    flat = reshape(node, (-1, *node.shape[ndim:])) if node.numel else reshape(node, (0,))
    return take(flat, places, 0)


def _places(mask: Node | Array, shape: tuple[int, ...], node: Node) -> Node:
    """Where a mask of ``shape`` holds, row by row, as indices on the device of ``node``."""
    if mask.shape != shape:
        raise IndexRangeError(
            f"a mask needs the shape of the axes that it picks from, {shape}, got {mask.shape}"
        )
    return _placed(np.flatnonzero(read(mask) if isinstance(mask, Node) else mask), node)


def _refusal(node: Node, what: str) -> DeviceError:
    return DeviceError(
        f"{what} is done on the host alone, and these elements are on {node.device}; "
        f"copy them: x.to_device('CPU')"
    )
