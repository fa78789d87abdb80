"""Recomputation: a cheap value that several kernels read is computed in each, and never stored.

A value needs memory if two kernels read it. If it takes a few cheap operations to get it from one
array that has memory anyhow, both kernels read that array instead: as many bytes are read, and none
are written. Every operation rounds in the same way in every kernel, so no bit changes. (Elsewhere:
rematerialisation.)
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from onebuf.graph import BINARY, CAST, COPY, UNARY, WHERE, Kind, Node

MOST_STEPS = 12
"""So many operations take less time than an element takes from memory and back."""
LEAST_NBYTES = 1 << 18
"""Fewer bytes than this stay in cache until they are read."""
SMALLER = 4
"""An operand with so many times fewer elements is read from cache."""

_CHEAP = frozenset(
    [CAST, WHERE, COPY]
    + [UNARY[name] for name in ("abs", "negative", "positive", "square", "logical_not")]
    + [BINARY[name] for name in ("add", "subtract", "multiply", "divide", "maximum", "minimum")]
    + [BINARY[name] for name in ("equal", "not_equal", "less", "less_equal", "greater")]
    + [BINARY[name] for name in ("greater_equal", "logical_and", "logical_or", "logical_xor")]
)


def recomputed(shared: Sequence[Node], stops: Collection[int]) -> set[int]:
    """Those of the ``shared`` nodes, by id, that are computed wherever they are read.

    Operands come before results. ``stops`` are the nodes, by id, that would have memory.
    """
    kept = set(stops)
    found = set()
    for node in shared:
        if node.nbytes >= LEAST_NBYTES and _is_cheap(node, kept):
            found.add(id(node))
            kept.discard(id(node))
    return found


def _is_cheap(node: Node, stops: Collection[int]) -> bool:
    """Whether ``node`` takes a few operations on one array of its size that has memory."""
    seen: set[int] = set()
    count = large = 0
    todo = [node]
    while todo:
        here = todo.pop()
        if id(here) in seen or here.op.kind is Kind.CONSTANT:
            continue
        seen.add(id(here))
        is_stored = here.array is not None or here.block is not None
        if here is not node and (is_stored or id(here) in stops):
            large += here.numel * SMALLER > node.numel
        elif here.op not in _CHEAP:
            return False
        else:
            count += 1
            todo.extend([src.base for src in here.srcs])
        if large > 1 or count > MOST_STEPS:
            return False
    return True
