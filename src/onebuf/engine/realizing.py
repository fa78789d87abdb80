"""Realising: from a plan to memory, kernel by kernel, or operation by operation (tier 1).

Each item's result becomes stored as soon as it is computed, and an operation lets go of its
operands at that moment, so memory of intermediate results is reused within one schedule. If an
item fails, everything computed so far stays valid and everything else stays pending.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from onebuf.backends.arrayapi import run_into
from onebuf.backends.complex_loops import COMPLEX_LOOPS
from onebuf.engine.elementary import OUR_FOLDS, OUR_LOOPS, is_ours, run_ours
from onebuf.engine.gate import kernels
from onebuf.engine.planning import plan
from onebuf.engine.sources import read_region
from onebuf.events import Copied, Realized, directly, listeners, run_told, tell
from onebuf.graph import COPY, LIBRARY, SOURCE, VIEW, Kind, Node, attach, settle
from onebuf.layout import View
from onebuf.memory import Block
from onebuf.ops import adopted, install, new_array, quietly
from onebuf.scheduler import NOTHING, Item, is_readable, reading

if TYPE_CHECKING:
    from onebuf.scheduler.grouping import Group

Array = np.ndarray[Any, Any]

install(OUR_LOOPS, COMPLEX_LOOPS, OUR_FOLDS, run_into)

_running = threading.RLock()
"""One schedule runs at a time: two threads may want the same node."""


def _unlock_after_fork() -> None:
    global _running
    _running = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlock_after_fork)


def realize(nodes: Sequence[Node]) -> None:
    """Compute ``nodes``, several in one schedule."""
    wanted = [node for node in nodes if not is_readable(node)]
    if not wanted:
        return
    with _running:
        _run_plan([node for node in wanted if not is_readable(node)])


def _run_plan(wanted: Sequence[Node], own: bool = False) -> None:
    if not listeners():
        _run_all(plan(wanted, own))
        return
    start = perf_counter()
    items = plan(wanted, own)
    kernels = len(items)
    _run_all(items)
    tell(Realized(kernels, perf_counter() - start, start))


def read(node: Node) -> Array:
    """The elements of ``node`` to look at: never to write to, never to hand out."""
    realize([node])
    return _fetch(reading(node))


def own(node: Node) -> Array:
    """The elements of ``node`` in memory that is its base's alone, to write to or hand out."""
    array = settle(node)
    if array is not None:
        return array
    base = node.base
    if base.op is SOURCE:
        return _fetch(node)
    with _running:
        _run_plan([base], own=True)
    array = settle(node)
    assert array is not None
    return array


def _run_all(items: list[Group | Item]) -> None:
    items.reverse()
    while items:
        item = items.pop()
        if not isinstance(item, Item):
            kernels().run_group(item)
        elif item.kind == NOTHING:
            attach(item.node, *new_array(item.node.shape, item.node.dtype))
        else:
            _run(item)


def _run(item: Item) -> None:
    node = item.node
    try:
        operands = tuple([_fetch(reading(source)) for source in item.inputs])
        if listeners():
            sizes = (item.bytes_read, item.bytes_written)
            out, block = run_told(node.op.name, sizes, 1, directly, _compute, node, operands)
        else:
            out, block = _compute(node, operands)
    except Exception as error:
        if node.origin is not None:
            error.add_note(f"while computing {node.op.name}, asked for at {node.origin}")
        raise
    if node.op.kind is Kind.COPY and listeners():
        tell(Copied(out.nbytes, item.reason, line_of(node)))
    attach(node, out, block)


def line_of(node: Node) -> str | None:
    """The line of the user's program that made ``node``, for people."""
    origin = node.origin
    return None if origin is None else str(origin)


def _compute(node: Node, operands: tuple[Array, ...]) -> tuple[Array, Block]:
    """The elements of ``node``, and the block that they lie on."""
    if node.op is LIBRARY:  # brings memory of its own, which is as good as the pool's
        found = np.asarray(quietly(node.arg, *operands), dtype=node.dtype)
        assert found.shape == node.shape, f"{node} came out with shape {found.shape}"
        if not any(np.may_share_memory(found, operand) for operand in operands):
            made = adopted(found)
            assert made.array is not None
            assert made.block is not None
            return made.array, made.block
        operands = (found,)
    out, block = new_array(node.shape, node.dtype)
    if operands and is_ours(node.op, operands[0].dtype, node.dtype):
        quietly(run_ours, node.op, operands, node.arg, out)
    else:
        quietly(run_into, COPY if node.op is LIBRARY else node.op, operands, node.arg, out)
    return out, block


def _fetch(node: Node) -> Array:
    """The elements of a node that needs no computing: stored, constant, or read on demand."""
    array = settle(node)
    if array is not None:
        return array
    base = node.base
    if base.op.kind is Kind.CONSTANT:
        return np.broadcast_to(np.asarray(base.arg), node.shape)
    assert base.op is SOURCE, f"{node} is still to be computed"
    view = node.arg if node.op is VIEW else View.contiguous(node.shape)
    return read_region(base.arg, view)
