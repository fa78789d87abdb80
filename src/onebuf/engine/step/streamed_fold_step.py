"""Streamed fold steps: blocks of an operand are made in cache and folded there, one after another.

Blocks are whole outermost indices, folds whole chunks: elements of a chunk that is not complete
wait at the beginning of the next block. The results of chunks are folded in the end.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from time import perf_counter

import numpy as np

from onebuf.dtypes import DT, Array
from onebuf.engine.cpu.launch import Chunked, Launch, prepare
from onebuf.engine.cpu.program import scalar_words
from onebuf.engine.step.error_context import OutsideError, say_where
from onebuf.engine.step.kernel_step import KernelCall, Told, stored
from onebuf.engine.step.plan import Given, Held, Homes, held_node
from onebuf.events import listeners
from onebuf.graph import attach, engine_lock
from onebuf.kernel import CHUNK
from onebuf.memory import ALIGNMENT, address_of
from onebuf.ops import new_array
from onebuf.scheduler.fuse.group import Group
from onebuf.scheduler.fuse.streamed_fold import StreamedFold

BLOCK_NBYTES = 1 << 20
"""About as many bytes of the operand are in memory at a time."""


class StreamedFoldStep:
    """A kernel that makes blocks of an operand, and one that folds them."""

    __slots__ = (
        *("done", "_told", "_inputs", "_output", "_calls", "_count", "_extent", "_row"),
        *("_shifts", "_into", "_fold", "_dtype"),
    )

    def __init__(self, kernel: StreamedFold, homes: Homes) -> None:
        self.done: tuple[int, ...] = ()
        self._told = Told(kernel.name, kernel.bytes_read, kernel.bytes_written)
        numbers, offsets, _ = homes
        made = kernel.made
        places = [(id(node), numbers[id(node)]) for node in made.inputs]
        self._inputs = tuple([~offsets[me] if me in offsets else n for me, n in places])
        (node,) = kernel.outputs
        self._output = (numbers[id(node)], offsets.get(id(node), -1), node.shape, node.dtype)
        (operand,) = made.outputs
        self._dtype = operand.dtype
        self._extent, self._row = made.extents[0], prod(made.extents[1:])
        self._count = max(1, min(self._extent, BLOCK_NBYTES // (self._row * self._dtype.itemsize)))
        bases = {id(one): at for at, one in enumerate((*made.inputs, operand), 1)}
        counts = [self._count, self._extent % self._count or self._count]
        try:
            self._calls = [
                KernelCall(_for(made, count), bases, numbers) for count in dict.fromkeys(counts)
            ]
            self._fold = (prepare(kernel.fold), kernel.fold)
        except Exception as error:
            say_where(error, self._told.name, node)
            raise
        self._into = [reach.node is operand for reach in made.reaches]
        self._shifts = [
            reach.view.stride[0] * (1 if reach.is_index else reach.node.dtype.itemsize)
            for reach in made.reaches
        ]

    def run(self, held: Held, arena: int, given: Given) -> None:
        """Make and fold all blocks; the result becomes stored, or is in the arena."""
        start = perf_counter() if listeners() else 0.0
        try:
            self._run(held, arena)
        except (OutsideError, engine_lock.Overtaken):
            raise
        except Exception as error:
            say_where(error, self._told.name, held_node(self._output[0], held))
            raise
        if listeners():
            self._told.tell(start)

    def _run(self, held: Held, arena: int) -> None:
        turn = engine_lock.current()
        bases = [0]
        for number in self._inputs:
            bases.append(arena + ~number if number < 0 else address_of(stored(held[number])))
        number, offset, shape, dtype = self._output
        home = None if offset >= 0 else new_array(shape, dtype)
        result = arena + offset if home is None else home[1].address
        fold = ChunkFold(*self._fold, result)
        block = aligned(self._count * self._row + CHUNK, self._dtype)
        left = done = 0
        for first in range(0, self._extent, self._count):
            last = min(first + self._count, self._extent)
            engine_lock.check(turn)
            self._make(first, last, [*bases, address_of(block)], left, held)
            have = left + (last - first) * self._row
            whole = have if last == self._extent else have // CHUNK * CHUNK
            fold.add(block, whole, done)
            done += whole
            left = have - whole
            block[:left] = block[whole:have].copy()
        fold.finish()
        engine_lock.check(turn)
        if home is not None:
            attach(held_node(number, held), *home)

    def _make(self, first: int, last: int, bases: list[int], left: int, held: Held) -> None:
        """Compute the outermost indices from ``first`` to ``last``, after ``left`` elements."""
        skipped = left * self._dtype.itemsize
        pairs = zip(self._into, self._shifts, strict=True)
        shifts = [skipped if is_block else first * step for is_block, step in pairs]
        call = self._calls[0 if last - first == self._count else -1]
        call.run(bases, None, held, shifts)


class ChunkFold:
    """The fold of one row that comes in blocks of whole chunks."""

    __slots__ = ("_launch", "_places", "_scalars", "_parts", "_result", "_itemsize")

    def __init__(self, launch: Launch, group: Group, result: int) -> None:
        self._launch = launch
        (row,) = group.inputs
        self._places = [
            (0, reach.view.offset) if reach.is_index else (1 if reach.node is row else 2, 0)
            for reach in group.reaches
        ]
        self._scalars = scalar_words(group.scalars)
        self._parts = launch.new_parts() if isinstance(launch, Chunked) else []
        self._result = result
        self._itemsize = row.dtype.itemsize

    def add(self, block: Array, count: int, done: int) -> None:
        """Fold the first ``count`` elements of ``block``; ``done`` were folded before."""
        addresses = self._addresses(address_of(block) - done * self._itemsize)
        launch = self._launch
        if not isinstance(launch, Chunked):
            launch.run(addresses, self._scalars)
        elif count:
            launch.fold_chunks(addresses, self._scalars, self._parts, done, done + count)

    def finish(self) -> None:
        """Fold the results of all chunks."""
        if isinstance(self._launch, Chunked):
            self._launch.fold_parts(self._addresses(0), self._scalars, self._parts)

    def _addresses(self, row: int) -> list[int]:
        bases = (0, row, self._result)
        return [bases[which] + offset for which, offset in self._places]


def aligned(numel: int, dtype: DT) -> Array:
    """Memory for so many elements, as aligned as the pool's."""
    raw = np.empty(numel * dtype.itemsize + ALIGNMENT, np.uint8)
    skipped = -address_of(raw) % ALIGNMENT
    return raw[skipped : skipped + numel * dtype.itemsize].view(dtype)


def _for(group: Group, count: int) -> Group:
    """The group for the first ``count`` outermost indices."""
    extents = (count, *group.extents[1:])
    reaches = [replace(reach, view=reach.view.with_shape(extents)) for reach in group.reaches]
    return replace(group, extents=extents, reaches=tuple(reaches))
