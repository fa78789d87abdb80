"""Optimised kernels on the device compute what the reference does, in whatever order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from opencl_running import DEVICE, driver, launched
from random_nests import optimised

import onebuf
from onebuf import Buffer, config
from onebuf.backends.opencl.launch import SplitLaunch
from onebuf.backends.reference.interpreter import SlotMemory, execute
from onebuf.graph import REDUCE
from onebuf.kernel import LOAD, STORE, Fold, Nest, Slot, Step
from onebuf.kernel.linear import GROUP, UNROLL, Opt, lower, verify
from onebuf.layout import View
from onebuf.scheduler.fuse.fusion import group

F = np.dtype("float32")


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(optimised())
def test_legal_optimisations_change_no_result(drawn):
    case, opts = drawn
    memory = {n: one.flat for n, one in case.memories().items()}
    found = launched(case.nest, case.extents, case.views, case.scalars, memory, opts)
    for slot, expected in case.expected().items():
        np.testing.assert_array_equal(found[slot], expected)


@pytest.mark.parametrize("opts", [None, (), (Opt(GROUP, 1, 8), Opt(UNROLL, 1, 4))])
def test_a_fold_is_the_reference_to_the_bit_if_the_order_is(opts):
    shape = (5, 64)
    slots = (Slot(F, (2, 1)), Slot(F, (1, 0)))
    steps = (
        Step(LOAD, (), F, 0),
        Step(REDUCE["sum"], (0,), F, Fold(1)),
        Step(STORE, (1,), F, 1),
    )
    nest, views = Nest(2, slots, steps), (View.contiguous(shape), View(shape, (1, 0)))
    x = np.random.default_rng(0).standard_normal(320).astype(F)
    found = launched(nest, shape, views, (), {0: x, 1: np.zeros(5, F)}, opts)[1]
    memories = {0: SlotMemory(x), 1: SlotMemory(np.zeros(5, F))}
    execute(verify(lower(nest, shape, views, (), opts or ())), memories)
    if opts is None:
        np.testing.assert_allclose(found, memories[1].flat, rtol=1e-6)
    else:
        assert found.tobytes() == memories[1].flat.tobytes()


@pytest.mark.parametrize("size", [8191, 100_003, 1 << 18])
def test_a_long_fold_is_split(size):
    x = np.random.default_rng(0).standard_normal(size).astype(F)
    with config(eager_numel=0):
        on_device = Buffer(x).to_device(DEVICE)
        total = (on_device * 2).sum() + 1
        (found,) = group([total._node], driver().supports)
        is_split = isinstance(driver().prepare(found), SplitLaunch)
    assert is_split == (size > 8192)
    expected = (x * F.type(2)).astype(np.float64).sum() + 1
    np.testing.assert_allclose(float(total.to_device("CPU")), expected, rtol=1e-5)
    assert float(on_device.max().to_device("CPU")) == x.max()


@pytest.mark.parametrize("shape", [(7,), (251,), (257,), (3, 300), (300, 3), (17, 33, 5)])
def test_sizes_that_groups_do_not_divide(shape):
    x = np.arange(np.prod(shape), dtype=F).reshape(shape)
    on_device = Buffer(x).to_device(DEVICE)
    turned = on_device.permute(*range(x.ndim)[::-1]) if x.ndim > 1 else on_device
    found = np.asarray((turned * 3 + 1).to_device("CPU"))
    np.testing.assert_array_equal(found, x.T * 3 + 1)


def test_a_softmax_is_one_kernel_whose_rows_are_shared():
    x = np.random.default_rng(0).standard_normal((6, 128)).astype(F)
    b = Buffer(x).to_device(DEVICE)
    with config(eager_numel=0):
        e = onebuf.exp(b - b.max(axis=1, keepdims=True))
        soft = e / e.sum(axis=1, keepdims=True)
        found = group([soft._node], driver().supports)
        assert len(found) == 1
        assert Opt(GROUP, 1, 16) in driver().prepare(found[0]).opts
    expected = np.exp(x - x.max(1, keepdims=True))
    expected /= expected.sum(1, keepdims=True)
    np.testing.assert_allclose(np.asarray(soft.to_device("CPU")), expected, rtol=1e-5)
