"""Index expressions: what a function computes from index buffers, as a graph of its own.

The function is called once, with one index buffer for each axis, whose elements cannot be looked
at. What it gives back is copied, from the result down to what does not depend on an index: that is
computed now, and read where it is whenever elements are made. So a buffer that the function reads
as it is shows its present content, and nodes of the copy never become stored: they are no readers
of the memory below them, which the buffer made on demand is in their place.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from onebuf.buffer import Buffer
from onebuf.dtypes import int64
from onebuf.engine import force
from onebuf.errors import ArgumentError, ArgumentTypeError, ShapeError
from onebuf.graph import (
    ARANGE,
    ON_DEMAND,
    SOURCE,
    TAKE,
    TAKE_ALONG,
    VIEW,
    Kind,
    Node,
    enter,
    is_stored,
    make,
)
from onebuf.interop import Source
from onebuf.layout import View, broadcast_shapes
from onebuf.machine import CPU, Device
from onebuf.memory import Territory
from onebuf.ops import constant

_COPIED = frozenset({Kind.ELEMENTWISE, Kind.COPY})
_NUMBERS = (bool, int, float, complex, np.generic)


class IndexLookedAt(ArgumentTypeError):
    """The elements of an index buffer were asked for, while an expression was being recorded."""


class _Index:
    """The indices along one axis, as a source that cannot be read."""

    writable = False
    dtype = int64

    def __init__(self, axis: int, shape: tuple[int, ...]) -> None:
        self.name = f"the index of axis {axis}"
        self.shape = shape
        self.territory = Territory()

    def read(self, bounds: Sequence[tuple[int, int]]) -> np.ndarray[Any, Any]:
        """Refuse."""
        raise IndexLookedAt(
            f"{self.name} of an on-demand expression has no elements to look at: needed operations "
            f"on whole buffers, such as onebuf.where in place of if; or a function that is called "
            f"with boxes: on_demand(..., per='region')"
        )

    def write(self, bounds: Sequence[tuple[int, int]], array: np.ndarray[Any, Any]) -> None:
        """Refuse."""
        self.read(bounds)

    def flush(self) -> None:
        """Nothing was written."""


def record(fn: Callable[..., Any], shape: tuple[int, ...], device: Device) -> Node | None:
    """What ``fn`` computes from one index buffer for each axis; None: something else.

    Whatever it raises is raised.
    """
    given = [_index_node(axis, shape, device) for axis in range(len(shape))]
    found = fn(*[Buffer._value(node) for node in given])
    if isinstance(found, _NUMBERS) and not isinstance(found, np.void | np.character):
        scalar = np.asarray(found)
        return _expanded(constant((), scalar[()], scalar.dtype), shape)
    if not isinstance(found, Buffer):
        return None
    return _expanded(_copy(found._node, device), shape)


def on_demand_node(root: Node, source: Source, is_inlined: bool) -> Node:
    """The node of elements that ``root``, a recorded expression, gives when they are asked for.

    ``is_inlined``: kernels compute it where it is read; else only ``source`` does.
    """
    srcs = (root,) if is_inlined else ()
    device = root.device or CPU
    node = make(ON_DEMAND, srcs, source, source.shape, source.dtype, unique=True, device=device)
    reference = weakref.ref(node)
    for leaf in _leaves(root):
        enter(leaf.readers, reference)
    return node


def _index_node(axis: int, shape: tuple[int, ...], device: Device) -> Node:
    extents = tuple([extent if place == axis else 1 for place, extent in enumerate(shape)])
    return make(SOURCE, (), _Index(axis, extents), extents, int64, unique=True, device=device)


def _is_index(node: Node) -> bool:
    return node.op is SOURCE and isinstance(node.arg, _Index)


def _expanded(node: Node, shape: tuple[int, ...]) -> Node:
    """``node`` repeated to ``shape``, which it has to fit."""
    if node.shape == shape:
        return node
    try:
        fits = broadcast_shapes(node.shape, shape) == shape
    except ShapeError:
        fits = False
    if not fits:
        raise ShapeError(
            f"an on-demand expression needs to give shape {shape}, or one that is repeated to it, "
            f"got {node.shape}"
        )
    view = node.view.expand(shape)
    return Node(VIEW, (node.strided_base,), view, shape, node.dtype, node.made_at, node.device)


def _copy(root: Node, device: Device) -> Node:
    """The part of a graph that depends on indices, or on other sources, in nodes of its own."""
    moving = _moving(root)
    made: dict[int, Node] = {}
    todo = [(root, False)]
    while todo:
        node, visited = todo.pop()
        me = id(node)
        if me in made:
            continue
        if not visited:
            todo.append((node, True))
            if me in moving and node.op.kind is not Kind.SOURCE:
                todo.extend([(src, False) for src in node.srcs])
            continue
        if me not in moving or (node.op.kind is Kind.SOURCE and not _is_index(node)):
            made[me] = _leaf(node)
        elif _is_index(node):
            arg = (0, node.numel, 1)
            made[me] = Node(ARANGE, (), arg, node.shape, int64, node.made_at, node.device)
        else:
            _check(node, moving)
            srcs = tuple([made[id(src)] for src in node.srcs])
            made[me] = Node(
                node.op, srcs, node.arg, node.shape, node.dtype, node.made_at, node.device
            )
    return made[id(root)]


def _moving(root: Node) -> set[int]:
    """The nodes, by id, that depend on an index or on elements that are read on demand."""
    found: set[int] = set()
    done: set[int] = set()
    todo = [(root, False)]
    while todo:
        node, visited = todo.pop()
        if visited:
            if node.op.kind is Kind.SOURCE or any([id(src) in found for src in node.srcs]):
                found.add(id(node))
        elif id(node) not in done:
            done.add(id(node))
            todo.append((node, True))
            if node.op.kind is not Kind.SOURCE:
                todo.extend([(src, False) for src in node.srcs])
    return found


def _leaf(node: Node) -> Node:
    """``node``, which depends on no index: computed now, unless it is one value or a source."""
    base = node.base
    if base.op.kind not in (Kind.CONSTANT, Kind.SOURCE) and not is_stored(node):
        force(node)
    return node


def _check(node: Node, moving: set[int]) -> None:
    """Raise unless each element of ``node`` depends on elements at the same index alone."""
    if node.op.kind in _COPIED or (node.op is VIEW and node.arg.__class__ is View):
        return
    if node.op in (TAKE, TAKE_ALONG) and id(node.srcs[0]) not in moving:
        return
    where = "" if node.origin is None else f" ({node.origin})"
    raise ArgumentError(
        f"an on-demand expression needs element-wise operations on its index, and elements picked "
        f"by it, so that any part can be made alone; got {node.op.name}{where}; compute that from "
        f"stored buffers, or give a function that is called with boxes: per='region'"
    )


def _leaves(root: Node) -> list[Node]:
    """The nodes below ``root`` whose memory it reads, or will read once they have some."""
    found: dict[int, Node] = {}
    todo, seen = [root], {id(root)}
    while todo:
        node = todo.pop()
        if not node.srcs and node.op is not ARANGE:
            found[id(node)] = node
        todo += [src for src in node.srcs if id(src) not in seen]
        seen.update([id(src) for src in node.srcs])
    return list(found.values())
