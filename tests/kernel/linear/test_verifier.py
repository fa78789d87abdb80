"""The verifier: one broken program for each rule, and the instruction that it names."""

from __future__ import annotations

import numpy as np
import pytest

from onebuf.errors import KernelError, OnebufError
from onebuf.graph import BINARY, TAKE, UNARY, WHERE
from onebuf.kernel.linear import Code, Global, Instruction, Linear, Local, Special, verify

F, N, B = np.dtype("float32"), np.dtype("int64"), np.dtype("bool")


def read(size=8):
    return Instruction(Code.DEFINE_GLOBAL, (), F, Global(0, 0, size, False))


def written(size=8, low=0):
    return Instruction(Code.DEFINE_GLOBAL, (), F, Global(1, low, size, True))


def shared(size=4):
    return Instruction(Code.DEFINE_LOCAL, (), F, Local("part0", size))


def index(name="gidx0", extent=8):
    return Instruction(Code.SPECIAL, (), N, Special(name, extent))


def whole(value):
    return Instruction(Code.CONST, (), N, value)


def real(value):
    return Instruction(Code.CONST, (), F, F.type(value))


def loop(first, end):
    return Instruction(Code.LOOP, (first, end), N, "ridx0")


def endloop(begin):
    return Instruction(Code.ENDLOOP, (begin,))


def branch(test):
    return Instruction(Code.IF, (test,))


def endif(begin):
    return Instruction(Code.ENDIF, (begin,))


def load(*args, dtype=F):
    return Instruction(Code.LOAD, args, dtype)


def store(*args, dtype=F):
    return Instruction(Code.STORE, args, dtype)


def alu(op, *args, dtype=N):
    return Instruction(Code.ALU, args, dtype, op)


def cell(value=0.0, dtype=F):
    return Instruction(Code.DEFINE_ACC, (), dtype, F.type(value))


def program(*lines):
    return Linear(tuple(lines))


ADD, LESS = BINARY["add"], BINARY["less"]
BARRIER = Instruction(Code.BARRIER)

GOOD = {
    "a copy": program(read(), written(), index(), load(0, 2), store(1, 2, 3)),
    "a sum": program(
        *(read(), written(1), whole(0), whole(8), cell(), loop(2, 3), load(0, 5), load(4)),
        *(alu(ADD, 6, 7, dtype=F), store(4, 8), endloop(5), load(4), store(1, 2, 11)),
    ),
    "a barrier in a branch that a whole group takes": program(
        *(index(), whole(1), alu(LESS, 0, 1, dtype=B), branch(2), BARRIER, endif(3)),
    ),
    "a loop without turns": program(
        *(read(), whole(0), loop(1, 1), whole(99), load(0, 3), endloop(2)),
    ),
    "digits": program(
        *(read(6), index(extent=36), whole(6), alu(BINARY["floor_divide"], 1, 2), load(0, 3)),
        *(alu(BINARY["remainder"], 1, 2), load(0, 5)),
    ),
}

NUMBERS = Instruction(Code.DEFINE_GLOBAL, (), N, Global(2, 0, 8, False))
"""Whole numbers in memory, of which nothing is known."""
PICKED = (read(15), NUMBERS, index(), load(1, 2, dtype=N), whole(5))

GOOD |= {
    "an index that reaches as far as its extent allows": program(
        *(*PICKED, whole(3), alu(TAKE, 3, 4, 5), whole(2), alu(ADD, 6, 7), load(0, 8)),
    ),
    "a load under a condition that bounds it": program(
        *(read(4), index(), whole(4), alu(LESS, 1, 2, dtype=B), load(0, 1, 3)),
    ),
}

