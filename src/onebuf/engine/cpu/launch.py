"""Launches: a kernel with all of its arguments but the addresses and the scalars.

Everything that does not change between runs is decided when a launch is prepared: the loop order,
the rendering, the program, extents and strides, and how threads share the work. A run packs the
addresses in front of that and calls.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from onebuf.dtypes import Array
from onebuf.engine.cpu.atomic_calls import Action, perform
from onebuf.engine.cpu.autotune import findings_of, search
from onebuf.engine.cpu.candidates import Choice, Workload
from onebuf.engine.cpu.program import (
    PLAIN,
    SHARED,
    WORD_NBYTES,
    compiled,
    pack,
    program,
    report,
    share,
    share_in_pieces,
)
from onebuf.engine.cpu.strategy import checked, choose
from onebuf.events import kernel_frame, listeners
from onebuf.graph import TAKE, WRITE
from onebuf.kernel import (
    CHUNK,
    LOAD,
    Nest,
    best_order,
    partials,
    permuted,
    read_order,
    reordered,
)
from onebuf.late import Late
from onebuf.memory import address_of, address_of_bytes
from onebuf.options import options
from onebuf.render.llvm.rendering import VECTOR_NBYTES, Rendering
from onebuf.scheduler.fuse.group import Group

if TYPE_CHECKING:
    from onebuf.backends import cpu
else:
    cpu = Late("onebuf.backends.cpu")

Compile = Callable[[Nest, Rendering], Any]
Limits = list[tuple[int, int]]

QUICK = 2048
"""For fewer elements than this the interpreter's lock is not let go."""
STRIPS = {"rows": 1, "columns": 128, "register_tiles": 64, "cache_tiles": 64}
"""Fewer indices than this are not taken apart from their neighbours, by strategy; in others, no
fewer than lanes."""
WIDE = {"columns": 2048, "register_tiles": 512}
"""Where memory has its neighbours along the outermost axis, the more of it is gone through at a
time, the better; up to this."""


PARTS = 4
"""The loop that threads share needs so many indices for each, to be worth another order."""
PIECE_STEPS = 1 << 30
"""Of so many operations, over all elements, a kernel is done in a fraction of a second."""


class Launch(Protocol):
    """A kernel that is ready to run."""

    def run(self, addresses: list[int], scalars: bytes) -> bool:
        """Run it on slots that begin at ``addresses``; whether an index was outside."""

    def check(self, addresses: list[int], scalars: bytes, limits: Limits) -> bool:
        """The same, so that nothing outside ``limits``, bytes for each slot, is touched."""

    def run_then(
        self, addresses: list[int], scalars: bytes, first: Action, then: list[Action]
    ) -> None:
        """Run it as one action with what is before and after (`onebuf.engine.cpu.atomic_calls`)."""


def prepare(group: Group) -> Launch:
    """The launch of a group, for results at addresses that are aligned as the pool's are."""
    if group.nest.folds_all and group.extents[0] > CHUNK:
        return Chunked(group)
    # A write that is interrupted has happened or not.
    is_write = any(node.op is WRITE for node in group.outputs)
    return Single(group.name, arranged(group), is_whole=is_write)


class Words:
    """The arguments of a call that do not change: extents and strides."""

    __slots__ = ("extents", "strides", "has_flag", "_front", "_tail", "_flag")

    def __init__(
        self, nest: Nest, extents: tuple[int, ...], strides: list[tuple[int, ...]]
    ) -> None:
        self.extents = extents
        self.strides = strides
        words = [*extents, *[step for stride in strides for step in stride]]
        self._front = struct.Struct(f"{len(strides)}q")
        self._tail = struct.pack(f"{len(words)}q", *words)
        flag = next((step.arg for step in nest.steps if step.op is TAKE), None)
        self.has_flag = flag is not None
        """Whether a kernel may leave word that an index was outside."""
        self._flag = 0 if flag is None else WORD_NBYTES * (len(strides) + len(words) + flag)

    def with_addresses(self, addresses: list[int], scalars: bytes) -> bytes:
        """The argument block of a call, as `onebuf.render.llvm.loop.vector_loops` lays it out."""
        return self._front.pack(*addresses) + self._tail + scalars

    def is_outside(self, block: Any) -> bool:
        """Whether a kernel has left word in its arguments that an index was outside."""
        return self.has_flag and struct.unpack_from("q", block, self._flag)[0] != 0


class Arranged(NamedTuple):
    """The loops of a kernel in the order in which they run, and how they are rendered."""

    nest: Nest
    extents: tuple[int, ...]
    strides: list[tuple[int, ...]]
    rendering: Rendering


def arranged(group: Group) -> Arranged:
    """The nest of a group with the loops in the best order for memory."""
    strides = [reach.view.stride for reach in group.reaches]
    offsets = [reach.view.offset * reach.node.dtype.itemsize for reach in group.reaches]
    return arrange(group.nest, group.extents, strides, offsets)


