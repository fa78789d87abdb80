"""Kernels on VULKAN compute what NumPy computes, element by element, for every dtype they take."""

from __future__ import annotations

import numpy as np
import pytest

import onebuf
from onebuf import Buffer
from onebuf.dtypes import bfloat16, float8_e5m2, integer_of, kind
from onebuf.errors import ArgumentError, DTypeError, OnebufError
from onebuf.graph import BINARY, UNARY

WHOLE = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
REAL = ["float16", "float32", "float64"]
EXACT = {"float16": 2e-3, "float32": 4e-7, "float64": 9e-16}
"""What a function may be off, relative to the result: about four units in the last place."""

rng = np.random.default_rng(7)


@pytest.fixture(autouse=True)
def same_numbers():
    """Each test draws the same numbers, whatever ran before it."""
    global rng
    rng = np.random.default_rng(7)


def placed(array):
    return Buffer(array).to_device("VULKAN")


def fetched(buffer):
    assert buffer.device == "VULKAN"
    return np.asarray(buffer.to_device("CPU"))


def sample(name: str, size: int = 131):
    dtype = np.dtype(name)
    if dtype.kind == "b":
        return rng.integers(0, 2, size).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        x = rng.integers(info.min, info.max, size, dtype=dtype, endpoint=True)
        x[:8] = [0, 1, 2, 3, info.max, info.min, info.max - 1, 5]
        return x
    x = (rng.standard_normal(size) * rng.choice([0.01, 1, 10, 1e3], size)).astype(dtype)
    x[:8] = [0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 0.5]
    return x


def same(found, expected, rtol=0.0):
    assert found.dtype == expected.dtype
    if expected.dtype.kind != "f":
        np.testing.assert_array_equal(found, expected)
        return
    least = float(np.finfo(expected.dtype).tiny)
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=least)
    told = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found)[told], np.signbit(expected)[told])


def dtypes_of(function, *arrays_of):
    """The dtypes that a function takes on the host, and a result for each."""
    for name in [*WHOLE, *REAL]:
        arrays = [of(name) for of in arrays_of]
        try:
            expected = np.asarray(function(*[Buffer(array) for array in arrays]))
        except OnebufError:
            continue
        yield name, arrays, expected


CHEAP = {"int8", "int16", "uint16", "uint32", "int64", "uint64", "bool", "float16"}
"""Dtypes on which only some operations are tried, because each is a kernel to be compiled."""
OF_ALL_DTYPES = {
    *("abs", "negative", "bitwise_invert", "square", "sign", "add", "subtract", "multiply"),
    *("floor_divide", "remainder", "maximum", "less", "bitwise_left_shift", "logical_and"),
    *("bitwise_right_shift", "equal", "bitwise_xor", "exp"),
}


def tried(op: str, name: str) -> bool:
    return name not in CHEAP or op in OF_ALL_DTYPES


@pytest.mark.parametrize("op", sorted(set(UNARY) - {"reciprocal"}))
def test_unary_operations(op):
    function = getattr(onebuf, op)
    count = 0
    for name, (x,), expected in dtypes_of(function, sample):
        if tried(op, name):
            same(fetched(function(placed(x))), expected, EXACT.get(expected.dtype.name, 0))
            count += 1
    assert count


def second(op: str):
    def of(name: str):
        y = np.roll(sample(name), 3)
        if op == "pow" and kind(y.dtype) in "iu":
            return (y % 9).astype(y.dtype)
        return y

    return of


