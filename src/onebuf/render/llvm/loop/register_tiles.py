"""Register tiles: operands with unit stride along the outer axis, transposed in registers.

As many rows as a cache line has elements are computed together. The operands are loaded a cache
line at a time, transposed in registers and used row by row, and results are stored a cache line at
a time. No cache line is loaded twice: where rows of operands are a power of two of bytes apart,
their lines have the same place in the L1 cache, and the next tile drives them out. The loop over
tiles goes down the rows, along the cache lines of the operands. `Rendering.tiles` of them beside
one another are a block, so that each row of results is stored in runs of several lines. If another
operand is read along the rows, `onebuf.render.llvm.loop.cache_tiles` is faster.
"""

from __future__ import annotations

from onebuf.kernel import LOAD, Nest
from onebuf.render.builder import Value
from onebuf.render.llvm.loop.base import Scope, Sinks
from onebuf.render.llvm.loop.cache_tiles import TiledLoops, has_cache_tiles, transposed_slots
from onebuf.render.llvm.loop.prefetch import prefetch_tile
from onebuf.render.llvm.rendering import CACHE_LINE_NBYTES


def has_register_tiles(nest: Nest) -> bool:
    """Whether a nest can be computed in register tiles: it reads nothing along its rows."""
    if not has_cache_tiles(nest):
        return False
    transposed = transposed_slots(nest)
    loads = [step for step in nest.steps if step.op is LOAD]
    others = [nest.slots[step.arg] for step in loads if step.arg not in transposed]
    return not any(step.args for step in loads) and not any(
        slot.steps[-1] and slot.steps[-2] for slot in others
    )


class RegisterTiles(TiledLoops):
    """The function of a nest whose two innermost loops go from register tile to register tile."""

    def loop(self, scope: Scope, sinks: Sinks) -> list[Value]:
        """The loop over the next axis."""
        inner = self.nest.ndim - 1
        if scope.depth != inner - 1 or self.vector == 1:
            return super().loop(scope, sinks)
        sizes = [self.nest.slots[slot].dtype.itemsize for slot in transposed_slots(self.nest)]
        count = CACHE_LINE_NBYTES // min(sizes)
        top, bottom = self.bounds(inner - 1)
        left, right = self.index(0), self.extents[inner]
        middle_row = self.last_multiple(top, bottom, count)
        middle_column = self.last_multiple(left, right, self.vector)
        width = self.rendering.tiles * self.vector
        block = self.open(left, [], width, middle_column)
        end = self.minimum(self.plus(block.counter, width), middle_column)
        down = self.open(top, [], count, middle_row)
        along = self.open(block.counter, [], self.vector, end)
        self._tile(scope, sinks.stores, down.counter, along.counter, count)
        for loop in (along, down, block):
            self.close(loop, [])
        for start, stop, begin, end in (
            (top, middle_row, middle_column, right),
            (middle_row, bottom, left, right),
        ):
            rows = self.open(start, [], 1, stop)
            self.sweep(self.row_scope(scope, sinks.stores, rows.counter), sinks, begin, end)
            self.close(rows, [])
        return []

    def _tile(self, scope: Scope, stores: list[int], row: Value, column: Value, size: int) -> None:
        """``size`` rows from ``row`` on, for the vector that begins at ``column``."""
        b, nest, inner = self.b, self.nest, self.nest.ndim - 1
        rows = [self.row_scope(scope, stores, self.plus(row, n) if n else row) for n in range(size)]
        first = rows[0]
        transposed: dict[int, list[Value]] = {}
        b.lanes = self.vector
        for number in nest.closure(stores, first.known):
            step = nest.steps[number]
            if step.op is LOAD and step.arg in transposed_slots(nest) and not step.args:
                address = self.access.advance(b, step.arg, inner, first.addresses[step.arg], column)
                vectors = self.access.load_transposed(b, step.arg, address, inner, size)
                stride = self.access.strides[step.arg][inner]
                prefetch_tile(b, nest.slots[step.arg].dtype, address, stride, size)
                transposed[number] = vectors
        for n, at in enumerate(rows):
            known = at.known | {number: vectors[n] for number, vectors in transposed.items()}
            addresses = self.access.advance_all(b, inner, at.addresses, column)
            self.compute(Scope(inner + 1, known, addresses), stores)
        b.lanes = 1
