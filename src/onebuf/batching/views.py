"""The batching rule of views: the same layout in each example, one example after another.

The elements of a base are in row-major order, so example number ``b`` of a batched base begins at
position ``b * numel``, where ``numel`` counts the elements of one example. The strides and the
offset of a view stay what they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from onebuf import ops
from onebuf.batching.operand import Batch, Operand, not_batched
from onebuf.graph import VIEW, Node, make
from onebuf.layout import IndexMap, Place, View, compose
from onebuf.layout.expression import Expression


def view(node: Node, operands: Sequence[Operand], batch: Batch) -> Node:
    """The view of each example."""
    base, *tables = operands
    layout = node.arg
    numel = node.srcs[0].numel
    if isinstance(layout, View):
        return _strided(base.node, with_batch_axis(layout, batch.size, numel))
    if any(table.is_batched for table in tables):
        raise not_batched(node, "a layout whose index tables differ by example")
    stored = ops.reshape(base.node, (batch.size * numel,))
    where = ops.view_of(stored)
    if stored.is_view or where.offset or not where.is_contiguous:
        stored = ops.copied(stored)
    srcs = (stored, *[table.node for table in tables])
    return make(
        VIEW, srcs, Stacked(batch.size, layout, numel), (batch.size, *node.shape), node.dtype
    )


def with_batch_axis(view: View, size: int, numel: int) -> View:
    """``view`` of each of ``size`` examples of ``numel`` elements.

    >>> with_batch_axis(View((2,), (-1,), offset=1), 3, 4)
    View(shape=(3, 2), stride=(4, -1), offset=1)
    """
    assert view.mask is None, "nodes see padding by PAD, not by a mask"
    return View((size, *view.shape), (numel, *view.stride), view.offset)


def _strided(base: Node, view: View) -> Node:
    """What ``view`` addresses among the elements of ``base``, counted in row-major order."""
    found = compose(view, ops.view_of(base))
    return ops.seen(ops.copied(base), view) if found is None else ops.seen(base, found)


@dataclass(frozen=True, slots=True)
class Stacked:
    """A layout without strides in each of ``size`` examples, which are ``step`` elements apart."""

    size: int
    layout: IndexMap
    step: int

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of the indices."""
        return (self.size, *self.layout.shape)

    @property
    def span(self) -> tuple[int, int]:
        """The lowest position of an element, and one past the highest."""
        low, high = self.layout.span
        return low, high + max(self.size - 1, 0) * self.step

    @property
    def key(self) -> Stacked:
        """Itself."""
        return self

    def place(self, index: Sequence[Expression]) -> Place:
        """Where the element at ``index`` is."""
        example, *inside = index
        place = self.layout.place(inside)
        return place._replace(position=place.position + example * self.step)
