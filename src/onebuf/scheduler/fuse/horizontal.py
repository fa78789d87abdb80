"""Horizontal fusion: kernels over one iteration space that read the same memory become one.

Two kernels are fused if one reads what the other computes, or both read the same memory or the
result of the same third kernel; if one iteration space can store the results of both; and if no
third kernel has to run between them. A result that only the fused kernel reads needs no memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from onebuf.graph import Node
from onebuf.scheduler.trace.iteration_space import Space

MOST_OUTPUTS = 8
"""More results than this are not written in one pass: memory takes only so many streams."""
MOST_WAITS = 4
"""The longest chain of folds, each of which needs the one before, in a kernel."""
MOST_NODES = 100
"""The most operations of a fused kernel; `onebuf.scheduler.trace.tracer` limits its steps."""


@dataclass(frozen=True, slots=True, eq=False)
class Root:
    """A node whose result has memory, with the operations that are computed for it alone."""

    node: Node
    space: Space | None
    """Its iteration space; None: it is never fused with other roots."""
    reads: frozenset[int]
    """The roots, by the ids of their nodes, that it reads."""
    memory: frozenset[int]
    """The blocks, by id, that it reads."""
    count: int
    """The number of its operations."""
    folds: int = 0
    """The number of its folds."""


@dataclass(slots=True, eq=False)
class Cluster:
    """Roots that one kernel computes; ``before`` has a bit for each cluster that runs earlier."""

    number: int
    roots: list[Root]
    space: Space | None
    before: int


def fuse_horizontally(roots: Sequence[Root], apart: set[int]) -> list[list[Root]]:
    """The roots of each kernel, in an order in which kernels can run; ``apart`` stay alone."""
    fusion = _HorizontalFusion(apart)
    for root in _sorted(roots):
        fusion.add(root)
    return fusion.ordered()


def cluster_space(roots: Sequence[Root]) -> Space:
    """The iteration space in which all of ``roots`` are computed."""
    spaces = [root.space for root in roots if root.space is not None]
    return next((space for space in spaces if space.extent is not None), spaces[0])


class _HorizontalFusion:
    def __init__(self, apart: set[int]) -> None:
        self.apart = apart
        self.clusters: list[Cluster] = []
        self.home: dict[int, Cluster] = {}
        self.readers: dict[int, Cluster] = {}
        """The last cluster that read a block or a root, by its id."""

    def add(self, root: Root) -> None:
        """Put ``root`` into a cluster that fits, or into a new one."""
        needed = {self.home[read].number for read in root.reads}
        target = self._fitting(root, needed)
        if target is None:
            target = Cluster(len(self.clusters), [], root.space, 0)
            self.clusters.append(target)
        target.roots.append(root)
        before = target.before
        for number in needed - {target.number}:
            before |= self.clusters[number].before | 1 << number
        if len(target.roots) == 1:
            target.before = before
        elif before != target.before:
            self._update(target, before)
        self.home[id(root.node)] = target
        for read in (*root.reads, *root.memory):
            self.readers[read] = target

    def _fitting(self, root: Root, needed: set[int]) -> Cluster | None:
        if root.space is None or id(root.node) in self.apart:
            return None
        producers = [self.clusters[number] for number in sorted(needed, reverse=True)]
        shared = [self.readers.get(read) for read in sorted((*root.reads, *root.memory))]
        siblings = sorted({c.number for c in shared if c is not None} - needed, reverse=True)
        for cluster in (*producers, *[self.clusters[number] for number in siblings]):
            space = self._common(cluster, root, cluster.number in needed)
            if space is not None and not self._is_cyclic(cluster, needed):
                cluster.space = space
                return cluster
        return None

    def _common(self, cluster: Cluster, root: Root, is_read: bool) -> Space | None:
        """The iteration space in which ``root`` can be part of ``cluster``, if there is one."""
        one, two = cluster.space, root.space
        if one is None or two is None or any(id(r.node) in self.apart for r in cluster.roots):
            return None
        if len(cluster.roots) >= MOST_OUTPUTS:
            return None
        if is_read and root.folds + sum(other.folds for other in cluster.roots) > MOST_WAITS:
            return None
        if root.count + sum(other.count for other in cluster.roots) > MOST_NODES:
            return None
        if one.extent is not None and two.extent is not None and one != two:
            return None
        space = two if one.extent is None else one
        shapes = [other.node.shape for other in (*cluster.roots, root)]
        if any(space.view(shape) is None for shape in shapes):
            return None
        if space.is_long:
            passes = is_read and two.extent is not None
            if passes or any(space.with_rows(shape) for shape in shapes):
                return None
        return space

    def _is_cyclic(self, cluster: Cluster, needed: set[int]) -> bool:
        """Whether one of the ``needed`` clusters needs ``cluster`` itself."""
        bit = 1 << cluster.number
        return any(self.clusters[n].before & bit for n in needed if n != cluster.number)

    def _update(self, cluster: Cluster, before: int) -> None:
        """Let ``cluster``, and all clusters after it, run after those of ``before``."""
        bit = 1 << cluster.number
        assert not before & bit, "a kernel would have to run before itself"
        cluster.before = before
        for other in self.clusters:
            if other.before & bit:
                other.before |= before

    def ordered(self) -> list[list[Root]]:
        """The clusters in topological order, otherwise in the order of creation."""
        done, order = 0, []
        todo = list(reversed(self.clusters))
        while todo:
            cluster = todo.pop()
            if done >> cluster.number & 1:
                continue
            missing = _bits(cluster.before & ~done)
            if missing:
                todo.append(cluster)
                todo.extend([self.clusters[number] for number in reversed(missing)])
                continue
            done |= 1 << cluster.number
            order.append(cluster.roots)
        return order


def _bits(word: int) -> list[int]:
    return [number for number in range(word.bit_length()) if word >> number & 1]


def _sorted(roots: Sequence[Root]) -> Iterable[Root]:
    """The roots in topological order, otherwise in the order given."""
    by_id = {id(root.node): root for root in roots}
    places = {id(root.node): place for place, root in enumerate(roots)}
    done: set[int] = set()
    todo = list(reversed(roots))
    while todo:
        root = todo.pop()
        if id(root.node) in done:
            continue
        missing = [read for read in root.reads if read not in done]
        if missing:
            todo.append(root)
            missing.sort(key=lambda read: -places[read])
            todo.extend([by_id[read] for read in missing])
            continue
        done.add(id(root.node))
        yield root
