"""Every operation on every dtype is NumPy's, on numbers that are hard."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from opencl_running import DEVICE, Bundle, driver

import onebuf
from onebuf import Buffer
from onebuf.backends.numpy.loops import run_into
from onebuf.dtypes import integer_of
from onebuf.errors import ArgumentError, DTypeError
from onebuf.graph import BINARY, CAST, RANDOM_WORDS, SCAN, UNARY, WHERE, elementwise_dtype
from onebuf.graph.loop_dtypes import loop_dtypes
from onebuf.ops.random.philox import word_at

REALS = ["float16", "bfloat16", "float32", "float64"]
WHOLES = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
COMPLEXES = ["complex64", "complex128"]
DTYPES = ["bool", *WHOLES, *REALS, *COMPLEXES]

ULPS = {"float16": 1, "bfloat16": 1, "float32": 8, "float64": 8, "complex64": 8, "complex128": 8}
"""How far math functions may be off; all else is exact."""
EXACT = frozenset(
    {*("abs", "bitwise_invert", "ceil", "conj", "floor", "imag", "isfinite", "isinf", "isnan")}
    | {*("logical_not", "negative", "positive", "real", "round", "sign", "signbit", "square")}
    | {*("trunc", "sqrt", "reciprocal", "add", "subtract", "multiply", "divide", "copysign")}
    | {*("equal", "greater", "greater_equal", "less", "less_equal", "not_equal", "maximum")}
    | {*("minimum", "logical_and", "logical_or", "logical_xor", "floor_divide", "remainder")}
    | {*("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "nextafter")}
    | {"bitwise_right_shift"}
)

ANY_ZERO = frozenset({"maximum", "minimum", "sign"})
"""Which of two zeros comes out is left open."""


def numbers(dtype: str) -> np.ndarray:
    """Numbers of a dtype that operations stumble over, and some ordinary ones."""
    kind = np.dtype(dtype).kind
    if dtype == "bool":
        return np.array([False, True, True])
    if kind in "iu":
        info = np.iinfo(dtype)
        edges = [info.min, info.min + 1, info.max, info.max - 1]
        near = [n for n in (*range(-3, 4), -7, 5, 7, 8, 31, 63, 64, 100) if n >= info.min]
        return np.array([*map(int, edges), *near], dtype)
    if kind == "c":
        parts = np.array([0.0, -0.0, 1.5, -2.25, np.inf, np.nan, 3.0])
        whole = np.empty((7, 7), dtype)
        whole.real, whole.imag = parts[:, None], parts
        return whole.ravel()
    info = ml_dtypes.finfo(dtype)
    edges = [info.max, info.tiny, info.smallest_subnormal, -info.max, np.inf, -np.inf, np.nan]
    near = [0.0, -0.0, 0.5, 1.0, 1.5, 2.5, 3.0, -0.5, -1.0, -1.5, -2.5, -7.25, 0.1, 100.0, 1e-3]
    return np.array([*[float(edge) for edge in edges], *near]).astype(dtype)


def pairs(dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """Every number next to every one."""
    values = numbers(dtype)[:22]
    one, two = np.meshgrid(values, values, indexing="ij")
    return one.ravel(), two.ravel()


def assert_close(found, expected, ulps):
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    if expected.dtype.kind == "c":
        for part in ("real", "imag"):
            assert_close(getattr(found, part), getattr(expected, part), ulps)
        return
    if expected.dtype.kind in "biu":
        np.testing.assert_array_equal(found, expected)
        return
    real, other = expected.astype(np.float64), found.astype(np.float64)
    np.testing.assert_array_equal(np.isnan(other), np.isnan(real))
    if ulps == 0:
        np.testing.assert_array_equal(other, real)
        zeros = real == 0
        np.testing.assert_array_equal(np.signbit(other[zeros]), np.signbit(real[zeros]))
        return
    eps, tiny = (
        float(ml_dtypes.finfo(expected.dtype).eps),
        float(ml_dtypes.finfo(expected.dtype).tiny),
    )
    with np.errstate(all="ignore"):
        near = np.abs(other - real) <= ulps * eps * np.abs(real) + ulps * tiny
    assert np.all(near | (other == real) | np.isnan(real)), (found, expected)


def computed(op, *arrays):
    """What NumPy computes of operands that have the dtype of the loop."""
    out = np.empty(arrays[0].shape, elementwise_dtype(op, *[array.dtype for array in arrays]))
    with np.errstate(all="ignore"):
        run_into(op, arrays, None, out)
    return out


def has_kernel(op, *dtypes) -> bool:
    """Whether the device computes ``op`` in these dtypes, and NumPy does."""
    kinds = tuple([np.dtype(dtype) for dtype in dtypes])
    try:
        result = elementwise_dtype(op, *kinds)
    except DTypeError:
        return False
    return loop_dtypes(op, kinds) == kinds and driver().supports(op, kinds, result)


def chunks(names, size=6):
    names = sorted(names)
    return [names[at : at + size] for at in range(0, len(names), size)]


def ulps_of(name, expected, dtype):
    if np.dtype(dtype).kind == "c" and name in ("abs", "divide"):
        return 4
    return 0 if name in EXACT else ULPS.get(expected.dtype.name, 0)


def check(bundle):
    for (name, dtype), found, expected in bundle.run():
        try:
            if name in ANY_ZERO:
                found, expected = found + found.dtype.type(0), expected + expected.dtype.type(0)
            assert_close(found, expected, ulps_of(name, expected, dtype))
        except AssertionError as error:
            raise AssertionError(f"{name} of {dtype}: {error}") from None


@pytest.mark.parametrize("names", chunks(UNARY), ids=" ".join)
def test_unary(names):
    bundle = Bundle(64)
    for dtype in DTYPES:
        x = np.resize(numbers(dtype), 64)
        loaded = bundle.load(x)
        for name in [name for name in names if has_kernel(UNARY[name], dtype)]:
            expected = computed(UNARY[name], x)
            result = bundle.add(UNARY[name], (loaded,), expected.dtype)
            bundle.expect((name, dtype), result, expected)
    assert len(bundle.expected) >= 4 * len(names)
    check(bundle)


@pytest.mark.parametrize("names", chunks(BINARY), ids=" ".join)
def test_binary(names):
    bundle = Bundle(500)
    for dtype in DTYPES:
        x, y = (np.resize(array, 500) for array in pairs(dtype))
        one, two = bundle.load(x), bundle.load(y)
        for name in [name for name in names if has_kernel(BINARY[name], dtype, dtype)]:
            if name == "pow" and np.dtype(dtype).kind == "i":
                continue  # its exponents may not be negative: see below
            expected = computed(BINARY[name], x, y)
            result = bundle.add(BINARY[name], (one, two), expected.dtype)
            bundle.expect((name, dtype), result, expected)
    assert len(bundle.expected) >= 2 * len(names)
    check(bundle)


def test_powers_of_whole_numbers_wrap():
    bundle = Bundle(500)
    for dtype in ("int8", "int16", "int32", "int64"):
        x, y = pairs(dtype)
        x, y = (np.resize(array[y >= 0], 500) for array in (x, y))
        result = bundle.add(BINARY["pow"], (bundle.load(x), bundle.load(y)), dtype)
        bundle.expect(("pow", dtype), result, computed(BINARY["pow"], x, y))
    check(bundle)


def test_a_whole_number_has_no_negative_power():
    x = Buffer(np.array([2, 3])).to_device(DEVICE)
    y = Buffer(np.array([1, -2])).to_device(DEVICE)
    with pytest.raises(ArgumentError, match="got the exponent -2"):
        (x**y).to_device("CPU").tolist()
    assert (x**x).to_device("CPU").tolist() == [4, 27]


def test_casts():
    bundle = Bundle(64)
    for source in DTYPES:
        x = np.resize(numbers(source), 64)
        loaded = bundle.load(x)
        for target in DTYPES:
            if np.dtype(source).kind != "c" or np.dtype(target).kind in "cb":
                result = bundle.add(CAST, (loaded,), target)
                bundle.expect(("positive", f"{source} to {target}"), result, cast(x, target))
    for what, found, expected in bundle.run():
        try:
            assert_close(found, expected, 0)
        except AssertionError as error:
            raise AssertionError(f"{what}: {error}") from None


def cast(x, target):
    """NumPy's cast; floats out of range are as on the host."""
    with np.errstate(all="ignore"):
        if np.dtype(target).kind not in "iu" or x.dtype.kind in "biu":
            return x.astype(target)
        return np.array([integer_of(float(v), np.dtype(target)) for v in x], target)


