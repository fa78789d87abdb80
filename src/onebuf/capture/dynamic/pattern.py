"""Patterns: the graph of a function for any lengths, found by comparing its graphs for some.

The graphs of the samples are walked together, from what they compute down to what they are given.
They have to be the same operations, wired in the same way, with shapes and arguments that are
functions of the lengths (`onebuf.capture.dynamic.fit`). A view that is all of its base in one
sample, and has therefore no node there, counts as a view nevertheless.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from onebuf.capture.capture import Computed, Kept, Recorded, Seen
from onebuf.capture.capture_trace import CaptureTrace
from onebuf.capture.dynamic.consistent import is_consistent
from onebuf.capture.dynamic.fit import At, Fits, Instance, Misfit
from onebuf.dtypes import DT
from onebuf.graph import (
    COPY,
    CUSTOM,
    INPUT,
    MOVE,
    RANDOM_BITS,
    VIEW,
    Kind,
    Node,
    Op,
    is_stored,
    make,
)
from onebuf.layout import View
from onebuf.machine import Device, home_of
from onebuf.ops import seen


class Given(NamedTuple):
    """A buffer that the function is given, by its number."""

    number: int


class Constant(NamedTuple):
    """Elements that the function found, or made of Python's numbers."""

    node: Node


class Row(NamedTuple):
    """An operation on other rows."""

    op: Op
    dtype: DT
    home: Device | None
    srcs: tuple[int, ...]
    arg: At
    shape: At


