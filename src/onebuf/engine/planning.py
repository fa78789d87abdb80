"""Planning: whether to compile, by the rule of those who rent skis.

Interpreting a graph costs little at once and again each time; compiling costs once. So a structure
is interpreted until the time that took, or is about to take, reaches what compiling costs. Nobody
waits for a compiler to add two vectors, and nothing is interpreted for long.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from onebuf.engine import gate
from onebuf.engine.elementary import is_ours
from onebuf.engine.plans import Plan, make_plan
from onebuf.graph import Node, Op, structure
from onebuf.options import options
from onebuf.scheduler import Item, schedule
from onebuf.scheduler.form import form_of

if TYPE_CHECKING:
    from onebuf.scheduler.grouping import Group

DT = np.dtype[Any]

COMPILE_SECONDS = 0.02
"""What new kernels cost, about."""
BYTES_A_SECOND = 2.5e9
"""How fast NumPy's loops go through memory, about, on memory that was just allocated."""
ITEM_SECONDS = 5e-6
MOST_STRUCTURES = 65536
MOST_PLANS = 4096

_spent: dict[int, float] = {}
"""Seconds of interpreting, for each structure that was interpreted."""


class Known(NamedTuple):
    """A plan, and what it costs if it interprets a structure that may be compiled later."""

    plan: Plan
    structure: int
    cost: float


_known: dict[Hashable, Known] = {}
"""The plans that were made, by the form of their graphs."""


def plan_for(wanted: Sequence[Node], own: bool = False) -> tuple[Plan, list[Node]]:
    """What makes ``wanted`` readable, made or remembered, and the nodes to run it with."""
    now = options()
    key, nodes = form_of(wanted, own, now.tier, now.check_bounds)
    known = _known.get(key) if key is not None else None
    if known is not None and (not known.cost or not _is_due(known.structure, known.cost)):
        return known.plan, nodes
    items, structure, cost = _items(wanted, own, dry=False)
    plan = make_plan(items, nodes, wanted)
    if key is not None:
        if len(_known) >= MOST_PLANS:
            del _known[next(iter(_known))]
        _known[key] = Known(plan, structure, cost)
    return plan, nodes


def items_for(wanted: Sequence[Node]) -> list[Group | Item]:
    """The kernels, or passes of NumPy's loops, that would make ``wanted`` readable."""
    return _items(wanted, own=False, dry=True)[0]


def _items(
    wanted: Sequence[Node], own: bool, dry: bool
) -> tuple[list[Group | Item], int, float]:
    """Kernels or passes; for passes also the structure, and what interpreting it costs.

    A ``dry`` plan is only looked at, so it does not count as interpreting.
    """
    tier = options().tier
    items = schedule(wanted, own)
    key, cost = 0, 0.0
    if tier == "auto":
        key = hash(tuple([structure(node) for node in wanted]))
        moved = sum(item.bytes_read + item.bytes_written for item in items)
        cost = moved / BYTES_A_SECOND + len(items) * ITEM_SECONDS
    if items and tier != "interpret" and (tier == "compile" or _is_due(key, cost, dry)):
        return gate.grouping().group(wanted, supports, own), key, 0.0
    return [_kernel(item) if _needs_kernel(item.node) else item for item in items], key, cost


def _kernel(item: Item) -> Group | Item:
    return gate.grouping().single(item, supports)  # type: ignore[no-any-return]


def _needs_kernel(node: Node) -> bool:
    """Whether NumPy's loops would give other bits than our kernels do in the other tiers."""
    return bool(node.srcs) and is_ours(node.op, node.srcs[0].dtype, node.dtype)


def supports(op: Op, operands: tuple[DT, ...], result: DT) -> bool:
    """Whether there is a kernel for ``op`` on operands of these dtypes."""
    return bool(gate.supporting().supports(op, operands, result))


def _is_due(key: int, cost: float, dry: bool = False) -> bool:
    """Whether interpreting a structure once more would cost more, in all, than compiling."""
    total = _spent.get(key, 0.0) + cost
    if not dry:
        if len(_spent) >= MOST_STRUCTURES:
            _spent.clear()
        _spent[key] = total
    return total > COMPILE_SECONDS
