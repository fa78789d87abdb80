"""Homes: in whose kernel each operation is computed, before kernels are fused with one another.

An operation whose result only one kernel needs has its home there, as long as that kernel does not
become too large. Any other is its own home: it is stored, and starts a kernel.
"""

from __future__ import annotations

from dataclasses import dataclass

from onebuf.dtypes import kind
from onebuf.graph import ARANGE, COPY, RANDOM_BITS, Kind, Node
from onebuf.kernel import FOLDS, SCANS
from onebuf.scheduler.fuse.concat import CONCATS, has_regions
from onebuf.scheduler.fuse.horizontal import MOST_WAITS
from onebuf.scheduler.items import Item
from onebuf.scheduler.trace.gather import MOVES, is_picked_from

MOST_NODES = 64
"""The most operations of a kernel, before horizontal fusion."""
REPEATED = 2
"""A kernel of so many times more elements than an operand has reads each of them several times."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a node is not computed inside the kernel that reads it."""

    text: str
    has_kernel: bool = True
    """False: no kernel computes it at all."""


PICKED = Reason("elements of it are picked by index")
MANY_WAITS = Reason(f"a kernel of more than {MOST_WAITS} folds in a row is slow to compile")
MANY_NODES = Reason(f"a kernel of more than {MOST_NODES} operations is slow to compile")


def homes_of(
    items: list[Item], roots: set[int], alone: dict[int, Reason]
) -> tuple[dict[int, int], list[Node]]:
    """For each node, by id, the node in whose kernel it is computed, within the limits.

    Also the nodes, operands first, that have memory only because several kernels read them, each
    element about once: a matrix that is expanded for a fold of products is not among them.
    """
    repeated: set[int] = set()
    shared: list[Node] = []
    homes: dict[int, int] = {}
    counts: dict[int, int] = {}
    waits: dict[int, int] = {}
    """The longest chain of folds that a kernel does after each of its nodes."""
    readers: dict[int, list[Item]] = {}
    fusable: dict[int, bool] = {}
    for item in reversed(items):
        node = item.node
        me = id(node)
        by = readers.get(me, [])
        fusing = [reader for reader in by if fusable[id(reader.node)]]
        nests = {homes[id(reader.node)] for reader in fusing}
        picked = any([is_picked_from(node, reader.node) for reader in by])
        opaque = picked or len(fusing) < len(by)
        if node.op is ARANGE and kind(node.dtype) in "iu" and me not in roots and not opaque:
            homes[me] = 0  # computed wherever it is read
            continue
        if picked and me not in roots:
            alone.setdefault(me, PICKED)
        fusable[me] = is_fusable(node, alone)
        is_alone = me in roots or me in alone or opaque or node.op in CONCATS
        if is_alone or len(nests) != 1 or not fusable[me]:
            homes[me] = me
            if not is_alone and len(nests) > 1 and fusable[me] and me not in repeated:
                shared.append(node)
        else:
            home = nests.pop()
            waits[me] = max([waits.get(id(r.node), 0) + (r.node.op in FOLDS) for r in by])
            limit = _limit(counts.get(home, 1), waits[me])
            homes[me] = home if limit is None else me
            if limit is not None:
                alone[me], waits[me] = limit, 0
            else:
                counts[home] = counts.get(home, 1) + 1
        is_inside = me in repeated and homes[me] != me
        size = node.srcs[0].numel if node.op in FOLDS else node.numel
        for operand in item.inputs:
            base = operand.base
            readers.setdefault(id(base), []).append(item)
            if is_inside or size > REPEATED * base.numel:
                repeated.add(id(base))
    return homes, shared[::-1]


def _limit(count: int, waits: int) -> Reason | None:
    """Why a kernel of so many operations takes no more of them; None: it does.

    Every fold that waits for another is one more loop, in which what comes before is computed
    again: the text of a kernel grows with the square of their number.
    """
    if waits >= MOST_WAITS:
        return MANY_WAITS
    return MANY_NODES if count >= MOST_NODES else None


def is_fusable(node: Node, alone: dict[int, Reason]) -> bool:
    """Whether a kernel computes ``node``."""
    reason = alone.get(id(node))
    if reason is not None and not reason.has_kernel:
        return False
    if node.op in FOLDS:
        return 0 not in node.srcs[0].shape  # no view reads an empty operand
    if node.op in CONCATS:
        return has_regions(node)
    if node.op in MOVES:
        return node.numel > 0  # indices are checked even for an empty result
    if node.op in (COPY, RANDOM_BITS) or node.op in SCANS:
        return True
    return node.op.kind is Kind.ELEMENTWISE
