"""Random expressions: NumPy's answer in every tier, and on the reference backend."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_graphs import assert_equal, graphs
from random_nests import legal

import onebuf
from onebuf import config
from onebuf.backends import python
from onebuf.engine.planning import supports
from onebuf.engine.plans import make_plan
from onebuf.graph import settle
from onebuf.kernel import Opt
from onebuf.scheduler.grouping import Group, group
from onebuf.scheduler.joining import Join

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
            parts = item.parts if isinstance(item, Join) else (item,)
            for part in parts:
                if isinstance(part, Group):
                    opts: list[Opt] = []
                    for _ in range(data.draw(st.integers(0, 2))):
                        possible = legal(part.nest, part.extents, opts)
                        opts += [data.draw(st.sampled_from(possible))] if possible else []
                    python.run(part, outputs, opts)
            kernels = [part for part in parts if isinstance(part, Group)]
            extra = [node for part in kernels for node in (*part.givers, *part.picks)]
            nodes = [node for node in (*item.inputs, *item.outputs, *extra) if node is not None]
            plan = make_plan([item], nodes)
            plan.run(plan.nodes_of(nodes))
            if isinstance(item, Group | Join):
                for node, output in zip(item.outputs, outputs, strict=True):
                    stored = settle(node)
                    assert stored is not None
                    assert_equal(output, stored, 2e-4)
        for pair in wanted:
            pair.check()
