"""Gradients of functions of buffers against differences along one random direction, in float64.

The number that is differentiated is the real part of the inner product of all results with fixed
seeds, which are the gradients of the results. Each argument is moved along a direction of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from finite_differences import inner, seed_like

import onebuf

Array = np.ndarray[Any, Any]
STEP = 1e-6


def several(function: Callable[..., Any]) -> Callable[..., list[Any]]:
    """``function`` with its results in a list."""

    def listed(*args: Any) -> list[Any]:
        found = function(*args)
        return list(found) if isinstance(found, tuple | list) else [found]

    return listed


def values(function: Callable[..., Any], arrays: Sequence[Array]) -> list[Array]:
    """The results of a call without a trace."""
    return [np.asarray(one) for one in several(function)(*map(onebuf.asarray, arrays))]


def check(
    function: Callable[..., Any], *arrays: Any, rtol: float = 1e-6, step: float = STEP
) -> None:
    """Hold the values of ``function`` in a trace against those without, and its gradients."""
    given = [np.asarray(array) for array in arrays]
    expected = values(function, given)
    found, pull = onebuf.vjp(several(function), *[onebuf.asarray(np.array(a)) for a in given])
    for one, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.asarray(one), wanted, rtol=1e-9, atol=1e-11)
    seeds = [seed_like(one, n) for n, one in enumerate(expected)]
    gradients = pull([onebuf.asarray(seed) for seed in seeds])

    def number(moved: Sequence[Array]) -> float:
        return sum(
            inner(seed, one) for seed, one in zip(seeds, values(function, moved), strict=True)
        )

    for which, (array, gradient) in enumerate(zip(given, gradients, strict=True)):
        slope = np.asarray(gradient)
        assert (slope.shape, slope.dtype) == (array.shape, array.dtype)
        direction = seed_like(array, 100 + which)
        ends = []
        for side in (step, -step):
            moved = [*given]
            moved[which] = array + side * direction
            ends.append(number(moved))
        wanted = (ends[0] - ends[1]) / (2 * step)
        np.testing.assert_allclose(inner(slope, direction), wanted, rtol=rtol, atol=rtol)


def check_twice(function: Callable[..., Any], *arrays: Any) -> None:
    """Hold the gradients of the gradients of ``function``, too, against differences of these."""
    places = tuple(range(len(arrays)))
    check(onebuf.grad(_number_of(function), argnums=places), *arrays, rtol=2e-5)


def _number_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """A real number made of all results, in which none has a constant slope."""

    def number(*args: Any) -> Any:
        parts = []
        for one in several(function)(*args):
            is_complex = one.dtype.kind == "c"
            parts.extend([onebuf.real(one), onebuf.imag(one)] if is_complex else [one])
        return sum(((part + n) ** 3).sum() for n, part in enumerate(parts))

    return number
