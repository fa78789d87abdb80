"""Pending readers: what has to be computed before memory is written, and who lies on it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import ref

from onebuf import switch
from onebuf.engine.run.realize import is_here, settle_one
from onebuf.graph import ON_DEMAND, Node, Readers, forget, living_views, settle, waiting
from onebuf.late import Late
from onebuf.memory import Neighbours, neighbours

if TYPE_CHECKING:
    from onebuf.engine.run import transitive_readers
else:
    transitive_readers = Late("onebuf.engine.run.transitive_readers")


def has_neighbours(node: Node) -> bool:
    """Whether others may lie on the memory of ``node``."""
    return Neighbours in node.readers


def is_mapped_twice(node: Node) -> bool:
    """Whether others may lie on the memory of ``node`` at another address: if it is a file's."""
    block = node.base.block
    return getattr(block, "territory", None) is not None and has_neighbours(node)


def settle_readers(node: Node) -> None:
    """Realise what still has to read the memory of ``node``, before that is written.

    Others may lie on the same memory, and have readers of their own.
    """
    readers = node.readers
    if not readers:
        return
    is_placed = node.base.is_placed  # where views hold on to the node, and are counted
    _settle(readers, is_here(node), with_views=not is_placed)
    for other in neighbours(readers):
        _settle(other.readers, is_here(node), with_views=False)


def _settle(readers: Readers, on_host: bool, with_views: bool) -> None:
    """Realise the pending nodes of a table; ``with_views``: the views in it hold on to memory."""
    late = waiting(readers)
    sources = [reader for reader in late if reader.op is ON_DEMAND]
    if sources:  # they show what is written, and what reads them does not
        late = [reader for reader in late if reader.op is not ON_DEMAND]
        for source in sources:
            transitive_readers.settle(source.readers)
    if switch.on:
        switch.point("write.settle")
    # The newest first: what only they are computed from is gone then, and need not be stored.
    later = [ref(reader) for reader in late]
    late.clear()
    while later:
        reader = later.pop()()
        if reader is None or reader.block is not None:
            continue
        settle_one(reader)
        if on_host and not is_here(reader):  # it shares this memory, and is only queued yet
            reader.device.driver.synchronize()  # type: ignore[union-attr]
    if with_views:
        for view in living_views(readers):
            settle(view)
    forget(readers, with_views)
