"""What makes nodes and edges an op graph: two kinds of nodes, no cycle, operands that fit.

`new_edge` looks at the two ends of an edge, `complete` at a whole graph. Both go through
edges in loops, never by recursion: a graph may be a chain of 100,000 operations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from onebuf.errors import OpGraphError
from onebuf.op_graph.inference import Kind, axes_of, infer
from onebuf.op_graph.labels import parse_labels
from onebuf.op_graph.operation_table import row_of
from onebuf.op_graph.structure import Structure
from onebuf.op_graph.vertices import Edge, OperationNode, TensorNode, Vertex


def new_edge(graph: Structure, source: Vertex, target: Vertex, labels: Any) -> Edge:
    """An edge that a graph may have, as far as the two ends say."""
    parsed = None if labels is None else parse_labels(labels)
    if isinstance(source, TensorNode) == isinstance(target, TensorNode):
        what = "tensors" if isinstance(source, TensorNode) else "operations"
        raise OpGraphError(
            f"an edge joins a tensor and an operation, got the {what} {source.title} and "
            f"{target.title}"
        )
    if isinstance(target, TensorNode):
        _check_result(graph, source, target)
        return Edge(source, target, parsed)
    row = row_of(target.name)
    arrived = graph._incoming[target.number]
    if len(arrived) >= row.most:
        others = ", ".join([edge.source.title for edge in arrived[:4]]) or "none"
        raise OpGraphError(
            f"{target.title} needs {row.operands}, got {source.title} besides {others}"
        )
    return Edge(source, target, parsed, len(arrived))


def _check_result(graph: Structure, source: Vertex, target: TensorNode) -> None:
    """Raise unless an operation may lead to a tensor."""
    if target.value is not None or target.bound is not None:
        raise OpGraphError(
            f"{target.title} has elements of its own, so that {source.title} cannot make it"
        )
    for edge in graph._incoming[target.number]:
        raise OpGraphError(
            f"{target.title} is made by one operation, got {source.title} besides "
            f"{edge.source.title}"
        )
    for edge in graph._outgoing[source.number]:
        raise OpGraphError(
            f"{source.title} has one result, got {target.title} besides {edge.target.title}"
        )


def reaches(graph: Structure, begin: Vertex, end: Vertex) -> bool:
    """Whether edges lead from one node to another."""
    todo, seen = [begin.number], {begin.number}
    while todo:
        number = todo.pop()
        if number == end.number:
            return True
        for edge in graph._outgoing[number]:
            if edge.target.number not in seen:
                seen.add(edge.target.number)
                todo.append(edge.target.number)
    return False


def complete(graph: Structure) -> list[OperationNode]:
    """The operations of a graph, operands first; an error unless it is complete."""
    if graph._order is None:
        graph._order = _checked(graph)
    return graph._order


def _checked(graph: Structure) -> list[OperationNode]:
    order = _sorted(graph)
    known: dict[Any, Kind] = {}
    for operation in order:
        if operation.opaque is None:
            _check_operation(graph, operation, known)
    return order


def _sorted(graph: Structure) -> list[OperationNode]:
    """The operations, operands first (Kahn's algorithm); an error if there is a cycle."""
    waits = [len(edges) for edges in graph._incoming]
    ready = [number for number, count in enumerate(waits) if not count]
    order: list[OperationNode] = []
    for number in ready:  # which grows
        node = graph._nodes[number]
        if isinstance(node, OperationNode):
            order.append(node)
        for edge in graph._outgoing[number]:
            waits[edge.target.number] -= 1
            if not waits[edge.target.number]:
                ready.append(edge.target.number)
    if len(ready) == len(waits):
        return order
    cycle = _cycle(graph, next(number for number, count in enumerate(waits) if count), waits)
    raise OpGraphError(f"an op graph has no cycle, got {' -> '.join(cycle)}")


def _cycle(graph: Structure, number: int, waits: Sequence[int]) -> list[str]:
    """The titles of nodes that lie on a cycle, shortened; ``number`` comes after one."""
    path: dict[int, None] = {}
    while number not in path:
        path[number] = None
        before = graph._incoming[number]
        number = next(edge.source.number for edge in before if waits[edge.source.number])
    ring = [*path][[*path].index(number) :]
    titles = [graph._nodes[one].title for one in reversed([*ring, number])]
    return titles if len(titles) <= 8 else [*titles[:4], "...", *titles[-3:]]


def _check_operation(graph: Structure, operation: OperationNode, known: dict[Any, Kind]) -> None:
    """Raise unless an operation has its operands, and leads to what it makes of them."""
    row = row_of(operation.name)
    who = operation.title
    arrived = graph._incoming[operation.number]
    row.check_count(len(arrived), who)
    left = graph._outgoing[operation.number]
    if not left:
        raise OpGraphError(f"{who} needs a tensor as its result, got none: add an edge to one")
    labels = axes_of(row, [edge.labels for edge in arrived], left[0].labels, who)
    kinds = tuple([Kind(edge.tensor.shape, edge.tensor.dtype) for edge in arrived])
    key = (operation.name, *operation.arguments.values(), kinds, labels)
    found = known.get(key)
    if found is None:
        found = known[key] = infer(row, kinds, operation.arguments, labels, who)
    result = left[0].tensor
    if found != (result.shape, result.dtype):
        raise OpGraphError(f"{who} makes {found}, got {result.title} as {result.kind}")
