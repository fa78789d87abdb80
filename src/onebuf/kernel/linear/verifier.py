"""The verifier: the rules that a linear program has to keep before a device runs it.

=========== =======================================================================================
rule        what is asked
=========== =======================================================================================
order       an instruction uses earlier ones that give values, in a scope that is still open
types       operands, results, positions and conditions have the dtypes that their codes need
nesting     each LOOP and IF is ended once, the last one begun first
accumulator a cell is stored to and read, and starts with a value of its dtype
bounds      every position is inside its memory, for all indices and loops (interval arithmetic)
barrier     no BARRIER in divergent control flow: all work-items of a group get there
input       no STORE to an input
=========== =======================================================================================

Each loop and each index runs over a known interval, so positions have intervals as well. These are
exact for sums of multiples of different indices, which is all that lowering makes. Code that cannot
be reached (a loop of no iterations) need not be in bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from onebuf.dtypes import DT, int64, kind
from onebuf.errors import DTypeError, KernelError
from onebuf.graph import BINARY, TAKE, WHERE, Op, elementwise_dtype
from onebuf.kernel.linear.instruction import Code, Given, Instruction, Linear

Interval = tuple[int, int]
"""Lowest and highest value."""

_MEMORY = (Code.DEFINE_GLOBAL, Code.DEFINE_LOCAL)
_NUMBERS = (Code.CONST, Code.SPECIAL, Code.LOOP, Code.LOAD, Code.ALU, Code.CAST)
_COUNTS = {
    **{code: (0,) for code in (*_MEMORY, Code.DEFINE_ACC, Code.CONST, Code.SPECIAL)},
    Code.BARRIER: (0,),
    **{code: (1,) for code in (Code.CAST, Code.IF, Code.ENDIF, Code.ENDLOOP)},
    Code.LOOP: (2,),
    Code.LOAD: (1, 2, 3),
    Code.STORE: (2, 3),
    Code.ALU: (1, 2, 3),
}
"""How many operands each code may have."""


def verify(program: Linear) -> Linear:
    """``program``, if it keeps all rules; otherwise a KernelError that names the instruction."""
    _Verifier(program).run()
    return program


@dataclass(frozen=True, slots=True)
class Block:
    """A LOOP or an IF that is still open."""

    number: int
    divergent: bool
    reachable: bool


class _Verifier:
    def __init__(self, program: Linear) -> None:
        self.lines = program.instructions
        self.blocks: list[Block] = []
        self.home: list[tuple[int, ...]] = []
        """The blocks that each instruction is in."""
        self.interval: dict[int, Interval] = {}
        self.uniform: set[int] = set()
        """Values that are the same for all work-items of a group."""
        self.stored: set[int] = set()
        self.read: set[int] = set()
        self.number = 0

    def fail(self, rule: str, message: str) -> KernelError:
        """The error of the present instruction."""
        return KernelError(
            rule, self.number, f"instruction {self.number} ({self.lines[self.number]}): {message}"
        )

    @property
    def reachable(self) -> bool:
        return all(block.reachable for block in self.blocks)

    def run(self) -> None:
        """Look at every instruction once."""
        for number, line in enumerate(self.lines):
            self.number = number
            here = tuple([block.number for block in self.blocks])
            self.home.append(here)
            self._order(line, here)
            _CHECKS[line.code](self, line)
            self._uniformity(line)
        if self.blocks:
            self.number = self.blocks[-1].number
            raise self.fail("nesting", "it is never ended")
        for number, line in enumerate(self.lines):
            if line.code is Code.DEFINE_ACC and number not in self.stored & self.read:
                self.number = number
                missing = "read" if number in self.stored else "stored to"
                raise self.fail("accumulator", f"it is never {missing}")

    def _order(self, line: Instruction, here: tuple[int, ...]) -> None:
        if len(line.args) not in _COUNTS[line.code]:
            raise self.fail("order", f"it needs {_COUNTS[line.code]} operands")
        for arg in line.args:
            if not 0 <= arg < self.number:
                raise self.fail("order", f"%{arg} is not defined before it")
            if self.lines[arg].code is Code.LOOP:
                inside = (*self.home[arg], arg)
            else:
                inside = self.home[arg]
            ends = line.code in (Code.ENDLOOP, Code.ENDIF)
            if not ends and here[: len(inside)] != inside:
                raise self.fail("order", f"%{arg} was defined in a loop or branch that is over")

    def _uniformity(self, line: Instruction) -> None:
        operands = all(arg in self.uniform for arg in line.args)
        if line.code is Code.SPECIAL:
            uniform = not line.arg.is_local
        elif line.code in (Code.DEFINE_ACC, Code.DEFINE_LOCAL):
            uniform = False
        else:
            uniform = operands
        if uniform:
            self.uniform.add(self.number)

    # -- what each code asks for -------------------------------------------------------------------

    def typed(self, arg: int) -> DT:
        """The dtype of an operand that has to be a number."""
        line = self.lines[arg]
        if line.code not in _NUMBERS or line.dtype is None:
            raise self.fail("types", f"it needs a number, and %{arg} is none")
        return line.dtype

    def position(self, arg: int) -> None:
        """Raise unless an operand is an int64."""
        if self.typed(arg) != int64:
            raise self.fail("types", f"it needs an int64, and %{arg} is {self.typed(arg).name}")

    def definition(self, line: Instruction) -> None:
        """Memory, or an index."""
        if self.blocks:
            raise self.fail("nesting", "it has to be outside of loops and branches")
        if line.dtype is None:
            raise self.fail("types", "it needs a dtype")
        if line.code is Code.SPECIAL:
            if line.dtype != int64:
                raise self.fail("types", f"an index is an int64, not {line.dtype.name}")
            self.interval[self.number] = (0, line.arg.extent - 1)

    def cell(self, line: Instruction) -> None:
        """An accumulator."""
        if not isinstance(line.arg, np.generic) or line.arg.dtype != line.dtype:
            raise self.fail("accumulator", f"it needs a {line.dtype} to start with")

    def const(self, line: Instruction) -> None:
        """A number."""
        value = line.arg.value if isinstance(line.arg, Given) else line.arg
        if line.dtype == int64:
            self.interval[self.number] = (int(value), int(value))
        elif not isinstance(value, np.generic) or value.dtype != line.dtype:
            raise self.fail("types", f"{value!r} is not a {line.dtype}")

    def loop(self, line: Instruction) -> None:
        """The beginning of a loop."""
        for arg in line.args:
            self.position(arg)
        first, end = line.args
        if first not in self.interval or end not in self.interval:
            raise self.fail("bounds", "nothing is known about where it begins and ends")
        low, high = self.interval[first][0], self.interval[end][1] - 1
        self.interval[self.number] = (low, max(low, high))
        divergent = not (first in self.uniform and end in self.uniform)
        self.blocks.append(Block(self.number, divergent, low <= high))

    def branch(self, line: Instruction) -> None:
        """The beginning of a branch."""
        dtype = self.typed(line.args[0])
        if kind(dtype) != "b":
            raise self.fail("types", f"it needs a bool, got {dtype.name}")
        self.blocks.append(Block(self.number, line.args[0] not in self.uniform, True))

    def end(self, line: Instruction) -> None:
        """The end of a loop or a branch."""
        begins = Code.LOOP if line.code is Code.ENDLOOP else Code.IF
        if self.lines[line.args[0]].code is not begins:
            raise self.fail("nesting", f"%{line.args[0]} is no {begins}")
        if not self.blocks or self.blocks[-1].number != line.args[0]:
            last = f"%{self.blocks[-1].number}" if self.blocks else "none"
            raise self.fail("nesting", f"the one to be ended next is {last}")
        self.blocks.pop()

    def load(self, line: Instruction) -> None:
        """Reading memory or a cell."""
        if len(line.args) == 3:
            self._guarded(line)
        else:
            self._access(line, line.args[1:], "read")
        self.read.add(line.args[0])

    def _guarded(self, line: Instruction) -> None:
        """A conditional load: its position is checked when it runs, by its condition."""
        home, place, test = line.args
        memory = self.lines[home]
        if memory.code is not Code.DEFINE_GLOBAL or memory.dtype != line.dtype:
            raise self.fail("types", f"%{home} is no memory of {line.dtype} that all share")
        self.position(place)
        if kind(self.typed(test)) != "b":
            raise self.fail("types", f"it needs a bool, got {self.typed(test).name}")

    def store(self, line: Instruction) -> None:
        """Writing memory or a cell."""
        memory = self.lines[line.args[0]]
        if memory.code is Code.DEFINE_GLOBAL and not memory.arg.is_output:
            raise self.fail("input", f"%{line.args[0]} is an input")
        self._access(line, line.args[1:-1], "written")
        got = self.typed(line.args[-1])
        if got != memory.dtype:
            raise self.fail("types", f"it needs a {memory.dtype}, and gets {got.name}")
        self.stored.add(line.args[0])

    def _access(self, line: Instruction, places: tuple[int, ...], what: str) -> None:
        home = line.args[0]
        memory = self.lines[home]
        if memory.code not in (*_MEMORY, Code.DEFINE_ACC):
            raise self.fail("types", f"%{home} is no memory")
        if memory.dtype != line.dtype:
            raise self.fail("types", f"%{home} holds {memory.dtype}")
        if memory.code is Code.DEFINE_ACC:
            if places:
                raise self.fail("accumulator", "a cell has no positions")
            return
        if len(places) != 1:
            raise self.fail("order", "it needs a position")
        self.position(places[0])
        if not self.reachable:
            return
        if places[0] not in self.interval:
            raise self.fail("bounds", f"nothing is known about the position %{places[0]}")
        low, high = self.interval[places[0]]
        is_local = memory.code is Code.DEFINE_LOCAL
        first, end = (0, memory.arg.size) if is_local else (memory.arg.low, memory.arg.high)
        if high >= low and (low < first or high >= end):
            raise self.fail(
                "bounds",
                f"positions {low} to {high} are {what}, and there are {first} to {end - 1}",
            )

    def alu(self, line: Instruction) -> None:
        """An operation."""
        dtypes = tuple([self.typed(arg) for arg in line.args])
        if line.arg is TAKE:
            self._take(line, dtypes)
            return
        compared = dtypes[1:] if line.arg is WHERE else dtypes
        if len(set(compared)) != 1:
            names = ", ".join(dtype.name for dtype in dtypes)
            raise self.fail("types", f"its operands are of different dtypes: {names}")
        try:
            result = elementwise_dtype(line.arg, *dtypes)
        except DTypeError as error:
            raise self.fail("types", str(error)) from None
        if result != line.dtype:
            raise self.fail("types", f"it gives {result.name}")
        known = [self.interval.get(arg) for arg in line.args]
        if line.dtype == int64 and None not in known and line.arg in _INTERVALS:
            found = _INTERVALS[line.arg](*known)
            if found is not None:
                self.interval[self.number] = found

    def _take(self, line: Instruction, dtypes: tuple[DT, ...]) -> None:
        """The distance of an index: its interval is known although the index is not."""
        if {*dtypes, line.dtype} != {int64}:
            raise self.fail("types", "it needs integers of 64 bits, and gives one")
        if not all(arg in self.interval for arg in line.args[1:]):
            raise self.fail("bounds", "nothing is known about how far an index may reach")
        extent, *strides = [self.interval[arg] for arg in line.args[1:]]
        found = (0, extent[1] - 1)
        self.interval[self.number] = _product(found, strides[0]) if strides else found

    def cast(self, line: Instruction) -> None:
        """A conversion."""
        self.typed(line.args[0])
        if line.dtype is None:
            raise self.fail("types", "it needs a dtype")

    def barrier(self, line: Instruction) -> None:
        """A barrier."""
        for block in self.blocks:
            if block.divergent:
                raise self.fail(
                    "barrier",
                    f"not all work-items of a group may come here, because of %{block.number}",
                )


_CHECKS: dict[Code, Callable[[_Verifier, Instruction], None]] = {
    Code.DEFINE_GLOBAL: _Verifier.definition,
    Code.DEFINE_LOCAL: _Verifier.definition,
    Code.SPECIAL: _Verifier.definition,
    Code.DEFINE_ACC: _Verifier.cell,
    Code.CONST: _Verifier.const,
    Code.LOOP: _Verifier.loop,
    Code.ENDLOOP: _Verifier.end,
    Code.IF: _Verifier.branch,
    Code.ENDIF: _Verifier.end,
    Code.LOAD: _Verifier.load,
    Code.STORE: _Verifier.store,
    Code.ALU: _Verifier.alu,
    Code.CAST: _Verifier.cast,
    Code.BARRIER: _Verifier.barrier,
}


def _product(one: Interval, two: Interval) -> Interval:
    ends = [a * b for a in one for b in two]
    return min(ends), max(ends)


def _quotient(one: Interval, two: Interval) -> Interval | None:
    if two[0] != two[1] or two[0] <= 0:
        return None
    return one[0] // two[0], one[1] // two[0]


def _remainder(one: Interval, two: Interval) -> Interval | None:
    if two[0] != two[1] or two[0] <= 0:
        return None
    if one[0] // two[0] == one[1] // two[0]:
        return one[0] % two[0], one[1] % two[0]
    return 0, two[0] - 1


_INTERVALS: dict[Op, Callable[..., Interval | None]] = {
    BINARY["add"]: lambda one, two: (one[0] + two[0], one[1] + two[1]),
    BINARY["subtract"]: lambda one, two: (one[0] - two[1], one[1] - two[0]),
    BINARY["multiply"]: _product,
    BINARY["floor_divide"]: _quotient,
    BINARY["remainder"]: _remainder,
}
