"""Plans: what to run, in which order, for every graph of one form.

A plan knows nodes by number, so it holds no memory and serves every graph of its form
(`onebuf.scheduler.plan_key`). A run takes the nodes that it needs out of the walk over the graph
and lets go of each as soon as no later step needs it. Intermediate results that nobody else can ask
for lie in one arena and are forgotten after the run.

If a step fails or is interrupted, everything computed so far stays valid and everything else stays
pending, with all that it needs: see `onebuf.engine.plan.donation`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from onebuf import switch
from onebuf.engine import gate
from onebuf.engine.plan.donation import Holders, dies, gifts
from onebuf.engine.run.numpy_step import run_item
from onebuf.graph import Node, running
from onebuf.memory import POOL
from onebuf.options import options
from onebuf.scheduler import Item, reading

if TYPE_CHECKING:
    from onebuf.scheduler.fuse.multipass import Kernel

Held = list[Node | None]
"""The nodes that a run still needs, by number."""
Numbers = dict[int, int]
"""The number of each node in `Held`, by its id."""
Offsets = dict[int, int]
"""Where in the arena results lie that need not become stored, by the ids of their nodes."""
Given = frozenset[int]
"""Operands that nobody needs after the run, by number."""
NONE: Given = frozenset()
Watched = tuple[tuple[int, int], ...]
"""Nodes that have to die with the operand that is first among them, and how many hold each."""


class Homes(NamedTuple):
    """Where a step finds its nodes, and memory for what it computes."""

    numbers: Numbers
    offsets: Offsets
    gifts: dict[int, int]
    """The operand, by number, whose memory a result may have, by the id of its node."""


class Step(Protocol):
    """One item of a plan."""

    done: tuple[int, ...]
    """What no later step needs."""

    def run(self, held: Held, arena: int, given: Given) -> None:
        """Compute the results; ``arena`` is where intermediate results begin.

        The memory of the operands that ``given`` numbers may be written to.
        """


class Plan:
    """Steps, the numbers of the nodes that they need, and the memory for what is forgotten."""

    __slots__ = ("steps", "needed", "made", "arena_nbytes", "_replayed", "_watched", "_used")

    def __init__(
        self,
        steps: list[Step],
        needed: list[int],
        made: list[int],
        arena_nbytes: int,
        replayed: list[int],
        watched: list[Watched],
        used: int,
    ) -> None:
        self.steps = steps
        self.needed = needed
        self.made = made
        """The numbers of the nodes that become stored."""
        self.arena_nbytes = arena_nbytes
        """Memory for intermediate results that nobody else can ask for."""
        self._replayed = replayed
        """Values that somebody holds, and that are computed without being stored."""
        self._watched = watched
        self._used = used
        """How many nodes the steps need; those after them are only looked at."""

    def nodes_of(self, walk: Sequence[Node]) -> Held:
        """The nodes to run it with, out of the walk over a graph."""
        return [walk[number] for number in self.needed]

    def run(self, held: Held, turn: object) -> None:
        """Compute the nodes of a graph; empties ``held``, so nobody else should hold them.

        `onebuf.graph.running.Overtaken` if ``turn`` ends before it does.
        """
        block = POOL.allocate(self.arena_nbytes) if self.arena_nbytes else None
        start = 0 if block is None else block.address
        for number in self._replayed:
            held_node(number, held).replays += 1
        given = self._given(held) if self._watched else NONE
        del held[self._used :]
        if switch.on:
            switch.point("plan.start")
        for step in self.steps:
            if switch.on:
                switch.point("plan.step")
            running.check(turn)
            step.run(held, start, given)
            for number in step.done:
                held[number] = None

    def _given(self, held: Held) -> Given:
        """The operands that die."""
        return frozenset([watched[0][0] for watched in self._watched if dies(held, watched)])


class PassStep:
    """An operation on NumPy's loops."""

    __slots__ = ("done", "_number", "_kind", "_reason")

    def __init__(self, item: Item, numbers: Numbers) -> None:
        self.done: tuple[int, ...] = ()
        self._number = numbers[id(item.node)]
        self._kind = item.kind
        self._reason = item.reason

    def run(self, held: Held, arena: int, given: Given) -> None:
        """Compute the node."""
        node = held[self._number]
        assert node is not None
        operands = tuple([reading(src) for src in node.srcs])
        run_item(Item(self._kind, self._reason, operands, (node,)))


def make_plan(
    items: Sequence[Kernel | Item],
    walk: list[Node],
    private: Collection[int] = (),
    replayed: Sequence[Node] = (),
) -> Plan:
    """The plan that runs ``items``, for graphs whose walk is like ``walk``.

    Results that are ``private``, by id, need not become stored. Those that are ``replayed`` are
    told so.
    """
    now = options()
    is_checked = now.check_bounds or now.search_seconds > 0
    parts = [part for item in items for part in parts_of(item)]
    arena_nbytes = 0
    offsets: Offsets = {}
    if not is_checked and not all(isinstance(part, Item) for part in parts):
        arena, offsets = gate.arena().arena_of(parts, private)
        arena_nbytes = arena.nbytes
    walked = {id(node): number for number, node in enumerate(walk)}
    last = {me: number for number, part in enumerate(parts) for me in _used(part)}
    stored = {
        id(node): number
        for number, part in enumerate(parts)
        for node in part.outputs
        if id(node) not in offsets
    }
    offered, watched = _offered(parts, last, stored, walk) if not is_checked else ({}, [])
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
    return Plan(steps, needed, made, arena_nbytes, again, counts, len(last))


def parts_of(item: Kernel | Item) -> Sequence[Kernel | Item]:
    """What an item consists of: the passes of a kernel that has several."""
    return (item,) if isinstance(item, Item) else item.passes


def _step(item: Kernel | Item, homes: Homes, private: Collection[int]) -> Step:
    if isinstance(item, Item):
        return PassStep(item, homes.numbers)
    return gate.steps().kernel_step(item, homes, private)  # type: ignore[no-any-return]


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


def held_node(number: int, held: Held) -> Node:
    """The node that ``number`` stands for."""
    node = held[number]
    assert node is not None, "a node was let go of too early"
    return node
