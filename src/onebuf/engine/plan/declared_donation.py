"""Declared donation: leaves that the caller of a plan gives up, and results that take their memory.

A plan that is made once and run many times (`onebuf.engine.plan.whole`) knows which of its leaves
are given up in every run. Some are *donated*: any result may have their memory, if no other buffer
sees it, which is checked at each run (`onebuf.engine.step.reference_count`). Others are *written*:
one result is what the leaf is to hold afterwards, as new weights replace old ones in a training
step. A kernel that reads such a leaf only to write to the same place overwrites it.

Kernels that overwrite what is written are the last of a plan: before them nothing has changed, and
what could fail has not.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from onebuf.engine.plan.donation import is_short, same_places
from onebuf.engine.step.matmul_step import indices_at_a_time
from onebuf.graph import Node
from onebuf.scheduler import Item
from onebuf.scheduler.fuse.group import Group
from onebuf.scheduler.fuse.matmul import MatmulKernel
from onebuf.scheduler.fuse.multipass import Kernel

ANY = 0
"""In place of the id of a result: whichever can."""
GivenUp = Mapping[int, int]
"""Leaves by id, and the id of the result that is to take the memory of each, or `ANY`."""


def given_up(
    parts: Sequence[Kernel | Item], stored: Collection[int], donated: GivenUp
) -> dict[int, Node]:
    """For results that are ``stored``, by id, the leaf whose memory each takes.

    Nothing reads that memory after the kernel that overwrites it, and the kernel itself reads it in
    one way only; a product that is one step with the kernel has been computed by then. A leaf that
    is written is overwritten only if all that comes after overwrites such leaves as well.
    """
    last = _last_reads(parts)
    found: dict[int, Node] = {}
    is_end = True
    for number in range(len(parts) - 1, -1, -1):
        group = _overwriting(parts[number])
        taken = {} if group is None else _taken(group, number, last, donated, is_end)
        for place, leaf in taken.items():
            assert group is not None
            if id(group.outputs[place]) in stored:
                found[id(group.outputs[place])] = leaf
        is_end = is_end and any(donated[id(leaf)] != ANY for leaf in taken.values())
    return found


def _taken(
    group: Group, number: int, last: Mapping[int, int], donated: GivenUp, is_end: bool
) -> dict[int, Node]:
    """For outputs of a kernel, by place, the leaf whose memory each takes."""
    blocks = [id(node.block) for node in group.inputs]
    mine = [
        node
        for node, block in zip(group.inputs, blocks, strict=True)
        if id(node) in donated and last[block] == number and blocks.count(block) == 1
    ]

    def fits(output: Node, leaf: Node) -> bool:
        target = donated[id(leaf)]
        return target == ANY or (is_end and target == id(output))

    return same_places(group, mine, 0, fits)


def delayed(items: Sequence[Kernel | Item], donated: GivenUp) -> list[Kernel | Item]:
    """The same items, those that could overwrite a leaf after all others that read its memory.

    Those that could overwrite a leaf that is written come last. An item with a result that others
    need before that stays where it is.
    """
    last = _last_reads(items)
    targets = {result for result in donated.values() if result != ANY}
    ends = {n for n, item in enumerate(items) if _writes(item, targets)}
    readers: dict[int, list[int]] = {}
    for number, item in enumerate(items):
        for node in item.inputs:
            readers.setdefault(id(node.base), []).append(number)
    for number in sorted(ends):
        made = [id(node) for node in items[number].outputs]
        if any(reader not in ends for me in made for reader in readers.get(me, ())):
            ends.discard(number)
    places = []
    for number, item in enumerate(items):
        place = number
        group = _overwriting(item)
        if number in ends:
            place = len(items) + _reads_before(number, ends, items, last)
        elif group is not None:
            leaves = [node for node in group.inputs if donated.get(id(node)) == ANY]
            place = max([number, *[last[id(leaf.block)] for leaf in leaves]])
            made_here = {id(node) for node in item.outputs}
            between = items[number + 1 : place + 1]
            if any(id(node.base) in made_here for other in between for node in other.inputs):
                place = number
        places.append((place, place > number, number))
    return [items[number] for _, _, number in sorted(places)]


def _writes(item: Kernel | Item, targets: Collection[int]) -> bool:
    """Whether an item computes what a leaf is to hold, and could do so in its memory."""
    group = _overwriting(item)
    return group is not None and any(id(node) in targets for node in group.outputs)


def _reads_before(
    number: int, ends: Collection[int], items: Sequence[Kernel | Item], last: Mapping[int, int]
) -> int:
    """The order among the last items: one whose leaf others of them read comes after those."""
    blocks = {id(node.block) for node in items[number].inputs if node.block is not None}
    others = [n for n in ends if n > number]
    shared = [
        n for n in others if blocks & {id(node.block) for node in items[n].inputs if node.block}
    ]
    return max([number, *shared])


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