class Pattern:
    """A function's graph, results and writes for any lengths."""

    def __init__(self, samples: Sequence[Recorded], points: Sequence[tuple[int, ...]]) -> None:
        """`Misfit` if the samples have no pattern."""
        self._samples = samples
        self._fits = Fits(points)
        self._rows: list[Given | Constant | Row] = []
        self._places: dict[tuple[int, ...], int] = {}
        self._kept: list[Any] = []
        """Nodes whose ids are keys."""
        first = samples[0]
        self._structure, self._draws = first.structure, first.draws
        self._same, self._writes = first.same, first.writes
        for one in samples[1:]:
            if one.structure != first.structure or one.same != first.same:
                raise Misfit("results of several structures")
            if one.writes != first.writes or len(one.wanted) != len(first.wanted):
                raise Misfit("several numbers of results, or of writes")
            if len(one.draws) != len(first.draws) or any(
                a is not b for (a, _), (b, _) in zip(one.draws, first.draws, strict=True)
            ):
                raise Misfit("several numbers of random draws")
        self._streams = [
            {tuple(draw): n for n, (_, draw) in enumerate(one.draws)} for one in samples
        ]
        columns = zip(*[one.wanted for one in samples], strict=True)
        self._wanted = [self._walk(column) for column in columns]
        self._returned = [self._result(r) for r in zip(*[s.returned for s in samples], strict=True)]
        del self._samples, self._places, self._kept, self._streams

    # -- finding it --------------------------------------------------------------------------------

    def _walk(self, root: tuple[Node, ...]) -> int:
        """The row of ``root``, a node of each sample; those below it come before it."""
        root = self._through(root)
        todo = [(root, False)]
        while todo:
            nodes, is_visited = todo.pop()
            key = tuple([id(node) for node in nodes])
            if key in self._places:
                continue
            operands = [self._through(one) for one in self._operands(nodes)]
            if not is_visited and operands:
                todo.append((nodes, True))
                todo.extend([(one, False) for one in operands])
                continue
            srcs = tuple([self._places[tuple([id(n) for n in one])] for one in operands])
            if nodes[0].op is CUSTOM:
                self._places[key] = srcs[0]
            else:
                self._rows.append(self._row(nodes, srcs))
                self._places[key] = len(self._rows) - 1
            self._kept.append(nodes)
        return self._places[tuple([id(node) for node in root])]

    def _through(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        """``nodes``; for one that stands for something pending, which the function computed of
        nothing that it was given, that."""
        pairs = zip(nodes, self._samples, strict=True)
        return tuple(
            [
                node.arg.node if _is_pending(node) and id(node.arg) not in s.parameters else node
                for node, s in pairs
            ]
        )

    def _operands(self, nodes: tuple[Node, ...]) -> list[tuple[Node, ...]]:
        """The operands, each of all samples."""
        if any(node.op is VIEW for node in nodes):
            return [tuple([node.base for node in nodes])]
        first = nodes[0]
        for node in nodes:
            if node.op is not first.op or node.dtype != first.dtype or _home(node) != _home(first):
                raise Misfit(f"{first} in one graph and {node} in another, made at {first.origin}")
        if len({len(node.srcs) for node in nodes}) > 1:
            raise Misfit(f"several numbers of operands of {first}, made at {first.origin}")
        return [*zip(*[node.srcs for node in nodes], strict=True)]

    def _row(self, nodes: tuple[Node, ...], srcs: tuple[int, ...]) -> Given | Constant | Row:
        first = nodes[0]
        try:
            if any(node.op is VIEW for node in nodes):
                return self._view(nodes, srcs)
            if first.op is INPUT or first.op.kind is Kind.STORED:
                return self._leaf(nodes)
            if first.op.kind is Kind.SOURCE or first.op is MOVE:
                raise Misfit("elements on demand, or of several devices")
            arg = self._bits(nodes) if first.op is RANDOM_BITS else self._arg(nodes)
            shape = self._fits.value([node.shape for node in nodes])
            return Row(first.op, first.dtype, _home(first), srcs, arg, shape)
        except Misfit as error:
            raise Misfit(f"{error} in {first}, made at {first.origin}") from None

    def _arg(self, nodes: tuple[Node, ...]) -> At:
        return self._fits.value([node.arg for node in nodes])

    def _view(self, nodes: tuple[Node, ...], srcs: tuple[int, ...]) -> Row:
        if any(node.op is VIEW and node.arg.__class__ is not View for node in nodes):
            raise Misfit("a layout without strides")
        view = self._fits.view([node.view for node in nodes])
        dtype, home = nodes[0].dtype, _home(nodes[0])
        return Row(VIEW, dtype, home, srcs, view, lambda instance: view(instance).shape)

    def _leaf(self, nodes: tuple[Node, ...]) -> Given | Constant:
        pairs = zip(nodes, self._samples, strict=True)
        numbers = {sample.parameters.get(id(node.arg), -1) for node, sample in pairs}
        if len(numbers) > 1:
            raise Misfit("several buffers")
        (number,) = numbers
        if number >= 0:
            return Given(number)
        real = [node.arg.node if node.op is INPUT else node for node in nodes]
        arrays = [node.array for node in real]
        if any(node is not real[0] for node in real):
            if any(array is None for array in arrays):
                raise Misfit("several buffers that are not stored")
            self._fits.value(arrays)
        return Constant(real[0])

    def _bits(self, nodes: tuple[Node, ...]) -> At:
        """The argument of random bits: draws in the same order are the same draw."""
        pairs = zip(nodes, self._streams, strict=True)
        places = {streams.get(tuple(node.arg[:2]), -1) for node, streams in pairs}
        if len(places) > 1:
            raise Misfit("random draws in another order")
        first = self._fits.integer([node.arg[2] for node in nodes])
        if -1 in places:
            self._fits.value([node.arg[:2] for node in nodes])
        key, stream, _ = nodes[0].arg
        return lambda instance: (key, stream, first(instance))

    def _result(self, found: Sequence[Seen | Computed | Kept]) -> At:
        """A leaf of the results."""
        first = found[0]
        if any(type(one) is not type(first) for one in found):
            raise Misfit("results of several kinds")
        if isinstance(first, Computed):
            if any(one != first for one in found):
                raise Misfit("results of several kinds")
            return lambda instance: first
        if isinstance(first, Seen):
            if any(one[0] != first.given for one in found):
                raise Misfit("views of several buffers as one result")
            view = self._fits.value([one[-1] for one in found])
            return lambda instance: Seen(first.given, view(instance))
        value = self._fits.value([one[0] for one in found])
        return lambda instance: Kept(value(instance))

    # -- using it ----------------------------------------------------------------------------------

    def at(self, lengths: Sequence[int], given: Sequence[Node]) -> Recorded:
        """What the function does for other lengths, with ``given``; `Misfit` if that is unknown."""
        instance = Instance(lengths)
        trace = CaptureTrace()
        inputs = [trace.input(node) for node in given]
        parameters = {id(node.arg): number for number, node in enumerate(inputs)}
        made: list[Node] = []
        for row in self._rows:
            if isinstance(row, Given):
                made.append(inputs[row.number])
            elif isinstance(row, Constant):
                made.append(row.node if row.node.device is None else trace.input(row.node))
            else:
                node = _made(row, [made[n] for n in row.srcs], instance, trace)
                if not is_consistent(node):
                    raise Misfit(f"{node} for lengths {instance.lengths}")
                made.append(node)
        found = Recorded(trace, parameters, self._structure, self._draws)
        found.same, found.writes = self._same, self._writes
        found.returned = [result(instance) for result in self._returned]
        found.wanted = [made[n] for n in self._wanted]
        return found


def _is_pending(node: Node) -> bool:
    """Whether an INPUT stands for a node that is to be computed."""
    return node.op is INPUT and not is_stored(node.arg.node)


def _home(node: Node) -> Device | None:
    return None if node.device is None else home_of(node.device)


def _made(row: Row, srcs: list[Node], instance: Instance, trace: CaptureTrace) -> Node:
    """The node of a row for the lengths of ``instance``."""
    arg = row.arg(instance)
    if row.op is VIEW:
        return seen(srcs[0], arg)
    shape = row.shape(instance)
    if row.home is None:
        return make(row.op, tuple(srcs), arg, shape, row.dtype, device=None)
    unique = row.op is COPY or row.op.kind in (Kind.LIBRARY, Kind.GENERATE)
    home = trace.tracer(row.home)
    return make(row.op, tuple(srcs), arg, shape, row.dtype, unique, home)
