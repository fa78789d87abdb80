"""Tracing: from graph nodes to the steps of one nest, with every fused operation inlined.

The trace starts at a result and a view that maps the iteration space to its elements. It inlines an
operation by tracing its operands, each at that view composed with the operand's own view. Loads,
constants and index ranges end the recursion. If strides cannot express a composed view, or an
operation needs an operand stored, the trace raises `Cut` with the node that has to be computed
first, by a kernel of its own; the caller then tries again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from onebuf.dtypes import DT, kind
from onebuf.graph import (
    ARANGE,
    BINARY,
    CAST,
    COMPLEX,
    COPY,
    ON_DEMAND,
    RANDOM_BITS,
    UNARY,
    Kind,
    Node,
    Op,
    elementwise_dtype,
    settle,
)
from onebuf.graph.loop_dtypes import loop_dtypes
from onebuf.kernel import FOLDS, LOAD, SCANS, STORE, Fold, Step
from onebuf.layout import View, compose
from onebuf.scheduler.read_through import array_view
from onebuf.scheduler.trace.argmax import EXTREMES, position
from onebuf.scheduler.trace.recorder import Reach, Steps

Supports = Callable[[Op, tuple[DT, ...], DT], bool]
"""Whether a backend has a kernel for an operation on operands of some dtypes."""

_COMPARISONS = frozenset(
    BINARY[name]
    for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
)
ON_DEMAND_OPERAND = "its operand is made on demand, by region"
"""Why an operation is done apart from others that could be fused with it."""
MOST_STEPS = 160
"""A kernel with more steps than this costs more to compile than a second pass over memory."""


class Cut(Exception):
    """The trace cannot inline ``node``, which needs a kernel, or a step, of its own.

    ``always`` says that no other reader can inline it either.
    """

    def __init__(self, node: Node, reason: str, always: bool = False) -> None:
        super().__init__(reason)
        self.node = node
        self.reason = reason
        self.always = always


@dataclass(slots=True)
class Trace(Steps):
    """Steps over an iteration space, and the memory that they reach."""

    shape: tuple[int, ...]
    folds: int
    """How many axes, the last ones, are there to be folded."""
    stops: set[int]
    """Nodes, by id, that are in memory when the nest runs."""
    supports: Supports
    results: dict[int, View]
    """Where the results of the kernel are computed, by the ids of their nodes."""
    folded: dict[int, Node] = field(default_factory=dict)
    """The reductions among the steps, by number."""
    scanned: dict[int, Node] = field(default_factory=dict)
    """The running results among the steps, by number."""
    within: set[int] = field(default_factory=set)
    """Steps of `onebuf.scheduler.trace.argmax` that read a maximum or minimum: a chunk may use
    that of the chunk alone."""

    def store(self, node: Node, value: int) -> None:
        """Store step ``value``, which gives ``node``, in memory of the node's own."""
        slot = self._reach(Reach(node, self.results[id(node)]))
        self._add(STORE, (value,), node.dtype, slot)

    def value(self, node: Node, view: View, reader: Node | None = None) -> int:
        """The number of the step that gives ``node`` at ``view``, which ``reader`` asked for.

        What an on-demand expression computes is never stored: if it cannot be inlined, it is the
        node that reads the expression that needs a step of its own.
        """
        try:
            return self._value(node, view)
        except Cut as cut:
            asking = reads_expression(cut.node, node if reader is None else reader)
            if asking is None:
                raise
            raise Cut(asking, ON_DEMAND_OPERAND, always=True) from cut

    def _value(self, node: Node, view: View) -> int:
        todo: list[tuple[Node, View, Any]] = [(node, view, None)]
        done: list[int] = []
        while todo:
            here, where, plan = todo.pop()
            if plan is not None:
                count, build = plan
                operands = tuple(done[len(done) - count :])
                del done[len(done) - count :]
                number = build(operands)
                self._seen[id(here), where] = number
                done.append(number)
                continue
            found = self._seen.get((id(here), where))
            if found is None:
                found = self._leaf(here, where)
            if found is not None:
                done.append(found)
                continue
            sources, build = self._open(here, where)
            todo.append((here, where, (len(sources), build)))
            todo.extend([(base, at, None) for base, at in reversed(sources)])
        return done.pop()

    def _leaf(self, node: Node, view: View) -> int | None:
        """The step of a node without operands to trace: a load, a constant or an index range."""
        result = self.results.get(id(node))
        if result is not None:
            if view != result:
                raise Cut(node, "the kernel that computes it reads it in another order")
            return None
        if node.op.kind is Kind.STORED or id(node) in self.stops:
            return self._load(node, view)
        if node.op.kind is Kind.CONSTANT:
            return self._constant(node.arg, node.dtype, node)
        if node.op is ARANGE and kind(node.dtype) in "iu":
            return self._range(node, view)
        return None

    def _load(self, node: Node, view: View) -> int:
        key = (id(node), view, LOAD)
        if key not in self._seen:
            self._seen[key] = self._add(LOAD, (), node.dtype, self._reach(Reach(node, view)))
        return self._seen[key]

    def _open(self, node: Node, view: View) -> tuple[list[tuple[Node, View]], Any]:
        """The operands of ``node``, each with its view, and the function that adds its step."""
        if node.op in FOLDS:
            return self._fold(node, view)
        if node.op in SCANS:
            return self._scan(node, view)
        if node.op is RANDOM_BITS:
            return [], lambda _: self._random(node, view)
        if node.op.kind is Kind.CONSTANT:
            return [], lambda _: self._constant(node.arg, node.dtype, node)
        if node.op is ARANGE:
            return [], lambda _: self._range(node, view)
        if node.op is COPY or node.op.kind is Kind.ELEMENTWISE:
            return [_source(node, src, view) for src in node.srcs], lambda args: self._op(
                node, args
            )
        raise Cut(node, f"{node.op.name} needs memory of its own", always=True)

    def _fold(self, node: Node, view: View) -> tuple[list[tuple[Node, View]], Any]:
        (src,) = node.srcs
        axes, _ = node.arg
        extent = prod([src.shape[axis] for axis in axes])
        if not extent:
            raise Cut(node, "there is nothing to fold, and no operand may be read")
        axis = self._free_axis(view, extent)
        if axis is None:
            raise Cut(node, "its result is read at another shape")
        kept = [axis for axis in range(len(src.shape)) if axis not in axes]
        order = View.contiguous(src.shape).permute((*kept, *axes))
        rows = order.reshape((*[src.shape[axis] for axis in kept], extent))
        if rows is None:
            raise Cut(node, "the axes that it folds are not next to each other")
        after = [0 for _ in view.stride[axis + 1 :]]
        stride = (*[step * extent for step in view.stride[:axis]], 1, *after)
        inner = compose(View(view.shape, stride, view.offset * extent), rows)
        if inner is None:
            raise Cut(node, "strides cannot express the order it is read in")
        base, at = _source(node, src, inner, same_shape=False)
        if not self.supports(node.op, (src.dtype,), node.dtype):
            raise Cut(node, f"{node.op.name} of {src.dtype.name} has no kernel", always=True)
        sequential = bool(axes) and max(axes) != len(src.shape) - 1
        fold = Fold(axis, sequential)
        return [(base, at)], lambda args: self._add_fold(node, args, fold)

    def _scan(self, node: Node, view: View) -> tuple[list[tuple[Node, View]], Any]:
        (src,) = node.srcs
        if view != scan_view(node.shape, node.arg):
            raise Cut(node, "it is read in another order than it runs in")
        if not self.supports(node.op, (src.dtype,), node.dtype):
            raise Cut(node, f"{node.op.name} of {src.dtype.name} has no kernel", always=True)
        how = Fold(len(self.shape) - 1, sequential=True)
        return [_source(node, src, view)], lambda args: self._add_scan(node, args, how)

    def _add_scan(self, node: Node, args: tuple[int, ...], how: Fold) -> int:
        number = self._add(node.op, args, node.dtype, how)
        self.scanned[number] = node
        return number

    def _free_axis(self, view: View, extent: int) -> int | None:
        """The first axis to be folded that has ``extent`` and that ``view`` does not need."""
        ndim = len(self.shape)
        for axis in range(ndim - self.folds, ndim):
            rest = zip(self.shape[axis:], view.stride[axis:], strict=True)
            if self.shape[axis] == extent and all(n == 1 or not step for n, step in rest):
                return axis
        return None

    def _add_fold(self, node: Node, args: tuple[int, ...], fold: Fold) -> int:
        for scan in self.scanned.keys() & (below(self.steps, args[0]) | set(args)):
            raise Cut(self.scanned[scan], "it is folded afterwards")
        if node.op in EXTREMES:
            return self._add_position(node, args[0], fold)
        if kind(node.dtype) == "c":  # the parts of a sum are sums of the parts
            real = elementwise_dtype(UNARY["real"], node.dtype)
            parts = [self._add(UNARY[name], args, real) for name in ("real", "imag")]
            folds = [self._add(node.op, (part,), real, fold) for part in parts]
            self.folded |= dict.fromkeys(folds, node)
            return self._add(COMPLEX, tuple(folds), node.dtype)
        number = self._add(node.op, args, node.dtype, fold)
        self.folded[number] = node
        return number

    def _add_position(self, node: Node, value: int, fold: Fold) -> int:
        begin, dtype = len(self.steps), self.steps[value].dtype
        along = tuple([int(axis == fold.axis) for axis in range(len(self.shape))])
        slot = self._reach(Reach(node, View(self.shape, along), is_index=True))
        found = position(node.op, value, dtype, fold, slot, self._add, self._whole)
        self.folded.setdefault(found.extreme, node)
        self.folded[found.number] = node
        self.within.update(set(range(begin, len(self.steps))) - {found.extreme})
        return found.number

    def _op(self, node: Node, args: tuple[int, ...]) -> int:
        given = [self.steps[arg].dtype for arg in args]
        lacks = lacking(node, given, self.supports)
        if lacks is not None:
            raise Cut(node, lacks, always=True)
        if node.op is COPY:
            return args[0]
        if node.op is CAST:
            return self._cast(args[0], node.dtype)
        if len(self.steps) > MOST_STEPS:
            raise Cut(
                self._largest(node, args),
                f"a kernel of more than {MOST_STEPS} steps would be slow to compile",
            )
        wanted = loop_dtypes(node.op, tuple(given))
        assert wanted is not None
        cast = tuple([self._cast(arg, dtype) for arg, dtype in zip(args, wanted, strict=True)])
        return self._add(node.op, cast, node.dtype)

    def _largest(self, node: Node, args: tuple[int, ...]) -> Node:
        """The operand of ``node`` that takes most steps; the node itself if none is computed."""
        computed = [
            (len(below(self.steps, arg)), number)
            for number, (src, arg) in enumerate(zip(node.srcs, args, strict=True))
            if src.base.srcs and id(src.base) not in self.stops
        ]
        return node.srcs[max(computed)[1]].base if computed else node


