"""The structure of an op graph: its nodes, its edges, and which edges each node has.

A node is known by its number, its place among the nodes. What is here looks at edges and numbers
alone; `onebuf.op_graph.check` knows which of them make an op graph.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from onebuf.dtypes import DT
from onebuf.errors import ArgumentTypeError, OpGraphError
from onebuf.graph import Node
from onebuf.op_graph.exact_scalars import encode_scalar
from onebuf.op_graph.inference import Axes, Kind
from onebuf.op_graph.operation_table import check_size, row_of
from onebuf.op_graph.static_arguments import shorten
from onebuf.op_graph.vertices import Edge, OperationNode, TensorNode, Vertex


class Structure:
    """Nodes and edges, in the order in which they were added."""

    __slots__ = ("_nodes", "_edges", "_incoming", "_outgoing", "_names", "_order")

    def __init__(self) -> None:
        self._nodes: list[Vertex] = []
        self._edges: list[Edge] = []
        self._incoming: list[list[Edge]] = []
        self._outgoing: list[list[Edge]] = []
        self._names: dict[str, TensorNode] = {}
        self._order: list[OperationNode] | None = []
        """The operations, operands first, of a graph that is complete; None: not checked yet."""

    @property
    def nodes(self) -> tuple[Vertex, ...]:
        """Tensors and operations, in the order in which they were added."""
        return tuple(self._nodes)

    @property
    def edges(self) -> tuple[Edge, ...]:
        """Edges, in the order in which they were added."""
        return tuple(self._edges)

    @property
    def tensors(self) -> tuple[TensorNode, ...]:
        """The nodes that are tensors."""
        return tuple([node for node in self._nodes if isinstance(node, TensorNode)])

    @property
    def operations(self) -> tuple[OperationNode, ...]:
        """The nodes that are operations."""
        return tuple([node for node in self._nodes if isinstance(node, OperationNode)])

    @property
    def sources(self) -> tuple[TensorNode, ...]:
        """The tensors that no operation makes."""
        return tuple([node for node in self.tensors if not self._incoming[node.number]])

    @property
    def sinks(self) -> tuple[TensorNode, ...]:
        """The tensors that no operation reads."""
        return tuple([node for node in self.tensors if not self._outgoing[node.number]])

    @property
    def inputs(self) -> tuple[TensorNode, ...]:
        """The sources whose elements are given when the graph runs, or are bound to memory."""
        return tuple([node for node in self.sources if node.value is None])

    def node(self, what: Vertex | str) -> Vertex:
        """A node of this graph: itself, or the tensor of that name; an error if there is none."""
        if isinstance(what, str):
            found = self._names.get(what)
            if found is None:
                raise OpGraphError(f"there is no tensor {shorten(what)} in this graph")
            return found
        if not isinstance(what, TensorNode | OperationNode):
            raise ArgumentTypeError(f"needed a node of this graph or a name, got {shorten(what)}")
        if what.number >= len(self._nodes) or self._nodes[what.number] is not what:
            raise OpGraphError(f"{what.title} is a node of another graph")
        return what

    def in_edges(self, node: Vertex | str) -> tuple[Edge, ...]:
        """The edges to a node; to an operation, in the order of its operands."""
        return tuple(self._incoming[self.node(node).number])

    def out_edges(self, node: Vertex | str) -> tuple[Edge, ...]:
        """The edges from a node."""
        return tuple(self._outgoing[self.node(node).number])

    def in_degree(self, node: Vertex | str) -> int:
        """How many edges lead to a node."""
        return len(self.in_edges(node))

    def out_degree(self, node: Vertex | str) -> int:
        """How many edges lead from a node."""
        return len(self.out_edges(node))

    def __eq__(self, other: object) -> bool:
        """Whether two graphs have equal nodes and edges, in the same order.

        What tensors are bound to is not compared.
        """
        if not isinstance(other, Structure):
            return NotImplemented
        if len(self._nodes) != len(other._nodes) or len(self._edges) != len(other._edges):
            return False
        return all(map(_are_equal, self._nodes, other._nodes)) and all(
            _ends(one) == _ends(two) for one, two in zip(self._edges, other._edges, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        counts = f"{len(self.tensors)} tensors, {len(self.operations)} operations"
        return f"<OpGraph: {counts}, {len(self._edges)} edges>"

    def _add_complete(
        self,
        operation: str,
        arguments: Mapping[str, Any],
        operands: Sequence[TensorNode],
        labels: Axes | None,
        found: Kind,
        name: str | None = None,
        opaque: Any = None,
    ) -> TensorNode:
        """An operation whose operands and result are known to fit; returns the result."""
        made = OperationNode(len(self._nodes), operation, arguments, opaque)
        self._add(made)
        for position, tensor in enumerate(operands):
            edge_labels = None if labels is None else labels.operands[position]
            self._connect(Edge(tensor, made, edge_labels, position))
        tensor = self._add_tensor(name, *found, None, None)
        self._connect(Edge(made, tensor, None if labels is None else labels.result))
        if self._order is not None:
            self._order.append(made)
        return tensor

    def _check_name(self, name: str | None) -> None:
        if name is None:
            return
        if not isinstance(name, str):
            raise ArgumentTypeError(f"a tensor's name is a text, or None; got {shorten(name)}")
        if not name:
            raise OpGraphError("a tensor's name needs at least one character; leave it out")
        if name in self._names:
            raise OpGraphError(f"there is a tensor {shorten(name)} already; names are unique")

    def _add_tensor(
        self,
        name: str | None,
        shape: tuple[int, ...],
        dtype: DT,
        value: np.generic | None,
        bound: Node | None,
    ) -> TensorNode:
        self._check_name(name)
        check_size(shape, f"tensor {name!r}")
        tensor = TensorNode(len(self._nodes), name, shape, dtype, value, bound)
        self._add(tensor)
        if name is not None:
            self._names[name] = tensor
        return tensor

    def _add(self, node: Vertex) -> None:
        self._nodes.append(node)
        self._incoming.append([])
        self._outgoing.append([])

    def _connect(self, edge: Edge) -> None:
        self._edges.append(edge)
        self._outgoing[edge.source.number].append(edge)
        self._incoming[edge.target.number].append(edge)


def _are_equal(one: Vertex, two: Vertex) -> bool:
    if isinstance(one, TensorNode) and isinstance(two, TensorNode):
        same = (one.name, one.shape, one.dtype) == (two.name, two.shape, two.dtype)
        return same and _text(one.value) == _text(two.value)
    if isinstance(one, OperationNode) and isinstance(two, OperationNode):
        if one.opaque is not None or two.opaque is not None:
            return one.name == two.name and one.opaque is two.opaque
        return one.name == two.name and _encoded(one) == _encoded(two)
    return False


def _text(value: np.generic | None) -> Any:
    """A value that is equal to itself, unlike NaN, and to no other, unlike 0."""
    return None if value is None else str(encode_scalar(value))


def _encoded(node: OperationNode) -> dict[str, Any]:
    known = row_of(node.name).arguments
    return {name: known[name].encode(value) for name, value in node.arguments.items()}


def _ends(edge: Edge) -> tuple[object, ...]:
    return edge.source.number, edge.target.number, edge.labels, edge.position
