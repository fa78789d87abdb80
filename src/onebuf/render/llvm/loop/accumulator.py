"""Folds: accumulators of reductions, and the order in which they take elements.

Sums and products of floats are accumulated in float64. The order is that of `onebuf.kernel.Fold`:
a vector of lanes runs over a chunk, its halves are folded onto each other, chunks follow chunks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from onebuf.dtypes import kind
from onebuf.graph import BINARY, REDUCE, Op
from onebuf.kernel import Nest, accumulator_dtype
from onebuf.render.builder import Builder, Value
from onebuf.render.llvm.element.complex_numbers import PARTS
from onebuf.render.llvm.element.elementwise import ELEMENTS, TYPES, cast, memory_type

DT = np.dtype[Any]

_COMBINE = {
    REDUCE["sum"]: BINARY["add"],
    REDUCE["prod"]: BINARY["multiply"],
    REDUCE["max"]: BINARY["maximum"],
    REDUCE["min"]: BINARY["minimum"],
    REDUCE["all"]: BINARY["logical_and"],
    REDUCE["any"]: BINARY["logical_or"],
}


def supports(op: Op, operand: DT, result: DT) -> bool:
    """Whether there is code for a reduction."""
    if result in PARTS:  # its parts are folded, each on its own
        return op is REDUCE["sum"] and operand == result
    return op in _COMBINE and operand.name in TYPES and result.name in TYPES


class Accumulator:
    """The running result of one reduction of a nest."""

    def __init__(self, nest: Nest, number: int) -> None:
        step = nest.steps[number]
        self.number = number
        self.fold = step.arg
        self.op = step.op
        self.source = nest.steps[step.args[0]].dtype
        self.target = step.dtype
        self.dtype = accumulator_dtype(step)
        self.type = TYPES[self.dtype.name]
        self.memory = memory_type(self.dtype)

    def identity(self, b: Builder) -> Value:
        """What leaves every other element as it is."""
        letter = kind(self.dtype)
        if self.op is REDUCE["sum"]:
            return b.constant(self.type, -0.0 if letter == "f" else 0)
        if self.op is REDUCE["prod"] or self.op is REDUCE["all"]:
            return b.constant(self.type, 1)
        if self.op is REDUCE["any"] or letter == "b":
            return b.constant(self.type, int(self.op is REDUCE["min"]))
        if letter == "f":
            return b.constant(self.type, -np.inf if self.op is REDUCE["max"] else np.inf)
        info = np.iinfo(self.dtype)
        lowest, highest = int(info.min), int(info.max)
        return b.constant(self.type, lowest if self.op is REDUCE["max"] else highest)

    def widened(self, b: Builder, value: Value) -> Value:
        """An element in the dtype of the accumulator."""
        return cast(b, value, self.source, self.dtype)

    def add(self, b: Builder, running: Value, value: Value) -> Value:
        """One more element in each lane."""
        return self.combine(b, running, self.widened(b, value))

    def combine(self, b: Builder, one: Value, two: Value) -> Value:
        """Two accumulators as one."""
        op = _COMBINE[self.op]
        if self.dtype == np.bool and op in (BINARY["maximum"], BINARY["minimum"]):
            op = BINARY["logical_or" if op is BINARY["maximum"] else "logical_and"]
        return ELEMENTS[op](b, (one, two), self.dtype)

    def from_memory(self, b: Builder, value: Value) -> Value:
        """An accumulator read back from memory."""
        if self.type != "i1":
            return value
        return b.compare("icmp ne", value, b.constant(self.memory, 0))

    def across(self, b: Builder, value: Value, lanes: int) -> Value:
        """All lanes folded into one: the upper half onto the lower, and so on."""
        while lanes > 1:
            half = lanes // 2
            parts = []
            for first in (0, half):
                places = ", ".join(f"i32 {first + lane}" for lane in range(half))
                wide = f"<{lanes} x {value.type}>"
                name = b.emit(
                    f"shufflevector {wide} {value.name}, {wide} poison, <{half} x i32> <{places}>"
                )
                parts.append(Value(name, value.type))
            if half == 1:
                parts = [self._only(b, part) for part in parts]
            b.lanes = half
            value = self.combine(b, *parts)
            lanes = half
        b.lanes = 1
        return value._replace(uniform=True)

    def _only(self, b: Builder, part: Value) -> Value:
        name = b.emit(f"extractelement <1 x {part.type}> {part.name}, i64 0")
        return Value(name, part.type, True)

    def result(self, b: Builder, value: Value) -> Value:
        """The finished accumulator in the dtype of the reduction."""
        return cast(b, value, self.dtype, self.target)
