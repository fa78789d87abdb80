"""Watches: whether memory was written since a gradient came to depend on it.

The engine computes pending readers of memory before that memory is written. A watch is such a
reader, of one element, that is never asked for: once it is computed, or reads another node than the
one that it was made with, as after a write inside a trace, the memory was written. Ordinary
buffers pay nothing for it.
"""

from __future__ import annotations

from collections.abc import Iterable

from onebuf.dtypes import bool as bool_
from onebuf.graph import CONSTANT, UNARY, Node, Number, make
from onebuf.ops import index


class Watch:
    """A watch on the memory of ``node``, from now on."""

    __slots__ = ("_reader", "_source", "node")

    def __init__(self, node: Node) -> None:
        self.node = node
        self._reader: Node | None = None
        if isinstance(node, Number) or node.op is CONSTANT or node.on_demand is not None:
            return  # never written, or not kept in memory
        first = node
        if node.shape and node.has_strides:
            first = index(node, (slice(0, 1),) * len(node.shape))
        self._source = first
        self._reader = make(UNARY["logical_not"], (first,), None, first.shape, bool_, unique=True)

    @property
    def was_written(self) -> bool:
        """Whether the memory was written."""
        reader = self._reader
        if reader is None:
            return False
        srcs = reader.srcs
        return not srcs or srcs[0] is not self._source


def read_by(nodes: Iterable[Node], watches: Iterable[Watch]) -> bool:
    """Whether computing ``nodes`` would read memory that one of ``watches`` watches."""
    watched = [watch.node for watch in watches]
    bases = {id(node.base) for node in watched}
    blocks = {id(node.block) for node in watched if node.block is not None}
    todo, visited = list(nodes), set[int]()
    while todo:
        node = todo.pop()
        if id(node) in visited:
            continue
        visited.add(id(node))
        if id(node.base) in bases or (node.block is not None and id(node.block) in blocks):
            return True
        todo.extend(node.srcs)
    return False
