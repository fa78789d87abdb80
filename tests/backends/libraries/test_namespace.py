"""One interpreter, several libraries: the same graph gives the same elements on each of them."""

from __future__ import annotations

from typing import Any

import array_api_strict as strict
import numpy as np
import pytest

import onebuf
from onebuf import Buffer, config, dtypes
from onebuf.backends.libraries.namespace import ArrayApi
from onebuf.backends.numpy.loops import run_into
from onebuf.graph import BINARY, REDUCE, STORED, UNARY, Node
from onebuf.testing.contract import numpys

NAMESPACES = {"numpy": np, "array_api_strict": strict}
namespaces = pytest.mark.parametrize("xp", NAMESPACES.values(), ids=NAMESPACES)

NOT_STANDARD = {"float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"}

F = np.array([[0.25, -1.5, 2.0], [3.5, 0.5, -0.75]])
G = np.array([[1.0, 2.0, -3.0], [0.5, 4.0, 1.5]])
I = np.array([[1, 2, 3], [4, 5, 6]])  # noqa: E741 - whole numbers
B = np.array([[True, False, True], [False, False, True]])
C = np.array([[1 + 2j, -1j, 0.5], [2.0, 1 - 1j, 3j]])


def evaluate(xp: Any, node: Node) -> Any:
    """The elements of ``node`` computed on a namespace, operation by operation."""
    if node.op is STORED:
        return xp.asarray(np.array(node.array))
    operands = tuple(evaluate(xp, src) for src in node.srcs)
    return ArrayApi(xp).run(node.op, operands, node.arg, node.shape, node.dtype)


GRAPHS = {
    "add": lambda f, g, i, b, c: f + g,
    "a number": lambda f, g, i, b, c: f * 2.5 - 1,
    "a reflected number": lambda f, g, i, b, c: 2 / (f + 9),
    "whole numbers": lambda f, g, i, b, c: (i * i - 3) // 2 % 4,
    "bits": lambda f, g, i, b, c: ((i << 2) | 1) ^ (i & 3) >> 1,
    "powers": lambda f, g, i, b, c: abs(f) ** g,
    "comparisons": lambda f, g, i, b, c: (f < g) | (f >= 2.0) & ~b,
    "functions": lambda f, g, i, b, c: (f.exp() + abs(g).sqrt()).log().tanh(),
    "rounding": lambda f, g, i, b, c: onebuf.round(f) + onebuf.floor(g) * onebuf.trunc(f),
    "extremes": lambda f, g, i, b, c: f.maximum(g) - f.minimum(0.5),
    "broadcasting": lambda f, g, i, b, c: f - f.max(axis=1, keepdims=True),
    "sum": lambda f, g, i, b, c: f.sum(axis=0),
    "sum of all": lambda f, g, i, b, c: i.sum(),
    "sum of two axes": lambda f, g, i, b, c: i.sum(axis=(0, 1), keepdims=True),
    "product": lambda f, g, i, b, c: i.prod(axis=1),
    "max and min": lambda f, g, i, b, c: f.max(axis=0) - f.min(axis=0),
    "all and any": lambda f, g, i, b, c: b.all(axis=0) | b.any(),
    "argmax": lambda f, g, i, b, c: f.argmax(axis=1),
    "argmin of all": lambda f, g, i, b, c: f.argmin(),
    "argmax kept": lambda f, g, i, b, c: f.argmax(axis=0, keepdims=True),
    "mean and variance": lambda f, g, i, b, c: f.mean(axis=0) + f.var(axis=0),
    "where": lambda f, g, i, b, c: onebuf.where(b, f, g),
    "where with a number": lambda f, g, i, b, c: onebuf.where(f > 0, f, 0.0),
    "concat": lambda f, g, i, b, c: onebuf.concat([f, g, f * 2]),
    "concat along columns": lambda f, g, i, b, c: onebuf.concat([i, i + 1], axis=1),
    "pad": lambda f, g, i, b, c: f.pad([(1, 0), (2, 1)]),
    "pad with a value": lambda f, g, i, b, c: i.pad([(0, 1), (1, 0)], 7),
    "matmul": lambda f, g, i, b, c: (f * 2) @ onebuf.asarray(G.T.copy()),
    "take": lambda f, g, i, b, c: onebuf.take(f, Buffer([2, 0, 1, 1]), axis=1),
    "take rows": lambda f, g, i, b, c: onebuf.take(i, Buffer([1, 1]), axis=0),
    "cast": lambda f, g, i, b, c: i.astype("float32") / 3 + b.astype("float32"),
    "cast to whole numbers": lambda f, g, i, b, c: f.astype("int64"),
    "copy": lambda f, g, i, b, c: (f + 1).copy() * 2,
    "constant": lambda f, g, i, b, c: Buffer.full((2, 3), 3, "float64") + f,
    "arange": lambda f, g, i, b, c: onebuf.arange(3, 12, 4) * i,
    "arange of floats": lambda f, g, i, b, c: onebuf.arange(0.5, 2.0, 0.5) * f,
    "complex numbers": lambda f, g, i, b, c: abs(onebuf.conj(c) * c) + onebuf.real(c),
    "imaginary parts": lambda f, g, i, b, c: onebuf.imag(c * 1j),
    "random bits": lambda f, g, i, b, c: (
        onebuf.random.LazyGenerator(3).uniform((5,), dtype="float32") + 1
    ),
}