@pytest.mark.parametrize("op", sorted(set(BINARY) - {"nextafter"}))
def test_binary_operations(op):
    function = getattr(onebuf, op)
    count = 0
    for name, (x, y), expected in dtypes_of(function, sample, second(op)):
        if tried(op, name):
            rtol = 1e-12 if op == "logaddexp" else 0
            rtol = max(rtol, EXACT.get(expected.dtype.name, 0))
            same(fetched(function(placed(x), placed(y))), expected, rtol)
            count += 1
    assert count


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_numbers_are_rounded_to_whole_ones(name):
    x = np.array([-2.5, -1.5, -0.5, -0.3, -0.0, 0.5, 1.5, 2.5, 1e9 + 0.5, -1e20, np.inf], name)
    for op in ("round", "trunc", "floor", "ceil"):
        same(fetched(getattr(onebuf, op)(placed(x))), np.asarray(getattr(onebuf, op)(Buffer(x))))


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_the_next_number_after_another(name):
    x = sample(name)[2:]
    x = x[np.abs(x) > 1e-30]
    y = np.roll(x, 5)
    same(fetched(onebuf.nextafter(placed(x), placed(y))), np.nextafter(x, y))


@pytest.mark.parametrize("name", [*WHOLE, *REAL])
def test_elements_come_back_as_they_went_and_are_cast_to_all_others(name):
    x = sample(name)
    a = placed(x)
    assert fetched(a).tobytes() == x.tobytes()
    for target in [*WHOLE, *REAL]:
        found = fetched(a.astype(target))
        if name in REAL and target in WHOLE[1:]:
            expected = [integer_of(float(v), np.dtype(target)) for v in x]
            same(found, np.array(expected, target))
        else:
            with np.errstate(all="ignore"):
                same(found, x.astype(target), 1e-15)


SIGNED = {
    "abs": abs,
    "floor_divide": lambda x: x // 3,
    "greater": lambda x: x > -5,
    "less": lambda x: x < 0,
    "min": lambda x: x.min(),
    "negative": lambda x: -x,
    "product": lambda x: x * 1_000_000_007,
    "remainder": lambda x: x % 3,
    "shift": lambda x: x >> 1,
}


@pytest.mark.parametrize("name", SIGNED)
@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "uint8", "uint32"])
def test_integers_that_are_widened_in_the_same_kernel_keep_their_sign(name, dtype):
    x = np.array([-128, -1, 0, 5, 100, -7]).astype(dtype)
    device = Buffer(x).to_device("VULKAN")
    for wide in (np.int64, np.float64):
        if wide is np.float64 and name == "shift":
            continue
        found = np.asarray(SIGNED[name](device.astype(wide)).to_device("CPU"))
        np.testing.assert_array_equal(found, SIGNED[name](x.astype(wide)))
    signs = np.asarray(onebuf.sign(device.astype("int64")).to_device("CPU"))
    np.testing.assert_array_equal(signs, np.sign(x.astype("int64")))


