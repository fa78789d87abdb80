"""Quick programs: kernels one after another, as a generated function without loops.

Most captures of small functions are a few kernels and nothing else. Then all that differs between
two runs is addresses: of what the call was given, of the results and of the arena. The function
reads or makes these, packs them in front of the words that stay, and calls the kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from onebuf.engine.cpu.launch import Single
from onebuf.engine.cpu.program import word
from onebuf.engine.step.kernel_step import KernelCall, KernelStep, MultipassStep, Output
from onebuf.engine.step.plan import Plan
from onebuf.graph import Fresh, Kind, Node
from onebuf.memory import POOL, address_of, address_of_bytes
from onebuf.ops import place

Run = Callable[[Sequence[Node]], list[Node]]
Direct = Callable[[Sequence[Any]], Any]
"""From buffers to a buffer."""
MOST_CALLS = 64
"""Longer programs take so long that the way to them does not show."""


class NotQuick(Exception):
    """A plan with steps of another kind."""


class Quick:
    """A program as text: a function from leaves to results."""

    __slots__ = ("run", "_writer", "_results")

    def __init__(self, writer: _Writer, results: list[str]) -> None:
        self.run: Run = writer.compiled("leaves[{}]", f"return [{', '.join(results)}]")
        self._writer = writer
        self._results = results

    def direct(self, kind: type[Any], base: Any) -> Direct:
        """The same from buffers to the only result, as a buffer of class ``kind``."""
        (result,) = self._results
        known = f"{self._writer.const(object.__new__)}({self._writer.const(kind)})"
        lines = (
            f"{result}.claimed = True",  # `Handle._value`, spelled out for speed
            f"made = {known}",
            f"made._node = {result}",
            f"made._base = {self._writer.const(base)}",
            "return made",
        )
        found: Direct = self._writer.compiled("leaves[{}]._node", *lines)
        return found


def quick(
    plan: Plan, asked: Sequence[Node], sources: dict[int, tuple[int, int]], wanted: Sequence[Node]
) -> Quick | None:
    """The function that runs ``plan`` on leaves and gives the nodes ``wanted``; None if it cannot.

    ``asked`` are the nodes that the plan needs, by number. ``sources`` says of those that are
    leaves, or see elements of one, which leaf that is and how many bytes further on they begin.
    """
    try:
        writer = _Writer(plan, asked, sources)
        return Quick(writer, writer.results(wanted))
    except NotQuick:
        return None


class _Writer:
    """The text of one function, and the objects that it names."""

    def __init__(
        self, plan: Plan, asked: Sequence[Node], sources: dict[int, tuple[int, int]]
    ) -> None:
        self.plan = plan
        self.asked = asked
        self.sources = sources
        self.lines: list[str] = []
        self.known: dict[str, Any] = {
            "address_of": address_of,
            "address_of_bytes": address_of_bytes,
            "place": place,
            "allocate": POOL.allocate,
        }
        self.made: dict[int, str] = {}
        """The variable of each node that becomes stored, by number."""
        self.leaves: set[int] = set()

    def const(self, value: Any) -> str:
        name = f"k{len(self.known)}"
        self.known[name] = value
        return name

    def results(self, wanted: Sequence[Node]) -> list[str]:
        """Write the steps; the variables of the results."""
        steps: list[Any] = []
        for step in self.plan.steps:
            steps += step._passes if isinstance(step, MultipassStep) else [step]
        if any(type(step) is not KernelStep for step in steps):
            raise NotQuick
        if sum(len(step._calls) for step in steps) > MOST_CALLS:
            raise NotQuick
        for step in steps:
            self.step(step)
        numbers = {id(node): number for number, node in enumerate(self.asked)}
        found = [self.made.get(numbers.get(id(node), -1)) for node in wanted]
        if None in found:
            raise NotQuick
        return [str(name) for name in found]

    def compiled(self, leaf: str, *end: str) -> Any:
        """A function of ``leaves``; ``leaf`` is the node of one of them, ``end`` its last lines."""
        head = [f"a{n} = address_of({leaf.format(n)}.array)" for n in sorted(self.leaves)]
        if self.plan.arena_nbytes:
            head.append(f"block = allocate({self.plan.arena_nbytes}); arena = block.address")
        parameters = ", ".join(["leaves", *[f"{name}={name}" for name in self.known]])
        lines = [f"  {line}" for line in (*head, *self.lines, *end)]
        namespace = dict(self.known)
        exec("\n".join([f"def run({parameters}):", *lines]), namespace)
        return namespace["run"]

    def step(self, step: KernelStep) -> None:
        bases = ["0", *[self.operand(number) for number in step._inputs]]
        for output in step._outputs:
            if output.is_write:
                raise NotQuick
            if output.offset_bytes >= 0:
                bases.append(f"arena + {output.offset_bytes}")
                continue
            name = self.made[output.number] = f"o{output.number}"
            self.lines += self.placed(name, output)
            self.lines.append(f"b{output.number} = address_of({name}.array)")
            bases.append(f"b{output.number}")
        for call in step._calls:
            self.call(call, bases)

    def placed(self, name: str, output: Output) -> list[str]:
        """Lines that make the node of a result: `place`, spelled out where it takes a cell."""
        shape, dtype, numel = output.shape, output.dtype, prod(output.shape)
        kind = f"{shape!r}, {self.const(dtype)}"
        whole = f"place({kind}, {numel})"
        place(shape, dtype, numel)  # which puts up a shelf for such cells, if there is to be one
        shelf = POOL.shelves.by_kind.get((shape, dtype))
        if shelf is None:
            return [f"{name} = {whole}"]
        cell = f"{self.const(Fresh)}({self.const(shelf)}.pop(), {kind})"
        return [f"try: {name} = {cell}", f"except IndexError: {name} = {whole}"]

    def operand(self, number: int) -> str:
        """The address of an operand, as code."""
        if number < 0:
            return f"arena + {~number}"
        if number in self.made:
            return f"b{number}"
        node = self.asked[number]
        source = self.sources.get(id(node))
        if source is not None:
            leaf, distance = source
            self.leaves.add(leaf)
            return f"a{leaf} + {distance}" if distance else f"a{leaf}"
        if node.array is None:
            raise NotQuick
        self.const(node)  # which keeps its memory
        return str(address_of(node.array))

    def call(self, call: KernelCall, bases: Sequence[str]) -> None:
        launch: Any = call._launch
        if launch.__class__ is not Single or launch.words.has_flag:
            raise NotQuick
        addresses = ", ".join(
            [f"{bases[at]} + {far}" if far else bases[at] for at, far in call._places]
        )
        scalars = b"".join([self.scalar(scalar) for scalar in call._scalars])
        if launch._count:
            run = self.const(launch.run)
            self.lines.append(f"{run}([{addresses}], {self.const(scalars)})")
            return
        pack, tail = self.const(launch.words._front.pack), self.const(launch.words._tail + scalars)
        run = self.const(launch._call)
        self.lines.append(f"words = {pack}({addresses}) + {tail}")
        self.lines.append(f"{run}(address_of_bytes(words), 0, {launch._end})")

    def scalar(self, scalar: Any) -> bytes:
        """A word that stays the same in every run."""
        if scalar.__class__ is bytes:
            return scalar
        number, read = scalar
        node = self.asked[number]
        if node.op.kind is not Kind.CONSTANT:
            raise NotQuick
        return word(read(node.arg))
