"""A builder of linear programs, with common subexpression elimination within each scope."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from onebuf.dtypes import DT, int64
from onebuf.graph import BINARY, Op
from onebuf.kernel.linear.instruction import Code, Instruction, Linear

Term = tuple[int, int]
"""A coefficient, and the number of the value that it multiplies."""

_HEAD = (Code.DEFINE_GLOBAL, Code.DEFINE_LOCAL, Code.SPECIAL, Code.CONST)
"""Codes without operands, in the order in which programs begin with them."""


class LinearBuilder:
    """A program under construction; a value is reused within the scope that computed it."""

    def __init__(self) -> None:
        self.lines: list[Instruction] = []
        self._scopes: list[dict[Hashable, int]] = [{}]

    def emit(
        self, code: Code, args: tuple[int, ...] = (), dtype: DT | None = None, arg: Any = None
    ) -> int:
        """A new instruction."""
        self.lines.append(Instruction(code, args, dtype, arg))
        return len(self.lines) - 1

    def pure(
        self, code: Code, args: tuple[int, ...] = (), dtype: DT | None = None, arg: Any = None
    ) -> int:
        """The instruction that gives this value; a new one only if no open scope has it."""
        static = (dtype, arg.tobytes()) if isinstance(arg, np.generic) else arg
        key = (code, args, dtype, static)
        for scope in self._scopes:
            if key in scope:
                return scope[key]
        number = self.emit(code, args, dtype, arg)
        scope = self._scopes[0 if code in _HEAD else -1]
        scope[key] = number
        return number

    def alu(self, op: Op, *args: int, dtype: DT) -> int:
        """The result of an operation."""
        return self.pure(Code.ALU, args, dtype, op)

    def cast(self, value: int, dtype: DT) -> int:
        """A value in another dtype."""
        if self.lines[value].dtype == dtype:
            return value
        return self.pure(Code.CAST, (value,), dtype)

    def number(self, value: int) -> int:
        """An int64 constant for positions and loop bounds."""
        return self.pure(Code.CONST, (), int64, value)

    def affine(self, terms: Sequence[Term], constant: int) -> int:
        """The sum of some multiples and a constant."""
        total: int | None = None
        for factor, value in terms:
            scaled = value
            if factor != 1:
                scaled = self.alu(BINARY["multiply"], value, self.number(factor), dtype=int64)
            total = self._plus(total, scaled)
        if total is None:
            return self.number(constant)
        return self._plus(total, self.number(constant)) if constant else total

    def _plus(self, one: int | None, two: int) -> int:
        return two if one is None else self.alu(BINARY["add"], one, two, dtype=int64)

    def open(
        self, code: Code, args: tuple[int, ...], dtype: DT | None = None, arg: Any = None
    ) -> int:
        """Begin a LOOP or an IF, and with it a scope."""
        self._scopes.append({})
        return self.emit(code, args, dtype, arg)

    def close(self, number: int) -> None:
        """End the LOOP or the IF that was begun last."""
        self._scopes.pop()
        ends = Code.ENDLOOP if self.lines[number].code is Code.LOOP else Code.ENDIF
        self.emit(ends, (number,))

    def program(self) -> Linear:
        """The finished program, with the instructions that have no operands in front."""
        codes = [line.code for line in self.lines]
        order = [n for head in _HEAD for n, code in enumerate(codes) if code is head]
        order += [n for n, code in enumerate(codes) if code not in _HEAD]
        place = {number: now for now, number in enumerate(order)}
        lines = [self.lines[number] for number in order]
        return Linear(
            tuple(
                [
                    Instruction(line.code, tuple([place[arg] for arg in line.args]), *_rest(line))
                    for line in lines
                ]
            )
        )


def _rest(line: Instruction) -> tuple[DT | None, Any]:
    return line.dtype, line.arg
