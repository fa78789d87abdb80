"""Fetching: memory asked for before it is read, where the processor would not guess it.

A row that is gone through several times is waited for the first time and in the nearest cache from
then on, when memory has nothing to do. So the last loop over a row asks for the next one.
"""

from __future__ import annotations

from onebuf.kernel import FOLDS, LOAD, Nest
from onebuf.render.builder import Builder, Value
from onebuf.render.elements import memory_type

LINE_NBYTES = 64


def rows_to_fetch(nest: Nest) -> list[int]:
    """The slots that are read row by row, by more than one loop over each row."""
    inner = nest.ndim - 1
    if inner < 1 or not any(step.op in FOLDS and step.arg.axis == inner for step in nest.steps):
        return []
    slots = sorted({step.arg for step in nest.steps if step.op is LOAD})
    return [n for n in slots if nest.slots[n].steps[-1] == 1 and nest.slots[n].steps[-2]]


def ask_for_next_row(
    b: Builder, nest: Nest, strides: list[list[Value]], places: tuple[Value, ...], index: Value
) -> None:
    """Ask for what lies one row on from the vector at ``index`` of a row that starts at ``places``.

    Nothing is read, so it does not matter that there is no row after the last one.
    """
    lanes = b.lanes
    for slot in rows_to_fetch(nest):
        of = memory_type(nest.slots[slot].dtype)
        b.declarations.add("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        distance = strides[slot][nest.ndim - 2]
        b.lanes = 1
        next_row = b.emit(f"getelementptr {of}, ptr {places[slot].name}, i64 {distance.name}")
        there = b.emit(f"getelementptr {of}, ptr {next_row}, i64 {index.name}")
        for nbytes in range(0, lanes * nest.slots[slot].dtype.itemsize, LINE_NBYTES):
            line = b.emit(f"getelementptr i8, ptr {there}, i64 {nbytes}")
            b.line(f"call void @llvm.prefetch.p0(ptr {line}, i32 0, i32 3, i32 1)")
        b.lanes = lanes