def arrange(
    nest: Nest, extents: tuple[int, ...], strides: list[tuple[int, ...]], offsets: list[int]
) -> Arranged:
    """A nest with the loops in the best order for memory.

    ``offsets`` are the bytes from an aligned address to the first element of each slot.
    """
    order = best_order(nest)
    if order is not None:
        nest, extents, strides = _in_order(order, nest, extents, strides)
    rendering = choose(nest, extents, offsets, strides)
    if rendering.streamed and rendering.strategy == "rows":
        # Rows that are written past the caches may go anywhere, so operands are read in order.
        order = read_order(nest, strides)
        if order is not None and extents[order[0]] >= PARTS * cpu.cores():
            nest, extents, strides = _in_order(order, nest, extents, strides)
    return Arranged(nest, extents, strides, rendering)


def _in_order(
    order: tuple[int, ...], nest: Nest, extents: tuple[int, ...], strides: list[tuple[int, ...]]
) -> tuple[Nest, tuple[int, ...], list[tuple[int, ...]]]:
    turned = [permuted(stride, order) for stride in strides]
    return reordered(nest, order), permuted(extents, order), turned


class Single:
    """A kernel of one program; if it ``is_whole``, no interrupt is looked for in between."""

    __slots__ = (
        *("name", "nest", "rendering", "words"),
        *("_call", "_program", "_count", "_grain", "_piece", "_end"),
    )

    def __init__(self, name: str, loops: Arranged, is_whole: bool = False) -> None:
        nest, extents, strides, rendering = loops
        self.name = name
        self.nest = nest
        self.rendering = rendering
        self.words = Words(nest, extents, strides)
        self._program = program(nest, self.rendering)
        self._grain = _grain(nest, extents, Choice(self.rendering))
        self._end = extents[0]
        numel = prod(extents)
        is_shared = numel >= SHARED and not nest.folds_all and not nest.scans_all
        self._count = extents[0] if is_shared else 0
        self._piece = extents[0] if is_whole else _piece(nest, extents, self._grain)
        self._call = self._program.quick if numel < QUICK else self._program.call

    def run(self, addresses: list[int], scalars: bytes) -> bool:
        """Run it on slots that begin at ``addresses``; whether an index was outside."""
        words = self.words.with_addresses(addresses, scalars)
        if options().search_seconds and self._is_apart(addresses):
            self._run_as_found(addresses, address_of_bytes(words))
        elif self._count:
            share_in_pieces(
                *(self._program, address_of_bytes(words), self._count),
                *(self._grain, self._piece, self.name),
            )
        elif listeners():
            kernel_frame(self.name)(self._call, address_of_bytes(words), 0, self._end)
        else:
            self._call(address_of_bytes(words), 0, self._end)
        return self.words.has_flag and self.words.is_outside(words)

    def run_then(
        self, addresses: list[int], scalars: bytes, first: Action, then: list[Action]
    ) -> None:
        """Run it as one action with what is before and after (`onebuf.engine.cpu.atomic_calls`)."""
        assert not self.words.has_flag, "an index outside would have to be looked at first"
        words = self.words.with_addresses(addresses, scalars)
        call: Callable[..., Any] = self._call
        arguments: tuple[int, ...] = (address_of_bytes(words), 0, self._end)
        if self._count:
            call, arguments = cpu.shared(self._program, arguments[0], self._count, self._grain)
        actions: list[Action] = [first, (call, *arguments), *then]
        if listeners():
            kernel_frame(self.name)(perform, actions)
        else:
            perform(actions)

    def check(self, addresses: list[int], scalars: bytes, limits: Limits) -> bool:
        """The same, so that nothing outside ``limits``, bytes for each slot, is touched."""
        extents, strides = self.words.extents, self.words.strides
        words = pack(addresses, extents, strides, scalars, limits)
        careful = program(self.nest, checked(self.rendering))
        share(careful, address_of(words), self._end, self._grain if self._count else self._end)
        report(words, self.nest)
        return self.words.is_outside(words)

    # -- searching ---------------------------------------------------------------------------------

    def _run_as_found(self, addresses: list[int], words: int) -> None:
        """Run it in the fastest way that is known, after looking for one if there is time."""
        call = Workload(self.nest, self.words.extents, addresses, self.words.strides)
        usual = Choice(choose(call.nest, call.extents, addresses, call.strides))
        shared = bool(self._count) and options().threads != 1
        choice = search(call, usual, shared, lambda one: self._prepared(one, words, compiled))
        self._prepared(choice, words, program)()

    def _prepared(self, choice: Choice, words: int, compile: Compile) -> Callable[[], None]:
        """What runs it once in a given way."""
        chosen = compile(self.nest, choice.rendering)
        if not self._count:
            return lambda: kernel_frame(self.name)(chosen.call, words, 0, self._end)
        grain = _grain(self.nest, self.words.extents, choice)
        return lambda: share(chosen, words, self._count, grain, self.name)

    def _is_apart(self, addresses: list[int]) -> bool:
        """Whether no memory that is written is read as well: then a kernel can run again, and in
        any order of its elements. Where an index leads is not known."""
        loads = [step for step in self.nest.steps if step.op is LOAD]
        if any(step.args for step in loads) or self.rendering.strategy not in STRIPS:
            return False
        read = {step.arg for step in loads}
        spans = {n: self._span(n, addresses[n]) for n in read | self.nest.written}
        return not any(
            spans[one][0] < spans[two][1] and spans[two][0] < spans[one][1]
            for one in self.nest.written
            for two in read
        )

    def _span(self, slot: int, address: int) -> tuple[int, int]:
        """The first byte of what a slot reaches, and the one after the last."""
        nbytes = self.nest.slots[slot].dtype.itemsize
        pairs = zip(self.words.extents, self.words.strides[slot], strict=True)
        ends = [(extent - 1) * stride * nbytes for extent, stride in pairs]
        low, high = sum(min(0, end) for end in ends), sum(max(0, end) for end in ends)
        return address + low, address + high + nbytes


