"""Nodes: values that are stored, or that say how they will be computed.

A node is immutable but for one thing: at most once, memory is attached to it, and from then on it
is *stored* and forgets how it was computed. Equal pending nodes are one node.

Two rules make laziness invisible. A pending node always stands for the present content of the
memory below it: a write to a block first realises the pending nodes that read it, which register
with what they read (`onebuf.graph.readers`). And a node has one owner: a second buffer
that comes upon a node already claimed gets a COPY of it, so that a write to one is not seen by the
other.

Becoming stored is safe to be seen half done, by another thread or by a signal handler: the memory
is there before the operation says so, and the sources go last. So code that looks at a node without
the engine's lock reads ``srcs`` and ``arg`` first and ``op`` after them: if that still is the
operation, they belong to it.

Every node is on one device, and so are its sources: elements go from one device to another by being
copied, never by an operation. Constants are at home everywhere.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable
from math import prod
from types import CodeType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from onebuf import switch
from onebuf.dtypes import DT, Array
from onebuf.errors import DeviceError
from onebuf.graph.op import CONSTANT, FAILED, PLACED, STORED, VIEW, Kind, Op
from onebuf.graph.origin import Origin, caller
from onebuf.graph.readers import MANY, Table, enter, find, prune
from onebuf.layout import IndexMap, View
from onebuf.machine import CPU, Cluster, Device, Tracer, home_of
from onebuf.memory import Block
from onebuf.native import NodeFields, native_class, quick
from onebuf.tasks.failure import Failure

if TYPE_CHECKING:
    from onebuf.interop.held import Source


Readers: TypeAlias = "Table[Node]"
"""The pending nodes that read some memory (`onebuf.graph.readers`)."""


@native_class
class Node(NodeFields):
    """One value: ``op`` applied to ``srcs`` with the static argument ``arg``.

    ``replays`` is how often a kernel computed the elements without storing them.
    ``array`` and ``block`` are set once the elements are in host memory; ``array`` does not keep
    the block alive by itself and must never leave the package (windows do). Elements in the memory
    of another device have a block alone. The ``device`` of constants is None: any.
    """

    __slots__ = ()

    def __init__(
        self,
        op: Op,
        srcs: tuple[Node, ...],
        arg: Any,
        shape: tuple[int, ...],
        dtype: DT,
        made_at: tuple[CodeType, int] | None,
        device: Device | None = CPU,
    ) -> None:
        self.op = op
        self.srcs = srcs
        self.arg = arg
        self.shape = shape
        self.dtype = dtype
        self.replays = 0
        self.made_at = made_at
        self.array: Array | None = None
        self.block: Block | None = None
        self.readers: Readers = {}
        self.claimed = False
        self.device = device

    @property
    def numel(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The size of the elements, were each stored once."""
        return self.numel * self.dtype.itemsize

    @property
    def is_view(self) -> bool:
        """Whether it has no elements of its own: it sees those of its base through a layout.

        It stays a view, whose memory is that of its base. Sources other than the base are the index
        tables of the layout.
        """
        return self.op is VIEW

    @property
    def base(self) -> Node:
        """The node whose elements these are: another one for views, else this node."""
        srcs = self.srcs
        return srcs[0] if self.op is VIEW else self

    @property
    def layout(self) -> IndexMap:
        """How its elements lie among those of its base, which are in row-major order."""
        return self.arg if self.op is VIEW else View.contiguous(self.shape)

    @property
    def strided_base(self) -> Node:
        """The node among whose elements these lie in strides: the base of a strided view, else
        this node, whose own elements are in row-major order."""
        return self.srcs[0] if self.op is VIEW and self.arg.__class__ is View else self

    @property
    def view(self) -> View:
        """How its elements lie among those of its strided base."""
        arg = self.arg
        return arg if self.op is VIEW and arg.__class__ is View else View.contiguous(self.shape)

    @property
    def is_placed(self) -> bool:
        """Whether its elements are in the memory of a device that the host does not reach."""
        return self.op is PLACED

    @property
    def on_demand(self) -> Source | None:
        """What reads regions of its base's elements when they are asked for; None: they are not
        read by region, but stored or computed."""
        base = self.base
        return base.arg if base.op.kind is Kind.SOURCE else None

    @property
    def has_strides(self) -> bool:
        """Whether strides lead to its elements; not through a layout such as a packed one."""
        return self.op is not VIEW or self.arg.__class__ is View

    @property
    def has_places(self) -> bool:
        """Whether each element has, or will have, a place in memory of its own: it is neither read
        on demand nor through a layout without strides."""
        return self.has_strides and self.base.op.kind is not Kind.SOURCE

    @property
    def origin(self) -> Origin | None:
        """Where in the user's program the node was made; None for stored elements."""
        return None if self.made_at is None else Origin(*self.made_at)

    def __repr__(self) -> str:
        srcs = ", ".join(src.op.name for src in self.srcs)
        return f"<{self.op.name}({srcs}) {self.dtype.name}{list(self.shape)}>"


_constants: Readers = {}


