"""Cache tiles: operands with unit stride along the outer axis, transposed tile by tile.

If one operand has unit stride along the innermost axis and another along the axis before it, no
order of the loops suits both. So the two loops are split into tiles that fit the L1 cache. For each
tile, operands of the second kind are transposed to memory on the stack; then the tile is computed
row by row.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from onebuf.kernel import ANY, FOLDS, LOAD, STORE, Nest, Slot
from onebuf.render.builder import Value
from onebuf.render.llvm.element.elementwise import memory_type
from onebuf.render.llvm.loop.base import Scope, Sinks
from onebuf.render.llvm.loop.vector_loops import Loops
from onebuf.render.llvm.memory.access import Access
from onebuf.render.llvm.memory.transpose import TILE_SIZE, transpose

WIDTH = 128
"""Elements of a tile along the innermost axis."""
HEIGHT_NBYTES = 256
"""Bytes of a tile along the other axis: four cache lines, which load faster than one."""


def transposed_slots(nest: Nest) -> list[int]:
    """The slots of a nest that have unit stride along the axis before the innermost."""
    if nest.ndim < 2:
        return []
    loads = {step.arg for step in nest.steps if step.op is LOAD and not step.args}
    slots = [(number, nest.slots[number].steps) for number in sorted(loads)]
    return [n for n, steps in slots if steps[-2] == 1 and steps[-1] not in (0, 1)]


def has_cache_tiles(nest: Nest) -> bool:
    """Whether a nest can be computed in tiles, and has operands to transpose."""
    stores = [nest.slots[step.arg] for step in nest.steps if step.op is STORE]
    folds = any(step.op in FOLDS for step in nest.steps)
    return not folds and all(slot.steps[-1] for slot in stores) and bool(transposed_slots(nest))


class Tile(NamedTuple):
    """The bounds of a tile."""

    top: Value
    bottom: Value
    left: Value
    right: Value


class TiledLoops(Loops):
    """The function of a nest whose two innermost loops go from tile to tile."""

    def row_scope(self, scope: Scope, stores: list[int], row: Value) -> Scope:
        """The scope of a row, with the steps computed that are the same along it."""
        inner = self.nest.ndim - 1
        addresses = self.access.advance_all(self.b, inner - 1, scope.addresses, row)
        inside = Scope(inner, dict(scope.known), addresses)
        for number in self.nest.closure(stores, inside.known):
            if self.nest.depths[number] == inner:
                self.step(number, inside)
        return inside


class CacheTiles(TiledLoops):
    """The function of a nest whose two innermost loops go from cache tile to cache tile."""

    def loop(self, scope: Scope, sinks: Sinks) -> list[Value]:
        """The loop over the next axis."""
        inner = self.nest.ndim - 1
        if scope.depth != inner - 1:
            return super().loop(scope, sinks)
        slots = transposed_slots(self.nest)
        height = HEIGHT_NBYTES // min(self.nest.slots[slot].dtype.itemsize for slot in slots)
        memories = {n: self.memory(height * WIDTH, self._type(n)) for n in slots}
        first, end = self.bounds(inner - 1)
        down = self.open(first, [], height, end)
        bottom = self.minimum(end, self.plus(down.counter, height))
        along = self.open(self.index(0), [], WIDTH, self.extents[inner])
        right = self.minimum(self.extents[inner], self.plus(along.counter, WIDTH))
        tile = Tile(down.counter, bottom, along.counter, right)
        for slot, memory in memories.items():
            self._transpose(slot, scope.addresses[slot], memory, tile)
        self._rows(scope, sinks, memories, tile)
        self.close(along, [])
        self.close(down, [])
        return []

    def _type(self, slot: int) -> str:
        return memory_type(self.nest.slots[slot].dtype)

    # -- transposition -----------------------------------------------------------------------------

    def _transpose(self, slot: int, address: Value, memory: Value, tile: Tile) -> None:
        """Copy a transposed tile of ``slot`` to ``memory``: register tiles, then the remainder."""
        top, bottom, left, right = tile
        size = TILE_SIZE[self.nest.slots[slot].dtype.itemsize]
        middle_row = self.last_multiple(top, bottom, size)
        middle_column = self.last_multiple(left, right, size)
        columns = self.open(left, [], size, middle_column)
        rows = self.open(top, [], size, middle_row)
        self._transpose_register_tile(slot, address, memory, rows.counter, columns.counter, tile)
        self.close(rows, [])
        self.close(columns, [])
        for up, down, start, stop in (
            (middle_row, bottom, left, middle_column),
            (top, bottom, middle_column, right),
        ):
            columns = self.open(start, [], 1, stop)
            rows = self.open(up, [], 1, down)
            source = self._source(slot, address, rows.counter, columns.counter)
            self.access.check(self.b, slot, Value(source, "ptr", True), None)
            target = self._target(slot, memory, rows.counter, columns.counter, tile)
            of, align = self._type(slot), self.nest.slots[slot].dtype.alignment
            value = self.b.emit(f"load {of}, ptr {source}, align {align}")
            self.b.line(f"store {of} {value}, ptr {target}, align {align}")
            self.close(rows, [])
            self.close(columns, [])

    def _transpose_register_tile(
        self, slot: int, address: Value, memory: Value, row: Value, column: Value, tile: Tile
    ) -> None:
        b, of = self.b, self._type(slot)
        nbytes = self.nest.slots[slot].dtype.itemsize
        align = self.nest.slots[slot].dtype.alignment
        size = TILE_SIZE[nbytes]
        columns = []
        source = self._source(slot, address, row, column)
        stride = self.access.strides[slot][self.nest.ndim - 1].name
        for number in range(size):
            if number:
                source = b.emit(f"getelementptr {of}, ptr {source}, i64 {stride}")
            self.access.check(b, slot, Value(source, "ptr", True), None, size)
            columns.append(b.emit(f"load <{size} x {of}>, ptr {source}, align {align}"))
        for number, value in enumerate(transpose(b, of, columns, nbytes)):
            target = self._target(slot, memory, self.plus(row, number), column, tile)
            b.line(f"store <{size} x {of}> {value}, ptr {target}, align {align}")

    def _source(self, slot: int, address: Value, row: Value, column: Value) -> str:
        inner = self.nest.ndim - 1
        there = self.access.advance(self.b, slot, inner, address, column)
        return self.access.advance(self.b, slot, inner - 1, there, row).name

    def _target(self, slot: int, memory: Value, row: Value, column: Value, tile: Tile) -> str:
        b = self.b
        down = b.binary("mul", self.minus(row, tile.top), self.index(WIDTH))
        index = self.plus(down, self.minus(column, tile.left))
        return b.emit(f"getelementptr {self._type(slot)}, ptr {memory.name}, i64 {index.name}")

    # -- rows --------------------------------------------------------------------------------------

    def _rows(self, scope: Scope, sinks: Sinks, memories: dict[int, Value], tile: Tile) -> None:
        """Compute the rows of a tile, with the transposed operands read from ``memories``."""
        b, nest, access = self.b, self.nest, self.access
        inner = nest.ndim - 1
        slots, strides = list(nest.slots), list(access.strides)
        addresses = list(scope.addresses)
        back = self.plus(b.binary("mul", tile.top, self.index(WIDTH)), tile.left)
        negative = self.minus(self.index(0), back)
        for slot, memory in memories.items():
            steps = (*slots[slot].steps[: inner - 1], ANY, 1)
            slots[slot] = Slot(slots[slot].dtype, steps)
            strides[slot] = [*strides[slot][: inner - 1], self.index(WIDTH), self.index(1)]
            origin = f"getelementptr {self._type(slot)}, ptr {memory.name}, i64 {negative.name}"
            addresses[slot] = Value(b.emit(origin), "ptr", True)
        self.nest = replace(nest, slots=tuple(slots))
        self.access = Access(self.nest, strides, self.rendering)
        bounds = access.bounds.items()
        self.access.bounds = {slot: bound for slot, bound in bounds if slot not in memories}
        rows = self.open(tile.top, [], 1, tile.bottom)
        transposed = replace(scope, addresses=tuple(addresses))
        inside = self.row_scope(transposed, sinks.stores, rows.counter)
        self.sweep(inside, sinks, tile.left, tile.right)
        self.close(rows, [])
        self.nest, self.access = nest, access
