"""Separation: copies are taken before others can write what they copy.

A copy is pending like everything else as long as each writer of the memory below waits for it.
Buffers do. NumPy, torch and other processes do not: they write to memory of theirs that a buffer is
on, or to memory of a buffer that was handed out. So there is one rule for what a program asked to
have in memory of its own (copies and conversions, as `copy`, `astype` and `asarray` make them):

- it is computed at once if others can write what it reads, and
- if it is pending, it is computed before others get to see the memory.

Everything else that is computed from such memory stays lazy: it shows what others wrote until it is
computed.
"""

from __future__ import annotations

from onebuf.engine.run.realize import force, settle_one
from onebuf.graph import (
    CAST,
    COPY,
    Foreign,
    Fresh,
    Loose,
    Node,
    Number,
    Readers,
    waiting,
)

MOST_NODES = 256
"""Of larger graphs below a copy it is taken for granted that others can write what they read."""


def taken(node: Node) -> Node:
    """``node``, which was asked for to be separate: computed, if others can write what it reads.

    A conversion of an expression is one more expression.
    """
    if node.array is not None:
        return node
    owner = node.base
    if owner.block is None and any(_reads_shared(src, owner.op is COPY) for src in owner.srcs):
        force(owner)
    return node


def settle_copies(readers: Readers) -> None:
    """Compute the pending copies that a table of readers leads to, before others see the memory."""
    todo, seen = [readers], {id(readers)}
    while todo:
        for node in waiting(todo.pop()):
            if node.claimed and (node.op is COPY or node.op is CAST):
                settle_one(node)
            elif id(node.readers) not in seen:
                seen.add(id(node.readers))
                todo.append(node.readers)


def _reads_shared(node: Node, with_pending: bool) -> bool:
    """Whether others can write the memory that ``node`` is, or that it is computed from."""
    todo, seen = [node], {id(node)}
    while todo:
        node = todo.pop()
        srcs = node.srcs
        if node.array is not None or node.is_placed:
            if _is_shared(node):
                return True
        elif with_pending or node.is_view:
            todo += [src for src in srcs if id(src) not in seen]
            seen.update(map(id, srcs))
            if len(seen) > MOST_NODES:
                return True
    return False


def _is_shared(node: Node) -> bool:
    """Whether others can write the memory of a stored node."""
    if isinstance(node, Number) or (isinstance(node, Fresh | Loose) and not node.is_shared):
        return False
    if isinstance(node, Foreign):
        return True
    block = node.block
    return block is not None and block.is_shared
