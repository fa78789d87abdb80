"""Loops: a nest as one LLVM function, vectorised along its innermost axis.

The function is ``void kernel(ptr args, i64 begin, i64 end)``. ``args`` holds 64-bit words: the
address of each slot, the extent of each axis, the strides of each slot in elements (slot by slot),
then the scalars. ``begin`` and ``end`` bound the outermost axis, so that threads can share it.

At each level, steps run as far out as their depth allows. A loop ends before a step that needs its
result begins, and what a later loop needs again is computed again; only results of reductions
cross from one loop to the next.
"""

from __future__ import annotations

from collections.abc import Iterable

from onebuf.graph import TAKE
from onebuf.kernel import CHUNK, FOLDS, INDEX, LANES, SCALAR, STORE, Nest
from onebuf.render.builder import Value
from onebuf.render.llvm.element.elementwise import TYPES, emit, memory_type
from onebuf.render.llvm.loop import padding
from onebuf.render.llvm.loop.accumulator import Accumulator
from onebuf.render.llvm.loop.base import Frame, Levels, Work
from onebuf.render.llvm.loop.padding import ends_along
from onebuf.render.llvm.loop.prefetch import ask_for_next_row, fetch
from onebuf.render.llvm.loop.row_cache import kept_steps, row_slot
from onebuf.render.llvm.loop.vector_tail import all_vectors
from onebuf.render.llvm.memory.access import Access, Bounds
from onebuf.render.llvm.memory.gather import MOVES
from onebuf.render.llvm.memory.gather import emit as move
from onebuf.render.llvm.memory.masked_access import has_tail
from onebuf.render.llvm.rendering import KEPT_NBYTES, Rendering


