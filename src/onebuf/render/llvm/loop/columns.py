"""Columns: folds over the innermost axis, vectorised along the axis before it.

Where the elements of a row lie side by side and its fold runs from row to row, a vector of columns
is folded at once. Accumulators of a tile of columns wait in memory near the processor while some
rows at a time pass by: each accumulator sees the elements of its column in the order of
`onebuf.kernel.Fold`, as it would alone.
"""

from __future__ import annotations

from collections.abc import Callable

from onebuf.kernel import CHUNK, FOLDS, LANES, LOAD, STORE, Nest
from onebuf.render.builder import Value
from onebuf.render.llvm.element.elementwise import FLOATS_ONLY
from onebuf.render.llvm.loop.accumulator import Accumulator
from onebuf.render.llvm.loop.base import Frame, Work
from onebuf.render.llvm.loop.loops import Loops
from onebuf.render.llvm.memory.transpose import SQUARE

TILES = {(False, True): 2048, (False, False): 16, (True, True): 256, (True, False): 64}
"""Columns whose accumulators are kept at a time: by whether each has one for every lane, and by
whether the elements of a row lie side by side."""
ROWS = 8
"""Rows that pass by at a time."""
FEW_STEPS = 12
"""The most steps that are written out once for each of these rows."""
DEALT_STEPS = 2
"""The same where accumulators stay in memory anyway."""


