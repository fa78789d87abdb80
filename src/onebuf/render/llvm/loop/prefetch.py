"""Prefetch instructions for rows that the hardware prefetcher does not load in time.

Hardware prefetches where addresses go up evenly. Five cases need instructions:

- Rows gathered by index come from anywhere: the beginning of a row is prefetched some rows ahead.
- A row that several loops read is in the cache after the first one, so memory is idle in the
  second: that loop prefetches the next row, which need not exist. If it stores, and the fold before
  it waits for arithmetic and not for its row, it does not: writing is slow enough.
- A reduction reads memory faster than the hardware expects: it prefetches further along its row.
- Register tiles read more rows at the same time than the hardware follows: each tile prefetches one
  that is further along its rows.
- A fold of columns that are too large for the cache reads a short run of each of its rows: while
  some rows are added, later ones are prefetched into the second level of the cache.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from onebuf.dtypes import DT
from onebuf.graph import BINARY, TAKE
from onebuf.kernel import FOLDS, LOAD, STORE, Nest
from onebuf.render.builder import Builder, Value
from onebuf.render.llvm.element.elementwise import memory_type
from onebuf.render.llvm.loop.base import LoopBuilder, Scope
from onebuf.render.llvm.loop.row_cache import step_cost
from onebuf.render.llvm.memory.gather import offset_address
from onebuf.render.llvm.rendering import CACHE_LINE_NBYTES

ROWS_AHEAD = 4
"""How many rows before its use a gathered row is prefetched."""
LINES = 8
"""How many cache lines of it; hardware prefetches the rest."""
FURTHER_NBYTES = 8192
"""How far ahead a reduction prefetches its row: far enough for the third level of the cache of
processors with many cores, which answers as late as memory does."""
REREAD_FURTHER_NBYTES = 2048
"""The same for a row that is read again: that loop prefetches the row after it."""
TILES_AHEAD = 2
"""How many register tiles further along its rows a tile prefetches."""
STEPS_AHEAD = 2
"""How many groups of rows ahead a fold of columns prefetches."""
SLOW_COST = 8
"""A fold of this cost takes longer for arithmetic than for reading its row from memory."""
FIRST_LEVEL, SECOND_LEVEL = 3, 2
"""LLVM's words for the levels of the cache. Rows that are a power of two apart have the same place
in the first level, and would drive each other out."""
FOLLOWED_ROWS = 16
"""The most rows of a register tile that prefetches another one: more drive each other out."""


@lru_cache(1024)
def gathered_rows(nest: Nest) -> tuple[tuple[int, int], ...]:
    """The steps of distances that select whole rows, each with the slot of the rows."""
    found = []
    for step in nest.steps:
        if step.op is LOAD and step.args and nest.slots[step.arg].steps[-1] == 1:
            (distance,) = step.args
            is_taken = nest.steps[distance].op in (TAKE, BINARY["add"])
            is_row = is_taken and nest.depths[distance] == nest.ndim - 1 > 0
            if is_row and not any(each.op in FOLDS for each in nest.steps[:distance]):
                found.append((distance, step.arg))
    return tuple(found)


def prefetch_gathered_rows(function: LoopBuilder, scope: Scope, index: Value) -> None:
    """Prefetch the rows of a later iteration, at ``index`` of the loop around the innermost."""
    b, nest = function.b, function.nest
    last = function.plus(function.bounds(scope.depth)[1], -1)
    soon = function.minimum(function.plus(index, ROWS_AHEAD), last)
    there = function.at_index(scope, soon)
    for take, slot in gathered_rows(nest):
        for number in nest.closure([take], there.known):
            function.step(number, there)
        of = memory_type(nest.slots[slot].dtype)
        row = offset_address(b, of, there.addresses[slot], there.known[take].name)
        _prefetch_lines(b, row.name, LINES * CACHE_LINE_NBYTES)


def reread_rows(nest: Nest) -> list[int]:
    """The slots whose rows are read by more than one loop."""
    inner = nest.ndim - 1
    if inner < 1 or not any(step.op in FOLDS and step.arg.axis == inner for step in nest.steps):
        return []
    slots = sorted({step.arg for step in nest.steps if step.op is LOAD})
    return [n for n in slots if nest.slots[n].steps[-1] == 1 and nest.slots[n].steps[-2]]


def folding_loops(nest: Nest) -> int:
    """How many loops over a row fold it, one after the other."""
    stores = [number for number, step in enumerate(nest.steps) if step.op is STORE]
    return sum(bool(each.folds) for each in nest.passes(stores, (), nest.ndim - 1))


def contiguous_slots(nest: Nest, axis: int) -> list[int]:
    """The slots that are read contiguously along an axis, not by index."""
    slots = sorted({step.arg for step in nest.steps if step.op is LOAD and not step.args})
    return [slot for slot in slots if nest.slots[slot].steps[axis] == 1]


def _prefetch(b: Builder, dtype: DT, address: Value, distance: Value, lanes: int) -> None:
    """Prefetch ``lanes`` elements that are ``distance`` elements from ``address``.

    A prefetch of an address that does not exist does nothing.
    """
    there = b.emit(f"getelementptr {memory_type(dtype)}, ptr {address.name}, i64 {distance.name}")
    _prefetch_lines(b, there, lanes * dtype.itemsize)


def prefetch_column_rows(
    function: LoopBuilder, scope: Scope, row: Value, column: Value, count: int
) -> None:
    """Prefetch a vector of columns of the ``count`` rows that are folded some steps later.

    ``row`` is the first of those that are folded now; rows are along the innermost axis.
    """
    b, nest, inner = function.b, function.nest, function.nest.ndim - 1
    lanes, b.lanes = b.lanes, 1
    for slot in contiguous_slots(nest, inner - 1):
        nbytes = lanes * nest.slots[slot].dtype.itemsize
        if not nest.slots[slot].steps[inner] or nbytes < CACHE_LINE_NBYTES:
            continue
        for number in range(count):
            later = function.plus(row, number + STEPS_AHEAD * count)
            address = function.access.advance(b, slot, inner, scope.addresses[slot], later)
            address = function.access.advance(b, slot, inner - 1, address, column)
            _prefetch_lines(b, address.name, nbytes, SECOND_LEVEL)
    b.lanes = lanes


def _prefetch_lines(b: Builder, address: str, nbytes: int, locality: int = FIRST_LEVEL) -> None:
    b.declarations.add("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
    for offset in range(0, nbytes, CACHE_LINE_NBYTES):
        line = b.emit(f"getelementptr i8, ptr {address}, i64 {offset}")
        b.line(f"call void @llvm.prefetch.p0(ptr {line}, i32 0, i32 {locality}, i32 1)")


def fold_cost(nest: Nest, steps: Iterable[int], accumulators: Sequence[DT]) -> float:
    """How many operations on float32 the arithmetic of a fold takes for each element."""
    inside = [nest.steps[n] for n in steps if nest.depths[n] == nest.ndim]
    computed = [step for step in inside if step.op.kind == "elementwise"]
    costs = [(step_cost(step.op), step.dtype) for step in computed]
    costs += [(1, dtype) for dtype in accumulators]
    return sum(cost * dtype.itemsize for cost, dtype in costs) / 4


class RowPrefetch:
    """What the loops over a row prefetch, in the order in which they are written.

    A loop that folds a row which no loop has read before prefetches further along it. The first
    loop that finds its row in the cache, or else the one that stores, prefetches the next row.
    """

    def __init__(self, nest: Nest, strides: list[list[Value]], overlaps: bool) -> None:
        self.nest = nest
        self.strides = strides
        self.seen: set[int] = set()
        """The slots whose rows were read by earlier loops."""
        self.has_next = not reread_rows(nest) or (overlaps and folding_loops(nest) == 1)
        """Whether the next row is prefetched, or need not be."""
        self.further_nbytes = FURTHER_NBYTES if self.has_next else REREAD_FURTHER_NBYTES
        self.is_slow = False
        """Whether a fold before waits for arithmetic."""

    def prefetch(
        self,
        b: Builder,
        steps: Collection[int],
        addresses: tuple[Value, ...],
        index: Value,
        accumulators: Sequence[DT],
    ) -> None:
        """Prefetch in a loop that computes ``steps``, for the vector at ``index``.

        ``accumulators``: the dtypes of what it folds.
        """
        nest, inner = self.nest, self.nest.ndim - 1
        folds = bool(accumulators)
        loads = {nest.steps[n].arg for n in steps if nest.steps[n].op is LOAD}
        read = [slot for slot in contiguous_slots(nest, inner) if slot in loads]
        lanes, b.lanes = b.lanes, 1
        is_second = self.seen.intersection(read) if folds else not self.is_slow
        if not self.has_next and is_second:
            self.has_next = True
            for slot in reread_rows(nest):
                further = b.binary("add", self.strides[slot][inner - 1], index)
                _prefetch(b, nest.slots[slot].dtype, addresses[slot], further, lanes)
        for slot in read if folds else ():
            if slot not in self.seen:
                dtype = nest.slots[slot].dtype
                ahead = b.constant("i64", self.further_nbytes // dtype.itemsize)
                _prefetch(b, dtype, addresses[slot], b.binary("add", index, ahead), lanes)
        b.lanes = lanes
        self.seen.update(read)
        self.is_slow |= folds and fold_cost(nest, steps, accumulators) >= SLOW_COST


def prefetch_tile(b: Builder, dtype: DT, address: Value, stride: Value, count: int) -> None:
    """Prefetch a later register tile of ``count`` contiguous elements in each lane's row.

    The present tile begins at ``address``; rows are ``stride`` elements apart.
    """
    of, rows = memory_type(dtype), b.lanes
    if rows > FOLLOWED_ROWS:
        return
    row = b.emit(f"getelementptr {of}, ptr {address.name}, i64 {TILES_AHEAD * count}")
    for number in range(rows):
        if number:
            row = b.emit(f"getelementptr {of}, ptr {row}, i64 {stride.name}")
        _prefetch_lines(b, row, count * dtype.itemsize)