def operands() -> list[Buffer]:
    return [onebuf.asarray(array.copy()) for array in (F, G, I, B, C)]


def graph(name: str) -> Node:
    with config(eager_numel=0):
        return GRAPHS[name](*operands())._node


def has_view(node: Node) -> bool:
    return node.op.name == "view" or any(has_view(src) for src in node.srcs)


@namespaces
@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_gives_the_engines_elements_on_every_namespace(xp, name):
    node = graph(name)
    assert not has_view(node), "views are the engine's business"
    got = evaluate(xp, node)
    wanted = onebuf.engine.read(node)
    assert np.asarray(got).dtype == wanted.dtype
    assert np.asarray(got).shape == wanted.shape
    np.testing.assert_allclose(np.asarray(got), wanted, rtol=1e-12 if wanted.itemsize > 4 else 1e-6)


@namespaces
def test_results_are_arrays_of_the_namespace(xp):
    kind = type(xp.asarray([1.0]))
    assert isinstance(evaluate(xp, graph("functions")), kind | np.floating)


def inputs(name: str, dtype: str) -> list[np.ndarray]:
    """Operands inside the domain of every operation of that name."""
    if name in BINARY:
        return [np.array([1, 2, 3]).astype(dtype), np.array([2, 1, 1]).astype(dtype)]
    if dtype[0] not in "fc":
        return [np.array([1, 0, 1]).astype(dtype)]
    return [(np.array([0.25, 0.5, 0.75]) + (name == "acosh")).astype(dtype)]


def strictly(name: str, dtype: str) -> Any:
    """What array_api_strict says; None where the standard says nothing."""
    try:
        return getattr(strict, name)(*[strict.asarray(array) for array in inputs(name, dtype)])
    except (AttributeError, TypeError):
        return None


STANDARD_CASES = [
    (name, dtype)
    for name in sorted(UNARY | BINARY)
    for dtype in ("float64", "float32", "int32", "uint8", "bool", "complex128")
    if strictly(name, dtype) is not None
]


BEYOND = {"cbrt", "erf", "erfc", "exp2"}


@namespaces
@pytest.mark.parametrize("name", sorted(BEYOND))
def test_a_function_that_a_namespace_lacks_is_computed_on_the_host(xp, name):
    (array,) = inputs(name, "float32")
    with config(eager_numel=0):
        node = getattr(onebuf, name)(onebuf.asarray(array))._node
    got = np.asarray(evaluate(xp, node))
    assert got.dtype == array.dtype
    np.testing.assert_allclose(got, numpys(name, array), rtol=1e-6)


def test_the_standard_has_something_to_say_of_nearly_every_operation():
    assert set(UNARY | BINARY) - {name for name, _ in STANDARD_CASES} == BEYOND


@pytest.mark.parametrize("name, dtype", STANDARD_CASES)
def test_every_operation_is_the_standards(name, dtype):
    wanted = np.asarray(strictly(name, dtype))
    with config(eager_numel=0):
        node = getattr(onebuf, name)(*map(onebuf.asarray, inputs(name, dtype)))._node
    assert node.dtype == wanted.dtype
    for xp in NAMESPACES.values():
        np.testing.assert_allclose(np.asarray(evaluate(xp, node)), wanted, rtol=1e-6)


@pytest.mark.parametrize("dtype", [d for d in dtypes.ALL if d.name not in NOT_STANDARD], ids=str)
def test_constants_of_every_standard_dtype_are_made_on_every_namespace(dtype):
    with config(eager_numel=0):
        node = Buffer.full((2,), 1, dtype)._node
    for xp in NAMESPACES.values():
        got = evaluate(xp, node)
        assert np.asarray(got).dtype == dtype
        assert np.asarray(got).tolist() == [dtype.type(1).item()] * 2


@pytest.mark.parametrize("name", sorted(REDUCE))
@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_numpy_in_place_gives_what_the_interpreter_gives(name, dtype):
    array = np.array([[1, 0, 1], [0, 1, 1]]).astype(dtype)
    try:
        with config(eager_numel=0):
            node = getattr(onebuf.asarray(array), name)(axis=1)._node
    except TypeError:
        assert dtypes.kind(dtype) == "c"
        return
    out = np.empty(node.shape, node.dtype)
    run_into(node.op, (array,), node.arg, out)
    wanted = getattr(np, name)(array.astype("complex128" if dtype.kind == "c" else "float64"), 1)
    np.testing.assert_array_equal(out.astype(wanted.dtype), wanted)
