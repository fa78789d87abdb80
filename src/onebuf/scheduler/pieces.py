"""Graph partitioning: a large graph is cut into pieces, and each is planned on its own.

Planning takes more than linear time, and a plan key has all nodes of a graph, so both need graphs
of bounded size. A large graph is computed piece by piece, operands first; results that later pieces
read are stored. A cut is made where the fewest bytes have to be stored. In a loop that is between
two iterations, so that most pieces have the same plan key, and are planned once.
"""

from __future__ import annotations

from collections.abc import Sequence

from onebuf.graph import ARANGE, EMPTY, ON_DEMAND, Kind, Node

MOST_NODES = 128
"""A graph of more operations than this is cut."""

_SAME_ELEMENTS = frozenset({Kind.VIEW, Kind.COPY})
_AT_HAND = frozenset({Kind.STORED, Kind.CONSTANT, Kind.SOURCE, Kind.VIEW, Kind.COPY})
"""Kinds of nodes that compute nothing: their elements are in memory, or read through a view."""


def pieces(wanted: Sequence[Node], most: int = MOST_NODES) -> list[list[Node]]:
    """The nodes to realise first, piece by piece, so that none has more than ``most`` operations.

    Empty if the graph is small enough. The last piece, ``wanted`` itself, is not among them.
    """
    order = _operands_first(wanted)
    if len(order) <= most:
        return []
    last = _last_reads(order, wanted)
    found = []
    begin = 0
    while len(order) - begin > most:
        end = _best_end(order, last, begin, most)
        found.append([order[at] for at in range(begin, end) if last[at] >= end])
        begin = end
    return found


def is_computed(node: Node) -> bool:
    """Whether ``node`` is a pending operation whose result has elements to compute."""
    if node.array is not None or node.block is not None:
        return False
    return node.op.kind not in _AT_HAND and node.op not in (ARANGE, EMPTY)


def _operands_first(wanted: Sequence[Node]) -> list[Node]:
    """The pending operations that ``wanted`` needs, in topological order."""
    order: list[Node] = []
    seen: set[int] = set()
    todo = [(node, False) for node in reversed(wanted)]
    while todo:
        node, is_open = todo.pop()
        if is_open:
            order.append(node)
            continue
        if id(node) in seen:
            continue
        seen.add(id(node))
        if is_computed(node):
            todo.append((node, True))
        if node.op is ON_DEMAND:
            continue
        todo.extend([(src, False) for src in reversed(node.srcs)])
    return order


def _last_reads(order: Sequence[Node], wanted: Sequence[Node]) -> list[int]:
    """For each operation, the place of its last reader; past the end, if it is wanted."""
    places = {id(node): place for place, node in enumerate(order)}
    last = list(range(len(order)))
    readers = [(place, node.srcs) for place, node in enumerate(order)]
    for place, nodes in [*readers, (len(order), tuple(wanted))]:
        for node in nodes:
            at = places.get(id(_read_by_way_of(node)))
            if at is not None and at < place:
                last[at] = place
    return last


def _read_by_way_of(node: Node) -> Node:
    """The node whose elements are read through ``node``, which may be a view or a copy."""
    while node.op.kind in _SAME_ELEMENTS:
        node = node.srcs[0]
    return node


def _best_end(order: Sequence[Node], last: Sequence[int], begin: int, most: int) -> int:
    """Where to end the piece that starts at ``begin``: where the fewest bytes are live.

    A piece is at least half as long as it may be; among equal ends, the last one is taken.
    """
    dying: dict[int, int] = {}
    alive = 0
    least, best = -1, begin + most
    for end in range(begin + 1, begin + most + 1):
        nbytes = order[end - 1].nbytes
        alive += nbytes - dying.pop(end - 1, 0)
        if last[end - 1] < end:
            alive -= nbytes
        else:
            dying[last[end - 1]] = dying.get(last[end - 1], 0) + nbytes
        if end - begin >= most // 2 and (least < 0 or alive <= least):
            least, best = alive, end
    return best
