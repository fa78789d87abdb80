"""Optimisations: the index formulas of the document, what is refused, that no result changes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from random_nests import Case, cases, optimised

from onebuf.backends.reference.interpreter import SlotMemory, execute
from onebuf.errors import OnebufError, OptimisationError
from onebuf.graph import BINARY, REDUCE, UNARY
from onebuf.kernel import LOAD, STORE, Fold, Nest, Slot, Step
from onebuf.kernel.linear import (
    GROUP,
    GROUPTOP,
    LOCAL,
    UNROLL,
    UPCAST,
    Code,
    Limits,
    Opt,
    lower,
    verify,
)
from onebuf.layout import View

F = np.dtype("float32")


def added() -> Case:
    """(4, 4) + (4, 4), which is one axis of 16."""
    slots = (Slot(F, (1,)),) * 3
    steps = (
        Step(LOAD, (), F, 0),
        Step(LOAD, (), F, 1),
        Step(BINARY["add"], (0, 1), F),
        Step(STORE, (2,), F, 2),
    )
    view = View.contiguous((16,))
    inputs = {0: np.arange(16, dtype=F), 1: np.full(16, 100, F)}
    return Case(Nest(1, slots, steps), (16,), (view,) * 3, (), inputs)


def summed(columns: int = 4) -> Case:
    """The sum of each row of (4, columns)."""
    slots = (Slot(F, (2, 1)), Slot(F, (1, 0)))
    steps = (
        Step(LOAD, (), F, 0),
        Step(REDUCE["sum"], (0,), F, Fold(1)),
        Step(STORE, (1,), F, 1),
    )
    shape = (4, columns)
    views = (View.contiguous(shape), View(shape, (1, 0)))
    inputs = {0: np.arange(4 * columns, dtype=F)}
    return Case(Nest(2, slots, steps), shape, views, (), inputs)


def shared(columns: int = 4) -> Case:
    """The exponential of each row over its sum: a fold whose result the whole row needs."""
    slots = (Slot(F, (2, 1)), Slot(F, (2, 1)))
    steps = (
        Step(LOAD, (), F, 0),
        Step(UNARY["negative"], (0,), F),
        Step(REDUCE["sum"], (1,), F, Fold(1)),
        Step(BINARY["subtract"], (1, 2), F),
        Step(STORE, (3,), F, 1),
    )
    shape = (4, columns)
    inputs = {0: np.arange(4 * columns, dtype=F)}
    return Case(Nest(2, slots, steps), shape, (View.contiguous(shape),) * 2, (), inputs)


def program(case: Case, *opts: Opt, limits: Limits | None = None):
    return verify(lower(case.nest, case.extents, case.views, case.scalars, opts, limits))


def result(case: Case, *opts: Opt):
    memories = case.memories()
    execute(program(case, *opts), memories)
    return {slot: memories[slot].flat for slot in case.nest.written}


def formulas(linear, code: Code = Code.LOAD) -> list[str]:
    """The positions that are loaded from, or stored to, in global memory."""
    lines = linear.instructions
    return [
        linear.formula(line.args[1])
        for line in lines
        if line.code is code and lines[line.args[0]].code is Code.DEFINE_GLOBAL
    ]


def codes(linear) -> list[Code]:
    return [line.code for line in linear.instructions]


# The document's examples


def test_without_optimisations_each_element_is_an_instance():
    linear = program(added())
    assert (linear.instances, linear.groups, linear.items) == (16, 16, 1)
    assert formulas(linear) == ["gidx0", "gidx0"]


def test_upcast_does_eight_neighbours_in_one_instance():
    linear = program(added(), Opt(UPCAST, 0, 8))
    assert linear.instances == 2
    lanes = ["gidx0*8", *(f"gidx0*8 + {lane}" for lane in range(1, 8))]
    assert formulas(linear) == lanes * 2
    assert formulas(linear, Code.STORE) == lanes


def test_local_makes_four_groups_of_four():
    linear = program(added(), Opt(LOCAL, 0, 4))
    assert (linear.groups, linear.items, linear.instances) == (4, 4, 16)
    assert formulas(linear) == ["gidx0*4 + lidx0"] * 2


def test_unroll_by_the_whole_extent_removes_the_loop():
    assert Code.LOOP in codes(program(summed()))
    linear = program(summed(), Opt(UNROLL, 1, 4))
    assert Code.LOOP not in codes(linear)
    assert formulas(linear) == ["gidx0*4", *(f"gidx0*4 + {n}" for n in (1, 2, 3))]


def test_unroll_by_a_part_leaves_a_shorter_loop():
    linear = program(summed(), Opt(UNROLL, 1, 2))
    (loop,) = [line for line in linear.instructions if line.code is Code.LOOP]
    assert linear.formula(loop.args[1]) == "2"
    assert formulas(linear) == ["gidx0*4 + ridx0*2", "gidx0*4 + ridx0*2 + 1"]


def test_group_takes_turns_and_grouptop_takes_runs():
    assert formulas(program(summed(), Opt(GROUP, 1, 2))) == ["gidx0*4 + lidx0 + ridx0*2"]
    assert formulas(program(summed(), Opt(GROUPTOP, 1, 2))) == ["gidx0*4 + lidx0*2 + ridx0"]


@pytest.mark.parametrize("how", [GROUP, GROUPTOP])
def test_a_shared_fold_is_parts_a_barrier_and_one_item_that_sums_up(how):
    linear = program(summed(), Opt(how, 1, 2))
    found = codes(linear)
    assert (linear.groups, linear.items) == (4, 2)
    assert found.count(Code.DEFINE_LOCAL) == found.count(Code.BARRIER) == found.count(Code.IF) == 1
    assert linear.shared_bytes == 16
    barrier, branch = found.index(Code.BARRIER), found.index(Code.IF)
    assert barrier < branch < len(found) - 1 - found[::-1].index(Code.STORE)
    less, one = (linear.instructions[n] for n in (linear.instructions[branch].args[0], 0))
    assert (less.arg, linear.formula(less.args[0]), linear.formula(less.args[1])) == (
        BINARY["less"],
        "lidx0",
        "1",
    )
    assert one.code is Code.DEFINE_GLOBAL
    assert result(summed(), Opt(how, 1, 2))[1].tolist() == [6, 22, 38, 54]


def test_a_total_that_all_items_need_comes_back_through_shared_memory():
    linear = program(shared(), Opt(GROUP, 1, 2))
    assert codes(linear).count(Code.BARRIER) == 2
    assert codes(linear).count(Code.DEFINE_LOCAL) == 2
    expected = shared().expected()[1].tolist()
    assert result(shared(), Opt(GROUP, 1, 2))[1].tolist() == expected


def test_work_items_find_such_a_total_by_all_of_their_indices():
    opts = [Opt(GROUP, 1, 2), Opt(LOCAL, 0, 2), Opt(LOCAL, 0, 2)]
    assert result(shared(), *opts)[1].tolist() == shared().expected()[1].tolist()


def nested() -> Case:
    """The largest negative sum of the rows of (4, 6), and each of them less that."""
    slots = (Slot(F, (2, 1)), Slot(F, (0, 0)), Slot(F, (1, 0)))
    steps = (
        Step(LOAD, (), F, 0),
        Step(REDUCE["sum"], (0,), F, Fold(1)),
        Step(UNARY["negative"], (1,), F),
        Step(REDUCE["max"], (2,), F, Fold(0)),
        Step(STORE, (3,), F, 1),
        Step(BINARY["subtract"], (2, 3), F),
        Step(STORE, (5,), F, 2),
    )
    shape = (4, 6)
    views = (View.contiguous(shape), View(shape, (0, 0)), View(shape, (1, 0)))
    inputs = {0: np.arange(24, dtype=F)}
    return Case(Nest(2, slots, steps), shape, views, (), inputs)


@pytest.mark.parametrize(
    "opts",
    [
        [],
        [Opt(GROUP, 1, 2)],
        [Opt(GROUPTOP, 1, 3), Opt(UNROLL, 0, 2)],
        [Opt(UNROLL, 0, 4), Opt(GROUP, 1, 6)],
        [Opt(GROUP, 0, 2), Opt(UNROLL, 1, 3)],
        [Opt(GROUPTOP, 0, 4)],
    ],
)
def test_either_of_two_nested_folds_can_be_shared(opts):
    expected = nested().expected()
    assert expected[1].tolist() == [-15]
    found = result(nested(), *opts)
    for slot in (1, 2):
        assert found[slot].tolist() == expected[slot].tolist()


# Order


def test_each_optimisation_splits_what_the_ones_before_left():
    upcast_first = program(added(), Opt(UPCAST, 0, 4), Opt(LOCAL, 0, 2))
    assert formulas(upcast_first)[1] == "gidx0*8 + lidx0*4 + 1"
    local_first = program(added(), Opt(LOCAL, 0, 2), Opt(UPCAST, 0, 4))
    assert formulas(local_first)[1] == "gidx0*8 + lidx0 + 2"


def test_unrolling_keeps_the_order_of_a_sum():
    case = summed(8)
    case.inputs[0][:] = np.random.default_rng(0).standard_normal(32)
    plain = result(case)[1].tobytes()
    assert result(case, Opt(UNROLL, 1, 4))[1].tobytes() == plain
    assert result(case, Opt(UNROLL, 1, 2), Opt(UNROLL, 1, 4))[1].tobytes() == plain


# What is refused


@pytest.mark.parametrize(
    "case, opts, needed",
    [
        (added(), [Opt(UPCAST, 0, 5)], "divides 16"),
        (added(), [Opt(UPCAST, 0, 1)], "at least 2"),
        (added(), [Opt(UPCAST, 0, 32)], "divides 16"),
        (added(), [Opt(UPCAST, 0, -2)], "at least 2"),
        (added(), [Opt(LOCAL, 0, 8), Opt(LOCAL, 0, 4)], "divides 2"),
        (added(), [Opt(UPCAST, 0, 16), Opt(LOCAL, 0, 2)], "nothing left"),
        (added(), [Opt(UPCAST, 1, 2)], "an axis of the nest"),
        (added(), [Opt(UPCAST, -1, 2)], "an axis of the nest"),
        (added(), [Opt(UNROLL, 0, 2)], "a reduce axis"),
        (added(), [Opt(GROUP, 0, 2)], "a reduce axis"),
        (added(), [Opt(GROUPTOP, 0, 2)], "a reduce axis"),
        (summed(), [Opt(UPCAST, 1, 2)], "an axis that is not folded"),
        (summed(), [Opt(LOCAL, 1, 2)], "an axis that is not folded"),
        (summed(), [Opt(UNROLL, 0, 2)], "a reduce axis"),
        (summed(), [Opt(UNROLL, 1, 3)], "divides 4"),
        (summed(), [Opt(GROUP, 1, 3)], "divides 4"),
        (summed(), [Opt(GROUP, 1, 2), Opt(GROUPTOP, 1, 2)], "not shared among work-items yet"),
    ],
)
def test_an_optimisation_that_does_not_fit_says_what_it_needs(case, opts, needed):
    with pytest.raises(OptimisationError, match=needed) as raised:
        program(case, *opts)
    assert isinstance(raised.value, OnebufError)
    assert isinstance(raised.value, ValueError)
    assert repr(opts[-1]) in str(raised.value)


@pytest.mark.parametrize(
    "limits, opts, what",
    [
        (Limits(items=4), [Opt(LOCAL, 0, 2), Opt(LOCAL, 0, 2), Opt(GROUP, 1, 2)], "work-items"),
        (Limits(copies=4), [Opt(UPCAST, 0, 4), Opt(UNROLL, 1, 2)], "copies of a step"),
        (Limits(shared_bytes=8), [Opt(GROUP, 1, 2)], "bytes of shared memory"),
    ],
)
def test_a_device_has_limits(limits, opts, what):
    with pytest.raises(OptimisationError, match=what) as raised:
        program(summed(), *opts, limits=limits)
    assert repr(opts[-1]) in str(raised.value)
    program(summed(), *opts[:-1], limits=limits)


def test_shared_memory_stays_within_what_the_limit_counts():
    opts = [Opt(GROUP, 1, 4), Opt(LOCAL, 0, 2), Opt(UPCAST, 0, 2)]
    needed = program(shared(), *opts).shared_bytes
    assert needed == (8 + 2) * 2 * 8
    program(shared(), *opts, limits=Limits(shared_bytes=needed))
    with pytest.raises(OptimisationError):
        program(shared(), *opts, limits=Limits(shared_bytes=needed - 1))


def test_a_part_of_a_fold_has_no_linear_form():
    case = summed()
    partial = Nest(2, case.nest.slots, case.nest.steps, (), partial=True)
    with pytest.raises(OptimisationError, match="folds to the end"):
        lower(partial, case.extents, case.views)


def test_more_axes_than_a_device_has_share_an_index():
    shape = (2, 3, 2, 3, 2)
    view = View.contiguous(shape)
    flipped = View(shape, tuple([-step for step in view.stride]), 71)
    slots = (Slot(F, (2, 2, 2, 2, 1)),) * 2
    nest = Nest(5, slots, (Step(LOAD, (), F, 0), Step(STORE, (0,), F, 1)))
    case = Case(nest, shape, (view, flipped), (), {0: np.arange(72, dtype=F)})
    linear = program(case, limits=Limits(dimensions=2))
    assert [str(special) for special in linear.specials] == ["gidx0[0:36]", "gidx1[0:2]"]
    memories = case.memories()
    execute(linear, memories)
    assert memories[1].flat.tolist() == list(range(72))[::-1]


# No result changes


def test_nothing_to_fold_is_what_a_fold_starts_with():
    case = summed(0)
    memories = {0: SlotMemory(np.empty(0, F)), 1: SlotMemory(np.full(4, 9, F))}
    execute(program(case), memories)
    assert memories[1].flat.tolist() == [0, 0, 0, 0]


@given(cases())
def test_a_program_computes_what_its_nest_says(case):
    for slot, expected in case.expected().items():
        np.testing.assert_array_equal(result(case)[slot], expected)


@settings(max_examples=150)
@given(optimised())
def test_no_legal_sequence_of_optimisations_changes_a_result(drawn):
    case, opts = drawn
    found = result(case, *opts)
    for slot, expected in case.expected().items():
        np.testing.assert_array_equal(found[slot], expected)


def test_a_shared_total_is_read_where_the_work_item_is_known_again():
    real = np.dtype("float64")
    steps = (
        Step(LOAD, (), real, 0),
        Step(REDUCE["sum"], (0,), real, Fold(0)),
        Step(STORE, (0,), real, 1),
        Step(STORE, (1,), real, 2),
    )
    nest = Nest(3, (Slot(real, (1, 0, 0)),) * 3, steps)
    opts = [Opt(GROUP, 0, 2), Opt(LOCAL, 1, 2), Opt(LOCAL, 2, 2)]
    program = verify(lower(nest, (2, 2, 2), [View((2, 2, 2), (1, 0, 0))] * 3, (), opts))
    memories = {n: SlotMemory(np.array([2.0, 1.0]) * (n == 0)) for n in range(3)}
    execute(program, memories)
    assert [memories[n].flat.tolist() for n in (1, 2)] == [[2, 1], [3, 3]]
