"""Tiles: memory that is read across the grain, turned round tile by tile.

Where one slot has neighbours along the innermost axis and another along the axis before it, no
order of the loops suits both. So the two are cut into tiles small enough for the nearest cache;
what lies across the grain is turned round into memory on the stack first, and then the tile is
gone through like any other rows.
"""

from __future__ import annotations

from dataclasses import replace

from onebuf.kernel import ANY, FOLDS, LOAD, STORE, Nest, Slot
from onebuf.render.builder import Value
from onebuf.render.llvm.element.elementwise import memory_type
from onebuf.render.llvm.loop.base import Frame, Work
from onebuf.render.llvm.loop.loops import Loops
from onebuf.render.llvm.memory.access import Access
from onebuf.render.llvm.memory.transpose import SQUARE, transpose

WIDTH = 128
"""Elements of a tile along the innermost axis."""
HEIGHT_NBYTES = 256
"""Bytes of a tile along the other axis: four lines of memory, which come faster than one."""


def across(nest: Nest) -> list[int]:
    """The slots of a nest that have neighbours along the axis before the innermost."""
    if nest.ndim < 2:
        return []
    loads = {step.arg for step in nest.steps if step.op is LOAD and not step.args}
    slots = [(number, nest.slots[number].steps) for number in sorted(loads)]
    return [n for n, steps in slots if steps[-2] == 1 and steps[-1] not in (0, 1)]


def has_tiles(nest: Nest) -> bool:
    """Whether a nest can be gone through in tiles, and reads across the grain."""
    stores = [nest.slots[step.arg] for step in nest.steps if step.op is STORE]
    folds = any(step.op in FOLDS for step in nest.steps)
    return not folds and all(slot.steps[-1] for slot in stores) and bool(across(nest))


