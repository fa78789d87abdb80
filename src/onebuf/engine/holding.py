"""Holding: whether somebody outside of a plan has a node, and so may ask for it later.

A matrix product is dear to make again, so it is kept if a buffer, or an expression that is not
computed now, refers to it. All references that the plan has itself can be counted; if there are
more, somebody holds it. Where references are not counted, nobody seems to.
"""

from __future__ import annotations

import sys

from onebuf.graph import Node
from onebuf.scheduler.grouping import Group
from onebuf.scheduler.items import Item


def is_held(item: Item, reader: Group) -> bool:
    """Whether others than ``reader`` may want the result of ``item``, which no other item reads."""
    count = getattr(sys, "getrefcount", None)
    if count is None:
        return False
    reaches = sum(reach.node is item.node for reach in reader.reaches)
    known = 1 + reaches + _sources(item.outputs[0], reader)  # 1: the item's own
    return bool(count(item.outputs[0]) > known + 1)  # 1: the argument of the count


def _sources(node: Node, reader: Group) -> int:
    """How often operations that ``reader`` computes have ``node`` as a source."""
    found, seen = 0, set()
    todo = list(reader.outputs)
    while todo:
        here = todo.pop()
        if id(here) not in seen and here is not node:
            seen.add(id(here))
            found += sum(src is node for src in here.srcs)
            todo.extend(here.srcs)
    return found
