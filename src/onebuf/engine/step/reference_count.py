"""Reference counts: whether a node has other holders than its graph.

CPython counts the references to every object. A node with exactly as many as its graph accounts for
dies with the graph, so its memory may be reused.
"""

from __future__ import annotations

import sys
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
    if operand is None or operand.array is None:
        return False
    blocks = [operand.block]
    return (
        sys.getrefcount(blocks[0]) == ALONE + 1
        and isinstance(blocks[0], PoolBlock)
        and operand.array.flags.c_contiguous
        and address_of(operand.array) == blocks[0].address
    )
