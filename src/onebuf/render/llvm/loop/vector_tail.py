"""Ending: a loop over a row in whole vectors, the last of which may have some lanes off.

Which loops can end in this way `onebuf.render.llvm.memory.masked_access` says.
"""

from __future__ import annotations

from functools import partial

from onebuf.kernel import LANES
from onebuf.render.builder import Builder, Value
from onebuf.render.llvm.loop.accumulator import Accumulator
from onebuf.render.llvm.loop.base import Frame, Levels, Work
from onebuf.render.llvm.loop.prefetch import ask_for_next_row, ask_further_on
from onebuf.render.llvm.memory.masked_access import Tail, lanes_on, part_of


def all_vectors(text: Levels, frame: Frame, work: Work, first: Value, end: Value) -> list[Value]:
    """Whole vectors, then what is left over as one with some lanes off: a turn, or none."""
    b = text.b
    lanes = max(LANES, text.vector) if work.totals else text.vector
    middle = text.last_whole(first, end, lanes)
    running = [total.identity(b) for total in work.totals]
    b.lanes = LANES
    running = [Value(b.spread(start), start.type) for start in running]
    for start, stop in ((first, middle), (middle, end)):
        loop = text.open(start, running, lanes, stop)
        b.lanes = lanes
        count = None
        if start is middle:
            count = text.minus(end, middle)
            text.access.tail = Tail(lanes_on(b, count), count, partial(_write_on, text))
        elif work.totals:
            ask_further_on(b, text.nest, frame.places, loop.counter)
        else:
            ask_for_next_row(b, text.nest, text.access.strides, frame.places, loop.counter)
        values = text.body(frame, work, loop.counter)
        text.access.tail = None
        b.lanes = LANES
        trios = zip(work.totals, loop.carried, values, strict=True)
        text.close(loop, [_join_lanes(b, *trio, lanes, count) for trio in trios])
        running = loop.carried
    results = []
    for total, value in zip(work.totals, running, strict=True):
        b.lanes = LANES
        results.append(total.across(b, value, LANES))
    b.lanes = 1
    return results


def _join_lanes(
    b: Builder, total: Accumulator, running: Value, value: Value, lanes: int, count: Value | None
) -> Value:
    """An accumulator and one more vector, whose lanes join in turn; of ``count``, if any."""
    for first in range(0, lanes, LANES):
        part = value if value.uniform else part_of(b, value, lanes, first)
        part = total.widened(b, part)
        if count is not None:
            part = b.select(lanes_on(b, count, first), part, total.identity(b))
        running = total.combine(b, running, part)
    return running


def _write_on(text: Levels, vector: str, of: str, address: str) -> None:
    """Write the lanes that are on, through the stack: few processors do it at once."""
    b, tail = text.b, text.access.tail
    assert tail is not None
    memory = text.memory(b.lanes, of).name
    b.line(f"store {b.type(of)} {vector}, ptr {memory}, align 64")
    loop = text.open(text.whole(0), [], 1, tail.lanes)
    source = b.emit(f"getelementptr {of}, ptr {memory}, i64 {loop.counter.name}")
    target = b.emit(f"getelementptr {of}, ptr {address}, i64 {loop.counter.name}")
    one = b.emit(f"load {of}, ptr {source}")
    b.line(f"store {of} {one}, ptr {target}")
    text.close(loop, [])
