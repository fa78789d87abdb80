"""Borders: the innermost loop cut where what it reads begins and ends.

Along the innermost axis a border is at the same indices in all rows. So whether there is an element
need not be asked of each: before the first and after the last there is none, between them there are
all, and both are loops of vectors that know it. The last vector of each overlaps the one before:
what is computed twice is stored twice. Only what makes no whole vector is asked one by one. A fold
takes elements by turns, so its loop stays whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from onebuf.kernel import FOLDS, INDEX, INSIDE, Nest
from onebuf.render.builder import Value
from onebuf.render.llvm.loop.base import Frame, Levels, Work


@lru_cache(1024)
def ends_along(nest: Nest) -> tuple[int, ...]:
    """The steps that ask whether there is an element along the innermost axis."""
    found = []
    for number, step in enumerate(nest.steps):
        if step.op is INSIDE:
            position = nest.steps[step.args[0]]
            if position.op is INDEX and nest.slots[position.arg].steps[-1] == 1:
                found.append(number)
    return tuple(found)


@lru_cache(1024)
def hidden(nest: Nest) -> frozenset[int]:
    """Positions that are asked for by such tests alone, which vectors therefore never hold."""
    if any(step.op in FOLDS for step in nest.steps):
        return frozenset()
    return frozenset(nest.steps[number].args[0] for number in ends_along(nest))


def sweep(text: Levels, frame: Frame, work: Work, first: Value, end: Value) -> None:
    """One pass over the innermost axis from ``first`` to ``end``, for stores alone."""
    b, lanes = text.b, text.vector
    tests = ends_along(text.nest)
    ranges = [_range(text, frame, number) for number in tests]
    lows, highs = [low for low, _ in ranges], [high for _, high in ranges]
    begin = _start(text, first, end, _extreme(text, "sgt", lows))
    stop = _clamped(text, _extreme(text, "slt", highs), begin, end)
    inside = (begin, _stop(text, begin, stop))
    stop = _clamped(text, _extreme(text, "slt", lows), first, begin)
    before = (first, _stop(text, first, stop))
    begin = _start(text, first, end, _extreme(text, "sgt", [*highs, inside[1]]))
    after = (begin, _stop(text, begin, end))
    outside = {number: b.constant("i1", 0) for number in tests}
    within = {number: _other(text, frame, number) for number in tests}
    for known, pieces in ((within, [inside]), (outside, [before, after])):
        there = replace(frame, known=frame.known | known)
        _pieces(text, there, work, lanes, pieces)
    gaps = [(before[1], inside[0]), (inside[1], after[0]), (after[1], end)]
    _pieces(text, frame, work, 1, gaps)


def _pieces(
    text: Levels, frame: Frame, work: Work, lanes: int, pieces: Sequence[tuple[Value, Value]]
) -> None:
    """The same loop over some pieces of the axis."""
    b = text.b
    turns = text.open(text.whole(0), [], 1, text.whole(len(pieces)))
    start, stop = pieces[-1]
    for number, (low, high) in list(enumerate(pieces))[-2::-1]:
        here = b.compare("icmp eq", turns.counter, text.whole(number))
        start, stop = b.select(here, low, start), b.select(here, high, stop)
    b.lanes = lanes
    loop = text.open(start, [], lanes, stop)
    index = loop.counter
    if lanes > 1 and not text.rendering.streamed:
        index = text.least(index, text.plus(stop, -lanes))
    text.body(frame, work, index)
    text.close(loop, [])
    b.lanes = 1
    text.close(turns, [])


def _range(text: Levels, frame: Frame, number: int) -> tuple[Value, Value]:
    """The first index at which a test holds, and the one after the last."""
    position, extent, *_ = text.nest.steps[number].args
    low = text.minus(text.whole(0), frame.places[text.nest.steps[position].arg])
    return low, text.plus(low, frame.known[extent])


def _other(text: Levels, frame: Frame, number: int) -> Value:
    """What a test still depends on where it holds along the innermost axis."""
    _, _, *other = text.nest.steps[number].args
    return frame.known[other[0]] if other else text.b.constant("i1", 1)


def _extreme(text: Levels, how: str, values: Sequence[Value]) -> Value:
    b, found = text.b, values[0]
    for value in values[1:]:
        found = b.select(b.compare(f"icmp {how}", value, found), value, found)
    return found


def _clamped(text: Levels, value: Value, low: Value, high: Value) -> Value:
    return text.least(high, _extreme(text, "sgt", [value, low]))


def _start(text: Levels, first: Value, end: Value, value: Value) -> Value:
    """Where vectors can begin from ``value`` on: streams of them only on whole lines."""
    if text.rendering.streamed:
        value = text.last_whole(first, text.plus(value, text.vector - 1), text.vector)
    return _clamped(text, value, first, end)


def _stop(text: Levels, begin: Value, stop: Value) -> Value:
    """Where vectors from ``begin`` on end: at ``stop`` if there is one; streams on whole lines."""
    if text.rendering.streamed:
        return text.last_whole(begin, stop, text.vector)
    enough = text.b.compare("icmp sge", text.minus(stop, begin), text.whole(text.vector))
    return text.b.select(enough, stop, begin)
