"""Dying: which operands nobody can ask for any more once a kernel has read them.

Such an operand gives its memory to the result, if the kernel reads each element of it where it
writes the result: then nothing is allocated. An operand dies if only the graph holds it, and
everything in the graph that holds it dies as well: the references to these nodes are counted and
compared with what the graph itself accounts for. One more, and somebody may still ask.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from onebuf.graph import Kind, Node
from onebuf.memory import PoolBlock, address_of

if TYPE_CHECKING:
    from onebuf.scheduler.passes import Kernel

_IN_PLACE = frozenset({Kind.STORED, Kind.CONSTANT, Kind.ELEMENTWISE})
"""What a kernel may do that reads an element only to write to its place."""
LEAST_NBYTES = 1 << 20
"""Smaller results are not worth the counting."""

CAN_COUNT = sys.implementation.name == "cpython"
_examples = [object()]
_ALONE = sys.getrefcount(_examples[0]) if CAN_COUNT else 0
"""The count of an object that one list holds, while it is counted."""


def private(walk: list[Node]) -> frozenset[int]:
    """The pending nodes of a walk, by id, that nobody outside of their graph holds.

    The walk itself has to be the only other list that holds them.
    """
    if not CAN_COUNT:
        return frozenset()
    counts = Counter(id(src) for node in walk for src in node.srcs)
    return frozenset(
        [
            me
            for number, me in enumerate(map(id, walk))
            if sys.getrefcount(walk[number]) == _ALONE + counts[me]
        ]
    )


def gifts(kernel: Kernel) -> dict[int, Node]:
    """For each output of a kernel, by its place, an operand in whose memory it could be written.

    The operand has elements of the same size and is read, by every step that reads it, at the very
    place where the output is written.
    """
    if not CAN_COUNT or len(kernel.parts) != 1:
        return {}
    (group,) = kernel.parts
    if any(step.op.kind not in _IN_PLACE for step in group.nest.steps):
        return {}
    views: dict[int, set[object]] = {}
    for reach in group.reaches:
        views.setdefault(id(reach.node), set()).add(reach.view)
    found: dict[int, Node] = {}
    for place, output in enumerate(group.outputs):
        if output.nbytes < LEAST_NBYTES:
            continue
        for operand in group.inputs:
            same = operand.shape == output.shape and operand.dtype.itemsize == output.dtype.itemsize
            taken = any(operand is other for other in found.values())
            if same and not taken and views[id(operand)] == views[id(output)]:
                found[place] = operand
                break
    return found


def watch(operand: Node, walk: Sequence[Node], stored: Iterable[int]) -> list[tuple[Node, int]]:
    """Nodes of the walk that must die with ``operand``, itself first, and how many hold each.

    ``stored`` are the nodes, by id, that the plan makes stored: they let go of their operands.
    """
    counts = Counter(id(src) for node in walk for src in node.srcs)
    alive = set(stored)
    found = {id(operand): operand}
    todo = [operand]
    while todo:
        here = todo.pop()
        for node in walk:
            holds = any(src is here for src in node.srcs)
            if holds and id(node) not in alive and id(node) not in found:
                found[id(node)] = node
                todo.append(node)
    return [(node, counts[me]) for me, node in found.items()]


def dies(held: Sequence[Node | None], watched: Sequence[tuple[int, int]]) -> bool:
    """Whether nobody but the graph holds the nodes that ``watched`` numbers, the operand first."""
    for number, count in watched:
        if sys.getrefcount(held[number]) != _ALONE + count:
            return False
    operand = held[watched[0][0]]
    if operand is None or operand.array is None:
        return False
    blocks = [operand.block]
    return (
        sys.getrefcount(blocks[0]) == _ALONE + 1
        and isinstance(blocks[0], PoolBlock)
        and operand.array.flags.c_contiguous
        and address_of(operand.array) == blocks[0].address
    )
