"""Allocators: buffers of one kind on one device, made with a layout.

An allocator is the boundary to the libraries that hold elements: what it constructs is on its
device, whatever library holds that, and programs see buffers alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from onebuf.buffer.exchange.construction import as_node
from onebuf.buffer.handle import Handle, class_on
from onebuf.buffer.layout.index_function import stored_values
from onebuf.dtypes import DT, as_dtype
from onebuf.engine import moved, realize, taken
from onebuf.engine.run.layout_write import check_number, stored_elements
from onebuf.errors import ArgumentTypeError, LayoutError, ShapeError
from onebuf.graph import Node
from onebuf.layout.layout import Layout
from onebuf.machine import CPU, Cluster, Device
from onebuf.machine import device as find_device
from onebuf.machine.runtime import THREADS
from onebuf.ops import SCALARS, cast, copied, empty, full
from onebuf.ops.structured.nodes import Structured, with_layout
from onebuf.options import options

Kind = type[Handle]


@dataclass(frozen=True, slots=True, init=False)
class Allocator:
    """Makes buffers of class ``kind`` on ``device``.

    >>> from onebuf import Layout, allocator
    >>> from onebuf.symmetry import Symmetric
    >>> square = Layout((3, 3), symmetry=Symmetric(0, 1))
    >>> allocator().construct(square, lambda i, j: i + j)
    Buffer([[0, 1, 2],
            [1, 2, 3],
            [2, 3, 4]], shape=(3, 3), dtype=int64, device=CPU)
    """

    device: Device
    kind: Kind

    def __init__(self, device: str | Device | None = None, kind: Any = None) -> None:
        where = find_device(device)
        usual = class_on(where)
        object.__setattr__(self, "device", where)
        object.__setattr__(self, "kind", usual)
        if kind is not None:
            object.__setattr__(self, "kind", self.rebind(kind).kind)

    @property
    def runtime(self) -> Any:
        """What the buffers' program runs on: a `Runtime`, or the one that was opened."""
        return self.device.runtime if isinstance(self.device, Cluster) else THREADS

    # -- making ------------------------------------------------------------------------------------

    def allocate(self, layout: Any, dtype: Any = None) -> Any:
        """A buffer whose elements have no particular value, but 0 where the layout says so."""
        layout, dtype = as_layout(layout), self._dtype(dtype)
        made = getattr(self.kind, "_constructed", None)
        if made is not None:
            return made(self, layout, 0, dtype)
        storage = empty(_storage_shape(layout), dtype, self.device)
        return self._made(storage, layout)

    def construct(self, layout: Any, value: Any = 0, dtype: Any = None, move: bool = False) -> Any:
        """A buffer with a layout and one value everywhere, a function's, or those of an array.

        ``layout`` may be a buffer instead, which is copied; with ``move=True`` its memory may be
        used, and it should not be used any more. A function gets the index along each axis, as
        buffers of integers for all stored elements at once; one that needs plain integers is called
        for each element. Where the layout makes elements equal, the function has to as well.
        """
        if isinstance(layout, Handle):
            return self._of_buffer(layout, dtype, move)
        if _is_array(layout):
            return self._of_buffer(class_on(CPU)(layout), dtype, move)  # type: ignore[call-arg]
        made = getattr(self.kind, "_constructed", None)
        layout = as_layout(layout)
        if made is not None:
            return made(self, layout, value, dtype)
        return self._made(self._storage(layout, value, dtype), layout)

    def _storage(self, layout: Layout, value: Any, dtype: Any) -> Node:
        """The stored elements of a layout."""
        shape = _storage_shape(layout)
        if isinstance(value, (*SCALARS, np.generic)):
            typed = self._dtype(dtype, value)
            if not layout.is_plain:
                check_number(layout, np.asarray(value).astype(typed))
            return full(shape, value, typed, self.device)
        if callable(value):
            found = stored_values(layout, value, self.device)
        else:
            node = as_node(value, None, None, {}, None)
            if node.shape != layout.shape:
                raise ShapeError(
                    f"construct needs a value of the shape of the layout, {layout.shape}, got "
                    f"{node.shape}; a single number fills everything"
                )
            node = moved(node, self.device)
            if not layout.is_plain:
                node = stored_elements(Structured(node, layout, tuple(range(layout.rank))), node)
            found = taken(copied(moved(node, self.device)))  # others may write to its memory
        return found if dtype is None else cast(found, as_dtype(dtype))

    def _of_buffer(self, buffer: Handle, dtype: Any, move: bool) -> Any:
        made = getattr(self.kind, "_constructed", None)
        if made is not None:
            return made(self, buffer.layout, buffer, dtype)  # type: ignore[attr-defined]
        node = buffer._node
        wanted = node.dtype if dtype is None else as_dtype(dtype)
        is_here = (node.device or CPU) is self.device
        if is_here and wanted == node.dtype:
            if move and isinstance(buffer, self.kind):
                return buffer
            found = copied(node)
        else:
            found = moved(cast(node, wanted), self.device)
        realize([found.base])
        return self.kind._place(found)

    def _made(self, storage: Node, layout: Layout) -> Any:
        storage = moved(storage, self.device)
        if storage.is_view:
            storage = copied(storage)  # memory of its own, which replicas and devices can have
        node = storage if layout.is_plain else with_layout(storage, layout)
        return self.kind._place(node)

    def _dtype(self, dtype: Any, value: Any = 0.0) -> DT:
        if dtype is not None:
            return as_dtype(dtype)
        if isinstance(value, np.generic):
            return as_dtype(value.dtype)
        if isinstance(value, complex):
            return as_dtype("complex128")
        return as_dtype("bool" if isinstance(value, bool) else options().default_float)

    # -- other kinds -------------------------------------------------------------------------------

    def can_rebind(self, kind: Any) -> bool:
        """Whether this device has buffers of another kind, which is a class."""
        return self._rebound(kind) is not None

    def rebind(self, kind: Any) -> Allocator:
        """An allocator of another kind of buffers on the same device."""
        found = self._rebound(kind)
        if found is None:
            raise LayoutError(
                f"an allocator on {self.device} makes {self.kind.__name__}s, and cannot make "
                f"{kind.__name__}s; use one on a device that holds such buffers (a context, for "
                f"ReplicatedBuffer, or that of a distributed buffer: x.allocator)"
            )
        rebound: Allocator = object.__new__(Allocator)
        object.__setattr__(rebound, "device", self.device)
        object.__setattr__(rebound, "kind", found)
        return rebound

    def _rebound(self, kind: Any) -> Kind | None:
        """The class of that kind, if it fits the device."""
        if not (isinstance(kind, type) and issubclass(kind, Handle)):
            raise ArgumentTypeError(
                f"a kind is a class of buffers, such as onebuf.OnDemandBuffer, got {kind!r}"
            )
        wanted: Kind = kind
        usual = class_on(self.device)
        if isinstance(self.device, Cluster) and wanted is not class_on(CPU):
            on_cluster = getattr(wanted, "_on_cluster", None)
            return None if on_cluster is None else on_cluster()
        if wanted is usual or wanted is class_on(CPU):
            return usual
        return wanted if hasattr(wanted, "_constructed") and usual is class_on(CPU) else None


def allocator(device: str | Device | None = None, kind: Any = None) -> Allocator:
    """The allocator of a device: of the host, if there is none.

    ``kind`` is a class of buffers, if other than ordinary ones are to be made.
    """
    return Allocator(device, kind)


def as_layout(layout: Any) -> Layout:
    """``layout``, or the plain layout of a shape."""
    return layout if isinstance(layout, Layout) else Layout(layout)


def _storage_shape(layout: Layout) -> tuple[int, ...]:
    return layout.shape if layout.is_plain else (layout.stored,)


def _is_array(value: Any) -> bool:
    if isinstance(value, np.ndarray | memoryview | bytes | bytearray):
        return True
    names = ("__array_namespace__", "__dlpack__", "__array_interface__", "tocoo", "asformat")
    return any(hasattr(value, name) for name in names)
