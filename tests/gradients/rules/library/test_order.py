"""Rules of calls that choose elements by their order, against finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from directional_differences import check, check_twice

import onebuf

random = np.random.default_rng(3)
REAL = random.standard_normal((4, 5))
COMPLEX = REAL + 1j * random.standard_normal((4, 5))
both = pytest.mark.parametrize("x", [REAL, COMPLEX], ids=["real", "complex"])


@both
@pytest.mark.parametrize("axis", [0, 1, None], ids=str)
@pytest.mark.parametrize("descending", [False, True])
def test_sort(x: Any, axis: int | None, descending: bool) -> None:
    check(lambda x: onebuf.sort(x, axis=axis, descending=descending), x)
    check_twice(lambda x: onebuf.sort(x, axis=axis, descending=descending), x)


def test_equal_elements_keep_their_order() -> None:
    weights = onebuf.asarray([1.0, 2.0, 3.0])
    gradient = onebuf.grad(lambda x: (onebuf.sort(x) * weights).sum())(
        onebuf.asarray([1.0, 0.0, 0.0])
    )
    assert np.asarray(gradient).tolist() == [3, 1, 2]


@both
def test_extremes_and_means(x: Any) -> None:
    check(lambda x: (onebuf.max(x, axis=0), onebuf.min(x), onebuf.mean(x, axis=1)), x)
    check_twice(lambda x: (onebuf.max(x, axis=0), onebuf.mean(x, axis=1)), x)


def test_equal_complex_extremes_share_the_gradient() -> None:
    x = onebuf.asarray([1 + 1j, 1 + 1j, 0])
    gradient = onebuf.grad(lambda x: onebuf.real(onebuf.max(x)))(x)
    assert np.asarray(gradient).tolist() == [0.5, 0.5, 0]


@pytest.mark.parametrize("axis", [0, 1])
def test_running_extremes(axis: int) -> None:
    def running(x: Any) -> Any:
        return onebuf.maximum.accumulate(x, axis=axis), onebuf.minimum.accumulate(x, axis=axis)

    check(running, REAL)
    check_twice(running, REAL)


def test_a_running_extreme_is_the_first_of_equal_elements() -> None:
    x = onebuf.asarray([1.0, 3.0, 3.0, 2.0])
    gradient = onebuf.grad(lambda x: onebuf.maximum.accumulate(x).sum())(x)
    assert np.asarray(gradient).tolist() == [1, 3, 0, 0]
