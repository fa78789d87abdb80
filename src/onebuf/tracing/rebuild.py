"""Rebuilding: the nodes of a trace as nodes of real devices, or of the trace around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from onebuf.engine import moved
from onebuf.graph import COPY, CUSTOM, INPUT, MOVE, RANDOM_BITS, VIEW, Kind, Node, make
from onebuf.layout import View, compose
from onebuf.machine import Tracer
from onebuf.ops import copied, expanded, seen, view_of


class Rebuild:
    """Real nodes for those of a trace; each is made once, and kept.

    ``trace`` is that of the nodes; ``value_of`` gives the real node of the parameter that an INPUT
    has as its argument. A node of an outer trace is as real as any.
    """

    def __init__(
        self,
        trace: Any,
        value_of: Callable[[Any], Node],
        known: Mapping[int, Node] | None = None,
        streams: Mapping[Any, tuple[Any, ...]] | None = None,
    ) -> None:
        """``known`` has the real nodes of some nodes, by their ids; ``streams`` other streams of
        random bits for those that were drawn."""
        self._trace = trace
        self._value_of = value_of
        self._streams = streams or {}
        self._made: dict[int, Node] = dict(known or {})
        self._kept: list[Node] = []
        """The traced nodes whose ids are keys."""

    def of(self, node: Node) -> Node:
        """The real node of ``node``."""
        return self.all([node])[0]

    def all(self, nodes: Sequence[Node]) -> list[Node]:
        """The real nodes of ``nodes``."""
        made = self._made
        seen_here: dict[int, Node] = {}
        """Views and INPUTs: cheap to make, and not kept, since what they see may be replaced."""
        todo = [(node, False) for node in reversed(nodes)]
        while todo:
            node, visited = todo.pop()
            me = id(node)
            if me in made or me in seen_here:
                continue
            if not isinstance(node.device, Tracer) or node.device.trace is not self._trace:
                seen_here[me] = node
                continue
            if node.op is INPUT:
                seen_here[me] = self._value_of(node.arg)
                continue
            if not visited:
                todo.append((node, True))
                todo.extend([(src, False) for src in node.srcs])
                continue
            srcs = [made.get(id(src)) or seen_here[id(src)] for src in node.srcs]
            if node.op is VIEW:
                seen_here[me] = viewed(node, srcs)
            else:
                made[me] = again(node, srcs, self._arg(node))
                self._kept.append(node)
        return [made.get(id(node)) or seen_here[id(node)] for node in nodes]

    def _arg(self, node: Node) -> Any:
        if node.op is RANDOM_BITS and self._streams:
            key, stream, first = node.arg
            return (*self._streams.get((key, stream), (key, stream)), first)
        return node.arg

    def know(self, node: Node, real: Node) -> None:
        """Let ``real`` be the real node of ``node``."""
        self._made[id(node)] = real
        self._kept.append(node)

    def replaced(self, node: Node, old: Node) -> None:
        """Take note that ``old`` is now what ``node`` was."""
        found = self._made.pop(id(node), None)
        if found is not None:
            self._made[id(old)] = found
            self._kept.append(old)


def again(node: Node, srcs: Sequence[Node], arg: Any) -> Node:
    """The operation of ``node`` on other operands, with another argument."""
    if node.op is CUSTOM and not any(isinstance(src.device, Tracer) for src in srcs):
        return srcs[0]
    if node.op is MOVE:
        return moved(srcs[0], arg)
    if node.op is COPY:
        return make(COPY, (srcs[0],), None, node.shape, node.dtype, unique=True)
    unique = node.op.kind is Kind.LIBRARY or node.op.kind is Kind.GENERATE
    device = node.device.home if isinstance(node.device, Tracer) else node.device
    return make(node.op, tuple(srcs), arg, node.shape, node.dtype, unique, device)


def viewed(node: Node, srcs: Sequence[Node]) -> Node:
    """The VIEW ``node`` of other elements, which may have gaps between them."""
    base = srcs[0]
    if not base.has_strides:
        base = expanded(base)
    layout = node.arg
    if layout.__class__ is View:
        there = compose(layout, view_of(base))
        if there is not None:
            return seen(base, there)
    if base.is_view or not view_of(base).is_contiguous or view_of(base).offset:
        base = copied(base)
    return make(VIEW, (base, *srcs[1:]), layout, node.shape, node.dtype)
