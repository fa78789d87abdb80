"""Items: one pass over memory each, with its operands, its result and the reason it exists.

Nothing here computes or allocates. Without fusion, every operation is an item of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from onebuf.graph import COPY, FAILED, Freed, Kind, Node, is_stored
from onebuf.scheduler.read_through import is_readable, reading

_AT_HAND = frozenset({Kind.VIEW, Kind.STORED, Kind.SOURCE, Kind.CONSTANT})
NOTHING = "nothing"
"""The kind of an item without elements to compute."""


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """One pass over memory: ``outputs`` from ``inputs``."""

    kind: str
    reason: str
    inputs: tuple[Node, ...]
    outputs: tuple[Node, ...]

    @property
    def node(self) -> Node:
        """The one output."""
        return self.outputs[0]

    @property
    def name(self) -> str:
        """The operation."""
        return self.node.op.name

    @property
    def bytes_read(self) -> int:
        """Bytes of all operands, counting an expanded one as often as it is read."""
        return sum(node.nbytes for node in self.inputs if node.op.kind is not Kind.CONSTANT)

    @property
    def bytes_written(self) -> int:
        """Bytes of the result."""
        return sum(node.nbytes for node in self.outputs)


def schedule(wanted: Sequence[Node], own: bool = False) -> list[Item]:
    """The items that make every node of ``wanted`` readable, operands before results.

    With ``own``, a wanted COPY is made even where its original could be read in its place.
    """
    if not own:
        wanted = [reading(node) if node.is_view else node for node in wanted]
    items: list[Item] = []
    done: set[int] = set()
    roots = {id(node.base) for node in wanted}
    todo = [(node, False) for node in reversed(wanted)]
    while todo:
        node, visited = todo.pop()
        node = node.base
        if id(node) in done or is_stored(node):
            continue
        if isinstance(node, Freed):
            raise node.refusal()
        if node.op is FAILED:
            raise node.arg
        is_constant = node.op.kind is Kind.CONSTANT
        if node.on_demand is not None or (is_constant and id(node) not in roots):
            continue
        forced = own and id(node) in roots
        if node.op is COPY and is_readable(node) and not forced:
            continue
        operands = tuple([reading(src) for src in node.srcs])
        if visited:
            done.add(id(node))
            if forced or not (node.op is COPY and _becomes_readable(node)):
                items.append(
                    Item(node.op.kind, _reason(node, id(node) in roots), operands, (node,))
                )
            continue
        todo.append((node, True))
        todo.extend([(operand, False) for operand in reversed(operands)])
    return items


def _becomes_readable(node: Node) -> bool:
    """Whether a COPY can be read in its operand's memory as soon as that is computed."""
    source = reading(node)
    return source.op.kind not in _AT_HAND


def _reason(node: Node, wanted: bool) -> str:
    if wanted:
        return "asked for"
    if node.op is COPY:
        return "strides cannot express the new shape"
    return "an operand of what was asked for"
