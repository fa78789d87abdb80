"""Donation: a dying operand gives its memory to the result that is computed from it.

A kernel can do so if it reads each element of the operand only to write to the same place: then
nothing is allocated. An operand dies if only the graph holds it, and everything in the graph that
holds it dies as well: the references to these nodes are counted and compared with what the graph
itself accounts for. One reference more means that the operand may still be read.

A donation is a transaction (docs/design/0011). After it, the plan may still fail or be interrupted,
and its other results then stay pending. So an operand is only donated to the last result that needs
it, and the kernel that overwrites it and the record of its results are one indivisible action.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING

from onebuf.engine.step.reference_count import CAN_COUNT
from onebuf.graph import Node
from onebuf.options import options

if TYPE_CHECKING:
    from onebuf.scheduler.fuse.group import Group
    from onebuf.scheduler.fuse.multipass import Kernel

MOST_STEPS = 1 << 32
"""A kernel of more operations than this, over all elements, overwrites no operand: it would take
seconds, and a kernel that overwrites an operand cannot be interrupted."""


def gifts(kernel: Kernel) -> dict[int, Node]:
    """For each output of a kernel, by its place, an operand in whose memory it could be written.

    The operand has elements of the same size and is read, by every step that reads it, at the very
    place where the output is written. Nothing but this one kernel runs in the step: no product.
    """
    least = options().donate_nbytes
    if not CAN_COUNT or least is None or len(kernel.parts) != 1 or kernel.whole:
        return {}
    (group,) = kernel.parts
    return same_places(group, group.inputs, least) if is_short(group) else {}


def is_short(group: Group) -> bool:
    """Whether a kernel may overwrite an operand, and ends soon enough."""
    return group.is_elementwise and prod(group.extents) * len(group.nest.steps) <= MOST_STEPS


def same_places(
    group: Group,
    operands: Sequence[Node],
    least: int,
    fits: Callable[[Node, Node], bool] = lambda output, operand: True,
) -> dict[int, Node]:
    """For each output of at least so many bytes, by its place, an operand that lies as it does.

    Besides, ``fits`` has to hold of the two.
    """
    views: dict[int, set[object]] = {}
    for reach in group.reaches:
        views.setdefault(id(reach.node), set()).add(reach.view)
    found: dict[int, Node] = {}
    for place, output in enumerate(group.outputs):
        if output.nbytes < least:
            continue
        for operand in operands:
            same = operand.shape == output.shape and operand.dtype.itemsize == output.dtype.itemsize
            taken = any(operand is other for other in found.values())
            at_once = same and not taken and views[id(operand)] == views[id(output)]
            if at_once and fits(output, operand):
                found[place] = operand
                break
    return found


class Holders:
    """Who holds whom in the walk over a graph, and in which part of a plan each becomes stored."""

    __slots__ = ("_holders", "_counts", "_made")

    def __init__(self, walk: Sequence[Node], made: dict[int, int]) -> None:
        """``made`` is the part that stores a node, by its id; a stored one holds no operands."""
        self._made = made
        self._counts = Counter(id(src) for node in walk for src in node.srcs)
        self._holders: dict[int, list[Node]] = {}
        for node in walk:
            for src in node.srcs:
                self._holders.setdefault(id(src), []).append(node)

    def watch(self, operand: Node, part: int) -> list[tuple[Node, int]] | None:
        """Nodes that must die with ``operand``, itself first, and how many hold each.

        None if a result of a later part than ``part`` needs the operand too, be it by way of
        results that are not stored: should the plan not get that far, it would be needed again.
        """
        found = {id(operand): operand}
        todo = [operand]
        while todo:
            for node in self._holders.get(id(todo.pop()), ()):
                made = self._made.get(id(node))
                if made is not None:
                    if made > part:
                        return None
                elif id(node) not in found:
                    found[id(node)] = node
                    todo.append(node)
        return [(node, self._counts[me]) for me, node in found.items()]