BAD = {
    "an index that reaches too far": (
        *("bounds", 9),
        program(*PICKED, whole(3), alu(TAKE, 3, 4, 5), whole(3), alu(ADD, 6, 7), load(0, 8)),
    ),
    "an index whose extent is unknown": ("bounds", 5, program(*PICKED, alu(TAKE, 3, 3))),
    "an index that is no integer": (
        *("types", 3),
        program(read(), whole(0), load(0, 1), alu(TAKE, 2, 1)),
    ),
    "a load under a condition that is no bool": (
        *("types", 2),
        program(read(4), index(), load(0, 1, 1)),
    ),
    "a load of a cell under a condition": (
        *("types", 4),
        program(cell(), index(), whole(4), alu(LESS, 1, 2, dtype=B), load(0, 1, 3)),
    ),
    "an operand that comes later": (
        *("order", 2),
        program(read(), whole(0), load(0, 3), whole(1)),
    ),
    "itself as an operand": ("order", 1, program(read(), load(0, 1))),
    "a value of a loop that is over": (
        *("order", 6),
        program(read(), whole(0), whole(4), loop(1, 2), load(0, 3), endloop(3), load(0, 3)),
    ),
    "a value of a branch that was another one": (
        *("order", 9),
        program(
            *(written(), index(), whole(1), alu(LESS, 1, 2, dtype=B), branch(3), real(1)),
            *(endif(4), branch(3), whole(0), store(0, 8, 5), endif(7)),
        ),
    ),
    "too few operands": ("order", 1, program(whole(0), Instruction(Code.CAST, (), F))),
    "no position": ("order", 1, program(read(), load(0))),
    "operands of two dtypes": (
        *("types", 2),
        program(whole(1), real(1), alu(ADD, 0, 1)),
    ),
    "a wrong result": ("types", 1, program(whole(1), alu(ADD, 0, 0, dtype=F))),
    "a comparison that is no bool": ("types", 1, program(whole(1), alu(LESS, 0, 0, dtype=N))),
    "an operation that is not defined": (
        *("types", 1),
        program(real(1), alu(UNARY["bitwise_invert"], 0, dtype=F)),
    ),
    "a choice between two dtypes": (
        *("types", 3),
        program(whole(1), real(1), alu(LESS, 0, 0, dtype=B), alu(WHERE, 2, 0, 1, dtype=F)),
    ),
    "memory as a number": ("types", 1, program(read(), alu(ADD, 0, 0, dtype=F))),
    "a number as memory": ("types", 1, program(whole(0), load(0, 0))),
    "a position that is no integer": ("types", 2, program(read(), real(0), load(0, 1))),
    "a load of another dtype": ("types", 2, program(read(), whole(0), load(0, 1, dtype=N))),
    "a store of another dtype": ("types", 2, program(written(), whole(0), store(0, 1, 1))),
    "a constant of another dtype": (
        *("types", 0),
        program(Instruction(Code.CONST, (), F, np.float64(1))),
    ),
    "a condition that is no bool": ("types", 1, program(whole(1), branch(0), endif(1))),
    "an index of another dtype": (
        *("types", 0),
        program(Instruction(Code.SPECIAL, (), F, Special("gidx0", 4))),
    ),
    "a loop that is not ended": ("nesting", 2, program(whole(0), whole(4), loop(0, 1))),
    "a loop that is ended twice": (
        *("nesting", 4),
        program(whole(0), whole(4), loop(0, 1), endloop(2), endloop(2)),
    ),
    "loops that cross": (
        *("nesting", 4),
        program(whole(0), whole(4), loop(0, 1), loop(0, 1), endloop(2), endloop(3)),
    ),
    "a loop that ends as a branch": (
        *("nesting", 3),
        program(whole(0), whole(4), loop(0, 1), endif(2)),
    ),
    "memory defined in a loop": (
        *("nesting", 3),
        program(whole(0), whole(4), loop(0, 1), shared(), endloop(2)),
    ),
    "a cell that nothing is stored to": ("accumulator", 0, program(cell(), load(0))),
    "a cell that is never read": ("accumulator", 0, program(cell(), real(1), store(0, 1))),
    "a cell that starts with another dtype": ("accumulator", 0, program(cell(dtype=N))),
    "a cell with a position": ("accumulator", 2, program(cell(), whole(0), load(0, 1))),
    "a cell of a loop that is over": (
        *("order", 7),
        program(
            *(whole(0), whole(4), loop(0, 1), cell(), real(1), store(3, 4), endloop(2), load(3)),
        ),
    ),
    "one element too far": ("bounds", 2, program(read(8), index(extent=9), load(0, 1))),
    "one element too far in a loop": (
        *("bounds", 5),
        program(read(8), whole(0), whole(8), loop(1, 2), alu(ADD, 3, 3), load(0, 4), endloop(3)),
    ),
    "one element before the first": (
        *("bounds", 5),
        program(
            *(written(8, low=-2), index(), whole(3), alu(BINARY["subtract"], 1, 2), real(1)),
            store(0, 3, 4),
        ),
    ),
    "one element too far in shared memory": (
        *("bounds", 3),
        program(shared(4), index("lidx0", 5), real(1), store(0, 1, 2)),
    ),
    "a position that is unknown": (
        *("bounds", 4),
        program(
            read(),
            Instruction(Code.DEFINE_GLOBAL, (), N, Global(2, 0, 8, False)),
            index(),
            load(1, 2, dtype=N),
            load(0, 3),
        ),
    ),
    "a barrier where items part": (
        *("barrier", 4),
        program(
            *(index("lidx0", 2), whole(1), alu(LESS, 0, 1, dtype=B), branch(2), BARRIER, endif(3)),
        ),
    ),
    "a barrier in a loop of different lengths": (
        *("barrier", 3),
        program(index("lidx0", 2), whole(0), loop(1, 0), BARRIER, endloop(2)),
    ),
    "a store to an input": ("input", 3, program(read(), whole(0), real(1), store(0, 1, 2))),
}


@pytest.mark.parametrize("name", GOOD)
def test_a_program_that_keeps_the_rules_is_returned(name):
    assert verify(GOOD[name]) is GOOD[name]


@pytest.mark.parametrize("name", BAD)
def test_a_program_that_breaks_a_rule_is_refused_by_instruction(name):
    rule, number, bad = BAD[name]
    with pytest.raises(KernelError) as raised:
        verify(bad)
    assert (raised.value.rule, raised.value.number) == (rule, number)
    assert str(raised.value).startswith(f"instruction {number} ({bad.instructions[number]})")
    assert isinstance(raised.value, OnebufError)
    assert isinstance(raised.value, RuntimeError)


def test_each_rule_has_a_program_that_breaks_it():
    rules = {rule for rule, _, _ in BAD.values()}
    assert rules == {"order", "types", "nesting", "accumulator", "bounds", "barrier", "input"}


def test_a_listing_is_numbered_and_indented():
    assert GOOD["a sum"].listing() == (
        " 0 DEFINE_GLOBAL in0[0:8] float32\n"
        " 1 DEFINE_GLOBAL out1[0:1] float32\n"
        " 2 CONST         0 int64\n"
        " 3 CONST         8 int64\n"
        " 4 DEFINE_ACC    0.0 float32\n"
        " 5 LOOP          ridx0 (%2, %3) int64\n"
        " 6   LOAD          (%0, %5) float32\n"
        " 7   LOAD          (%4) float32\n"
        " 8   ALU           add (%6, %7) float32\n"
        " 9   STORE         (%4, %8) float32\n"
        "10 ENDLOOP       (%5)\n"
        "11 LOAD          (%4) float32\n"
        "12 STORE         (%1, %2, %11) float32"
    )
