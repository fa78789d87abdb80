"""Vector tails: a loop over a row in vectors, the last of which has some lanes masked off.

`onebuf.render.llvm.memory.masked_access` says which loops can end in this way.
"""

from __future__ import annotations

from functools import partial

from onebuf.kernel import LANES
from onebuf.render.builder import Builder, Value
from onebuf.render.llvm.loop.accumulator import Accumulator
from onebuf.render.llvm.loop.base import LoopBuilder, Scope, Sinks
from onebuf.render.llvm.loop.prefetch import prefetch_along_row, prefetch_next_row
from onebuf.render.llvm.memory.masked_access import Tail, lane_mask, sub_vector


def vectors_with_tail(
    function: LoopBuilder, scope: Scope, sinks: Sinks, first: Value, end: Value
) -> list[Value]:
    """Full vectors, then at most one masked vector; the results of the reductions."""
    b, accumulators = function.b, sinks.accumulators
    lanes = max(LANES, function.vector) if accumulators else function.vector
    middle = function.last_multiple(first, end, lanes)
    running = [accumulator.identity(b) for accumulator in accumulators]
    b.lanes = LANES
    running = [Value(b.spread(start), start.type) for start in running]
    for start, stop in ((first, middle), (middle, end)):
        loop = function.open(start, running, lanes, stop)
        b.lanes = lanes
        count = None
        if start is middle:
            count = function.minus(end, middle)
            write = partial(_write_active, function)
            function.access.tail = Tail(lane_mask(b, count), count, write)
        elif accumulators:
            prefetch_along_row(b, function.nest, scope.addresses, loop.counter)
        else:
            strides = function.access.strides
            prefetch_next_row(b, function.nest, strides, scope.addresses, loop.counter)
        values = function.body(scope, sinks, loop.counter)
        function.access.tail = None
        b.lanes = LANES
        triples = zip(accumulators, loop.carried, values, strict=True)
        function.close(loop, [_fold_lanes(b, *triple, lanes, count) for triple in triples])
        running = loop.carried
    results = []
    for accumulator, value in zip(accumulators, running, strict=True):
        b.lanes = LANES
        results.append(accumulator.reduce_lanes(b, value, LANES))
    b.lanes = 1
    return results


def _fold_lanes(
    b: Builder,
    accumulator: Accumulator,
    running: Value,
    value: Value,
    lanes: int,
    count: Value | None,
) -> Value:
    """An accumulator of LANES lanes and one more vector, or its first ``count`` elements."""
    for first in range(0, lanes, LANES):
        part = value if value.uniform else sub_vector(b, value, lanes, first)
        part = accumulator.widened(b, part)
        if count is not None:
            part = b.select(lane_mask(b, count, first), part, accumulator.identity(b))
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
