"""Forms: what a small plan does for the graphs that it fits, as two functions without loops.

To realise ten operations on a few elements takes a guard, a list of nodes, a plan, its steps and
their calls, of which only the kernel computes anything. A form is all of that written out. `match`
compares the graph, as a guard does (`onebuf.scheduler.guard`), and returns the nodes that are
needed, or None. `launch` takes memory, packs addresses, calls the kernels and attaches the results,
with no function of ours in between.

`launch` returns True when the results are stored, and anything else when it has done nothing: an
index is outside, or code that ran in the middle has ended its turn (`onebuf.graph.engine_lock`).
Then the graph is planned and run as usual, which says what is wrong if anything is. Kernels write
to memory that nothing else knows, and results are attached after the last of them; so an exception
at any line leaves every node as it was. The nodes are held by the caller, and hold the memory whose
addresses are used.

The form of a piece of a large graph (`onebuf.scheduler.pieces`) is open: `match` also takes a graph
whose leaves are still to be computed, and lists them. A chain of a thousand operations is so
recognised from its end on, piece by piece, each node once.

Only plans of kernels have a form, without donated operands, and nothing in it tells listeners or
comes to a switch point: where there are any, plans are run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from onebuf.engine.cpu.launch import Single
from onebuf.engine.cpu.program import WORD_NBYTES, word
from onebuf.engine.step.kernel_step import KernelCall, KernelStep, MultipassStep, Output
from onebuf.engine.step.plan import Plan
from onebuf.graph import CONSTANT, STORED, Node, engine_lock
from onebuf.memory import POOL, PoolBlock, address_of, address_of_bytes
from onebuf.memory.address import address_of_bytes_text
from onebuf.scheduler.guard import GuardText, Text
from onebuf.scheduler.trace.recorder import all_of_it

Match = Callable[[Sequence[Node], list[Node]], tuple[Node, ...] | None]
"""From the nodes that are wanted to those that `Launch` needs, or None. Leaves that are still to be
computed are appended to the list."""
Launch = Callable[[tuple[Node, ...], object], bool | None]
"""From what `Match` found, and the turn of the engine, to whether results are stored."""
MOST_CALLS = 16
"""Longer plans take so long that the way to them does not show."""


class NotWritten(Exception):
    """A plan that has steps of another kind."""


class Form(NamedTuple):
    """A plan as two functions."""

    match: Match
    launch: Launch
    plan: Plan
    is_open: bool
    """Whether leaves may still be pending."""
    size: int
    """How many nodes it matches."""


def write_form(
    wanted: Sequence[Node], walk: Sequence[Node], plan: Plan, states: bytes, is_open: bool
) -> Form | None:
    """The form of ``plan``, which was found for the graph of ``wanted``; None if it has none.

    ``states`` has what `onebuf.engine.plan.liveness` knows of each node of ``walk``.
    """
    if plan.has_side_effects:
        return None
    try:
        launch = _Writer(walk, plan).launch()
    except NotWritten:
        return None
    text = GuardText(wanted, plan.made, states, is_open)
    names = [text.variables[number] for number in plan.needed]
    text.lines.append(f"return {', '.join(names)},")
    return Form(text.compiled("wanted", "late"), launch, plan, is_open, len(walk))


class _Writer:
    """The text of one form."""

    def __init__(self, walk: Sequence[Node], plan: Plan) -> None:
        self.plan = plan
        self.nodes = [walk[number] for number in plan.needed]
        self.names = [f"n{number}" for number in range(len(self.nodes))]
        """The variable of each node that steps know, by its number there."""
        self.text = Text()
        self.lines = self.text.lines
        self.const = self.text.const
        self.made: dict[int, str] = {}
        """The base address of each node that has become stored, by number."""
        self.read: dict[int, str] = {}
        """The same for operands."""
        self.calls = 0

    def launch(self) -> Launch:
        """The function."""
        steps: list[Any] = []
        for step in self.plan.steps:
            steps += step._passes if isinstance(step, MultipassStep) else [step]
        if any(type(step) is not KernelStep for step in steps):
            raise NotWritten
        self.lines.append(f"{', '.join(self.names)}, = nodes")
        if self.plan.arena_nbytes:
            allocate = self.const(POOL.allocate)
            self.lines.append(f"held = {allocate}({self.plan.arena_nbytes}); arena = held.address")
        for step in steps:
            self.step(step)
        if not self.made or self.calls > MOST_CALLS:
            raise NotWritten
        self.lines.append(f"if turn not in {self.const(engine_lock.turns)}: return False")
        for number in self.made:
            self.attach(number)
        self.lines.append("return True")
        return self.text.compiled("nodes", "turn")  # type: ignore[no-any-return]

    def step(self, step: KernelStep) -> None:
        bases = ["0", *[self.operand(number) for number in step._inputs]]
        for output in step._outputs:
            if output.is_write:
                raise NotWritten
            in_arena = output.offset_bytes >= 0
            bases.append(f"arena + {output.offset_bytes}" if in_arena else self.result(output))
        for call in step._calls:
            self.call(call, bases)

    def operand(self, number: int) -> str:
        """The address of an operand, as code."""
        if number < 0:
            return f"arena + {~number}"
        if number in self.made:
            return self.made[number]
        if number not in self.read:
            if self.nodes[number].op is not STORED:
                raise NotWritten
            name = self.read[number] = f"a{number}"
            node = self.names[number]
            self.lines.append(f"array = {node}.array")
            self.text.check("array is None")
            self.lines.append(f"{name} = {self.const(address_of)}(array)")
        return self.read[number]

    def result(self, output: Output) -> str:
        """Take memory for a result; its address, as code. `new_array` is spelled out for speed."""
        number, shape, dtype = output.number, output.shape, self.const(output.dtype)
        nbytes = int(np.prod(shape, dtype=object)) * output.dtype.itemsize
        block = f"{self.const(PoolBlock)}({self.const(POOL)}, chunk, {nbytes})"
        self.lines += [
            f"chunk = {self.const(POOL._take)}({nbytes}); block{number} = {block}",
            f"array{number} = {self.const(np.ndarray)}"
            f"({shape!r}, {dtype}, chunk.memory, chunk.offset_bytes)",
            f"b{number} = chunk.address",
        ]
        self.made[number] = f"b{number}"
        return f"b{number}"

    def call(self, call: KernelCall, bases: Sequence[str]) -> None:
        self.calls += 1
        launch: Any = call._launch
        if launch.__class__ is not Single:
            raise NotWritten
        addresses = ", ".join(
            [f"{bases[at]} + {far}" if far else bases[at] for at, far in call._places]
        )
        scalars = self.scalars(call)
        if launch._count:
            self.text.check(f"{self.const(launch.run)}([{addresses}], {scalars})")
            return
        words = launch.words
        pack, tail = self.const(words._front.pack), self.const(words._tail)
        more = "" if scalars == "b''" else f" + {scalars}"
        self.lines.append(f"words = {pack}({addresses}) + {tail}{more}")
        at = address_of_bytes_text("words", self.const(address_of_bytes))
        self.lines.append(f"{self.const(launch._call)}({at}, 0, {launch._end})")
        if words.has_flag:
            self.text.check(f"{self.const(words.is_outside)}(words)")

    def scalars(self, call: KernelCall) -> str:
        """The words of all scalars, as code: those of nodes are read in each run."""
        parts = []
        for scalar in call._scalars:
            if scalar.__class__ is bytes:
                parts.append(self.const(scalar))
                continue
            number, read = scalar
            node, name = self.nodes[number], self.names[number]
            if read is all_of_it and node.op is CONSTANT:  # `word`, spelled out
                rest = bytes(WORD_NBYTES - node.dtype.itemsize)
                parts.append(f"{name}.arg.tobytes()" + (f" + {rest!r}" if rest else ""))
            else:
                parts.append(f"{self.const(word)}({self.const(read)}({name}.arg))")
        return " + ".join(parts) or "b''"

    def attach(self, number: int) -> None:
        """`onebuf.graph.attach`, spelled out."""
        node = self.names[number]
        self.lines += [
            f"if {node}.block is None:",
            f"  block{number}.readers = {node}.readers",
            f"  {node}.block = block{number}",
            f"  {node}.array = array{number}",
            f"  {node}.op = {self.const(STORED)}",
            f"  {node}.srcs = ()",
            f"  {node}.arg = None",
        ]
