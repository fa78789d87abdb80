"""Gather and padding: tracing operations that pick elements by index, or pad with a value.

The operand that elements are picked from has to be stored. A pick is a load at an offset that the
index gives; the indices are traced like any other operand. Padding becomes a condition: the padded
operand is traced at a view with a mask, and a load at a masked view happens only inside the mask.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from onebuf.dtypes import bool as boolean
from onebuf.graph import CAST, PAD, TAKE, TAKE_ALONG, Kind, Node
from onebuf.kernel import INSIDE, LOAD
from onebuf.layout import View, compose
from onebuf.scheduler.read_through import place
from onebuf.scheduler.trace.layout_load import LayoutTrace
from onebuf.scheduler.trace.recorder import Reach
from onebuf.scheduler.trace.tracer import MOST_STEPS, Cut, source_at

PICKS = frozenset({TAKE, TAKE_ALONG})
MOVES = PICKS | {PAD}
Operands = tuple[list[tuple[Node, View]], Any]


def is_picked_from(node: Node, reader: Node) -> bool:
    """Whether ``reader`` picks elements of ``node``, which therefore has to be in memory."""
    return reader.op in PICKS and place(reader.srcs[0])[0] is node


@dataclass(slots=True)
class MovingTrace(LayoutTrace):
    """A trace that also inlines picks and padding."""

    picks: list[Node] = field(default_factory=list)
    """The nodes whose indices are looked at by the nest."""

    def _open(self, node: Node, view: View) -> Operands:
        if node.op not in MOVES:
            return LayoutTrace._open(self, node, view)
        if not self.supports(CAST, (node.dtype,), node.dtype):
            raise Cut(node, f"{node.op.name} of {node.dtype.name} has no kernel", always=True)
        return self._open_pad(node, view) if node.op is PAD else self._open_pick(node, view)

    def _fold(self, node: Node, view: View) -> Operands:
        if view.mask is not None:
            raise Cut(node, "its result is read through padding")
        return LayoutTrace._fold(self, node, view)

    # -- picks -------------------------------------------------------------------------------------

    def _open_pick(self, node: Node, view: View) -> Operands:
        if not _covers(view, node.numel):
            raise Cut(node, "all of its indices are looked at, and only some of it is read")
        source, indices = node.srcs
        axis = node.arg
        if node.op is TAKE:
            before, after = source.shape[:axis], source.shape[axis + 1 :]
            around = (1,) * len(indices.shape)
            rows = (*before, *around, *after)
            places = (*[1 for _ in before], *indices.shape, *[1 for _ in after])
        else:
            rows = (*source.shape[:axis], 1, *source.shape[axis + 1 :])
            places = indices.shape
        base, where, stride = self._picked_from(node, source, rows, view)
        at = source_at(node, indices, _spread(indices.view, places, node.shape), view)
        return [at], lambda args: self._pick(node, base, where, stride, args[0])

    def _picked_from(
        self, node: Node, source: Node, rows: tuple[int, ...], view: View
    ) -> tuple[Node, View, int]:
        """What is picked from, where index 0 does, and how far apart what two indices pick is."""
        base, inner = place(source)
        if id(base) in self.results:
            raise Cut(base, "the kernel that computes it picks from it by index")
        if base.on_demand is not None:
            raise Cut(node, "its operand is read from a store, by region", always=True)
        if base.op.kind is not Kind.STORED and id(base) not in self.stops:
            raise Cut(base, "elements of it are picked by index", always=True)
        axis = node.arg
        if not source.shape[axis]:
            raise Cut(node, "there is nothing to pick from", always=True)
        first = inner.index((*[slice(None) for _ in source.shape[:axis]], slice(0, 1)))
        where = compose(view, _spread(first, rows, node.shape))
        if where is None or where.mask is not None:
            raise Cut(node, "strides cannot express the order its operands are read in")
        return base, where, inner.stride[axis]

    def _pick(self, node: Node, base: Node, where: View, stride: int, index: int) -> int:
        """The element that ``index`` points to."""
        self.picks.append(node)
        extent = node.srcs[0].shape[node.arg]
        return self._load_at(Reach(base, where), index, extent, stride)

    # -- padding -----------------------------------------------------------------------------------

    def _open_pad(self, node: Node, view: View) -> Operands:
        (src,) = node.srcs
        base, at = source_at(node, src, src.view.pad(node.arg.widths), view)
        if at.is_all_padding:
            return [], lambda args: self._border(node)
        return [(base, at)], lambda args: self._pad(node, at, args)

    def _border(self, node: Node) -> int:
        return self._constant(node.arg.value, node.dtype)

    def _pad(self, node: Node, at: View, args: tuple[int, ...]) -> int:
        if at.mask is None:
            return args[0]
        if len(self.steps) > MOST_STEPS:
            reason = f"a kernel of more than {MOST_STEPS} steps would be slow to compile"
            raise Cut(self._largest(node, args), reason)
        inside = self._inside(node, at)
        return self._add(PAD, (inside, args[0], self._border(node)), node.dtype)

    def _load(self, node: Node, view: View) -> int:
        if view.mask is None:
            return LayoutTrace._load(self, node, view)
        key = (id(node), view, LOAD)
        if key not in self._seen:
            inside = self._inside(node, view)
            slot = self._reach(Reach(node, view))
            self._seen[key] = self._add(LOAD, (inside,), node.dtype, slot)
        return self._seen[key]

    def _inside(self, node: Node, view: View) -> int:
        """Whether ``view`` has an element here: looked up along each axis that has an end."""
        found: tuple[int, ...] = ()
        for axis, ((low, high), extent) in enumerate(zip(view.box, self.shape, strict=True)):
            if (low, high) == (0, extent):
                continue
            stride = tuple([int(number == axis) for number in range(len(self.shape))])
            args = (self._index(node, stride, -low), self._number(high - low), *found)
            found = (self._add(INSIDE, args, boolean),)
        return found[0]


def merged_mask(view: View, axes: Sequence[tuple[int, ...]]) -> Any:
    """The mask of ``view`` when axes are merged; those along which it ends are never among them."""
    if view.mask is None:
        return None
    shape = view.shape
    ends = [view.mask[part[0]] if len(part) == 1 else None for part in axes]
    whole = [(0, prod([shape[axis] for axis in part])) for part in axes]
    return tuple([end or all_of_it for end, all_of_it in zip(ends, whole, strict=True)])


def _spread(view: View, shape: tuple[int, ...], to: tuple[int, ...]) -> View:
    """``view`` with axes of one element put in, which gives ``shape``, repeated to fill ``to``."""
    found = view.reshape(shape)
    assert found is not None, "axes of one element fit in anywhere"
    return found.expand(to)


def _covers(view: View, numel: int) -> bool:
    """Whether a view reaches each of ``numel`` elements; where that is not certain, no."""
    if view.mask is not None:
        return False
    pairs = [(n, step) for n, step in zip(view.shape, view.stride, strict=True) if step and n > 1]
    moving = View(tuple([n for n, _ in pairs]), tuple([step for _, step in pairs]))
    return moving.numel == numel and not moving.overlaps_itself