def lacking(node: Node, given: Sequence[DT], supports: Supports) -> str | None:
    """Why no kernel does an elementwise operation, or a copy, on operands of these dtypes."""
    if node.op is COPY:
        if supports(CAST, (node.dtype,), node.dtype):
            return None
        return f"a copy of {node.dtype.name} has no kernel"
    if node.op is CAST:
        if supports(CAST, (given[0],), node.dtype):
            return None
        return f"a cast of {given[0].name} has no kernel"
    if node.op.kind is not Kind.ELEMENTWISE:
        return None
    wanted = None if _is_mixed(node.op, given) else loop_dtypes(node.op, tuple(given))
    if wanted is not None and supports(node.op, wanted, node.dtype):
        pairs = zip(given, wanted, strict=True)
        if all(supports(CAST, (dtype,), to) for dtype, to in pairs):
            return None
    names = " and ".join([dtype.name for dtype in given])
    return f"{node.op.name} of {names} has no kernel"


def _is_mixed(op: Op, given: Sequence[DT]) -> bool:
    """Whether signed integers are compared with unsigned ones, which may have no common dtype."""
    return op in _COMPARISONS and {dtype.kind for dtype in given} == {"i", "u"}


def scan_view(shape: tuple[int, ...], axis: int) -> View:
    """All elements of ``shape``, with ``axis`` as the last one and axes of extent 1 left out."""
    others = [place for place in range(len(shape)) if place != axis]
    whole = View.contiguous(shape).permute((*others, axis))
    kept = [place for place in range(len(others)) if whole.shape[place] != 1]
    kept.append(len(others))
    stride = tuple([whole.stride[place] if whole.shape[place] > 1 else 0 for place in kept])
    return View(tuple([whole.shape[place] for place in kept]), stride)


