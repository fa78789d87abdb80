"""Op graphs from JSON that a stranger may have written.

Nothing in a text is believed. Its size and the number of its nodes are checked before it is parsed,
every key and type afterwards; names of operations and dtypes are keys of tables; shapes and dtypes
are inferred anew and compared. The only error that comes of a text is `OpGraphError`.
"""

from __future__ import annotations

import json
from operator import index as as_int
from typing import Any, NoReturn

from onebuf.dtypes import BY_NAME
from onebuf.errors import ArgumentError, ArgumentTypeError, OpGraphError
from onebuf.op_graph.check import complete, new_edge
from onebuf.op_graph.exact_scalars import decode_scalar
from onebuf.op_graph.json_writer import FORMAT, VERSION
from onebuf.op_graph.operation_table import row_of
from onebuf.op_graph.static_arguments import SHAPE, shorten
from onebuf.op_graph.structure import Structure
from onebuf.op_graph.vertices import OperationNode

_CHARACTERS = 400
"""For each node that is allowed, its edges included, a text may have so many characters."""
_EDGES = 8
"""For each node that is allowed, so many edges are."""
MARKS = ('"shape"', '"operation"')
"""A text has one of these for each node, and at most a second one as a name."""


def read(graph: Structure, text: str | bytes, limit: int) -> None:
    """Add the nodes and edges that a text says to ``graph``, which is empty."""
    try:
        most = as_int(limit)
    except TypeError:
        raise ArgumentTypeError(f"limit is a number of nodes, got {limit!r}") from None
    if most < 0:
        raise ArgumentError(f"limit is a number of nodes, got {limit}")
    document = _parsed(_decoded(text), most)
    _check_keys("an op graph", document, ("format", "version", "nodes", "edges"), ())
    if document["format"] != FORMAT:
        raise OpGraphError(f"an op graph has format {FORMAT!r}, got {shorten(document['format'])}")
    if document["version"] != VERSION or document["version"] is True:
        raise OpGraphError(
            f"version {VERSION} of the format is known here, got {shorten(document['version'])}"
        )
    nodes, edges = document["nodes"], document["edges"]
    if not isinstance(nodes, list) or not isinstance(edges, list):
        raise OpGraphError("an op graph has lists of nodes and edges, got something else")
    if len(nodes) > most or len(edges) > _EDGES * most:
        raise _too_many(most)
    for number, node in enumerate(nodes):
        _add_node(graph, number, node)
    for number, edge in enumerate(edges):
        _add_edge(graph, number, edge)
    graph._order = None
    complete(graph)


def _decoded(text: str | bytes) -> str:
    if isinstance(text, str):
        return text
    if not isinstance(text, bytes | bytearray):
        raise ArgumentTypeError(f"from_json needs text, got {type(text).__name__}")
    try:
        return bytes(text).decode("utf-8")
    except UnicodeDecodeError as error:
        raise OpGraphError(f"an op graph is text in UTF-8, got {error}") from None


def _too_many(limit: int) -> OpGraphError:
    return OpGraphError(f"the graph has more than {limit} nodes; allow more with limit=")


def _parsed(text: str, limit: int) -> dict[str, Any]:
    """The text as JSON, in which no key comes twice."""
    if sum(text.count(mark) for mark in MARKS) > 2 * limit + 2:
        raise _too_many(limit)
    if len(text) > _CHARACTERS * (limit + 10):
        raise OpGraphError(
            f"the text has {len(text)} characters, too many for {limit} nodes; allow more with "
            f"limit="
        )
    try:
        found = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except OpGraphError:
        raise
    except RecursionError:
        raise OpGraphError("the text is nested too deeply for an op graph") from None
    except ValueError as error:
        raise OpGraphError(f"the text is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise OpGraphError(f"an op graph is an object in JSON, got {type(found).__name__}")
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        once: set[str] = set()
        twice = next(name for name, _ in pairs if name in once or once.add(name))  # type: ignore[func-returns-value]
        raise OpGraphError(f"each key comes once, got {shorten(twice)} twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise OpGraphError(f"JSON has no {name}; floats are texts such as 'nan' or '0x1.8p+0'")


def _check_keys(who: str, found: Any, needed: tuple[str, ...], allowed: tuple[str, ...]) -> None:
    if not isinstance(found, dict):
        raise OpGraphError(f"{who} is an object in JSON, got {type(found).__name__}")
    for name in needed:
        if name not in found:
            raise OpGraphError(f"{who} needs the key {name!r}, got {shorten(list(found))}")
    for name in found:
        if name not in needed and name not in allowed:
            raise OpGraphError(f"{who} has no key {shorten(name)}; {', '.join(needed)} are known")


def _add_node(graph: Structure, number: int, node: Any) -> None:
    who = f"node {number}"
    if isinstance(node, dict) and "operation" in node:
        _check_keys(who, node, ("operation",), ("arguments",))
        given = node.get("arguments", {})
        if not isinstance(given, dict):
            raise OpGraphError(f"{who} has arguments by name, got {type(given).__name__}")
        if not isinstance(node["operation"], str):
            raise OpGraphError(f"{who} names an operation, got {shorten(node['operation'])}")
        row = row_of(node["operation"])
        graph._add(OperationNode(number, row.name, row.parse(given)))
        return
    _check_keys(who, node, ("tensor", "shape", "dtype"), ("value",))
    name = node["tensor"]
    if name is not None and not isinstance(name, str):
        raise OpGraphError(f"{who} has a text or null as its name, got {shorten(name)}")
    if name is not None and any("\ud800" <= letter <= "\udfff" for letter in name):
        raise OpGraphError(f"{who} has a name that is no text: {shorten(name)}")
    if not isinstance(node["shape"], list):
        raise OpGraphError(f"{who} has a list as its shape, got {shorten(node['shape'])}")
    shape = SHAPE.parse(who, "shape", node["shape"])
    if not isinstance(node["dtype"], str) or node["dtype"] not in BY_NAME:
        raise OpGraphError(
            f"{who} needs one of the dtypes {', '.join(BY_NAME)}; got {shorten(node['dtype'])}"
        )
    dtype = BY_NAME[node["dtype"]]
    value = decode_scalar(node["value"], dtype) if "value" in node else None
    graph._add_tensor(name, shape, dtype, value, None)


def _add_edge(graph: Structure, number: int, edge: Any) -> None:
    if not isinstance(edge, list) or len(edge) not in (2, 3):
        raise OpGraphError(f"edge {number} is a list of two nodes and labels, got {shorten(edge)}")
    nodes = graph._nodes
    for end in edge[:2]:
        if type(end) is not int or not 0 <= end < len(nodes):
            raise OpGraphError(
                f"edge {number} joins nodes 0 to {len(nodes) - 1}, got {shorten(end)}"
            )
    labels = edge[2] if len(edge) == 3 else None
    if labels is not None and not isinstance(labels, list | str):
        raise OpGraphError(f"edge {number} has labels as a list of texts, got {shorten(labels)}")
    graph._connect(new_edge(graph, nodes[edge[0]], nodes[edge[1]], labels))
