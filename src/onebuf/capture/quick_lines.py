"""The lines of a quick program: each step of a plan as Python code.

A kernel with one result is a single call of the native core, where there is one
(`onebuf.capture.replays`); others are called with words packed behind their addresses. Products of
one row or column are calls of BLAS with arguments that are prepared in the same way. Other
operations are those of NumPy's loops and libraries, on arrays; where these begin is known as well.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from math import prod
from struct import Struct
from typing import Any, NamedTuple

from onebuf.capture.location import Location, Locations, array_at
from onebuf.capture.replays import NOTHING_AT, RESULT_AT, Kernel, launch
from onebuf.dtypes import DT
from onebuf.engine.cpu import gemv
from onebuf.engine.cpu.launch import Single
from onebuf.engine.cpu.program import word
from onebuf.engine.step.kernel_step import KernelCall, KernelStep, MultipassStep
from onebuf.engine.step.matmul_step import MatmulStep
from onebuf.engine.step.numpy_step import NumpyStep, computed
from onebuf.engine.step.plan import Plan
from onebuf.graph import MATMUL, RANDOM_BITS, WRITE, Fresh, Kind, Node
from onebuf.layout import View
from onebuf.memory import POOL, address_of, address_of_bytes
from onebuf.ops import place
from onebuf.scheduler import NOTHING

MOST_CALLS = 256
"""Longer programs take so long that the way to them does not show."""
_THREE = Struct("3q")


class NotQuick(Exception):
    """A plan with steps of another kind."""


class Outside(Exception):
    """An index is outside; a run of the plan says which."""


class _Launch(NamedTuple):
    """A kernel with one result, which the native core launches."""

    kernel: Kernel
    operands: list[str]
    """The variables of its operands."""
    line: str
    """The line that calls it."""


class Lines:
    """The text of one function, and the objects that it names."""

    def __init__(
        self,
        plan: Plan,
        leaves: Sequence[Node],
        asked: Sequence[Node],
        sources: dict[int, tuple[int, int]],
    ) -> None:
        self.plan = plan
        self.asked = asked
        self.sources = sources
        self.locations = Locations(leaves, asked)
        self.lines: list[str] = []
        self.known: dict[str, Any] = {
            "address_of": address_of,
            "address_of_bytes": address_of_bytes,
            "place": place,
            "allocate": POOL.allocate,
        }
        self.made: dict[int, str] = {}
        """The variable of each node that becomes stored, by number."""
        self.last: dict[int, int] = {}
        """The last step that needs each of these."""
        self.ends: list[int] = []
        """How many lines there are up to the end of each step."""
        self.given: set[int] = set()
        """The leaves that the lines refer to, and those of which they read node and address."""
        self.read: set[int] = set()
        self.launches: dict[str, _Launch] = {}
        """What computes some of the results, by variable."""
        self.addressed: set[int] = set()
        """The results whose addresses are variables."""
        self.calls = 0
        self.is_fallible = False
        """Whether it raises `Outside`."""

    def const(self, value: Any) -> str:
        name = f"k{len(self.known)}"
        self.known[name] = value
        return name

    def results(self, wanted: Sequence[Node]) -> list[str]:
        """Write the steps; the variables of the results."""
        for step in self.plan.steps:
            for part in step._passes if isinstance(step, MultipassStep) else [step]:
                self.step(part)
            self.ends.append(len(self.lines))
            if self.calls > MOST_CALLS:
                raise NotQuick
        numbers = {id(node): number for number, node in enumerate(self.asked)}
        found = [numbers.get(id(node), -1) for node in wanted]
        if not self.made.keys() >= {*found}:
            raise NotQuick
        self.let_go({*found})
        return [self.made[number] for number in found]

    def let_go(self, kept: Collection[int]) -> None:
        """Let each step end with letting go of what no later one needs, except for ``kept``."""
        done: dict[int, list[str]] = {}
        for number, name in self.made.items():
            if number not in kept:
                done.setdefault(self.last[number], []).append(name)
        for at in sorted(done, reverse=True):
            self.lines.insert(self.ends[at], f"del {', '.join(done[at])}")

    def read_leaf(self, leaf: int) -> None:
        """Let the function read node and address of a leaf."""
        self.given.add(leaf)
        self.read.add(leaf)

    def compiled(self, count: int | None, lines: Sequence[str]) -> Any:
        """A function of ``lines``: of ``count`` buffers, or of a list of nodes."""
        head = [f"l{n} = leaves[{n}]" for n in sorted(self.given)] if count is None else []
        for n in sorted(self.read):
            node = f"l{n}" if count is None else f"l{n}._node"
            head.append(f"n{n} = {node}; a{n} = address_of(n{n}.array)")
        if self.plan.arena_nbytes:
            head.append(f"block = allocate({self.plan.arena_nbytes}); arena = block.address")
        given = ["leaves"] if count is None else [f"l{n}" for n in range(count)]
        parameters = ", ".join([*given, *[f"{name}={name}" for name in self.known]])
        text = "\n".join([f"def run({parameters}):", *[f"  {line}" for line in (*head, *lines)]])
        namespace = dict(self.known)
        exec(text, namespace)
        return namespace["run"]

    def at_once(self, count: int, result: str, base: object) -> Callable[..., Any] | None:
        """A function of buffers whose last launch makes the buffer too; None if none does."""
        last = self.launches.get(result)
        if last is None:
            return None
        at = self.lines.index(last.line)
        found = launch(last.kernel, base)
        if found is None or not all(line.startswith("del ") for line in self.lines[at + 1 :]):
            return None
        if at == 0 and last.operands == [f"l{n}" for n in range(count)]:
            return found
        end = f"return {self.const(found)}({', '.join(last.operands)})"
        return self.compiled(count, [*self.lines[:at], end])  # type: ignore[no-any-return]

    def step(self, step: Any) -> None:
        """Write one step."""
        if type(step) is KernelStep:
            self.kernel(step, ())
        elif type(step) is MatmulStep:
            self.kernel(step, [self.factor(step, matrix.number) for matrix in step._matrices])
        elif type(step) is NumpyStep:
            self.operation(step)
        else:
            raise NotQuick

    # -- kernels -----------------------------------------------------------------------------------

    def kernel(self, step: KernelStep, brought: Sequence[str]) -> None:
        """Launch a kernel; ``brought`` are addresses of operands that are not among its inputs."""
        if any(output.is_write for output in step._outputs):
            raise NotQuick
        if self.launched(step, brought):
            return
        bases = ["0", *[self.operand(number) for number in step._inputs]]
        for output in step._outputs:
            if output.offset_bytes >= 0:
                bases.append(f"arena + {output.offset_bytes}")
            else:
                bases.append(self.result(output.number, output.shape, output.dtype))
        for call in step._calls:
            self.call(call, [*bases, *brought])

    def result(self, number: int, shape: tuple[int, ...], dtype: DT) -> str:
        """Make the node of a result; its address, as code."""
        name = self.new(number)
        self.lines += self.placed(name, shape, dtype)
        return self.address_of_made(number)

    def address_of_made(self, number: int) -> str:
        """The variable of the address of a result."""
        if number not in self.addressed:
            self.addressed.add(number)
            self.lines.append(f"b{number} = address_of({self.made[number]}.array)")
        return f"b{number}"

    def launched(self, step: KernelStep, brought: Sequence[str]) -> bool:
        """Launch a kernel with no more than one result by the core; False if that cannot be."""
        call, results = step._calls[0], [one for one in step._outputs if one.offset_bytes < 0]
        single: Any = call._launch
        if len(step._calls) > 1 or len(results) > 1:
            return False
        if single.__class__ is not Single or single._count or single.words.has_flag:
            return False
        places: list[tuple[str | int, int]] = [(NOTHING_AT, 0), *map(self.place_of, step._inputs)]
        for output in step._outputs:
            is_result = output.offset_bytes < 0
            places.append((RESULT_AT, 0) if is_result else ("arena", output.offset_bytes))
        places += [(address, 0) for address in brought]
        used = dict.fromkeys([places[at][0] for at, _ in call._places])
        operands = [name for name in used if isinstance(name, str)]
        slots = []
        for at, far in call._places:
            name, distance = places[at]
            slots.append((operands.index(name) if isinstance(name, str) else name, distance + far))
        tail = single.words._tail + b"".join([self.scalar(scalar) for scalar in call._scalars])
        words = tail, single._end, single._call is single._program.call, tuple(slots), len(operands)
        result = (results[0].shape, results[0].dtype) if results else None
        kernel = Kernel(single._program, *words, result)
        found = launch(kernel)
        if found is None:
            return False
        self.calls += 1
        for number in step._inputs:
            if number in self.made:
                self.last[number] = len(self.ends)
        line = f"{self.const(found)}({', '.join(operands)})"
        if results:
            name = self.new(results[0].number)
            line = f"{name} = {line}"
            self.launches[name] = _Launch(kernel, operands, line)
        self.lines.append(line)
        return True

    def place_of(self, number: int) -> tuple[str, int]:
        """Node or address of an operand, as code, and how many bytes further on it begins."""
        if number < 0:
            return "arena", ~number
        if number in self.made:
            return self.made[number], 0
        node = self.asked[number]
        source = self.sources.get(id(node))
        if source is not None:
            self.given.add(source[0])
            return f"l{source[0]}", source[1]
        if node.array is None:
            raise NotQuick
        return self.const(node), 0

    def new(self, number: int) -> str:
        """A variable for the node of a result."""
        name = self.made[number] = f"o{number}"
        self.last[number] = len(self.ends)
        return name

    def placed(self, name: str, shape: tuple[int, ...], dtype: DT) -> list[str]:
        """Lines that make the node of a result: `place`, spelled out where it takes a cell."""
        numel = prod(shape)
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
            self.last[number] = len(self.ends)
            return self.address_of_made(number)
        node = self.asked[number]
        source = self.sources.get(id(node))
        if source is not None:
            leaf, distance = source
            self.read_leaf(leaf)
            return f"a{leaf} + {distance}" if distance else f"a{leaf}"
        if node.array is None:
            raise NotQuick
        self.const(node)  # which keeps its memory
        return str(address_of(node.array))

    def call(self, call: KernelCall, bases: Sequence[str]) -> None:
        self.calls += 1
        launch: Any = call._launch
        if launch.__class__ is not Single:
            raise NotQuick
        addresses = ", ".join(
            [f"{bases[at]} + {far}" if far else bases[at] for at, far in call._places]
        )
        scalars = b"".join([self.scalar(scalar) for scalar in call._scalars])
        has_flag = launch.words.has_flag
        self.is_fallible |= has_flag
        if launch._count:
            run = f"{self.const(launch.run)}([{addresses}], {self.const(scalars)})"
            self.lines.append(f"if {run}: raise {self.const(Outside)}" if has_flag else run)
            return
        pack, tail = self.const(launch.words._front.pack), self.const(launch.words._tail + scalars)
        run = self.const(launch._call)
        self.lines.append(f"words = {pack}({addresses}) + {tail}")
        self.lines.append(f"{run}(address_of_bytes(words), 0, {launch._end})")
        if has_flag:
            is_outside = self.const(launch.words.is_outside)
            self.lines.append(f"if {is_outside}(words): raise {self.const(Outside)}")

    def scalar(self, scalar: Any) -> bytes:
        """A word that stays the same in every run."""
        if scalar.__class__ is bytes:
            return scalar
        number, read = scalar
        node = self.asked[number]
        if node.op.kind is not Kind.CONSTANT:
            raise NotQuick
        return word(read(node.arg))

    # -- products ----------------------------------------------------------------------------------

    def factor(self, step: MatmulStep, number: int) -> str:
        """Compute a product that a kernel is to read; its address, as code."""
        if step._count < step._extent:
            raise NotQuick
        if number in self.made:  # which an earlier step computed
            self.last[number] = len(self.ends)
            return self.address_of_made(number)
        address = self.product(number)
        if address is None:
            raise NotQuick
        return address

    def product(self, number: int) -> str | None:
        """Compute a product by a call of BLAS; its address, as code, or None if that cannot be."""
        node = self.asked[number]
        found = [self.locations.of(src) for src in node.srcs]
        x, y = found
        if x is None or y is None or not x.dtype == y.dtype == node.dtype:
            return None
        strides = View.contiguous(node.shape).stride
        layout = node.shape, tuple([step * node.dtype.itemsize for step in strides])
        ready = gemv.prepared(node.dtype, (x.shape, x.strides), (y.shape, y.strides), layout)
        if ready is None:
            return None
        places = [self.address(x), self.address(y)]
        address = self.result(number, node.shape, node.dtype)
        pack, words = self.const(_THREE.pack), self.const(ready.words)
        self.lines.append(f"words = {words} + {pack}({', '.join(places)}, {address})")
        self.calls += 1
        self.lines.append(f"{self.const(ready.call)}(address_of_bytes(words), 0, {ready.matrices})")
        return address

    def address(self, location: Location) -> str:
        """The address of the first element at a location, as code."""
        self.node(location)
        if location.fixed is not None:
            return str(address_of(location.fixed))
        name = f"a{location.leaf}" if location.leaf >= 0 else self.address_of_made(location.made)
        return f"{name} + {location.offset_bytes}" if location.offset_bytes else name

    def node(self, location: Location) -> str:
        """The node whose memory a location is in, as code."""
        if location.fixed is not None:
            return self.const((location.fixed, location.holder))
        if location.leaf >= 0:
            self.read_leaf(location.leaf)
            return f"n{location.leaf}"
        if location.made not in self.made:
            raise NotQuick
        self.last[location.made] = len(self.ends)
        return self.made[location.made]

    # -- other operations --------------------------------------------------------------------------

    def operation(self, step: NumpyStep) -> None:
        """Compute one operation on NumPy's loops, or by a library."""
        node = self.asked[step._number]
        if node.op is RANDOM_BITS or node.op is WRITE or step._kind == NOTHING:
            raise NotQuick
        if node.op is MATMUL and self.product(step._number) is not None:
            return
        arrays = "".join([f"{self.array(src)}, " for src in node.srcs])
        bare = Node(node.op, (), node.arg, node.shape, node.dtype, node.made_at, node.device)
        name = self.new(step._number)
        run = f"{self.const(computed)}({self.const(bare)}, ({arrays}))"
        self.calls += 1
        self.lines.append(f"{name} = {run}")

    def array(self, source: Node) -> str:
        """The elements of an operand as an array, as code."""
        location = self.locations.of(source)
        if location is None:
            raise NotQuick
        name = self.node(location)
        if location.fixed is not None:
            return self.const(location.fixed)
        if location.is_whole:
            return f"{name}.array"
        at = self.const(array_at)
        dtype = self.const(location.dtype)
        rest = f"{location.shape!r}, {dtype}, {location.offset_bytes}, {location.strides!r}"
        return f"{at}({name}, {rest})"