@pytest.mark.parametrize("to", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floats_out_of_range_become_the_integers_that_they_are_on_the_host(dtype, to):
    x = np.array([np.nan, np.inf, -np.inf, -1.5, 300.7, -300.7, 70000.0, 2.0**31, -(2.0**31)])
    x = np.concat([x, [3e9, -3e9, 5e9, 2.0**63, -(2.0**63), 1e19, -1e19, 1e30]]).astype(dtype)
    found = np.asarray(Buffer(x).to_device("VULKAN").astype(to).to_device("CPU"))
    np.testing.assert_array_equal(found, np.asarray(Buffer(x).astype(to)))


def test_brain_floats_are_computed_in_float32_and_rounded():
    x = sample("float32")
    a = placed(x).astype(bfloat16)
    expected = x.astype(bfloat16)
    assert fetched(a).tobytes() == expected.tobytes()
    found = fetched(a * a).astype(np.float32)
    np.testing.assert_array_equal(found, (expected * expected).astype(np.float32))


@pytest.mark.parametrize("name", ["int8", "uint16", "bool", "float16"])
def test_neighbours_in_a_word_do_not_disturb_one_another(name):
    for size in (1, 2, 3, 5, 63, 64, 65, 1001):
        x = sample(name, max(size, 8))[:size]
        more = x.dtype.type(1)
        same(fetched(placed(x)[::-1] + more), x[::-1] + more)


def test_where_takes_one_of_two():
    for name in ("int8", "float32", "int64"):
        x, y, c = sample(name), np.roll(sample(name), 1), sample("bool")
        same(fetched(onebuf.where(placed(c), placed(x), placed(y))), np.where(c, x, y))


def test_products_and_sums_are_not_contracted():
    x = (1 + rng.random(4096)).astype(np.float32)
    y = (1 + rng.random(4096)).astype(np.float32)
    a, b = placed(x), placed(y)
    same(fetched(a * b - b * a + (a * b - x[0])), x * y - y * x + (x * y - x[0]))


def test_functions_are_accurate_for_large_and_small_arguments():
    x = np.array([1e5, 1e7, 1e15, 1e300, -3e22, 7.0e-310, 1e-20, 0.1, 3.0, -2.5])
    for function, of in ((onebuf.sin, np.sin), (onebuf.cos, np.cos), (onebuf.tan, np.tan)):
        np.testing.assert_allclose(fetched(function(placed(x))), of(x), rtol=1e-15, atol=1e-300)
    y = np.array([1e308, 1e20, -7.5, 5.0, 1e300])
    z = np.array([3e-308, 3.7, 2.25, -3.0, 1e-300])
    np.testing.assert_array_equal(fetched(placed(y) % placed(z)), y % z)


def test_scalars_are_arguments_and_share_a_program():
    driver = onebuf.device("VULKAN").driver
    a = placed(np.arange(6, dtype=np.int32))
    fetched(a * 7)
    known = len(driver.queue._programs)
    same(fetched(a * 11), np.arange(6, dtype=np.int32) * 11)
    other = placed(np.arange(40, dtype=np.int32))
    same(fetched(other * 5), np.arange(40, dtype=np.int32) * 5)
    assert len(driver.queue._programs) == known


def test_many_arguments_come_in_memory_of_their_own():
    x = np.arange(24.0).reshape(4, 6)
    a = placed(x)
    total, expected = a, x
    for number in range(1, 30):
        total, expected = total * (1 + number / 64) + number, expected * (1 + number / 64) + number
    np.testing.assert_allclose(fetched(total), expected, rtol=1e-15)


def test_negative_powers_of_whole_numbers_are_an_error():
    a, b = placed(np.array([2, 3])), placed(np.array([1, -1]))
    with pytest.raises(
        ArgumentError,
        match="Integers to negative integer powers are not allowed, got the exponent -1",
    ):
        fetched(a**b)
    same(fetched(a**a), np.array([4, 27]))


@pytest.mark.parametrize("name", ["complex64", "complex128"])
def test_complex_numbers(name):
    x = (rng.standard_normal(50) + 1j * rng.standard_normal(50)).astype(name)
    y = np.roll(x, 3)
    a, b = placed(x), placed(y)
    rtol = 1e-5 if name == "complex64" else 1e-14
    for op in ("add", "subtract", "multiply", "divide"):
        found = fetched(getattr(onebuf, op)(a, b))
        np.testing.assert_allclose(found, getattr(np, op)(x, y), rtol=rtol)
        assert found.dtype == x.dtype
    np.testing.assert_allclose(fetched(abs(a)), np.abs(x), rtol=rtol)
    np.testing.assert_array_equal(fetched(onebuf.conj(a)[::2]), np.conj(x)[::2])
    np.testing.assert_allclose(fetched((a * 2j).sum()), (x * 2j).sum(), rtol=rtol)


def test_what_the_device_lacks_is_moved_and_computing_with_it_is_an_error_that_says_so():
    x = np.arange(9).astype(float8_e5m2)
    a = placed(x)
    assert fetched(onebuf.concat([a, a[::-1]])).tobytes() == np.concatenate([x, x[::-1]]).tobytes()
    with pytest.raises(DTypeError, match="no kernel for multiply of float8_e5m2"):
        fetched(a * a)
