"""Delivery: a FUTURE node gets the elements that its task has brought.

They are not copied if they are in the host's memory, in row-major order without gaps: then the node
has a block of its own on the same bytes, a neighbour of the one that they came with
(`onebuf.memory.territory`). The expressions that were built on the node before know it by the
readers that it has had all along. In all other cases the elements are copied.
"""

from __future__ import annotations

from onebuf.dtypes import Array
from onebuf.engine.run.realize import force, is_here, own, settle_one
from onebuf.graph import (
    CAST,
    COPY,
    Node,
    Number,
    Readers,
    arrived,
    attach,
    engine_lock,
    place_on,
    placed_block,
    promises_of,
    waiting,
)
from onebuf.memory import Block, address_of
from onebuf.ops import copied


def deliver(leaf: Node, node: Node) -> None:
    """Let ``leaf``, a FUTURE node, have the elements of ``node``, which are what was promised."""
    if not is_here(leaf):
        made = copied(node)
        force(made)
        with engine_lock.lock:
            place_on(leaf, placed_block(made.base))
    else:
        array, block = _shared(leaf, node) or _copied(node)
        with engine_lock.lock:
            attach(leaf, array, block)
        if block.is_shared:
            _settle_copies(leaf.readers)
    arrived(leaf)


def _shared(leaf: Node, node: Node) -> tuple[Array, Block] | None:
    """The elements of ``node`` where they are, as a block of ``leaf``; None if that cannot be."""
    if isinstance(node, Number) or node.on_demand is not None:
        return None
    array = own(node)
    block = node.block
    if block is None or not array.flags.c_contiguous:
        return None
    if not block.has_window:
        _settle_copies(block.readers)
    distance = address_of(array) - block.address if array.size else 0
    window = block.window(array.shape, array.dtype, array.strides, distance)
    if not array.flags.writeable:
        window.flags.writeable = False
    beside = Block.beside(window, leaf.readers)
    if getattr(block, "territory", None) is not None:  # blocks of the pool have none
        beside.settle_in_file()
    return beside.array(array.shape, array.dtype), beside


def _copied(node: Node) -> tuple[Array, Block]:
    made = copied(node)
    array = own(made)
    assert made.block is not None
    return array, made.block


def _settle_copies(readers: Readers) -> None:
    """Compute pending copies before others can write what they copy (`separation`); none that
    would have to wait for a task, which may wait for this one."""
    for node in waiting(readers):
        if node.claimed and (node.op is COPY or node.op is CAST) and not promises_of([node]):
            settle_one(node)
