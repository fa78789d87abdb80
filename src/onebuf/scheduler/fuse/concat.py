"""Joining: one result made of parts, each computed where it belongs.

Each operand of a CONCAT has a region of its memory. So it is computed straight into that, by a
kernel of its own, and needs no other memory: together the kernels are one pass over what they read
and what they write.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from onebuf.graph import CAST, CONCAT, TAKE, WRITE, Node, is_stored
from onebuf.layout import View, compose
from onebuf.machine import CPU
from onebuf.scheduler.fuse.group import Group
from onebuf.scheduler.trace.gather import MovingTrace
from onebuf.scheduler.trace.iteration_space import Space
from onebuf.scheduler.trace.scans import space_of
from onebuf.scheduler.trace.tracer import Cut, Supports, operand

MOST_PARTS = 16
"""More operands than this are stored one by one, and joined by NumPy's loop."""
LEAST_NBYTES = 1 << 16
"""Less than this is joined by NumPy's loop sooner than by one kernel for each operand."""


JOINS = frozenset({CONCAT, WRITE})
"""Operations whose operands are computed in their places."""


class Place(NamedTuple):
    """Memory that exists, as a WRITE fills it: its argument."""

    view: View
    """Where the elements are, counted from a place that is aligned as the pool's memory is."""
    is_apart: bool
    """Whether nothing that is read lies in this memory, but for its own old elements."""
    target: Node
    """The old elements."""


def is_joined(node: Node) -> bool:
    """Whether kernels compute the operands of a join in their places."""
    if node.op is WRITE:
        return True
    if node.op is not CONCAT or not node.numel:
        return False
    if node.device is not CPU:
        return True  # nobody else would do it
    if len(node.srcs) > MOST_PARTS:
        return False
    return node.nbytes >= LEAST_NBYTES or any(not is_stored(src) for src in node.srcs)


def regions(node: Node) -> Iterator[tuple[Node, View]]:
    """The operands of a join that have elements, and where in its memory each belongs."""
    if node.op is WRITE:
        yield _without_view(node.srcs[0], node.arg.view)
        return
    axis, first = node.arg, 0
    whole = View.contiguous(node.shape)
    for src in node.srcs:
        end = first + src.shape[axis]
        region = whole.slice(axis, slice(first, end))
        first = end
        if src.numel:
            yield _without_view(src, region)


def _without_view(src: Node, region: View) -> tuple[Node, View]:
    """What an operand is a reshaped view of, and its region as seen from there, if that can be."""
    base = src.strided_base
    if base is not src and src.view.is_contiguous and src.numel == base.numel:
        shaped = region.reshape(base.shape)
        if shaped is not None:
            return base, shaped
    return src, region


def is_computed(src: Node, stops: set[int]) -> bool:
    """Whether an operand is still to be computed, in its own order and by nobody else."""
    return not src.is_view and id(src) not in stops and not is_stored(src)


def trace_part(
    node: Node,
    src: Node,
    region: View,
    folds: Sequence[Node],
    stops: set[int],
    supports: Supports,
) -> tuple[MovingTrace, Space]:
    """An operand of a join traced into its ``region``; ``folds`` are those inside it."""
    if not supports(CAST, (node.dtype,), node.dtype):
        raise Cut(node, f"a join of {node.dtype.name} has no kernel", always=True)
    space = space_of(src, folds)
    where = space.view(src.shape)
    assert where is not None, "a space has a place for what it was made for"
    to = compose(where, region)
    if to is None:  # rows that a fold takes as one are not one in the region
        raise Cut(folds[0] if folds else src, "its row is in pieces where it is joined")
    trace = MovingTrace(space.shape, len(space.folds), stops, supports, {id(node): to})
    trace.store(node, trace.value(*operand(node, src, where)))
    return trace, space


def check_in_place(write: Node, group: Group, stops: set[int]) -> None:
    """Raise unless ``group`` reads the old elements of what it writes to just where it writes.

    Neither may it find out on the way that it cannot go on. What is written is computed in memory
    of its own then, which is one of the ``stops``.
    """
    place: Place = write.arg
    (new,) = write.srcs
    if id(new.base) in stops:
        return
    reads = [reach for reach in group.reaches if reach.node is place.target]
    (store,) = [reach.view for reach in group.reaches if reach.node is write]
    at = replace(store, offset=store.offset - place.view.offset)
    is_safe = place.is_apart and all(step.op is not TAKE for step in group.nest.steps)
    if reads:
        is_safe &= group.is_elementwise and all(reach.view == at for reach in reads)
    if not is_safe:
        raise Cut(new.base, "it is computed of what is written over", always=True)


@dataclass(frozen=True, slots=True, eq=False)
class Join:
    """Kernels to run one after another, which together compute one result."""

    parts: tuple[Group, ...]
    node: Node
    reason: str

    whole = ()
    """The nodes that others than kernels read."""

    @property
    def passes(self) -> tuple[Join]:
        """Itself: it goes over its memory once."""
        return (self,)

    @property
    def outputs(self) -> tuple[Node, ...]:
        """The result."""
        return (self.node,)

    @property
    def asked(self) -> tuple[Node, ...]:
        """The nodes that a run asks for."""
        return tuple([node for part in self.parts for node in part.asked])

    @property
    def name(self) -> str:
        """The operations of the parts, each said once, and that they are joined."""
        names = [part.name for part in self.parts]
        return " | ".join([*dict.fromkeys([name for name in names if name != "concat"]), "concat"])

    @property
    def kind(self) -> str:
        """That of its operation if there is no other, else that it is a kernel of several."""
        return self.node.op.kind if self.name == "concat" else "kernel"

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The nodes that have to be in memory first."""
        reads = [node for part in self.parts for node in part.inputs]
        return tuple({id(node): node for node in reads}.values())

    @property
    def bytes_read(self) -> int:
        """Bytes of all operands, each counted once."""
        return sum(node.nbytes for node in self.inputs)

    @property
    def bytes_written(self) -> int:
        """Bytes of the result."""
        return self.node.nbytes