class Loops(Levels):
    """A nest as text, loop inside loop in the order of its axes."""

    def __init__(self, nest: Nest, rendering: Rendering) -> None:
        super().__init__()
        self.nest = nest
        self.rendering = rendering
        self.vector = rendering.lanes
        self.axis = nest.ndim - 1
        """The axis that lanes run along."""
        slots, ndim = len(nest.slots), nest.ndim
        positions = {step.arg for step in nest.steps if step.op is INDEX}
        places = [self.word(n, "i64" if n in positions else "ptr") for n in range(slots)]
        self.extents = [self.word(slots + axis, "i64") for axis in range(ndim)]
        strides = [
            [self.word(slots + ndim + slot * ndim + axis, "i64") for axis in range(ndim)]
            for slot in range(slots)
        ]
        self.access = Access(nest, strides, rendering)
        self._prepare_to_keep()
        after = slots + ndim + slots * ndim
        if rendering.checked:
            self._prepare_to_check(after + len(nest.scalars), positions)
        flags = [after + step.arg for step in nest.steps if step.op is TAKE]
        self.flag = self.address(flags[0]) if flags else ""
        known = {
            number: self._scalar(after + step.arg, number)
            for number, step in enumerate(nest.steps)
            if step.op is SCALAR
        }
        stores = [number for number, step in enumerate(nest.steps) if step.op is STORE]
        frame = Frame(0, known, tuple(places))
        if nest.partial:
            self._partials(frame, stores)
        else:
            self.level(frame, stores)
        if rendering.streamed:
            self.b.line("fence seq_cst")

    def _prepare_to_check(self, word: int, positions: set[int]) -> None:
        """Read the bounds of all slots that are memory."""
        slots = len(self.nest.slots)
        report = self.b.emit(f"getelementptr i64, ptr %args, i64 {word + 2 * slots}")
        for slot in set(range(slots)) - positions:
            first, end = (self.word(word + 2 * slot + side, "i64") for side in (0, 1))
            self.access.bounds[slot] = Bounds(first, end, Value(report, "ptr", True))

    def _prepare_to_keep(self) -> None:
        """Find a place for results that wait for the next loop over a row."""
        how = self.rendering.keep
        self.kept = kept_steps(self.nest) if how else ()
        self.filled: set[int] = set()
        self.rows: dict[int, Value | int] = {}
        for number in self.kept:
            dtype = self.nest.steps[number].dtype
            slot = row_slot(self.nest, number) if how == "output" else None
            count = KEPT_NBYTES // len(self.kept) // dtype.itemsize + max(LANES, self.vector)
            self.rows[number] = self.memory(count, memory_type(dtype)) if slot is None else slot

    def _scalar(self, word: int, number: int) -> Value:
        dtype = self.nest.steps[number].dtype
        value = self.word(word, memory_type(dtype))
        if TYPES[dtype.name] == "i1":
            return self.b.compare("icmp ne", value, self.b.constant("i8", 0))
        return value

    # -- levels ------------------------------------------------------------------------------------

    def level(self, frame: Frame, sinks: list[int]) -> None:
        """Everything that ``sinks`` need inside the loops of ``frame``, whose values it adds."""
        nest, depth = self.nest, frame.depth
        needed = self.closure(sinks, frame.known)
        turn_of: dict[int, int] = {}
        for number in needed:
            step = nest.steps[number]
            ready = max((turn_of.get(arg, 0) for arg in step.args), default=0)
            turn_of[number] = ready + (step.op in FOLDS and nest.depths[number] == depth)
        for turn in range(max(turn_of.values(), default=0) + 1):
            here = [n for n in needed if nest.depths[n] == depth]
            for number in here:
                if turn_of[number] == turn and nest.steps[number].op not in FOLDS:
                    self.step(number, frame)
            folds = [n for n in here if turn_of[n] == turn + 1 and nest.steps[n].op in FOLDS]
            stores = [n for n in sinks if nest.depths[n] > depth and turn_of[n] == turn]
            totals = [Accumulator(nest, number) for number in folds]
            inorder = [total for total in totals if total.fold.sequential]
            dealt = [total for total in totals if not total.fold.sequential]
            if inorder and dealt:  # their orders differ, and so do their loops
                self._run(frame, Work(inorder, []))
                inorder = []
            if totals or stores:
                self._run(frame, Work([*inorder, *dealt], stores))

    def _run(self, frame: Frame, work: Work) -> None:
        for total, value in zip(work.totals, self.loop(frame, work), strict=True):
            frame.known[total.number] = total.result(self.b, value._replace(uniform=True))

    def closure(self, sinks: Iterable[int], known: dict[int, Value]) -> list[int]:
        """The steps that ``sinks`` need and that are not known yet, in order."""
        needed: set[int] = set()
        todo = list(sinks)
        while todo:
            number = todo.pop()
            if number not in needed and number not in known:
                needed.add(number)
                todo.extend(self.nest.steps[number].args)
        return sorted(needed)

    def step(self, number: int, frame: Frame) -> None:
        """One step, at the present number of lanes."""
        nest, step = self.nest, self.nest.steps[number]
        operands = tuple([frame.known[arg] for arg in step.args])
        if step.op is STORE:
            self.access.store(self.b, step.arg, frame.places[step.arg], operands[0], self.axis)
        elif step.op in MOVES:
            flag = Value(self.flag, "ptr", True)
            frame.known[number] = move(self.b, step.op, operands, flag)
        elif step.op.kind == "elementwise":
            dtypes = tuple([nest.steps[arg].dtype for arg in step.args])
            frame.known[number] = emit(self.b, step.op, operands, dtypes, step.dtype)
        else:
            place = frame.places[step.arg]
            frame.known[number] = self.access.load(self.b, step, place, self.axis, operands)

    # -- loops -------------------------------------------------------------------------------------

    def loop(self, frame: Frame, work: Work) -> list[Value]:
        """The loop over the next axis; the results of its reductions."""
        first, end = self.bounds(frame.depth)
        if self.kept and frame.depth == self.nest.ndim - 1:
            found = self._over(frame, work, first, end)
            operands = [self.nest.steps[total.number].args[0] for total in work.totals]
            self.filled.update(self.closure([*operands, *work.stores], frame.known))
            return found
        return self._over(frame, work, first, end)

    def _over(self, frame: Frame, work: Work, first: Value, end: Value) -> list[Value]:
        if all(total.fold.sequential for total in work.totals):
            return self.sweep(frame, work, first, end)
        return self._chunks(frame, work, first, end)

    def bounds(self, axis: int) -> tuple[Value, Value]:
        """Where the loop over an axis begins and ends."""
        if axis == 0:
            return Value("%begin", "i64", True), Value("%end", "i64", True)
        return self.whole(0), self.extents[axis]

    def _chunks(self, frame: Frame, work: Work, first: Value, end: Value) -> list[Value]:
        """A loop in chunks, whose results are folded one after another."""
        b = self.b
        loop = self.open(first, [total.identity(b) for total in work.totals], CHUNK, end)
        limit = self.least(end, self.plus(loop.counter, CHUNK))
        parts = self.sweep(frame, work, loop.counter, limit)
        self.close(loop, self._paired(work, loop.carried, parts, Accumulator.combine))
        return loop.carried

    def _partials(self, frame: Frame, stores: list[int]) -> None:
        """A loop in chunks, whose results are stored one after another."""
        b, nest = self.b, self.nest
        first, end = self.bounds(0)
        loop = self.open(first, [], CHUNK, end)
        limit = self.least(end, self.plus(loop.counter, CHUNK))
        parts: dict[int, Value] = {}
        here = Frame(0, dict(frame.known), frame.places)
        for depth_zero, folds in self._passes(
            [nest.steps[store].args[0] for store in stores], here
        ):
            for number in depth_zero:
                self.step(number, here)
            work = Work([Accumulator(nest, number) for number in folds], [])
            found = self.sweep(here, work, loop.counter, limit) if folds else []
            for total, part in zip(work.totals, found, strict=True):
                parts[total.number] = part
                here.known[total.number] = total.result(b, part._replace(uniform=True))
        chunk = b.binary("sdiv", loop.counter, b.constant("i64", CHUNK))
        for store in stores:
            slot = nest.steps[store].arg
            place = self.access.moved(b, slot, 0, frame.places[slot], chunk)
            self.access.store(b, slot, place, parts[nest.steps[store].args[0]], 0)
        self.close(loop, [])

    def _passes(self, sinks: list[int], frame: Frame) -> list[tuple[list[int], list[int]]]:
        """The steps outside the only loop, and the folds over it, of each of its turns."""
        steps, depths = self.nest.steps, self.nest.depths
        needed = self.closure(sinks, frame.known)
        turn_of: dict[int, int] = {}
        for number in needed:
            ready = max((turn_of.get(arg, 0) for arg in steps[number].args), default=0)
            turn_of[number] = ready + (steps[number].op in FOLDS)
        here = [n for n in needed if depths[n] == 0]
        return [
            (
                [n for n in here if turn_of[n] == turn and steps[n].op not in FOLDS],
                [n for n in here if turn_of[n] == turn + 1 and steps[n].op in FOLDS],
            )
            for turn in range(max(turn_of.values(), default=0) + 1)
        ]

    def sweep(self, frame: Frame, work: Work, first: Value, end: Value) -> list[Value]:
        """One pass from ``first`` to ``end``."""
        innermost = frame.depth == self.nest.ndim - 1
        sequential = any(total.fold.sequential for total in work.totals)
        if innermost and not work.totals and self.vector > 1 and ends_along(self.nest):
            padding.sweep(self, frame, work, first, end)
            return []
        if innermost and not sequential and (work.totals or self.vector > 1):
            needed = self.closure(self._sinks(work), frame.known)
            if has_tail(self.nest, needed, bool(work.totals)):
                return all_vectors(self, frame, work, first, end)
            return self._vectors(frame, work, LANES if work.totals else self.vector, first, end)
        if work.totals and not sequential and self.vector > 1:
            return self._dealt(frame, work, first, end)
        loop = self.open(first, [total.identity(self.b) for total in work.totals], 1, end)
        values = self.body(frame, work, loop.counter)
        self.close(loop, self._paired(work, loop.carried, values, Accumulator.add))
        return loop.carried

    def _vectors(
        self, frame: Frame, work: Work, lanes: int, first: Value, end: Value
    ) -> list[Value]:
        """Whole vectors, then what is left over, whose elements join the first lanes."""
        b = self.b
        middle = self.last_whole(first, end, lanes)
        starts = [total.identity(b) for total in work.totals]
        b.lanes = lanes
        wide = [Value(b.spread(start), start.type) for start in starts]
        loop = self.open(first, wide, lanes, middle)
        if not work.totals:
            ask_for_next_row(b, self.nest, self.access.strides, frame.places, loop.counter)
        values = self.body(frame, work, loop.counter)
        self.close(loop, self._paired(work, loop.carried, values, Accumulator.add))
        b.lanes = 1
        rests = list(map(self._spare, work.totals, starts))
        tail = self.open(middle, [], 1, end)
        values = self.body(frame, work, tail.counter)
        lane = b.binary("sub", tail.counter, middle)
        for total, value, rest in zip(work.totals, values, rests, strict=True):
            self._poke(rest, lane, total.widened(b, value))
        self.close(tail, [])
        results = []
        for total, value, rest in zip(work.totals, loop.carried, rests, strict=True):
            b.lanes = lanes
            left = b.emit(f"load {b.type(total.memory)}, ptr {rest.name}, align 64")
            both = total.combine(b, value, total.from_memory(b, Value(left, total.memory)))
            results.append(total.across(b, both, lanes))
        return results

    def _sinks(self, work: Work) -> list[int]:
        """The steps that a loop is for: operands of its reductions, and its stores."""
        return [*[self.nest.steps[total.number].args[0] for total in work.totals], *work.stores]

    def _dealt(self, frame: Frame, work: Work, first: Value, end: Value) -> list[Value]:
        """Elements that are loops themselves, one by one, to the lanes that vectors would use."""
        b = self.b
        rests = [self._spare(total, total.identity(b)) for total in work.totals]
        loop = self.open(first, [], 1, end)
        values = self.body(frame, work, loop.counter)
        lane = b.binary("and", self.minus(loop.counter, first), self.whole(LANES - 1))
        for total, value, rest in zip(work.totals, values, rests, strict=True):
            where = b.emit(f"getelementptr {total.memory}, ptr {rest.name}, i64 {lane.name}")
            old = Value(b.emit(f"load {total.memory}, ptr {where}"), total.memory, True)
            self._poke(rest, lane, total.add(b, total.from_memory(b, old), value))
        self.close(loop, [])
        results = []
        for total, rest in zip(work.totals, rests, strict=True):
            b.lanes = LANES
            all_lanes = b.emit(f"load {b.type(total.memory)}, ptr {rest.name}, align 64")
            both = total.from_memory(b, Value(all_lanes, total.memory))
            results.append(total.across(b, both, LANES))
        return results

    def body(self, frame: Frame, work: Work, index: Value) -> list[Value]:
        """What happens at one index of the next axis; the operands of the reductions."""
        if self.rendering.ahead and frame.depth == self.nest.ndim - 2:
            fetch(self, frame, index)
        inside = self.moved(frame, index)
        operands = [self.nest.steps[total.number].args[0] for total in work.totals]
        if self.kept and inside.depth == self.nest.ndim:
            self._recall(inside, [*operands, *work.stores], index)
        self.level(inside, [*operands, *work.stores])
        if self.kept and inside.depth == self.nest.ndim:
            self._keep(inside, index)
        return [inside.known[operand] for operand in operands]

    def moved(self, frame: Frame, index: Value) -> Frame:
        """What is known at one index of the next axis before anything is computed there."""
        places = [
            self.access.moved(self.b, slot, frame.depth, place, index)
            for slot, place in enumerate(frame.places)
        ]
        return Frame(frame.depth + 1, dict(frame.known), tuple(places))

    def _recall(self, frame: Frame, sinks: list[int], index: Value) -> None:
        """Read back what ``sinks`` need and an earlier loop has kept."""
        b = self.b
        needed = self.closure(sinks, frame.known)
        for number in self.kept:
            if number in self.filled and number in needed:
                of = memory_type(self.nest.steps[number].dtype)
                where = self._kept_at(frame, number, index)
                size = self.nest.steps[number].dtype.itemsize
                name = self.access.read(b, of, size, where)
                frame.known[number] = Value(name, of, b.lanes == 1)

    def _keep(self, frame: Frame, index: Value) -> None:
        """Write what the next loops need again."""
        b = self.b
        for number in self.kept:
            if number not in self.filled and number in frame.known:
                value = frame.known[number]
                wide = b.spread(value)
                where = self._kept_at(frame, number, index)
                if self.access.tail is not None and isinstance(self.rows[number], int):
                    self.access.tail.write(wide, value.type, where)
                    continue
                size = self.nest.steps[number].dtype.itemsize
                b.line(f"store {b.type(value.type)} {wide}, ptr {where}, align {size}")

    def _kept_at(self, frame: Frame, number: int, index: Value) -> str:
        row, dtype = self.rows[number], self.nest.steps[number].dtype
        if isinstance(row, int):
            return frame.places[row].name
        of = memory_type(dtype)
        return self.b.emit(f"getelementptr {of}, ptr {row.name}, i64 {index.name}")

    def _paired(self, work: Work, ones: list[Value], twos: list[Value], how: object) -> list[Value]:
        triples = zip(work.totals, ones, twos, strict=True)
        return [how(total, self.b, one, two) for total, one, two in triples]  # type: ignore[operator]

    def _spare(self, total: Accumulator, start: Value) -> Value:
        """Memory for one vector of accumulators, all set to ``start``."""
        memory = self.memory(LANES, total.memory)
        for lane in range(LANES):
            self._poke(memory, self.whole(lane), start)
        return memory

    def _poke(self, memory: Value, lane: Value, value: Value) -> None:
        value = self.access.to_memory(self.b, value)
        where = self.b.emit(f"getelementptr {value.type}, ptr {memory.name}, i64 {lane.name}")
        self.b.line(f"store {value.type} {value.name}, ptr {where}")
