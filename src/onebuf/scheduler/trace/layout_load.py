"""Loads through a layout: what `onebuf.layout.IndexMap.place` answers, as steps of a nest.

This is the one place where a layout without strides meets a kernel. Expressions become integer
steps; a condition selects position 0 where there is no element, and the value afterwards. Every
position is checked against the memory that it may reach (TAKE), so a layout that is wrong, or a
table that does not fit it, ends in an error and never in foreign memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from onebuf.dtypes import int64, kind
from onebuf.graph import BINARY, TAKE, UNARY, WHERE, Kind, Node, elementwise_dtype, settle
from onebuf.kernel import INDEX, LOAD
from onebuf.layout import IndexMap, View
from onebuf.layout.composed import through
from onebuf.layout.expression import Expression, Strided, evaluate, indices
from onebuf.scheduler.read_through import place
from onebuf.scheduler.trace.recorder import Reach
from onebuf.scheduler.trace.tracer import Cut, Trace


@dataclass(slots=True)
class LayoutTrace(Trace):
    """A trace that also loads through layouts that strides cannot express."""

    def _leaf(self, node: Node, view: View) -> int | None:
        if not node.is_view:
            return Trace._leaf(self, node, view)
        key = (id(node), view)
        if key not in self._seen:
            self._seen[key] = self._load_through(node, view)
        return self._seen[key]

    def _load_through(self, node: Node, view: View) -> int:
        """The element of ``node``, a view whose layout is not strided, at ``view``."""
        base, layout = self._in_memory(node.base, through(view, node.layout))
        found = layout.place(indices(len(self.shape)))
        there = None if found.condition is None else self._steps(node, found.condition)
        (elsewhere,) = np.asarray([found.elsewhere]).astype(node.dtype)
        low, high = layout.span
        if base.op.kind is Kind.CONSTANT:
            value = self._constant(base.arg, base.dtype, base)
        elif low == high:
            return self._constant(elsewhere, node.dtype)
        else:
            position = self._steps(node, found.position - low)
            if there is not None:
                position = self._add(WHERE, (there, position, self._number(0)), int64)
            nowhere = View(self.shape, (0,) * len(self.shape), low)
            value = self._load_at(Reach(base, nowhere), position, high - low)
        conjugated = found.conjugated if kind(node.dtype) == "c" else None
        for change, where in (("conj", conjugated), ("negative", found.negated)):
            if where is not None:
                changed = self._add(UNARY[change], (value,), node.dtype)
                args = (self._steps(node, where), changed, value)
                value = self._add(WHERE, args, node.dtype)
        if there is None:
            return value
        border = self._constant(elsewhere, node.dtype)
        return self._add(WHERE, (there, value, border), node.dtype)

    def _in_memory(self, base: Node, layout: IndexMap) -> tuple[Node, IndexMap]:
        """The node in whose memory the elements of ``base`` are, and ``layout``, which counts the
        elements of ``base``, counting there."""
        if base.op.kind is Kind.CONSTANT:
            return base, layout
        there, view = place(base)
        if there.op.kind is Kind.STORED:
            return there, through(layout, view)
        if id(there) in self.results or id(there) not in self.stops:
            raise Cut(there, "it is read through a layout that has no strides", always=True)
        return there, through(layout, view)

    def _steps(self, node: Node, wanted: Expression) -> int:
        """The step that gives an index expression; ``node`` is the view whose layout it is of."""

        def strided(part: Strided) -> int:
            return self._index(node, part.stride, part.offset)

        def apply(name: str, args: tuple[int, ...]) -> int:
            op = WHERE if name == "where" else BINARY[name]
            dtypes = [self.steps[arg].dtype for arg in args]
            return self._add(op, args, elementwise_dtype(op, *dtypes))

        def table(number: int, position: int) -> int:
            source = node.srcs[1 + number]
            if settle(source) is None and not source.is_placed:
                raise Cut(source, "a layout reads its indices", always=True)
            view = View(self.shape, (0,) * len(self.shape))
            return self._cast(self._load_at(Reach(source, view), position, source.numel), int64)

        return evaluate(wanted, strided, apply, table)

    def _load_at(self, reach: Reach, index: int, extent: int, stride: int = 1) -> int:
        """The element ``index`` strides beyond ``reach``; the kernel fails if it is not below
        ``extent``."""
        flag = self._seen.get("flag")
        if flag is None:
            flag = self._seen["flag"] = len(self.scalars)
            self.scalars.append(np.int64(0))
            self.givers.append(None)
        args = [index, self._number(extent)]
        if stride != 1:
            args.append(self._number(stride))
        offset = self._add(TAKE, tuple(args), int64, flag)
        return self._add(LOAD, (offset,), reach.node.dtype, self._reach(reach))

    def _index(self, node: Node, stride: tuple[int, ...], offset: int) -> int:
        """The number that the indices of the iteration space make with ``stride``."""
        if not any(stride):
            return self._number(offset)
        key = ("index", stride, offset)
        if key not in self._seen:
            slot = self._reach(Reach(node, View(self.shape, stride, offset), is_index=True))
            self._seen[key] = self._add(INDEX, (), int64, slot)
        return self._seen[key]

    def _number(self, value: int) -> int:
        """An integer that comes with the call."""
        key = ("number", value)
        if key not in self._seen:
            self._seen[key] = self._scalar(np.int64(value), int64)
        return self._seen[key]
