"""Structured nodes: stored elements seen through a `onebuf.layout.layout.Layout`.

The storage is a node of one axis, with the elements that the layout stores in the order of its
arrangement. The structured node is a view of it, and of the index tables of the layout.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from onebuf.dtypes import kind
from onebuf.errors import DTypeError
from onebuf.graph import VIEW, Foreign, Node, make
from onebuf.layout import View
from onebuf.layout.arrangement.arrangement import Packed
from onebuf.layout.arrangement.packing import Axis, Power
from onebuf.layout.composed import Composed, permutation_of, through
from onebuf.layout.layout import Layout
from onebuf.machine import CPU, Device
from onebuf.ops.structured.upload import elsewhere

_tables: WeakKeyDictionary[Layout, dict[Device, tuple[Node, ...]]] = WeakKeyDictionary()
"""The index tables of layouts, by the devices that have them."""


class Structured(NamedTuple):
    """What a structured node is: its storage, its layout, and the axes of that in order."""

    storage: Node
    layout: Layout
    axes: tuple[int, ...]

    @property
    def is_turned(self) -> bool:
        """Whether its axes are in another order than those of the layout."""
        return self.axes != tuple(range(len(self.axes)))

    def seen(self, storage: Node) -> Node:
        """Other stored elements through the same layout."""
        node = with_layout(storage, self.layout)
        if not self.is_turned:
            return node
        view = View.contiguous(self.layout.shape).permute(self.axes)
        return make(VIEW, node.srcs, through(view, self.layout), view.shape, node.dtype)


def structured(node: Node) -> Structured | None:
    """The parts of a node that sees all of a layout, in some order of its axes; else None."""
    if node.op is not VIEW:
        return None
    arg = node.arg
    if arg.__class__ is Layout:
        return Structured(node.srcs[0], arg, tuple(range(len(arg.shape))))
    if arg.__class__ is Composed and arg.inner.__class__ is Layout and arg.outer.__class__ is View:
        axes = permutation_of(arg.outer, arg.inner.shape)
        return None if axes is None else Structured(node.srcs[0], arg.inner, axes)
    return None


def layout_of(node: Node) -> Layout | None:
    """The layout through which all elements of ``node`` are seen; None: there is none."""
    part = structured(node)
    return None if part is None or part.is_turned else part.layout


def with_layout(storage: Node, layout: Layout) -> Node:
    """The elements that ``layout`` sees in ``storage``, a node of one axis."""
    if layout.is_plain:
        raise AssertionError("a plain layout needs no view")
    if kind(storage.dtype) == "b" and any(one.sign < 0 for one in layout.group):
        raise DTypeError(
            f"a layout with {layout.symmetry} needs elements that can be negated, got "
            f"{storage.dtype.name}; use numbers, such as int8"
        )
    tables = tables_of(layout, storage.device or CPU)
    return make(VIEW, (storage, *tables), layout, layout.shape, storage.dtype)


def tables_of(layout: Layout, device: Device) -> tuple[Node, ...]:
    """The index tables of a layout, as stored nodes on ``device``."""
    home = CPU if device.is_host else device
    known = _tables.setdefault(layout, {})
    found = known.get(home)
    if found is None:
        tables = [stored_table(table) for table in layout.tables]
        found = tuple(tables if home is CPU else [elsewhere(table, home) for table in tables])
        known[home] = found
    return found


def stored_table(table: np.ndarray[Any, Any]) -> Node:
    """A node on an array that nobody writes to any more."""
    table = table.view()
    table.flags.writeable = False
    node = Foreign(table)
    node.claimed = True
    return node


def triangle_of(layout: Layout) -> Power | None:
    """The packing of a layout that is a symmetric matrix; None of any other."""
    arrangement = layout.arrangement
    if not isinstance(arrangement, Packed):
        return None
    packing = arrangement.packing
    if isinstance(packing, Power) and all(isinstance(f, Axis) for f in packing.factors):
        return packing if len(packing.factors) == 2 else None
    return None
