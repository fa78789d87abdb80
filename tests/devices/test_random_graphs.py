"""Random graphs give NumPy's answer on every device, whatever is computed in one kernel there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_graphs import assert_equal, graphs

import onebuf

EXAMPLES = {"PYTHON": 40, "CPU@1": 60, "OPENCL": 12, "VULKAN": 12}


LIBRARIES = {"TORCH": 40, "JAX": 10}


@pytest.mark.parametrize("device", EXAMPLES)
def test_any_graph_gives_numpys_answer(device: str) -> None:
    check_graphs(device, EXAMPLES[device])


@pytest.mark.interop
@pytest.mark.parametrize("device", LIBRARIES)
def test_any_graph_gives_numpys_answer_in_a_library(device: str) -> None:
    check_graphs(device, LIBRARIES[device])


def check_graphs(device: str, examples: int) -> None:
    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def check(data: Any) -> None:
        wanted = data.draw(graphs(device))
        onebuf.realize(*[pair.lazy for pair in wanted])
        for pair in wanted:
            assert pair.lazy.device == device
            got = np.asarray(pair.lazy.to_device("CPU"))
            assert_equal(got, pair.array, pair.precision)

    check()
