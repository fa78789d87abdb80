"""Layered layout: where the nodes of an acyclic graph go, so that all edges lead downwards.

After Sugiyama, Tagawa, Toda (1981): a layer for each node by its longest path from a source, an
order inside each layer by the barycentre of its neighbours, coordinates by weighted least squares.
Edges over several layers pass through *bends*, nodes without content. All steps take linear time,
but for sorting. Pure: knows numbers of nodes and their widths.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

GAP = 28.0
"""Between neighbours in a layer."""
BEND = 10.0
"""The width of a bend."""
MOST_BENDS = 20_000
"""With more than this, edges go straight."""
_STIFF = 6.0
"""How much more a bend counts than a node when columns are aligned."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Centres of nodes, the layer of each, and the way of each edge, as nodes and bends."""

    x: list[float]
    layer: list[int]
    routes: list[list[int]]
    """Numbers of nodes and bends; bends come after the nodes in ``x`` and ``layer``."""


def place(
    widths: Sequence[float], edges: Sequence[tuple[int, int]], first: Sequence[int]
) -> Placed:
    """Where nodes of these widths go; ``first`` is the layer that a node without edges gets."""
    layer = _layers(len(widths), edges, first)
    spans = [layer[target] - layer[source] for source, target in edges]
    has_bends = sum(spans) - len(spans) <= MOST_BENDS
    all_widths = list(widths)
    routes = []
    for (source, target), span in zip(edges, spans, strict=True):
        route = [source]
        for step in range(1, span if has_bends else 1):
            route.append(len(all_widths))
            all_widths.append(BEND)
            layer.append(layer[source] + step)
        routes.append([*route, target])
    links = [pair for route in routes for pair in pairwise(route)]
    above: list[list[int]] = [[] for _ in all_widths]
    below: list[list[int]] = [[] for _ in all_widths]
    for one, two in links:
        below[one].append(two)
        above[two].append(one)
    rows = _ordered(layer, above, below)
    x = _columns(rows, all_widths, above, below, len(widths))
    return Placed(x, layer, routes)


def _layers(count: int, edges: Sequence[tuple[int, int]], first: Sequence[int]) -> list[int]:
    """The layer of each node: below all that lead to it; sources just above what they lead to."""
    outgoing: list[list[int]] = [[] for _ in range(count)]
    waits = [0] * count
    for source, target in edges:
        outgoing[source].append(target)
        waits[target] += 1
    layer = list(first)
    ready = [node for node in range(count) if not waits[node]]
    roots = [node for node in ready if outgoing[node]]
    for node in ready:  # which grows
        for target in outgoing[node]:
            layer[target] = max(layer[target], layer[node] + 1)
            waits[target] -= 1
            if not waits[target]:
                ready.append(target)
    for node in roots:
        layer[node] = min([layer[target] for target in outgoing[node]]) - 1
    least = min(layer, default=0)
    return [one - least for one in layer]


def _ordered(
    layer: Sequence[int], above: list[list[int]], below: list[list[int]]
) -> list[list[int]]:
    """The nodes of each layer from left to right, in the best order of a few sweeps."""
    rows: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
    for node in _depth_first(layer, above, below):
        rows[layer[node]].append(node)
    place = [0.0] * len(layer)
    _number(rows, place)
    best, fewest = [list(row) for row in rows], _crossings(rows, below, place)
    for sweep in range(12 if len(layer) < 5000 else 3):
        neighbours = above if sweep % 2 == 0 else below
        for row in rows if sweep % 2 == 0 else reversed(rows):
            row.sort(key=lambda node: _barycentre(node, neighbours, place))
            for at, node in enumerate(row):
                place[node] = at
        crossings = _crossings(rows, below, place)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
        if not fewest:
            break
    return best


def _depth_first(layer: Sequence[int], above: list[list[int]], below: list[list[int]]) -> list[int]:
    """All nodes, near ones near one another: from each sink upwards, operands in their order."""
    order: list[int] = []
    seen = [False] * len(layer)
    for sink in [node for node in range(len(layer)) if not below[node]]:
        todo = [sink]
        while todo:
            node = todo.pop()
            if not seen[node]:
                seen[node] = True
                order.append(node)
                todo.extend(reversed(above[node]))
    return order


def _number(rows: list[list[int]], place: list[float]) -> None:
    for row in rows:
        for at, node in enumerate(row):
            place[node] = at


def _barycentre(node: int, neighbours: list[list[int]], place: list[float]) -> float:
    found = neighbours[node]
    return sum([place[one] for one in found]) / len(found) if found else place[node]


def _crossings(rows: list[list[int]], below: list[list[int]], place: list[float]) -> int:
    """How many pairs of edges between neighbouring layers cross."""
    total = 0
    for row in rows:
        ends: list[float] = []
        for node in row:
            targets = sorted([place[one] for one in below[node]])
            for target in targets:
                total += len(ends) - bisect_right(ends, target)
            for target in targets:
                insort(ends, target)
    return total


def _columns(
    rows: list[list[int]],
    widths: Sequence[float],
    above: list[list[int]],
    below: list[list[int]],
    count: int,
) -> list[float]:
    """The centre of each node: near its neighbours', and no two too close."""
    x = [0.0] * len(widths)
    for row in rows:
        at = 0.0
        for node in row:
            x[node] = at + widths[node] / 2
            at += widths[node] + GAP
        shift = (at - GAP) / 2
        for node in row:
            x[node] -= shift
    for sweep in range(16 if len(widths) < 5000 else 4):
        neighbours = above if sweep % 2 == 0 else below
        for row in rows if sweep % 2 == 0 else reversed(rows):
            wanted, weights = [], []
            for node in row:
                near = neighbours[node]
                wanted.append(sum([x[one] for one in near]) / len(near) if near else x[node])
                is_chain = len(above[node]) == len(below[node]) == 1
                weight = _STIFF if node >= count else 2.0 if is_chain else 1.0
                weights.append(weight if near else 0.1)
            gaps = [(widths[one] + widths[two]) / 2 + GAP for one, two in pairwise(row)]
            for node, at in zip(row, _apart(wanted, weights, gaps), strict=True):
                x[node] = at
    return x


def _apart(wanted: list[float], weights: list[float], gaps: list[float]) -> list[float]:
    """The positions nearest to those wanted that keep the gaps, by least squares.

    Less the gaps so far, positions only have to be in order: an isotonic regression, which merging
    neighbours that are out of order solves.

    >>> _apart([0.0, 0.0], [1.0, 1.0], [10.0])
    [-5.0, 5.0]
    """
    offsets = [0.0]
    for gap in gaps:
        offsets.append(offsets[-1] + gap)
    pools: list[tuple[float, float, int]] = []
    for at, weight, offset in zip(wanted, weights, offsets, strict=False):
        mean, total, count = at - offset, weight, 1
        while pools and pools[-1][0] > mean:
            other, more, members = pools.pop()
            mean = (mean * total + other * more) / (total + more)
            total, count = total + more, count + members
        pools.append((mean, total, count))
    found = [mean for mean, _, count in pools for _ in range(count)]
    return [mean + offset for mean, offset in zip(found, offsets, strict=False)]
