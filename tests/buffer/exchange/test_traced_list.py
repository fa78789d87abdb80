"""Lists of traced buffers become buffers through which gradients lead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from directional_differences import check

import onebuf
from onebuf import Buffer
from onebuf.errors import ShapeError

X = np.random.default_rng(2).standard_normal((3, 4))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: onebuf.asarray([x[0], x[2] * 2]),
        lambda x: onebuf.array([x[0, 0], 3.0, x[1, 1]]),
        lambda x: onebuf.array([[x[0, 0], 1], (2.0, x[1, 1])]),
        lambda x: onebuf.asarray((x[0], np.arange(4.0), [1, 2, 3, 4])),
        lambda x: Buffer([x[0, 1], 2], dtype="float64"),
        lambda x: onebuf.sum([x[0, 1], x[2, 2]]),
    ],
)
def test_gradients_lead_through_lists(function: Callable[[Any], Any]) -> None:
    check(function, X)


def test_ragged_lists_are_refused() -> None:
    with pytest.raises(ShapeError):
        onebuf.vjp(lambda x: onebuf.asarray([x[0], x[1, :2]]), onebuf.asarray(X))


def test_lists_of_a_captured_function_are_those_of_each_call() -> None:
    function = onebuf.jit(lambda x: onebuf.asarray([x[0], x[1] * 2]))
    for scale in (1.0, 2.0):
        found = np.asarray(function(onebuf.asarray(X * scale)))
        assert found.tolist() == [(X[0] * scale).tolist(), (X[1] * scale * 2).tolist()]