def found_by_search(group: Group) -> str:
    """What searching has found out about a kernel, for people; empty if nothing."""
    if group.nest.folds_all and group.extents[0] > CHUNK:
        return ""
    nest, extents, strides, _ = arranged(group)
    call = Workload(nest, extents, [0] * len(strides), strides)
    usual = Choice(choose(nest, extents, call.addresses, strides))
    found = findings_of(nest, extents, usual)
    best = found.best(call, usual)
    if best == usual:
        return ""
    return f"{best}: found by search, {1 / found.times[best]:.2f} times as fast as {usual}"


class Chunked:
    """A fold of everything: first chunk by chunk, shared out, then the chunks."""

    __slots__ = ("name", "nests", "extent", "chunks", "words", "parts", "_programs")

    def __init__(self, group: Group) -> None:
        self.name = group.name
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
        parts = self.new_parts()
        if self.fold_chunks(addresses, scalars, parts, 0, self.extent):
            return True
        return self.fold_parts(addresses, scalars, parts)

    def new_parts(self) -> list[Array]:
        """Memory for the results of all chunks, one array for each fold."""
        return [np.empty(self.chunks, dtype) for dtype in self.parts]

    def fold_chunks(
        self, addresses: list[int], scalars: bytes, parts: list[Array], begin: int, end: int
    ) -> bool:
        """Fold the chunks from position ``begin`` to ``end``; whether an index was outside.

        Slots begin at ``addresses`` for position 0, be there memory or not before ``begin``.
        """
        places = [*addresses, *[address_of(part) for part in parts]]
        words = self.words[0].with_addresses(places, scalars)
        share_in_pieces(
            *(self._programs[0], address_of_bytes(words), end, 2 * CHUNK),
            *(_piece(self.nests[0], (self.extent,), 2 * CHUNK), self.name, begin),
        )
        return self.words[0].is_outside(words)

    def fold_parts(self, addresses: list[int], scalars: bytes, parts: list[Array]) -> bool:
        """Fold the results of all chunks; whether an index was outside."""
        places = [*addresses, *[address_of(part) for part in parts]]
        words = self.words[1].with_addresses(places, scalars)
        self._programs[1].quick(address_of_bytes(words), 0, self.chunks)
        return self.words[1].is_outside(words)

    def run_then(
        self, addresses: list[int], scalars: bytes, first: Action, then: list[Action]
    ) -> None:
        """It has two parts, which are never one action."""
        raise AssertionError("a fold of everything overwrites nothing")

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


def _piece(nest: Nest, extents: tuple[int, ...], grain: int) -> int:
    """How many indices of the outermost axis are gone over before an interrupt is looked for."""
    work = prod(extents[1:]) * len(nest.steps)
    return max(1, PIECE_STEPS // max(1, work) // grain) * grain


def _grain(nest: Nest, extents: tuple[int, ...], choice: Choice) -> int:
    """How many indices of the outermost axis a thread takes at a time."""
    rendering = choice.rendering
    least = STRIPS.get(rendering.strategy, rendering.lanes) if nest.ndim == 2 else 1
    if rendering.strategy in WIDE and nest.ndim == 2:
        share = -(-extents[0] // cpu.cores())
        most = WIDE[rendering.strategy]
        least = max(least, min(most, -(-share // VECTOR_NBYTES) * VECTOR_NBYTES))
    grain = max(least, choice.grain // max(1, prod(extents[1:])))
    if len(extents) == 1:
        grain = -(-grain // VECTOR_NBYTES) * VECTOR_NBYTES
    return grain
