"""Grouping: which operations become one kernel, and why the others do not.

Every operation whose result is needed by one kernel alone is computed inside it. What is asked for,
what two kernels read, and what the trace cannot go through has memory of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from onebuf.dtypes import kind
from onebuf.graph import ARANGE, COPY, Kind, Node
from onebuf.kernel import CHUNK, FOLDS, Nest, Slot, Step
from onebuf.layout import View
from onebuf.scheduler.items import NOTHING, Item, schedule
from onebuf.scheduler.tracing import Cut, Reach, Supports, Trace

MOST_NAMES = 6


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """A kernel to run: a nest, the extents of its axes, and what each of its slots reaches."""

    nest: Nest
    extents: tuple[int, ...]
    reaches: tuple[Reach, ...]
    scalars: tuple[np.generic, ...]
    outputs: tuple[Node, ...]
    reason: str

    @property
    def kind(self) -> str:
        """That of its operation if there is one, else that it is a kernel of several."""
        return self.node.op.kind if len(self._names) <= 1 else "kernel"

    @property
    def node(self) -> Node:
        """The first output."""
        return self.outputs[0]

    @property
    def name(self) -> str:
        """The operations that it does, in order."""
        names = self._names
        if len(names) > MOST_NAMES:
            names[MOST_NAMES - 1 :] = [f"{len(names) - MOST_NAMES + 1} more"]
        return " + ".join(names) or self.node.op.name

    @property
    def _names(self) -> list[str]:
        kinds = (Kind.ELEMENTWISE, Kind.REDUCE)
        return [step.op.name for step in self.nest.steps if step.op.kind in kinds]

    @property
    def bytes_read(self) -> int:
        """Bytes of all operands, each counted once."""
        return sum(node.nbytes for node in self.inputs)

    @property
    def bytes_written(self) -> int:
        """Bytes of the results."""
        return sum(node.nbytes for node in self.outputs)

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The nodes that have to be in memory first."""
        written = self.nest.written
        reads = (r.node for n, r in enumerate(self.reaches) if n not in written and not r.is_index)
        return tuple({id(node): node for node in reads}.values())


def group(wanted: Sequence[Node], supports: Supports, own: bool = False) -> list[Group | Item]:
    """Kernels, and items for what has no kernel, that make every node of ``wanted`` readable."""
    items = schedule(wanted, own)
    roots = {id(node.base) for node in wanted}
    alone: dict[int, str] = {}
    if all(not _is_fusable(item.node, alone) for item in items):
        return list(items)
    while True:
        homes = _homes(items, roots, alone)
        try:
            return _trace_all(items, homes, alone, supports)
        except _Again as cut:
            if alone.get(id(cut.node)) == cut.reason:
                raise RuntimeError(f"{cut.node} was cut off before: {cut.reason}") from None
            alone[id(cut.node)] = cut.reason


def single(item: Item, supports: Supports) -> Group | Item:
    """The kernel of one item alone, on operands in memory; the item itself if it has none."""
    node = item.node
    if not _is_fusable(node, {}) or not node.numel:
        return item
    bases = [operand.base for operand in item.inputs]
    stops = {id(base) for base in bases if base.op.kind is not Kind.CONSTANT}
    try:
        return _trace(node, stops, item.reason, supports)
    except Cut:
        return item


class _Again(Exception):
    def __init__(self, node: Node, reason: str) -> None:
        super().__init__(reason)
        self.node = node
        self.reason = reason


def _homes(items: list[Item], roots: set[int], alone: dict[int, str]) -> dict[int, int]:
    """For each node, by id, the node in whose kernel it is computed."""
    homes: dict[int, int] = {}
    readers: dict[int, list[Item]] = {}
    for item in reversed(items):
        node = item.node
        me = id(node)
        by = readers.get(me, [])
        nests = {homes[id(reader.node)] for reader in by if _is_fusable(reader.node, alone)}
        opaque = any(not _is_fusable(reader.node, alone) for reader in by)
        if node.op is ARANGE and kind(node.dtype) in "iu" and me not in roots and not opaque:
            homes[me] = 0  # computed wherever it is read
            continue
        if me in roots or me in alone or opaque or len(nests) != 1 or not _is_fusable(node, alone):
            homes[me] = me
        else:
            homes[me] = nests.pop()
        for operand in item.inputs:
            readers.setdefault(id(operand.base), []).append(item)
    return homes


def _is_fusable(node: Node, alone: dict[int, str]) -> bool:
    if alone.get(id(node), "").endswith("!"):
        return False
    return node.op is COPY or node.op in FOLDS or node.op.kind is Kind.ELEMENTWISE


