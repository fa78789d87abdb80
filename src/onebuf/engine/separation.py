"""Separation: copies are taken before others can write what they copy.

A copy is lazy like everything else as long as each writer of the memory below waits for it. Buffers
do. NumPy, torch and other processes do not: they write to memory of theirs that a buffer is on, or
to memory of a buffer that was handed out. So there is one rule for what promises memory of its own
(copies, conversions, elements that were picked, joined, padded or sorted):

- it is computed at once if others can write what it reads, and
- if it is pending, it is computed before others get to see the memory.

Arithmetic on such memory stays lazy: it shows what others wrote until it is computed.
"""

from __future__ import annotations

from onebuf.engine.realizing import force
from onebuf.graph import (
    CAST,
    COPY,
    LIBRARY,
    PLACED,
    VIEW,
    Foreign,
    Fresh,
    Kind,
    Node,
    Number,
    Readers,
    waiting,
)

_COPIES = frozenset({Kind.COPY, Kind.GATHER, Kind.JOIN, Kind.PAD})
_ALSO = frozenset({CAST, LIBRARY})
MOST_NODES = 256
"""Of larger graphs below a copy it is taken for granted that others can write what they read."""


def take_copy(node: Node) -> None:
    """Compute ``node`` now if it promises memory of its own, and others can write what it reads."""
    if is_copy(node) and any(_reads_shared(src, node.op is COPY) for src in node.srcs):
        force(node)


def is_copy(node: Node) -> bool:
    """Whether ``node`` is pending, and has the elements of its sources: moved, or converted.

    Calls of libraries count as such. They sort and reorder, and gain nothing by waiting.
    """
    return node.block is None and (node.op in _ALSO or node.op.kind in _COPIES)


def settle_copies(readers: Readers) -> None:
    """Compute the pending copies that a table of readers leads to, before others see the memory."""
    todo, seen = [readers], {id(readers)}
    while todo:
        for node in waiting(todo.pop()):
            if node.claimed and is_copy(node):
                force(node)
            elif id(node.readers) not in seen:
                seen.add(id(node.readers))
                todo.append(node.readers)


def _reads_shared(node: Node, with_pending: bool) -> bool:
    """Whether others can write the memory that ``node`` is; or that it is computed from."""
    todo, seen = [node], {id(node)}
    while todo:
        node = todo.pop()
        srcs = node.srcs
        if node.array is not None or node.op is PLACED:
            if _is_shared(node):
                return True
        elif with_pending or node.op is VIEW:
            todo += [src for src in srcs if id(src) not in seen]
            seen.update(map(id, srcs))
            if len(seen) > MOST_NODES:
                return True
    return False


def _is_shared(node: Node) -> bool:
    """Whether others can write the memory of a stored node."""
    if isinstance(node, Number) or (isinstance(node, Fresh) and not node.is_shared):
        return False
    if isinstance(node, Foreign):
        return True
    block = node.block
    return block is not None and block.is_shared
