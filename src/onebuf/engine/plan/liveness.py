"""Liveness: which pending values can be asked for again, and which of these are worth storing.

A kernel that computes a value on the way to another one may store it as well. That is worth it if a
buffer, or a pending expression outside of the graph at hand, still refers to the value, and if
computing it again would cost more than storing it now. So a value that a program holds is computed
twice at most: a cheap one is stored the second time that it is computed, every other one the first.

Holders are counted by the interpreter: a node with more references than its graph accounts for is
held from outside. A count that is too high, because a thread looks at a node just now, costs a
store and nothing more.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence

from onebuf.engine.step.reference_count import ALONE, CAN_COUNT
from onebuf.graph import (
    BINARY,
    CAST,
    COPY,
    PAD,
    RANDOM_BITS,
    UNARY,
    WHERE,
    Kind,
    Node,
)
from onebuf.memory import most_nbytes
from onebuf.scheduler.plan_key import unshared

FREE, HELD, COMPUTED_BEFORE = range(3)
"""What is known of a node: only its graph holds it; it is held from outside; it is held and was
computed before without being stored."""

_CHEAP = frozenset(
    [CAST, WHERE, COPY, PAD]
    + [UNARY[name] for name in ("abs", "conj", "imag", "negative", "positive", "real", "square")]
    + [UNARY[name] for name in ("bitwise_invert", "logical_not", "isnan", "isinf", "isfinite")]
    + [BINARY[name] for name in ("add", "subtract", "multiply", "maximum", "minimum")]
    + [BINARY[f"bitwise_{name}"] for name in ("and", "or", "xor", "left_shift", "right_shift")]
    + [BINARY[name] for name in ("equal", "not_equal", "less", "less_equal", "greater")]
    + [BINARY[name] for name in ("greater_equal", "logical_and", "logical_or", "logical_xor")]
)
"""Operations that take less time than reading an element from memory."""
_STORABLE = frozenset(
    [Kind.ELEMENTWISE, Kind.REDUCE, Kind.SCAN, Kind.GATHER, Kind.PAD, Kind.JOIN, Kind.LIBRARY]
)
_DEAR = frozenset([Kind.REDUCE, Kind.SCAN, Kind.GATHER, Kind.LIBRARY])
"""Kinds of operations whose results are never computed twice."""


def states_of(walk: list[Node], wanted: Sequence[Node]) -> bytes:
    """What is known of each node of a walk: FREE, HELD or COMPUTED_BEFORE.

    The walk has to be the only list that holds its nodes, but for those that are ``wanted``.
    """
    states = bytearray(len(walk))
    if not CAN_COUNT or len(walk) == len(wanted):
        return bytes(states)
    counts: dict[int, int] = {}
    for node in walk:
        for src in node.srcs:
            me = id(src)
            counts[me] = counts.get(me, 0) + 1
    src = walk[0]  # so that this name holds none of the nodes that are counted below
    asked = {id(node) for node in wanted} | unshared(wanted)
    for number in range(1, len(walk)):
        node = walk[number]
        if node.array is not None or node.op.kind is Kind.CONSTANT or id(node) in asked:
            continue
        if sys.getrefcount(node) > ALONE + 1 + counts.get(id(node), 0):
            states[number] = COMPUTED_BEFORE if node.replays else HELD
    return bytes(states)


def alone_in(walk: Sequence[Node], states: bytes) -> frozenset[int]:
    """The nodes of a walk, by id, that only their graph holds; a view holds its base."""
    if not CAN_COUNT:
        return frozenset()
    return frozenset([me for me, state in _with_views(walk, states).items() if not state])


def _with_views(walk: Sequence[Node], states: bytes) -> dict[int, int]:
    """What is known of each node, by id; a view, or a copy to be made, holds what it is of."""
    held = {id(node): state for node, state in zip(walk, states, strict=True)}
    if not any(states):
        return held
    for node in walk:  # nearly always results before operands
        state = held[id(node)]
        if state and (node.is_view or node.op is COPY):
            src = node.srcs[0]
            if src.array is None and src.op.kind is not Kind.CONSTANT:
                held[id(src)] = max(held[id(src)], state)
    return held


def replayed_in(walk: Sequence[Node], states: bytes, passing: Collection[int]) -> list[Node]:
    """The nodes that are held, themselves, and that are ``passing``, by id: computed, not stored.

    What only a view or a pending copy holds is counted there, where the next plan looks for it.
    """
    found = []
    for node, state in zip(walk, states, strict=True):
        value = node
        while state and id(value) not in passing and (value.is_view or value.op is COPY):
            value = value.srcs[0]
        if state and id(value) in passing:
            found.append(node)
    return found


def worth_storing(walk: Sequence[Node], states: bytes, wanted: Collection[int]) -> list[Node]:
    """The nodes of a walk that are stored because they are held; ``wanted`` are, by id, anyhow."""
    if not any(states):
        return []
    held = _with_views(walk, states)
    kept: list[Node] = []
    stops = set(wanted)
    for node in reversed(walk):  # nearly always operands before results
        state = held[id(node)]
        if not state or node.op.kind not in _STORABLE or id(node) in stops:
            continue
        if node.nbytes > most_nbytes():
            continue  # only parts of it are ever read
        if state == COMPUTED_BEFORE or _is_dear(node, stops):
            stops.add(id(node))
            kept.append(node)
    return kept


def _is_dear(node: Node, stops: Collection[int]) -> bool:
    """Whether computing ``node`` again, from what is in memory then, costs more than a store."""
    if node.op.kind in _DEAR or node.op not in _CHEAP:
        return True
    large = 0
    for src in node.srcs:
        base = src.base
        if base.op.kind is Kind.CONSTANT:
            continue
        is_stored = base.array is not None or base.block is not None or id(base) in stops
        if not is_stored and (base.srcs or base.op is RANDOM_BITS):
            return True
        large += 2 * base.numel > node.numel
    return large > 1
