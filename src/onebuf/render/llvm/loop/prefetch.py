"""Fetching: rows asked for before they are read, where memory would not guess them in time.

Memory guesses what comes next where addresses go up evenly. Rows that are picked by index come from
anywhere, so each would begin with a wait: instead the beginning of a row is asked for while a row
before it is worked on. A row that is gone through several times is waited for the first time and in
the nearest cache from then on, when memory has nothing to do: so the last loop over it asks for the
next one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from onebuf.graph import TAKE
from onebuf.kernel import FOLDS, LOAD, Nest
from onebuf.render.builder import Builder, Value
from onebuf.render.llvm.element.elementwise import memory_type
from onebuf.render.llvm.loop.base import Frame, Levels
from onebuf.render.llvm.memory.gather import beyond

DT = np.dtype[Any]

AHEAD = 2
"""How many rows before it is needed a row is asked for."""
LINES = 8
"""How many lines of it; after these memory has guessed the rest."""
LINE_NBYTES = 64
FURTHER_NBYTES = 2048
"""How far ahead of a fold memory is asked for what it will fold."""


@lru_cache(1024)
def picked_rows(nest: Nest) -> tuple[tuple[int, int], ...]:
    """The steps that say how far an index reaches, and the slots of whose rows that is."""
    found = []
    for step in nest.steps:
        if step.op is LOAD and step.args and nest.slots[step.arg].steps[-1] == 1:
            (take,) = step.args
            is_row = nest.steps[take].op is TAKE and nest.depths[take] == nest.ndim - 1 > 0
            if is_row and not any(each.op in FOLDS for each in nest.steps[:take]):
                found.append((take, step.arg))
    return tuple(found)


def fetch(text: Levels, frame: Frame, index: Value) -> None:
    """Ask for the rows that will be picked soon, at ``index`` of the loop around the innermost."""
    b, nest = text.b, text.nest
    last = text.plus(text.bounds(frame.depth)[1], -1)
    soon = text.least(text.plus(index, AHEAD), last)
    there = text.moved(frame, soon)
    b.declarations.add("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
    for take, slot in picked_rows(nest):
        for number in text.closure([take], there.known):
            text.step(number, there)
        of = memory_type(nest.slots[slot].dtype)
        place = beyond(b, of, there.places[slot], there.known[take].name)
        for line in range(LINES):
            where = b.emit(f"getelementptr i8, ptr {place.name}, i64 {line * LINE_NBYTES}")
            b.line(f"call void @llvm.prefetch.p0(ptr {where}, i32 0, i32 3, i32 1)")


def rows_to_fetch(nest: Nest) -> list[int]:
    """The slots that are read row by row, by more than one loop over each row."""
    inner = nest.ndim - 1
    if inner < 1 or not any(step.op in FOLDS and step.arg.axis == inner for step in nest.steps):
        return []
    slots = sorted({step.arg for step in nest.steps if step.op is LOAD})
    return [n for n in slots if nest.slots[n].steps[-1] == 1 and nest.slots[n].steps[-2]]


def slots_along(nest: Nest, axis: int) -> list[int]:
    """The slots that are read in order along an axis, not where an index says."""
    slots = sorted({step.arg for step in nest.steps if step.op is LOAD and not step.args})
    return [slot for slot in slots if nest.slots[slot].steps[axis] == 1]


def ask(b: Builder, dtype: DT, place: Value, distance: Value, lanes: int) -> None:
    """Ask for ``lanes`` elements that are ``distance`` elements from ``place``.

    Nothing is read, so it does not matter whether there are any.
    """
    of = memory_type(dtype)
    b.declarations.add("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
    there = b.emit(f"getelementptr {of}, ptr {place.name}, i64 {distance.name}")
    for nbytes in range(0, lanes * dtype.itemsize, LINE_NBYTES):
        line = b.emit(f"getelementptr i8, ptr {there}, i64 {nbytes}")
        b.line(f"call void @llvm.prefetch.p0(ptr {line}, i32 0, i32 3, i32 1)")


def ask_for_next_row(
    b: Builder, nest: Nest, strides: list[list[Value]], places: tuple[Value, ...], index: Value
) -> None:
    """Ask for what lies one row on from the vector at ``index`` of a row that starts at ``places``.

    There need not be a next row: nothing is read.
    """
    lanes, b.lanes = b.lanes, 1
    for slot in rows_to_fetch(nest):
        further = b.binary("add", strides[slot][nest.ndim - 2], index)
        ask(b, nest.slots[slot].dtype, places[slot], further, lanes)
    b.lanes = lanes


def ask_further_on(b: Builder, nest: Nest, places: tuple[Value, ...], index: Value) -> None:
    """Ask for what lies further on in rows that are folded, from the vector at ``index`` on.

    Memory guesses that it will be read, but too late: a fold has no results to write meanwhile.
    """
    lanes, b.lanes = b.lanes, 1
    for slot in slots_along(nest, nest.ndim - 1):
        dtype = nest.slots[slot].dtype
        ahead = b.constant("i64", FURTHER_NBYTES // dtype.itemsize)
        ask(b, dtype, places[slot], b.binary("add", index, ahead), lanes)
    b.lanes = lanes
