"""Heuristics: what is suggested, and that it is legal everywhere."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from random_nests import cases

from onebuf.graph import REDUCE
from onebuf.kernel import LOAD, STORE, Fold, Nest, Slot, Step
from onebuf.kernel.linear import GROUP, UNROLL, UPCAST, Limits, Opt, Traits, split_axes, suggest
from onebuf.layout import View

F = np.dtype("float32")
CPU, GPU = Traits(units=2), Traits(has_vectors=False, units=32)


def folded(shape, axis, columns=False):
    """A copy, or the sum along the last axis, along which elements are neighbours or not."""
    read = View(shape, (1, shape[0]) if columns else (shape[1], 1))
    if axis is None:
        steps = (Step(LOAD, (), F, 0), Step(STORE, (0,), F, 1))
        return Nest(2, (Slot(F, (2, 1)),) * 2, steps), shape, (read, read)
    steps = (
        Step(LOAD, (), F, 0),
        Step(REDUCE["sum"], (0,), F, Fold(axis)),
        Step(STORE, (1,), F, 1),
    )
    slots = (Slot(F, (1, 2) if columns else (2, 1)), Slot(F, (1, 0)))
    return Nest(2, slots, steps), shape, (read, View(shape, (1, 0)))


def test_elementwise_kernels_need_nothing():
    assert suggest(*folded((64, 64), None), CPU) == ()


def test_a_short_fold_is_written_out():
    assert suggest(*folded((1000, 10), 1), CPU) == (Opt(UNROLL, 1, 10),)
    assert suggest(*folded((1000, 10), 1), GPU) == (Opt(UNROLL, 1, 10),)


def test_neighbours_are_folded_by_a_group():
    assert suggest(*folded((1000, 1024), 1), CPU) == (Opt(GROUP, 1, 16), Opt(UNROLL, 1, 4))
    assert suggest(*folded((1000, 1024), 1), GPU)[0] == Opt(GROUP, 1, 256)


def test_few_results_are_folded_by_a_large_group():
    assert suggest(*folded((1, 65536), 1), CPU)[0] == Opt(GROUP, 1, 256)


def test_columns_are_done_several_at_a_time_where_there_are_vectors():
    assert suggest(*folded((4096, 1024), 1, columns=True), CPU) == (Opt(UPCAST, 0, 32),)
    assert all(
        opt.how is not UPCAST for opt in suggest(*folded((4096, 1024), 1, columns=True), GPU)
    )


def test_a_fold_of_folds_is_not_written_out():
    shape = (64, 17)
    steps = (
        Step(LOAD, (), F, 0),
        Step(REDUCE["max"], (0,), F, Fold(1)),
        Step(REDUCE["sum"], (1,), F, Fold(0)),
        Step(STORE, (2,), F, 1),
    )
    nest = Nest(2, (Slot(F, (2, 1)), Slot(F, (0, 0))), steps)
    opts = suggest(nest, shape, (View(shape, (17, 1)), View(shape, (0, 0))), CPU)
    assert all(opt.how is not UNROLL for opt in opts)


def test_a_prime_length_is_left_alone():
    assert suggest(*folded((1000, 1021), 1), CPU) == ()


def test_limits_are_kept():
    small = Traits(Limits(items=8, shared_bytes=100), units=2)
    assert suggest(*folded((1000, 1024), 1), small)[0] == Opt(GROUP, 1, 8)


@given(cases(), st.booleans(), st.integers(1, 64), st.sampled_from([1, 4, 64, 1024]))
def test_whatever_is_suggested_is_legal(case, has_vectors, units, items):
    traits = Traits(Limits(items=items), has_vectors, units)
    opts = suggest(case.nest, case.extents, case.views, traits)
    split_axes(case.nest, case.extents, opts, traits.limits)
