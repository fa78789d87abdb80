"""Fusion: which operations become one kernel, and why the others do not.

An operation whose result only one kernel needs is computed inside that kernel. A node has memory of
its own if it is asked for, if two kernels read it and `onebuf.scheduler.fuse.recompute` has it
computed only once, or if the trace cannot inline it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from onebuf.dtypes import kind
from onebuf.graph import ARANGE, CAST, FULL, WRITE, Kind, Node
from onebuf.kernel import FOLDS, SCANS, Nest
from onebuf.scheduler.fuse.concat import (
    CONCATS,
    ConcatKernel,
    check_in_place,
    is_computed,
    regions,
    trace_part,
)
from onebuf.scheduler.fuse.group import Group
from onebuf.scheduler.fuse.homes import Reason, homes_of, is_fusable
from onebuf.scheduler.fuse.horizontal import Root, cluster_space, fuse_horizontally
from onebuf.scheduler.fuse.matmul import Fused
from onebuf.scheduler.fuse.merged_axes import merged
from onebuf.scheduler.fuse.recompute import recomputed
from onebuf.scheduler.fuse.streamed_fold import StreamedFold, is_streamable, stand_ins
from onebuf.scheduler.items import ASKED_FOR, NOTHING, Item, schedule
from onebuf.scheduler.read_through import reading
from onebuf.scheduler.trace.gather import MovingTrace
from onebuf.scheduler.trace.iteration_space import Space
from onebuf.scheduler.trace.scans import space_of
from onebuf.scheduler.trace.tracer import ON_DEMAND_OPERAND, Cut, Supports, below, lacking

MANY_ITEMS = 128
"""Of more items than this, an attempt at fusion finds more than one cut."""


class CutOff(NamedTuple):
    """A `Cut` without its traceback, which would keep nodes alive, and the cluster it is from."""

    node: Node
    reason: str
    always: bool
    cluster: list[Root]


class NotInlined(Exception):
    """An on-demand expression cannot be part of the kernel that folds it."""


def group(
    wanted: Sequence[Node], supports: Supports, own: bool = False
) -> list[Group | ConcatKernel | Item]:
    """Kernels, and items for what has no kernel, that make every node of ``wanted`` readable."""
    items = schedule(wanted, own)
    found = group_items(items, roots_of(wanted, items), supports)
    return [work for work in found if not isinstance(work, StreamedFold)]


def group_items(
    items: list[Item], roots: set[int], supports: Supports, streams: bool = False
) -> list[Fused]:
    """Kernels, and items for what has no kernel, that do the work of ``items``.

    ``roots`` are the nodes, by id, that need memory because they are asked for. With ``streams``,
    there may be streamed folds among them. `NotInlined` if a fold needs elements made beforehand.
    """
    if all(not is_fusable(item.node, {}) for item in items):
        return list(items)
    grouping = _Grouping(items, roots, supports, streams)
    while True:
        found, cuts = grouping.attempt()
        if not cuts:
            return found
        for cut in cuts:
            grouping.cut(cut)


def single(item: Item, supports: Supports) -> Group | Item:
    """The unfused kernel of an item, on operands in memory; the item itself if it has none."""
    node = item.node
    if not is_fusable(node, {}) or not node.numel:
        return item
    bases = [operand.base for operand in item.inputs]
    stops = {id(base) for base in bases if base.op.kind is not Kind.CONSTANT}
    try:
        folds = [node] if node.op in FOLDS or node.op in SCANS else []
        space = space_of(node, folds)
        return _trace(space, [node], [node], stops, item.reason, supports)
    except Cut:
        return item


def generated(item: Item, supports: Supports) -> Group | Item:
    """The kernel of a FULL or ARANGE, for a device; any other item as it is."""
    node = item.node
    if node.op is not FULL and (node.op is not ARANGE or kind(node.dtype) not in "iu"):
        return item
    if not node.numel or not supports(CAST, (node.dtype,), node.dtype):
        return item
    return _trace(space_of(node, []), [node], [node], set(), item.reason, supports)


def roots_of(wanted: Sequence[Node], items: list[Item]) -> set[int]:
    """The nodes, by id, that need memory because they, or views of them, are asked for."""
    computed = {id(item.node) for item in items}
    bases = [node.base for node in wanted]
    pairs = zip(bases, wanted, strict=True)
    return {id(base if id(base) in computed else reading(node).base) for base, node in pairs}


class _Grouping:
    """Attempts at fusing some items; each avoids the cuts of those before."""

    def __init__(
        self, items: list[Item], roots: set[int], supports: Supports, streams: bool
    ) -> None:
        self.streams = streams
        self.streamed: set[int] = set()
        """Folds, by id, whose operand is made block by block."""
        self.items = items
        self.roots = roots
        self.supports = supports
        self.alone: dict[int, Reason] = {}
        """Why some nodes, by id, are computed on their own."""
        for item in items:
            lacks = lacking(item.node, [src.dtype for src in item.node.srcs], supports)
            if lacks is not None:
                self.alone[id(item.node)] = Reason(lacks, has_kernel=False)
        self.apart: set[int] = set()
        """Nodes, by id, that horizontal fusion leaves alone."""
        self._kernels: dict[Any, Group] = {}
        """The kernels of earlier attempts, by the ids of what they compute and read."""

    def attempt(self) -> tuple[list[Fused], list[CutOff]]:
        """All kernels; or where one is not possible, the cuts that are needed.

        A small graph is tried again after its first cut, which may make others superfluous. In a
        large one there is a cut like it in every layer, and each costs time for all of them.
        """
        homes, shared = homes_of(self.items, self.roots, self.alone)
        stops = {me for me, home in homes.items() if me == home}
        stops -= recomputed(shared, stops)
        by_id = {id(item.node): item for item in self.items}
        cuts: dict[int, CutOff] = {}
        roots: list[Root] = []
        for item in self.items:
            if id(item.node) in stops:
                try:
                    roots.append(self._root(item, stops))
                except Cut as cut:
                    cuts.setdefault(id(cut.node), CutOff(cut.node, cut.reason, cut.always, []))
                    if len(self.items) <= MANY_ITEMS:
                        break
        if cuts:
            return [], list(cuts.values())
        roots = self._needed(roots)
        clusters = fuse_horizontally(roots, self.apart)
        readers: dict[int, set[int]] = {}
        for root in roots:
            for me in root.reads:
                readers.setdefault(me, set()).add(id(root.node))
        found: list[Fused] = []
        most = 1 if len(self.items) <= MANY_ITEMS else len(clusters)
        for cluster in clusters:
            try:
                found.append(self._compute(cluster, by_id, stops, readers))
            except Cut as cut:
                cuts.setdefault(id(cut.node), CutOff(cut.node, cut.reason, cut.always, cluster))
                if len(cuts) == most:
                    break
        return found, list(cuts.values())

    def cut(self, cut: CutOff) -> None:
        """Let the next attempt compute the node of a cut on its own, or its cluster unfused."""
        me = id(cut.node)
        members = {id(root.node) for root in cut.cluster}
        if cut.reason == ON_DEMAND_OPERAND and cut.node.op in FOLDS:
            if not self.streams or me in self.streamed or not is_streamable(cut.node):
                raise NotInlined
            self.streamed.add(me)
            self.apart.add(me)
            self.alone[me] = Reason(cut.reason)
            return
        if len(members) > 1 and (me in members or not cut.always):
            self.apart |= members
            return
        reason = Reason(cut.reason, has_kernel=me not in members)
        if self.alone.get(me) == reason:
            raise RuntimeError(f"{cut.node} was cut off before: {cut.reason}")
        self.alone[me] = reason
        if all(item.node is not cut.node for item in self.items):
            operands = tuple([reading(src) for src in cut.node.srcs])
            self.items.append(Item(cut.node.op.kind, cut.reason, operands, (cut.node,)))

    def _root(self, item: Item, stops: set[int]) -> Root:
        node = item.node
        if not is_fusable(node, self.alone):
            reads = {id(operand.base) for operand in item.inputs} & stops
            return Root(node, None, frozenset(reads), frozenset(), 1)
        folds, root = _walk(node, stops)
        if node.numel == 0 or node.op in CONCATS or id(node) in self.streamed:
            return replace(root, space=None)
        return replace(root, space=space_of(node, folds))

    def _needed(self, roots: list[Root]) -> list[Root]:
        """The roots that are asked for, and those that they read."""
        by_id = {id(root.node): root for root in roots}
        found: set[int] = set()
        todo = [me for me in by_id if me in self.roots]
        while todo:
            me = todo.pop()
            if me not in found:
                found.add(me)
                todo.extend(by_id[me].reads)
        return [root for root in roots if id(root.node) in found]

    def _compute(
        self,
        cluster: list[Root],
        by_id: dict[int, Item],
        stops: set[int],
        readers: dict[int, set[int]],
    ) -> Fused:
        nodes = [root.node for root in cluster]
        first = by_id[id(nodes[0])]
        if not is_fusable(nodes[0], self.alone):
            return first
        if nodes[0].numel == 0:
            return Item(NOTHING, first.reason, (), (nodes[0],))
        if nodes[0].op in CONCATS:
            return self._concat(nodes[0], stops, self._reason(nodes, by_id))
        if id(nodes[0]) in self.streamed:
            return self._streamed(nodes[0], stops, self._reason(nodes, by_id))
        members = {id(node) for node in nodes}
        outputs = [
            node
            for node in nodes
            if id(node) in self.roots or not readers.get(id(node), members) <= members
        ]
        reads = frozenset().union(*[root.reads for root in cluster])
        key = (frozenset(members), reads, tuple(map(id, outputs)))
        if key not in self._kernels:
            space = cluster_space(cluster)
            reason = self._reason(outputs, by_id)
            self._kernels[key] = _trace(
                space, nodes, outputs, stops - members, reason, self.supports
            )
        return self._kernels[key]

    def _concat(self, node: Node, stops: set[int], reason: str) -> ConcatKernel:
        parts = []
        for src, region in regions(node):
            folds = _walk(src, stops)[0] if is_computed(src, stops) else []
            trace, space = trace_part(node, src, region, folds, stops, self.supports)
            parts.append(_finished(trace, space, (node,), reason))
        if node.op is WRITE:
            check_in_place(node, parts[0], stops)
        return ConcatKernel(tuple(parts), (node,), reason)

    def _streamed(self, node: Node, stops: set[int], reason: str) -> StreamedFold:
        made, row, fold = stand_ins(node)
        folds, _ = _walk(made, stops)
        if folds:
            raise NotInlined(f"{node.op.name} of what {folds[0].op.name} gives")
        try:
            blocks = _trace(space_of(made, []), [made], [made], stops, reason, self.supports)
        except Cut as cut:
            if cut.node is made:
                raise NotInlined from cut
            raise
        whole = _trace(space_of(fold, [fold]), [fold], [fold], {id(row)}, reason, self.supports)
        return StreamedFold(blocks, whole, (node,), reason)

    def _reason(self, outputs: list[Node], by_id: dict[int, Item]) -> str:
        for node in outputs:
            if id(node) in self.alone:
                return self.alone[id(node)].text
        if any(id(node) in self.roots for node in outputs):
            return ASKED_FOR
        return by_id[id(outputs[0])].reason


def _trace(
    space: Space,
    nodes: list[Node],
    outputs: list[Node],
    stops: set[int],
    reason: str,
    supports: Supports,
) -> Group:
    """The kernel that computes ``nodes`` in the iteration ``space`` and stores ``outputs``."""
    views = {id(node): space.view(node.shape) for node in nodes}
    results = {me: view for me, view in views.items() if view is not None}
    trace = MovingTrace(space.shape, len(space.folds), stops, supports, results)
    values = [trace.value(node, results[id(node)]) for node in outputs]
    for node, value in zip(outputs, values, strict=True):
        trace.store(node, value)
    return _finished(trace, space, tuple(outputs), reason)


def _finished(trace: MovingTrace, space: Space, outputs: tuple[Node, ...], reason: str) -> Group:
    found = merged(trace, outputs, reason)
    if space.is_long:
        _check_one_pass(trace, found.nest)
    return found


def _check_one_pass(trace: MovingTrace, nest: Nest) -> None:
    """Raise if a second pass needs a fold of everything first: threads would need a barrier."""
    after: set[int] = set()
    for number, step in enumerate(trace.steps):
        again = number in trace.folded or nest.depths[number] > 0
        if again and number not in trace.within and after.intersection(step.args):
            inner = next(n for n in trace.folded if n in below(trace.steps, number))
            first = trace.folded[inner]
            raise Cut(first, "another pass over everything needs it first", always=True)
        if number in trace.folded or after.intersection(step.args):
            after.add(number)


def _walk(node: Node, stops: set[int]) -> tuple[list[Node], Root]:
    """The folds and scans that are computed inside the kernel of ``node``, and its root."""
    folds: list[Node] = []
    todo, seen = [node], set()
    reads, memory = set(), set()
    while todo:
        here = todo.pop()
        if id(here) in seen:
            continue
        seen.add(id(here))
        if here.block is not None:
            memory.add(id(here.block))
        elif here is not node and id(here) in stops:
            reads.add(id(here))
        else:
            if here.op in FOLDS or here.op in SCANS:
                folds.append(here)
            todo.extend([src.base for src in here.srcs])
    return folds, Root(node, None, frozenset(reads), frozenset(memory), len(seen), len(folds))
