"""Reference counts: whether a node has other holders than its graph.

CPython counts the references to every object. A node with exactly as many as its graph accounts for
dies with the graph, so its memory may be reused.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence

from onebuf.graph import Node
from onebuf.memory import PoolBlock, address_of

CAN_COUNT = sys.implementation.name == "cpython"
_examples = [object()]
ALONE = sys.getrefcount(_examples[0]) if CAN_COUNT else 0
"""The count of an object that one list holds, while it is counted."""


def dies(held: Sequence[Node | None], watched: Sequence[tuple[int, int]]) -> bool:
    """Whether only the graph holds the nodes that ``watched`` numbers, the operand first."""
    for number, count in watched:
        if sys.getrefcount(held[number]) != ALONE + count:
            return False
    operand = held[watched[0][0]]
    return operand is not None and _has_memory_alone(operand, 1)


def free_leaves(held: Sequence[Node | None], donated: Sequence[int]) -> frozenset[int]:
    """Those of the ``donated`` leaves, by number, whose memory only nodes of the graph see."""
    nodes = {id(node): node for node in held if node is not None}
    todo = list(nodes.values())
    while todo:
        for src in todo.pop().srcs:
            if id(src) not in nodes:
                nodes[id(src)] = src
                todo.append(src)
    holders = Counter([id(node.block) for node in nodes.values()])
    found = []
    for number in donated:
        leaf = held[number]
        if leaf is not None and CAN_COUNT and _has_memory_alone(leaf, holders[id(leaf.block)]):
            found.append(number)
    return frozenset(found)


def _has_memory_alone(node: Node, holders: int) -> bool:
    """Whether a block of the pool is ``node``'s from its first byte, and so many nodes hold it."""
    if node.array is None or node.parts:
        return False
    blocks = [node.block]
    return (
        sys.getrefcount(blocks[0]) == ALONE + holders
        and isinstance(blocks[0], PoolBlock)
        and node.array.flags.c_contiguous
        and address_of(node.array) == blocks[0].address
    )
