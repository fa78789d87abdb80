"""Loops: a nest as one LLVM function, vectorised along its innermost axis.

The function is ``void kernel(ptr args, i64 begin, i64 end)``. ``args`` holds 64-bit words: the
address of each slot, the extent of each axis, the strides of each slot in elements (slot by slot),
then the scalars. ``begin`` and ``end`` bound the outermost axis, so that threads can share it.

Each step is computed outside of as many loops as its depth allows. A step that needs the result of
a reduction comes after the loop that computes it. If two loops need a step, both compute it: only
results of reductions, and steps in the row cache, cross from one loop to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from onebuf.graph import TAKE
from onebuf.kernel import ADDRESSING, CHUNK, INDEX, LANES, SCALAR, STORE, Nest, Pass
from onebuf.render.builder import Builder, Value
from onebuf.render.llvm.element.elementwise import TYPES, emit, memory_type, widest
from onebuf.render.llvm.loop import overlap, padding
from onebuf.render.llvm.loop.accumulator import Accumulator
from onebuf.render.llvm.loop.base import CachedRow, LoopBuilder, Scope, Sinks
from onebuf.render.llvm.loop.prefetch import RowPrefetch, prefetch_gathered_rows
from onebuf.render.llvm.loop.row_cache import cached_steps, output_row_slot
from onebuf.render.llvm.loop.vector_tail import vectors_with_tail
from onebuf.render.llvm.memory.access import Access, Bounds
from onebuf.render.llvm.memory.gather import address_step
from onebuf.render.llvm.memory.masked_access import has_vector_tail
from onebuf.render.llvm.rendering import ROW_CACHE_NBYTES, Rendering


class Loops(LoopBuilder):
    """The function of a nest, with its loops in the order of its axes."""

    def __init__(self, nest: Nest, rendering: Rendering) -> None:
        super().__init__()
        self.nest = nest
        self.rendering = rendering
        self.vector = rendering.lanes
        self.axis = nest.ndim - 1
        """The axis along which SIMD lanes run."""
        slots, ndim = len(nest.slots), nest.ndim
        positions = {step.arg for step in nest.steps if step.op is INDEX}
        addresses = [self.word(n, "i64" if n in positions else "ptr") for n in range(slots)]
        self.extents = [self.word(slots + axis, "i64") for axis in range(ndim)]
        strides = [
            [self.word(slots + ndim + slot * ndim + axis, "i64") for axis in range(ndim)]
            for slot in range(slots)
        ]
        self.access = Access(nest, strides, rendering)
        self.overlaps = overlap.overlaps(nest, rendering)
        self.row_prefetch = RowPrefetch(nest, strides, self.overlaps)
        self.cached = cached_steps(nest) if rendering.row_cache else ()
        row = self.new_cached_row()
        after = slots + ndim + slots * ndim
        if rendering.checked:
            self._read_bounds(after + len(nest.scalars), positions)
        flags = [after + step.arg for step in nest.steps if step.op is TAKE]
        self.flag = self.word_address(flags[0]) if flags else ""
        known = {
            number: self._scalar(after + step.arg, number)
            for number, step in enumerate(nest.steps)
            if step.op is SCALAR
        }
        stores = [number for number, step in enumerate(nest.steps) if step.op is STORE]
        scope = Scope(0, known, tuple(addresses), row)
        if nest.partial:
            self._store_partials(scope, stores)
        else:
            self.compute(scope, stores)
        if rendering.streamed:
            self.b.line("fence seq_cst")

    def _read_bounds(self, word: int, positions: set[int]) -> None:
        """Read the bounds of all slots that are memory."""
        slots = len(self.nest.slots)
        report = self.word_address(word + 2 * slots)
        for slot in set(range(slots)) - positions:
            first, end = (self.word(word + 2 * slot + side, "i64") for side in (0, 1))
            self.access.bounds[slot] = Bounds(first, end, Value(report, "ptr", True))

    def _scalar(self, word: int, number: int) -> Value:
        dtype = self.nest.steps[number].dtype
        value = self.word(word, memory_type(dtype))
        if TYPES[dtype.name] == "i1":
            return self.b.compare("icmp ne", value, self.b.constant("i8", 0))
        return value

    # -- scopes ------------------------------------------------------------------------------------

    def compute(self, scope: Scope, sinks: list[int]) -> None:
        """Everything that ``sinks`` need inside the loops of ``scope``, which gets its values."""
        for each in self.nest.passes(sinks, scope.known, scope.depth):
            self.run_pass(scope, each)

    def run_pass(self, scope: Scope, work: Pass) -> None:
        """One loop over the next axis, after the steps of ``scope`` that it needs."""
        for number in work.steps:
            self.step(number, scope)
        accumulators = [Accumulator(self.nest, number) for number in work.folds]
        sequential = [each for each in accumulators if each.fold.sequential]
        interleaved = [each for each in accumulators if not each.fold.sequential]
        if sequential and interleaved:  # their orders differ, so each kind has its own loop
            self._run(scope, Sinks(sequential, []))
            sequential = []
        if accumulators or work.stores:
            self._run(scope, Sinks([*sequential, *interleaved], work.stores))

    def _run(self, scope: Scope, sinks: Sinks) -> None:
        for accumulator, value in zip(sinks.accumulators, self.loop(scope, sinks), strict=True):
            result = accumulator.result(self.b, value._replace(uniform=True))
            scope.known[accumulator.number] = result

    def step(self, number: int, scope: Scope) -> None:
        """One step, with the present number of lanes."""
        nest, step = self.nest, self.nest.steps[number]
        operands = tuple([scope.known[arg] for arg in step.args])
        if step.op is STORE:
            self.access.store(self.b, step.arg, scope.addresses[step.arg], operands[0], self.axis)
        elif step.op in ADDRESSING:
            flag = Value(self.flag, "ptr", True)
            scope.known[number] = address_step(self.b, step.op, operands, flag)
        elif step.op.kind == "elementwise":
            dtypes = tuple([nest.steps[arg].dtype for arg in step.args])
            scope.known[number] = emit(self.b, step.op, operands, dtypes, step.dtype)
        else:
            address = scope.addresses[step.arg]
            scope.known[number] = self.access.load(self.b, step, address, self.axis, operands)

    # -- loops -------------------------------------------------------------------------------------

    def loop(self, scope: Scope, sinks: Sinks) -> list[Value]:
        """The loop over the next axis; the results of its reductions."""
        found = self.fold_range(scope, sinks, *self.bounds(scope.depth))
        if self.cached and scope.depth == self.nest.ndim - 1:
            computed = self.nest.closure(sinks.steps, scope.known)
            scope.row.filled.update(set(computed).intersection(self.cached))
        return found

    def fold_range(self, scope: Scope, sinks: Sinks, first: Value, end: Value) -> list[Value]:
        """The loop from ``first`` to ``end``, in chunks unless all folds are sequential."""
        if all(accumulator.fold.sequential for accumulator in sinks.accumulators):
            return self.sweep(scope, sinks, first, end)
        starts = [accumulator.identity(self.b) for accumulator in sinks.accumulators]
        loop = self.open(first, starts, CHUNK, end)
        limit = self.minimum(end, self.plus(loop.counter, CHUNK))
        parts = self.sweep(scope, sinks, loop.counter, limit)
        self.close(loop, self._pairwise(Accumulator.combine, sinks, loop.carried, parts))
        return loop.carried

    def bounds(self, axis: int) -> tuple[Value, Value]:
        """The first index of the loop over an axis, and the one after the last."""
        if axis == 0:
            return Value("%begin", "i64", True), Value("%end", "i64", True)
        return self.index(0), self.extents[axis]

    def _store_partials(self, scope: Scope, stores: list[int]) -> None:
        """A loop in chunks that stores the result of each chunk."""
        b, nest = self.b, self.nest
        first, end = self.bounds(0)
        loop = self.open(first, [], CHUNK, end)
        limit = self.minimum(end, self.plus(loop.counter, CHUNK))
        parts: dict[int, Value] = {}
        here = replace(scope, known=dict(scope.known))
        sinks = [nest.steps[store].args[0] for store in stores]
        for steps, folds, _ in nest.passes(sinks, here.known, 0):
            for number in steps:
                self.step(number, here)
            work = Sinks([Accumulator(nest, number) for number in folds], [])
            found = self.sweep(here, work, loop.counter, limit) if folds else []
            for accumulator, part in zip(work.accumulators, found, strict=True):
                parts[accumulator.number] = part
                result = accumulator.result(b, part._replace(uniform=True))
                here.known[accumulator.number] = result
        chunk = b.binary("sdiv", loop.counter, b.constant("i64", CHUNK))
        for store in stores:
            slot = nest.steps[store].arg
            address = self.access.advance(b, slot, 0, scope.addresses[slot], chunk)
            self.access.store(b, slot, address, parts[nest.steps[store].args[0]], 0)
        self.close(loop, [])

    def sweep(self, scope: Scope, sinks: Sinks, first: Value, end: Value) -> list[Value]:
        """One loop from ``first`` to ``end``, in the way that suits its steps."""
        if self.overlaps and scope.depth == self.nest.ndim - 2:
            overlap.sweep(self, scope, sinks, first, end)
            return []
        innermost = scope.depth == self.nest.ndim - 1
        folds = bool(sinks.accumulators)
        sequential = any(accumulator.fold.sequential for accumulator in sinks.accumulators)
        if innermost and not folds and self.vector > 1 and padding.bounds_tests(self.nest):
            padding.sweep(self, scope, sinks, first, end)
            return []
        if innermost and not sequential and (folds or self.vector > 1):
            needed = self.nest.closure(sinks.steps, scope.known)
            if has_vector_tail(self.nest, needed, folds):
                return vectors_with_tail(self, scope, sinks, first, end)
            lanes = LANES if folds else self.lanes_of(needed)
            return self._vectors(scope, sinks, lanes, first, end)
        if folds and not sequential and self.vector > 1:
            return self._interleaved(scope, sinks, first, end)
        starts = [accumulator.identity(self.b) for accumulator in sinks.accumulators]
        loop = self.open(first, starts, 1, end)
        values = self.body(scope, sinks, loop.counter)
        self.close(loop, self._pairwise(Accumulator.add, sinks, loop.carried, values))
        return loop.carried

    def lanes_of(self, steps: Collection[int]) -> int:
        """SIMD lanes of a loop that computes ``steps`` and folds nothing.

        Where other loops over the row have wider elements, this one has more lanes.
        """
        inner = self.nest.ndim
        here = [number for number in steps if self.nest.depths[number] == inner]
        every = [number for number, depth in enumerate(self.nest.depths) if depth == inner]
        return self.vector * (widest(self.nest, every) // widest(self.nest, here))

    def _vectors(
        self, scope: Scope, sinks: Sinks, lanes: int, first: Value, end: Value
    ) -> list[Value]:
        """Full vectors, then a scalar loop over the tail, whose elements join the first lanes."""
        b, accumulators = self.b, sinks.accumulators
        middle = self.last_multiple(first, end, lanes)
        starts = [accumulator.identity(b) for accumulator in accumulators]
        b.lanes = lanes
        wide = [Value(b.spread(start), start.type) for start in starts]
        loop = self.open(first, wide, lanes, middle)
        if not accumulators:
            self.prefetch(scope, sinks, loop.counter)
        values = self.body(scope, sinks, loop.counter)
        self.close(loop, self._pairwise(Accumulator.add, sinks, loop.carried, values))
        b.lanes = 1
        rests = list(map(self._lane_memory, accumulators, starts))
        tail = self.open(middle, [], 1, end)
        values = self.body(scope, sinks, tail.counter)
        lane = b.binary("sub", tail.counter, middle)
        for accumulator, value, rest in zip(accumulators, values, rests, strict=True):
            self._store_lane(rest, lane, accumulator.widened(b, value))
        self.close(tail, [])
        results = []
        for accumulator, value, rest in zip(accumulators, loop.carried, rests, strict=True):
            left = self._load_lanes(accumulator, rest, lanes)
            results.append(accumulator.reduce_lanes(b, accumulator.combine(b, value, left), lanes))
        return results

    def _interleaved(self, scope: Scope, sinks: Sinks, first: Value, end: Value) -> list[Value]:
        """A fold of values that inner loops compute: each goes to the lane of its index."""
        b, accumulators = self.b, sinks.accumulators
        rests = [self._lane_memory(each, each.identity(b)) for each in accumulators]
        loop = self.open(first, [], 1, end)
        values = self.body(scope, sinks, loop.counter)
        lane = b.binary("and", self.minus(loop.counter, first), self.index(LANES - 1))
        for accumulator, value, rest in zip(accumulators, values, rests, strict=True):
            of = accumulator.memory
            address = b.emit(f"getelementptr {of}, ptr {rest.name}, i64 {lane.name}")
            old = Value(b.emit(f"load {of}, ptr {address}"), of, True)
            new = accumulator.add(b, accumulator.from_memory(b, old), value)
            self._store_lane(rest, lane, new)
        self.close(loop, [])
        results = []
        for accumulator, rest in zip(accumulators, rests, strict=True):
            all_lanes = self._load_lanes(accumulator, rest, LANES)
            results.append(accumulator.reduce_lanes(b, all_lanes, LANES))
        return results

    def prefetch(self, scope: Scope, sinks: Sinks, index: Value) -> None:
        """Prefetch what a loop over rows needs later, at one index of the innermost axis."""
        steps = self.nest.closure(sinks.steps, [*scope.known, *scope.row.filled])
        dtypes = [accumulator.dtype for accumulator in sinks.accumulators]
        self.row_prefetch.prefetch(self.b, steps, scope.addresses, index, dtypes)

    def body(self, scope: Scope, sinks: Sinks, index: Value) -> list[Value]:
        """The loop body at one index of the next axis; the operands of the reductions."""
        if self.late is not None and scope.depth == self.nest.ndim - 1:
            overlap.store_late(self, self.late, index)
        inside = self.inside(scope, sinks.steps, index)
        return [inside.known[operand] for operand in sinks.operands]

    def inside(self, scope: Scope, steps: list[int], index: Value) -> Scope:
        """The scope at one index of the next axis, with ``steps`` computed."""
        if self.rendering.prefetch and scope.depth == self.nest.ndim - 2:
            prefetch_gathered_rows(self, scope, index)
        inside = self.at_index(scope, index)
        innermost = inside.depth == self.nest.ndim
        if self.cached and innermost:
            self._read_cached(inside, steps, index)
        self.compute(inside, steps)
        if self.cached and innermost:
            self._write_cached(inside, index)
        return inside

    def at_index(self, scope: Scope, index: Value) -> Scope:
        """The scope at one index of the next axis, before anything is computed there."""
        addresses = self.access.advance_all(self.b, scope.depth, scope.addresses, index)
        return Scope(scope.depth + 1, dict(scope.known), addresses, scope.row)

    # -- the row cache -----------------------------------------------------------------------------

    def new_cached_row(self) -> CachedRow:
        """Memory for the results of a row that the next loop over it reads."""
        row = CachedRow({}, set())
        for number in self.cached:
            dtype, how = self.nest.steps[number].dtype, self.rendering.row_cache
            slot = output_row_slot(self.nest, number) if how == "output" else None
            count = ROW_CACHE_NBYTES // len(self.cached) // dtype.itemsize
            count += max(LANES, self.vector)
            row.memory[number] = self.memory(count, memory_type(dtype)) if slot is None else slot
        return row

    def _read_cached(self, scope: Scope, sinks: list[int], index: Value) -> None:
        """Read the steps that ``sinks`` need and an earlier loop has stored."""
        b = self.b
        needed = self.nest.closure(sinks, scope.known)
        for number in self.cached:
            if number in scope.row.filled and number in needed:
                dtype = self.nest.steps[number].dtype
                of, address = memory_type(dtype), self._cache_address(scope, number, index)
                name = self.access.read(b, of, dtype.itemsize, address)
                scope.known[number] = Value(name, of, b.lanes == 1)

    def _write_cached(self, scope: Scope, index: Value) -> None:
        """Store the steps that the next loops read."""
        b = self.b
        for number in self.cached:
            if number not in scope.row.filled and number in scope.known:
                value = scope.known[number]
                wide = b.spread(value)
                address = self._cache_address(scope, number, index)
                if self.access.tail is not None and isinstance(scope.row.memory[number], int):
                    self.access.tail.write(wide, value.type, address)
                    continue
                size = self.nest.steps[number].dtype.itemsize
                b.line(f"store {b.type(value.type)} {wide}, ptr {address}, align {size}")

    def _cache_address(self, scope: Scope, number: int, index: Value) -> str:
        row, dtype = scope.row.memory[number], self.nest.steps[number].dtype
        if isinstance(row, int):
            return scope.addresses[row].name
        of = memory_type(dtype)
        return self.b.emit(f"getelementptr {of}, ptr {row.name}, i64 {index.name}")

    # -- accumulators ------------------------------------------------------------------------------

    def _pairwise(
        self,
        combine: Callable[[Accumulator, Builder, Value, Value], Value],
        sinks: Sinks,
        ones: list[Value],
        twos: list[Value],
    ) -> list[Value]:
        triples = zip(sinks.accumulators, ones, twos, strict=True)
        return [combine(accumulator, self.b, one, two) for accumulator, one, two in triples]

    def _lane_memory(self, accumulator: Accumulator, start: Value) -> Value:
        """Memory for one vector of accumulators, all set to ``start``."""
        memory = self.memory(LANES, accumulator.memory)
        for lane in range(LANES):
            self._store_lane(memory, self.index(lane), start)
        return memory

    def _store_lane(self, memory: Value, lane: Value, value: Value) -> None:
        value = self.access.to_memory(self.b, value)
        address = self.b.emit(f"getelementptr {value.type}, ptr {memory.name}, i64 {lane.name}")
        self.b.line(f"store {value.type} {value.name}, ptr {address}")

    def _load_lanes(self, accumulator: Accumulator, memory: Value, lanes: int) -> Value:
        """A vector of accumulators; sets the builder to as many lanes."""
        b, of = self.b, accumulator.memory
        b.lanes = lanes
        name = b.emit(f"load {b.type(of)}, ptr {memory.name}, align 64")
        return accumulator.from_memory(b, Value(name, of))
