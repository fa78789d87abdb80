"""A builder of LLVM IR, one instruction per line, for scalar and vector code alike.

A value has the type of one element. The builder knows the number of SIMD lanes, so the same code
writes a scalar loop and a vector loop. A *uniform* value is one element that is the same in all
lanes; it is broadcast to a vector where it meets one.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import NamedTuple

FLOATS = {"half": 16, "bfloat": 16, "float": 32, "double": 64}
"""The bits of each floating-point type of LLVM."""


class Value(NamedTuple):
    """An SSA value or a constant: its name, the type of an element, and whether it is uniform."""

    name: str
    type: str
    uniform: bool = False


class Builder:
    """Instructions of one basic block after another, on ``lanes`` SIMD lanes.

    >>> b = Builder(4)
    >>> x = Value("%x", "float")
    >>> b.fadd(x, b.constant("float", 1.0)).name
    '%v1'
    >>> print(b.text())
      %v1 = fadd <4 x float> %x, splat (float 0x3FF0000000000000)
    """

    def __init__(self, lanes: int = 1) -> None:
        self.lanes = lanes
        self.lines: list[str] = []
        self.declarations: set[str] = set()
        self.helpers: dict[str, str] = {}
        """Other definitions of the module, by name: functions and tables that the code uses."""
        self.wide: dict[str, Value] = {}
        """Values of float16 and bfloat16 by name, as the float32 that they are computed in."""
        self.parts: dict[str, tuple[Value, Value]] = {}
        """Complex numbers by name, as their real and imaginary parts."""
        self.block = ""
        """The label of the present block, for phis."""
        self._count = 0
        self._labels = 0

    has_fma = True
    """Whether the language defines a multiplication and an addition that are rounded once."""
    slow_path: Callable[..., Value] | None = None
    """How `onebuf.render.slow_path` is written in languages other than LLVM IR."""

    def text(self) -> str:
        """Everything written so far."""
        return "\n".join(self.lines)

    # -- types and constants -----------------------------------------------------------------------

    def type(self, element: str, uniform: bool = False) -> str:
        """The type of a value with elements of type ``element``."""
        return element if self.lanes == 1 or uniform else f"<{self.lanes} x {element}>"

    def constant(self, element: str, number: float | int) -> Value:
        """The same number in all lanes, exact to the bit."""
        return Value(literal(element, number), element, True)

    def spread(self, value: Value) -> str:
        """``value`` as an operand, broadcast to all lanes."""
        if not value.uniform or self.lanes == 1:
            return value.name
        if value.name[0] != "%":
            return f"splat ({value.type} {value.name})"
        one = self.emit(
            f"insertelement <{self.lanes} x {value.type}> poison, {value.type} {value.name}, i64 0"
        )
        wide = self.type(value.type)
        zeros = f"<{self.lanes} x i32> zeroinitializer"
        return self.emit(f"shufflevector {wide} {one}, {wide} poison, {zeros}")

    # -- instructions ------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        """An instruction without a result, or a label."""
        if text.endswith(":"):
            self.block = text[:-1]
        self.lines.append(text if text.endswith(":") else "  " + text)

    def label(self, word: str) -> str:
        """A name for a block that no other block has."""
        self._labels += 1
        return f"{word}.{self._labels}"

    def emit(self, text: str) -> str:
        """An instruction with a result; returns the result's name."""
        self._count += 1
        name = f"%v{self._count}"
        self.lines.append(f"  {name} = {text}")
        return name

    def return_if(self, condition: str, report: int, address: str) -> None:
        """Store ``report`` at ``address`` and return from the function if ``condition`` holds."""
        failed, fine = self.label("outside"), self.label("inside")
        self.line(f"br i1 {condition}, label %{failed}, label %{fine}")
        self.line(f"{failed}:")
        self.line(f"store i64 {report}, ptr {address}, align 8")
        self.line("ret void")
        self.line(f"{fine}:")

    def binary(self, instruction: str, x: Value, y: Value) -> Value:
        """``instruction`` on two values of one type."""
        assert x.type == y.type, f"{instruction} of {x} and {y}"
        uniform = x.uniform and y.uniform
        type_ = self.type(x.type, uniform)
        one, two = (x.name, y.name) if uniform else (self.spread(x), self.spread(y))
        return Value(self.emit(f"{instruction} {type_} {one}, {two}"), x.type, uniform)

    def compare(self, instruction: str, x: Value, y: Value) -> Value:
        """A comparison such as ``fcmp olt`` or ``icmp eq``: a value of i1."""
        return self.binary(instruction, x, y)._replace(type="i1")

    def convert(self, instruction: str, x: Value, to: str) -> Value:
        """A conversion such as ``fpext`` or ``bitcast``."""
        source, target = self.type(x.type, x.uniform), self.type(to, x.uniform)
        return Value(self.emit(f"{instruction} {source} {x.name} to {target}"), to, x.uniform)

    def select(self, condition: Value, x: Value, y: Value) -> Value:
        """``x`` where ``condition`` holds, else ``y``."""
        assert x.type == y.type, f"select of {x} and {y}"
        uniform = condition.uniform and x.uniform and y.uniform
        type_, flag = self.type(x.type, uniform), self.type("i1", uniform)
        operands = [v.name if uniform else self.spread(v) for v in (condition, x, y)]
        text = f"select {flag} {operands[0]}, {type_} {operands[1]}, {type_} {operands[2]}"
        return Value(self.emit(text), x.type, uniform)

    def call(self, intrinsic: str, *operands: Value, result: str | None = None) -> Value:
        """An intrinsic on all lanes, such as ``llvm.fma``; ``result`` if not the operands' type."""
        uniform = all(v.uniform for v in operands)
        to = operands[0].type if result is None else result
        types = [self.type(v.type, uniform) for v in operands]
        names = [v.name if uniform else self.spread(v) for v in operands]
        suffix = ".".join([intrinsic, self.mangled(operands[0].type, uniform)])
        target = self.type(to, uniform)
        self.declarations.add(f"declare {target} @{suffix}({', '.join(types)})")
        arguments = ", ".join(f"{t} {n}" for t, n in zip(types, names, strict=True))
        return Value(self.emit(f"call {target} @{suffix}({arguments})"), to, uniform)

    def mangled(self, element: str, uniform: bool = False) -> str:
        """The name of a type in the name of an intrinsic."""
        names = {"float": "f32", "double": "f64", "half": "f16", "bfloat": "bf16"}
        one = names.get(element, element)
        return one if self.lanes == 1 or uniform else f"v{self.lanes}{one}"

    # -- arithmetic by name ------------------------------------------------------------------------

    def fadd(self, x: Value, y: Value) -> Value:
        """x + y."""
        return self.binary("fadd", x, y)

    def fsub(self, x: Value, y: Value) -> Value:
        """x - y."""
        return self.binary("fsub", x, y)

    def fmul(self, x: Value, y: Value) -> Value:
        """x * y."""
        return self.binary("fmul", x, y)

    def fdiv(self, x: Value, y: Value) -> Value:
        """x / y."""
        return self.binary("fdiv", x, y)

    def fneg(self, x: Value) -> Value:
        """-x, also of zeros and NaNs."""
        name = self.emit(f"fneg {self.type(x.type, x.uniform)} {x.name}")
        return Value(name, x.type, x.uniform)

    def looked_up(self, table: str, numbers: Sequence[int], position: Value) -> Value:
        """The i64 at ``position`` of a constant table of the module; for one lane."""
        words = ", ".join(f"i64 {number}" for number in numbers)
        self.helpers[table] = f"@{table} = internal constant [{len(numbers)} x i64] [{words}]"
        address = self.emit(f"getelementptr i64, ptr @{table}, i64 {position.name}")
        return Value(self.emit(f"load i64, ptr {address}"), "i64")


def literal(element: str, number: float | int) -> str:
    """A number as an LLVM literal, exact to the bit.

    >>> literal("float", 0.5), literal("i32", -3), literal("i1", 1)
    ('0x3FE0000000000000', '-3', 'true')
    """
    if element == "i1":
        return "true" if number else "false"
    if element not in FLOATS:
        return str(int(number))
    if element == "half":
        return f"0xH{int.from_bytes(struct.pack('>e', number), 'big'):04X}"
    if element == "bfloat":
        return f"0xR{int.from_bytes(struct.pack('>f', number)[:2], 'big'):04X}"
    if element == "float":
        number = struct.unpack("<f", struct.pack("<f", number))[0]
    return f"0x{int.from_bytes(struct.pack('>d', number), 'big'):016X}"
