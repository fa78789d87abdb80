"""Regions: the graph of a call, cut where the function read a value.

A region computes what was read at its end, and besides every value on the way there that a later
region needs: those are leaves then, so nothing is computed twice.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from onebuf.capture.program import Program, blank, stand_in
from onebuf.engine import force
from onebuf.engine.plan.decide import ReadFirst
from onebuf.graph import INPUT, MOVE, VIEW, Kind, Node, is_stored
from onebuf.machine import Tracer
from onebuf.tracing import Parameter, Rebuild, Trace

Streams = Mapping[Any, tuple[Any, ...]]
Compute = Callable[[Sequence[Node], Streams], list[Node]]
"""From the leaves of a region, and new random streams for old, to its results, stored."""


class Region:
    """A part of a capture: what it computes, as nodes of the trace, and how."""

    def __init__(
        self, compute: Compute, program: Program | None = None, transfers: int = 0
    ) -> None:
        self.compute = compute
        self.transfers = transfers
        """How often elements go from one device to another: each ends a batch of kernels."""
        self.program = program
        """The plan that it runs; None: its graph is built anew each time."""

    def describe(self) -> str:
        """What it does, in words."""
        if self.program is None:
            between = f", {self.transfers} transfers between devices" if self.transfers else ""
            return f"planned at each call{between}"
        return f"{len(self.program.plan.steps)} kernels"


def cut(
    trace: Trace,
    parameters: Mapping[int, int],
    given: Sequence[Node],
    ends: Sequence[list[Node]],
    writes: Mapping[int, int],
    donated: Collection[int] = (),
) -> list[Region]:
    """The regions that compute each of ``ends``, in order.

    ``parameters`` has the number of each parameter, by id, that stands for one of the nodes
    ``given``. A region's leaves are these, and then all that the regions before it computed. The
    last region ends with what is written: ``writes`` has the number of its result for each leaf.
    After it, leaves that are ``donated``, by number, are not needed.
    """
    leaves: dict[int, int] = {}
    """The nodes that are leaves by now, by id: their numbers."""
    like = [stand_in(node) if node.array is not None else node for node in given]
    regions = []
    for number, wanted in enumerate(ends):
        later = [node for others in ends[number + 1 :] for node in others]
        found = [*wanted, *_shared(wanted, later, leaves)]
        is_last = number == len(ends) - 1
        ending = (writes, donated) if is_last else ({}, ())
        regions.append(_region(trace, parameters, like, leaves, found, *ending))
        for node in found:
            leaves[id(node)] = len(like)
            like.append(blank(node.shape, node.dtype))
    return regions


def _region(
    trace: Trace,
    parameters: Mapping[int, int],
    like: Sequence[Node],
    leaves: Mapping[int, int],
    wanted: list[Node],
    writes: Mapping[int, int],
    donated: Collection[int],
) -> Region:
    leaves = dict(leaves)

    def nodes_on(given: Sequence[Node], streams: Streams) -> list[Node]:
        def value_of(parameter: Parameter) -> Node:
            number = parameters.get(id(parameter))
            return parameter.node if number is None else given[number]

        known = {me: given[number] for me, number in leaves.items()}
        return Rebuild(trace, value_of, known, streams).all(wanted)

    def compute(given: Sequence[Node], streams: Streams) -> list[Node]:
        nodes = nodes_on(given, streams)
        for node in nodes:
            if not is_stored(node):
                force(node)
        return nodes

    transfers = sum(node.op is MOVE for node in _below(wanted, leaves).values())
    if all(node.array is not None for node in like) and not transfers:
        try:
            program = Program(like, nodes_on(like, {}), writes, donated)
        except ReadFirst:
            return Region(compute)
        return Region(program.run, program)
    return Region(compute, None, transfers)


def _shared(wanted: Sequence[Node], later: Sequence[Node], leaves: Mapping[int, int]) -> list[Node]:
    """What is computed for ``wanted`` and needed for ``later``: the last of it on each way."""
    mine = _below(wanted, leaves)
    ends = {id(node) for node in wanted}
    found: dict[int, Node] = {}
    roots = [node.base for node in later]
    others = _below(later, leaves)
    operands = [src.base for me, node in others.items() if me not in mine for src in node.srcs]
    for node in [*roots, *operands]:
        if id(node) in mine and id(node) not in ends and _is_computed(node):
            found[id(node)] = node
    return list(found.values())


def _is_computed(node: Node) -> bool:
    return isinstance(node.device, Tracer) and node.op is not INPUT and node.op is not VIEW


def _below(roots: Sequence[Node], leaves: Mapping[int, int]) -> dict[int, Node]:
    """The nodes that ``roots`` are computed by, without leaves, by id."""
    found: dict[int, Node] = {}
    todo = list(roots)
    while todo:
        node = todo.pop()
        if id(node) in found or id(node) in leaves or node.op.kind is Kind.CONSTANT:
            continue
        found[id(node)] = node
        todo.extend(node.srcs)
    return found
