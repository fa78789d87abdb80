"""Op graphs as text: a line for each tensor, operands before results.

A tensor without a name is called by its number, as in ``%3``. Constants stand where they are read.
"""

from __future__ import annotations

from heapq import heappop, heappush

from onebuf.op_graph.drawing import captions
from onebuf.op_graph.structure import Structure
from onebuf.op_graph.vertices import Edge, OperationNode, TensorNode, Vertex


def draw(graph: Structure) -> str:
    """A line for each tensor of a graph."""
    tensors, operations = len(graph.tensors), len(graph.operations)
    head = f"OpGraph: {_count(tensors, 'tensor')}, {_count(operations, 'operation')}"
    rows = [_row(graph, node) for node in _in_order(graph) if not _is_inline(graph, node)]
    titles = max([captions.width(title) for title, _, _ in rows], default=0)
    kinds = max([len(kind) for _, kind, _ in rows], default=0)
    lines = [f"{head}, {_count(len(graph.edges), 'edge')}"]
    for title, kind, made in rows:
        padding = " " * (titles - captions.width(title))
        lines.append(f"  {title}{padding}  {kind:{kinds}}  {made}".rstrip())
    return "\n".join(lines)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def _in_order(graph: Structure) -> list[Vertex]:
    """Sources first, then each operation's result; operations without one at the end."""
    found: list[Vertex] = list(graph.sources)
    waits = [len(edges) for edges in graph._incoming]
    ready = [number for number, count in enumerate(waits) if not count]
    while ready:  # a heap: what was added first comes first
        number = heappop(ready)
        left = graph._outgoing[number]
        node = graph._nodes[number]
        if isinstance(node, OperationNode):
            found.extend([edge.target for edge in left] or [node])
        for edge in left:
            waits[edge.target.number] -= 1
            if not waits[edge.target.number]:
                heappush(ready, edge.target.number)
    return found


def _is_inline(graph: Structure, node: Vertex) -> bool:
    """Whether a node is a number that stands where it is read."""
    return (
        isinstance(node, TensorNode)
        and node.value is not None
        and not node.shape
        and bool(graph._outgoing[node.number])
    )


def _row(graph: Structure, node: Vertex) -> tuple[str, str, str]:
    """The title of a node, its kind, and how it is made."""
    if isinstance(node, OperationNode):
        return f"%{node.number}", "", f"= {_call(graph, node)}  without a result"
    words = []
    for edge in graph._incoming[node.number]:
        assert isinstance(edge.source, OperationNode)
        words.append(f"= {_call(graph, edge.source)}{_labels(edge, ' -> ')}")
    if not words and node.value is not None:
        words.append(f"all {captions.constant(node)}")
    elif not words:
        words.append("input" if node.bound is None else "bound to memory")
    if not graph._outgoing[node.number]:
        words.append("sink")
    return captions.printable(node.title), captions.kind(node), "  ".join(words)


def _call(graph: Structure, operation: OperationNode) -> str:
    edges = graph._incoming[operation.number]
    operands = [_operand(edge) for edge in edges[:8]] + ["..."] * (len(edges) > 8)
    given = captions.arguments(operation)
    inside = ", ".join(operands + [captions.printable(given, 80)] * bool(given))
    return f"{captions.printable(operation.name)}({inside})"


def _operand(edge: Edge) -> str:
    tensor = edge.tensor
    title = captions.tensor_title(tensor) if not tensor.shape else captions.printable(tensor.title)
    return title + _labels(edge, "")


def _labels(edge: Edge, before: str) -> str:
    return "" if edge.labels is None else f"{before}[{captions.printable(edge.label)}]"