def test_choices():
    bundle = Bundle(64)
    test = np.arange(64) % 3 == 0
    loaded = bundle.load(test)
    for dtype in DTYPES:
        x = np.resize(numbers(dtype), 64)
        result = bundle.add(WHERE, (loaded, bundle.load(x), bundle.load(x[::-1])), dtype)
        bundle.expect(("positive", dtype), result, np.where(test, x, x[::-1]))
    check(bundle)


@pytest.mark.parametrize("op", RANDOM_WORDS, ids=lambda op: f"{RANDOM_WORDS[op]} bits")
def test_random_words(op):
    positions = np.array([0, 1, 2, 3, 4, 5, 2**33 + 7, 2**63 - 1], np.uint64)
    key, stream = np.full(8, 0x123456789ABCDEF0, np.uint64), np.full(8, 2**40 + 3, np.uint64)
    bits = RANDOM_WORDS[op]
    words = [word_at(p, key[0], stream[0], bits) for p in positions]
    bundle = Bundle(8)
    args = tuple([bundle.load(array) for array in (positions, key, stream)])
    expected = np.array(words, f"uint{bits}")
    bundle.expect(("positive", expected.dtype), bundle.add(op, args, expected.dtype), expected)
    check(bundle)


def on_device(call, x):
    """What the device makes of ``call``."""
    found = call(Buffer(x).to_device(DEVICE))
    assert found.device == DEVICE
    return np.asarray(found.to_device("CPU"))


