"""Long folds in stages: the stages compute what the whole kernel does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onebuf.backends.reference.interpreter import SlotMemory, execute
from onebuf.graph import BINARY, REDUCE, SCAN
from onebuf.kernel import INDEX, LOAD, SCALAR, STORE, Fold, Nest, Slot, Step
from onebuf.kernel.linear import lower, split, verify
from onebuf.layout import View

F, N = np.dtype("float32"), np.dtype("int64")


def ran(nest, extents, views, scalars, memory, parts, multiple):
    """What is in all slots after the stages, and how many there were."""
    stages = split(nest, extents, views, parts, multiple)
    assert stages is not None
    between = [SlotMemory(np.full(nbytes, 0xA5, np.uint8)) for nbytes in stages.nbytes]
    memories = {n: SlotMemory(array.copy()) for n, array in memory.items()}
    for stage in stages.stages:
        rest = iter(between)
        own = {
            n: SlotMemory(next(rest).flat.view(slot.dtype)) if at is None else memories.get(at)
            for n, (slot, at) in enumerate(zip(stage.nest.slots, stage.slots, strict=True))
        }
        program = verify(lower(stage.nest, stage.extents, stage.views, scalars))
        execute(program, own, scalars)
    return {n: one.flat for n, one in memories.items()}, len(stages.stages)


@given(
    st.sampled_from(["sum", "max", "prod"]),
    st.integers(1, 3),
    st.integers(1, 40),
    st.integers(1, 5),
    st.integers(1, 3),
)
def test_stages_compute_what_the_whole_does(name, rows, columns, parts, multiple):
    slots = (Slot(F, (2, 1)), Slot(F, (1, 0)), Slot(F, (1, 0)))
    steps = (
        Step(LOAD, (), F, 0),
        Step(SCALAR, (), F, 0),
        Step(BINARY["multiply"], (0, 1), F),
        Step(REDUCE[name], (2,), F, Fold(1)),
        Step(LOAD, (), F, 1),
        Step(BINARY["add"], (3, 4), F),
        Step(STORE, (5,), F, 2),
    )
    shape = (rows, columns)
    views = (View.contiguous(shape), View(shape, (1, 0)), View(shape, (1, 0)))
    nest = Nest(2, slots, steps, (F,))
    x = np.random.default_rng(columns).integers(-2, 3, shape).astype(F)
    memory = {0: x.ravel(), 1: np.arange(rows, dtype=F), 2: np.zeros(rows, F)}
    scalars = (F.type(2),)
    if columns // parts // multiple == 0:
        assert split(nest, shape, views, parts, multiple) is None
        return
    found, stages = ran(nest, shape, views, scalars, memory, parts, multiple)
    whole = columns % (parts * multiple) == 0
    assert stages == (2 if whole else 3)
    expected = getattr(np, name)(x * 2, axis=1) + np.arange(rows)
    np.testing.assert_array_equal(found[2], expected)


def test_positions_go_on_from_part_to_part():
    slots = (Slot(N, (1,)), Slot(N, (0,)))
    steps = (
        Step(INDEX, (), N, 0),
        Step(REDUCE["max"], (0,), N, Fold(0)),
        Step(STORE, (1,), N, 1),
    )
    views = (View.contiguous((23,)), View((23,), (0,)))
    found, _ = ran(Nest(1, slots, steps), (23,), views, (), {1: np.zeros(1, N)}, 4, 2)
    assert found[1].tolist() == [22]


def cases():
    load, fold = Step(LOAD, (), F, 0), Step(REDUCE["sum"], (0,), F, Fold(0))
    yield "nothing is folded", (load, Step(STORE, (0,), F, 1))
    running = Step(SCAN["sum"], (0,), F, Fold(0, True))
    yield "results run along the axis", (load, running, Step(STORE, (1,), F, 1))
    again = Step(BINARY["subtract"], (0, 1), F)
    yield "all elements need the total", (load, fold, again, Step(STORE, (2,), F, 1))
    second = Step(REDUCE["max"], (2,), F, Fold(0))
    yield "a second fold needs the first", (load, fold, again, second, Step(STORE, (3,), F, 2))


@pytest.mark.parametrize("why, steps", list(cases()))
def test_other_forms_are_left_alone(why, steps):
    slots = (Slot(F, (1,)), Slot(F, (1,)), Slot(F, (0,)))
    views = (View.contiguous((64,)),) * 2 + (View((64,), (0,)),)
    assert split(Nest(1, slots, steps), (64,), views, 4, 2) is None, why
