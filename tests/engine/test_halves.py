"""float16 and bfloat16: the bits of NumPy and ml_dtypes, the same in every tier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from one_answer import PROCESSORS, assert_one_answer, compiled, run_on, text_of
from random_expressions import assert_same_bits

import onebuf
from onebuf import config
from onebuf.backends.cpu import assembly, host
from onebuf.graph import BINARY, INEXACT, UNARY

Array = np.ndarray[Any, Any]
FLOAT16, BFLOAT16 = np.dtype("float16"), np.dtype(ml_dtypes.bfloat16)
HALVES = [FLOAT16, BFLOAT16]
ALL_BITS = np.arange(1 << 16, dtype=np.uint16)
WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
NUMPY = {"positive": lambda x: x, "round": np.rint}
OF_REALS = sorted(
    set(UNARY) - {"bitwise_invert", "conj", "real", "imag"} - {op.name for op in INEXACT}
)
OF_BITS = ("abs", "negative", "positive", "copysign")
OF_TWO = sorted(
    name
    for name in set(BINARY) - {op.name for op in INEXACT}
    if not name.startswith("bitwise") and name != "floor_divide"
)

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


# -- elements --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("name", OF_REALS)
def test_functions_have_the_bits_of_numpy_for_every_half(name: str, dtype: Any) -> None:
    x = ALL_BITS.view(dtype)
    found = assert_one_answer(getattr(onebuf, name), x)
    wanted = NUMPY.get(name, getattr(np, name))(x)
    assert_same_bits(found, wanted)
    if name in OF_BITS:
        np.testing.assert_array_equal(found.view(np.uint16), wanted.view(np.uint16))


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("name", sorted(op.name for op in INEXACT if op.name in UNARY))
def test_elementary_functions_are_those_of_float32_rounded_once(name: str, dtype: Any) -> None:
    x = ALL_BITS.view(dtype)
    function = getattr(onebuf, name)
    found = assert_one_answer(function, x)
    assert_same_bits(found, compiled(function, x.astype(np.float32)).astype(dtype))


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("name", sorted(op.name for op in INEXACT if op.name in BINARY))
def test_elementary_functions_of_two_are_those_of_float32(name: str, dtype: Any) -> None:
    rng = np.random.default_rng(5)
    x, y = (rng.normal(size=5000).astype(dtype) for _ in range(2))
    function = getattr(onebuf, name)
    found = assert_one_answer(function, x, y)
    wide = compiled(function, x.astype(np.float32), y.astype(np.float32))
    assert_same_bits(found, wide.astype(dtype))


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("name", OF_TWO)
def test_operations_on_pairs_have_the_bits_of_numpy(name: str, dtype: Any) -> None:
    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.integers(0, 65535), min_size=2, max_size=60))
    def check(numbers: list[int]) -> None:
        bits = np.array(numbers, np.uint16)
        x, y = np.repeat(bits, len(bits)).view(dtype), np.tile(bits, len(bits)).view(dtype)
        found = assert_one_answer(getattr(onebuf, name), x, y)
        wanted = getattr(np, name)(x, y)
        assert_same_bits(found, wanted)
        if name in OF_BITS:
            np.testing.assert_array_equal(found.view(np.uint16), wanted.view(np.uint16))

    check()


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_a_quotient_with_infinities_is_the_standards_in_every_tier(dtype: Any) -> None:
    x = np.array([1, -1, np.inf, -np.inf, 5, 0, 7], dtype)
    y = np.array([-np.inf, np.inf, 2, 2, 2, 3, -2], dtype)
    found = assert_one_answer(onebuf.floor_divide, x, y)
    assert found.astype(float).tolist() == [0, 0, np.inf, -np.inf, 2, 0, -4]


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_where_keeps_all_bits(dtype: Any) -> None:
    x, y = ALL_BITS.view(dtype), ALL_BITS[::-1].view(dtype)
    flags = ALL_BITS % 3 == 0
    found = assert_one_answer(onebuf.where, flags, x, y)
    wanted = np.where(flags, ALL_BITS, ALL_BITS[::-1])
    np.testing.assert_array_equal(found.view(np.uint16), wanted)


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_what_was_computed_is_computed_with(dtype: Any) -> None:
    rng = np.random.default_rng(6)
    x, y = (rng.integers(0, 1 << 16, 5000, dtype=np.uint16).view(dtype) for _ in range(2))
    expressions: list[Callable[..., Any]] = [
        lambda xp, x, y: xp.maximum(x, y) * x - y,
        lambda xp, x, y: xp.minimum(x, y) / (x * y),
        lambda xp, x, y: xp.where(x < y, x * y, y) + x,
        lambda xp, x, y: xp.floor(x) * y - abs(xp.trunc(y) + x),
        lambda xp, x, y: xp.copysign(x * y, x + y) - x,
    ]
    for expression in expressions:
        found = assert_one_answer(lambda x, y, e=expression: e(onebuf, x, y), x, y)
        assert_same_bits(found, expression(np, x, y))


def test_halves_of_two_kinds_meet_in_float32() -> None:
    x, y = ALL_BITS.view(FLOAT16), ALL_BITS.view(BFLOAT16)
    found = assert_one_answer(lambda a, b: a + b, x, y)
    assert_same_bits(found, x.astype(np.float32) + y.astype(np.float32))


# -- conversions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("other", ["bool", *WHOLE, "float16", "bfloat16", "float32", "float64"])
def test_every_half_is_converted_as_numpy_does(dtype: Any, other: str) -> None:
    target = BFLOAT16 if other == "bfloat16" else np.dtype(other)
    x = ALL_BITS.view(dtype)
    if other in WHOLE:
        info, wide = np.iinfo(target), x.astype(np.float64)
        x = x[(wide > float(info.min) - 1) & (wide < float(info.max))]
    found = assert_one_answer(lambda x: onebuf.astype(x, target), x)
    assert_same_bits(found, x.astype(target))


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("other", ["bool", *WHOLE, "float32", "float64"])
def test_numbers_are_rounded_to_halves_as_numpy_does(dtype: Any, other: str) -> None:
    source = np.dtype(other)
    rng = np.random.default_rng(3)
    if source.kind == "f":
        near = ALL_BITS.view(dtype).astype(source)
        offsets = [side * 2.0**-bits for bits in (8, 9, 11, 12, 22, 40) for side in (-1, 1, 3)]
        factors = [1 + one + two for one in offsets for two in offsets]
        x = np.concatenate([near * source.type(factor) for factor in factors[::7]])
    elif source.kind == "b":
        x = np.array([False, True])
    else:
        info = np.iinfo(source)
        x = rng.integers(info.min, info.max, 1 << 16, dtype=source, endpoint=True)
        x >>= rng.integers(0, 8 * source.itemsize, 1 << 16).astype(source)
    found = assert_one_answer(lambda x: onebuf.astype(x, dtype), x)
    assert_same_bits(found, x.astype(dtype))


def test_a_double_is_rounded_to_float16_only_once() -> None:
    x = np.array([1 + 2.0**-11 + 2.0**-40, 1 + 3 * 2.0**-11 - 2.0**-40])  # nearly ties
    found = compiled(lambda x: onebuf.astype(x, onebuf.float16), x)
    assert found.tolist() == [1 + 2.0**-10, 1 + 2.0**-10]


# -- folds -----------------------------------------------------------------------------------------


def some(dtype: Any, shape: tuple[int, ...]) -> Array:
    """Multiples of 1/64 up to 4, whose sums are exact in float64."""
    return (np.random.default_rng(8).integers(-256, 257, shape) / 64).astype(dtype)


SHAPES = [((7,), None), ((20_011,), None), ((37, 211), 0), ((37, 211), 1), ((300, 5), 1)]


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize(("shape", "axis"), SHAPES, ids=str)
def test_a_sum_is_rounded_once(dtype: Any, shape: Any, axis: Any) -> None:
    x = some(dtype, shape)
    found = assert_one_answer(lambda x: onebuf.sum(x, axis=axis), x)
    wanted = np.asarray(np.sum(x.astype(np.float64), axis=axis)).astype(dtype)
    assert_same_bits(found, wanted)


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize(("shape", "axis"), SHAPES, ids=str)
def test_other_folds_are_those_of_numpy(dtype: Any, shape: Any, axis: Any) -> None:
    x = some(dtype, shape)
    for name in ("max", "min", "any", "all"):
        found = assert_one_answer(lambda x, name=name: getattr(onebuf, name)(x, axis=axis), x)
        assert_same_bits(
            found,
            np.asarray(getattr(np, name)(x.astype(np.float32), axis=axis)).astype(found.dtype),
        )
    near_one = (1 + x / 512).astype(dtype)
    found = assert_one_answer(lambda x: onebuf.prod(x, axis=axis), near_one)
    wanted = np.prod(near_one.astype(np.float64), axis=axis)
    np.testing.assert_allclose(found.astype(np.float64), wanted, rtol=2.0**-8)


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_a_nan_is_the_extreme_of_all(dtype: Any) -> None:
    x = some(dtype, (20, 40))
    x[3, 7] = np.nan
    for name in ("max", "min"):
        found = assert_one_answer(lambda x, name=name: getattr(onebuf, name)(x, axis=1), x)
        assert np.flatnonzero(np.isnan(found)).tolist() == [3]


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_means_and_softmax_are_the_same_in_every_tier(dtype: Any) -> None:
    def softmax(x: Any) -> Any:
        e = onebuf.exp(x - onebuf.max(x, axis=-1, keepdims=True))
        return e / onebuf.sum(e, axis=-1, keepdims=True)

    x = some(dtype, (37, 211))
    assert_one_answer(softmax, x)
    assert_one_answer(lambda x: onebuf.mean(x, axis=0), x)
    assert_one_answer(lambda x: onebuf.var(x, axis=1), x)


# -- memory ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("check_bounds", [False, True])
def test_elements_move_with_all_their_bits(dtype: Any, check_bounds: bool) -> None:
    x = ALL_BITS.reshape(256, 256).view(dtype)
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
        np.testing.assert_array_equal(found.view(np.uint16), move(x).view(np.uint16))


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_views_are_computed_with_in_place(dtype: Any) -> None:
    x, y = some(dtype, (64, 96)), some(dtype, (96, 64))
    assert_one_answer(lambda x, y: x * 2 + y.T, x, y)
    assert_one_answer(lambda x, y: x[::-1, ::-2] - y.T[:, ::2], x, y)
    assert_one_answer(lambda x, y: onebuf.sum(x * y.T, axis=0) + x[0, :], x, y)


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_threads_and_streams_change_nothing(dtype: Any) -> None:
    x = np.resize(some(dtype, (1009,)), 7_000_001)

    def chain(x: Any) -> Any:
        return x * x + x / 3

    with config(threads=1):
        alone = compiled(chain, x)
    assert_same_bits(compiled(chain, x), alone)
    assert_same_bits(alone, x * x + x / dtype.type(3))


# -- other processors ------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("target", PROCESSORS, ids=lambda target: target.cpu)
def test_other_processors_convert_by_instructions_or_by_our_functions(
    dtype: Any, target: Any
) -> None:
    words = assembly(text_of(BINARY["add"], dtype), "kernel", target).split()
    called = {word.partition("@")[0] for word in words if word.startswith("__")}
    ours = target.cpu == "x86-64" and dtype == FLOAT16
    assert called == ({"__extendhfsf2", "__truncsfhf2"} if ours else set())


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("name", ["add", "divide", "maximum", "pow"])
def test_the_least_processor_has_the_same_bits(dtype: Any, name: str) -> None:
    x, y = (np.resize(ALL_BITS[::step], 40_000).view(dtype) for step in (-7, 11))
    found = run_on(host().baseline(), BINARY[name], x, y)
    assert_same_bits(found, compiled(getattr(onebuf, name), x, y))


# -- accuracy --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("name", sorted(op.name for op in INEXACT if op.name in UNARY))
def test_functions_of_halves_are_nearly_correctly_rounded(name: str, dtype: Any) -> None:
    x = ALL_BITS.view(dtype)
    function = getattr(onebuf, name)
    found = compiled(function, x)
    exact = compiled(function, x.astype(np.float64))
    info = ml_dtypes.finfo(dtype)
    usual = np.isfinite(exact) & (np.abs(exact) <= float(info.max))
    size = np.maximum(np.abs(exact[usual]), float(info.smallest_normal))
    unit = 2.0 ** (np.floor(np.log2(size)) - info.nmant)
    error = np.abs(found[usual].astype(np.float64) - exact[usual]) / unit
    assert usual.sum() > 10_000
    assert error.max() < 0.501
