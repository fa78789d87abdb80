"""Op graphs of lazy buffers: each node of the engine's graph as a tensor and its operation.

Views become the operations that people write (`onebuf.op_graph.strided_steps`). Memory becomes
source tensors, one for several views of it where one of them is the whole. What the table of
operations cannot say, a call of a library or a layout without strides, becomes an *opaque*
operation: it can be drawn and run, but not written down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

from onebuf.dtypes import BY_NAME
from onebuf.errors import ArgumentTypeError, OpGraphError
from onebuf.graph import (
    ARANGE,
    CAST,
    CONCAT,
    COPY,
    EMPTY,
    FAILED,
    LIBRARY,
    PAD,
    RANDOM_BITS,
    REDUCE,
    SCAN,
    TAKE,
    TAKE_ALONG,
    VIEW,
    Freed,
    Kind,
    Node,
    Op,
    make,
    settle,
)
from onebuf.layout import View
from onebuf.op_graph import inference
from onebuf.op_graph.operation_table import TABLE, Row
from onebuf.op_graph.strided_steps import strided_steps
from onebuf.op_graph.structure import Structure
from onebuf.op_graph.vertices import TensorNode
from onebuf.ops import general, view_of

_REDUCTIONS = frozenset(REDUCE.values())
_SCANS = frozenset(SCAN.values())
_LEAVES = frozenset({Kind.STORED, Kind.SOURCE})
_SORTS = "onebuf.ops.sorting"


class Seen(NamedTuple):
    """A node as it was when it was first seen: another thread may compute it meanwhile."""

    node: Node
    op: Op
    srcs: tuple[Node, ...]
    arg: Any


def extract(graph: Structure, buffers: Sequence[Any], named: Mapping[str, Any]) -> None:
    """Add what ``buffers`` compute to ``graph``, which is empty."""
    if not buffers:
        raise ArgumentTypeError("OpGraph.of needs at least one buffer, got none")
    roots = [_node_of(buffer) for buffer in buffers]
    names = {id(_node_of(buffer)): name for name, buffer in named.items()}
    order = _operands_first(roots, names)
    extraction = _Extraction(graph, order, {name: _node_of(one) for name, one in named.items()})
    for seen in order:
        extraction.add(seen)
    for name in named:
        if name not in graph._names:
            raise OpGraphError(
                f"{name!r} is not read by what the graph computes; operations on few stored "
                f"elements are done at once, unless within onebuf.config(eager_numel=0)"
            )


def _node_of(buffer: Any) -> Node:
    node = getattr(buffer, "_node", None)
    if not isinstance(node, Node):
        raise ArgumentTypeError(f"OpGraph.of needs buffers, got {type(buffer).__name__}")
    return node


def _operands_first(roots: Sequence[Node], names: Mapping[int, str]) -> list[Seen]:
    """Every node that ``roots`` lead to, operands first; those with a name lead no further."""
    order: list[Seen] = []
    first: dict[int, Seen] = {}
    done: set[int] = set()
    todo = list(reversed(roots))
    while todo:
        node = todo[-1]
        me = id(node)
        if me in done:
            todo.pop()
            continue
        seen = first.get(me)
        if seen is None:
            seen = first[me] = _look(node, me in names)
            todo.extend([src for src in reversed(seen.srcs) if id(src) not in done])
        else:
            todo.pop()
            done.add(me)
            order.append(seen)
    return order


def _look(node: Node, is_named: bool) -> Seen:
    """A node and what it reads; nothing, if it is to be a source."""
    srcs, arg = node.srcs, node.arg
    op = node.op  # after them: if it still is the operation, they belong to it
    if isinstance(node, Freed):
        raise node.refusal()
    if op is FAILED:
        raise arg
    if is_named or op.kind in _LEAVES:
        return Seen(node, op, (), None)
    if op is VIEW and srcs[0].op is COPY and arg.__class__ is View:
        inner = srcs[0].srcs  # reshape makes a copy by itself where it needs one
        if inner and srcs[0].op is COPY and _is_whole(arg, srcs[0].shape):
            return Seen(node, op, inner, View.contiguous(node.shape))
    return Seen(node, op, srcs, arg)


def _is_whole(view: View, shape: tuple[int, ...]) -> bool:
    whole = View.contiguous(shape)
    return view.is_contiguous and view.offset == 0 and view.numel == whole.numel


class _Extraction:
    """The tensors made so far, by the nodes that they stand for."""

    def __init__(self, graph: Structure, order: Sequence[Seen], named: Mapping[str, Node]) -> None:
        self.graph = graph
        self.tensors: dict[int, TensorNode] = {}
        self.names = {id(node): name for name, node in named.items()}
        self.held = list(named.values())  # so that no id is given to another node meanwhile
        self.numbers = count()
        self.known: dict[Any, inference.Kind | None] = {}
        self.wholes = _wholes([*named.values(), *[seen.node for seen in order]])

    def add(self, seen: Seen) -> None:
        """The tensor of one node, whose operands are there already."""
        node = seen.node
        self.held.append(node)
        if id(node) in self.tensors:
            return
        if id(node) in self.names:
            made = self._source(node)
        elif seen.op.kind is Kind.CONSTANT:
            made = self._constant(node, seen.arg)
        elif seen.op.kind in _LEAVES:
            made = self._leaf(node)
        elif seen.op is VIEW:
            made = self._view(seen)
        elif seen.op is LIBRARY and not seen.srcs:
            made = self._source(node)
        else:
            made = self._operation(seen)
        self.tensors[id(node)] = made

    def _constant(self, node: Node, value: Any) -> TensorNode:
        if node.dtype.name not in BY_NAME:
            raise OpGraphError(f"an op graph has no number beyond 64 bits, got {value}")
        typed = node.dtype.type(value)
        return self.graph._add_tensor(None, node.shape, node.dtype, typed, None)

    def _source(self, node: Node) -> TensorNode:
        name = self.names.get(id(node))
        while name is None:
            name = f"x{next(self.numbers)}"
            if name in self.names.values():
                name = None
        return self.graph._add_tensor(name, node.shape, node.dtype, None, node)

    def _leaf(self, node: Node) -> TensorNode:
        """A source, or a view of another one on the same memory."""
        array = settle(node)
        if array is not None and not node.shape:
            return self._constant(node, array[()])
        whole = self.wholes.get(_place(node))
        if whole is None or whole is node:
            return self._source(node)
        mine, its = view_of(node), view_of(whole)
        view = View(mine.shape, mine.stride, mine.offset - its.offset)
        low, high = view.span
        if view.numel and not 0 <= low < high <= whole.numel:
            return self._source(node)
        if id(whole) not in self.tensors:
            self.tensors[id(whole)] = self._source(whole)
        return self._stepped(self.tensors[id(whole)], view)

    def _view(self, seen: Seen) -> TensorNode:
        view = seen.arg
        if view.__class__ is not View or view.mask is not None:
            return self._opaque(seen, "view")
        return self._stepped(self.tensors[id(seen.srcs[0])], view)

    def _stepped(self, tensor: TensorNode, view: View) -> TensorNode:
        for name, arguments in strided_steps(tensor.shape, view):
            found = self._inferred(TABLE[name], [tensor], arguments)
            assert found is not None, f"{name} leads from {tensor} to {view}"
            tensor = self.graph._add_complete(name, arguments, [tensor], None, found)
        return tensor

    def _operation(self, seen: Seen) -> TensorNode:
        node = seen.node
        operands = [self.tensors[id(src)] for src in seen.srcs]
        said = _said(seen)
        if said is not None:
            row = TABLE[said[0]]
            try:
                arguments = row.parse(said[1])
            except OpGraphError:
                return self._opaque(seen)
            if self._inferred(row, operands, arguments) == (node.shape, node.dtype):
                kind = inference.Kind(node.shape, node.dtype)
                return self.graph._add_complete(row.name, arguments, operands, None, kind)
        return self._opaque(seen)

    def _inferred(
        self, row: Row, operands: Sequence[TensorNode], arguments: Mapping[str, Any]
    ) -> inference.Kind | None:
        kinds = tuple([inference.Kind(one.shape, one.dtype) for one in operands])
        key = (row.name, *arguments.values(), kinds)
        if key not in self.known:
            try:
                self.known[key] = inference.infer(row, kinds, arguments, None, row.name)
            except OpGraphError:
                self.known[key] = None
        return self.known[key]

    def _opaque(self, seen: Seen, name: str = "") -> TensorNode:
        """An operation that can be drawn and run, but not written down."""
        node, op, arg = seen.node, seen.op, seen.arg
        shape, dtype = node.shape, node.dtype

        def compute(*operands: Node) -> Node:
            if op is VIEW:
                return make(op, operands, arg, shape, dtype)
            return general(op, operands, arg, shape, dtype)

        operands = [self.tensors[id(src)] for src in seen.srcs]
        kind = inference.Kind(shape, dtype)
        name = name or _call_name(arg) or op.name
        return self.graph._add_complete(name, {}, operands, None, kind, None, compute)


def _call_name(arg: Any) -> str:
    """What a library call is known by; one of several results has its number."""
    shared = getattr(arg, "shared", None)
    if shared is not None:
        return f"{shared.name} [{arg.number}]"
    name = getattr(arg, "name", "")
    return name if isinstance(name, str) else ""


def _place(node: Node) -> tuple[int, str]:
    """What leaves have in common that lie on the same memory."""
    return id(node.block), node.dtype.name


def _wholes(nodes: Sequence[Node]) -> dict[tuple[int, str], Node]:
    """For each block of the host's memory, the node of which others are views: the largest one."""
    found: dict[tuple[int, str], Node] = {}
    for node in nodes:
        if node.op.kind is not Kind.STORED or settle(node) is None or not node.shape:
            continue
        if not view_of(node).is_contiguous:
            continue
        before = found.get(_place(node))
        if before is None or before.numel < node.numel:
            found[_place(node)] = node
    return found


