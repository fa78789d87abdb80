"""Complex numbers: parts computed as NumPy computes them, the same in every tier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from one_answer import PROCESSORS, assert_one_answer, compiled, run_on, text_of
from random_expressions import assert_same_bits

import onebuf
from onebuf import config
from onebuf.backends.cpu import assembly, host
from onebuf.engine.cpu.supports import supports
from onebuf.graph import BINARY
from onebuf.kernel import LOAD, STORE, Nest, Slot, Step
from onebuf.render.llvm.module import render
from onebuf.render.llvm.rendering import Rendering
from onebuf.scheduler.fuse.fusion import group

Array = np.ndarray[Any, Any]
DTYPES = [np.dtype("complex64"), np.dtype("complex128")]
EXACT = ("negative", "conj", "real", "imag", "positive", "isnan", "isinf", "isfinite")
PAIRS = ("add", "subtract", "divide", "equal", "not_equal")

PARTS = st.sampled_from([0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan, 1e-40, 3e38]) | st.floats(
    width=32
)
NUMBERS = st.lists(st.builds(complex, PARTS, PARTS), min_size=1, max_size=40)

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def some(dtype: Any, shape: tuple[int, ...]) -> Array:
    rng = np.random.default_rng(4)
    return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)


def product(x: Array, y: Array) -> Array:
    """x times y by the definition, rounded after every operation."""
    result = np.empty(np.broadcast_shapes(x.shape, y.shape), x.dtype)
    result.real = x.real * y.real - x.imag * y.imag
    result.imag = x.real * y.imag + x.imag * y.real
    return result


# -- elements --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_operations_on_pairs_have_the_bits_of_numpy(dtype: Any) -> None:
    @settings(max_examples=60, deadline=None)
    @given(NUMBERS)
    def check(numbers: list[complex]) -> None:
        x = np.repeat(np.array(numbers).astype(dtype), len(numbers))
        y = np.tile(np.array(numbers).astype(dtype), len(numbers))
        for name in PAIRS:
            found = assert_one_answer(getattr(onebuf, name), x, y)
            assert_same_bits(found, getattr(np, name)(x, y))
        assert_same_bits(assert_one_answer(onebuf.multiply, x, y), product(x, y))

    check()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_functions_have_the_bits_of_numpy(dtype: Any) -> None:
    @settings(max_examples=60, deadline=None)
    @given(NUMBERS)
    def check(numbers: list[complex]) -> None:
        x = np.array(numbers).astype(dtype)
        for name in EXACT:
            found = assert_one_answer(getattr(onebuf, name), x)
            assert_same_bits(found, np.asarray(getattr(np, name)(x)))
        assert_same_bits(assert_one_answer(onebuf.square, x), product(x, x))
        size = assert_one_answer(onebuf.abs, x)
        assert_same_bits(size, compiled(onebuf.hypot, x.real.copy(), x.imag.copy()))

    check()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_a_product_does_not_depend_on_how_its_operands_lie_in_memory(dtype: Any) -> None:
    x, y = some(dtype, (999,)), some(dtype, (999,))
    wanted = product(x, y)
    for view in (slice(None), slice(None, None, -1), slice(None, None, 2)):
        assert_same_bits(assert_one_answer(lambda x, y, v=view: x[v] * y[v], x, y), wanted[view])
    buffer = onebuf.asarray(x, copy=True)
    buffer *= onebuf.asarray(y)
    assert_same_bits(np.asarray(buffer), wanted)
    buffer *= 2 + 1j
    assert_same_bits(np.asarray(buffer), product(wanted, np.asarray([2 + 1j]).astype(dtype)))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_scalars_and_real_operands_become_complex_first(dtype: Any) -> None:
    x = some(dtype, (50,))
    real = np.array([np.inf, 1.0, -0.0, np.nan, 2.0] * 10, x.real.dtype)
    assert_same_bits(
        assert_one_answer(lambda x: x * (2 - 3j) + 1, x),
        product(x, np.array([2 - 3j], dtype)) + dtype.type(1),
    )
    assert_same_bits(assert_one_answer(lambda x, y: x * y, x, real), product(x, real.astype(dtype)))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_conversions_are_those_of_numpy(dtype: Any) -> None:
    numbers = [1.5, -0.0, 0.0, np.inf, np.nan, 1e300, 1e-40]
    x = np.array([complex(p, q) for p in numbers for q in numbers]).astype(dtype)
    for target in ("complex64", "complex128", "bool"):
        to = np.dtype(target)
        assert_same_bits(assert_one_answer(lambda x, to=to: onebuf.astype(x, to), x), x.astype(to))
    for source in ("bool", "int8", "int64", "uint64", "float16", "float32", "float64"):
        real = np.arange(100).astype(source)
        assert_same_bits(
            assert_one_answer(lambda x: onebuf.astype(x, dtype), real), real.astype(dtype)
        )


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_where_chooses_whole_numbers(dtype: Any) -> None:
    x, y = some(dtype, (333,)), some(dtype, (333,))
    flags = x.real > 0
    found = assert_one_answer(onebuf.where, flags, x, y)
    assert_same_bits(found, np.where(flags, x, y))


# -- sums ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(
    ("shape", "axis"),
    [((7,), None), ((20_011,), None), ((37, 211), 0), ((37, 211), 1), ((300, 5), 1), ((9, 8), ())],
    ids=str,
)
def test_a_sum_is_that_of_the_parts(dtype: Any, shape: Any, axis: Any) -> None:
    x = some(dtype, shape)
    found = assert_one_answer(lambda x: onebuf.sum(x, axis=axis), x)
    for name in ("real", "imag"):
        part = np.ascontiguousarray(getattr(x, name))
        wanted = compiled(lambda x: onebuf.sum(x, axis=axis), part)
        assert_same_bits(np.asarray(getattr(found, name)), wanted)
    np.testing.assert_allclose(found, np.sum(x, axis=axis, dtype=complex), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_a_sum_of_what_was_computed_is_one_kernel(dtype: Any) -> None:
    x, y = some(dtype, (40, 50)), some(dtype, (40, 50))
    assert_one_answer(lambda x, y: onebuf.sum(onebuf.conj(x) * y, axis=1) * 2, x, y)
    assert_one_answer(lambda x, y: onebuf.sum(onebuf.abs(x - y), axis=0), x, y)
    with config(eager_numel=0, tier="compile"):
        a, b = onebuf.asarray(x), onebuf.asarray(y)
        assert len(group([onebuf.sum(a * b)._node], supports)) == 1


def test_truth_is_folded_too() -> None:
    x = np.zeros((3, 40), complex)
    x[1, 7] = 1j
    assert assert_one_answer(lambda x: onebuf.any(x, axis=1), x).tolist() == [False, True, False]
    assert assert_one_answer(lambda x: onebuf.all(x + 1, axis=1), x).tolist() == [True, True, True]


# -- memory ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("check_bounds", [False, True])
def test_elements_move_with_all_their_bits(dtype: Any, check_bounds: bool) -> None:
    bits = np.random.default_rng(2).integers(0, 1 << 63, (70, 100 * dtype.itemsize // 8))
    x = bits.view(dtype)
    moves: list[Callable[[Any], Any]] = [
        lambda x: x.T,
        lambda x: x[:, ::-1],
        lambda x: x[::-1, ::3],
        lambda x: x[1:, 5::2].T,
        lambda x: x[:, ::29],
    ]
    for move in moves:
        with config(eager_numel=0, tier="compile", check_bounds=check_bounds):
            found = np.asarray(move(onebuf.asarray(x)).copy())
        assert found.tobytes() == np.ascontiguousarray(move(x)).tobytes()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("check_bounds", [False, True])
def test_views_are_computed_with_in_place(dtype: Any, check_bounds: bool) -> None:
    x, y = some(dtype, (64, 96)), some(dtype, (96, 64))
    with config(check_bounds=check_bounds):
        assert_one_answer(lambda x, y: x * 2 + y.T, x, y)
        assert_one_answer(lambda x, y: x[::-1, ::-2] - y.T[:, ::2], x, y)
        assert_one_answer(lambda x, y: onebuf.sum(x * y.T, axis=0) + x[0, :], x, y)
        assert_one_answer(lambda x, y: onebuf.sum(x.T, axis=1) - onebuf.sum(y, axis=1), x, y)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_elements_need_no_more_alignment_than_their_parts(dtype: Any) -> None:
    memory = np.zeros(101 * dtype.itemsize, np.uint8)
    part = dtype.itemsize // 2
    first = -memory.ctypes.data % dtype.itemsize + part
    z = memory[first : first + 99 * dtype.itemsize].view(dtype)
    z[...] = some(dtype, (99,))
    assert z.ctypes.data % dtype.itemsize == part
    assert_same_bits(assert_one_answer(lambda z: z + z, z), z + z)
    nest = Nest(
        1, (Slot(dtype, (1,)),) * 2, (Step(LOAD, (), dtype, 0), Step(STORE, (0,), dtype, 1))
    )
    text = render(nest, "kernel", Rendering(8))
    touches = [line for line in text.splitlines() if f"<8 x i{8 * dtype.itemsize}>" in line]
    assert len(touches) == 2
    assert all(line.endswith(f"align {part}") for line in touches)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_threads_and_streams_change_nothing(dtype: Any) -> None:
    x = np.resize(some(dtype, (1009,)), 1_700_001)

    def chain(x: Any) -> Any:
        return x * x + onebuf.conj(x)

    with config(threads=1):
        alone = compiled(chain, x)
    assert_same_bits(compiled(chain, x), alone)
    assert_same_bits(alone, product(x, x) + np.conj(x))


# -- other processors ------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", ["multiply", "divide"])
@pytest.mark.parametrize("target", PROCESSORS, ids=lambda target: target.cpu)
def test_other_processors_call_nothing_and_fuse_nothing(dtype: Any, name: str, target: Any) -> None:
    words = assembly(text_of(BINARY[name], dtype), "kernel", target).split()
    assert not [word for word in words if word.startswith(("vfm", "vfnm", "fmla", "fmls", "fmadd"))]
    assert not {"call", "callq", "bl"} & set(words)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", ["subtract", "multiply", "divide"])
def test_the_least_processor_has_the_same_bits(dtype: Any, name: str) -> None:
    x, y = some(dtype, (2, 999))
    found = run_on(host().baseline(), BINARY[name], x, y)
    assert_same_bits(found, compiled(getattr(onebuf, name), x, y))
