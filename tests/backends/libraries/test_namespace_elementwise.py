"""Every elementwise operation on every dtype, on torch and on jax: what NumPy has is what comes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from array_devices import (
    PRECISION,
    assert_same,
    driver,
    is_left_out,
    on_library,
    on_numpy,
    pairs,
    values,
)

from onebuf import dtypes
from onebuf.errors import ArgumentError, DTypeError
from onebuf.graph import BINARY, CAST, COMPLEX, UNARY, WHERE, Op, elementwise_dtype

pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("jax", reason="jax is not installed")
pytestmark = pytest.mark.interop
__all__ = ["driver"]

FREE = {"maximum", "minimum", "nextafter"}
"""Where NumPy's own loops disagree on the sign of a zero."""

each_dtype = pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)


def check(driver: Any, op: Op, arrays: tuple[Any, ...], dtype: Any) -> None:
    inexact = not op.is_exact or arrays[0].dtype.kind == "c"
    precision = PRECISION.get(dtype.name, 0.0) if inexact else 0.0
    shape = np.broadcast_shapes(*[x.shape for x in arrays])
    wanted = on_numpy(op, arrays, None, shape, dtype)
    got = on_library(driver, op, arrays, None, shape, dtype)
    if op.name in FREE and dtypes.kind(dtype) == "f":
        got, wanted = (np.where(x == 0, np.zeros_like(x), x) for x in (got, wanted))
    assert_same(got, wanted, precision, (op, [x.dtype.name for x in arrays]))


def result_of(op: Op, *operands: Any) -> Any:
    """The dtype of a result; None where there is none."""
    try:
        return elementwise_dtype(op, *operands)
    except DTypeError:
        return None


@each_dtype
@pytest.mark.parametrize("name", sorted(UNARY))
def test_functions_of_one_operand(driver, name, dtype):
    op = UNARY[name]
    result = result_of(op, dtype)
    if result is None or is_left_out(driver, dtype, sorted(UNARY).index(name)):
        return
    x = values(dtype)
    if name == "reciprocal" and dtype.kind in "iub":
        x = x[x != 0]  # of which NumPy makes whatever the processor makes
    check(driver, op, (x,), result)


@each_dtype
@pytest.mark.parametrize("name", sorted(BINARY))
def test_functions_of_two_operands(driver, name, dtype):
    op = BINARY[name]
    result = result_of(op, dtype, dtype)
    if result is None or is_left_out(driver, dtype, sorted(BINARY).index(name)):
        return
    x, y = pairs(dtype, dtype)
    if name == "pow" and dtype.kind == "i":
        x, y = x[y >= 0], y[y >= 0]
    if name == "pow" and dtype.kind == "c":
        x, y = x[x != 0], y[x != 0]
    if name == "nextafter" and dtype.name.startswith("float8"):
        with pytest.raises(DTypeError, match="to_device"):
            check(driver, op, (x, y), result)
        return
    check(driver, op, (x, y), result)


MIXED = [
    ("int64", "uint64"),
    ("uint64", "int64"),
    ("int8", "uint32"),
    ("uint16", "float32"),
    ("bool", "int16"),
    ("float16", "int32"),
    ("bfloat16", "float64"),
    ("bfloat16", "int8"),
    ("float32", "complex128"),
    ("uint8", "bool"),
]


@pytest.mark.parametrize("one, two", MIXED)
@pytest.mark.parametrize("name", ["add", "divide", "less", "greater_equal", "equal", "maximum"])
def test_operands_of_two_dtypes_meet_as_in_numpy(driver, name, one, two):
    op = BINARY[name]
    if driver.library == "jax" and name not in ("add", "less"):
        return
    x, y = pairs(dtypes.as_dtype(one), dtypes.as_dtype(two))
    result = elementwise_dtype(op, x.dtype, y.dtype)
    wanted = on_numpy(op, (x, y), None, x.shape, result)
    got = on_library(driver, op, (x, y), None, x.shape, result)
    if name == "maximum":
        got, wanted = (np.where(z == 0, np.zeros_like(z), z) for z in (got, wanted))
    assert_same(got, wanted, PRECISION[result.name] if result.kind == "c" else 0.0)


def test_a_number_meets_every_element(driver):
    x, y = np.arange(6.0).reshape(2, 3), np.array(2.0)
    check(driver, BINARY["subtract"], (x, y), x.dtype)
    check(driver, BINARY["pow"], (y, x), x.dtype)


@pytest.mark.parametrize("shape", [(), (29,), (23, 1)])
def test_quotients_are_exact_whatever_is_broadcast(driver, shape):
    numbers = np.random.default_rng(0)
    x = numbers.normal(size=(23, 29)).astype(np.float32)
    y = np.asarray(numbers.normal(size=shape), np.float32)
    check(driver, BINARY["divide"], (x, y), x.dtype)


@pytest.mark.parametrize("source", dtypes.ALL, ids=str)
def test_conversions(driver, source):
    x = values(source)
    for target in dtypes.ALL:
        if is_left_out(driver, source, 0) or is_left_out(driver, target, 7):
            continue
        if dtypes.kind(source) in "fc" and dtypes.kind(target) in "iu":
            lowest = 0 if target.kind == "u" else -3
            x_fits = np.array([lowest, 0, 1, 2.5, 100]).astype(source)
        else:
            x_fits = x
        wanted = on_numpy(CAST, (x_fits,), target, x_fits.shape, target)
        got = on_library(driver, CAST, (x_fits,), target, x_fits.shape, target)
        assert_same(got, wanted, 0.0, (source, target))


@each_dtype
def test_where_chooses(driver, dtype):
    if is_left_out(driver, dtype):
        return
    x = values(dtype)
    condition = np.arange(x.size) % 3 == 0
    wanted = on_numpy(WHERE, (condition, x, x[::-1]), None, x.shape, dtype)
    assert_same(on_library(driver, WHERE, (condition, x, x[::-1]), None, x.shape, dtype), wanted)


@pytest.mark.parametrize("dtype", [dtypes.complex64, dtypes.complex128], ids=str)
def test_complex_numbers_are_made_of_their_parts(driver, dtype):
    real, imaginary = pairs(dtypes.float32, dtypes.float32)
    wanted = on_numpy(COMPLEX, (real, imaginary), None, real.shape, dtype)
    assert_same(on_library(driver, COMPLEX, (real, imaginary), None, real.shape, dtype), wanted)


@pytest.mark.parametrize("dtype", [dtypes.int8, dtypes.int64], ids=str)
def test_whole_numbers_have_no_negative_powers(driver, dtype):
    x = np.array([2, 3], dtype)
    with pytest.raises(ArgumentError, match="exponent -1"):
        on_library(driver, BINARY["pow"], (x, -np.ones_like(x)), None, x.shape, dtype)


@pytest.mark.parametrize("dtype", dtypes.STANDARD, ids=str)
def test_no_elements_are_no_trouble(driver, dtype):
    nothing = np.empty((0, 3), dtype)
    if is_left_out(driver, dtype):
        return
    for name in ("equal", "multiply"):
        check(driver, BINARY[name], (nothing, nothing), result_of(BINARY[name], dtype, dtype))
