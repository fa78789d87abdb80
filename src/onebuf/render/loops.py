"""Loops: a nest as one LLVM function, vectorised along its innermost axis.

The function is ``void kernel(ptr args, i64 begin, i64 end)``. ``args`` holds 64-bit words: the
address of each slot, the extent of each axis, the strides of each slot in elements (slot by slot),
then the scalars. ``begin`` and ``end`` bound the outermost axis, so that threads can share it.

At each level, steps run as far out as their depth allows. A loop ends before a step that needs its
result begins, and what a later loop needs again is computed again; only results of reductions
cross from one loop to the next.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from onebuf.kernel import CHUNK, FOLDS, INDEX, LANES, SCALAR, STORE, Nest
from onebuf.render.access import Access
from onebuf.render.builder import Builder, Value
from onebuf.render.elements import TYPES, emit, memory_type
from onebuf.render.folds import Accumulator


def render(nest: Nest, name: str, lanes: int) -> str:
    """The module that defines ``nest`` as function ``name``, with vectors of ``lanes`` elements."""
    return _Function(nest, lanes).module(name)


@dataclass(frozen=True, slots=True)
class Frame:
    """What is known inside ``depth`` loops: values of steps, and where each slot is."""

    depth: int
    known: dict[int, Value]
    places: tuple[Value, ...]


class Loop(NamedTuple):
    """A loop that was begun: where its text starts, its name, and the step of its index."""

    line: int
    tag: str
    step: int
    lanes: int
    carried: list[Value]
    counter: Value


class Work(NamedTuple):
    """What a loop is for: reductions over it, and stores inside it."""

    totals: list[Accumulator]
    stores: list[int]


class _Function:
    """The text of one function while it grows."""

    def __init__(self, nest: Nest, lanes: int) -> None:
        self.nest = nest
        self.b = Builder(1)
        self.vector = lanes
        self.b.block = "entry"
        self.allocas: list[str] = []
        self.extents: list[Value] = []
        self._loops = 0

    def module(self, name: str) -> str:
        """Everything, ready to be parsed."""
        b, nest = self.b, self.nest
        slots, ndim = len(nest.slots), nest.ndim
        positions = {step.arg for step in nest.steps if step.op is INDEX}
        places = [self._word(n, "i64" if n in positions else "ptr") for n in range(slots)]
        self.extents = [self._word(slots + axis, "i64") for axis in range(ndim)]
        strides = [
            [self._word(slots + ndim + slot * ndim + axis, "i64") for axis in range(ndim)]
            for slot in range(slots)
        ]
        self.access = Access(nest, strides)
        after = slots + ndim + slots * ndim
        known = {
            number: self._scalar(after + step.arg, number)
            for number, step in enumerate(nest.steps)
            if step.op is SCALAR
        }
        stores = [number for number, step in enumerate(nest.steps) if step.op is STORE]
        frame = Frame(0, known, tuple(places))
        if nest.partial:
            self._partials(frame, stores)
        else:
            self._level(frame, stores)
        b.line("ret void")
        declarations = "\n".join([*sorted(b.declarations), *b.helpers.values()])
        head = f"define void @{name}(ptr noalias %args, i64 %begin, i64 %end) #0 {{\nentry:"
        allocas = "\n".join(self.allocas)
        tail = "attributes #0 = { nounwind }"
        return f"{declarations}\n{head}\n{allocas}\n{b.text()}\n}}\n{tail}\n"

    def _word(self, number: int, element: str) -> Value:
        place = self.b.emit(f"getelementptr i64, ptr %args, i64 {number}")
        return Value(self.b.emit(f"load {element}, ptr {place}, align 8"), element, True)

    def _scalar(self, word: int, number: int) -> Value:
        dtype = self.nest.steps[number].dtype
        value = self._word(word, memory_type(dtype))
        if TYPES[dtype.name] == "i1":
            return self.b.compare("icmp ne", value, self.b.constant("i8", 0))
        return value

    # -- levels ------------------------------------------------------------------------------------

    def _level(self, frame: Frame, sinks: list[int]) -> None:
        """Everything that ``sinks`` need inside the loops of ``frame``, whose values it adds."""
        nest, depth = self.nest, frame.depth
        needed = self._closure(sinks, frame.known)
        turn_of: dict[int, int] = {}
        for number in needed:
            step = nest.steps[number]
            ready = max((turn_of.get(arg, 0) for arg in step.args), default=0)
            turn_of[number] = ready + (step.op in FOLDS and nest.depths[number] == depth)
        for turn in range(max(turn_of.values(), default=0) + 1):
            here = [n for n in needed if nest.depths[n] == depth]
            for number in here:
                if turn_of[number] == turn and nest.steps[number].op not in FOLDS:
                    self._step(number, frame)
            folds = [n for n in here if turn_of[n] == turn + 1 and nest.steps[n].op in FOLDS]
            stores = [n for n in sinks if nest.depths[n] > depth and turn_of[n] == turn]
            if folds or stores:
                work = Work([Accumulator(nest, number) for number in folds], stores)
                for total, value in zip(work.totals, self._loop(frame, work), strict=True):
                    frame.known[total.number] = total.result(self.b, value)

    def _closure(self, sinks: Iterable[int], known: dict[int, Value]) -> list[int]:
        """The steps that ``sinks`` need and that are not known yet, in order."""
        needed: set[int] = set()
        todo = list(sinks)
        while todo:
            number = todo.pop()
            if number not in needed and number not in known:
                needed.add(number)
                todo.extend(self.nest.steps[number].args)
        return sorted(needed)

    def _step(self, number: int, frame: Frame) -> None:
        """One step, at the present number of lanes."""
        nest, step = self.nest, self.nest.steps[number]
        operands = tuple([frame.known[arg] for arg in step.args])
        if step.op is STORE:
            self.access.store(self.b, step.arg, frame.places[step.arg], operands[0], frame.depth)
        elif step.op.kind == "elementwise":
            dtypes = tuple([nest.steps[arg].dtype for arg in step.args])
            frame.known[number] = emit(self.b, step.op, operands, dtypes, step.dtype)
        else:
            place = frame.places[step.arg]
            frame.known[number] = self.access.load(self.b, step, place, frame.depth)

    # -- loops -------------------------------------------------------------------------------------

    def _loop(self, frame: Frame, work: Work) -> list[Value]:
        """The loop over the next axis; the results of its reductions."""
        first = Value("%begin", "i64", True) if frame.depth == 0 else self.b.constant("i64", 0)
        end = Value("%end", "i64", True) if frame.depth == 0 else self.extents[frame.depth]
        if all(total.fold.sequential for total in work.totals):
            return self._sweep(frame, work, first, end)
        return self._chunks(frame, work, first, end)

    def _chunks(self, frame: Frame, work: Work, first: Value, end: Value) -> list[Value]:
        """A loop in chunks, whose results are folded one after another."""
        b = self.b
        loop = self._open(first, [total.identity(b) for total in work.totals], CHUNK, end)
        beyond = b.binary("add", loop.counter, b.constant("i64", CHUNK))
        limit = b.select(b.compare("icmp slt", end, beyond), end, beyond)
        parts = self._sweep(frame, work, loop.counter, limit)
        self._close(loop, self._paired(work, loop.carried, parts, Accumulator.combine))
        return loop.carried

    def _partials(self, frame: Frame, stores: list[int]) -> None:
        """A loop in chunks, whose results are stored one after another."""
        b, nest = self.b, self.nest
        folds = [nest.steps[store].args[0] for store in stores]
        depth_zero = [n for n in self._closure(folds, frame.known) if nest.depths[n] == 0]
        for number in depth_zero:
            if nest.steps[number].op not in FOLDS:
                self._step(number, frame)
        work = Work([Accumulator(nest, number) for number in folds], [])
        end = Value("%end", "i64", True)
        loop = self._open(Value("%begin", "i64", True), [], CHUNK, end)
        beyond = b.binary("add", loop.counter, b.constant("i64", CHUNK))
        limit = b.select(b.compare("icmp slt", end, beyond), end, beyond)
        parts = self._sweep(frame, work, loop.counter, limit)
        chunk = b.binary("sdiv", loop.counter, b.constant("i64", CHUNK))
        for store, part in zip(stores, parts, strict=True):
            slot = nest.steps[store].arg
            place = self.access.moved(b, slot, 0, frame.places[slot], chunk)
            self.access.store(b, slot, place, part, 0)
        self._close(loop, [])

    def _sweep(self, frame: Frame, work: Work, first: Value, end: Value) -> list[Value]:
        """One pass from ``first`` to ``end``."""
        innermost = frame.depth == self.nest.ndim - 1
        sequential = any(total.fold.sequential for total in work.totals)
        if innermost and not sequential and self.vector > 1:
            return self._vectors(frame, work, LANES if work.totals else self.vector, first, end)
        loop = self._open(first, [total.identity(self.b) for total in work.totals], 1, end)
        values = self._body(frame, work, loop.counter)
        self._close(loop, self._paired(work, loop.carried, values, Accumulator.add))
        return loop.carried

    def _vectors(
        self, frame: Frame, work: Work, lanes: int, first: Value, end: Value
    ) -> list[Value]:
        """Whole vectors, then what is left over, whose elements join the first lanes."""
        b = self.b
        count = b.binary("sub", end, first)
        whole = b.binary("and", count, b.constant("i64", -lanes))
        middle = b.binary("add", first, whole)
        starts = [total.identity(b) for total in work.totals]
        b.lanes = lanes
        wide = [Value(b.spread(start), start.type) for start in starts]
        loop = self._open(first, wide, lanes, middle)
        values = self._body(frame, work, loop.counter)
        self._close(loop, self._paired(work, loop.carried, values, Accumulator.add))
        b.lanes = 1
        rests = [
            self._spare(total, start) for total, start in zip(work.totals, starts, strict=True)
        ]
        tail = self._open(middle, [], 1, end)
        values = self._body(frame, work, tail.counter)
        lane = b.binary("sub", tail.counter, middle)
        for total, value, rest in zip(work.totals, values, rests, strict=True):
            self._poke(rest, lane.name, total.widened(b, value))
        self._close(tail, [])
        results = []
        for total, value, rest in zip(work.totals, loop.carried, rests, strict=True):
            b.lanes = lanes
            left = b.emit(f"load {b.type(total.memory)}, ptr {rest}, align 64")
            both = total.combine(b, value, total.from_memory(b, Value(left, total.memory)))
            results.append(total.across(b, both, lanes))
        return results

    def _body(self, frame: Frame, work: Work, index: Value) -> list[Value]:
        """What happens at one index of the next axis; the operands of the reductions."""
        places = [
            self.access.moved(self.b, slot, frame.depth, place, index)
            for slot, place in enumerate(frame.places)
        ]
        inside = Frame(frame.depth + 1, dict(frame.known), tuple(places))
        operands = [self.nest.steps[total.number].args[0] for total in work.totals]
        self._level(inside, [*operands, *work.stores])
        return [inside.known[operand] for operand in operands]

    def _paired(self, work: Work, ones: list[Value], twos: list[Value], how: object) -> list[Value]:
        triples = zip(work.totals, ones, twos, strict=True)
        return [how(total, self.b, one, two) for total, one, two in triples]  # type: ignore[operator]

    # -- text --------------------------------------------------------------------------------------

    def _open(self, first: Value, carried: list[Value], step: int, end: Value) -> Loop:
        """Begin a loop that counts from ``first`` up to ``end`` and carries values around."""
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
        return Loop(line, tag, step, b.lanes, phis, index)

    def _close(self, loop: Loop, values: list[Value]) -> None:
        """End the loop, with what it carries into its next turn."""
        b, tag = self.b, loop.tag
        latch = b.block
        names = [
            b.spread(value) if value.uniform and not phi.uniform else value.name
            for value, phi in zip(values, loop.carried, strict=True)
        ]
        b.line(f"%{tag}.next = add nsw i64 {loop.counter.name}, {loop.step}")
        b.line(f"br label %{tag}")
        for line in range(loop.line, loop.line + 1 + len(names)):
            text = b.lines[line].replace("@LATCH", f"%{latch}")
            number = line - loop.line - 1
            b.lines[line] = text.replace(f"@VALUE{number}@", names[number]) if names else text
        b.line(f"{tag}.end:")

    def _spare(self, total: Accumulator, start: Value) -> str:
        """Memory for one vector of accumulators, all set to ``start``."""
        name = f"%spare{len(self.allocas)}"
        self.allocas.append(f"  {name} = alloca [{LANES} x {total.memory}], align 64")
        for lane in range(LANES):
            self._poke(name, str(lane), start)
        return name

    def _poke(self, place: str, lane: str, value: Value) -> None:
        value = self.access.to_memory(self.b, value)
        where = self.b.emit(f"getelementptr {value.type}, ptr {place}, i64 {lane}")
        self.b.line(f"store {value.type} {value.name}, ptr {where}")