def below(steps: list[Step], number: int) -> set[int]:
    """The steps that step ``number`` needs."""
    found: set[int] = set()
    todo = list(steps[number].args)
    while todo:
        here = todo.pop()
        if here not in found:
            found.add(here)
            todo.extend(steps[here].args)
    return found


def _source(node: Node, src: Node, view: View, same_shape: bool = True) -> tuple[Node, View]:
    """The strided base of an operand, and the view that reads it for ``node`` at ``view``."""
    if src.op.kind is Kind.CONSTANT:
        return src, view  # one value, wherever it is read
    inner = src.view
    if same_shape and inner.shape != node.shape:
        inner = inner.expand(node.shape)
    return source_at(node, src, inner, view)


def operand(node: Node, src: Node, view: View) -> tuple[Node, View]:
    """The strided base of an operand, and the view that reads the operand itself at ``view``."""
    return _source(node, src, view, same_shape=False)


def source_at(node: Node, src: Node, inner: View, view: View) -> tuple[Node, View]:
    """The strided base of an operand, and the view that reads ``inner``, a view of that base, at
    ``view``; of stored elements, from the first one in memory."""
    at = compose(view, inner)
    base = src.strided_base
    while base.op is ON_DEMAND and base.srcs:  # an expression, computed wherever it is read
        (src,) = base.srcs
        at = None if at is None else compose(at, src.view)
        base = src.strided_base
    if base.on_demand is not None:
        raise Cut(node, "its operand is read from a store, by region", always=True)
    array = settle(base)
    if at is not None and array is not None:
        at = compose(at, array_view(array))
    if at is None:
        raise Cut(node, "strides cannot express the order its operands are read in")
    return base, at


def reads_expression(inner: Node, root: Node) -> Node | None:
    """The node, from ``root`` downwards, that reads the on-demand expression ``inner`` is in.

    If there is a fold on the way, that is the one: it needs all that lies between only once.
    """
    todo: list[tuple[Node, Node | None]] = [(root, None)]
    seen = {id(root)}
    while todo:
        node, fold = todo.pop()
        if fold is None and node.op in FOLDS:
            fold = node
        for src in [src.strided_base for src in node.srcs]:
            if src.op is ON_DEMAND:
                if _is_below(inner, src):
                    return fold or node
            elif id(src) not in seen:
                seen.add(id(src))
                todo.append((src, fold))
    return None


def _is_below(inner: Node, root: Node) -> bool:
    """Whether ``root`` is computed from ``inner``, or is it."""
    todo, seen = [root], {id(root)}
    while todo:
        node = todo.pop()
        if node is inner:
            return True
        todo += [src for src in node.srcs if id(src) not in seen]
        seen.update([id(src) for src in node.srcs])
    return False