def has_columns(nest: Nest) -> bool:
    """Whether a nest folds its innermost axis, and stores something for each element before."""
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
    """A nest as text; the two innermost loops are one over columns around one over rows."""

    def loop(self, frame: Frame, work: Work) -> list[Value]:
        """The loop over the next axis; that over columns goes from tile to tile."""
        if frame.depth != self.nest.ndim - 2:
            return super().loop(frame, work)
        self.axis = frame.depth
        self.tile = tile_of(self.nest)
        first, end = self.bounds(frame.depth)
        loop = self.open(first, [], self.tile, end)
        limit = self.least(end, self.plus(loop.counter, self.tile))
        self._tile(frame, work.stores, loop.counter, limit)
        self.close(loop, [])
        return []

    def _tile(self, frame: Frame, stores: list[int], first: Value, limit: Value) -> None:
        """Everything for the columns from ``first`` to ``limit``."""
        done: dict[int, Strip] = {}
        for folds in self._turns(self.closure(stores, frame.known)):
            strips = [Strip(self, Accumulator(self.nest, number), first) for number in folds]
            self._fold(frame, strips, done, first, limit)
            done |= {strip.total.number: strip for strip in strips}

        inner = self.nest.ndim - 1
        outside = [store for store in stores if self.nest.depths[store] == inner]
        inside = [store for store in stores if self.nest.depths[store] > inner]

        def finish(column: Value) -> None:
            self.level(self._at(frame, done, column), outside)

        if outside:
            self._across(first, limit, finish)
        if inside:
            rows = self.open(self.whole(0), [], 1, self.extents[inner])
            there = self._moved(frame.places, inner, rows.counter)

            def finish_row(column: Value) -> None:
                self.level(self._inside(frame, done, there, column, inside), inside)

            self._across(first, limit, finish_row)
            self.close(rows, [])

    def _turns(self, needed: list[int]) -> list[list[int]]:
        """The folds among ``needed``: first those that need no other, then the next ones."""
        steps = self.nest.steps
        turn_of: dict[int, int] = {}
        for number in needed:
            ready = max((turn_of.get(arg, 0) for arg in steps[number].args), default=0)
            turn_of[number] = ready + (steps[number].op in FOLDS)
        folds = [number for number in needed if steps[number].op in FOLDS]
        most = max(map(turn_of.__getitem__, folds))
        return [[n for n in folds if turn_of[n] == turn] for turn in range(1, most + 1)]

    # -- rows --------------------------------------------------------------------------------------

    def _fold(
        self,
        frame: Frame,
        strips: list[Strip],
        done: dict[int, Strip],
        first: Value,
        limit: Value,
    ) -> None:
        """Fold all rows of a tile into ``strips``."""
        dealt = [strip for strip in strips if strip.is_dealt]

        def clear(column: Value) -> None:
            for strip in strips:
                strip.clear(column)

        def gather_lanes(column: Value) -> None:
            for strip in dealt:
                strip.gather_lanes(column)

        self._across(first, limit, clear)
        extent = self.extents[self.nest.ndim - 1]
        chunks = self.open(self.whole(0), [], CHUNK, extent)
        end = self.least(extent, self.plus(chunks.counter, CHUNK))
        for strip in dealt:
            strip.clear_lanes()
        count = self._rows_at_a_time(strips, frame)
        middle = self.last_whole(chunks.counter, end, count)
        for step, start, stop in ((count, chunks.counter, middle), (1, middle, end)):
            loop = self.open(start, [], step, stop)
            lane = self.b.binary("and", loop.counter, self.whole(LANES - 1))
            self._pass(frame, strips, done, (first, limit), loop.counter, step, lane)
            self.close(loop, [])
            if count == 1:
                break
        if dealt:
            self._across(first, limit, gather_lanes)
        self.close(chunks, [])

    def _rows_at_a_time(self, strips: list[Strip], frame: Frame) -> int:
        operands = [self.nest.steps[strip.total.number].args[0] for strip in strips]
        needed = self.closure(operands, frame.known)
        if any(self.nest.steps[number].op in FLOATS_ONLY for number in needed):
            return 1
        if any(strip.is_dealt for strip in strips):
            is_short = len(needed) <= DEALT_STEPS and is_side_by_side(self.nest)
            return LANES if is_short else 1
        return ROWS if len(needed) <= FEW_STEPS else 1

    def _pass(
        self,
        frame: Frame,
        strips: list[Strip],
        done: dict[int, Strip],
        bounds: tuple[Value, Value],
        row: Value,
        count: int,
        lane: Value,
    ) -> None:
        """``count`` rows join the accumulators of all columns."""
        b, inner = self.b, self.nest.ndim - 1
        operands = [self.nest.steps[strip.total.number].args[0] for strip in strips]
        rows = [self._moved(frame.places, inner, self.plus(row, number)) for number in range(count)]

        def join(column: Value) -> None:
            outside = self._at(frame, done, column)
            self._prepare(outside, operands)
            running = [strip.read(column) for strip in strips if not strip.is_dealt]
            if b.lanes == 1 and count > 1:  # few columns are left over: no need for much text
                loop = self.open(row, running, 1, self.plus(row, count))
                places = self._moved(frame.places, inner, loop.counter)
                at = Frame(inner + 1, outside.known, self._moved(places, inner - 1, column))
                where = self.minus(loop.counter, row)
                self.close(loop, self._join(at, strips, loop.carried, column, where))
                running = loop.carried
            else:
                turned = self._turned(operands, outside.known, rows, column)
                for number, places in enumerate(rows):
                    known = outside.known | turned[number]
                    at = Frame(inner + 1, known, self._moved(places, inner - 1, column))
                    where = lane if count == 1 else self.whole(number)
                    running = self._join(at, strips, running, column, where)
            for strip in strips:
                if not strip.is_dealt:
                    strip.write(column, running.pop(0))

        self._across(*bounds, join)

    def _join(
        self, frame: Frame, strips: list[Strip], running: list[Value], column: Value, lane: Value
    ) -> list[Value]:
        """One row joins the accumulators of a vector of columns; those that are not in memory."""
        operands = [self.nest.steps[strip.total.number].args[0] for strip in strips]
        inside = Frame(frame.depth, dict(frame.known), frame.places)
        self.level(inside, operands)
        before = iter(running)
        after = []
        for strip, operand in zip(strips, operands, strict=True):
            value = inside.known[operand]
            if strip.is_dealt:
                joined = strip.total.add(self.b, strip.read(column, lane), value)
                strip.write(column, joined, lane)
            else:
                after.append(strip.total.add(self.b, next(before), value))
        return after

    def _turned(
        self,
        operands: list[int],
        known: dict[int, Value],
        rows: list[tuple[Value, ...]],
        column: Value,
    ) -> list[dict[int, Value]]:
        """For each of some rows the loads whose columns lie side by side, turned round."""
        b, inner = self.b, self.nest.ndim - 1
        found: list[dict[int, Value]] = [{} for _ in rows]
        for number in self.closure(operands, known):
            step = self.nest.steps[number]
            if step.op is not LOAD or step.args or b.lanes == 1:
                continue
            slot = self.nest.slots[step.arg]
            size = SQUARE[slot.dtype.itemsize]
            if slot.steps[inner] != 1 or slot.steps[inner - 1] in (0, 1):
                continue
            if len(rows) % size or b.lanes % size:
                continue
            for first in range(0, len(rows), size):
                place = self.access.moved(b, step.arg, inner - 1, rows[first][step.arg], column)
                vectors = self.access.turned(b, step.arg, place, inner - 1, size)
                for row, vector in enumerate(vectors, first):
                    found[row][number] = vector
        return found

    # -- columns -----------------------------------------------------------------------------------

    def _across(self, first: Value, limit: Value, emit: Callable[[Value], None]) -> None:
        """``emit`` what happens at each vector of columns, then at each that is left over."""
        middle = self.last_whole(first, limit, self.vector)
        for lanes, start, stop in ((self.vector, first, middle), (1, middle, limit)):
            loop = self.open(start, [], lanes, stop)
            self.b.lanes = lanes
            emit(loop.counter)
            self.b.lanes = 1
            self.close(loop, [])

    def _at(self, frame: Frame, done: dict[int, Strip], column: Value) -> Frame:
        """What is known at a column: all that is finished."""
        known = dict(frame.known)
        for number, strip in done.items():
            total = strip.total
            known[number] = total.result(self.b, strip.read(column))
        places = self._moved(frame.places, frame.depth, column)
        return Frame(frame.depth + 1, known, places)

    def _prepare(self, frame: Frame, sinks: list[int]) -> None:
        """What ``sinks`` need at a column that is the same in all of its rows."""
        for number in self.closure(sinks, frame.known):
            if self.nest.depths[number] == frame.depth:
                self.step(number, frame)

    def _inside(
        self,
        frame: Frame,
        done: dict[int, Strip],
        row: tuple[Value, ...],
        column: Value,
        sinks: list[int],
    ) -> Frame:
        """What is known at a column of a row that begins at the places ``row``."""
        outside = self._at(frame, done, column)
        self._prepare(outside, sinks)
        places = self._moved(row, frame.depth, column)
        return Frame(frame.depth + 2, outside.known, places)

    def _moved(self, places: tuple[Value, ...], axis: int, index: Value) -> tuple[Value, ...]:
        moved = self.access.moved
        return tuple([moved(self.b, n, axis, place, index) for n, place in enumerate(places)])


