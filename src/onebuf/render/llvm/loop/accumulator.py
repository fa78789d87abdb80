"""Accumulators of reductions: identity, combination, and the reduction of SIMD lanes to one value.

Sums and products of floats are accumulated in float64. The order is that of `onebuf.kernel.Fold`.
"""

from __future__ import annotations

import numpy as np

from onebuf.dtypes import DT, kind
from onebuf.graph import BINARY, REDUCE, Op
from onebuf.kernel import Nest, accumulator_dtype, combines, combining, identity
from onebuf.render.builder import Builder, Value
from onebuf.render.llvm.element.complex_numbers import PARTS
from onebuf.render.llvm.element.elementwise import ELEMENTS, TYPES, cast, memory_type


def supports(op: Op, operand: DT, result: DT) -> bool:
    """Whether there is code for a reduction."""
    if result in PARTS:  # real and imaginary parts are folded separately
        return op is REDUCE["sum"] and operand == result
    return combines(op) and operand.name in TYPES and result.name in TYPES


class Accumulator:
    """The running result of one reduction of a nest."""

    def __init__(self, nest: Nest, number: int) -> None:
        step = nest.steps[number]
        self.number = number
        self.operand = step.args[0]
        self.fold = step.arg
        self.op = step.op
        self.source = nest.steps[self.operand].dtype
        self.target = step.dtype
        self.dtype = accumulator_dtype(step)
        self.type = TYPES[self.dtype.name]
        self.memory = memory_type(self.dtype)
        self.is_extreme = self.op in (REDUCE["max"], REDUCE["min"]) and self.dtype != np.bool
        self.associative = kind(self.dtype) in "biu" or self.is_extreme
        """Whether grouping elements in another way gives the same bits. Of floats, extremes do: of
        equal ones, zeros of both signs, the last one counts."""

    def identity(self, b: Builder) -> Value:
        """The value with which it starts."""
        return b.constant(self.type, identity(self.op, self.dtype).item())

    def widened(self, b: Builder, value: Value) -> Value:
        """An element in the dtype of the accumulator."""
        return cast(b, value, self.source, self.dtype)

    def add(self, b: Builder, running: Value, value: Value) -> Value:
        """One more element in each lane."""
        return self.combine(b, running, self.widened(b, value))

    def combine(self, b: Builder, one: Value, two: Value) -> Value:
        """Two accumulators as one."""
        op = combining(self.op)
        if self.dtype == np.bool and op in (BINARY["maximum"], BINARY["minimum"]):
            op = BINARY["logical_or" if op is BINARY["maximum"] else "logical_and"]
        return ELEMENTS[op](b, (one, two), self.dtype)

    def from_memory(self, b: Builder, value: Value) -> Value:
        """An accumulator that was read from memory."""
        if self.type != "i1":
            return value
        return b.compare("icmp ne", value, b.constant(self.memory, 0))

    def reduce_lanes(self, b: Builder, value: Value, lanes: int) -> Value:
        """All lanes folded into one: the upper half onto the lower, until one is left."""
        while lanes > 1:
            half = lanes // 2
            parts = []
            for first in (0, half):
                indices = ", ".join(f"i32 {first + lane}" for lane in range(half))
                wide = f"<{lanes} x {value.type}>"
                name = b.emit(
                    f"shufflevector {wide} {value.name}, {wide} poison, <{half} x i32> <{indices}>"
                )
                parts.append(Value(name, value.type))
            if half == 1:
                parts = [self._scalar(b, part) for part in parts]
            b.lanes = half
            value = self.combine(b, *parts)
            lanes = half
        b.lanes = 1
        return value._replace(uniform=True)

    def _scalar(self, b: Builder, part: Value) -> Value:
        name = b.emit(f"extractelement <1 x {part.type}> {part.name}, i64 0")
        return Value(name, part.type, True)

    def result(self, b: Builder, value: Value) -> Value:
        """The finished accumulator in the dtype of the reduction."""
        return cast(b, value, self.dtype, self.target)
