"""Indexing in functions that are being traced: indices may be values that are not known yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from onebuf.dtypes import int64, kind
from onebuf.graph import Foreign, Node
from onebuf.late import Late
from onebuf.machine import Tracer
from onebuf.ops import Scalar, cast

if TYPE_CHECKING:
    from onebuf import engine
    from onebuf.ops.numpy import picking
else:
    picking = Late("onebuf.ops.numpy.picking")
    engine = Late("onebuf.engine")


def is_traced(node: Node, key: Any) -> bool:
    """Whether ``node`` or a part of ``key`` is being traced."""
    if isinstance(node.device, Tracer):
        return True
    if key.__class__ is not tuple:
        return isinstance(_device(key), Tracer)
    return any(isinstance(_device(part), Tracer) for part in key)


def picked(node: Node, key: Any) -> Node | None:
    """The elements that ``key`` picks by several arrays, or by an index that is computed.

    None if something else is to be done: for masks, and for a single array of indices.
    """
    found = _slots(key)
    return None if found is None or not _needs_pick(found[1]) else picking.pick(node, *found)


def written(node: Node, key: Any, value: Node | Scalar) -> bool:
    """Write to the elements that ``key`` picks by arrays of indices; whether it has any."""
    found = _slots(key)
    if found is None or not found[1]:
        return False
    engine.assign(node, picking.put(node, *found, engine.new_elements(node, value)))
    return True


def _needs_pick(indices: list[Node]) -> bool:
    return len(indices) > 1 or (len(indices) == 1 and not indices[0].shape)


def _parts(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _device(part: Any) -> Any:
    node = getattr(part, "_node", None)
    return node.device if isinstance(node, Node) else None


def _slots(key: Any) -> tuple[tuple[Any, ...], list[Node]] | None:
    """A key with slots, and the indices that belong there; None if there is a mask among them."""
    made: list[Any] = []
    indices: list[Node] = []
    for part in _parts(key):
        index = _index(part)
        if index is None:
            made.append(part)
            continue
        if kind(index.dtype) not in "iu":
            return None
        made.append(picking.SLOT)
        indices.append(cast(index, int64))
    return tuple(made), indices


def _index(part: Any) -> Node | None:
    """A part of a key as a node, if it is an array; a NumPy integer is none."""
    node = getattr(part, "_node", None)
    if isinstance(node, Node):
        return node
    if isinstance(part, list):
        part = np.asarray(part, dtype=None if part else np.int64)
    return Foreign(part) if isinstance(part, np.ndarray) and part.ndim else None
