"""Padding: the innermost loop split where its padded operands begin and end.

Along the innermost axis, padding begins at the same index in all rows. So the loop is split into
ranges: before the operands, inside all of them, and after them. In each of these the bounds test of
every element is known, and the loop runs in vectors without it. The last vector of a range overlaps
the one before: some elements are computed and stored twice. What is left, between the ranges, is
tested one by one; if there are several operands, it is split where any of them begins or ends, and
each is tested once for a whole piece. A loop with reductions is not split, because the lane of an
element would change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from onebuf.kernel import FOLDS, INDEX, INSIDE, Nest
from onebuf.render.builder import Value
from onebuf.render.llvm.function import Loop
from onebuf.render.llvm.loop.base import LoopBuilder, Scope, Sinks

Range = tuple[Value, Value]
"""The first index, and the one after the last."""


@lru_cache(1024)
def bounds_tests(nest: Nest) -> tuple[int, ...]:
    """The INSIDE steps that test the index of the innermost axis."""
    found = []
    for number, step in enumerate(nest.steps):
        if step.op is INSIDE:
            position = nest.steps[step.args[0]]
            if position.op is INDEX and nest.slots[position.arg].steps[-1] == 1:
                found.append(number)
    return tuple(found)


@lru_cache(1024)
def bounds_positions(nest: Nest) -> frozenset[int]:
    """The INDEX steps of these tests, which are never computed as vectors."""
    if any(step.op in FOLDS for step in nest.steps):
        return frozenset()
    return frozenset(nest.steps[number].args[0] for number in bounds_tests(nest))


def sweep(function: LoopBuilder, scope: Scope, sinks: Sinks, first: Value, end: Value) -> None:
    """The innermost loop from ``first`` to ``end``, for stores alone."""
    b, lanes = function.b, function.vector
    tests = bounds_tests(function.nest)
    ranges = [_range(function, scope, number) for number in tests]
    lows, highs = [low for low, _ in ranges], [high for _, high in ranges]
    begin = _start(function, first, end, _extreme(function, "sgt", lows))
    stop = _clamped(function, _extreme(function, "slt", highs), begin, end)
    inside = (begin, _stop(function, begin, stop))
    stop = _clamped(function, _extreme(function, "slt", lows), first, begin)
    before = (first, _stop(function, first, stop))
    begin = _start(function, first, end, _extreme(function, "sgt", [*highs, inside[1]]))
    after = (begin, _stop(function, begin, end))
    outside = {number: b.constant("i1", 0) for number in tests}
    within = {number: _other(function, scope, number) for number in tests}
    for known, pieces in ((within, [inside]), (outside, [before, after])):
        there = replace(scope, known=scope.known | known)
        _loop_ranges(function, there, sinks, lanes, pieces)
    gaps = [(before[1], inside[0]), (inside[1], after[0]), (after[1], end)]
    if len(tests) == 1:
        _loop_ranges(function, scope, sinks, 1, gaps)
    else:
        _loop_pieces(function, scope, sinks, gaps)


def _loop_pieces(
    function: LoopBuilder, scope: Scope, sinks: Sinks, ranges: Sequence[Range]
) -> None:
    """A loop over the pieces of some ranges, within which every operand is inside or outside."""
    b, lanes = function.b, function.vector
    tests = {number: _range(function, scope, number) for number in bounds_tests(function.nest)}
    turns, (start, stop) = _open_turns(function, ranges)
    pieces = function.open(function.index(0), [start], 1, function.index(2 * len(tests) + 1))
    (first,) = pieces.carried
    end = stop
    for edge in [edge for pair in tests.values() for edge in pair]:
        ahead = b.binary(
            "and", b.compare("icmp sgt", edge, first), b.compare("icmp slt", edge, end)
        )
        end = b.select(ahead, edge, end)
    known = {}
    for number, (low, high) in tests.items():
        after = b.compare("icmp sge", first, low)
        within = b.binary("and", after, b.compare("icmp slt", first, high))
        known[number] = b.binary("and", within, _other(function, scope, number))
    begin = _start(function, first, end, first)
    middle = _stop(function, begin, end)
    there = replace(scope, known=scope.known | known)
    _loop_ranges(function, there, sinks, lanes, [(begin, middle)])
    _loop_ranges(function, there, sinks, 1, [(first, begin), (middle, end)])
    function.close(pieces, [end])
    function.close(turns, [])


def _open_turns(function: LoopBuilder, ranges: Sequence[Range]) -> tuple[Loop, Range]:
    """A loop over some ranges, and the range of each turn."""
    b = function.b
    turns = function.open(function.index(0), [], 1, function.index(len(ranges)))
    start, stop = ranges[-1]
    for number, (low, high) in list(enumerate(ranges))[-2::-1]:
        here = b.compare("icmp eq", turns.counter, function.index(number))
        start, stop = b.select(here, low, start), b.select(here, high, stop)
    return turns, (start, stop)


def _loop_ranges(
    function: LoopBuilder, scope: Scope, sinks: Sinks, lanes: int, ranges: Sequence[Range]
) -> None:
    """One loop body that runs over each of some ranges."""
    b = function.b
    turns, (start, stop) = _open_turns(function, ranges)
    b.lanes = lanes
    loop = function.open(start, [], lanes, stop)
    index = loop.counter
    if lanes > 1 and not function.rendering.streamed:
        index = function.minimum(index, function.plus(stop, -lanes))
    function.body(scope, sinks, index)
    function.close(loop, [])
    b.lanes = 1
    function.close(turns, [])


def _range(function: LoopBuilder, scope: Scope, number: int) -> Range:
    """The indices at which a test holds."""
    position, extent, *_ = function.nest.steps[number].args
    low = function.minus(function.index(0), scope.addresses[function.nest.steps[position].arg])
    return low, function.plus(low, scope.known[extent])


def _other(function: LoopBuilder, scope: Scope, number: int) -> Value:
    """The result of a test for indices that are inside along the innermost axis."""
    _, _, *other = function.nest.steps[number].args
    return scope.known[other[0]] if other else function.b.constant("i1", 1)


def _extreme(function: LoopBuilder, how: str, values: Sequence[Value]) -> Value:
    b, found = function.b, values[0]
    for value in values[1:]:
        found = b.select(b.compare(f"icmp {how}", value, found), value, found)
    return found


def _clamped(function: LoopBuilder, value: Value, low: Value, high: Value) -> Value:
    return function.minimum(high, _extreme(function, "sgt", [value, low]))


def _start(function: LoopBuilder, first: Value, end: Value, value: Value) -> Value:
    """The first index from ``value`` on where a vector may begin; streamed ones are aligned."""
    if function.rendering.streamed:
        vector = function.vector
        value = function.last_multiple(first, function.plus(value, vector - 1), vector)
    return _clamped(function, value, first, end)


def _stop(function: LoopBuilder, begin: Value, stop: Value) -> Value:
    """The end of the vectors from ``begin`` on: ``begin`` if no vector fits before ``stop``."""
    if function.rendering.streamed:
        return function.last_multiple(begin, stop, function.vector)
    length = function.minus(stop, begin)
    enough = function.b.compare("icmp sge", length, function.index(function.vector))
    return function.b.select(enough, stop, begin)
