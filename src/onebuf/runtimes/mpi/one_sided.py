"""One-sided access to elements in slabs: boxes of them, read and written from any place.

Where the memory of a place is mapped here, its elements are looked at in place, or copied. Where it
is not, they are got from there; nobody has to answer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np

from onebuf.dtypes import DT, Array
from onebuf.events import Moved, listeners, tell
from onebuf.memory import POOL
from onebuf.placement import Box, Partition, numel_of
from onebuf.placement.box import shape_of, within
from onebuf.runtimes.mpi.packed_boxes import PackedBoxes
from onebuf.runtimes.mpi.window import Window
from onebuf.runtimes.protocols import Elements

POOLED_NBYTES = 1 << 20
"""Arrays of at least this size come from the pool: fresh memory is slow to touch."""


class Memory:
    """Where elements lie: in the block that begins at ``offsets[place]`` of each place's slab.

    ``number`` names the elements, and is the same at every place. When this object goes, its place
    has dropped them, and the number is added to ``dropped``.
    """

    __slots__ = ("number", "offsets", "dropped", "_partition", "_itemsize", "_packed")

    def __init__(
        self,
        number: int,
        offsets: Sequence[int],
        partition: Partition,
        itemsize: int,
        dropped: deque[int],
    ) -> None:
        self.number = number
        self.offsets = offsets
        self.dropped = dropped
        self._partition = partition
        self._itemsize = itemsize
        self._packed: dict[int, PackedBoxes] = {}

    def packed(self, place: int) -> PackedBoxes:
        """The boxes of a place, as they lie in its block."""
        found = self._packed.get(place)
        if found is None:
            found = PackedBoxes(self._partition.boxes(place), self._itemsize)
            self._packed[place] = found
        return found

    def __del__(self) -> None:
        self.dropped.append(self.number)


def part_of(array: Array, piece: Box, box: Box) -> Array:
    """The elements of ``piece`` in an array that holds ``box``: an array also without axes."""
    index: Any = (*within(piece, box), ...)
    found: Array = array[index]
    return found


def held(window: Window, elements: Elements, place: int, number: int) -> Array | None:
    """Box ``number`` of those that ``place`` holds, in its memory; None if that is not mapped."""
    memory: Memory = elements.memory
    packed = memory.packed(place)
    offset = memory.offsets[place] + packed.offsets[number]
    return window.view(place, offset, shape_of(packed.boxes[number]), elements.dtype, memory)


def in_place(window: Window, elements: Elements, place: int, piece: Box) -> Array | None:
    """The elements of ``piece`` in the memory of ``place``; None if that is not mapped."""
    packed = elements.memory.packed(place)
    number = packed.find(piece)
    whole = held(window, elements, place, number)
    return None if whole is None else part_of(whole, piece, packed.boxes[number])


def position(elements: Elements, place: int, piece: Box) -> tuple[int, list[int]]:
    """The offset of the first element of ``piece`` in the slab of ``place``, and its strides."""
    memory: Memory = elements.memory
    packed = memory.packed(place)
    number = packed.find(piece)
    offset = memory.offsets[place] + packed.offsets[number]
    stride, strides = elements.dtype.itemsize, []
    pairs = zip(piece, packed.boxes[number], strict=True)
    for (low, _), (start, end) in reversed(list(pairs)):
        strides.append(stride)
        offset += (low - start) * stride
        stride *= end - start
    return offset, strides[::-1]


class Pull:
    """A box of elements on its way here: begun now, there at `result`.

    It is the memory of the place that holds all of it, if that is mapped and ``looks`` says that
    it may be; memory of this place always may be. Otherwise it is a copy. ``name`` is that of the
    step that needs it, for those who listen.
    """

    __slots__ = ("is_copy", "_array", "_window", "_waits", "_told", "_start")

    def __init__(
        self, window: Window, elements: Elements, box: Box, name: str, looks: bool = True
    ) -> None:
        here, itemsize = window.here, elements.dtype.itemsize
        self._window = window
        self._waits: set[int] = set()
        self._start = perf_counter()
        pieces = elements.partition.pieces(box, here)
        self._told = [
            (name, place, here, numel_of(piece) * itemsize)
            for place, piece in pieces
            if place != here and listeners()
        ]
        self.is_copy = False
        if len(pieces) == 1 and (looks or pieces[0][0] == here):
            found = in_place(window, elements, *pieces[0])
            if found is not None:
                self._array = found
                return
        self.is_copy = True
        self._array = empty(shape_of(box), elements.dtype)
        for place, piece in pieces:
            target = part_of(self._array, piece, box)
            found = in_place(window, elements, place, piece)
            if found is not None:
                np.copyto(target, found)
            else:
                self._waits.add(place)
                window.get(target, place, *position(elements, place, piece))

    @property
    def is_done(self) -> bool:
        """Whether nothing has to be waited for."""
        return not self._waits

    def result(self) -> Array:
        """The elements, to be looked at alone."""
        while self._waits:
            self._window.flush(next(iter(self._waits)))
            self._waits.pop()
        for name, source, target, nbytes in self._told:
            seconds = perf_counter() - self._start
            tell(Moved(name, source, target, nbytes, seconds, self._start))
        self._told = []
        self._array.flags.writeable = False
        return self._array


def empty(shape: tuple[int, ...], dtype: DT) -> Array:
    """An array with undefined content."""
    nbytes = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    if nbytes < POOLED_NBYTES:
        return np.empty(shape, dtype)
    block = POOL.allocate(nbytes)
    return block.held(block.array(shape, dtype))


def write(window: Window, elements: Elements, box: Box, array: Array, adds: bool) -> None:
    """Write ``array`` to a box, wherever its elements are, or add it to them.

    Return when that is done. What every place holds is written at every place.
    """
    partition, dtype = elements.partition, elements.dtype
    if partition.is_everywhere:
        pieces = [(place, box) for place in range(partition.places) if numel_of(box)]
    else:
        pieces = partition.pieces(box, window.here)
    new = np.broadcast_to(np.asarray(array).astype(dtype, copy=False), shape_of(box))
    waits: dict[int, list[Array]] = {}  # places, and what has to be kept until they are done
    for place, piece in pieces:
        part = part_of(new, piece, box)
        found = None if adds else in_place(window, elements, place, piece)
        if found is not None:
            np.copyto(found, part)
            continue
        part = np.array(part, order="C", copy=None)
        waits.setdefault(place, []).append(part)
        move = window.add if adds else window.put
        move(part, place, *position(elements, place, piece))
    for place in waits:
        window.flush(place)
    window.sync()
