"""Plans: what to run, in which order, for every graph with one plan key.

A plan knows nodes by number, so it holds no memory and serves every graph of its plan key
(`onebuf.scheduler.plan_key`). A run takes the nodes that it needs out of the walk over the graph
and lets go of each as soon as no later step needs it. Intermediate results that only the plan needs
lie in one arena and are forgotten after the run.

If a step fails or is interrupted, everything computed so far stays valid and everything else stays
pending, with all that it needs: see `onebuf.engine.plan.donation`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple, Protocol

from onebuf import switch
from onebuf.engine.step.reference_count import dies, free_leaves
from onebuf.graph import Node, engine_lock
from onebuf.memory import POOL

Held = list[Node | None]
"""The nodes that a run still needs, by number."""
Numbers = dict[int, int]
"""The number of each node in `Held`, by its id."""
Offsets = dict[int, int]
"""Where in the arena results lie that need not become stored, by the ids of their nodes."""
Given = frozenset[int]
"""Operands that are not needed after the run, by number."""
NONE: Given = frozenset()
MOST_TRIES = 3
"""A step that overwrites leaves and fails more often than this will not succeed."""
MOST_OVERTAKEN = 100
"""A step that was overtaken more often than this fails."""
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


class Overwriting(Step, Protocol):
    """A step that may overwrite leaves by what they are to hold."""

    def is_done(self, held: Held) -> bool:
        """Whether its results are stored."""


class Plan:
    """Steps, the numbers of the nodes that they need, and the memory for what is forgotten."""

    __slots__ = (
        *("steps", "needed", "made", "arena_nbytes"),
        *("_replayed", "_watched", "_used", "_donated", "written", "_overwriting"),
    )

    def __init__(
        self,
        steps: list[Step],
        needed: list[int],
        made: list[int],
        arena_nbytes: int,
        replayed: list[int],
        watched: list[Watched],
        used: int,
        donated: tuple[int, ...] = (),
        written: tuple[int, ...] = (),
        overwriting: Sequence[Overwriting] = (),
    ) -> None:
        self.steps = steps
        self.needed = needed
        self.made = made
        """The numbers of the nodes that become stored."""
        self.arena_nbytes = arena_nbytes
        """Memory for intermediate results, which are forgotten after the run."""
        self._replayed = replayed
        """Values that are held elsewhere, and are computed without being stored."""
        self._watched = watched
        self._used = used
        """How many nodes the steps need; those after them are only looked at."""
        self._donated = donated
        """Leaves that every run gives up, and whose memory results take."""
        self.written = written
        """Leaves whose memory is overwritten by what they are to hold, if a run allows it."""
        self._overwriting = overwriting
        """The last steps: those that do so."""

    @property
    def gives_up(self) -> bool:
        """Whether results may take the memory of leaves that are donated."""
        return bool(self._donated)

    @property
    def has_side_effects(self) -> bool:
        """Whether a run may do more than compute results: take the memory of operands that die, or
        note which values it computed without storing them."""
        return bool(self._replayed or self._watched or self._donated or self._overwriting)

    def nodes_of(self, walk: Sequence[Node]) -> Held:
        """The nodes to run it with, out of the walk over a graph."""
        return [walk[number] for number in self.needed]

    def run(self, held: Held, turn: object, written: Given = NONE) -> None:
        """Compute the nodes of a graph; empties ``held``, which should be their only holder.

        `onebuf.graph.engine_lock.Overtaken` if ``turn`` ends before it does. If leaves are donated,
        the graph cannot be computed from the beginning again, and nothing else can reach its nodes:
        then a step that is overtaken is done once more. Those of the leaves that are ``written``,
        by number, are overwritten by the last steps. An interrupt among these comes after them.
        """
        block = POOL.allocate(self.arena_nbytes) if self.arena_nbytes else None
        start = 0 if block is None else block.address
        for number in self._replayed:
            held_node(number, held).replays += 1
        given = self._given(held) if self._watched else NONE
        if self._donated:
            given = free_leaves(held, self._donated)
        overwriting = self._overwriting if written else ()
        given |= written
        del held[self._used :]
        if switch.on:
            switch.point("plan.start")
        for step in self.steps[: len(self.steps) - len(overwriting)]:
            if switch.on:
                switch.point("plan.step")
            if given and self._donated:
                _run_to_its_end(step, held, start, given)
            else:
                engine_lock.check(turn)
                step.run(held, start, given)
            for number in step.done:
                held[number] = None
        if overwriting:
            engine_lock.check(turn)
            _overwrite(overwriting, held, start, given)

    def _given(self, held: Held) -> Given:
        """The operands that die."""
        return frozenset([watched[0][0] for watched in self._watched if dies(held, watched)])


def _overwrite(steps: Sequence[Overwriting], held: Held, arena: int, given: Given) -> None:
    """Run the steps that overwrite leaves: all of them, also if an interrupt comes in between.

    A kernel and the record of its results are one action, so a step is done or not.
    """
    interrupt: BaseException | None = None
    for step in steps:
        tries = 0
        while not step.is_done(held):
            try:
                _run_to_its_end(step, held, arena, given)
            except BaseException as error:
                tries += 1
                if tries > MOST_TRIES:
                    raise
                interrupt = interrupt or error
    if interrupt is not None:
        raise interrupt


def _run_to_its_end(step: Step, held: Held, arena: int, given: Given) -> None:
    """Run a step, again if code that ran in the middle of it has computed with buffers."""
    for _ in range(MOST_OVERTAKEN):
        if not engine_lock.turns:
            engine_lock.begin()
        with suppress(engine_lock.Overtaken):
            step.run(held, arena, given)
            return
    raise engine_lock.Overtaken


def held_node(number: int, held: Held) -> Node:
    """The node that ``number`` stands for."""
    node = held[number]
    assert node is not None, "a node was let go of too early"
    return node
