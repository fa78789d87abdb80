"""Op graphs as JSON: nodes in order, edges as pairs of their numbers.

::

    {"format": "onebuf.op_graph", "version": 1,
     "nodes": [{"tensor": "A", "shape": [2, 2], "dtype": "float32"},
               {"tensor": null, "shape": [], "dtype": "float32", "value": "0x1.8p+0"},
               {"operation": "multiply", "arguments": {}},
               {"tensor": "C", "shape": [2, 2], "dtype": "float32"}],
     "edges": [[0, 2], [1, 2], [2, 3]]}

The edges to an operation are in the order of its operands. A third item of an edge has its labels.
"""

from __future__ import annotations

import json
from typing import Any

from onebuf.errors import OpGraphError
from onebuf.op_graph.check import complete
from onebuf.op_graph.exact_scalars import encode_scalar
from onebuf.op_graph.operation_table import row_of
from onebuf.op_graph.structure import Structure
from onebuf.op_graph.vertices import Edge, OperationNode, Vertex

FORMAT = "onebuf.op_graph"
VERSION = 1


def write(graph: Structure, indent: int | None) -> str:
    """The text of a graph, which has to be complete."""
    complete(graph)
    document = {
        "format": FORMAT,
        "version": VERSION,
        "nodes": [_node(node) for node in graph.nodes],
        "edges": [_edge(edge) for edge in graph.edges],
    }
    return json.dumps(document, indent=indent, allow_nan=False)


def _node(node: Vertex) -> dict[str, Any]:
    if isinstance(node, OperationNode):
        if node.opaque is not None:
            raise OpGraphError(
                f"{node.title} cannot be written down: it is a library call or a layout that only "
                f"this process knows; realize its result first, and take the graph from there"
            )
        known = row_of(node.name).arguments
        arguments = {name: known[name].encode(value) for name, value in node.arguments.items()}
        return {"operation": node.name, "arguments": arguments}
    found = {"tensor": node.name, "shape": list(node.shape), "dtype": node.dtype.name}
    if node.value is not None:
        found["value"] = encode_scalar(node.value)
    return found


def _edge(edge: Edge) -> list[Any]:
    ends: list[Any] = [edge.source.number, edge.target.number]
    return ends if edge.labels is None else [*ends, list(edge.labels)]
