"""The linear form: a kernel as a numbered list of instructions, one work-item's program.

An instruction is a code, the numbers of the instructions that are its operands, a dtype and a
static argument. Positions in memory are ordinary int64 values, computed by ALU instructions, and
count elements.

============== ========================== ============================== =========================
code           arg                        args                           value
============== ========================== ============================== =========================
DEFINE_GLOBAL  `Global`                                                  memory of all work-items
DEFINE_LOCAL   `Local`                                                   memory of a work-group
DEFINE_ACC     its first value                                           a cell of this work-item
CONST          the number, or a `Given`                                  the number
SPECIAL        `Special`                                                 index of group or item
LOOP           the name of its index      first, end                     its index
ENDLOOP                                   the LOOP
IF                                        a bool
ENDIF                                     the IF
LOAD                                      memory, position; or the cell  the element
                                          memory, position, a bool       it, or 0 if not true
STORE                                     memory, position, value; or
                                          the cell, value
ALU            the operation              operands                       the result
CAST                                      operand                        it in another dtype
BARRIER
============== ========================== ============================== =========================

A cell is a private variable; its DEFINE_ACC sets it to its first value each time. All work-items
of a group wait for one another at a BARRIER; work-groups never wait. The other rules are those of
`onebuf.kernel.linear.verifier`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import prod
from typing import Any

import numpy as np

from onebuf.dtypes import DT


class Code(StrEnum):
    """What an instruction does."""

    DEFINE_GLOBAL = "DEFINE_GLOBAL"
    DEFINE_LOCAL = "DEFINE_LOCAL"
    DEFINE_ACC = "DEFINE_ACC"
    CONST = "CONST"
    SPECIAL = "SPECIAL"
    LOOP = "LOOP"
    ENDLOOP = "ENDLOOP"
    IF = "IF"
    ENDIF = "ENDIF"
    LOAD = "LOAD"
    STORE = "STORE"
    ALU = "ALU"
    CAST = "CAST"
    BARRIER = "BARRIER"


@dataclass(frozen=True, slots=True)
class Global:
    """Slot ``slot`` of the nest, whose positions ``low <= p < high`` may be accessed."""

    slot: int
    low: int
    high: int
    is_output: bool

    def __str__(self) -> str:
        return f"{'out' if self.is_output else 'in'}{self.slot}[{self.low}:{self.high}]"


@dataclass(frozen=True, slots=True)
class Local:
    """Shared memory ``name`` of ``size`` elements, uninitialised."""

    name: str
    size: int

    def __str__(self) -> str:
        return f"{self.name}[0:{self.size}]"


@dataclass(frozen=True, slots=True)
class Given:
    """Scalar ``number`` of the nest: an argument of every call; ``value`` is that of the first."""

    number: int
    value: np.generic

    def __str__(self) -> str:
        return f"s{self.number}={self.value}"


@dataclass(frozen=True, slots=True)
class Special:
    """``gidx0``, ``lidx0``, ...: an index of a work-group, or of a work-item in its group."""

    name: str
    extent: int

    @property
    def is_local(self) -> bool:
        """Whether it differs within a work-group."""
        return self.name.startswith("lidx")

    def __str__(self) -> str:
        return f"{self.name}[0:{self.extent}]"


_SIGNS = {"add": " + ", "multiply": "*", "floor_divide": "//", "remainder": "%"}
"""The infix form of operations on positions; operands of a product are never sums."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One line of a program."""

    code: Code
    args: tuple[int, ...] = ()
    dtype: DT | None = None
    arg: Any = None

    def __str__(self) -> str:
        words = [f"{self.code:<13}"]
        if self.arg is not None:
            words.append(str(self.arg))
        if self.args:
            words.append("(" + ", ".join(f"%{arg}" for arg in self.args) + ")")
        if self.dtype is not None:
            words.append(self.dtype.name)
        return " ".join(words).rstrip()


@dataclass(frozen=True, slots=True)
class Linear:
    """The program of one kernel, which every work-item runs."""

    instructions: tuple[Instruction, ...]

    @property
    def specials(self) -> tuple[Special, ...]:
        """The indices of groups, then those of items in a group."""
        found = [line.arg for line in self.instructions if line.code is Code.SPECIAL]
        return tuple(sorted(found, key=lambda special: (special.is_local, special.name)))

    @property
    def groups(self) -> int:
        """How many work-groups there are."""
        return prod([special.extent for special in self.specials if not special.is_local])

    @property
    def items(self) -> int:
        """How many work-items are in a group."""
        return prod([special.extent for special in self.specials if special.is_local])

    @property
    def instances(self) -> int:
        """How many work-items run the program."""
        return self.groups * self.items

    @property
    def shared_bytes(self) -> int:
        """The size of a group's shared memory."""
        shared = [line for line in self.instructions if line.code is Code.DEFINE_LOCAL]
        return sum(line.arg.size * line.dtype.itemsize for line in shared if line.dtype)

    def formula(self, number: int) -> str:
        """A position as a formula: ``gidx0*8 + 3``."""
        line = self.instructions[number]
        if line.code in (Code.CONST, Code.LOOP):
            return str(line.arg)
        if line.code is Code.SPECIAL:
            return str(line.arg.name)
        sign = _SIGNS.get(str(line.arg))
        if line.code is not Code.ALU or sign is None:
            return f"%{number}"
        return sign.join([self.formula(arg) for arg in line.args])

    def listing(self) -> str:
        """The program as numbered lines, indented by loop and branch."""
        width = len(str(len(self.instructions)))
        depth = 0
        lines = []
        for number, instruction in enumerate(self.instructions):
            depth -= instruction.code in (Code.ENDLOOP, Code.ENDIF)
            lines.append(f"{number:>{width}} {'  ' * depth}{instruction}")
            depth += instruction.code in (Code.LOOP, Code.IF)
        return "\n".join(lines)
