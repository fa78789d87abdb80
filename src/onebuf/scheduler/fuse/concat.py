"""Concatenation: each operand is computed straight into its region of the result.

Every operand has a group of its own, which stores to that region, so that it needs no other memory.
Together the groups read each operand once and write each element once: they are one kernel. A WRITE
is the case of one operand, whose region is memory that exists.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from onebuf.graph import CAST, CONCAT, TAKE, WRITE, Node, is_stored
from onebuf.layout import View, compose
from onebuf.machine import CPU
from onebuf.scheduler.fuse.group import Group
from onebuf.scheduler.items import Traffic
from onebuf.scheduler.trace.gather import MovingTrace
from onebuf.scheduler.trace.iteration_space import Space
from onebuf.scheduler.trace.scans import space_of
from onebuf.scheduler.trace.tracer import Cut, Supports, operand

MOST_PARTS = 16
"""More operands than this are stored one by one, and concatenated by NumPy's loop."""
LEAST_NBYTES = 1 << 16
"""NumPy's loop concatenates fewer bytes than this sooner than a group for each operand does."""
CONCATS = frozenset({CONCAT, WRITE})
"""Operations whose operands are computed in their regions of the result."""


class WriteTarget(NamedTuple):
    """The argument of a WRITE: the memory that it fills."""

    view: View
    """Where the elements are, counted from an address that is aligned as the pool's memory is."""
    is_apart: bool
    """Whether nothing that is read overlaps this memory, except its own old elements."""
    target: Node
    """The old elements."""


def has_regions(node: Node) -> bool:
    """Whether kernels compute the operands of a concatenation in their regions."""
    if node.op is WRITE:
        return True
    if node.op is not CONCAT or not node.numel:
        return False
    if node.device is not CPU:
        return True  # a device has no other way
    if len(node.srcs) > MOST_PARTS:
        return False
    return node.nbytes >= LEAST_NBYTES or any(not is_stored(src) for src in node.srcs)


def regions(node: Node) -> Iterator[tuple[Node, View]]:
    """The operands of a concatenation that have elements, and the region of each."""
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
    """The base of an operand that is a reshaped view, and its region in the base's shape."""
    base = src.strided_base
    if base is not src and src.view.is_contiguous and src.numel == base.numel:
        shaped = region.reshape(base.shape)
        if shaped is not None:
            return base, shaped
    return src, region


def is_computed(src: Node, stops: set[int]) -> bool:
    """Whether an operand is pending, in its own order, and not computed by another kernel."""
    return not src.is_view and id(src) not in stops and not is_stored(src)


def trace_part(
    node: Node,
    src: Node,
    region: View,
    folds: Sequence[Node],
    stops: set[int],
    supports: Supports,
) -> tuple[MovingTrace, Space]:
    """The trace of an operand into its ``region``; ``folds`` are the folds inside it."""
    if not supports(CAST, (node.dtype,), node.dtype):
        raise Cut(node, f"a join of {node.dtype.name} has no kernel", always=True)
    space = space_of(src, folds)
    where = space.view(src.shape)
    assert where is not None, "an iteration space can store the node that it was made for"
    to = compose(where, region)
    if to is None:  # the fold flattens axes that are not contiguous in the region
        raise Cut(folds[0] if folds else src, "its row is in pieces where it is joined")
    trace = MovingTrace(space.shape, len(space.folds), stops, supports, {id(node): to})
    trace.store(node, trace.value(*operand(node, src, where), node))
    return trace, space


def check_in_place(write: Node, group: Group, stops: set[int]) -> None:
    """Raise unless ``group`` reads each old element only to overwrite the same element.

    Nor may it fail halfway, as a gather may. Otherwise the new elements are computed in memory of
    their own first, which is then one of the ``stops``.
    """
    into: WriteTarget = write.arg
    (new,) = write.srcs
    if id(new.base) in stops:
        return
    reads = [reach for reach in group.reaches if reach.node is into.target]
    (store,) = [reach.view for reach in group.reaches if reach.node is write]
    at = View(store.shape, store.stride, store.offset - into.view.offset, store.mask)
    is_safe = into.is_apart and all(step.op is not TAKE for step in group.nest.steps)
    if reads:
        is_safe &= group.is_elementwise and all(reach.view == at for reach in reads)
    if not is_safe:
        raise Cut(new.base, "it is computed of what is written over", always=True)


@dataclass(frozen=True, slots=True, eq=False)
class ConcatKernel(Traffic):
    """Groups that run one after another and together compute one result."""

    parts: tuple[Group, ...]
    outputs: tuple[Node]
    reason: str

    whole = ()
    """The nodes that BLAS reads, as whole arrays."""

    @property
    def passes(self) -> tuple[ConcatKernel]:
        """Itself: it reads its memory once."""
        return (self,)

    @property
    def asked(self) -> tuple[Node, ...]:
        """The nodes that a run needs."""
        return tuple([node for part in self.parts for node in part.asked])

    @property
    def name(self) -> str:
        """The operations of the parts, each named once, and the concatenation."""
        names = [part.name for part in self.parts]
        return " | ".join([*dict.fromkeys([name for name in names if name != "concat"]), "concat"])

    @property
    def kind(self) -> str:
        """The kind of its operation; "kernel" if the parts compute others."""
        return self.node.op.kind if self.name == "concat" else "kernel"

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The nodes that have to be in memory first."""
        reads = [node for part in self.parts for node in part.inputs]
        return tuple({id(node): node for node in reads}.values())
