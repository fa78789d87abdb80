"""Gradients of functions of nodes, and what they are to be by finite differences in float64.

The number that is differentiated is the real part of the inner product of the result with a fixed
``seed``, which then is the gradient of the result. Inputs are pending copies of stored elements, so
that nothing is computed before the graph is whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import onebuf
from onebuf import Buffer
from onebuf.gradients.reverse import pullback
from onebuf.graph import UNARY, Node
from onebuf.ops import unary

Array = np.ndarray[Any, Any]
Function = Callable[..., Node]
STEP = 1e-5


def stored(array: Any) -> Node:
    """A node with these elements."""
    return onebuf.asarray(np.array(array))._node


def elements(node: Node) -> Array:
    """The elements of a node."""
    return np.array(Buffer._value(node))


def inputs_of(arrays: Sequence[Array]) -> list[Node]:
    """Pending nodes with these elements, for graphs to begin at."""
    return [unary(UNARY["positive"], stored(array)) for array in arrays]


def seed_like(array: Array, number: int = 0) -> Array:
    """A gradient of ``array`` without any symmetry."""
    random = np.random.default_rng(number)
    seed = random.standard_normal(array.shape)
    if array.dtype.kind == "c":
        seed = seed + 1j * random.standard_normal(array.shape)
    return seed.astype(array.dtype)


def gradients(function: Function, arrays: Sequence[Array], seed: Array) -> list[Array | None]:
    """The gradient with respect to each of ``arrays``."""
    with onebuf.config(eager_numel=0):
        inputs = inputs_of(arrays)
        found = pullback([function(*inputs)], [stored(seed)], inputs)
        for array, one in zip(arrays, found, strict=True):
            assert one is None or (one.shape, one.dtype) == (array.shape, array.dtype)
        return [None if one is None else elements(one) for one in found]


def second_gradients(
    function: Function, arrays: Sequence[Array], seed: Array, weights: Sequence[Array]
) -> list[Array | None]:
    """The gradient of the inner product of the gradients with ``weights``."""
    with onebuf.config(eager_numel=0):
        inputs = inputs_of(arrays)
        first = pullback([function(*inputs)], [stored(seed)], inputs)
        pairs = [(g, stored(w)) for g, w in zip(first, weights, strict=True) if g is not None]
        found = pullback([g for g, _ in pairs], [w for _, w in pairs], inputs)
        return [None if one is None else elements(one) for one in found]


def differences(
    number: Callable[[Sequence[Array]], float], arrays: Sequence[Array], step: float = STEP
) -> list[Array]:
    """The gradients of a number, by moving every element of every array a little."""
    found = []
    for which, array in enumerate(arrays):
        slope = np.zeros_like(array)
        for place in np.ndindex(array.shape):
            for unit in (1, 1j) if array.dtype.kind == "c" else (1,):
                moved = []
                for sign in (1, -1):
                    other = array.copy()
                    other[place] += sign * step * unit
                    moved.append(number([*arrays[:which], other, *arrays[which + 1 :]]))
                slope[place] += unit * (moved[0] - moved[1]) / (2 * step)
        found.append(slope)
    return found


def inner(one: Array, two: Array) -> float:
    """The real part of the inner product."""
    return float(np.sum(np.conj(one) * two).real)


def check(function: Function, *arrays: Any, rtol: float = 1e-6, atol: float = 1e-7) -> None:
    """Hold the gradients of ``function`` against finite differences."""
    given = [np.asarray(array) for array in arrays]
    result = elements(function(*map(stored, given)))
    seed = seed_like(result)
    expected = differences(
        lambda moved: inner(seed, elements(function(*map(stored, moved)))), given
    )
    for found, wanted in zip(gradients(function, given, seed), expected, strict=True):
        actual = np.zeros_like(wanted) if found is None else found
        np.testing.assert_allclose(actual, wanted, rtol=rtol, atol=atol)


def check_twice(function: Function, *arrays: Any, rtol: float = 1e-5, atol: float = 1e-6) -> None:
    """Hold the gradients of the gradients of ``function`` against finite differences of these."""
    given = [np.asarray(array) for array in arrays]
    seed = seed_like(elements(function(*map(stored, given))))
    weights = [seed_like(array, 1 + n) for n, array in enumerate(given)]

    def number(moved: Sequence[Array]) -> float:
        first = gradients(function, moved, seed)
        return sum(inner(w, g) for w, g in zip(weights, first, strict=True) if g is not None)

    expected = differences(number, given)
    found = second_gradients(function, given, seed, weights)
    for one, wanted in zip(found, expected, strict=True):
        actual = np.zeros_like(wanted) if one is None else one
        np.testing.assert_allclose(actual, wanted, rtol=rtol, atol=atol)
