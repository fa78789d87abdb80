"""Planning: whether to compile, by the rule of those who rent skis.

Interpreting a graph costs little at once and again each time; compiling costs once. So a structure
is interpreted until the time that took, or is about to take, reaches what compiling costs. Nobody
waits for a compiler to add two vectors, and nothing is interpreted for long.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from onebuf.engine import gate
from onebuf.engine.elementary import is_ours
from onebuf.graph import Node, Op, structure
from onebuf.options import options
from onebuf.scheduler import Item, schedule

if TYPE_CHECKING:
    from onebuf.scheduler.grouping import Group
    from onebuf.scheduler.products import Product

DT = np.dtype[Any]

COMPILE_SECONDS = 0.02
"""What new kernels cost, about."""
BYTES_A_SECOND = 2.5e9
"""How fast NumPy's loops go through memory, about, on memory that was just allocated."""
ITEM_SECONDS = 5e-6
MOST_STRUCTURES = 65536

_spent: dict[int, float] = {}
"""Seconds of interpreting, for each structure that was interpreted."""


def plan(
    wanted: Sequence[Node], own: bool = False, dry: bool = False
) -> list[Group | Product | Item]:
    """What makes ``wanted`` readable: kernels, or passes of NumPy's loops.

    A ``dry`` plan is only looked at, so it does not count as interpreting.
    """
    tier = options().tier
    items = schedule(wanted, own)
    if items and tier != "interpret" and (tier == "compile" or _is_due(wanted, items, dry)):
        groups = gate.grouping().group(wanted, supports, own)
        return gate.joining().with_products(groups, wanted)  # type: ignore[no-any-return]
    return [_kernel(item) if _needs_kernel(item.node) else item for item in items]


def _kernel(item: Item) -> Group | Item:
    return gate.grouping().single(item, supports)  # type: ignore[no-any-return]


def _needs_kernel(node: Node) -> bool:
    """Whether NumPy's loops would give other bits than our kernels do in the other tiers."""
    return bool(node.srcs) and is_ours(node.op, node.srcs[0].dtype, node.dtype)


def supports(op: Op, operands: tuple[DT, ...], result: DT) -> bool:
    """Whether there is a kernel for ``op`` on operands of these dtypes."""
    return bool(gate.supporting().supports(op, operands, result))


def _is_due(wanted: Sequence[Node], items: Sequence[Item], dry: bool) -> bool:
    """Whether interpreting once more would cost more, in all, than compiling."""
    key = hash(tuple([structure(node) for node in wanted]))
    moved = sum(item.bytes_read + item.bytes_written for item in items)
    cost = moved / BYTES_A_SECOND + len(items) * ITEM_SECONDS
    total = _spent.get(key, 0.0) + cost
    if not dry:
        if len(_spent) >= MOST_STRUCTURES:
            _spent.clear()
        _spent[key] = total
    return total > COMPILE_SECONDS
