"""Operations in simpler terms: NumPy is the oracle, on devices that lack them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import onebuf
from onebuf import OpGraph
from onebuf.backends.reference.device import PythonDriver
from onebuf.errors import DeviceError
from onebuf.graph import BINARY, REDUCE, UNARY
from onebuf.op_graph.rewrite.rewrites import REWRITES

Array = np.ndarray[Any, Any]
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.25, 3.7, -8.5, 1e-30, -1e-9, 20.0, 80.0, np.inf, -np.inf]
FLOATS = np.array([*SPECIAL, np.nan, 1e5, 0.999, -0.999, 2.5, 1e30], "float64")
COMPLEX = np.array([1 + 2j, -3 + 0.5j, 0.25 - 1j, -1 - 1j, 2, -2, 3j, -0.5j, 0.1 + 4j, 0j])
MIRRORED = ("any", "argmin", "min")
EXACT = {"abs", "ceil", "copysign", "maximum", "minimum", "negative", "positive", "sign", "square"}
"""Functions of floats whose one right answer is also that of the rewrite."""
NUMPY = {**{op.name: op.numpy for op in (UNARY | BINARY).values()}, **dict.fromkeys(MIRRORED)}


@pytest.fixture
def lacking(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names of operations that the device PYTHON lacks from now on."""
    names: set[str] = set()
    supports = PythonDriver.supports

    def without(self: Any, op: Any, operands: Any, result: Any) -> bool:
        return op.name not in names and supports(self, op, operands, result)

    monkeypatch.setattr(PythonDriver, "supports", without)
    return names


def run(name: str, *arrays: Array, **arguments: Any) -> Array:
    """What a graph of one operation computes on PYTHON."""
    graph = OpGraph()
    given = [graph.tensor(f"x{at}", x.shape, x.dtype) for at, x in enumerate(arrays)]
    graph.operation(name, *given, **arguments)
    placed = {f"x{at}": onebuf.asarray(x, device="PYTHON") for at, x in enumerate(arrays)}
    return np.asarray(graph(placed).to_device("CPU"))


def oracle(name: str, *arrays: Array) -> Array:
    """What NumPy computes."""
    with np.errstate(all="ignore"):
        return np.asarray(getattr(np, NUMPY[name] or name)(*arrays))


def operands(name: str, dtype: str) -> list[Array]:
    """Numbers at which a function could go wrong: all of them, or all pairs."""
    x = FLOATS.astype(dtype)
    if name not in BINARY:
        return [x]
    return [np.repeat(x, len(x)), np.tile(x, len(x))]


REAL = [
    name
    for name, op in (UNARY | BINARY).items()
    if name in REWRITES and op.rule is not None and name not in ("bitwise_invert", "remainder")
]
OF_COMPLEX_ALONE = {"cos", "exp", "log", "pow", "sin", "sqrt"}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", [name for name in REAL if name not in OF_COMPLEX_ALONE])
def test_functions_of_floats_in_simpler_terms_are_numpys(
    name: str, dtype: str, lacking: set[str]
) -> None:
    lacking.add(name)
    arrays = operands(name, dtype)
    with np.errstate(all="ignore"):
        found, wanted = run(name, *arrays), oracle(name, *arrays)
    assert found.dtype == wanted.dtype
    if name in EXACT or wanted.dtype == bool:
        np.testing.assert_array_equal(found, wanted)
    else:
        precision = 40 * np.finfo(dtype).eps
        tiny = np.finfo(dtype).tiny * 4
        close = np.isclose(found, wanted, rtol=precision, atol=tiny, equal_nan=True)
        # Large numbers overflow a step earlier, and large angles have lost their digits.
        is_far = np.any([np.abs(x) > 50 for x in arrays], axis=0) & np.isfinite(arrays[0])
        assert np.all(close | is_far), (arrays[0][~(close | is_far)], found[~(close | is_far)])


