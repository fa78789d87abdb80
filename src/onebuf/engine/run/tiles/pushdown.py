"""Pushdown: the part of an expression that a view asks for, as an expression of parts.

An element-wise operation of a part is the same part of the operation. So a view of a large
expression is pushed down to its leaves, and what is left reads and computes that part alone: stored
elements through a view, index ranges as shorter ranges, and elements that are made on demand as
one region of each source. The graph that comes out has no source in it and is planned like any
other. Nothing here is recursive in Python, since expressions may be thousands of operations deep.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence

from onebuf.dtypes import int64
from onebuf.engine.step.region import box_of
from onebuf.graph import (
    ARANGE,
    BINARY,
    CONCAT,
    COPY,
    PAD,
    RANDOM_BITS,
    TAKE,
    TAKE_ALONG,
    Kind,
    Node,
    make,
    settle,
)
from onebuf.layout import View, compose
from onebuf.machine import CPU
from onebuf.ops import constant, copied, expand, seen, shrink, view_of
from onebuf.ops.movement import Padding

Asked = tuple[Node, View]
"""The elements of a node, and the view of them that is asked for."""
Build = Generator[Asked, Node, Node]
POINTWISE = frozenset({Kind.ELEMENTWISE, Kind.COPY})
"""Kinds of operations of which a part needs no more than the same part of the operands."""
_PICKS = frozenset({TAKE, TAKE_ALONG})
_ADD = BINARY["add"]
_CUT = POINTWISE | {Kind.JOIN, Kind.PAD}
"""Kinds of operations of which any part can be computed by itself."""


def sourced(wanted: Sequence[Node]) -> list[Node]:
    """The pending nodes that are computed from elements read on demand, operands before results.

    Sources themselves are not among them, nor are views.
    """
    order: list[Node] = []
    found: dict[int, bool] = {}
    todo = [(node, False) for node in reversed(wanted)]
    while todo:
        node, visited = todo.pop()
        me = id(node)
        if visited:
            found[me] = any([found.get(id(src), False) for src in node.srcs])
            if found[me] and not node.is_view:
                order.append(node)
        elif me not in found:
            found[me] = node.op.kind is Kind.SOURCE
            if not found[me] and node.array is None:
                todo.append((node, True))
                todo.extend([(src, False) for src in reversed(node.srcs)])
    return order


class Pushdown:
    """Parts of the graph below some nodes; ``read`` gives the elements of a source's view.

    Every region of a source is read once, however often the parts need it. What is computed from
    stored elements alone stays whole, since a kernel may compute it for other parts as well; unless
    ``is_strict``: then it is cut, too.
    """

    __slots__ = ("has_expression", "_found", "_is_strict", "_live", "_read")

    def __init__(self, read: Callable[[Node], Node], is_strict: bool = False) -> None:
        self._read = read
        self._is_strict = is_strict
        self.has_expression = False
        """Whether a part of an on-demand expression was built."""
        self._found: dict[tuple[int, View], tuple[Node, Node]] = {}
        """What was built, by the id of a node and the view, with the node that had the id."""
        self._live: dict[int, tuple[bool, Node]] = {}

    def part(self, node: Node, view: View | None = None) -> Node:
        """``node``, or its part at ``view``, which counts its elements in row-major order."""
        where = node.view if view is None else compose(view, node.view)
        if where is None:
            assert view is not None
            return within(self.part(node), view)
        made = self._run(node.strided_base, where)
        return made if made.shape == where.shape else expand(made, where.shape)

    def _run(self, base: Node, view: View) -> Node:
        stack: list[tuple[Build, tuple[int, View], Node]] = []
        asked: Asked | None = (base, view)
        made: Node | None = None
        while asked is not None or stack:
            if asked is not None:
                node, where = asked
                key = (id(node), where)
                known = self._found.get(key)
                if known is None:
                    stack.append((self._build(node, where), key, node))
                    made = None
                else:
                    made = known[0]
                    if not stack:
                        return made
            build, key, node = stack[-1]
            try:
                asked = build.send(made)  # type: ignore[arg-type]
            except StopIteration as end:
                stack.pop()
                made, asked = end.value, None
                self._found[key] = (end.value, node)
        assert made is not None
        return made

    def _build(self, node: Node, view: View) -> Build:
        """Build ``node`` at ``view``; asks for what it needs in turn."""
        if node.op.kind is Kind.SOURCE:
            if not node.srcs:
                return self._read(seen(node, view))
            (root,) = node.srcs
            self.has_expression = True
            return (yield from self._operand(root, root.view, view))
        if settle(node) is not None or node.is_placed or not self._is_live(node):
            return within(node, view)
        if node.op is ARANGE:
            return _indices(node, view)
        if node.op is RANDOM_BITS:
            return _bits(node, view)
        if node.op.kind in POINTWISE:
            return (yield from self._pointwise(node, view))
        if node.op in _PICKS:
            return (yield from self._pick(node, view))
        if node.op is CONCAT:
            return (yield from self._join(node, view))
        if node.op is PAD:
            return (yield from self._padded(node, view))
        assert node.is_view, f"{node} has to be computed before parts of what it gives are"
        whole = []
        for src in node.srcs:
            whole.append((yield src.strided_base, src.view))
        return within(make(node.op, tuple(whole), node.arg, node.shape, node.dtype), view)

    def _operand(self, src: Node, inner: View, view: View) -> Build:
        """The operand ``src``, seen through ``inner``, at ``view``."""
        at = compose(view, inner)
        if at is not None:
            made = yield src.strided_base, at
            return made if made.shape == view.shape or not made.shape else expand(made, view.shape)
        bounds, inside = box_of(view, inner.shape)
        box = compose(View.contiguous(inner.shape).shrink(bounds), inner)
        assert box is not None, "a box of a strided view has strides"
        made = yield src.strided_base, box
        return within(made if made.shape == box.shape else expand(made, box.shape), inside)

    def _pointwise(self, node: Node, view: View) -> Build:
        operands = []
        for src in node.srcs:
            if src.op.kind is Kind.CONSTANT or (not src.shape and not self._is_live(src)):
                operands.append(src)  # one number, wherever it is read
                continue
            inner = src.view if src.shape == node.shape else src.view.expand(node.shape)
            operands.append((yield from self._operand(src, inner, view)))
        if node.op is COPY:
            return (
                operands[0] if operands[0].shape == view.shape else expand(operands[0], view.shape)
            )
        if all(operand.shape != view.shape for operand in operands):
            operands[0] = expand(_number(operands[0]), view.shape)
        operands = [_number(one) if one.shape != view.shape else one for one in operands]
        return make(node.op, tuple(operands), node.arg, view.shape, node.dtype)

    def _pick(self, node: Node, view: View) -> Build:
        """Elements picked by index: those of the box around ``view``."""
        bounds, inside = box_of(view, node.shape)
        source, indices = node.srcs
        axis, rank = node.arg, len(indices.shape)
        if node.op is TAKE:
            kept = (*bounds[:axis], (0, source.shape[axis]), *bounds[axis + rank :])
            places = bounds[axis : axis + rank]
        else:
            kept = (*bounds[:axis], (0, source.shape[axis]), *bounds[axis + 1 :])
            kept = tuple(
                [(0, 1) if n == 1 else one for one, n in zip(kept, source.shape, strict=True)]
            )
            places = tuple(
                [(0, 1) if n == 1 else one for one, n in zip(bounds, indices.shape, strict=True)]
            )
        where = View.contiguous(indices.shape).shrink(places)
        chosen = yield from self._operand(indices, indices.view, where)
        shape = tuple([high - low for low, high in bounds])
        taken = make(node.op, (shrink(source, kept), chosen), axis, shape, node.dtype)
        return within(taken, inside)

    def _join(self, node: Node, view: View) -> Build:
        """Operands one after another: those parts of them that are in the box around ``view``."""
        bounds, inside = box_of(view, node.shape)
        axis, parts, start = node.arg, [], 0
        first, last = bounds[axis]
        for src in node.srcs:
            end = start + src.shape[axis]
            low, high = max(first, start), min(last, end)
            if low < high:
                box = (*bounds[:axis], (low - start, high - start), *bounds[axis + 1 :])
                where = View.contiguous(src.shape).shrink(box)
                parts.append((yield from self._operand(src, src.view, where)))
            start = end
        if len(parts) == 1:
            return within(parts[0], inside)
        shape = tuple([high - low for low, high in bounds])
        if not parts:
            return within(expand(constant((), node.dtype.type(0), node.dtype), shape), inside)
        return within(make(CONCAT, tuple(parts), axis, shape, node.dtype), inside)

    def _padded(self, node: Node, view: View) -> Build:
        """A padded operand: the part of it in the box around ``view``, with what is left around."""
        bounds, inside = box_of(view, node.shape)
        (src,) = node.srcs
        box, widths = [], []
        for (low, high), (before, _), extent in zip(
            bounds, node.arg.widths, src.shape, strict=True
        ):
            first = min(max(low - before, 0), extent)
            last = min(max(high - before, first), extent)
            box.append((first, last))
            left = min(max(before - low, 0), high - low)
            widths.append((left, high - low - left - (last - first)))
        shape = tuple([high - low for low, high in bounds])
        if any([first == last for first, last in box]):
            return within(expand(constant((), node.arg.value, node.dtype), shape), inside)
        part = yield from self._operand(src, src.view, View.contiguous(src.shape).shrink(box))
        if not any([left or right for left, right in widths]):
            return within(part, inside)
        arg = Padding(tuple(widths), node.arg.value)
        return within(make(PAD, (part,), arg, shape, node.dtype), inside)

    def _is_live(self, node: Node) -> bool:
        """Whether ``node`` is computed from sources, index ranges or random bits, so that parts of
        it are smaller."""
        if self._is_strict and (node.op.kind in _CUT or node.op in _PICKS):
            return True
        todo = [(node, False)]
        while todo:
            here, visited = todo.pop()
            me = id(here)
            if visited:
                self._live[me] = (any([self._live[id(src)][0] for src in here.srcs]), here)
            elif me not in self._live:
                is_leaf = here.op.kind is Kind.SOURCE or _is_range(here)
                if is_leaf or here.array is not None or not here.srcs:
                    self._live[me] = (is_leaf, here)
                else:
                    todo.append((here, True))
                    todo.extend([(src, False) for src in here.srcs])
        return self._live[id(node)][0]


def _is_range(node: Node) -> bool:
    """Whether ``node`` is a pending range, or random bits, of which a part is the same."""
    if node.op is RANDOM_BITS and node.array is None:
        return True
    if node.op is not ARANGE or node.dtype != int64 or node.array is not None:
        return False
    return all(number.__class__ is int for number in node.arg)


def _indices(node: Node, view: View) -> Node:
    """The elements of a range at ``view``: for every axis that moves, a range of its own."""
    start, _, step = node.arg
    first, device = start + step * view.offset, node.device
    ndim = len(view.shape)
    total: Node | None = None
    for axis, (extent, stride) in enumerate(zip(view.shape, view.stride, strict=True)):
        if extent == 1 or not stride:
            continue
        by = step * stride
        begin = first if total is None else 0
        arg = (begin, begin + by * extent, by)
        row = make(ARANGE, (), arg, (extent,), int64, device=device or CPU)
        along = View(
            tuple([extent if n == axis else 1 for n in range(ndim)]),
            tuple([1 if n == axis else 0 for n in range(ndim)]),
        )
        row = expand(seen(row, along), view.shape)
        total = row if total is None else _sum(total, row)
    if total is None:
        return expand(constant((), first, int64), view.shape)
    return total


def _bits(node: Node, view: View) -> Node:
    """Random bits at ``view``: those of the range around it."""
    ((low, high),), inside = box_of(view, node.shape)
    key, stream, first = node.arg
    arg = (key, stream, first + low)
    made = make(RANDOM_BITS, (), arg, (high - low,), node.dtype, device=node.device or CPU)
    return within(made, inside)


def _sum(one: Node, two: Node) -> Node:
    return make(_ADD, (one, two), None, one.shape, int64)


def _number(node: Node) -> Node:
    """A single number that operands of any shape meet."""
    base = node.strided_base
    return constant((), base.arg, node.dtype) if base.op.kind is Kind.CONSTANT else node


def within(node: Node, view: View) -> Node:
    """``node`` at ``view``, which counts its elements in row-major order."""
    inner = view_of(node) if settle(node) is not None else node.view
    at = compose(view, inner)
    return seen(copied(node), view) if at is None else seen(node, at)
