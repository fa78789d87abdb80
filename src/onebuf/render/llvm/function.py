"""A builder of one LLVM function: index arithmetic, loops, memory on the stack."""

from __future__ import annotations

from typing import NamedTuple

from onebuf.render.builder import Builder, Value


class Loop(NamedTuple):
    """An open loop: the line of its phis, its name, the step of its index, and its values."""

    line: int
    tag: str
    step: int
    carried: list[Value]
    counter: Value


class FunctionBuilder:
    """A function of ``(ptr args, i64 begin, i64 end)`` under construction."""

    hides_index = False
    """Whether LLVM must not see that the index of a loop goes up evenly. Otherwise it rewrites the
    addresses in the loop, which takes half of its time and is only worth it in scalar loops.
    The index then goes through ``llvm.expect``, which costs nothing."""

    def __init__(self) -> None:
        self.b = Builder(1)
        self.b.block = "entry"
        self.allocas: list[str] = []
        self._loops = 0

    def module(self, name: str) -> str:
        """The module that defines the function as ``name``, ready to be parsed."""
        b = self.b
        declarations = "\n".join([*sorted(b.declarations), *b.helpers.values()])
        head = f"define void @{name}(ptr noalias %args, i64 %begin, i64 %end) #0 {{\nentry:"
        allocas = "\n".join(self.allocas)
        tail = "attributes #0 = { nounwind }\n!0 = !{i32 1}"
        return f"{declarations}\n{head}\n{allocas}\n{b.text()}\n  ret void\n}}\n{tail}\n"

    def word(self, number: int, element: str) -> Value:
        """A word of the argument block, read as ``element``."""
        address = self.word_address(number)
        return Value(self.b.emit(f"load {element}, ptr {address}, align 8"), element, True)

    def word_address(self, number: int) -> str:
        """The address of a word of the argument block."""
        return self.b.emit(f"getelementptr i64, ptr %args, i64 {number}")

    def memory(self, count: int, element: str) -> Value:
        """Memory on the stack for ``count`` elements."""
        name = f"%memory{len(self.allocas)}"
        self.allocas.append(f"  {name} = alloca [{count} x {element}], align 64")
        return Value(name, "ptr", True)

    # -- indices -----------------------------------------------------------------------------------

    def index(self, number: int) -> Value:
        """A constant index."""
        return self.b.constant("i64", number)

    def plus(self, one: Value, two: Value | int) -> Value:
        """The sum of two indices."""
        return self.b.binary("add", one, self.index(two) if isinstance(two, int) else two)

    def minus(self, one: Value, two: Value) -> Value:
        """The difference of two indices."""
        return self.b.binary("sub", one, two)

    def minimum(self, one: Value, two: Value) -> Value:
        """The smaller of two indices."""
        return self.b.select(self.b.compare("icmp slt", one, two), one, two)

    def maximum(self, one: Value, two: Value) -> Value:
        """The larger of two indices."""
        return self.b.select(self.b.compare("icmp sgt", one, two), one, two)

    def last_multiple(self, first: Value, end: Value, step: int) -> Value:
        """``first`` plus the largest multiple of ``step``, a power of two, up to ``end``."""
        count = self.b.binary("and", self.minus(end, first), self.index(-step))
        return self.plus(first, count)

    # -- loops -------------------------------------------------------------------------------------

    def open(self, first: Value, carried: list[Value], step: int, end: Value) -> Loop:
        """Begin a loop from ``first`` to ``end``, with values carried between iterations."""
        b = self.b
        self._loops += 1
        tag = f"loop{self._loops}"
        before = b.block
        b.line(f"br label %{tag}")
        b.line(f"{tag}:")
        line = len(b.lines)
        index = Value(f"%{tag}.i", "i64", True)
        b.line(f"{index.name} = phi i64 [ {first.name}, %{before} ], [ %{tag}.next, @LATCH ]")
        phis = []
        for number, value in enumerate(carried):
            phi = Value(f"%{tag}.c{number}", value.type, value.uniform)
            of = b.type(value.type, value.uniform)
            start = f"[ {value.name}, %{before} ]"
            b.line(f"{phi.name} = phi {of} {start}, [ @VALUE{number}@, @LATCH ]")
            phis.append(phi)
        going = b.compare("icmp slt", index, end)
        b.line(f"br i1 {going.name}, label %{tag}.body, label %{tag}.end")
        b.line(f"{tag}.body:")
        return Loop(line, tag, step, phis, index)

    def close(self, loop: Loop, values: list[Value]) -> None:
        """End the loop; ``values`` are carried to its next iteration."""
        b, tag = self.b, loop.tag
        latch = b.block
        names = [
            b.spread(value) if value.uniform and not phi.uniform else value.name
            for value, phi in zip(values, loop.carried, strict=True)
        ]
        following = "step" if self.hides_index else "next"
        b.line(f"%{tag}.{following} = add nsw i64 {loop.counter.name}, {loop.step}")
        if self.hides_index:
            b.declarations.add("declare i64 @llvm.expect.i64(i64, i64)")
            b.line(f"%{tag}.next = call i64 @llvm.expect.i64(i64 %{tag}.step, i64 0)")
        b.line(f"br label %{tag}")
        for line in range(loop.line, loop.line + 1 + len(names)):
            text = b.lines[line].replace("@LATCH", f"%{latch}")
            number = line - loop.line - 1
            b.lines[line] = text.replace(f"@VALUE{number}@", names[number]) if names else text
        b.line(f"{tag}.end:")