@pytest.mark.parametrize("name", ["hypot", "logaddexp", "expm1", "log1p", "tanh", "asinh", "cbrt"])
def test_functions_keep_signs_of_zero_and_small_numbers(name: str, lacking: set[str]) -> None:
    lacking.add(name)
    x = np.array([0.0, -0.0, 1e-12, -1e-12, 1e-300])
    arrays = [x, x] if name in BINARY else [x]
    found, wanted = run(name, *arrays), oracle(name, *arrays)
    np.testing.assert_allclose(found, wanted, rtol=1e-14)
    if name not in BINARY:
        np.testing.assert_array_equal(np.signbit(found), np.signbit(wanted))


@pytest.mark.parametrize("name", ["expm1", "hypot", "tanh", "log2"])
def test_narrow_floats_are_computed_in_float32(name: str, lacking: set[str]) -> None:
    lacking.add(name)
    x = np.linspace(0.1, 3, 20).astype("float16")
    arrays = [x, x[::-1].copy()] if name in BINARY else [x]
    np.testing.assert_allclose(run(name, *arrays), oracle(name, *arrays), rtol=2e-3)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "bool"])
@pytest.mark.parametrize(
    "name", ["abs", "negative", "sign", "square", "maximum", "remainder", "bitwise_invert", "ceil"]
)
def test_functions_of_integers_in_simpler_terms_are_numpys(
    name: str, dtype: str, lacking: set[str]
) -> None:
    if dtype == "bool" and name in ("negative", "sign", "remainder", "square"):
        return  # which bools do not have, or have as integers
    lacking.add(name)
    x = np.array([0, 1, 2, 7, 100, 127, 5], "int64").astype(dtype)
    if dtype.startswith("int"):
        x = np.concatenate([x, -x, np.array([np.iinfo(dtype).min], dtype)])
    arrays = [np.repeat(x, len(x)), np.tile(x, len(x))] if name in BINARY else [x]
    found = run(name, *arrays)
    wanted = oracle(name, *arrays)
    np.testing.assert_array_equal(found, wanted)
    assert found.dtype == wanted.dtype


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize(
    "name",
    [
        "exp",
        "log",
        "log2",
        "log10",
        "sqrt",
        "sin",
        "cos",
        "sinh",
        "cosh",
        "tanh",
        "abs",
        "pow",
        "reciprocal",
        "square",
        "negative",
        "isnan",
    ],
)
def test_functions_of_complex_numbers_by_their_parts_are_numpys(
    name: str, dtype: str, lacking: set[str]
) -> None:
    if name in ("isnan", "negative", "square"):
        lacking.add(name)
    x = COMPLEX.astype(dtype)[: -1 if name in ("log", "log2", "log10", "reciprocal") else None]
    arrays = [x, x[::-1].copy() + 1] if name in BINARY else [x]
    precision = 60 * np.finfo(dtype).eps
    lacking.add("cbrt")
    parts = {"exp", "log", "sqrt", "sin", "cos", "sinh", "cosh", "tanh", "pow", "log2", "log10"}
    found = run_without_complex(name, arrays, parts | {"abs", "reciprocal"})
    np.testing.assert_allclose(found, oracle(name, *arrays), rtol=precision, atol=precision)


def run_without_complex(name: str, arrays: list[Array], names: set[str]) -> Array:
    """The same on PYTHON without these functions of complex numbers."""
    supports = PythonDriver.supports

    def without(self: Any, op: Any, dtypes: Any, result: Any) -> bool:
        is_complex = any(dtype.kind == "c" for dtype in dtypes)
        return not (op.name in names and is_complex) and supports(self, op, dtypes, result)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PythonDriver, "supports", without)
        return run(name, *arrays)


@pytest.mark.parametrize("dtype", ["float32", "int16", "uint8"])
@pytest.mark.parametrize("name", ["min", "argmin"])
def test_least_elements_are_the_largest_of_the_mirror_image(
    name: str, dtype: str, lacking: set[str]
) -> None:
    lacking.add(name)
    x = np.random.default_rng(0).integers(0, 100, (4, 5)).astype(dtype)
    np.testing.assert_array_equal(run(name, x, axis=1), getattr(np, name)(x, 1))
    np.testing.assert_array_equal(
        run(name, x, axis=0, keepdims=True), getattr(np, name)(x, axis=0, keepdims=True)
    )


