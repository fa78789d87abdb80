"""Declared donation: leaves that the caller of a plan gives up, and results that take their memory.

A plan that is made once and run many times (`onebuf.engine.plan.whole`) knows which of its leaves
are given up in every run: in a training step, the old weights. A kernel that reads such a leaf only
to write to the same place overwrites it. No references to nodes are counted, as they are in
`onebuf.engine.plan.donation`: at each run it is only checked that the memory is the pool's, and
that no other buffer sees it (`onebuf.engine.step.reference_count`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from onebuf.engine.plan.donation import is_short, same_places
from onebuf.engine.step.matmul_step import indices_at_a_time
from onebuf.graph import Node
from onebuf.scheduler import Item
from onebuf.scheduler.fuse.group import Group
from onebuf.scheduler.fuse.matmul import MatmulKernel
from onebuf.scheduler.fuse.multipass import Kernel


def given_up(
    parts: Sequence[Kernel | Item], stored: Collection[int], donated: Collection[int]
) -> dict[int, Node]:
    """For results that are ``stored``, by id, the leaf whose memory each takes.

    The leaves are among those that were ``donated``, by id. Nothing reads that memory after the
    kernel that overwrites it, and the kernel itself reads it in one way only; a product that is
    one step with the kernel has been computed by then.
    """
    last = _last_reads(parts)
    found: dict[int, Node] = {}
    for number, part in enumerate(parts):
        group = _overwriting(part)
        if group is None:
            continue
        blocks = [id(node.block) for node in group.inputs]
        mine = [
            node
            for node, block in zip(group.inputs, blocks, strict=True)
            if id(node) in donated and last[block] == number and blocks.count(block) == 1
        ]
        for place, leaf in same_places(group, mine, 0).items():
            if id(group.outputs[place]) in stored:
                found[id(group.outputs[place])] = leaf
    return found


def delayed(items: Sequence[Kernel | Item], donated: Collection[int]) -> list[Kernel | Item]:
    """The same items, those that could overwrite a leaf after all others that read its memory.

    An item with a result that others need before that stays where it is.
    """
    last = _last_reads(items)
    places = []
    for number, item in enumerate(items):
        place = number
        group = _overwriting(item)
        if group is not None:
            leaves = [node for node in group.inputs if id(node) in donated]
            place = max([number, *[last[id(leaf.block)] for leaf in leaves]])
            made = {id(node) for node in item.outputs}
            between = items[number + 1 : place + 1]
            if any(id(node.base) in made for other in between for node in other.inputs):
                place = number
        places.append((place, place > number, number))
    return [items[number] for _, _, number in sorted(places)]


def _last_reads(items: Sequence[Kernel | Item]) -> dict[int, int]:
    """The last item that reads each block, by its id."""
    return {
        id(node.base.block): number for number, item in enumerate(items) for node in item.inputs
    }


def _overwriting(item: Kernel | Item) -> Group | None:
    """The kernel of an item that may overwrite a leaf, if there is one: the last that it runs."""
    if isinstance(item, MatmulKernel):
        one_block = indices_at_a_time(item) == item.group.extents[0]
        return item.group if one_block and is_short(item.group) else None
    return item if isinstance(item, Group) and is_short(item) else None
