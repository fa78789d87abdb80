"""Masked vectors: the tail of a row, which does not fill a vector, with some lanes inactive.

A scalar loop over the tail would take as long as one vector for each element. Inactive lanes load
zeros, compute with these, and store nothing; a fold replaces them by its identity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from onebuf.kernel import LOAD, STORE, Nest
from onebuf.render.builder import Builder, Value
from onebuf.render.llvm.element.elementwise import FLOATS_ONLY

SIZES = (4, 8)
"""Sizes in bytes of the elements that processors can load under a mask."""


class Tail(NamedTuple):
    """The active lanes of a masked vector: a flag for each lane, and their number as an index."""

    mask: Value
    active: Value
    write: Callable[[str, str, str], None]
    """Store the active lanes: (vector, type of an element, address)."""


def has_vector_tail(nest: Nest, needed: Iterable[int], folds: bool) -> bool:
    """Whether the tail of a row can be a masked vector, and is faster so: where little is computed
    and no fold is in the loop, a scalar loop is as fast."""
    steps = [nest.steps[number] for number in needed if nest.depths[number] == nest.ndim]
    for step in steps:
        if step.op is LOAD and step.args:
            return False  # the index of an inactive lane may be outside
        if step.op in (LOAD, STORE):
            slot = nest.slots[step.arg]
            stride = slot.steps[-1]
            if stride not in (0, 1) or (stride and slot.dtype.itemsize not in SIZES):
                return False
    return folds or any(step.op in FLOATS_ONLY for step in steps)


def lane_mask(b: Builder, count: Value, first: int = 0) -> Value:
    """Flags of the lanes from ``first`` on: whether each is one of the first ``count`` lanes."""
    numbers = ", ".join(f"i32 {first + lane}" for lane in range(b.lanes))
    short = b.convert("trunc", count, "i32")
    return b.compare("icmp slt", Value(f"<{numbers}>", "i32"), short)


def sub_vector(b: Builder, value: Value, lanes: int, first: int) -> Value:
    """The builder's number of lanes, from ``first`` on, of a value that has ``lanes``."""
    if lanes == b.lanes:
        return value
    wide = f"<{lanes} x {value.type}>"
    indices = ", ".join(f"i32 {first + lane}" for lane in range(b.lanes))
    mask = f"<{b.lanes} x i32> <{indices}>"
    name = b.emit(f"shufflevector {wide} {value.name}, {wide} poison, {mask}")
    return Value(name, value.type)


def masked_load(b: Builder, mask: Value, of: str, size: int, address: str) -> str:
    """The elements from ``address`` on, zero in inactive lanes."""
    wide, flags = b.type(of), b.type("i1")
    name = f"@llvm.masked.load.{b.mangled(of)}.p0"
    b.declarations.add(f"declare {wide} {name}(ptr, i32, {flags}, {wide})")
    active = f"{flags} {mask.name}"
    return b.emit(
        f"call {wide} {name}(ptr {address}, i32 {size}, {active}, {wide} zeroinitializer)"
    )