def _trace_all(
    items: list[Item], homes: dict[int, int], alone: dict[int, str], supports: Supports
) -> list[Group | Item]:
    stops = {me for me, home in homes.items() if me == home}
    groups: list[Group | Item] = []
    for item in items:
        node = item.node
        if homes[id(node)] != id(node):
            continue
        if not _is_fusable(node, alone):
            groups.append(item)
            continue
        if prod(node.shape) == 0:
            groups.append(Item(NOTHING, item.reason, (), (node,)))
            continue
        reason = alone.get(id(node), item.reason)
        try:
            groups.append(_trace(node, stops, reason, supports))
        except Cut as cut:
            if cut.node is node:
                raise _Again(node, f"{cut.reason}!") from None
            raise _Again(cut.node, cut.reason) from None
    return groups


def _trace(node: Node, stops: set[int], reason: str, supports: Supports) -> Group:
    """The kernel of ``node``: first as a nest that folds, if there is something to fold."""
    fold = _first_fold(node, stops)
    if fold is None:
        trace = Trace(node.shape, False, stops, supports)
        trace.want(node, View.contiguous(node.shape))
        return _group(trace, (node,), reason)
    source = fold.srcs[0].shape
    axes, _ = fold.arg
    extent = prod([source[axis] for axis in axes])
    trailing = tuple(range(len(source) - len(axes), len(source)))
    if node.shape == source and tuple(sorted(axes)) == trailing:
        shape = (*source[: len(source) - len(axes)], extent)
        view = View.contiguous(shape)
    elif node.numel == fold.numel:
        shape = (*node.shape, extent)
        view = View.contiguous(node.shape).expand_dims(len(node.shape)).expand(shape)
    else:
        raise Cut(fold, "its result is read at another shape")
    trace = Trace(shape, True, stops, supports)
    trace.want(node, view)
    found = _group(trace, (node,), reason)
    if found.nest.folds_all and found.extents[0] > CHUNK:
        _check_one_pass(trace)
    return found


def _check_one_pass(trace: Trace) -> None:
    """Raise if a fold of everything needs another one first: threads would have to wait for it."""
    after: set[int] = set()
    for number, step in enumerate(trace.steps):
        if number in trace.folded and after.intersection(step.args):
            inner = next(n for n in trace.folded if n in _below(trace.steps, number))
            raise Cut(trace.folded[inner], "another pass over everything needs it first")
        if number in trace.folded or after.intersection(step.args):
            after.add(number)


def _below(steps: list[Step], number: int) -> set[int]:
    """The steps that step ``number`` needs."""
    found: set[int] = set()
    todo = list(steps[number].args)
    while todo:
        here = todo.pop()
        if here not in found:
            found.add(here)
            todo.extend(steps[here].args)
    return found


def _first_fold(node: Node, stops: set[int]) -> Node | None:
    """The first reduction that would be computed inside the kernel of ``node``."""
    todo, seen = [node], set()
    while todo:
        here = todo.pop()
        if id(here) in seen or here.block is not None or (here is not node and id(here) in stops):
            continue
        seen.add(id(here))
        if here.op in FOLDS:
            return here
        todo.extend([src.base for src in here.srcs])
    return None


def _group(trace: Trace, outputs: tuple[Node, ...], reason: str) -> Group:
    """The finished kernel: axes of one element left out, axes that memory continues merged."""
    ndim = len(trace.shape)
    strides = [reach.view.stride for reach in trace.reaches]
    axes: list[tuple[int, ...]] = []
    last = ndim - 1 if trace.folds else ndim
    for axis in range(ndim):
        if trace.shape[axis] == 1 and axis != last:
            continue
        if axes and axis != last:
            before = axes[-1][-1]
            if all(step[before] == step[axis] * trace.shape[axis] for step in strides):
                axes[-1] = (*axes[-1], axis)
                continue
        axes.append((axis,))
    if not axes:
        axes.append(())
    extents = tuple([prod([trace.shape[axis] for axis in merged]) for merged in axes])
    slots, reaches = [], []
    for reach, step in zip(trace.reaches, strides, strict=True):
        merged = tuple([step[part[-1]] if part else 0 for part in axes])
        classes = tuple(map(_stride_class, merged, extents))
        slots.append(Slot(reach.node.dtype, classes))
        reaches.append(Reach(reach.node, View(extents, merged, reach.view.offset), reach.is_index))
    steps = tuple([_on_axis(step, len(axes) - 1) for step in trace.steps])
    nest = Nest(len(axes), tuple(slots), steps, tuple([s.dtype for s in trace.scalars]))
    return Group(nest, extents, tuple(reaches), tuple(trace.scalars), outputs, reason)


def _on_axis(step: Step, axis: int) -> Step:
    if step.op not in FOLDS:
        return step
    return Step(step.op, step.args, step.dtype, type(step.arg)(axis, step.arg.sequential))


def _stride_class(stride: int, extent: int) -> int:
    """0, 1 or -1 for such a stride, 2 for any other; along one element nothing moves."""
    if extent == 1:
        return 0
    return stride if stride in (0, 1, -1) else 2
