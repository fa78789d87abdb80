"""Lowering: a nest with its sizes, as the program of one work-item.

Along axes that are not folded, work-items share the indices; the folded ones are loops. Steps run
as far out of the loops as their depth allows, and what a second loop needs again is computed again:
only results of reductions cross from one loop to the next. An accumulator takes the elements in the
order of its loop, one by one; sums and products of floats are accumulated in float64, as on the
CPU, whose order is another one (`onebuf.kernel.Fold`), so that their last bits may differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Any

import numpy as np

from onebuf.dtypes import bool as boolean
from onebuf.dtypes import int64
from onebuf.errors import OptimisationError
from onebuf.graph import BINARY, CAST, Kind
from onebuf.kernel.linear.accumulator import Accumulators, Cells
from onebuf.kernel.linear.builder import Writer
from onebuf.kernel.linear.indexed_load import MOVES, beyond, load, move
from onebuf.kernel.linear.instruction import Code, Given, Global, Linear, Special
from onebuf.kernel.linear.lanes import Lane, Lanes
from onebuf.kernel.linear.opts import (
    GROUP,
    GROUPTOP,
    LOCAL,
    UNROLL,
    UPCAST,
    Axis,
    Limits,
    Opt,
    Part,
    share_out,
)
from onebuf.kernel.nest.nest import (
    FOLDS,
    INDEX,
    LOAD,
    SCALAR,
    SCANS,
    STORE,
    Nest,
    accumulator_dtype,
)
from onebuf.layout import View

DT = np.dtype[Any]


def lower(
    nest: Nest,
    extents: Sequence[int],
    views: Sequence[View],
    scalars: Sequence[np.generic] = (),
    opts: Sequence[Opt] = (),
    limits: Limits | None = None,
) -> Linear:
    """The program of ``nest`` for axes of ``extents``, with each slot reached through its view."""
    if nest.partial:
        raise OptimisationError(
            "lower needs a nest that folds to the end, got one that stores the parts of a fold; "
            "lower the nest that it was made of"
        )
    return _Lowering(nest, extents, views, scalars, opts, limits or Limits()).program()


@dataclass(frozen=True, slots=True)
class Frame:
    """What is known inside some loops."""

    depth: int
    """How many reduce loops are open."""
    known: Cells
    indices: dict[Part, int]
    """The values that the indices of parts have."""
    copy: dict[Part, int]
    """Which copy of an unrolled body this is."""
    alone: frozenset[Part] = frozenset()
    """Parts of which only the first work-item is here."""


class _Lowering:
    def __init__(
        self,
        nest: Nest,
        extents: Sequence[int],
        views: Sequence[View],
        scalars: Sequence[np.generic],
        opts: Sequence[Opt],
        limits: Limits,
    ) -> None:
        self.nest = nest
        self.views = views
        self.scalars = scalars
        self.shape = share_out(nest, extents, opts, limits)
        self.loops = [axis for axis in self.shape.axes if axis.is_reduce]
        self.lanes = Lanes(nest, views, self.shape.parts(UPCAST))
        self.w = Writer()
        self.limits = limits
        self.running: Cells = {}
        """The cells of running results, while the loop along them is open."""

    def _depth(self, number: int) -> int:
        """How many reduce loops a step is inside."""
        return sum(axis.number < self.nest.depths[number] for axis in self.loops)

    # -- the program -------------------------------------------------------------------------------

    def program(self) -> Linear:
        """All of it."""
        nest, w = self.nest, self.w
        positions = {step.arg for step in nest.steps if step.op is INDEX}
        more = beyond(nest, self.scalars)
        self.globals = {
            number: w.emit(
                Code.DEFINE_GLOBAL,
                (),
                slot.dtype,
                Global(
                    number, *_span(self.views[number], more.get(number)), number in nest.written
                ),
            )
            for number, slot in enumerate(nest.slots)
            if number not in positions
        }
        rests = [axis.rest for axis in self.shape.axes if not axis.is_reduce]
        shared = [*self.shape.parts(LOCAL), *self.shape.parts(GROUP, GROUPTOP)]
        indices = self._specials("gidx", rests) | self._specials("lidx", shared)
        self.folds = Accumulators(nest, self.shape, self.lanes, w, indices)
        stores = [number for number, step in enumerate(nest.steps) if step.op is STORE]
        self._level(Frame(0, {}, indices, {}), stores)
        return w.program()

    def _specials(self, name: str, parts: Sequence[Part]) -> dict[Part, int]:
        """The index of each part; the outermost share one where the device has too few."""
        parts = [part for part in parts if part.extent != 1]
        most = self.limits.dimensions
        cut = max(0, len(parts) - most + 1) if len(parts) > most else 0
        first, rest = parts[:cut], parts[cut:]
        together = [prod([part.extent for part in first])] if first else []
        extents = [*together, *(part.extent for part in rest)]
        values = [
            self.w.emit(Code.SPECIAL, (), int64, Special(f"{name}{n}", extent))
            for n, extent in enumerate(extents)
        ]
        found = dict(zip(rest, values[len(together) :], strict=True))
        inner = 1
        for part in reversed(first):
            found[part] = self._digit(values[0], inner, part.extent)
            inner *= part.extent
        return found

    def _digit(self, value: int, inner: int, extent: int) -> int:
        w = self.w
        if inner != 1:
            value = w.alu(BINARY["floor_divide"], value, w.number(inner), dtype=int64)
        return w.alu(BINARY["remainder"], value, w.number(max(1, extent)), dtype=int64)

    def _level(self, frame: Frame, sinks: list[int]) -> None:
        """Everything that ``sinks`` need inside the loops of ``frame``, whose values it adds."""
        needed = self._closure(sinks, frame.known)
        steps, depth = self.nest.steps, frame.depth
        turn_of: dict[int, int] = {}
        for number in needed:
            ready = max((turn_of.get(arg, 0) for arg in steps[number].args), default=0)
            folds = steps[number].op in FOLDS and self._depth(number) == depth
            turn_of[number] = ready + folds
        turns = range(max(turn_of.values(), default=0) + 1)
        here = [n for n in needed if self._depth(n) == depth]
        inner = [n for n in sinks if self._depth(n) > depth]
        branch: int | None = None
        for turn in turns:
            for number in here:
                if turn_of[number] == turn and steps[number].op not in FOLDS:
                    self._step(number, frame)
            ending = [n for n in here if turn_of[n] == turn + 1 and steps[n].op in FOLDS]
            stores = [n for n in inner if turn_of[n] == turn]
            if not ending and not stores:
                continue
            axis = self.loops[depth]
            cells = self._loop(frame, axis, ending, stores)
            shared = self.shape.grouped
            if shared is None or shared.axis != axis.number or not ending:
                frame.known.update(self.folds.finish(cells))
                continue
            later = any(turn_of[n] > turn for n in inner) or turn + 1 < turns[-1]
            self.folds.leave(cells)
            branch = self._first_alone(frame, shared)
            totals = self.folds.collect(ending, shared)
            if later or depth:
                frame.known.update(self.folds.broadcast(totals, branch))
                branch = None
            else:
                frame.known.update(self.folds.finish(totals))
                frame = replace(frame, alone=frame.alone | {shared})
        if branch is not None:
            self.w.close(branch)

    def _closure(self, sinks: Iterable[int], known: Cells) -> list[int]:
        """The steps that ``sinks`` need and that are not known yet, in order."""
        needed: set[int] = set()
        todo = list(sinks)
        while todo:
            number = todo.pop()
            if number not in needed and number not in known:
                needed.add(number)
                todo.extend(self.nest.steps[number].args)
        return sorted(needed)

    # -- steps -------------------------------------------------------------------------------------

    def _step(self, number: int, frame: Frame) -> None:
        """One step, in each lane in which it differs."""
        step = self.nest.steps[number]
        if step.op is STORE:
            self._store(number, frame)
            return
        frame.known[number] = {
            lane: self._value(number, frame, lane) for lane in self.lanes.of(number)
        }

    def _value(self, number: int, frame: Frame, lane: Lane) -> int:
        step, w = self.nest.steps[number], self.w
        if step.op is SCALAR:
            return w.pure(Code.CONST, (), step.dtype, Given(step.arg, self.scalars[step.arg]))
        if step.op is INDEX:
            return self._position(step.arg, frame, lane)
        if step.op is LOAD:
            place = self._position(step.arg, frame, lane)
            args = [self._operand(arg, frame, lane) for arg in step.args]
            return load(w, self.globals[step.arg], place, args, step.dtype)
        if step.op in MOVES:
            return move(w, step, [self._operand(arg, frame, lane) for arg in step.args])
        args = [self._operand(arg, frame, lane) for arg in step.args]
        if step.op in SCANS:
            cell = self.running[number][lane]
            self.folds.add(number, cell, args[0])
            running = w.emit(Code.LOAD, (cell,), accumulator_dtype(step))
            return w.cast(running, step.dtype)
        assert step.op.kind is Kind.ELEMENTWISE, step.op
        if step.op is CAST:
            return w.cast(args[0], step.dtype)
        return w.alu(step.op, *args, dtype=step.dtype)

    def _operand(self, number: int, frame: Frame, lane: Lane) -> int:
        return frame.known[number][self.lanes.lane(number, lane)]

    def _position(self, slot: int, frame: Frame, lane: Lane) -> int:
        """Where a slot is here, in one lane."""
        view = self.views[slot]
        constant = view.offset
        terms = []
        lanes = dict(zip(self.lanes.upcast, lane, strict=True))
        for number in sorted(self.lanes.moves(slot)):
            axis = self.shape.axes[number]
            for part in axis.ordered:
                factor = view.stride[number] * part.stride
                if part.extent == 1:
                    continue
                if part.how in (UPCAST, UNROLL):
                    constant += factor * (lanes if part.how is UPCAST else frame.copy)[part]
                else:
                    terms.append((factor, frame.indices[part]))
        return self.w.affine(terms, constant)

    def _store(self, number: int, frame: Frame) -> None:
        """A store, by one work-item where several have the same element."""
        step, w = self.nest.steps[number], self.w
        moves = self.lanes.moves(step.arg)
        others = [
            part
            for part in frame.indices
            if part.axis not in moves and part not in frame.alone and not self._is_loop(part)
        ]
        places = [(lane, self._position(step.arg, frame, lane)) for lane in self.lanes.of(number)]
        branch = self._first_alone(frame, *others) if others else None
        for lane, place in places:
            value = self._operand(step.args[0], frame, lane)
            w.emit(Code.STORE, (self.globals[step.arg], place, value), step.dtype)
        if branch is not None:
            w.close(branch)

    def _is_loop(self, part: Part) -> bool:
        return part.how is None and self.shape.axes[part.axis].is_reduce

    def _first_alone(self, frame: Frame, *parts: Part) -> int:
        """A branch for the work-item whose indices along ``parts`` are 0."""
        w = self.w
        tests = [
            w.alu(BINARY["less"], frame.indices[part], w.number(1), dtype=boolean) for part in parts
        ]
        test = tests[0]
        for other in tests[1:]:
            test = w.alu(BINARY["logical_and"], test, other, dtype=boolean)
        return w.open(Code.IF, (test,))

    # -- folds -------------------------------------------------------------------------------------

    def _loop(self, frame: Frame, axis: Axis, folds: list[int], stores: list[int]) -> Cells:
        """The loop over a reduce axis: the cells that its folds end up in."""
        w, steps = self.w, self.nest.steps
        cells = self.folds.define(folds)
        needed = self._closure([*[steps[fold].args[0] for fold in folds], *stores], frame.known)
        self.running |= self.folds.define([n for n in needed if steps[n].op in SCANS])
        loop: int | None = None
        indices = dict(frame.indices)
        if axis.rest.extent != 1:
            bounds = (w.number(0), w.number(axis.rest.extent))
            loop = w.open(Code.LOOP, bounds, int64, f"ridx{frame.depth}")
            indices[axis.rest] = loop
        unrolled = [part for part in axis.parts if part.how is UNROLL]
        operands = [steps[fold].args[0] for fold in folds]
        for copy in product(*[range(part.extent) for part in reversed(unrolled)]):
            now = frame.copy | dict(zip(reversed(unrolled), copy, strict=True))
            known = dict(frame.known)
            inside = Frame(frame.depth + 1, known, indices, now, frame.alone)
            self._level(inside, [*operands, *stores])
            for fold, operand in zip(folds, operands, strict=True):
                for lane, cell in cells[fold].items():
                    self.folds.add(fold, cell, self._operand(operand, inside, lane))
        if loop is not None:
            w.close(loop)
        return cells


def _span(view: View, more: tuple[int, int] | None) -> tuple[int, int]:
    """The positions that a slot reaches; an axis along which it stays adds nothing, nor takes."""
    if view.mask is not None:
        return view.span
    shape = [extent if step else 1 for extent, step in zip(view.shape, view.stride, strict=True)]
    low, high = View(tuple(shape), view.stride, view.offset).span
    return (low, high) if more is None else (low + more[0], high + more[1])
