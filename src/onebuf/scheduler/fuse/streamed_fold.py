"""Streamed folds: a fold of everything, block by block of elements that are made for it alone.

A fold of everything goes over its operand as one long row. An on-demand expression of several
indices has no strides along such a row. So a first group computes some outermost indices of the
operand into a block that stays in cache, a second one folds the block, and so on: the operand
needs no memory, and the order of the fold is that of a stored operand.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from onebuf.graph import COPY, STORED, Node
from onebuf.kernel import FOLDS
from onebuf.scheduler.fuse.group import Group
from onebuf.scheduler.items import Traffic

MOST_ROW_NBYTES = 4 << 20
"""An operand with more bytes at each outermost index than this would leave the cache."""


@dataclass(frozen=True, slots=True, eq=False)
class StreamedFold(Traffic):
    """A group that makes blocks of an operand, and one that folds it."""

    made: Group
    """Stores to the first node of `stand_ins`."""
    fold: Group
    """Reads the second one, and stores to a third."""
    outputs: tuple[Node, ...]
    reason: str

    kind = "kernel"
    whole = ()
    """The nodes that BLAS reads, as whole arrays."""

    @property
    def name(self) -> str:
        """The operations, in order."""
        return " + ".join([name for name in (self.made.name, self.fold.name) if name != COPY.name])

    @property
    def parts(self) -> tuple[Group, Group]:
        """The groups to launch."""
        return (self.made, self.fold)

    @property
    def passes(self) -> tuple[StreamedFold]:
        """Itself: it reads its memory once."""
        return (self,)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The nodes that have to be in memory first."""
        return self.made.inputs

    @property
    def asked(self) -> tuple[Node, ...]:
        """The nodes that a run needs: for their elements, their values or their indices."""
        made = self.made
        givers = [giver.node for giver in made.givers if giver is not None]
        return (*made.inputs, *givers, *made.picks, *self.outputs)


def is_streamable(node: Node) -> bool:
    """Whether ``node`` folds all axes of an operand of which a few outermost indices are little."""
    if node.op not in FOLDS:
        return False
    src = node.srcs[0]
    axes, _ = node.arg
    rows = [extent for extent in src.shape if extent != 1]
    if tuple(axes) != tuple(range(len(src.shape))) or len(rows) < 2:
        return False
    return prod(rows[1:]) * src.dtype.itemsize <= MOST_ROW_NBYTES


def stand_ins(node: Node) -> tuple[Node, Node, Node]:
    """Nodes for the operand of a fold, for the same as one row in memory, and for its fold."""
    (src,) = node.srcs
    made = Node(COPY, (src,), None, src.shape, src.dtype, node.made_at, node.device)
    row = Node(STORED, (), None, (src.numel,), src.dtype, None, node.device)
    fold = Node(node.op, (row,), ((0,), False), (), node.dtype, node.made_at, node.device)
    return made, row, fold
