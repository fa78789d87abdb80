"""Kernel steps: compiled kernels as a plan runs them, with numbers in place of nodes.

A kernel has one list of base addresses: of the memory that it reads, and of its results. A
`KernelCall` is one launch: it knows, for each slot of the kernel, which base and which offset.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.array_utils import byte_bounds

from onebuf.dtypes import Array
from onebuf.engine.cpu.atomic_calls import Action
from onebuf.engine.cpu.launch import prepare
from onebuf.engine.cpu.program import word
from onebuf.engine.step.error_context import OutsideError, line_of, say_where
from onebuf.engine.step.plan import Given, Held, Homes, Numbers, held_node
from onebuf.events import Copied, KernelRan, listeners, tell
from onebuf.graph import WRITE, Kind, Node, attach, attaching, engine_lock, settle
from onebuf.memory import ALIGNMENT, Block, address_of
from onebuf.ops import new_array
from onebuf.options import options
from onebuf.scheduler.fuse.concat import ConcatKernel
from onebuf.scheduler.fuse.group import Group
from onebuf.scheduler.fuse.multipass import Kernel, MultipassKernel

Limits = list[tuple[int, int]]
"""The first byte of some memory, and the one after the last, for each of the addresses."""


@dataclass(frozen=True, slots=True)
class Output:
    """A result: which node it is, by number, and what its elements are."""

    number: int
    offset_bytes: int
    """Where in the arena it lies; -1: it becomes stored."""
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    gift: int
    """The operand whose memory it may have, by number; -1: none."""
    is_write: bool
    """Whether it is written to memory that exists, and nothing becomes stored."""


class Told(NamedTuple):
    """What listeners are told of a kernel when it has run."""

    name: str
    bytes_read: int
    bytes_written: int

    def tell(self, start: float) -> None:
        """Tell them."""
        seconds = perf_counter() - start
        tell(KernelRan(self.name, self.bytes_written, seconds, 2, self.bytes_read, start))


class KernelCall:
    """One launch, on slots that are found from the addresses of a step."""

    __slots__ = ("_launch", "_places", "_scalars", "_picks")

    def __init__(self, group: Group, bases: dict[int, int], numbers: Numbers) -> None:
        self._launch = prepare(group)
        self._places = tuple(
            [
                (0, reach.view.offset)
                if reach.is_index
                else (bases[id(reach.node)], reach.view.offset * reach.node.dtype.itemsize)
                for reach in group.reaches
            ]
        )
        scalars = zip(group.scalars, group.givers, strict=True)
        self._scalars = tuple(
            [
                word(value) if giver is None else (numbers[id(giver.node)], giver.read)
                for value, giver in scalars
            ]
        )
        self._picks = tuple([numbers[id(node)] for node in group.picks])

    def run(
        self,
        bases: list[int],
        limits: Limits | None,
        held: Held,
        shifts: Sequence[int] | None = None,
    ) -> None:
        """Run it; with ``limits``, so that no other memory is touched.

        ``shifts`` say for each slot how much further on it begins.
        """
        addresses = [bases[at] + offset for at, offset in self._places]
        if shifts is not None:
            addresses = [one + two for one, two in zip(addresses, shifts, strict=True)]
        scalars = self._scalar_words(held) if self._scalars else b""
        if limits is None:
            is_outside = self._launch.run(addresses, scalars)
        else:
            is_outside = self._launch.check(
                addresses, scalars, [limits[at] for at, _ in self._places]
            )
        if is_outside:
            raise OutsideError(tuple([held_node(number, held) for number in self._picks]))

    def run_then(self, bases: list[int], held: Held, first: Action, then: list[Action]) -> None:
        """Run it as one action with what comes first and what follows."""
        addresses = [bases[at] + offset for at, offset in self._places]
        self._launch.run_then(addresses, self._scalar_words(held), first, then)

    def _scalar_words(self, held: Held) -> bytes:
        words = [s if s.__class__ is bytes else _given_word(s, held) for s in self._scalars]
        return b"".join(words)


class KernelStep:
    """A kernel that goes over its memory once, in one part or in several."""

    __slots__ = ("done", "_told", "_copy", "_inputs", "_outputs", "_calls")

    def __init__(
        self, kernel: Group | ConcatKernel, told: Kernel, homes: Homes, brought: Sequence[Node] = ()
    ) -> None:
        """``told`` is the item of the schedule, which may be more than the kernel. ``brought`` are
        operands whose memory comes from elsewhere; their bases are the last."""
        self.done: tuple[int, ...] = ()
        self._told = Told(told.name, told.bytes_read, told.bytes_written)
        self._copy = kernel.reason if kernel.kind is Kind.COPY else ""
        numbers, offsets, gifts = homes
        inputs = [node for node in kernel.inputs if all(node is not other for other in brought)]
        places = [(id(node), numbers[id(node)]) for node in inputs]
        self._inputs = tuple([~offsets[me] if me in offsets else n for me, n in places])
        self._outputs = tuple(
            [
                Output(
                    numbers[id(node)],
                    offsets.get(id(node), -1),
                    node.shape,
                    node.dtype,
                    gifts.get(id(node), -1),
                    node.op is WRITE,
                )
                for node in kernel.outputs
            ]
        )
        nodes = (*inputs, *kernel.outputs, *brought)
        bases = {id(node): at for at, node in enumerate(nodes, 1)}
        try:
            self._calls = self.calls(kernel, bases, numbers)
        except Exception as error:
            say_where(error, self._told.name, kernel.node)
            raise

    def calls(
        self, kernel: Group | ConcatKernel, bases: dict[int, int], numbers: Numbers
    ) -> list[KernelCall]:
        """What is launched."""
        return [KernelCall(part, bases, numbers) for part in kernel.parts]

    def run(self, held: Held, arena: int, given: Given) -> None:
        """Run the kernel; its results become stored, except for those in the arena."""
        if not listeners():
            self.launch(held, arena, given)
            return
        start = perf_counter()
        line = line_of(held_node(self._outputs[0].number, held)) if self._copy else None
        self.launch(held, arena, given)
        self._told.tell(start)
        if self._copy:
            tell(Copied(self._told.bytes_written, self._copy, line))

    def is_done(self, held: Held) -> bool:
        """Whether its results are stored."""
        stored = [held[output.number] for output in self._outputs if output.offset_bytes < 0]
        return all(node is None or node.block is not None for node in stored)

    def launch(self, held: Held, arena: int, given: Given) -> None:
        """Run the kernel, without an event."""
        try:
            self._run(held, arena, given)
        except (OutsideError, engine_lock.Overtaken):
            raise
        except Exception as error:
            say_where(error, self._told.name, held_node(self._outputs[0].number, held))
            raise

    def _run(self, held: Held, arena: int, given: Given) -> None:
        turn = engine_lock.current()
        made: list[tuple[Array, Block] | None] = []
        bases = [0]
        for number in self._inputs:
            if number < 0:
                bases.append(arena + ~number)
                continue
            node = held[number]
            array = None if node is None else node.array
            bases.append(address_of(stored(node) if array is None else array))
        overwrites = False
        for output in self._outputs:
            if output.offset_bytes >= 0:
                bases.append(arena + output.offset_bytes)
                made.append(None)
                continue
            if output.is_write:
                new = _to_write(held_node(output.number, held))
                bases.append(address_of(new[0]) & -ALIGNMENT)
                made.append(new)
                continue
            if output.gift in given:
                new = _on_memory_of(held_node(output.gift, held), output)
                overwrites = True
            else:
                new = new_array(output.shape, output.dtype)
            bases.append(new[1].address)
            made.append(new)
        if overwrites:
            self._overwrite(bases, held, made, turn)
            return
        limits = self._limits(held, made) if options().check_bounds else None
        engine_lock.check(turn)
        self.perform(bases, limits, held)
        if self._outputs[0].is_write:
            return
        engine_lock.check(turn)
        for output, home in zip(self._outputs, made, strict=True):
            if home is not None:
                attach(held_node(output.number, held), *home)

    def _overwrite(
        self,
        bases: list[int],
        held: Held,
        made: list[tuple[Array, Block] | None],
        turn: object,
        more: Sequence[Action] = (),
    ) -> None:
        """Run a kernel that overwrites an operand, and record its results in the same action.

        The action begins with a look whether it is still this plan's turn, and ends with ``more``.
        """
        (call,) = self._calls
        then: list[Action] = [(engine_lock.turns.add, turn)]
        for output, new in zip(self._outputs, made, strict=True):
            if new is not None:
                then += attaching(held_node(output.number, held), *new)
        engine_lock.check(turn)
        call.run_then(bases, held, (engine_lock.turns.remove, turn), [*then, *more])

    def perform(self, bases: list[int], limits: Limits | None, held: Held) -> None:
        """Launch everything, on memory that begins at ``bases``."""
        for call in self._calls:
            call.run(bases, limits, held)

    def _limits(self, held: Held, made: list[tuple[Array, Block] | None]) -> Limits:
        """The bounds of all memory; a plan that checks them has no arena."""
        arrays = [stored(held[number]) for number in self._inputs]
        arrays += [new[0] for new in made if new is not None]
        return [(0, 0), *[byte_bounds(array) for array in arrays]]


class MultipassStep:
    """A kernel that goes over its memory several times."""

    __slots__ = ("done", "_told", "_passes")

    def __init__(self, kernel: MultipassKernel, passes: list[KernelStep]) -> None:
        self.done: tuple[int, ...] = ()
        self._told = Told(kernel.name, kernel.bytes_read, kernel.bytes_written)
        self._passes = passes

    def run(self, held: Held, arena: int, given: Given) -> None:
        """Run the passes; results become stored, except for those in the arena."""
        start = perf_counter() if listeners() else 0.0
        for one in self._passes:
            one.launch(held, arena, given)
        if listeners():
            self._told.tell(start)


def stored(node: Node | None) -> Array:
    """The elements of a node that is in memory."""
    assert node is not None, "a node was let go of too early"
    array = node.array
    if array is None:
        array = settle(node)
    assert array is not None, f"{node} is not in memory"
    return array


def _to_write(write: Node) -> tuple[Array, Block]:
    """The memory that a WRITE fills."""
    target = write.arg.target
    assert target.block is not None
    return stored(target), target.block


def _on_memory_of(operand: Node, output: Output) -> tuple[Array, Block]:
    """The elements of a result in the memory of an operand that dies."""
    array, block = operand.array, operand.block
    assert array is not None
    assert block is not None
    return (array if array.dtype is output.dtype else array.view(output.dtype)), block


def _given_word(scalar: Any, held: Held) -> bytes:
    """What is read from the argument of a node, as a call takes it: (number, how to read it)."""
    number, read = scalar
    return word(read(held[number].arg))
