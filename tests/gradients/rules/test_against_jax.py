"""Random expressions, differentiated by us and by jax."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from finite_differences import gradients, seed_like
from hypothesis import given, settings
from hypothesis import strategies as st

from onebuf import Buffer, ops
from onebuf.graph import BINARY, REDUCE, UNARY, Node

jax = pytest.importorskip("jax", reason="jax is not installed")
jnp = pytest.importorskip("jax.numpy", reason="jax is not installed")
pytestmark = pytest.mark.interop

Step = Callable[[Any, list[Any]], Any]
"""(library, values) -> a new value."""


class Ours:
    """The functions of jax.numpy that expressions are made of, on nodes."""

    def __getattr__(self, name: str) -> Any:
        names = {"abs": "abs", "arctan2": "atan2", "power": "pow", "true_divide": "divide"}
        ours = names.get(name, name)
        if ours in UNARY:
            return lambda x: ops.unary(UNARY[ours], x)
        return lambda x, y: ops.binary(BINARY[ours], x, y)

    def sum(self, x: Node, axis: int) -> Node:
        return ops.reduce(REDUCE["sum"], x, axis, True)

    def max(self, x: Node, axis: int) -> Node:
        return ops.reduce(REDUCE["max"], x, axis, True)

    def prod(self, x: Node, axis: int) -> Node:
        return ops.reduce(REDUCE["prod"], x, axis, True)

    def cumsum(self, x: Node, axis: int) -> Node:
        return ops.scan("sum", x, axis)

    def cumprod(self, x: Node, axis: int) -> Node:
        return ops.scan("prod", x, axis)

    def transpose(self, x: Node) -> Node:
        return ops.permute(x, (1, 0))

    def matmul(self, x: Node, y: Node) -> Node:
        return ops.matmul(x, y)

    def concatenate(self, parts: list[Node], axis: int) -> Node:
        return ops.concat(parts, axis)

    def index(self, x: Node, key: Any) -> Node:
        return ops.index(x, key)

    def take(self, x: Node, indices: Any, axis: int) -> Node:
        return ops.take(x, Buffer(np.array(indices))._node, axis)


class Theirs:
    """The same of jax."""

    def __getattr__(self, name: str) -> Any:
        return getattr(jnp, name)

    def sum(self, x: Any, axis: int) -> Any:
        return jnp.sum(x, axis, keepdims=True)

    def max(self, x: Any, axis: int) -> Any:
        return jnp.max(x, axis, keepdims=True)

    def prod(self, x: Any, axis: int) -> Any:
        return jnp.prod(x, axis, keepdims=True)

    def index(self, x: Any, key: Any) -> Any:
        return x[key]

    def take(self, x: Any, indices: Any, axis: int) -> Any:
        return jnp.take(x, jnp.array(indices), axis)


SMOOTH = ["sin", "cos", "tanh", "exp", "square", "negative", "expm1", "sinh"]
PAIRS = ["add", "subtract", "multiply", "maximum", "minimum", "arctan2", "logaddexp", "hypot"]
KEYS = [(slice(None), slice(None, None, -1)), (slice(1, 3), slice(None)), (slice(None, None, 2),)]


@st.composite
def expressions(draw: Any) -> Callable[[Any, Any, Any], Any]:
    """A function of a library and two matrices of 4 rows and columns."""
    steps: list[Step] = []
    for _ in range(draw(st.integers(1, 8))):
        steps.append(draw(st.one_of(_singles(), _pairs(), _along(), _moves())))

    def run(library: Any, x: Any, y: Any) -> Any:
        values = [x, y]
        for step in steps:
            value = step(library, values)
            values.append(library.tanh(library.add(value, library.multiply(x, 0.5))))
        return values[-1]

    return run


def _at() -> Any:
    return st.integers(-3, -1)


def _pick(values: list[Any], at: int) -> Any:
    return values[max(at, -len(values))]


@st.composite
def _singles(draw: Any) -> Step:
    name, at = draw(st.sampled_from(SMOOTH)), draw(_at())
    return lambda library, values: getattr(library, name)(_pick(values, at))


@st.composite
def _pairs(draw: Any) -> Step:
    name, one, two = draw(st.sampled_from([*PAIRS, "matmul"])), draw(_at()), draw(_at())
    return lambda library, values: getattr(library, name)(_pick(values, one), _pick(values, two))


@st.composite
def _along(draw: Any) -> Step:
    name = draw(st.sampled_from(["sum", "max", "prod", "cumsum", "cumprod"]))
    axis, at = draw(st.integers(0, 1)), draw(_at())
    return lambda library, values: getattr(library, name)(_pick(values, at), axis=axis)


@st.composite
def _moves(draw: Any) -> Step:
    at, how = draw(_at()), draw(st.sampled_from(["transpose", "index", "take", "concatenate"]))
    key = draw(st.sampled_from(KEYS))
    indices = draw(st.lists(st.integers(0, 3), min_size=4, max_size=4))

    def step(library: Any, values: list[Any]) -> Any:
        x = _pick(values, at)
        if how == "transpose":
            return library.transpose(x)
        if how == "take":
            return library.take(x, indices, axis=1)
        part = library.index(x, key)
        other = library.concatenate([part, library.negative(part)], axis=0)
        return library.sum(other if how == "concatenate" else part, axis=0)

    return step


@settings(max_examples=15, deadline=None)
@given(expressions(), st.integers(0, 1 << 32))
def test_random_expressions_have_the_gradients_of_jax(expression: Any, number: int) -> None:
    random = np.random.default_rng(number)
    x, y = random.uniform(-1, 1, (2, 4, 4))
    with jax.enable_x64(True), jax.disable_jit():
        result, pull = jax.vjp(lambda x, y: expression(Theirs(), x, y), jnp.array(x), jnp.array(y))
        seed = seed_like(np.array(result))
        expected = [np.array(one) for one in pull(jnp.array(seed))]
    found = gradients(lambda x, y: expression(Ours(), x, y), [x, y], seed)
    for ours, theirs in zip(found, expected, strict=True):
        actual = np.zeros_like(theirs) if ours is None else ours
        np.testing.assert_allclose(actual, theirs, rtol=1e-9, atol=1e-10)


POINTS = np.array([-2.5, -1.0, -0.5, 0.0, 0.5, 1.0, 2.5])
CORNERS = ["cbrt", "exp2", "log1p", "reciprocal", "sqrt", "square", "tanh"]
"""Functions with the same slopes; that of abs at 0 is 0 here as in torch, and 1 in jax."""


@pytest.mark.parametrize("name", CORNERS)
def test_slopes_at_corners_are_those_of_jax(name: str) -> None:
    with jax.enable_x64(True):
        _, pull = jax.vjp(getattr(jnp, name), jnp.array(POINTS))
        (expected,) = pull(jnp.ones(len(POINTS)))
    (found,) = gradients(lambda x: ops.unary(UNARY[name], x), [POINTS], np.ones(len(POINTS)))
    np.testing.assert_allclose(found, np.array(expected), rtol=1e-12)  # type: ignore[arg-type]


NAMES = {"maximum": "maximum", "minimum": "minimum", "pow": "power", "remainder": "remainder"}


@pytest.mark.parametrize("name, theirs", NAMES.items())
def test_slopes_of_pairs_at_corners_are_those_of_jax(name: str, theirs: str) -> None:
    x, y = (np.array(one).reshape(-1) for one in np.meshgrid([0.0, 0.5, 2.0], [0.5, 1.0, 2.0]))
    with jax.enable_x64(True):
        _, pull = jax.vjp(getattr(jnp, theirs), jnp.array(x), jnp.array(y))
        expected = pull(jnp.ones(len(x)))
    found = gradients(lambda x, y: ops.binary(BINARY[name], x, y), [x, y], np.ones(len(x)))
    for ours, one in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, np.array(one), rtol=1e-12)  # type: ignore[arg-type]
