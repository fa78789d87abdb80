"""Transitive readers: what reads memory by way of a buffer that is made on demand.

An on-demand expression shows what is written to the buffers below it. What was computed from it
before does not, so that is realised before the write. Results come before what they are computed
from, which may be too large to be stored, and which nothing needs any more once they are there.
What is still asked for and does not fit into memory is lost: it raises when it is read, since
its parts can no longer be computed as they were.
"""

from __future__ import annotations

from weakref import ref

from onebuf.engine.run.realize import WRONG, settle_one
from onebuf.graph import FAILED, ON_DEMAND, VIEW, Node, Readers, references

_PASSED = frozenset({VIEW, ON_DEMAND, FAILED})
"""Operations of nodes that never get memory."""
_LOST = (*WRONG, MemoryError)
"""Errors of what cannot be computed, or not in time."""


def settle(readers: Readers) -> None:
    """Realise what reads, directly or not, the elements that ``readers`` is the table of."""
    for reference in reversed(_below(readers)):
        _settle_one(reference)


def _below(readers: Readers) -> list[ref[Node]]:
    """Weak references to all pending nodes that read, operands before results."""
    found: dict[int, ref[Node]] = {}
    seen, tables = {id(readers)}, [readers]
    for table in tables:  # grows as it goes
        for reference in references(table):
            found.pop(id(reference), None)  # a result comes after the last of its operands
            found[id(reference)] = reference
            more = _table_of(reference)
            if more is not None and id(more) not in seen:
                seen.add(id(more))
                tables.append(more)
    return list(found.values())


def _table_of(reference: ref[Node]) -> Readers | None:
    node = reference()
    return None if node is None or node.block is not None else node.readers


def _settle_one(reference: ref[Node]) -> None:
    reader = reference()
    if reader is None or reader.block is not None or reader.op in _PASSED:
        return
    settle_one(reader, _LOST)