def _said(seen: Seen) -> tuple[str, dict[str, Any]] | None:
    """The operation of the table that a node is, and its arguments; None if there is none."""
    node, op, srcs, arg = seen
    if op in _REDUCTIONS:
        axes, keepdims = arg
        return op.name, {"axis": axes, "keepdims": bool(keepdims)}
    if op in _SCANS or op in (TAKE, TAKE_ALONG, CONCAT):
        return op.name, {"axis": arg}
    if op is CAST:
        return "cast", {"dtype": node.dtype}
    if op is PAD:
        return "pad", {"widths": arg.widths, "value": arg.value}
    if op is ARANGE:
        start, stop, step = arg
        return "arange", {"start": start, "stop": stop, "step": step, "dtype": node.dtype}
    if op is EMPTY:
        return "empty", {"shape": node.shape, "dtype": node.dtype}
    if op is RANDOM_BITS:
        key, stream, first = arg
        words = {"key": key, "stream": stream, "first": first}
        return "random_bits", {**words, "count": node.numel, "dtype": node.dtype}
    if op is LIBRARY:
        return _sorting(arg)
    return (op.name, {}) if op.name in TABLE and arg is None and srcs else None


def _sorting(call: Any) -> tuple[str, dict[str, Any]] | None:
    """A sort, which is a library call that the table has."""
    name = getattr(call, "name", "")
    if name not in ("sort", "argsort") or call.function.__module__ != _SORTS:
        return None
    axis, descending = call.static
    return name, {"axis": axis, "descending": bool(descending)}