def test_any_is_all_of_the_opposite(lacking: set[str]) -> None:
    lacking.add("any")
    x = np.array([[0.0, 0.0], [0.0, 2.0]])
    np.testing.assert_array_equal(run("any", x, axis=1), [False, True])


def test_what_a_rewrite_needs_is_rewritten_too(lacking: set[str]) -> None:
    lacking.update({"sinh", "expm1", "copysign", "abs", "isinf", "negative"})
    x = np.array([-2.0, -0.1, 0.0, 0.5, 3.0])
    np.testing.assert_allclose(run("sinh", x), np.sinh(x), rtol=1e-13)


def test_parts_of_an_operation_are_rewritten(lacking: set[str]) -> None:
    lacking.add("square")
    x = np.random.default_rng(0).normal(size=(3, 4))
    np.testing.assert_allclose(run("std", x, axis=0), x.std(0), rtol=1e-12)


def test_an_einstein_sum_needs_views_products_and_sums_alone(lacking: set[str]) -> None:
    lacking.update({"matmul", "tanh"})
    x = np.arange(6.0).reshape(2, 3)
    graph = OpGraph()
    t = graph.tensor("x", (2, 3), "float64")
    graph.operation("einsum", (t, "i,k"), (t, "j,k"), result="i,j")
    found = graph(x=onebuf.asarray(x, device="PYTHON"))
    np.testing.assert_array_equal(found.to_device("CPU"), x @ x.T)


def test_what_has_no_rewrite_is_an_error_with_operation_and_device(lacking: set[str]) -> None:
    lacking.add("erf")
    with pytest.raises(DeviceError, match=r"erf \(%1\): PYTHON lacks it \(erf of float32"):
        run("erf", np.ones(3, "float32"))


def test_a_rewrite_whose_parts_are_lacking_is_an_error(lacking: set[str]) -> None:
    lacking.update({"sinh", "exp", "expm1"})
    with pytest.raises(DeviceError, match=r"sinh \(%1\): PYTHON lacks it \(exp of"):
        run("sinh", np.ones(3))


def test_a_call_of_a_library_is_an_error_elsewhere() -> None:
    with pytest.raises(DeviceError, match=r"sort .* PYTHON lacks it"):
        run("sort", np.ones(3))


def test_an_error_of_lowering_leaves_the_buffer_as_it_was(lacking: set[str]) -> None:
    lacking.add("erf")
    graph = OpGraph()
    graph.operation("erf", graph.tensor("x", (3,), "float32"))
    target = onebuf.ones((3,), dtype="float32", device="PYTHON")
    with pytest.raises(DeviceError):
        target.compute(graph, x=onebuf.zeros((3,), dtype="float32", device="PYTHON"))
    np.testing.assert_array_equal(target.to_device("CPU"), np.ones(3))


def test_rewriting_ends(lacking: set[str]) -> None:
    lacking.update(UNARY.keys() | BINARY.keys() | REDUCE.keys())
    for name in REWRITES.keys() - {"positive"}:  # which is a copy
        arrays = [np.ones(3), np.ones(3)] if name in BINARY else [np.ones(3)]
        if name in ("bitwise_invert", "remainder"):
            arrays = [array.astype("int32") for array in arrays]
        with pytest.raises(DeviceError, match="lacks it"):
            run(name, *arrays)


@pytest.mark.parametrize("device", ["OPENCL", "VULKAN"])
def test_complex_functions_work_where_kernels_have_none(device: str) -> None:
    x = COMPLEX[:8].astype("complex64")
    for name in ("exp", "sqrt", "log", "tanh"):
        graph = OpGraph()
        graph.operation(name, graph.tensor("z", x.shape, "complex64"))
        found = graph(z=onebuf.asarray(x, device=device)).to_device("CPU")
        np.testing.assert_allclose(np.asarray(found), getattr(np, name)(x), rtol=1e-5, atol=1e-6)