@quick("make")
def make(
    op: Op,
    srcs: tuple[Node, ...],
    arg: Any,
    shape: tuple[int, ...],
    dtype: DT,
    unique: bool = False,
    device: Device | None = CPU,
) -> Node:
    """The pending node of this operation, found or made; a ``unique`` one is always made.

    It is on the device of its sources; if it has none, on ``device``.
    """
    # Sources are told apart by id: a node found alive and pending keeps its sources alive, so
    # their ids cannot have been given to others. Two sources are spelled out for speed.
    if len(srcs) == 2:
        home, other = srcs
        device = home.device
        if other.device is not device and (other.op is not CONSTANT or device is None):
            srcs, device = _together(op, srcs)
            home, other = srcs
        key: Hashable = (op, arg, id(home), id(other))
        if home.op is CONSTANT:
            home, other = other, home
        readers = home.readers if home.block is None else home.block.readers
        others: tuple[Node, ...] = (other,) if other.op is not CONSTANT else ()
    elif srcs:
        device = srcs[0].device
        if len(srcs) > 1 and any(src.device is not device for src in srcs):
            srcs, device = _together(op, srcs)
        key = (op, arg, shape, dtype, *map(id, srcs))
        readers = srcs[0].readers
        others = tuple([src for src in srcs[1:] if src.op is not CONSTANT])
    else:
        # Bytes tell 0.0 from -0.0.
        value = arg.tobytes() if isinstance(arg, np.generic) else arg
        key = (op, value, shape, dtype, id(device))  # tracers are equal to their homes
        readers = _constants
        others = ()
    if not unique:
        found: Node | None = find(readers, key)
        if found is not None:
            return found
    if device is None and op is not CONSTANT and op is not VIEW:
        device = CPU
    if switch.on:
        switch.point("graph.make")
    node = Node(op, srcs, arg, shape, dtype, caller(), device)
    if device.__class__ is Tracer:
        device.made(node)
    reference = weakref.ref(node)
    enter(readers, reference)
    if not unique:
        readers[key] = reference
    if len(readers) > MANY:
        prune(readers)
    if op is VIEW:
        node.readers = readers
    for other in others:
        table = other.readers if other.block is None else other.block.readers
        if table is not readers:
            enter(table, reference)
            if len(table) > MANY:
                prune(table)
    return node


def _together(op: Op, srcs: tuple[Node, ...]) -> tuple[tuple[Node, ...], Device | None]:
    """The sources of an operation and the one device that they are on; an error if there is none.

    Single numbers of NumPy's come along as constants.
    """
    found = list({id(src.device): src.device for src in srcs if src.device is not None}.values())
    tracers = [device for device in found if isinstance(device, Tracer)]
    if tracers and len({id(home_of(device)) for device in found}) == 1:
        inner = max(tracers, key=lambda tracer: tracer.depth)
        return tuple([_lifted(src, inner) for src in srcs]), inner
    if len(found) > 1:
        one, two = found[:2]
        raise DeviceError(
            f"{op.name} needs operands on one device, got {one} and {two}; {_advice(one, two)}"
        )
    device = found[0] if found else None
    if device is None or device.is_host:
        return srcs, device
    return tuple([_constant_of(src) if _is_number(src) else src for src in srcs]), device


def _lifted(src: Node, tracer: Tracer) -> Node:
    """``src`` as an operand of an operation that is traced."""
    if src.device is None:
        return _constant_of(src) if _is_number(src) else src
    return src if src.device is tracer else tracer.lifted(src)


def _advice(*found: Device) -> str:
    if any(isinstance(device, Cluster) for device in found):
        return "distribute the other one: y.distribute(), or y.distribute().replicate()"
    return "copy one of them with to_device"


def _is_number(node: Node) -> bool:
    """Whether ``node`` is a single number in memory, which is at home everywhere."""
    return node.op is STORED and node.device is None


def _constant_of(number: Node) -> Node:
    assert number.array is not None
    return make(CONSTANT, (), number.array[()], (), number.dtype, device=None)


def attach(node: Node, array: Array, block: Block) -> None:
    """Give ``node`` its elements; it forgets how they were computed.

    If code that ran in between has computed it already, those elements stay.
    """
    if switch.on:
        switch.point("graph.attach")
    if node.block is None:
        block.readers = node.readers
        node.block = block
        node.array = array
        node.op = STORED
        node.srcs = ()
        node.arg = None


def attaching(
    node: Node, array: Array, block: Block
) -> list[tuple[Callable[..., None], Any, str, Any]]:
    """What `attach` does, as calls of C code: for whom nothing may come in between."""
    return [
        (setattr, block, "readers", node.readers),
        (setattr, node, "block", block),
        (setattr, node, "array", array),
        (setattr, node, "op", STORED),
        (setattr, node, "srcs", ()),
        (setattr, node, "arg", None),
    ]


def fail(node: Node, error: Exception) -> None:
    """Let ``node``, which cannot be computed, raise ``error`` whenever it is asked for."""
    failure = Failure(error)
    node.op = FAILED
    node.srcs = ()
    node.arg = failure


def settle(node: Node) -> Array | None:
    """The array of ``node`` if its elements are stored, also those of a view of a stored base."""
    if node.array is not None:
        return node.array
    if node.op is VIEW:
        base, view = node.srcs[0], node.arg
        if base.array is not None and view.__class__ is View and view.mask is None:
            block = base.block
            if block is not None:
                array = strided(block, base.dtype, view)
                node.block = block
                node.array = array  # it stays a view: another thread may be planning with it
    return node.array


def strided(block: Block, dtype: DT, view: View) -> Array:
    """The elements of ``block`` that ``view`` addresses."""
    if view.numel == 0:
        return block.array(view.shape, dtype)
    size = dtype.itemsize
    array = np.ndarray(
        view.shape,
        dtype,
        block.memory,
        block.offset_bytes + view.offset * size,
        tuple(step * size for step in view.stride),
    )
    if not block.writable:
        array.flags.writeable = False
    return array
