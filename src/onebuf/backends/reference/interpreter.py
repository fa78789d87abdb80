"""The reference backend: linear programs, interpreted one work-item at a time.

It is slow and checks everything: each position against the bounds of its memory, shared memory for
reads before writes and for races between barriers, outputs for writes by two work-items, and
barriers for being reached by all. It computes what NumPy computes, on single elements. It is the
oracle of compiled backends.

The work-items of a group are generators that yield at barriers; between two barriers they run one
after another, in order.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from itertools import product
from operator import add, floordiv, mod, mul, sub
from typing import Any

import numpy as np

from onebuf.backends.kernel_launch import linear_program
from onebuf.backends.numpy.loops import run_into
from onebuf.backends.operand_errors import index_out_of_range
from onebuf.dtypes import DT, Array, integer_of, kind
from onebuf.errors import KernelError
from onebuf.graph import BINARY, TAKE, Node, Op, settle
from onebuf.kernel import wrapped
from onebuf.kernel.linear import Code, Given, Limits, Linear, Opt
from onebuf.scheduler.fuse.group import Group

_INTEGER: dict[Op, Callable[[int, int], int]] = {
    BINARY["add"]: add,
    BINARY["subtract"]: sub,
    BINARY["multiply"]: mul,
    BINARY["floor_divide"]: floordiv,
    BINARY["remainder"]: mod,
    BINARY["less"]: lambda one, two: one < two,
}
"""Operations on positions, which are Python integers here."""


@dataclass(frozen=True, slots=True)
class SlotMemory:
    """The memory of a slot: position ``p`` is ``flat[p - first]``."""

    flat: Array
    first: int = 0

    @classmethod
    def of(cls, array: Array) -> SlotMemory:
        """The memory between the elements of ``array``, whose first one is position 0."""
        size = array.itemsize
        pairs = list(zip(array.shape, array.strides, strict=True))
        if array.size == 0:
            return cls(np.empty(0, array.dtype))
        low = sum(min(0, (extent - 1) * step) for extent, step in pairs) // size
        high = sum(max(0, (extent - 1) * step) for extent, step in pairs) // size
        lowest: Any = tuple([slice(None, None, -1 if step < 0 else 1) for _, step in pairs])
        whole = array[(*lowest, ...)]
        flat = np.lib.stride_tricks.as_strided(whole, (high - low + 1,), (size,))
        return cls(flat, low)


def run(
    group: Group,
    outputs: Sequence[Array],
    opts: Sequence[Opt] = (),
    limits: Limits | None = None,
) -> Linear:
    """Compute the outputs of a kernel into ``outputs``; its inputs have to be stored.

    The program that ran is returned.
    """
    program = linear_program(group, opts, limits)
    memories = {
        number: SlotMemory.of(_array(reach.node, group.outputs, outputs))
        for number, reach in enumerate(group.reaches)
        if not reach.is_index
    }
    execute(program, memories)
    return program


def _array(node: Node, outputs: Sequence[Node], arrays: Sequence[Array]) -> Array:
    for output, array in zip(outputs, arrays, strict=True):
        if node is output:
            return array
    stored = settle(node)
    assert stored is not None, f"{node} is not in memory"
    return stored


def execute(
    program: Linear, memories: dict[int, SlotMemory], scalars: Sequence[np.generic] | None = None
) -> None:
    """Run every work-item of ``program`` on the memory of its slots.

    Without ``scalars``, on those that it was lowered for.
    """
    machine = _Machine(program, memories, scalars)
    outer = [special for special in program.specials if not special.is_local]
    inner = [special for special in program.specials if special.is_local]
    with np.errstate(all="ignore"):
        for group in product(*[range(special.extent) for special in outer]):
            names = {special.name: n for special, n in zip(outer, group, strict=True)}
            items = [
                names | {special.name: n for special, n in zip(inner, item, strict=True)}
                for item in product(*[range(special.extent) for special in inner])
            ]
            machine.run_group(items)


@dataclass(slots=True)
class _Shared:
    """A group's shared memory, with the readers and writers of each element since a barrier."""

    values: dict[tuple[int, int], Any] = field(default_factory=dict)
    writer: dict[tuple[int, int], int] = field(default_factory=dict)
    readers: dict[tuple[int, int], set[int]] = field(default_factory=dict)


