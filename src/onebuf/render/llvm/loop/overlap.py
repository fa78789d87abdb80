"""Overlap: each row is written while the next one is folded.

Rows that are folded and then written, as in softmax, keep either arithmetic or memory waiting:
folds compute, and stores past the caches take as long as memory does. So the last loop that folds a
row also runs the stores of the row before it, at the same indices. What these need of their row is
carried to the next iteration of the loop over rows: its results of reductions in registers, and its
share of the row cache, which has room for two rows.

A row that is read by several loops is still read before its own results are stored, so it makes no
difference if they are the same memory.
"""

from __future__ import annotations

from dataclasses import replace

from onebuf.kernel import FOLDS, SCANS, STORE, Nest, Pass
from onebuf.render.builder import Value
from onebuf.render.llvm.element.complex_numbers import PARTS
from onebuf.render.llvm.element.elementwise import TYPES
from onebuf.render.llvm.loop import padding
from onebuf.render.llvm.loop.base import CachedRow, LateStores, LoopBuilder, Scope, Sinks
from onebuf.render.llvm.memory.masked_access import has_vector_tail
from onebuf.render.llvm.rendering import Rendering

Caches = tuple[CachedRow, CachedRow]
"""The row cache of every other row, and of those between."""


def overlaps(nest: Nest, rendering: Rendering) -> bool:
    """Whether a row can be written while the next is folded, and whether that is worth it."""
    axis = nest.ndim - 1
    if not rendering.streamed or rendering.prefetch or rendering.row_cache == "output":
        return False
    if axis < 1 or nest.partial:
        return False
    others = [step for step in nest.steps if step.op in FOLDS and step.arg.axis < axis]
    if others or any(step.op in SCANS or step.dtype in PARTS for step in nest.steps):
        return False
    if padding.bounds_tests(nest) or not has_vector_tail(nest, range(len(nest.steps)), True):
        return False
    stores = [number for number, step in enumerate(nest.steps) if step.op is STORE]
    *before, storing = nest.passes(stores, (), axis)
    folds = [nest.steps[number].arg for number in before[-1].folds] if before else []
    plain = folds and not any(fold.sequential or fold.first for fold in folds)
    return bool(plain and storing.stores)


def sweep(function: LoopBuilder, scope: Scope, sinks: Sinks, first: Value, end: Value) -> None:
    """The loop over rows from ``first`` to ``end``."""
    nest = function.nest
    *before, folding, storing = nest.passes(sinks.stores, scope.known, scope.depth + 1)
    stores = Pass([], [], storing.stores)
    kept = _kept(function, scope, stores.stores)
    starts = [Value("zeroinitializer", TYPES[nest.steps[n].dtype.name], True) for n in kept]
    caches = scope.row, function.new_cached_row()

    rows = function.open(first, starts, 1, end)
    known = dict(zip(kept, rows.carried, strict=True))
    row = replace(
        function.at_index(scope, rows.counter), row=_cached(function, caches, rows.counter)
    )
    for each in before:
        function.run_pass(row, each)
    index = function.maximum(function.plus(rows.counter, -1), first)
    exists = function.b.compare("icmp sgt", rows.counter, first)
    function.late = LateStores(_row(function, scope, index, known, caches), stores.stores, exists)
    function.run_pass(row, folding)
    function.late = None
    function.run_pass(row, storing._replace(stores=[]))
    function.close(rows, [row.known[number] for number in kept])

    index = function.maximum(function.plus(end, -1), first)
    last = function.open(index, [], 1, end)
    function.run_pass(_row(function, scope, last.counter, known, caches), stores)
    function.close(last, [])


def _kept(function: LoopBuilder, scope: Scope, stores: list[int]) -> list[int]:
    """What a row's stores need of the steps outside of the loop over it."""
    nest = function.nest
    inside = nest.closure(stores, [*scope.known, *function.cached])
    needed = {arg for n in inside if nest.depths[n] == nest.ndim for arg in nest.steps[n].args}
    return sorted(n for n in needed if nest.depths[n] < nest.ndim and n not in scope.known)


def _row(
    function: LoopBuilder, scope: Scope, index: Value, known: dict[int, Value], caches: Caches
) -> Scope:
    """The scope of a row that was folded: some values are ``known``, others cached."""
    row = function.at_index(scope, index)
    row.known.update(known)
    cached = _cached(function, caches, index)
    cached.filled.update(function.cached)
    return replace(row, row=cached)


def _cached(function: LoopBuilder, caches: Caches, index: Value) -> CachedRow:
    """Which of two rows of the cache is that of a row."""
    b, (even, odd) = function.b, caches
    is_odd = b.convert("trunc", index, "i1")
    row = CachedRow({}, set())
    for number, one in even.memory.items():
        two = odd.memory[number]
        assert isinstance(one, Value), "a row cached in its own output"
        assert isinstance(two, Value), "a row cached in its own output"
        row.memory[number] = b.select(is_odd, two, one)
    return row


def store_late(function: LoopBuilder, late: LateStores, index: Value) -> None:
    """The stores of the row before, at one index of the loop over both."""
    b = function.b
    write, done = b.label("write"), b.label("written")
    b.line(f"br i1 {late.exists.name}, label %{write}, label %{done}")
    b.line(f"{write}:")
    function.inside(late.scope, late.stores, index)
    b.line(f"br label %{done}")
    b.line(f"{done}:")