class Tiles(Loops):
    """A nest as text; the two innermost loops go from tile to tile."""

    def loop(self, frame: Frame, work: Work) -> list[Value]:
        """The loop over the next axis."""
        inner = self.nest.ndim - 1
        if frame.depth != inner - 1:
            return super().loop(frame, work)
        turned = across(self.nest)
        height = HEIGHT_NBYTES // min(self.nest.slots[slot].dtype.itemsize for slot in turned)
        memories = {n: self.memory(height * WIDTH, self._type(n)) for n in turned}
        first, end = self.bounds(inner - 1)
        down = self.open(first, [], height, end)
        below = self.least(end, self.plus(down.counter, height))
        along = self.open(self.whole(0), [], WIDTH, self.extents[inner])
        beyond = self.least(self.extents[inner], self.plus(along.counter, WIDTH))
        for slot, memory in memories.items():
            self._turn(
                slot, frame.places[slot], memory, (down.counter, below, along.counter, beyond)
            )
        self._rows(frame, work, memories, (down.counter, below, along.counter, beyond))
        self.close(along, [])
        self.close(down, [])
        return []

    def _type(self, slot: int) -> str:
        return memory_type(self.nest.slots[slot].dtype)

    # -- turning -----------------------------------------------------------------------------------

    def _turn(
        self, slot: int, place: Value, memory: Value, bounds: tuple[Value, Value, Value, Value]
    ) -> None:
        """Copy a tile of ``slot`` to ``memory``, row by row: squares, then what is left over."""
        top, bottom, left, right = bounds
        size = SQUARE[self.nest.slots[slot].dtype.itemsize]
        middle_row = self.last_whole(top, bottom, size)
        middle_column = self.last_whole(left, right, size)
        columns = self.open(left, [], size, middle_column)
        rows = self.open(top, [], size, middle_row)
        self._square(slot, place, memory, (rows.counter, columns.counter), (top, left))
        self.close(rows, [])
        self.close(columns, [])
        for up, down, start, stop in (
            (middle_row, bottom, left, middle_column),
            (top, bottom, middle_column, right),
        ):
            columns = self.open(start, [], 1, stop)
            rows = self.open(up, [], 1, down)
            source = self._source(slot, place, rows.counter, columns.counter)
            self.access.check(self.b, slot, Value(source, "ptr", True), None)
            target = self._target(slot, memory, (rows.counter, columns.counter), (top, left))
            of, align = self._type(slot), self.nest.slots[slot].dtype.alignment
            value = self.b.emit(f"load {of}, ptr {source}, align {align}")
            self.b.line(f"store {of} {value}, ptr {target}, align {align}")
            self.close(rows, [])
            self.close(columns, [])

    def _square(
        self,
        slot: int,
        place: Value,
        memory: Value,
        corner: tuple[Value, Value],
        tile: tuple[Value, Value],
    ) -> None:
        b, of = self.b, self._type(slot)
        nbytes = self.nest.slots[slot].dtype.itemsize
        align = self.nest.slots[slot].dtype.alignment
        size = SQUARE[nbytes]
        row, column = corner
        columns = []
        source = self._source(slot, place, row, column)
        stride = self.access.strides[slot][self.nest.ndim - 1].name
        for number in range(size):
            if number:
                source = b.emit(f"getelementptr {of}, ptr {source}, i64 {stride}")
            self.access.check(b, slot, Value(source, "ptr", True), None, size)
            columns.append(b.emit(f"load <{size} x {of}>, ptr {source}, align {align}"))
        for number, value in enumerate(transpose(b, of, columns, nbytes)):
            target = self._target(slot, memory, (self.plus(row, number), column), tile)
            b.line(f"store <{size} x {of}> {value}, ptr {target}, align {align}")

    def _source(self, slot: int, place: Value, row: Value, column: Value) -> str:
        inner = self.nest.ndim - 1
        there = self.access.moved(self.b, slot, inner, place, column)
        return self.access.moved(self.b, slot, inner - 1, there, row).name

    def _target(
        self, slot: int, memory: Value, at: tuple[Value, Value], tile: tuple[Value, Value]
    ) -> str:
        b = self.b
        down = b.binary("mul", self.minus(at[0], tile[0]), self.whole(WIDTH))
        index = self.plus(down, self.minus(at[1], tile[1]))
        return b.emit(f"getelementptr {self._type(slot)}, ptr {memory.name}, i64 {index.name}")

    # -- rows --------------------------------------------------------------------------------------

    def _rows(
        self,
        frame: Frame,
        work: Work,
        memories: dict[int, Value],
        bounds: tuple[Value, Value, Value, Value],
    ) -> None:
        """Go through the rows of a tile, reading from ``memories`` what was turned round."""
        b, nest, access = self.b, self.nest, self.access
        top, bottom, left, right = bounds
        inner = nest.ndim - 1
        slots, strides, places = list(nest.slots), list(access.strides), list(frame.places)
        back = self.plus(b.binary("mul", top, self.whole(WIDTH)), left)
        negative = self.minus(self.whole(0), back)
        for slot, memory in memories.items():
            steps = (*slots[slot].steps[: inner - 1], ANY, 1)
            slots[slot] = Slot(slots[slot].dtype, steps)
            strides[slot] = [*strides[slot][: inner - 1], self.whole(WIDTH), self.whole(1)]
            origin = f"getelementptr {self._type(slot)}, ptr {memory.name}, i64 {negative.name}"
            places[slot] = Value(b.emit(origin), "ptr", True)
        self.nest = replace(nest, slots=tuple(slots))
        self.access = Access(self.nest, strides, self.rendering)
        whole = access.bounds.items()
        self.access.bounds = {slot: bound for slot, bound in whole if slot not in memories}
        rows = self.open(top, [], 1, bottom)
        moved = self.access.moved
        at = tuple([moved(b, n, inner - 1, place, rows.counter) for n, place in enumerate(places)])
        inside = Frame(inner, dict(frame.known), at)
        for number in self.closure(work.stores, inside.known):
            if self.nest.depths[number] == inner:
                self.step(number, inside)
        self.sweep(inside, work, left, right)
        self.close(rows, [])
        self.nest, self.access = nest, access
