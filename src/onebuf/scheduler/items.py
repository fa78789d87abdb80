"""Schedule items: one operation from memory to memory each, with the reason why it is a step.

Nothing here computes or allocates. Without fusion, every operation is an item of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from onebuf.graph import COPY, FAILED, FUTURE, Freed, Kind, Node, is_stored
from onebuf.scheduler.read_through import is_readable, reading

_AT_HAND = frozenset({Kind.VIEW, Kind.STORED, Kind.SOURCE, Kind.CONSTANT})
NOTHING = "nothing"
"""The kind of an item without elements to compute."""
ASKED_FOR = "asked for"
"""The reason of an item whose result the caller wants."""


class _Operands(Protocol):
    @property
    def inputs(self) -> tuple[Node, ...]: ...
    @property
    def outputs(self) -> tuple[Node, ...]: ...


class Traffic:
    """The bytes that a step of a schedule moves, counted by its ``inputs`` and ``outputs``."""

    __slots__ = ()

    @property
    def node(self: _Operands) -> Node:
        """The first output."""
        return self.outputs[0]

    @property
    def bytes_read(self: _Operands) -> int:
        """Bytes of all operands, each counted once."""
        return sum(node.nbytes for node in self.inputs)

    @property
    def bytes_written(self: _Operands) -> int:
        """Bytes of the results."""
        return sum(node.nbytes for node in self.outputs)


@dataclass(frozen=True, slots=True, eq=False)
class Item(Traffic):
    """One operation without a kernel of ours: ``outputs`` from ``inputs``."""

    kind: str
    """The kind of its operation, or NOTHING."""
    reason: str
    inputs: tuple[Node, ...]
    outputs: tuple[Node, ...]

    @property
    def name(self) -> str:
        """The operation."""
        return self.node.op.name

    @property
    def bytes_read(self) -> int:
        """Bytes of all operands but constants; an expanded one counts as often as it is read."""
        return sum(node.nbytes for node in self.inputs if node.op.kind is not Kind.CONSTANT)


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
            raise node.arg.again()
        is_constant = node.op.kind is Kind.CONSTANT
        if node.on_demand is not None or (is_constant and id(node) not in roots):
            continue
        if node.op is FUTURE:  # who runs the items has waited for it
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
    return source is not node and source.op.kind not in _AT_HAND


def _reason(node: Node, wanted: bool) -> str:
    if wanted:
        return ASKED_FOR
    if node.op is COPY:
        return "strides cannot express the new shape"
    return "an operand of what was asked for"
