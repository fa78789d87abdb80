"""Tails: the elements of a row that do not fill a vector, as a vector with some lanes off.

One by one they would take as long as whole vectors do, each. Lanes that are off read zeros, compute
whatever follows from those, and write nothing; a fold sees its identity there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from onebuf.kernel import LOAD, STORE, Nest
from onebuf.render.builder import Builder, Value
from onebuf.render.llvm.element.elementwise import FLOATS_ONLY

SIZES = (4, 8)
"""Bytes of elements that processors can load with lanes off."""


class Tail(NamedTuple):
    """Which lanes are on: as flags, and as their number, which is an index."""

    on: Value
    lanes: Value
    write: Callable[[str, str, str], None]
    """Write the lanes that are on: of a vector, of a type, to an address."""


def has_tail(nest: Nest, needed: Iterable[int], folds: bool) -> bool:
    """Whether what is left over of a row can be a vector, and should be: where little is computed
    and all of it is stored, one element after another is as fast."""
    steps = [nest.steps[number] for number in needed if nest.depths[number] == nest.ndim]
    for step in steps:
        if step.op is LOAD and step.args:
            return False  # an index of a lane that is off leads anywhere
        if step.op in (LOAD, STORE):
            slot = nest.slots[step.arg]
            pace = slot.steps[-1]
            if pace not in (0, 1) or (pace and slot.dtype.itemsize not in SIZES):
                return False
    return folds or any(step.op in FLOATS_ONLY for step in steps)


def lanes_on(b: Builder, count: Value, first: int = 0) -> Value:
    """Flags for the first ``count`` of all lanes, of which ``first`` is the first here."""
    numbers = ", ".join(f"i32 {first + lane}" for lane in range(b.lanes))
    short = b.convert("trunc", count, "i32")
    return b.compare("icmp slt", Value(f"<{numbers}>", "i32"), short)


def part_of(b: Builder, value: Value, lanes: int, first: int) -> Value:
    """As many lanes as there are now of a value that has ``lanes``, from ``first`` on."""
    if lanes == b.lanes:
        return value
    wide = f"<{lanes} x {value.type}>"
    places = ", ".join(f"i32 {first + lane}" for lane in range(b.lanes))
    mask = f"<{b.lanes} x i32> <{places}>"
    name = b.emit(f"shufflevector {wide} {value.name}, {wide} poison, {mask}")
    return Value(name, value.type)


def load_on(b: Builder, on: Value, of: str, size: int, address: str) -> str:
    """The elements from ``address`` on, zero in lanes that are off."""
    wide, flags = b.type(of), b.type("i1")
    name = f"@llvm.masked.load.{b.mangled(of)}.p0"
    b.declarations.add(f"declare {wide} {name}(ptr, i32, {flags}, {wide})")
    return b.emit(
        f"call {wide} {name}(ptr {address}, i32 {size}, {flags} {on.name}, {wide} zeroinitializer)"
    )
