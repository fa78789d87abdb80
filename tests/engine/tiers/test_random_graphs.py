"""Random expressions: NumPy's answer in every tier, and on the reference backend."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_expressions import Expression, assert_same_bits, expressions
from random_graphs import assert_equal, graphs
from random_nests import legal

import onebuf
from onebuf import config
from onebuf.backends.reference import interpreter
from onebuf.engine.cpu.supports import supports
from onebuf.engine.plan.build import make_plan
from onebuf.graph import engine_lock, settle
from onebuf.kernel.linear import Opt
from onebuf.scheduler.fuse.concat import ConcatKernel
from onebuf.scheduler.fuse.fusion import group
from onebuf.scheduler.fuse.group import Group

FLOATS = (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)
COMPLEX = (np.complex64, np.complex128, np.float32, ml_dtypes.bfloat16)


def run_alone(item: Any) -> None:
    """Run one item of a schedule, whose operands are in memory."""
    nodes = [*item.inputs, *item.outputs, *getattr(item, "asked", ())]
    plan = make_plan([item], nodes)
    plan.run(plan.nodes_of(nodes), engine_lock.begin())


SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


@pytest.mark.parametrize("tier", ["compile", "interpret"])
def test_any_graph_gives_numpys_answer(tier):
    @settings(max_examples=150, suppress_health_check=SLOW)
    @given(st.data())
    def check(data: Any) -> None:
        with config(eager_numel=0, tier=tier):
            wanted = data.draw(graphs())
            onebuf.realize(*[pair.lazy for pair in wanted])
            for pair in wanted:
                pair.check()

    check()


@settings(max_examples=100, suppress_health_check=SLOW)
@given(st.data())
def test_every_kernel_gives_the_reference_backends_answer(data):
    with config(eager_numel=0, tier="compile"):
        wanted = data.draw(graphs())
        for item in group([pair.lazy._node for pair in wanted], supports):
            outputs = [np.zeros(node.shape, node.dtype) for node in item.outputs]
            parts = item.parts if isinstance(item, ConcatKernel) else (item,)
            for part in parts:
                if isinstance(part, Group):
                    opts: list[Opt] = []
                    for _ in range(data.draw(st.integers(0, 2))):
                        possible = legal(part.nest, part.extents, opts)
                        opts += [data.draw(st.sampled_from(possible))] if possible else []
                    interpreter.run(part, outputs, opts)
            run_alone(item)
            if isinstance(item, Group | ConcatKernel):
                for node, output in zip(item.outputs, outputs, strict=True):
                    stored = settle(node)
                    assert stored is not None
                    assert_equal(output, stored, 2e-4)
        for pair in wanted:
            pair.check()


@pytest.mark.parametrize("dtypes", [FLOATS, COMPLEX], ids=["floats", "complex"])
def test_all_inexact_numbers_have_one_answer_in_every_tier(dtypes):
    @settings(max_examples=100, suppress_health_check=SLOW)
    @given(expressions(dtypes))
    def check(expression: Expression) -> None:
        assert_one_answer(expression)

    check()


def assert_one_answer(expression: Expression) -> None:
    with config(eager_numel=0, tier="compile"):
        compiled = np.asarray(expression.build())
    with config(eager_numel=0, tier="interpret"):
        assert_same_bits(np.asarray(expression.build()), compiled)
    with config(eager_numel=1 << 20):
        assert_same_bits(np.asarray(expression.build()), compiled)


@pytest.mark.parametrize("dtypes", [FLOATS, COMPLEX], ids=["floats", "complex"])
def test_exact_kernels_have_the_bits_of_the_reference_backend(dtypes):
    @settings(max_examples=50, suppress_health_check=SLOW)
    @given(expressions(dtypes, exact=True))
    def check(expression: Expression) -> None:
        assert_bits_of_the_reference(expression)

    check()


def assert_bits_of_the_reference(expression: Expression) -> None:
    with config(eager_numel=0, tier="compile"):
        result = expression.build()
        for item in group([result._node], supports):
            if isinstance(item, Group):
                outputs = [np.zeros(node.shape, node.dtype) for node in item.outputs]
                interpreter.run(item, outputs)
            run_alone(item)
            if isinstance(item, Group):
                for node, output in zip(item.outputs, outputs, strict=True):
                    stored = settle(node)
                    assert stored is not None
                    assert_same_bits(output, stored)
