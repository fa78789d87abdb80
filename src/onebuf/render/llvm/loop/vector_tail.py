"""Vector tails: a loop over a row in vectors, the last of which has some lanes masked off.

`onebuf.render.llvm.memory.masked_access` says which loops can end in this way. The loop over the
tail has vectors of at most LANES lanes, whatever the main loop has, which keeps its code short.
"""

from __future__ import annotations

from functools import partial

from onebuf.kernel import LANES
from onebuf.render.builder import Builder, Value
from onebuf.render.llvm.element.elementwise import widest
from onebuf.render.llvm.loop.accumulator import Accumulator
from onebuf.render.llvm.loop.base import LoopBuilder, Scope, Sinks
from onebuf.render.llvm.memory.masked_access import Tail, lane_mask, sub_vector

EXTREMES_NBYTES = 256
"""Bytes of a row that one iteration of a loop takes that finds extremes."""
FEW_STEPS = 4
"""The most steps of such a loop: where more is computed, there is no waiting."""


def vectors_with_tail(
    function: LoopBuilder, scope: Scope, sinks: Sinks, first: Value, end: Value
) -> list[Value]:
    """Full vectors, then at most one masked vector; the results of the reductions."""
    b, accumulators = function.b, sinks.accumulators
    lanes = _lanes(function, scope, sinks)
    middle = function.last_multiple(first, end, lanes)
    running = [accumulator.identity(b) for accumulator in accumulators]
    b.lanes = LANES
    running = [Value(b.spread(start), start.type) for start in running]
    for start, stop, width in ((first, middle, lanes), (middle, end, min(lanes, LANES))):
        loop = function.open(start, running, width, stop)
        b.lanes = width
        count = None
        if start is middle:
            count = function.minimum(function.minus(end, loop.counter), function.index(width))
            write = partial(_write_active, function)
            function.access.tail = Tail(lane_mask(b, count), count, write)
        else:
            function.prefetch(scope, sinks, loop.counter)
        values = function.body(scope, sinks, loop.counter)
        function.access.tail = None
        b.lanes = LANES
        triples = zip(accumulators, loop.carried, values, strict=True)
        function.close(loop, [_fold_lanes(b, *triple, width, count) for triple in triples])
        running = loop.carried
    results = []
    for accumulator, value in zip(accumulators, running, strict=True):
        b.lanes = LANES
        results.append(accumulator.reduce_lanes(b, value, LANES))
    b.lanes = 1
    return results


def _lanes(function: LoopBuilder, scope: Scope, sinks: Sinks) -> int:
    """Lanes of the main loop.

    An extreme waits for its comparison with the one before. Vectors that are compared with one
    another first wait less often, so a loop that does nothing else has more of them.
    """
    nest, accumulators = function.nest, sinks.accumulators
    needed = nest.closure(sinks.steps, scope.known)
    if not accumulators:
        return function.lanes_of(needed)
    lanes = max(LANES, function.vector)
    here = [number for number in needed if nest.depths[number] == nest.ndim]
    if len(here) > FEW_STEPS or not all(each.is_extreme for each in accumulators):
        return lanes
    return max(lanes, EXTREMES_NBYTES // widest(nest, here))


def _fold_lanes(
    b: Builder,
    accumulator: Accumulator,
    running: Value,
    value: Value,
    lanes: int,
    count: Value | None,
) -> Value:
    """An accumulator of LANES lanes and one more vector, or its first ``count`` elements."""
    parts = []
    for first in range(0, lanes, LANES):
        part = value if value.uniform else sub_vector(b, value, lanes, first)
        part = accumulator.widened(b, part)
        if count is not None:
            part = b.select(lane_mask(b, count, first), part, accumulator.identity(b))
        parts.append(part)
    while accumulator.associative and len(parts) > 1:
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [accumulator.combine(b, one, two) for one, two in pairs]
    for part in parts:
        running = accumulator.combine(b, running, part)
    return running


def _write_active(function: LoopBuilder, vector: str, of: str, address: str) -> None:
    """Store the active lanes through the stack: few processors have fast masked stores."""
    b, tail = function.b, function.access.tail
    assert tail is not None
    memory = function.memory(b.lanes, of).name
    b.line(f"store {b.type(of)} {vector}, ptr {memory}, align 64")
    loop = function.open(function.index(0), [], 1, tail.active)
    source = b.emit(f"getelementptr {of}, ptr {memory}, i64 {loop.counter.name}")
    target = b.emit(f"getelementptr {of}, ptr {address}, i64 {loop.counter.name}")
    one = b.emit(f"load {of}, ptr {source}")
    b.line(f"store {of} {one}, ptr {target}")
    function.close(loop, [])
