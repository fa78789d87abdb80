"""Merging: kernels that run over the same space and read the same memory, as one.

Two kernels are merged if one reads what the other computes, or both read something that is in
memory or computed elsewhere; if the results of both can be stored in one space; and if no third
kernel would have to run between them. What only the merged kernel itself reads needs no memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from onebuf.graph import Node
from onebuf.scheduler.trace.iteration_space import Space

MOST_OUTPUTS = 8
"""More results than this are not written in one pass: memory takes only so many streams."""
MOST_WAITS = 4
"""So many folds, each of which waits for the one before, are done by a kernel."""
MOST_NODES = 100
"""More operations than this are not merged; `onebuf.scheduler.trace.tracer` limits steps."""


@dataclass(frozen=True, slots=True, eq=False)
class Root:
    """A node that is computed by a kernel of its own, unless it is merged with others."""

    node: Node
    space: Space | None
    """None: it is never merged."""
    reads: frozenset[int]
    """The roots, by the ids of their nodes, that it reads."""
    memory: frozenset[int]
    """What it reads of stored memory, by id."""
    count: int
    """How many operations are computed in it."""
    folds: int = 0
    """How many of these fold."""


@dataclass(slots=True, eq=False)
class Cluster:
    """Roots that one kernel computes; ``before`` has a bit for each cluster that has to be done."""

    number: int
    roots: list[Root]
    space: Space | None
    before: int


def merge(roots: Sequence[Root], apart: set[int]) -> list[list[Root]]:
    """The roots of each kernel, in an order in which kernels can run; ``apart`` stay alone."""
    merger = _Merger(apart)
    for root in _sorted(roots):
        merger.add(root)
    return merger.ordered()


def cluster_space(roots: Sequence[Root]) -> Space:
    """The space in which all of ``roots`` are computed."""
    spaces = [root.space for root in roots if root.space is not None]
    return next((space for space in spaces if space.extent is not None), spaces[0])


class _Merger:
    def __init__(self, apart: set[int]) -> None:
        self.apart = apart
        self.clusters: list[Cluster] = []
        self.home: dict[int, Cluster] = {}
        self.readers: dict[int, Cluster] = {}
        """The last cluster that read some memory, or a root, by id."""

    def add(self, root: Root) -> None:
        """Put ``root`` into a cluster, an old one or its own."""
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
        """The space in which ``root`` can join ``cluster``, if there is one."""
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
        """Whether a cluster that is needed needs ``cluster`` itself."""
        bit = 1 << cluster.number
        return any(self.clusters[n].before & bit for n in needed if n != cluster.number)

    def _update(self, cluster: Cluster, before: int) -> None:
        """Everything after ``cluster`` now comes after ``before`` as well."""
        bit = 1 << cluster.number
        assert not before & bit, "a kernel would have to run before itself"
        cluster.before = before
        for other in self.clusters:
            if other.before & bit:
                other.before |= before

    def ordered(self) -> list[list[Root]]:
        """The clusters, each after those that it needs, and otherwise as they came."""
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
    """Roots after those that they read, and otherwise as they came."""
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
