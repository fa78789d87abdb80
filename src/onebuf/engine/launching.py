"""Launching: a kernel with all of its arguments but the addresses and the scalars.

What can be decided once for a form of graph is decided when a launch is prepared: the order of the
loops, the rendering, the program, the extents and strides, and how threads share the work. What is
left for each run is to put addresses in front of that and to call.
"""

from __future__ import annotations

import struct
from math import prod
from typing import Any, Protocol

import numpy as np

from onebuf.engine.choosing import VECTOR_NBYTES, checked, choose
from onebuf.engine.kernels import GRAIN, PLAIN, SHARED, WORD_NBYTES, pack, program, report, share
from onebuf.graph import TAKE
from onebuf.kernel import CHUNK, Nest, best_order, partials, permuted, reordered
from onebuf.memory import address_of, address_of_bytes
from onebuf.scheduler.grouping import Group

Limits = list[tuple[int, int]]

QUICK = 2048
"""For fewer elements than this the interpreter's lock is not let go."""
STRIPS = {"rows": 1, "columns": 512, "tiles": 64}
"""Fewer indices than this are not taken apart from their neighbours, by strategy; in others, no
fewer than lanes."""


class Launch(Protocol):
    """A kernel that is ready to run."""

    def run(self, addresses: list[int], scalars: bytes) -> bool:
        """Run it on slots that begin at ``addresses``; whether an index was outside."""

    def check(self, addresses: list[int], scalars: bytes, limits: Limits) -> bool:
        """The same, so that nothing outside ``limits``, bytes for each slot, is touched."""


def prepare(group: Group) -> Launch:
    """The launch of a group, for results at addresses that are aligned as the pool's are."""
    if group.nest.folds_all and group.extents[0] > CHUNK:
        return Chunked(group)
    return Single(group)


class Words:
    """The arguments of a call that do not change: extents and strides."""

    __slots__ = ("extents", "strides", "_front", "_tail", "_flag")

    def __init__(
        self, nest: Nest, extents: tuple[int, ...], strides: list[tuple[int, ...]]
    ) -> None:
        self.extents = extents
        self.strides = strides
        words = [*extents, *[step for stride in strides for step in stride]]
        self._front = struct.Struct(f"{len(strides)}q")
        self._tail = struct.pack(f"{len(words)}q", *words)
        flag = next((step.arg for step in nest.steps if step.op is TAKE), None)
        self._flag = None if flag is None else WORD_NBYTES * (len(strides) + len(words) + flag)

    def with_addresses(self, addresses: list[int], scalars: bytes) -> bytes:
        """The argument block of a call, as `onebuf.render.loops` lays it out."""
        return self._front.pack(*addresses) + self._tail + scalars

    def is_outside(self, block: Any) -> bool:
        """Whether a kernel has left word in its arguments that an index was outside."""
        return self._flag is not None and struct.unpack_from("q", block, self._flag)[0] != 0


class Single:
    """A kernel of one program."""

    __slots__ = ("nest", "rendering", "words", "_call", "_program", "_count", "_grain", "_end")

    def __init__(self, group: Group) -> None:
        nest, extents = group.nest, group.extents
        strides = [reach.view.stride for reach in group.reaches]
        order = best_order(nest)
        if order is not None:
            nest, extents = reordered(nest, order), permuted(extents, order)
            strides = [permuted(stride, order) for stride in strides]
        offsets = [reach.view.offset * reach.node.dtype.itemsize for reach in group.reaches]
        self.nest = nest
        self.rendering = choose(nest, extents, offsets, strides)
        self.words = Words(nest, extents, strides)
        self._program = program(nest, self.rendering)
        least = STRIPS.get(self.rendering.strategy, self.rendering.lanes) if nest.ndim == 2 else 1
        self._grain = _grain(extents, least)
        self._end = extents[0]
        numel = prod(extents)
        is_shared = numel >= SHARED and not nest.folds_all and not nest.scans_all
        self._count = extents[0] if is_shared else 0
        self._call = self._program.quick if numel < QUICK else self._program.call

    def run(self, addresses: list[int], scalars: bytes) -> bool:
        """Run it on slots that begin at ``addresses``; whether an index was outside."""
        words = self.words.with_addresses(addresses, scalars)
        if self._count:
            share(self._program, address_of_bytes(words), self._count, self._grain)
        else:
            self._call(address_of_bytes(words), 0, self._end)
        return self.words.is_outside(words)

    def check(self, addresses: list[int], scalars: bytes, limits: Limits) -> bool:
        """The same, so that nothing outside ``limits``, bytes for each slot, is touched."""
        extents, strides = self.words.extents, self.words.strides
        words = pack(addresses, extents, strides, scalars, limits)
        careful = program(self.nest, checked(self.rendering))
        share(careful, address_of(words), self._end, self._grain if self._count else self._end)
        report(words, self.nest)
        return self.words.is_outside(words)


class Chunked:
    """A fold of everything: first chunk by chunk, shared out, then the chunks."""

    __slots__ = ("nests", "extent", "chunks", "words", "parts", "_programs")

    def __init__(self, group: Group) -> None:
        self.nests = partials(group.nest)
        self.extent = group.extents[0]
        self.chunks = -(-self.extent // CHUNK)
        self.parts = [slot.dtype for slot in self.nests[0].slots[len(group.nest.slots) :]]
        strides = [*[reach.view.stride for reach in group.reaches], *[(1,) for _ in self.parts]]
        sizes = ((self.extent,), (self.chunks,))
        self.words = [Words(n, size, strides) for n, size in zip(self.nests, sizes, strict=True)]
        self._programs = [program(nest) for nest in self.nests]

    def run(self, addresses: list[int], scalars: bytes) -> bool:
        """Run it on slots that begin at ``addresses``; whether an index was outside."""
        parts = [np.empty(self.chunks, dtype) for dtype in self.parts]
        places = [*addresses, *[address_of(part) for part in parts]]
        first, second = [words.with_addresses(places, scalars) for words in self.words]
        share(self._programs[0], address_of_bytes(first), self.extent, 2 * CHUNK)
        if self.words[0].is_outside(first):
            return True
        self._programs[1].quick(address_of_bytes(second), 0, self.chunks)
        return self.words[1].is_outside(second)

    def check(self, addresses: list[int], scalars: bytes, limits: Limits) -> bool:
        """The same, so that nothing outside ``limits``, bytes for each slot, is touched."""
        parts = [np.empty(self.chunks, dtype) for dtype in self.parts]
        places = [*addresses, *[address_of(part) for part in parts]]
        bounds = [(address_of(part), address_of(part) + part.nbytes) for part in parts]
        for nest, words in zip(self.nests, self.words, strict=True):
            block = pack(places, words.extents, words.strides, scalars, [*limits, *bounds])
            (extent,) = words.extents
            grain = 2 * CHUNK if nest.partial else extent
            share(program(nest, checked(PLAIN)), address_of(block), extent, grain)
            report(block, nest)
            if words.is_outside(block):
                return True
        return False


def _grain(extents: tuple[int, ...], least: int) -> int:
    """How many indices of the outermost axis a thread takes at a time."""
    grain = max(least, GRAIN // max(1, prod(extents[1:])))
    if len(extents) == 1:
        grain = -(-grain // VECTOR_NBYTES) * VECTOR_NBYTES
    return grain
