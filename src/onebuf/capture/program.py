"""Programs: the graph of a captured function, planned once and run on other leaves.

A plan knows nodes by number. To run it again it needs the nodes that its steps ask for: leaves,
which come with each call; results, which are made anew; constants, which stay. A step that is no
kernel of ours also looks at the operands of its node, so those are made anew as well, down to what
is stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from onebuf.capture.quick import Quick, quick
from onebuf.capture.quick_lines import Outside
from onebuf.dtypes import DT, Array
from onebuf.engine.plan.declared_donation import ANY
from onebuf.engine.plan.whole import whole_plan
from onebuf.engine.run.realize import read
from onebuf.engine.step.error_context import OutsideError, explained
from onebuf.engine.step.kernel_step import KernelStep, MultipassStep
from onebuf.engine.step.plan import Held
from onebuf.events import listeners
from onebuf.graph import RANDOM_BITS, VIEW, Kind, Leaf, Node, engine_lock
from onebuf.layout import View
from onebuf.memory import Block, address_of
from onebuf.ops import view_of
from onebuf.options import options

MOST_OVERTAKEN = 100
"""A run that other code overtook more often than this fails."""


class Derived(NamedTuple):
    """A leaf that sees elements of another one."""

    source: int
    """The number of that leaf."""
    view: View
    """Where the elements are, from the first one of that leaf."""


class Row(NamedTuple):
    """A node that is made anew for each run."""

    op: Any
    srcs: tuple[int, ...]
    arg: Any
    shape: tuple[int, ...]
    dtype: DT
    made_at: Any
    device: Any


class Result(NamedTuple):
    """A result: the slot of its base, and how it sees that; None: all of it."""

    slot: int
    view: View | None


class Program:
    """A plan, and what it takes to run it again."""

    def __init__(
        self,
        leaves: Sequence[Node],
        wanted: Sequence[Node],
        writes: Mapping[int, int],
        donated: Collection[int] = (),
    ) -> None:
        """``leaves`` stand for what a run is given, and ``wanted`` are computed from them.

        ``writes`` has the numbers of leaves, and of the results that they are to hold after a run;
        leaves that are ``donated``, by number, are not needed after it.
        """
        replaced = _replaced(leaves, wanted, writes)
        given_up = {id(leaves[number]): ANY for number in donated} | replaced
        self.plan, walk = whole_plan([node.base for node in wanted], given_up)
        self._slots: dict[int, int] = {id(node): number for number, node in enumerate(leaves)}
        self._kept: list[Node] = list(leaves)
        """Nodes by slot, so that ids stay theirs while slots are given out."""
        self._leaves = leaves
        self._derived: list[tuple[int, Derived]] = []
        self._rows: list[tuple[int, Row]] = []
        self._drawn: list[tuple[int, int]] = []
        """Rows of random bits: place among the rows, and slot."""
        self._fixed: list[tuple[int, Node]] = []
        asked = [walk[number] for number in self.plan.needed]
        with_operands = _looked_at(self.plan, asked)
        self._plain = {id(node) for node in asked} - with_operands
        self._made = {id(walk[number]) for number in self.plan.made}
        for node in asked:
            self._slot(node, id(node) in with_operands)
        self._results = []
        for node in wanted:
            slot = self._slot(node.base, False)
            self._results.append(Result(slot, node.arg if node.op is VIEW else None))
        self._needed = [self._slots[id(node)] for node in asked]
        self._overwritten = {
            self._slots[id(asked[number])]: (number, self._slots[replaced[id(asked[number])]])
            for number in self.plan.written
        }
        """Leaves that may be overwritten: their number in the plan, and the slot of the result."""
        self._quick = self._written(asked, wanted)
        self._template: list[Node | None] = [None] * len(self._kept)
        for slot, node in self._fixed:
            self._template[slot] = node
        del self._kept, self._leaves, self._made, self._plain, self._slots

    # -- making ------------------------------------------------------------------------------------

    def _slot(self, node: Node, with_operands: bool) -> int:
        """The slot of ``node``; what it needs has slots before it."""
        root = node
        todo = [(node, with_operands, False)]
        while todo:
            node, with_operands, visited = todo.pop()
            if id(node) in self._slots:
                continue
            is_constant = node.op.kind is Kind.CONSTANT and id(node) not in self._made
            if node.array is not None or is_constant:
                self._stored(node)
                continue
            srcs = node.srcs if with_operands else ()
            if not visited and any(id(src) not in self._slots for src in srcs):
                todo.append((node, with_operands, True))
                todo.extend([(src, id(src) not in self._plain, False) for src in srcs])
                continue
            slot = self._new(node)
            operands = tuple([self._slots[id(src)] for src in srcs])
            row = Row(
                node.op, operands, node.arg, node.shape, node.dtype, node.made_at, node.device
            )
            if node.op is RANDOM_BITS:
                self._drawn.append((len(self._rows), slot))
            self._rows.append((slot, row))
        return self._slots[id(root)]

    def _new(self, node: Node) -> int:
        slot = self._slots[id(node)] = len(self._kept)
        self._kept.append(node)
        return slot

    def _stored(self, node: Node) -> None:
        slot = self._new(node)
        for number, leaf in enumerate(self._leaves):
            if node.block is not None and node.block is leaf.block:
                self._derived.append((slot, Derived(number, _seen_from(leaf, node))))
                return
        self._fixed.append((slot, node))

    @property
    def quick(self) -> Quick | None:
        """A function from leaves to results, if there is one for this program."""
        return self._quick if all(result.view is None for result in self._results) else None

    def _written(self, asked: Sequence[Node], wanted: Sequence[Node]) -> Quick | None:
        """The plan as a function of addresses, if it has such steps alone."""
        sources = {id(leaf): (number, 0) for number, leaf in enumerate(self._leaves)}
        for slot, derived in self._derived:
            size = self._kept[slot].dtype.itemsize
            sources[id(self._kept[slot])] = (derived.source, derived.view.offset * size)
        now = options()
        if now.check_bounds or now.search_seconds or self.plan.gives_up:
            return None
        return quick(self.plan, self._leaves, asked, sources, [node.base for node in wanted])

    # -- running -----------------------------------------------------------------------------------

    @property
    def overwritten(self) -> Collection[int]:
        """The leaves that a run can overwrite by what they are to hold."""
        return self._overwritten.keys()

    def run(
        self, leaves: Sequence[Node], draws: Mapping[Any, Any], written: Collection[int] = ()
    ) -> list[Node]:
        """The results, stored, for some leaves; ``draws`` has new random streams for old."""
        if self._quick is not None and not written and not listeners():
            with suppress(Outside):
                pairs = zip(self._quick.run(leaves), self._results, strict=True)
                return [node if r.view is None else _part(node, r.view) for node, r in pairs]
        overtaken = 0
        while True:
            nodes = self._nodes(leaves, draws)
            for leaf in written:
                nodes[self._overwritten[leaf][1]].readers = leaves[leaf].readers
            held: Held = [nodes[slot] for slot in self._needed]
            results = [nodes[result.slot] for result in self._results]
            del nodes
            with engine_lock.lock:
                turn = engine_lock.begin()
                try:
                    given = frozenset([self._overwritten[leaf][0] for leaf in written])
                    self.plan.run(held, turn, given)
                except engine_lock.Overtaken:
                    overtaken += 1
                    if overtaken > MOST_OVERTAKEN:
                        raise
                    continue
                except OutsideError as error:
                    raise explained(error, read) from None
                finally:
                    engine_lock.turns.discard(turn)
            pairs = zip(results, self._results, strict=True)
            return [node if r.view is None else _part(node, r.view) for node, r in pairs]

    def _nodes(self, leaves: Sequence[Node], draws: Mapping[Any, Any]) -> list[Any]:
        nodes: list[Any] = self._template.copy()
        nodes[: len(leaves)] = leaves
        for slot, derived in self._derived:
            nodes[slot] = _part(leaves[derived.source], derived.view)
        for slot, row in self._rows:
            srcs = tuple([nodes[n] for n in row.srcs])
            nodes[slot] = Node(row.op, srcs, row.arg, row.shape, row.dtype, row.made_at, row.device)
        for place, slot in self._drawn:
            key, stream, first = self._rows[place][1].arg
            draw = draws.get((key, stream))
            if draw is not None:
                nodes[slot].arg = (*draw, first)
        return nodes


def _looked_at(plan: Any, asked: Sequence[Node]) -> set[int]:
    """The nodes, by id, whose operands a step looks at when it runs."""
    by_kernel: set[int] = set()
    for step in plan.steps:
        parts = step._passes if isinstance(step, MultipassStep) else [step]
        for part in parts:
            if type(part) is KernelStep:
                by_kernel.update([output.number for output in part._outputs])
    return {
        id(node)
        for number, node in enumerate(asked)
        if number not in by_kernel or node.op.kind is Kind.GATHER
    }


def _replaced(
    leaves: Sequence[Node], wanted: Sequence[Node], writes: Mapping[int, int]
) -> dict[int, int]:
    """The leaves, by id, that a result may overwrite, and the id of that result.

    A result that is also seen otherwise needs memory of its own.
    """
    uses = Counter([id(node.base) for node in wanted])
    found = {}
    for number, result in writes.items():
        leaf, node = leaves[number], wanted[result]
        alike = (leaf.shape, leaf.dtype) == (node.shape, node.dtype)
        if alike and not node.is_view and uses[id(node)] == 1 and node.array is None:
            found[id(leaf)] = id(node)
    return found


def stand_in(node: Node) -> Node:
    """A leaf that is like ``node`` to a planner, on memory that is never touched."""
    array = node.array
    assert array is not None, f"{node} is not stored"
    low, nbytes = _extent(array)
    memory = np.empty(nbytes + array.itemsize, np.uint8)
    like = np.ndarray(array.shape, array.dtype, memory, low, array.strides)
    return Leaf(like, Block(memory, 0, memory.nbytes, address_of(memory), True))


def blank(shape: tuple[int, ...], dtype: DT) -> Node:
    """A leaf of this shape without gaps, on memory that is never touched."""
    array = np.empty(shape, dtype)
    flat = array.reshape(-1).view(np.uint8)
    return Leaf(array, Block(flat, 0, array.nbytes, address_of(array), True))


def _extent(array: Array) -> tuple[int, int]:
    """How far the first element of an array is from its lowest byte, and the bytes it spans."""
    low = high = 0
    for extent, step in zip(array.shape, array.strides, strict=True):
        reach = (extent - 1) * step if extent > 1 else 0
        low, high = low + min(reach, 0), high + max(reach, 0)
    return -low, high - low + array.itemsize


def _seen_from(leaf: Node, node: Node) -> View:
    """Where the elements of ``node`` are, from the first one of ``leaf``."""
    first, view = view_of(leaf).offset, view_of(node)
    return View(view.shape, view.stride, view.offset - first)


def _part(leaf: Node, view: View) -> Node:
    """The elements that ``view`` addresses from the first one of ``leaf``."""
    array, block = leaf.array, leaf.block
    assert array is not None
    assert block is not None
    size = array.itemsize
    distance = address_of(array) - block.address + view.offset * size
    strides = tuple([step * size for step in view.stride])
    made = np.ndarray(view.shape, array.dtype, block.memory, block.offset_bytes + distance, strides)
    return Leaf(made, block)
