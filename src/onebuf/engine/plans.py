"""Plans: what to run, in which order, for every graph of one form.

A plan knows nodes by number, so it holds no memory and serves every graph of its form
(`onebuf.scheduler.form`). A run takes the nodes that it needs out of the walk over the graph and
lets go of each as soon as no later step needs it. Intermediate results that nobody else can ask
for lie in one arena and are forgotten after the run.

If a step fails, everything computed so far stays valid and everything else stays pending.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import prod
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.lib.array_utils import byte_bounds

from onebuf.engine import gate
from onebuf.engine.dying import dies, gifts, watch
from onebuf.engine.passes import run_item
from onebuf.events import KernelRan, listeners, tell
from onebuf.graph import Node, attach, settle
from onebuf.memory import POOL, Block, address_of
from onebuf.ops import new_array
from onebuf.options import options
from onebuf.scheduler import Item, reading
from onebuf.scheduler.arena import Arena, arena_of

if TYPE_CHECKING:
    from onebuf.scheduler.grouping import Group
    from onebuf.scheduler.passes import Kernel

Array = np.ndarray[Any, Any]
Held = list[Node | None]
"""The nodes that a run still needs, by number."""
Numbers = dict[int, int]
"""What stands for a node, by its id: a number in `Held`, or ``~offset`` in the arena."""
Given = frozenset[int]
"""Operands that nobody needs after the run, by number."""
NONE: Given = frozenset()
Watched = tuple[tuple[int, int], ...]
"""Nodes that have to die with the operand that is first among them, and how many hold each."""


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

    __slots__ = ("steps", "needed", "made", "arena", "_watched")

    def __init__(
        self,
        steps: list[Step],
        needed: list[int],
        made: list[int],
        arena: Arena,
        watched: list[Watched],
    ) -> None:
        self.steps = steps
        self.needed = needed
        self.made = made
        """The numbers of the nodes that become stored."""
        self.arena = arena
        self._watched = watched

    def nodes_of(self, walk: Sequence[Node]) -> Held:
        """The nodes to run it with, out of the walk over a graph."""
        return [walk[number] for number in self.needed]

    def run(self, held: Held) -> None:
        """Compute the nodes of a graph; empties ``held``, so nobody else should hold them."""
        block = POOL.allocate(self.arena.nbytes) if self.arena.nbytes else None
        start = 0 if block is None else block.address
        given = self._given(held) if self._watched else NONE
        for step in self.steps:
            step.run(held, start, given)
            for number in step.done:
                held[number] = None

    def _given(self, held: Held) -> Given:
        """The operands that die; lets go of the nodes that were only held to find out."""
        given = frozenset([watched[0][0] for watched in self._watched if dies(held, watched)])
        for watched in self._watched:
            for number, _ in watched[1:]:
                held[number] = None
        return given


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


@dataclass(frozen=True, slots=True)
class Output:
    """A result: what stands for its node, and what it is."""

    number: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    gift: int = -1
    """The operand whose memory it may have, by number; -1: none."""

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return prod(self.shape) * self.dtype.itemsize


class PassesStep:
    """A kernel that runs several others, one after another."""

    __slots__ = ("done", "_name", "_passes")

    def __init__(self, name: str, passes: list[KernelStep]) -> None:
        self.done: tuple[int, ...] = ()
        self._name = name
        self._passes = passes

    def run(self, held: Held, arena: int, given: Given) -> None:
        """Run the passes; results become stored, except for those in the arena."""
        start = perf_counter() if listeners() else 0.0
        for one in self._passes:
            one.launch(held, arena, given)
        if listeners():
            nbytes = sum([one.nbytes for one in self._passes])
            tell(KernelRan(self._name, nbytes, perf_counter() - start, 2))


class KernelStep:
    """A compiled kernel."""

    __slots__ = ("done", "_launch", "_inputs", "_outputs", "_places", "_scalars", "_name")

    def __init__(self, group: Group, numbers: Numbers, gifts: dict[int, int]) -> None:
        self.done: tuple[int, ...] = ()
        self._name = group.name
        try:
            self._launch = gate.launching().prepare(group)
        except Exception as error:
            _say_where(error, self._name, group.node)
            raise
        inputs, outputs = group.inputs, group.outputs
        self._inputs = tuple([numbers[id(node)] for node in inputs])
        self._outputs = tuple(
            [
                Output(numbers[id(node)], node.shape, node.dtype, gifts.get(id(node), -1))
                for node in outputs
            ]
        )
        bases = {id(node): at for at, node in enumerate((*inputs, *outputs), 1)}
        self._places = tuple(
            [
                (0, reach.view.offset)
                if reach.is_index
                else (bases[id(reach.node)], reach.view.offset * reach.node.dtype.itemsize)
                for reach in group.reaches
            ]
        )
        scalars = zip(group.scalars, group.givers, strict=True)
        self._scalars = tuple([v if giver is None else numbers[id(giver)] for v, giver in scalars])

    @property
    def nbytes(self) -> int:
        """Bytes of the results that become stored."""
        return sum([output.nbytes for output in self._outputs if output.number >= 0])

    def run(self, held: Held, arena: int, given: Given) -> None:
        """Run the kernel; its results become stored, except for those in the arena."""
        start = perf_counter() if listeners() else 0.0
        self.launch(held, arena, given)
        if listeners():
            tell(KernelRan(self._name, self.nbytes, perf_counter() - start, 2))

    def launch(self, held: Held, arena: int, given: Given) -> None:
        """Run the kernel without telling anyone."""
        made: list[tuple[Array, Block] | None] = []
        bases = [0]
        for number in self._inputs:
            bases.append(arena + ~number if number < 0 else address_of(_array(held[number])))
        for output in self._outputs:
            new = None
            if output.gift in given:
                new = _on_memory_of(_held(output.gift, held), output)
            elif output.number >= 0:
                new = new_array(output.shape, output.dtype)
            bases.append(arena + ~output.number if new is None else address_of(new[0]))
            made.append(new)
        addresses = [bases[at] + offset for at, offset in self._places]
        scalars = b"".join([_word(scalar, held) for scalar in self._scalars])
        try:
            if options().check_bounds:
                self._launch.check(addresses, scalars, self._limits(held, made))
            else:
                self._launch.run(addresses, scalars)
        except Exception as error:
            kept = [output.number for output in self._outputs if output.number >= 0]
            for number in kept[:1]:
                _say_where(error, self._name, _held(number, held))
            raise
        for output, new in zip(self._outputs, made, strict=True):
            if new is not None:
                attach(_held(output.number, held), *new)

    def _limits(self, held: Held, made: list[tuple[Array, Block] | None]) -> list[tuple[int, int]]:
        """The first byte that each slot may touch, and the one after the last."""
        arrays = [_array(held[number]) for number in self._inputs]
        arrays += [new[0] for new in made if new is not None]
        bounds = [(0, 0), *[byte_bounds(array) for array in arrays]]
        return [bounds[at] for at, _ in self._places]


def make_plan(
    items: Sequence[Kernel | Item], walk: list[Node], private: Collection[int] = ()
) -> Plan:
    """The plan that runs ``items``, for graphs whose walk is like ``walk``.

    Results that are ``private``, by id, need not become stored.
    """
    is_checked = options().check_bounds
    parts = [part for item in items for part in parts_of(item)]
    arena, offsets = arena_of(parts, () if is_checked else private)
    walked = {id(node): number for number, node in enumerate(walk)}
    uses = [[me for me in _used(part) if me not in offsets] for part in parts]
    last = {me: number for number, used in enumerate(uses) for me in used}
    stored = [id(node) for part in parts for node in part.outputs if id(node) not in offsets]
    offered = {} if is_checked else _offered(parts, last, offsets)
    watched = [watch(operand, walk, stored) for operand in offered.values()]
    order = list(dict.fromkeys([*last, *[id(node) for nodes in watched for node, _ in nodes]]))
    numbers = {me: number for number, me in enumerate(order)}
    places = {me: ~offset for me, offset in offsets.items()} | numbers
    gifts = {me: numbers[id(operand)] for me, operand in offered.items()}
    steps: list[Step] = []
    end = 0
    for item in items:
        step = _step(item, places, gifts)
        begin, end = end, end + len(parts_of(item))
        step.done = tuple([numbers[me] for me in last if begin <= last[me] < end])
        steps.append(step)
    needed, made = [walked[me] for me in order], [walked[me] for me in stored]
    counts = [tuple([(numbers[id(node)], count) for node, count in nodes]) for nodes in watched]
    return Plan(steps, needed, made, arena, counts)


def parts_of(item: Kernel | Item) -> Sequence[Group | Item]:
    """What an item consists of: the passes of a kernel that has several."""
    return (item,) if isinstance(item, Item) else item.groups


def _step(item: Kernel | Item, places: Numbers, gifts: dict[int, int]) -> Step:
    if isinstance(item, Item):
        return PassStep(item, places)
    steps = [KernelStep(group, places, gifts) for group in item.groups]
    return steps[0] if len(steps) == 1 else PassesStep(item.name, steps)


def _offered(
    parts: Sequence[Group | Item], last: dict[int, int], offsets: dict[int, int]
) -> dict[int, Node]:
    """For results, by id, an operand that is in memory before and that no later item reads."""
    computed = {id(node) for part in parts for node in part.outputs}
    found: dict[int, Node] = {}
    for number, part in enumerate(parts):
        if not isinstance(part, Item):
            for place, operand in gifts(part).items():
                output = id(part.outputs[place])
                mine = id(operand)
                if output not in offsets and mine not in computed and last[mine] == number:
                    found[output] = operand
    return found


def _used(item: Group | Item) -> list[int]:
    """The nodes, by id, that a run of ``item`` asks for."""
    if isinstance(item, Item):
        return [id(item.node)]
    givers = [giver for giver in item.givers if giver is not None]
    return [id(node) for node in (*item.inputs, *item.outputs, *givers)]


def _say_where(error: Exception, name: str, node: Node) -> None:
    """Add to an error where in the user's program the work comes from."""
    if node.origin is not None:
        error.add_note(f"while computing {name}, asked for at {node.origin}")


def _held(number: int, held: Held) -> Node:
    node = held[number]
    assert node is not None, "a node was let go of too early"
    return node


def _on_memory_of(operand: Node, output: Output) -> tuple[Array, Block]:
    """The elements of a result in the memory of an operand that dies."""
    block = operand.block
    assert block is not None
    return block.array(output.shape, output.dtype), block


def _array(node: Node | None) -> Array:
    """The elements of a node that is in memory."""
    assert node is not None, "a node was let go of too early"
    array = node.array
    if array is None:
        array = settle(node)
    assert array is not None, f"{node} is not in memory"
    return array


def _word(scalar: np.generic | int, held: Held) -> bytes:
    """A scalar as a call takes it; a number stands for the constant that holds it."""
    value = _held(scalar, held).arg if isinstance(scalar, int) else scalar
    return value.tobytes().ljust(8, b"\0")
