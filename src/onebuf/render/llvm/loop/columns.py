"""Column reductions: folds over the innermost axis, vectorised along the axis before it.

If memory is contiguous along the axis before the innermost, a vector of columns is folded at once.
The accumulators of a tile of columns stay in the cache while a few rows at a time are added.
Each column is folded in the order of `onebuf.kernel.Fold`, so its value is that of a row reduction.
"""

from __future__ import annotations

from collections.abc import Callable

from onebuf.kernel import CHUNK, FOLDS, LANES, LOAD, STORE, Nest
from onebuf.render.builder import Value
from onebuf.render.llvm.element.elementwise import FLOATS_ONLY
from onebuf.render.llvm.loop.accumulator import Accumulator
from onebuf.render.llvm.loop.base import Scope, Sinks
from onebuf.render.llvm.loop.prefetch import prefetch_column_rows
from onebuf.render.llvm.loop.vector_loops import Loops
from onebuf.render.llvm.memory.transpose import TILE_SIZE

TILE_COLUMNS = {(False, True): 2048, (False, False): 16, (True, True): 256, (True, False): 64}
"""Columns of a tile, by whether each has an accumulator for every lane, and by whether the elements
of a row are contiguous."""
ROWS = 8
"""Rows that are added at a time."""
FEW_STEPS = 12
"""The most steps that are written once for each of these rows."""
FEW_INTERLEAVED_STEPS = 2
"""The same for folds with an accumulator for every lane, which stay in memory."""


def has_columns(nest: Nest) -> bool:
    """Whether all folds are over the innermost axis, and each column has something to store."""
    inner = nest.ndim - 1
    folds = [step for step in nest.steps if step.op in FOLDS]
    stores = [number for number, step in enumerate(nest.steps) if step.op is STORE]
    return (
        nest.ndim >= 2
        and bool(folds)
        and not nest.partial
        and all(step.arg.axis == inner for step in folds)
        and all(nest.slots[nest.steps[n].arg].steps[inner - 1] for n in stores)
        and all(nest.depths[n] >= inner for n in stores)
    )