class _Machine:
    def __init__(
        self, program: Linear, memories: dict[int, SlotMemory], scalars: Sequence[np.generic] | None
    ) -> None:
        self.lines = program.instructions
        self.scalars = scalars
        self.memories = memories
        self.ends = {
            line.args[0]: number
            for number, line in enumerate(self.lines)
            if line.code in (Code.ENDLOOP, Code.ENDIF)
        }
        self.writers: dict[tuple[int, int], int] = {}
        self.items = 0

    def fail(self, rule: str, number: int, message: str) -> KernelError:
        return KernelError(rule, number, f"instruction {number} ({self.lines[number]}): {message}")

    def run_group(self, items: Sequence[dict[str, int]]) -> None:
        """All work-items of one group, from barrier to barrier."""
        shared = _Shared()
        running = []
        for indices in items:
            self.items += 1
            running.append(self._item(indices, self.items, shared))
        while running:
            stops = [next(item, None) for item in running]
            if len(set(stops)) != 1:
                number = max(stop for stop in stops if stop is not None)
                raise self.fail("barrier", number, "some work-items of the group never come here")
            if stops[0] is None:
                return
            shared.writer.clear()
            shared.readers.clear()

    def _item(
        self, indices: dict[str, int], item: int, shared: _Shared
    ) -> Generator[int, None, None]:
        """One work-item; it yields the number of each barrier that it reaches."""
        values: dict[int, Any] = {}
        lines, number = self.lines, 0
        while number < len(lines):
            line = lines[number]
            code = line.code
            if code is Code.LOOP:
                first, end = (values[arg] for arg in line.args)
                values[number] = first
                if first >= end:
                    number = self.ends[number]
            elif code is Code.ENDLOOP:
                (begin,) = line.args
                values[begin] += 1
                if values[begin] < values[lines[begin].args[1]]:
                    number = begin
            elif code is Code.IF:
                if not values[line.args[0]]:
                    number = self.ends[number]
            elif code is Code.BARRIER:
                yield number
            elif code is Code.STORE:
                self._store(number, values, item, shared)
            elif code is Code.SPECIAL:
                values[number] = indices[line.arg.name]
            elif code is Code.LOAD:
                values[number] = self._load(number, values, item, shared)
            elif code in (Code.CONST, Code.DEFINE_ACC):
                values[number] = self._number(line.arg)
            elif code is Code.ALU or code is Code.CAST:
                assert line.dtype is not None
                operands = tuple([values[arg] for arg in line.args])
                if code is Code.CAST:
                    values[number] = _cast(operands[0], lines[line.args[0]].dtype, line.dtype)
                else:
                    values[number] = _compute(line.arg, operands, line.dtype)
            number += 1

    def _number(self, arg: Any) -> Any:
        """The value of a constant, or the initial one of an accumulator."""
        if not isinstance(arg, Given):
            return arg
        return arg.value if self.scalars is None else self.scalars[arg.number]

    # -- memory ------------------------------------------------------------------------------------

    def _load(self, number: int, values: dict[int, Any], item: int, shared: _Shared) -> Any:
        home, *place = self.lines[number].args
        memory = self.lines[home]
        if memory.code is Code.DEFINE_ACC:
            return values[home]
        if len(place) == 2 and not values[place[1]]:
            return memory.dtype.type(0)  # type: ignore[union-attr]
        position = int(values[place[0]])
        if memory.code is Code.DEFINE_GLOBAL:
            flat, index = self._reach(number, memory.arg.slot, position)
            return flat[index]
        key = (home, position)
        self._check_local(number, memory.arg.size, position)
        if key not in shared.values:
            raise self.fail("undefined", number, f"element {position} was never written")
        if shared.writer.get(key, item) != item:
            raise self.fail(
                "race", number, f"another work-item wrote element {position} since the last barrier"
            )
        shared.readers.setdefault(key, set()).add(item)
        return shared.values[key]

    def _store(self, number: int, values: dict[int, Any], item: int, shared: _Shared) -> None:
        line = self.lines[number]
        home, *place, source = line.args
        memory, value = self.lines[home], values[source]
        if memory.code is Code.DEFINE_ACC:
            values[home] = value
            return
        position = int(values[place[0]])
        if memory.code is Code.DEFINE_GLOBAL:
            key = (memory.arg.slot, position)
            flat, index = self._reach(number, memory.arg.slot, position)
            if self.writers.setdefault(key, item) != item:
                raise self.fail("race", number, f"two work-items write element {position}")
            flat[index] = value
            return
        key = (home, position)
        self._check_local(number, memory.arg.size, position)
        others = shared.readers.get(key, set()) | {shared.writer.get(key, item)}
        if others - {item}:
            raise self.fail(
                "race", number, f"another work-item used element {position} since the last barrier"
            )
        shared.writer[key] = item
        shared.values[key] = value

    def _reach(self, number: int, slot: int, position: int) -> tuple[Array, int]:
        memory = self.memories[slot]
        index = position - memory.first
        if not 0 <= index < len(memory.flat):
            last = memory.first + len(memory.flat) - 1
            raise self.fail(
                "bounds", number, f"position {position} is outside of {memory.first} to {last}"
            )
        return memory.flat, index

    def _check_local(self, number: int, size: int, position: int) -> None:
        if not 0 <= position < size:
            raise self.fail("bounds", number, f"position {position} is outside of 0 to {size - 1}")


def _compute(op: Op, operands: tuple[Any, ...], dtype: DT) -> Any:
    """One operation on single elements."""
    if op is TAKE:
        return _distance(*[int(operand) for operand in operands])
    if all(type(operand) is int for operand in operands) and op in _INTEGER:
        return _INTEGER[op](*operands)
    if op is BINARY["pow"]:  # NumPy's scalar loop differs from that of arrays
        operands = tuple([np.asarray(operand).reshape(1) for operand in operands])
        out = np.empty(1, dtype)
        run_into(op, operands, None, out)
        return out[0]
    out = np.empty((), dtype)
    run_into(op, operands, None, out)
    return out[()]


def _distance(index: int, extent: int, stride: int = 1) -> int:
    """The distance in elements that an index stands for."""
    found = wrapped(index, extent)
    if found is None:
        raise index_out_of_range(index, extent)
    return found * stride


def _cast(value: Any, source: DT | None, target: DT) -> Any:
    """A conversion."""
    assert source is not None
    if kind(source) == "f" and kind(target) in "iu":
        return target.type(integer_of(float(value), target))
    return np.asarray(value, source).astype(target)[()]
