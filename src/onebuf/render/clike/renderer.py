"""The renderer: a linear program as the text of a kernel and its parameters.

Integer constants greater than NEAR are parameters, so that one text serves many shapes; the scalars
of a nest are parameters as well. If work-items do not share memory, the launch chooses the size of
groups: then indices are global, and work-items after the last index return at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from onebuf.dtypes import DT, int64
from onebuf.graph import BINARY, TAKE, Op
from onebuf.kernel.linear import Code, Given, Instruction, Linear
from onebuf.render.clike.dialect import Dialect, Flags, KernelText, Memory, Parameter, Scalar, Size
from onebuf.render.clike.operations import convert, express
from onebuf.render.clike.terms import Terms

NAME = "onebuf_kernel"
NEAR = 16
"""Integers up to this size are literals in the text."""
MOST_SIZES = 64
"""The most integers that are parameters; every device takes a kilobyte of parameters."""

_NATURAL: dict[Op, str] = {
    BINARY["add"]: "+",
    BINARY["multiply"]: "*",
    BINARY["floor_divide"]: "/",
    BINARY["remainder"]: "%",
}
"""Operations that C-like languages and NumPy define alike for integers that are not negative."""


@dataclass(frozen=True, slots=True)
class Check:
    """The meaning of a flag: ``op`` got an invalid operand; TAKE, an index outside ``extent``."""

    op: Op
    extent: int | Scalar | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """The text of a kernel, its parameters in order, and how many work-items run it."""

    text: str
    name: str
    parameters: tuple[Parameter, ...]
    extents: tuple[int, ...]
    """Work-groups along each dimension, or work-items if ``local`` is None; neighbours in memory
    differ in the first dimension."""
    local: tuple[int, ...] | None
    """Work-items in a group; None: any number, and indices outside the extents do nothing."""
    checks: tuple[Check, ...] = ()


def render(program: Linear, dialect: Dialect) -> Source:
    """The text of ``program`` in a dialect."""
    return _Rendering(program, dialect).source()


class _Rendering:
    def __init__(self, program: Linear, dialect: Dialect) -> None:
        self.program = program
        self.lines = program.instructions
        self.dialect = dialect
        self.t = Terms(dialect)
        self.names: dict[int, str] = {}
        """The expression for the value of each instruction."""
        self.natural: set[int] = set()
        """Values that are integers and never negative."""
        self.memories: list[Memory] = []
        self.scalars: dict[int, Scalar] = {}
        self.sizes: dict[int, Size] = {}
        self.shared: list[str] = []
        self.checks: list[Check] = []
        outer = [special for special in program.specials if not special.is_local]
        inner = [special for special in program.specials if special.is_local]
        self.dimension = {
            special.name: len(some) - 1 - number
            for some in (outer, inner)
            for number, special in enumerate(some)
        }
        self.extents = tuple([special.extent for special in reversed(outer)]) or (1,)
        self.local = tuple([special.extent for special in reversed(inner)]) or None

    def source(self) -> Source:
        """The finished kernel."""
        bounds = self._bounds()
        self._leave(bounds)
        for number, line in enumerate(self.lines):
            _EMIT[line.code](self, number, line)
        if bounds and self._splits:
            self._twice(bounds)
        parameters: list[Parameter] = [*self.memories, *self.scalars.values()]
        parameters += [*bounds, *self.sizes.values()]
        if self.checks:
            parameters.append(Flags(len(self.checks)))
        dimensions = max(len(self.extents), len(self.local or ()))
        extents = (*self.extents, *(1 for _ in range(dimensions - len(self.extents))))
        local = self.local and (*self.local, *(1 for _ in range(dimensions - len(self.local))))
        text = KernelText(
            NAME,
            parameters,
            list(self.t.functions.values()),
            self.shared,
            self.t.lines,
            local or (),
        )
        return Source(
            self.dialect.assemble(text), NAME, tuple(parameters), extents, local, tuple(self.checks)
        )

    def _bounds(self) -> list[Size]:
        """The parameters with the number of indices along each dimension."""
        if self.local is not None:
            return []
        outer = [special for special in self.program.specials if not special.is_local]
        bounds = []
        for special in outer:
            dimension = self.dimension[special.name]
            bounds.append(Size(f"n{dimension}", special.extent))
            index = self.dialect.global_id(dimension)
            self.t.line(f"{self.t.type(int64)} {special.name} = {index};")
        self.begin = len(self.t.lines)
        return bounds

    def _leave(self, bounds: list[Size]) -> None:
        """Work-items after the last index return."""
        outer = [special for special in self.program.specials if not special.is_local]
        for special, bound in zip(outer, bounds, strict=False):
            self.t.line(f"if ({special.name} >= {bound.name}) return;")

    @property
    def _splits(self) -> bool:
        loops = any(line.code is Code.LOOP for line in self.lines)
        return self.dialect.splits_bounds and not loops

    def _twice(self, bounds: list[Size]) -> None:
        """The body once for groups that are entirely in bounds, and once with bounds tests."""
        head, body = self.t.lines[: self.begin], self.t.lines[self.begin :]
        numbers = [int(bound.name[1:]) for bound in bounds]
        tests = [self.dialect.is_whole(n, f"n{n}") for n in numbers]
        self.t.lines = [
            *head,
            f"if ({' && '.join(tests)}) {{",
            *[f"  {line}" for line in body[len(bounds) :]],
            "} else {",
            *[f"  {line}" for line in body],
            "}",
        ]

    # -- instructions ------------------------------------------------------------------------------

    def dtype(self, number: int) -> DT:
        """The dtype of a value."""
        dtype = self.lines[number].dtype
        assert dtype is not None
        return dtype

    def declare(self, number: int, text: str) -> None:
        """A variable for a value."""
        name = f"v{number}"
        self.t.line(f"{self.t.type(self.dtype(number))} {name} = {text};")
        self.names[number] = name

    def memory(self, number: int, line: Instruction) -> None:
        """A slot."""
        memory = Memory(line.arg.slot, self.dtype(number), line.arg.is_output)
        self.memories.append(memory)
        self.names[number] = memory.name

    def group_memory(self, number: int, line: Instruction) -> None:
        """Memory that a work-group shares."""
        dtype = self.t.real(self.dtype(number))
        self.shared.append(self.dialect.shared(dtype, line.arg.name, line.arg.size))
        self.names[number] = line.arg.name

    def cell(self, number: int, line: Instruction) -> None:
        """A variable."""
        self.declare(number, self.t.literal(self.dtype(number), line.arg))

    def const(self, number: int, line: Instruction) -> None:
        """A number: in the text, or a parameter."""
        dtype = self.dtype(number)
        if isinstance(line.arg, Given):
            scalar = self.scalars.setdefault(line.arg.number, Scalar(line.arg.number, dtype))
            zero = self.dialect.literal(np.dtype("uint8"), 0)
            self.names[number] = f"({scalar.name} != {zero})" if dtype == np.bool else scalar.name
            return
        if dtype == int64 and not isinstance(line.arg, np.generic):
            if line.arg >= 0:
                self.natural.add(number)
            if abs(line.arg) > NEAR and len(self.sizes) < MOST_SIZES:
                size = Size(f"w{len(self.sizes)}", line.arg)
                self.sizes[number] = size
                self.names[number] = size.name
                return
        self.names[number] = self.t.literal(dtype, line.arg)

    def special(self, number: int, line: Instruction) -> None:
        """An index of a work-item or a group."""
        name = line.arg.name
        self.natural.add(number)
        self.names[number] = name
        if self.local is None:
            return  # it was declared with its bound
        dimension = self.dimension[name]
        of = self.dialect.local_id if line.arg.is_local else self.dialect.group_id
        self.t.line(f"{self.t.type(int64)} {name} = {of(dimension)};")

    def loop(self, number: int, line: Instruction) -> None:
        """The beginning of a loop."""
        first, end = (self.names[arg] for arg in line.args)
        name = f"v{number}"
        self.natural.add(number)
        self.names[number] = name
        self.t.line(f"for ({self.t.type(int64)} {name} = {first}; {name} < {end}; {name}++) {{")
        self.t.depth += 1

    def branch(self, number: int, line: Instruction) -> None:
        """The beginning of a branch."""
        self.t.line(f"if ({self.names[line.args[0]]}) {{")
        self.t.depth += 1

    def end(self, number: int, line: Instruction) -> None:
        """The end of a loop or a branch."""
        self.t.depth -= 1
        self.t.line("}")

    def load(self, number: int, line: Instruction) -> None:
        """An element, or 0 if its condition does not hold; or the value of a cell."""
        home, *place = line.args
        if self.lines[home].code is Code.DEFINE_ACC:
            self.declare(number, self.names[home])
            return
        dtype = self.dtype(number)
        element = self.dialect.element(self.names[home], self.names[place[0]])
        if self.lines[home].code is Code.DEFINE_LOCAL:
            dtype = self.t.real(dtype)
        value = self.t.loaded(dtype, element)
        if len(place) == 2:
            value = f"{self.names[place[1]]} ? {value} : {self.t.literal(dtype, 0)}"
        self.declare(number, value)

    def store(self, number: int, line: Instruction) -> None:
        """An element, or a cell."""
        home, *place, source = line.args
        dtype = self.dtype(source)
        if self.lines[home].code is Code.DEFINE_ACC:
            self.t.line(f"{self.names[home]} = {self.names[source]};")
            return
        if self.lines[home].code is Code.DEFINE_LOCAL:
            dtype = self.t.real(dtype)
        value = self.t.stored(dtype, self.names[source])
        self.t.line(self.dialect.assign(self.names[home], self.names[place[0]], value))

    def alu(self, number: int, line: Instruction) -> None:
        """An operation."""
        texts = tuple([self.names[arg] for arg in line.args])
        if line.arg is TAKE:
            self._take(number, line, *texts)
            return
        if line.arg in _NATURAL and self.natural.issuperset(line.args):
            self.natural.add(number)
            self.declare(number, f"{texts[0]} {_NATURAL[line.arg]} {texts[1]}")
            return
        dtypes = tuple([self.dtype(arg) for arg in line.args])
        before = self.t.checks
        text = express(self.t, line.arg, dtypes, texts, self.dtype(number))
        self.checks.extend([Check(line.arg)] * (self.t.checks - before))
        self.declare(number, text)

    def _take(self, number: int, line: Instruction, index: str, extent: str, *stride: str) -> None:
        """The distance of an index, which may count from the end. If it is outside, a flag is set
        and the first element is taken."""
        zero = self.t.literal(int64, 0)
        name = f"i{number}"
        self.t.line(
            f"{self.t.type(int64)} {name} = {index} < {zero} ? {index} + {extent} : {index};"
        )
        self.t.check(f"{name} < {zero} || {name} >= {extent}", index)
        self.checks.append(Check(TAKE, self._known(line.args[1])))
        inside = f"({name} < {zero} || {name} >= {extent} ? {zero} : {name})"
        self.declare(number, f"{inside} * {stride[0]}" if stride else inside)

    def _known(self, number: int) -> int | Scalar | None:
        """The value of an extent, or its scalar."""
        arg = self.lines[number].arg
        if isinstance(arg, Given):
            return self.scalars[arg.number]
        return arg if isinstance(arg, int) else None

    def cast(self, number: int, line: Instruction) -> None:
        """A conversion."""
        (source,) = line.args
        text = convert(self.t, self.dtype(source), self.dtype(number), self.names[source])
        self.declare(number, text)

    def barrier(self, number: int, line: Instruction) -> None:
        """A barrier of a work-group."""
        self.t.line(self.dialect.barrier())


_EMIT: dict[Code, Callable[[_Rendering, int, Instruction], None]] = {
    Code.DEFINE_GLOBAL: _Rendering.memory,
    Code.DEFINE_LOCAL: _Rendering.group_memory,
    Code.DEFINE_ACC: _Rendering.cell,
    Code.CONST: _Rendering.const,
    Code.SPECIAL: _Rendering.special,
    Code.LOOP: _Rendering.loop,
    Code.ENDLOOP: _Rendering.end,
    Code.IF: _Rendering.branch,
    Code.ENDIF: _Rendering.end,
    Code.LOAD: _Rendering.load,
    Code.STORE: _Rendering.store,
    Code.ALU: _Rendering.alu,
    Code.CAST: _Rendering.cast,
    Code.BARRIER: _Rendering.barrier,
}
