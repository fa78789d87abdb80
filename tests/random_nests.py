"""Random nests, and what they compute according to NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from hypothesis import strategies as st

from onebuf.backends.reference.interpreter import SlotMemory
from onebuf.errors import OptimisationError
from onebuf.graph import BINARY, REDUCE
from onebuf.kernel import FOLDS, INDEX, LOAD, SCALAR, STORE, Fold, Nest, Slot, Step
from onebuf.kernel.linear import How, Opt, split_axes
from onebuf.layout import View

Array = np.ndarray[Any, Any]
OPERATIONS = {"f": ("add", "subtract", "maximum"), "i": ("add", "multiply", "minimum")}
REDUCTIONS = {"f": ("sum", "max", "min"), "i": ("sum", "prod", "max")}


@dataclass(frozen=True)
class Case:
    """A nest with its sizes and its inputs."""

    nest: Nest
    extents: tuple[int, ...]
    views: tuple[View, ...]
    scalars: tuple[np.generic, ...]
    inputs: dict[int, Array]

    def memories(self) -> dict[int, SlotMemory]:
        """Memory for every slot; outputs hold a number that no test expects."""
        found = {n: SlotMemory(array) for n, array in self.inputs.items()}
        for slot in self.nest.written:
            size = self.views[slot].span[1]
            found[slot] = SlotMemory(np.full(size, -12345, self.nest.slots[slot].dtype))
        return found

    def expected(self) -> dict[int, Array]:
        """What the outputs hold afterwards."""
        values: list[Any] = []
        results = {n: memory.flat.copy() for n, memory in self.memories().items()}
        for step in self.nest.steps:
            args = [values[arg] for arg in step.args]
            values.append(self._value(step, args, results))
        return {n: results[n] for n in self.nest.written}

    def _value(self, step: Step, args: list[Array], results: dict[int, Array]) -> Any:
        if step.op is SCALAR:
            return np.full(self.extents, self.scalars[step.arg])
        if step.op in (LOAD, INDEX, STORE):
            positions = self._positions(step.arg)
            if step.op is STORE:
                results[step.arg][positions] = args[0]
                return None
            return positions if step.op is INDEX else self.inputs[step.arg][positions]
        if step.op in FOLDS:
            folded = getattr(np, step.op.name)(args[0], axis=step.arg.axis, keepdims=True)
            return np.broadcast_to(folded, self.extents)
        return getattr(np, step.op.name)(*args)

    def _positions(self, slot: int) -> Array:
        view = self.views[slot]
        found = np.full(self.extents, view.offset)
        for axis, step in enumerate(view.stride):
            ramp = np.arange(self.extents[axis]) * step
            found += ramp.reshape([-1 if a == axis else 1 for a in range(len(self.extents))])
        return found


@st.composite
def cases(draw: Any) -> Case:
    """Nests of up to three axes with loads, operations, folds of any axis, and several stores."""
    extents = tuple(draw(st.lists(st.sampled_from([1, 2, 3, 4, 6, 8]), min_size=1, max_size=3)))
    letter = draw(st.sampled_from("fi"))
    dtype = np.dtype("float64" if letter == "f" else "int64")
    builder = _Builder(extents, dtype)
    for _ in range(draw(st.integers(1, 3))):
        builder.load(draw)
    if letter == "i" and draw(st.booleans()):
        builder.index(draw)
    builder.scalar(draw)
    for _ in range(draw(st.integers(1, 5))):
        number = draw(st.integers(0, len(builder.steps) - 1))
        if draw(st.booleans()) and builder.depth(number):
            name = draw(st.sampled_from(REDUCTIONS[letter]))
            axis = builder.depth(number) - 1
            builder.add(Step(REDUCE[name], (number,), dtype, Fold(axis)))
        else:
            other = draw(st.integers(0, len(builder.steps) - 1))
            name = draw(st.sampled_from(OPERATIONS[letter]))
            builder.add(Step(BINARY[name], (number, other), dtype))
    last = len(builder.steps) - 1
    for number in {last, draw(st.integers(0, last))}:
        builder.store(draw, number)
    return builder.case()


class _Builder:
    def __init__(self, extents: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.extents, self.dtype = extents, dtype
        self.steps: list[Step] = []
        self.axes: list[frozenset[int]] = []
        self.slots: list[Slot] = []
        self.views: list[View] = []
        self.inputs: dict[int, Array] = {}
        self.scalars: list[np.generic] = []

    def add(self, step: Step) -> int:
        axes = frozenset().union(*[self.axes[arg] for arg in step.args])
        if step.op in FOLDS:
            axes -= {step.arg.axis}
        elif step.op in (LOAD, INDEX, STORE):
            axes |= {n for n, one in enumerate(self.slots[step.arg].steps) if one}
        self.steps.append(step)
        self.axes.append(axes)
        return len(self.steps) - 1

    def depth(self, number: int) -> int:
        return Nest(len(self.extents), tuple(self.slots), tuple(self.steps)).depths[number]

    def _slot(self, axes: list[int], backwards: bool = False) -> int:
        """Memory with the given axes, in the order in which they are given."""
        stride, size = [0] * len(self.extents), 1
        for axis in reversed(axes):
            stride[axis] = size
            size *= self.extents[axis]
        offset = size - 1 if backwards else 0
        signed = tuple([-step if backwards else step for step in stride])
        self.views.append(View(self.extents, signed, offset))
        classes = [
            0 if extent == 1 else (step if step in (0, 1, -1) else 2)
            for extent, step in zip(self.extents, signed, strict=True)
        ]
        self.slots.append(Slot(self.dtype, tuple(classes)))
        return len(self.slots) - 1

    def load(self, draw: Any) -> None:
        axes = draw(st.permutations(range(len(self.extents))))
        slot = self._slot(axes[: draw(st.integers(0, len(axes)))], draw(st.booleans()))
        size = prod([self.extents[axis] for axis in axes])
        values = np.random.default_rng(draw(st.integers(0, 9))).integers(-3, 4, size)
        self.inputs[slot] = values.astype(self.dtype)
        self.add(Step(LOAD, (), self.dtype, slot))

    def index(self, draw: Any) -> None:
        self.add(Step(INDEX, (), self.dtype, self._slot(list(range(len(self.extents))))))

    def scalar(self, draw: Any) -> None:
        self.scalars.append(self.dtype.type(draw(st.integers(-2, 2))))
        self.add(Step(SCALAR, (), self.dtype, len(self.scalars) - 1))

    def store(self, draw: Any, number: int) -> None:
        more = draw(st.sets(st.integers(0, len(self.extents) - 1)))
        axes = draw(st.permutations(sorted(self.axes[number] | more)))
        self.add(Step(STORE, (number,), self.dtype, self._slot(list(axes))))

    def case(self) -> Case:
        scalars = tuple([scalar.dtype for scalar in self.scalars])
        nest = Nest(len(self.extents), tuple(self.slots), tuple(self.steps), scalars)
        return Case(nest, self.extents, tuple(self.views), tuple(self.scalars), self.inputs)


def legal(nest: Nest, extents: tuple[int, ...], opts: list[Opt]) -> list[Opt]:
    """The optimisations that may come after ``opts``."""
    shape = split_axes(nest, extents, opts)
    found = []
    for axis in shape.axes:
        left = axis.rest.extent
        for amount in [n for n in range(2, left + 1) if left % n == 0]:
            for how in How:
                opt = Opt(how, axis.number, amount)
                try:
                    split_axes(nest, extents, [*opts, opt])
                except OptimisationError:
                    continue
                found.append(opt)
    return found


@st.composite
def optimised(draw: Any) -> tuple[Case, list[Opt]]:
    """A nest and a legal sequence of optimisations."""
    case = draw(cases())
    opts: list[Opt] = []
    for _ in range(draw(st.integers(0, 5))):
        possible = legal(case.nest, case.extents, opts)
        if not possible:
            break
        opts.append(draw(st.sampled_from(possible)))
    return case, opts