class Strip:
    """The accumulators of one fold for a tile of columns: one for each, and one for each lane."""

    def __init__(self, text: Columns, total: Accumulator, first: Value) -> None:
        self.text = text
        self.total = total
        self.first = first
        self.align = f"align {total.dtype.itemsize}"
        self.is_dealt = not total.fold.sequential
        self.memory = text.memory(text.tile, total.memory)
        self.deal = text.memory(text.tile * LANES, total.memory) if self.is_dealt else self.memory

    def clear(self, column: Value) -> None:
        """Begin anew."""
        self.write(column, self.total.identity(self.text.b))

    def clear_lanes(self) -> None:
        """Begin a chunk."""
        text, b = self.text, self.text.b
        loop = text.open(text.whole(0), [], LANES, text.whole(text.tile * LANES))
        b.lanes = LANES
        of = self.total.memory
        value = b.spread(text.access.to_memory(b, self.total.identity(b)))
        where = b.emit(f"getelementptr {of}, ptr {self.deal.name}, i64 {loop.counter.name}")
        b.line(f"store {b.type(of)} {value}, ptr {where}, {self.align}")
        b.lanes = 1
        text.close(loop, [])

    def gather_lanes(self, column: Value) -> None:
        """End a chunk: the upper half of the lanes onto the lower, and so on."""
        everything = self._gathered(column, 0, 1)
        self.write(column, self.total.combine(self.text.b, self.read(column), everything))

    def _gathered(self, column: Value, lane: int, lanes: int) -> Value:
        """What is in ``lane`` when there are ``lanes`` left."""
        if lanes == LANES:
            return self.read(column, self.text.whole(lane))
        one = self._gathered(column, lane, 2 * lanes)
        two = self._gathered(column, lane + lanes, 2 * lanes)
        return self.total.combine(self.text.b, one, two)

    def read(self, column: Value, lane: Value | None = None) -> Value:
        """The accumulators of the columns from ``column`` on."""
        b = self.text.b
        of = self.total.memory
        name = b.emit(f"load {b.type(of)}, ptr {self._where(column, lane)}, {self.align}")
        return self.total.from_memory(b, Value(name, of, b.lanes == 1))

    def write(self, column: Value, value: Value, lane: Value | None = None) -> None:
        """Put them back."""
        b = self.text.b
        kept = self.text.access.to_memory(b, value)
        wide = b.spread(kept)
        b.line(f"store {b.type(kept.type)} {wide}, ptr {self._where(column, lane)}, {self.align}")

    def _where(self, column: Value, lane: Value | None) -> str:
        """Columns of a tile lie side by side; so do, for each vector of them, its lanes."""
        text, b = self.text, self.text.b
        index = text.minus(column, self.first)
        memory = self.memory
        if lane is not None:
            memory = self.deal
            index = text.plus(index, b.binary("mul", lane, text.whole(text.tile)))
        return b.emit(f"getelementptr {self.total.memory}, ptr {memory.name}, i64 {index.name}")


def tile_of(nest: Nest) -> int:
    """How many columns of a nest make a tile."""
    dealt = any(step.op in FOLDS and not step.arg.sequential for step in nest.steps)
    return TILES[dealt, is_side_by_side(nest)]


def is_side_by_side(nest: Nest) -> bool:
    """Whether the elements of each row that a nest folds are neighbours."""
    inner = nest.ndim - 1
    depths = zip(nest.steps, nest.depths, strict=True)
    slots = [nest.slots[step.arg] for step, depth in depths if step.op is LOAD and depth > inner]
    return all(slot.steps[inner - 1] in (0, 1) for slot in slots)
