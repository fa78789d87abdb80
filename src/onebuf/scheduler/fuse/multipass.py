"""Multipass kernels: groups that run one after another, with a barrier between two passes.

A fold of everything has to be finished before the first element can be computed with its result:
all threads wait for it. Groups that only such a barrier separates are one kernel of several passes:
what one pass leaves for the next is much smaller than what it reads, and stays in cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from onebuf.graph import Node
from onebuf.kernel import FOLDS
from onebuf.scheduler.fuse.concat import ConcatKernel
from onebuf.scheduler.fuse.group import Group
from onebuf.scheduler.fuse.matmul import MatmulKernel
from onebuf.scheduler.fuse.streamed_fold import StreamedFold
from onebuf.scheduler.items import Item, Traffic

MOST_PASSES = 4
MOST_NBYTES = 1 << 18
"""A result of more bytes than this ends the kernel."""
SMALLER = 8
"""A result that the next pass reads is so many times smaller than what this one read."""


@dataclass(frozen=True, slots=True, eq=False)
class MultipassKernel(Traffic):
    """Groups that run one after another as one kernel."""

    passes: tuple[Group, ...]
    outputs: tuple[Node, ...]
    """The results that are read after the kernel."""

    kind = "kernel"
    whole = ()
    """The nodes that BLAS reads, as whole arrays."""

    @property
    def parts(self) -> tuple[Group, ...]:
        """The groups to launch."""
        return self.passes

    @property
    def name(self) -> str:
        """The operations of each pass."""
        return ", then ".join(group.name for group in self.passes)

    @property
    def reason(self) -> str:
        """Why the last result exists, and the number of passes."""
        return f"{self.passes[-1].reason}, in {len(self.passes)} passes"

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The nodes that have to be in memory first."""
        made = {id(node) for group in self.passes for node in group.outputs}
        read = {id(node): node for group in self.passes for node in group.inputs}
        return tuple([node for me, node in read.items() if me not in made])

    @property
    def asked(self) -> tuple[Node, ...]:
        """The nodes that a run needs."""
        return tuple([node for group in self.passes for node in group.asked])

    @property
    def bytes_read(self) -> int:
        """Bytes of all operands, counted once for each pass that reads them."""
        return sum(group.bytes_read for group in self.passes)


Kernel = Group | ConcatKernel | MatmulKernel | MultipassKernel | StreamedFold


def fuse_passes(
    items: Sequence[Group | ConcatKernel | MatmulKernel | StreamedFold | Item], roots: set[int]
) -> list[Kernel | Item]:
    """The same work, with groups that only wait for each other as multipass kernels.

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
            found += [*_fused(run, readers, roots, begin), item]
            run, begin = [], number + 1
            continue
        if run and (len(run) == MOST_PASSES or not _is_read_next(run[-1], readers, number)):
            found += _fused(run, readers, roots, begin)
            run, begin = [], number
        run.append(item)
    return [*found, *_fused(run, readers, roots, begin)]


def _is_read_next(one: Group, readers: dict[int, set[int]], number: int) -> bool:
    """Whether ``one`` folds to small results that only the next item, ``number``, reads."""
    if not any(step.op in FOLDS for step in one.nest.steps):
        return False
    return all(
        readers.get(id(node)) == {number}
        and node.nbytes <= MOST_NBYTES
        and node.nbytes * SMALLER <= one.bytes_read
        for node in one.outputs
    )


def _fused(
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
    return [MultipassKernel(tuple(run), tuple(outputs))]
