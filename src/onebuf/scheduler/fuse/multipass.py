"""Passes: a kernel that goes over its memory more than once.

A fold of everything has to be finished before the first element can be computed with its result:
all threads wait for it. Groups that only such waiting separates are one kernel with several passes:
what is handed on is much smaller than what is read and stays in cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from onebuf.graph import Node
from onebuf.kernel import FOLDS
from onebuf.scheduler.fuse.concat import Join
from onebuf.scheduler.fuse.group import Group
from onebuf.scheduler.fuse.matmul import Product
from onebuf.scheduler.items import Item

MOST_PASSES = 4
MOST_NBYTES = 1 << 18
"""More than this is not handed on from pass to pass, but is a result like any other."""
SMALLER = 8
"""What is handed on is so many times smaller than what was read."""


@dataclass(frozen=True, slots=True, eq=False)
class Passes:
    """Groups that run one after another as one kernel."""

    passes: tuple[Group, ...]
    outputs: tuple[Node, ...]
    """The results that others read."""

    kind = "kernel"
    whole = ()
    """The nodes that others than kernels read."""

    @property
    def parts(self) -> tuple[Group, ...]:
        """Everything that is launched."""
        return self.passes

    @property
    def node(self) -> Node:
        """The first output."""
        return self.outputs[0]

    @property
    def name(self) -> str:
        """The operations of each pass."""
        return ", then ".join(group.name for group in self.passes)

    @property
    def reason(self) -> str:
        """Why the last result exists, and how often memory is gone over."""
        return f"{self.passes[-1].reason}, in {len(self.passes)} passes"

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The nodes that have to be in memory first."""
        made = {id(node) for group in self.passes for node in group.outputs}
        read = {id(node): node for group in self.passes for node in group.inputs}
        return tuple([node for me, node in read.items() if me not in made])

    @property
    def asked(self) -> tuple[Node, ...]:
        """The nodes that a run asks for."""
        return tuple([node for group in self.passes for node in group.asked])

    @property
    def bytes_read(self) -> int:
        """Bytes of all operands, counted once for each pass that reads them."""
        return sum(group.bytes_read for group in self.passes)

    @property
    def bytes_written(self) -> int:
        """Bytes of the results."""
        return sum(node.nbytes for node in self.outputs)


Kernel = Group | Join | Product | Passes


def in_passes(
    items: Sequence[Group | Join | Product | Item], roots: set[int]
) -> list[Kernel | Item]:
    """The same work, with groups that only wait for each other as one kernel.

    ``roots`` are the nodes, by id, that were asked for.
    """
    readers: dict[int, set[int]] = {}
    for number, item in enumerate(items):
        for node in item.inputs:
            readers.setdefault(id(node.base), set()).add(number)
    found: list[Kernel | Item] = []
    run: list[Group] = []
    begin = 0
    for number, item in enumerate(items):
        if not isinstance(item, Group):
            found += [*_one(run, readers, roots, begin), item]
            run, begin = [], number + 1
            continue
        if run and (len(run) == MOST_PASSES or not _hands_on(run[-1], readers, number)):
            found += _one(run, readers, roots, begin)
            run, begin = [], number
        run.append(item)
    return [*found, *_one(run, readers, roots, begin)]


def _hands_on(one: Group, readers: dict[int, set[int]], number: int) -> bool:
    """Whether ``one`` folds something small that only the next item, ``number``, reads."""
    if not any(step.op in FOLDS for step in one.nest.steps):
        return False
    return all(
        readers.get(id(node)) == {number}
        and node.nbytes <= MOST_NBYTES
        and node.nbytes * SMALLER <= one.bytes_read
        for node in one.outputs
    )


def _one(
    run: list[Group], readers: dict[int, set[int]], roots: set[int], begin: int
) -> list[Kernel | Item]:
    """A run of groups as one kernel, if there are several."""
    if len(run) < 2:
        return list(run)
    inside = set(range(begin, begin + len(run)))
    outputs = [
        node
        for group in run
        for node in group.outputs
        if id(node) in roots or readers.get(id(node), set()) - inside
    ]
    return [Passes(tuple(run), tuple(outputs))]
