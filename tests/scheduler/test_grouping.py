"""Grouping: what is asked for gets memory, whatever else is fused around it."""

from __future__ import annotations

import numpy as np
import pytest

import onebuf
from onebuf import Buffer, config


@pytest.fixture(autouse=True)
def compiled():
    with config(eager_numel=0, tier="compile"):
        yield


def test_a_fold_of_more_than_threads_take_at_once_comes_before_the_pass_that_needs_it():
    x = np.arange(100_000.0)
    y = Buffer(x)
    np.testing.assert_array_equal(np.asarray(y - y.mean()), x - x.mean())


def test_an_equal_result_that_is_read_as_well_as_asked_for_has_memory():
    x = Buffer(np.arange(100.0))
    first = x + 1
    second = x + 1
    third = second * 2
    onebuf.realize(second, third)
    assert second.is_realized
    assert first.is_realized
    np.testing.assert_array_equal(np.asarray(third), (np.arange(100.0) + 1) * 2)