FOLDED = {
    "sum": ["int8", "uint32", "float16", "float32", "complex64"],
    "prod": ["int64", "float64"],
    "max": ["bool", "int8", "uint64", "bfloat16", "float32"],
    "min": ["bool", "int64", "float64"],
    "all": ["bool", "float32", "complex64"],
    "any": ["uint8", "float16"],
    "argmax": ["int16", "float32"],
    "argmin": ["float64"],
}


@pytest.mark.parametrize("name", FOLDED)
def test_folds(name):
    for dtype in FOLDED[name]:
        x = np.resize(numbers(dtype), (3, 20))
        if name in ("sum", "prod") and dtype not in WHOLES:
            x = np.resize(np.array([0.5, 1.5, -2.0, 3.0, 0.25, 1.0]).astype(dtype), (3, 20))
        found = on_device(lambda b: getattr(onebuf, name)(b, axis=1), x)
        expected = np.asarray(getattr(onebuf, name)(Buffer(x), axis=1))
        assert_close(found, expected, 2 if name in ("sum", "prod") else 0)


@pytest.mark.parametrize("name", sorted(SCAN))
def test_running_results(name):
    call = getattr(onebuf, f"cumulative_{name}")
    for dtype in ("uint64", "float32"):
        x = np.arange(1, 13).reshape(3, 4).astype(dtype)
        found = on_device(lambda b: call(b, axis=1), x)
        assert_close(found, np.asarray(call(Buffer(x), axis=1)), 0)


@pytest.mark.parametrize("dtype", ["complex128", "float8_e5m2", "bool"])
def test_views_of_every_dtype_can_be_copied(dtype):
    x = np.arange(12).astype(dtype)
    np.testing.assert_array_equal(on_device(lambda b: b[::-2], x), x[::-2])


def test_what_the_device_lacks_is_an_error_that_says_so():
    x = Buffer(np.ones(3, np.complex64)).to_device(DEVICE)
    with pytest.raises(DTypeError, match="OPENCL has no kernel for exp of complex64"):
        onebuf.exp(x).realize()
    assert (x + x).to_device("CPU").tolist() == [2, 2, 2]