class Columns(Loops):
    """The function of a nest; the two innermost loops are one over columns around one over rows."""

    def loop(self, scope: Scope, sinks: Sinks) -> list[Value]:
        """The loop over the next axis; that over columns goes from tile to tile."""
        if scope.depth != self.nest.ndim - 2:
            return super().loop(scope, sinks)
        self.axis = scope.depth
        self.tile = tile_columns(self.nest)
        first, end = self.bounds(scope.depth)
        loop = self.open(first, [], self.tile, end)
        limit = self.minimum(end, self.plus(loop.counter, self.tile))
        self._tile(scope, sinks.stores, loop.counter, limit)
        self.close(loop, [])
        return []

    def _tile(self, scope: Scope, stores: list[int], first: Value, limit: Value) -> None:
        """Everything for the columns from ``first`` to ``limit``."""
        inner = self.nest.ndim - 1
        done: dict[int, ColumnAccumulators] = {}
        for _, folds, _ in self.nest.passes(stores, scope.known, inner)[:-1]:
            running = [ColumnAccumulators(self, Accumulator(self.nest, n), first) for n in folds]
            self._fold(scope, running, done, first, limit)
            done |= {columns.accumulator.number: columns for columns in running}

        outside = [store for store in stores if self.nest.depths[store] == inner]
        inside = [store for store in stores if self.nest.depths[store] > inner]

        def finish(column: Value) -> None:
            self.compute(self._at_column(scope, done, column), outside)

        if outside:
            self._each_vector(first, limit, finish)
        if inside:
            rows = self.open(self.index(0), [], 1, self.extents[inner])
            row = self.access.advance_all(self.b, inner, scope.addresses, rows.counter)

            def finish_row(column: Value) -> None:
                above = self._at_column(scope, done, column)
                self._compute_invariant(above, inside)
                addresses = self.access.advance_all(self.b, inner - 1, row, column)
                self.compute(Scope(inner + 1, above.known, addresses), inside)

            self._each_vector(first, limit, finish_row)
            self.close(rows, [])

    # -- rows --------------------------------------------------------------------------------------

    def _fold(
        self,
        scope: Scope,
        running: list[ColumnAccumulators],
        done: dict[int, ColumnAccumulators],
        first: Value,
        limit: Value,
    ) -> None:
        """Fold all rows of a tile into the accumulators ``running``."""
        interleaved = [columns for columns in running if columns.is_interleaved]

        def clear(column: Value) -> None:
            for columns in running:
                columns.clear(column)

        def reduce_lanes(column: Value) -> None:
            for columns in interleaved:
                columns.reduce_lanes(column)

        self._each_vector(first, limit, clear)
        extent = self.extents[self.nest.ndim - 1]
        chunks = self.open(self.index(0), [], CHUNK, extent)
        end = self.minimum(extent, self.plus(chunks.counter, CHUNK))
        for columns in interleaved:
            columns.clear_lanes()
        count = self._rows_at_a_time(running, scope)
        middle = self.last_multiple(chunks.counter, end, count)
        for step, start, stop in ((count, chunks.counter, middle), (1, middle, end)):
            loop = self.open(start, [], step, stop)
            lane = self.b.binary("and", loop.counter, self.index(LANES - 1))
            self._fold_rows(scope, running, done, (first, limit), loop.counter, step, lane)
            self.close(loop, [])
            if count == 1:
                break
        if interleaved:
            self._each_vector(first, limit, reduce_lanes)
        self.close(chunks, [])

    def _rows_at_a_time(self, running: list[ColumnAccumulators], scope: Scope) -> int:
        operands = [columns.accumulator.operand for columns in running]
        needed = self.nest.closure(operands, scope.known)
        if any(self.nest.steps[number].op in FLOATS_ONLY for number in needed):
            return 1
        if any(columns.is_interleaved for columns in running):
            is_short = len(needed) <= FEW_INTERLEAVED_STEPS and is_contiguous(self.nest)
            return LANES if is_short else 1
        return ROWS if len(needed) <= FEW_STEPS else 1

    def _fold_rows(
        self,
        scope: Scope,
        running: list[ColumnAccumulators],
        done: dict[int, ColumnAccumulators],
        bounds: tuple[Value, Value],
        row: Value,
        count: int,
        lane: Value,
    ) -> None:
        """Add ``count`` rows to the accumulators of all columns."""
        b, inner = self.b, self.nest.ndim - 1
        advance = self.access.advance_all
        operands = [columns.accumulator.operand for columns in running]
        rows = [advance(b, inner, scope.addresses, self.plus(row, n)) for n in range(count)]

        is_ahead = self.rendering.prefetch and count == ROWS

        def fold(column: Value) -> None:
            if is_ahead and b.lanes > 1:
                prefetch_column_rows(self, scope, row, column, count)
            outside = self._at_column(scope, done, column)
            self._compute_invariant(outside, operands)
            values = [columns.read(column) for columns in running if not columns.is_interleaved]
            if b.lanes == 1 and count > 1:  # a loop is shorter code for the few columns of a tail
                loop = self.open(row, values, 1, self.plus(row, count))
                addresses = advance(b, inner, scope.addresses, loop.counter)
                at = Scope(inner + 1, outside.known, advance(b, inner - 1, addresses, column))
                here = self.minus(loop.counter, row)
                self.close(loop, self._fold_row(at, running, loop.carried, column, here))
                values = loop.carried
            else:
                transposed = self._transposed(operands, outside.known, rows, column)
                for number, addresses in enumerate(rows):
                    known = outside.known | transposed[number]
                    at = Scope(inner + 1, known, advance(b, inner - 1, addresses, column))
                    here = lane if count == 1 else self.index(number)
                    values = self._fold_row(at, running, values, column, here)
            for columns in running:
                if not columns.is_interleaved:
                    columns.write(column, values.pop(0))

        self._each_vector(*bounds, fold)

    def _fold_row(
        self,
        scope: Scope,
        running: list[ColumnAccumulators],
        values: list[Value],
        column: Value,
        lane: Value,
    ) -> list[Value]:
        """Add one row to a vector of columns; the new ``values`` of those not in memory."""
        inside = Scope(scope.depth, dict(scope.known), scope.addresses)
        self.compute(inside, [columns.accumulator.operand for columns in running])
        before = iter(values)
        after = []
        for columns in running:
            accumulator = columns.accumulator
            value = inside.known[accumulator.operand]
            if columns.is_interleaved:
                total = accumulator.add(self.b, columns.read(column, lane), value)
                columns.write(column, total, lane)
            else:
                after.append(accumulator.add(self.b, next(before), value))
        return after

    def _transposed(
        self,
        operands: list[int],
        known: dict[int, Value],
        rows: list[tuple[Value, ...]],
        column: Value,
    ) -> list[dict[int, Value]]:
        """For each of some rows the loads that are contiguous along columns, transposed."""
        b, inner = self.b, self.nest.ndim - 1
        found: list[dict[int, Value]] = [{} for _ in rows]
        for number in self.nest.closure(operands, known):
            step = self.nest.steps[number]
            if step.op is not LOAD or step.args or b.lanes == 1:
                continue
            slot = self.nest.slots[step.arg]
            size = TILE_SIZE[slot.dtype.itemsize]
            if slot.steps[inner] != 1 or slot.steps[inner - 1] in (0, 1):
                continue
            if len(rows) % size or b.lanes % size:
                continue
            for first in range(0, len(rows), size):
                row = rows[first][step.arg]
                address = self.access.advance(b, step.arg, inner - 1, row, column)
                vectors = self.access.load_transposed(b, step.arg, address, inner - 1, size)
                for place, vector in enumerate(vectors, first):
                    found[place][number] = vector
        return found

    # -- columns -----------------------------------------------------------------------------------

    def _each_vector(self, first: Value, limit: Value, emit: Callable[[Value], None]) -> None:
        """``emit`` the code for each vector of columns, then for each column of the tail."""
        middle = self.last_multiple(first, limit, self.vector)
        for lanes, start, stop in ((self.vector, first, middle), (1, middle, limit)):
            loop = self.open(start, [], lanes, stop)
            self.b.lanes = lanes
            emit(loop.counter)
            self.b.lanes = 1
            self.close(loop, [])

    def _at_column(self, scope: Scope, done: dict[int, ColumnAccumulators], column: Value) -> Scope:
        """The scope at a column, with the results of all finished folds."""
        known = dict(scope.known)
        for number, columns in done.items():
            known[number] = columns.accumulator.result(self.b, columns.read(column))
        addresses = self.access.advance_all(self.b, scope.depth, scope.addresses, column)
        return Scope(scope.depth + 1, known, addresses)

    def _compute_invariant(self, scope: Scope, sinks: list[int]) -> None:
        """The steps that ``sinks`` need and that are the same in all rows of a column."""
        for number in self.nest.closure(sinks, scope.known):
            if self.nest.depths[number] == scope.depth:
                self.step(number, scope)


