"""Lowering: a loop nest with its sizes becomes the program of one work-item.

The indices of an axis that is not reduced are divided among the work-items; a reduced axis is a
loop. Each step is computed outside of as many loops as its depth allows. If two loops need a step,
both compute it: only results of reductions cross from one loop to the next. An accumulator takes
the elements in the order of its loop. Sums and products of floats are accumulated in float64 as on
the CPU, but in another order than there (`onebuf.kernel.Fold`), so their last bits may differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

import numpy as np

from onebuf.dtypes import bool as boolean
from onebuf.dtypes import int64
from onebuf.errors import OptimisationError
from onebuf.graph import BINARY, CAST, Kind
from onebuf.kernel.linear.accumulator import Accumulators, Cells
from onebuf.kernel.linear.builder import LinearBuilder
from onebuf.kernel.linear.indexed_load import address_step, beyond, load
from onebuf.kernel.linear.instruction import Code, Given, Global, Linear, Special
from onebuf.kernel.linear.lanes import Lane, Lanes
from onebuf.kernel.linear.opts import (
    GROUP,
    GROUPTOP,
    LOCAL,
    UNROLL,
    UPCAST,
    Axis,
    AxisPart,
    Limits,
    Opt,
    split_axes,
)
from onebuf.kernel.nest.indexed_load import ADDRESSING
from onebuf.kernel.nest.nest import INDEX, LOAD, SCALAR, SCANS, STORE, Nest, accumulator_dtype
from onebuf.layout import View


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
class Scope:
    """The values that are known inside some loops."""

    depth: int
    """The number of reduce loops that are open."""
    known: Cells
    indices: dict[AxisPart, int]
    """The value of the index of each part."""
    copy: dict[AxisPart, int]
    """Which copy of an unrolled body this is."""
    alone: frozenset[AxisPart] = frozenset()
    """Parts along which only the first work-item is active."""


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
        self.split = split_axes(nest, extents, opts, limits)
        self.loops = [axis for axis in self.split.axes if axis.is_reduce]
        self.lanes = Lanes(nest, views, self.split.parts(UPCAST))
        self.b = LinearBuilder()
        self.limits = limits
        self.running: Cells = {}
        """The accumulators of scans, while the loop along them is open."""

    # -- the program -------------------------------------------------------------------------------

    def program(self) -> Linear:
        """The whole program."""
        nest, b = self.nest, self.b
        positions = {step.arg for step in nest.steps if step.op is INDEX}
        more = beyond(nest, self.scalars)
        self.globals = {
            number: b.emit(
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
        rests = [axis.rest for axis in self.split.axes if not axis.is_reduce]
        shared = [*self.split.parts(LOCAL), *self.split.parts(GROUP, GROUPTOP)]
        indices = self._specials("gidx", rests) | self._specials("lidx", shared)
        self.folds = Accumulators(nest, self.split, self.lanes, b, indices)
        stores = [number for number, step in enumerate(nest.steps) if step.op is STORE]
        self._compute(Scope(0, {}, indices, {}), stores)
        return b.program()

    def _specials(self, name: str, parts: Sequence[AxisPart]) -> dict[AxisPart, int]:
        """The index of each part; the outermost parts share one if the device has too few."""
        parts = [part for part in parts if part.extent != 1]
        most = self.limits.dimensions
        cut = max(0, len(parts) - most + 1) if len(parts) > most else 0
        first, rest = parts[:cut], parts[cut:]
        together = [prod([part.extent for part in first])] if first else []
        extents = [*together, *(part.extent for part in rest)]
        values = [
            self.b.emit(Code.SPECIAL, (), int64, Special(f"{name}{n}", extent))
            for n, extent in enumerate(extents)
        ]
        found = dict(zip(rest, values[len(together) :], strict=True))
        inner = 1
        for part in reversed(first):
            found[part] = self._digit(values[0], inner, part.extent)
            inner *= part.extent
        return found

    def _digit(self, value: int, inner: int, extent: int) -> int:
        b = self.b
        if inner != 1:
            value = b.alu(BINARY["floor_divide"], value, b.number(inner), dtype=int64)
        return b.alu(BINARY["remainder"], value, b.number(max(1, extent)), dtype=int64)

    def _compute(self, scope: Scope, sinks: list[int]) -> None:
        """Everything that ``sinks`` need inside the loops of ``scope``, which gets its values."""
        axis = self.loops[scope.depth] if scope.depth < len(self.loops) else None
        end = self.nest.ndim if axis is None else axis.number
        passes = self.nest.passes(sinks, scope.known, end)
        branch: int | None = None
        for number, (steps, folds, stores) in enumerate(passes):
            for step in steps:
                self._step(step, scope)
            if axis is None or not (folds or stores):
                continue
            cells = self._loop(scope, axis, folds, stores)
            shared = self.split.grouped
            if shared is None or shared.axis != axis.number or not folds:
                scope.known.update(self.folds.finish(cells))
                continue
            later = any(other.folds or other.stores for other in passes[number + 1 :])
            self.folds.leave(cells)
            branch = self._first_alone(scope, shared)
            totals = self.folds.collect(folds, shared)
            if later or scope.depth:
                scope.known.update(self.folds.broadcast(totals, branch))
                branch = None
            else:
                scope.known.update(self.folds.finish(totals))
                scope = replace(scope, alone=scope.alone | {shared})
        if branch is not None:
            self.b.close(branch)

    # -- steps -------------------------------------------------------------------------------------

    def _step(self, number: int, scope: Scope) -> None:
        """One step, once for each lane in which it differs."""
        step = self.nest.steps[number]
        if step.op is STORE:
            self._store(number, scope)
            return
        scope.known[number] = {
            lane: self._value(number, scope, lane) for lane in self.lanes.of(number)
        }

    def _value(self, number: int, scope: Scope, lane: Lane) -> int:
        step, b = self.nest.steps[number], self.b
        if step.op is SCALAR:
            return b.pure(Code.CONST, (), step.dtype, Given(step.arg, self.scalars[step.arg]))
        if step.op is INDEX:
            return self._position(step.arg, scope, lane)
        if step.op is LOAD:
            place = self._position(step.arg, scope, lane)
            args = [self._operand(arg, scope, lane) for arg in step.args]
            return load(b, self.globals[step.arg], place, args, step.dtype)
        if step.op in ADDRESSING:
            return address_step(b, step, [self._operand(arg, scope, lane) for arg in step.args])
        args = [self._operand(arg, scope, lane) for arg in step.args]
        if step.op in SCANS:
            cell = self.running[number][lane]
            self.folds.add(number, cell, args[0])
            running = b.emit(Code.LOAD, (cell,), accumulator_dtype(step))
            return b.cast(running, step.dtype)
        assert step.op.kind is Kind.ELEMENTWISE, step.op
        if step.op is CAST:
            return b.cast(args[0], step.dtype)
        return b.alu(step.op, *args, dtype=step.dtype)

    def _operand(self, number: int, scope: Scope, lane: Lane) -> int:
        return scope.known[number][self.lanes.lane(number, lane)]

    def _position(self, slot: int, scope: Scope, lane: Lane) -> int:
        """The position of a slot's element in one lane."""
        view = self.views[slot]
        constant = view.offset
        terms = []
        lanes = dict(zip(self.lanes.upcast, lane, strict=True))
        for number in sorted(self.lanes.moves(slot)):
            axis = self.split.axes[number]
            for part in axis.ordered:
                factor = view.stride[number] * part.stride
                if part.extent == 1:
                    continue
                if part.how in (UPCAST, UNROLL):
                    constant += factor * (lanes if part.how is UPCAST else scope.copy)[part]
                else:
                    terms.append((factor, scope.indices[part]))
        return self.b.affine(terms, constant)

    def _store(self, number: int, scope: Scope) -> None:
        """A store; where several work-items have the same element, only the first one stores."""
        step, b = self.nest.steps[number], self.b
        moves = self.lanes.moves(step.arg)
        others = [
            part
            for part in scope.indices
            if part.axis not in moves and part not in scope.alone and not self._is_loop(part)
        ]
        places = [(lane, self._position(step.arg, scope, lane)) for lane in self.lanes.of(number)]
        branch = self._first_alone(scope, *others) if others else None
        for lane, place in places:
            value = self._operand(step.args[0], scope, lane)
            b.emit(Code.STORE, (self.globals[step.arg], place, value), step.dtype)
        if branch is not None:
            b.close(branch)

    def _is_loop(self, part: AxisPart) -> bool:
        return part.how is None and self.split.axes[part.axis].is_reduce

    def _first_alone(self, scope: Scope, *parts: AxisPart) -> int:
        """A branch for the work-item whose indices along ``parts`` are 0."""
        b = self.b
        tests = [
            b.alu(BINARY["less"], scope.indices[part], b.number(1), dtype=boolean) for part in parts
        ]
        test = tests[0]
        for other in tests[1:]:
            test = b.alu(BINARY["logical_and"], test, other, dtype=boolean)
        return b.open(Code.IF, (test,))

    # -- folds -------------------------------------------------------------------------------------

    def _loop(self, scope: Scope, axis: Axis, folds: list[int], stores: list[int]) -> Cells:
        """The loop over a reduce axis; the accumulators of its folds."""
        b, steps = self.b, self.nest.steps
        cells = self.folds.define(folds)
        needed = self.nest.closure([*[steps[fold].args[0] for fold in folds], *stores], scope.known)
        self.running |= self.folds.define([n for n in needed if steps[n].op in SCANS])
        loop: int | None = None
        indices = dict(scope.indices)
        if axis.rest.extent != 1:
            bounds = (b.number(0), b.number(axis.rest.extent))
            loop = b.open(Code.LOOP, bounds, int64, f"ridx{scope.depth}")
            indices[axis.rest] = loop
        unrolled = [part for part in axis.parts if part.how is UNROLL]
        operands = [steps[fold].args[0] for fold in folds]
        for copy in product(*[range(part.extent) for part in reversed(unrolled)]):
            now = scope.copy | dict(zip(reversed(unrolled), copy, strict=True))
            known = dict(scope.known)
            inside = Scope(scope.depth + 1, known, indices, now, scope.alone)
            self._compute(inside, [*operands, *stores])
            for fold, operand in zip(folds, operands, strict=True):
                for lane, cell in cells[fold].items():
                    self.folds.add(fold, cell, self._operand(operand, inside, lane))
        if loop is not None:
            b.close(loop)
        return cells


def _span(view: View, more: tuple[int, int] | None) -> tuple[int, int]:
    """The range of positions of a slot; an axis of stride 0 counts as one element."""
    if view.mask is not None:
        return view.span
    shape = [extent if step else 1 for extent, step in zip(view.shape, view.stride, strict=True)]
    low, high = View(tuple(shape), view.stride, view.offset).span
    return (low, high) if more is None else (low + more[0], high + more[1])
