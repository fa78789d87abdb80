"""Reductions, scans, movement, gathers, products and generators on torch and on jax."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from array_devices import PRECISION, assert_same, driver, is_left_out, on_library, on_numpy

from onebuf import dtypes
from onebuf.errors import DeviceError, DTypeError, IndexRangeError
from onebuf.graph import (
    ARANGE,
    CONCAT,
    CONSTANT,
    COPY,
    EMPTY,
    FULL,
    LIBRARY,
    MATMUL,
    PAD,
    RANDOM_BITS,
    REDUCE,
    SCAN,
    TAKE,
    TAKE_ALONG,
    Op,
    reduce_dtype,
    reduction,
)
from onebuf.ops.library import LibraryCall
from onebuf.ops.movement import Padding

pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("jax", reason="jax is not installed")
pytestmark = pytest.mark.interop
__all__ = ["driver"]

Array = np.ndarray[Any, Any]
each_dtype = pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)


def some(dtype: Any, shape: tuple[int, ...], seed: int = 0) -> Array:
    """Small numbers, many of them more than once."""
    found = np.random.default_rng(seed).integers(-3, 4, shape)
    if dtypes.kind(dtype) in "bu":
        found = abs(found)
    return found.astype(dtype) + (1j if dtype.kind == "c" else np.zeros((), dtype))


def check(driver: Any, op: Op, arrays: Any, arg: Any, shape: Any, dtype: Any) -> None:
    wanted = on_numpy(op, arrays, arg, shape, dtype)
    got = on_library(driver, op, arrays, arg, shape, dtype)
    assert_same(got, wanted, PRECISION.get(dtype.name, 0.0), (op, arg))


@each_dtype
@pytest.mark.parametrize("name", sorted(REDUCE))
def test_reductions(driver, name, dtype):
    if is_left_out(driver, dtype, 2 * sorted(REDUCE).index(name)):
        return
    op = REDUCE[name]
    x = some(dtype, (2, 3, 4))
    try:
        result = reduce_dtype(op, dtype)
    except DTypeError:
        return
    every = [(1, False), (None, True), ((0, 2), False), (0, True)]
    if driver.library == "jax":
        every = every[:2]
    for axis, keepdims in every:
        if name.startswith("arg") and isinstance(axis, tuple):
            continue
        axes, shape = reduction(op, x.shape, axis, keepdims)
        check(driver, op, (x,), (axes, keepdims), shape, result)


@pytest.mark.parametrize("name", sorted(REDUCE))
def test_reductions_of_one_element_and_along_no_axis(driver, name):
    one, x = np.array(2.5), np.arange(6.0).reshape(2, 3)
    result = reduce_dtype(REDUCE[name], one.dtype)
    check(driver, REDUCE[name], (one,), ((), False), (), result)
    if not name.startswith("arg"):
        check(driver, REDUCE[name], (x,), ((), False), x.shape, result)


@pytest.mark.parametrize("name", ["sum", "prod", "any", "all"])
def test_reductions_of_nothing_have_their_neutral_element(driver, name):
    x = np.empty((0, 3), np.float32)
    check(driver, REDUCE[name], (x,), ((0,), False), (3,), reduce_dtype(REDUCE[name], x.dtype))


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
def test_what_is_not_a_number_is_every_extreme(driver, name):
    x = np.array([[1.0, np.nan, 3.0, np.nan], [np.inf, 2.0, -np.inf, 0.0]])
    check(driver, REDUCE[name], (x,), ((1,), False), (2,), reduce_dtype(REDUCE[name], x.dtype))


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin", "sum", "prod"])
def test_large_unsigned_numbers_are_large(driver, name):
    x = np.array([[5, 2**64 - 1, 2**63], [2**63, 7, 2**63 - 1]], np.uint64)
    result = reduce_dtype(REDUCE[name], x.dtype)
    check(driver, REDUCE[name], (x,), ((1,), False), (2,), result)


def test_truth_is_counted(driver):
    x = np.array([[True, False, True], [True, True, True]])
    check(driver, REDUCE["sum"], (x,), ((1,), False), (2,), dtypes.int64)


@each_dtype
@pytest.mark.parametrize("name", sorted(SCAN))
def test_scans(driver, name, dtype):
    if is_left_out(driver, dtype):
        return
    x = some(dtype, (3, 4))
    result = reduce_dtype(REDUCE[name], dtype)
    for axis in (0, 1) if driver.library == "torch" else (1,):
        check(driver, SCAN[name], (x.astype(result),), axis, x.shape, result)


@each_dtype
def test_movement(driver, dtype):
    if is_left_out(driver, dtype):
        return
    x, y = some(dtype, (2, 3)), some(dtype, (2, 1), 1)
    check(driver, COPY, (x,), None, x.shape, dtype)
    check(driver, CONCAT, (x, y, x), 1, (2, 7), dtype)
    check(driver, PAD, (x,), Padding(((1, 2), (0, 3)), dtype.type(1)), (5, 6), dtype)
    check(driver, PAD, (x,), Padding(((0, 0), (0, 0)), dtype.type(1)), (2, 3), dtype)


@each_dtype
def test_elements_are_taken_by_index(driver, dtype):
    if is_left_out(driver, dtype):
        return
    x = some(dtype, (3, 4))
    indices = np.array([[0, -1, 2], [3, -4, 1]])
    check(driver, TAKE, (x, indices), 1, (3, 2, 3), dtype)
    check(driver, TAKE, (x, np.array(-3)), 0, (4,), dtype)
    check(driver, TAKE_ALONG, (x, np.array([[1, -1], [0, 2], [-4, 3]])), 1, (3, 2), dtype)
    check(driver, TAKE_ALONG, (x, np.array([[2, -3, 0, 1]])), 0, (1, 4), dtype)
    check(driver, TAKE_ALONG, (x[:1], np.array([[2], [-1]])), 1, (2, 1), dtype)


@pytest.mark.parametrize("op", [TAKE, TAKE_ALONG])
@pytest.mark.parametrize("wrong", [3, -4, 2**62])
def test_an_index_outside_is_an_error_and_the_next_one_is_not(driver, op, wrong):
    x = np.arange(3.0)
    with pytest.raises(IndexRangeError, match=rf"-3\.\.2, got {wrong}"):
        on_library(driver, op, (x, np.array([0, wrong])), 0, (2,), x.dtype)
    check(driver, op, (x, np.array([0, 2])), 0, (2,), x.dtype)


def test_of_nothing_no_element_can_be_taken(driver):
    with pytest.raises(IndexRangeError):
        on_library(driver, TAKE, (np.empty(0), np.array([0])), 0, (1,), dtypes.float64)
    check(driver, TAKE, (np.empty((0, 2)), np.empty(0, np.int64)), 0, (0, 2), dtypes.float64)
    check(
        driver, TAKE_ALONG, (np.ones((2, 2)), np.empty((0, 2), np.int64)), 0, (0, 2), dtypes.float64
    )


@each_dtype
def test_matrix_products(driver, dtype):
    if is_left_out(driver, dtype):
        return
    x, y = some(dtype, (2, 3)), some(dtype, (3, 4), 1)
    wide = dtype if not dtypes.is_added(dtype) else dtypes.float32
    for one, two, shape in ((x, y, (2, 4)), (x[0], y, (4,)), (x, y[:, 0], (2,))):
        got = on_library(driver, MATMUL, (one, two), None, shape, dtype)
        wanted = np.matmul(one.astype(wide), two.astype(wide)).astype(dtype)
        assert_same(got, wanted, PRECISION.get(dtype.name, 0.0))


def test_products_of_many_matrices_and_of_none(driver):
    x, y = some(dtypes.float64, (3, 1, 2, 5)), some(dtypes.float64, (4, 5, 2))
    check(driver, MATMUL, (x, y), None, (3, 4, 2, 2), dtypes.float64)
    check(driver, MATMUL, (x[..., :0], y[:, :0]), None, (3, 4, 2, 2), dtypes.float64)
    large = np.array([[2**63, 2]], np.uint64)
    check(driver, MATMUL, (large, large.T), None, (1, 1), dtypes.uint64)


@each_dtype
def test_one_value_everywhere(driver, dtype):
    if is_left_out(driver, dtype):
        return
    for value in (dtype.type(1), some(dtype, (5,))[3]):
        check(driver, FULL, (), value, (2, 3), dtype)
        check(driver, CONSTANT, (), value, (), dtype)
    if dtype.kind in "iu":
        check(driver, FULL, (), np.iinfo(dtype).max, (2,), dtype)
    block = driver.compute(EMPTY, (), None, (2, 3), dtype)
    assert driver.get(driver.native(block, dtype)).shape == (2, 3)


RANGES = [
    (0, 7, 1),
    (10, -11, -3),
    (0.5, 3.0, 0.25),
    (3, 12, 4),
    (1, 2, 1),
    (5, 5, 1),
    (0, 20, 2.5),
]


@pytest.mark.parametrize("arg", RANGES, ids=str)
@pytest.mark.parametrize("name", ["int64", "int8", "float32", "float16", "float64", "complex64"])
def test_ranges(driver, arg, name):
    if is_left_out(driver, np.dtype(name), 10):
        return
    wanted = np.arange(*arg, dtype=name)
    got = on_library(driver, ARANGE, (), arg, wanted.shape, wanted.dtype)
    assert_same(got, wanted, 1e-6 if driver.library == "jax" else 0.0)


@pytest.mark.parametrize("dtype", [dtypes.uint32, dtypes.uint64], ids=str)
def test_random_bits_are_those_of_the_host(driver, dtype):
    check(driver, RANDOM_BITS, (), ((1, 2), 3, 5), (11,), dtype)


def test_a_function_of_the_host_says_where_to_go(driver):
    with pytest.raises(DeviceError, match=r"has no sort.*to_device\('CPU'\)"):
        on_library(
            driver, LIBRARY, (np.ones(3),), LibraryCall(np.sort, (), "sort"), (3,), dtypes.float64
        )