class ColumnAccumulators:
    """The accumulators of one fold for a tile of columns: one for each, and one for each lane."""

    def __init__(self, function: Columns, accumulator: Accumulator, first: Value) -> None:
        self.function = function
        self.accumulator = accumulator
        self.first = first
        self.align = f"align {accumulator.dtype.itemsize}"
        self.is_interleaved = not accumulator.fold.sequential
        tile, of = function.tile, accumulator.memory
        self.memory = function.memory(tile, of)
        self.lanes = function.memory(tile * LANES, of) if self.is_interleaved else self.memory

    def clear(self, column: Value) -> None:
        """Set the accumulators of a vector of columns to the identity."""
        self.write(column, self.accumulator.identity(self.function.b))

    def clear_lanes(self) -> None:
        """Begin a chunk: set all lanes to the identity."""
        function, b = self.function, self.function.b
        loop = function.open(function.index(0), [], LANES, function.index(function.tile * LANES))
        b.lanes = LANES
        of = self.accumulator.memory
        value = b.spread(function.access.to_memory(b, self.accumulator.identity(b)))
        address = b.emit(f"getelementptr {of}, ptr {self.lanes.name}, i64 {loop.counter.name}")
        b.line(f"store {b.type(of)} {value}, ptr {address}, {self.align}")
        b.lanes = 1
        function.close(loop, [])

    def reduce_lanes(self, column: Value) -> None:
        """End a chunk: fold the upper half of the lanes onto the lower, until one is left."""
        total = self._reduced(column, 0, 1)
        self.write(column, self.accumulator.combine(self.function.b, self.read(column), total))

    def _reduced(self, column: Value, lane: int, lanes: int) -> Value:
        """The value of ``lane`` when ``lanes`` are left."""
        if lanes == LANES:
            return self.read(column, self.function.index(lane))
        one = self._reduced(column, lane, 2 * lanes)
        two = self._reduced(column, lane + lanes, 2 * lanes)
        return self.accumulator.combine(self.function.b, one, two)

    def read(self, column: Value, lane: Value | None = None) -> Value:
        """The accumulators of the vector of columns from ``column`` on."""
        b = self.function.b
        of = self.accumulator.memory
        name = b.emit(f"load {b.type(of)}, ptr {self._address(column, lane)}, {self.align}")
        return self.accumulator.from_memory(b, Value(name, of, b.lanes == 1))

    def write(self, column: Value, value: Value, lane: Value | None = None) -> None:
        """Store them."""
        b = self.function.b
        stored = self.function.access.to_memory(b, value)
        wide, address = b.spread(stored), self._address(column, lane)
        b.line(f"store {b.type(stored.type)} {wide}, ptr {address}, {self.align}")

    def _address(self, column: Value, lane: Value | None) -> str:
        """The columns of a tile are contiguous; so are they for each lane."""
        function, b = self.function, self.function.b
        index = function.minus(column, self.first)
        memory = self.memory
        if lane is not None:
            memory = self.lanes
            index = function.plus(index, b.binary("mul", lane, function.index(function.tile)))
        return b.emit(
            f"getelementptr {self.accumulator.memory}, ptr {memory.name}, i64 {index.name}"
        )


def tile_columns(nest: Nest) -> int:
    """The number of columns of a tile."""
    interleaved = any(step.op in FOLDS and not step.arg.sequential for step in nest.steps)
    return TILE_COLUMNS[interleaved, is_contiguous(nest)]


def is_contiguous(nest: Nest) -> bool:
    """Whether the elements of each row that a nest folds are contiguous."""
    inner = nest.ndim - 1
    depths = zip(nest.steps, nest.depths, strict=True)
    slots = [nest.slots[step.arg] for step, depth in depths if step.op is LOAD and depth > inner]
    return all(slot.steps[inner - 1] in (0, 1) for slot in slots)
