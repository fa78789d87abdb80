"""Building plans: steps for the items of a schedule, in one arena, with donated operands."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from onebuf.engine.plan.donation import Holders, gifts
from onebuf.engine.step.numpy_step import NumpyStep
from onebuf.engine.step.plan import Homes, Offsets, Plan, Step
from onebuf.graph import Node
from onebuf.late import Late
from onebuf.options import options
from onebuf.scheduler import Item

if TYPE_CHECKING:
    from onebuf.engine.plan import declared_donation
    from onebuf.engine.plan.declared_donation import GivenUp
    from onebuf.engine.step import factory
    from onebuf.scheduler import arena
    from onebuf.scheduler.fuse.multipass import Kernel
else:
    declared_donation = Late("onebuf.engine.plan.declared_donation")
    factory = Late("onebuf.engine.step.factory")
    arena = Late("onebuf.scheduler.arena")


def make_plan(
    items: Sequence[Kernel | Item],
    walk: list[Node],
    private: Collection[int] = (),
    replayed: Sequence[Node] = (),
    donated: GivenUp | None = None,
) -> Plan:
    """The plan that runs ``items``, for graphs whose walk is like ``walk``.

    Results that are ``private``, by id, need not become stored. Those that are ``replayed`` are
    told so. ``donated`` are the leaves that every run gives up, each the first element of its
    block; None: operands that die are found by counting references, in each run.
    """
    now = options()
    is_checked = now.check_bounds or now.search_seconds > 0
    if donated and not is_checked:
        items = declared_donation.delayed(items, donated)
    parts = [part for item in items for part in parts_of(item)]
    arena_nbytes = 0
    offsets: Offsets = {}
    if not is_checked and not all(isinstance(part, Item) for part in parts):
        shared, offsets = arena.arena_of(parts, private)
        arena_nbytes = shared.nbytes
    walked = {id(node): number for number, node in enumerate(walk)}
    last = {me: number for number, part in enumerate(parts) for me in _used(part)}
    stored = {
        id(node): number
        for number, part in enumerate(parts)
        for node in part.outputs
        if id(node) not in offsets
    }
    offered: dict[int, Node] = {}
    watched: list[list[tuple[Node, int]]] = []
    if donated is None and not is_checked:
        offered, watched = _offered(parts, last, stored, walk)
    elif donated and not is_checked:
        offered = declared_donation.given_up(parts, stored, donated)
    looked_at = [id(node) for nodes in watched for node, _ in nodes] + [id(n) for n in replayed]
    order = list(dict.fromkeys([*last, *looked_at]))
    numbers = {me: number for number, me in enumerate(order)}
    gifts = {me: numbers[id(operand)] for me, operand in offered.items()}
    homes = Homes(numbers, offsets, gifts)
    done: list[list[int]] = [[] for _ in parts]
    for me, number in last.items():
        done[number].append(numbers[me])
    steps: list[Step] = []
    end = 0
    for item in items:
        step = _step(item, homes, private)
        begin, end = end, end + len(parts_of(item))
        step.done = tuple([number for part in done[begin:end] for number in part])
        steps.append(step)
    needed, made = [walked[me] for me in order], [walked[me] for me in stored]
    counts = [tuple([(numbers[id(node)], count) for node, count in nodes]) for nodes in watched]
    again = [numbers[id(node)] for node in replayed]
    plan = (steps, needed, made, arena_nbytes, again, counts, len(last))
    if not donated:
        return Plan(*plan)
    leaves = [(numbers[id(leaf)], donated[id(leaf)]) for leaf in offered.values()]
    targets = {me for me, leaf in offered.items() if donated[id(leaf)]}
    overwriting = [
        step
        for step, item in zip(steps, items, strict=True)
        if any(id(node) in targets for node in item.outputs)
    ]
    return Plan(
        *plan,
        tuple([number for number, target in leaves if not target]),
        tuple([number for number, target in leaves if target]),
        overwriting,  # type: ignore[arg-type]
    )


def parts_of(item: Kernel | Item) -> Sequence[Kernel | Item]:
    """What an item consists of: the passes of a kernel that has several."""
    return (item,) if isinstance(item, Item) else item.passes


def _step(item: Kernel | Item, homes: Homes, private: Collection[int]) -> Step:
    if isinstance(item, Item):
        return NumpyStep(item, homes.numbers)
    return factory.kernel_step(item, homes, private)


def _offered(
    parts: Sequence[Kernel | Item],
    last: dict[int, int],
    stored: dict[int, int],
    walk: Sequence[Node],
) -> tuple[dict[int, Node], list[list[tuple[Node, int]]]]:
    """For results that become stored, by id, an operand that nothing later needs, and its watch.

    It is in memory before, and nothing but kernels reads that memory, through whatever node.
    """
    found: dict[int, Node] = {}
    watched: list[list[tuple[Node, int]]] = []
    candidates = [gifts(part) if not isinstance(part, Item) else {} for part in parts]
    if not any(candidates):
        return found, watched
    taken = {id(node) for part in parts for node in part.outputs}
    for part in parts:
        others = part.inputs if isinstance(part, Item) else part.whole
        bases = [node.base for node in others]
        taken.update(map(id, bases), [id(base.block) for base in bases if base.block is not None])
    holders = Holders(walk, stored)
    for number, part in enumerate(parts):
        for place, operand in candidates[number].items():
            output, mine = id(part.outputs[place]), id(operand)
            if id(operand.block) in taken:
                continue
            if output in stored and mine not in taken and last[mine] == number:
                nodes = holders.watch(operand, number)
                if nodes is not None:
                    found[output] = operand
                    watched.append(nodes)
    return found, watched


def _used(item: Kernel | Item) -> list[int]:
    """The nodes, by id, that a run of ``item`` asks for."""
    if isinstance(item, Item):
        return [id(item.node)]
    return [id(node) for node in item.asked]
