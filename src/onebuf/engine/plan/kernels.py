"""Kernels of a graph: the items of its schedule, fused as far as there are kernels for them."""

from __future__ import annotations

from collections.abc import Sequence

from onebuf.engine.cpu.supports import supports, supports_division
from onebuf.engine.plan.liveness import replayed_in, worth_storing
from onebuf.graph import ON_DEMAND, Node
from onebuf.options import options
from onebuf.scheduler import Item
from onebuf.scheduler.fuse.fusion import group_items, roots_of, single
from onebuf.scheduler.fuse.matmul import fuse_matmuls
from onebuf.scheduler.fuse.multipass import Kernel, fuse_passes


def kernels_of(
    wanted: Sequence[Node], items: list[Item], walk: Sequence[Node], states: bytes
) -> tuple[list[Kernel | Item], list[Node]]:
    """What computes ``items``, and the nodes that are held and yet computed without being stored.

    Values that are held and worth storing become results, besides those that are ``wanted``.
    """
    roots = roots_of(wanted, items)
    computed = {id(item.node) for item in items}
    kept = [node for node in worth_storing(walk, states, roots) if id(node) in computed]
    roots.update([id(node) for node in kept])
    streams = not options().check_bounds  # a streamed fold has memory that no plan knows of
    made = any(node.op is ON_DEMAND and node.srcs for node in walk)
    can = supports_division if made else supports
    fused = fuse_matmuls(group_items(items, roots, can, streams), roots)
    return fuse_passes(fused, roots), replayed_in(walk, states, computed - roots)


def kernel_of(item: Item) -> Kernel | Item:
    """The kernel of one item, if there is one."""
    return single(item, supports)
