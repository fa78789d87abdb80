"""Arithmetic of numbers, short way and long: to the bit what arrays of one element give."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import onebuf
from onebuf.buffer.number_arithmetic import quick
from onebuf.graph import BINARY, Number

OPERATORS = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
}
BITWISE = ("bitwise_and", "bitwise_or", "bitwise_xor")
LARGE = 2**63 - 1
ints = st.integers(-(2**63), LARGE) | st.integers(-9, 9) | st.sampled_from([2**53 + 1, -LARGE])
floats = st.floats() | st.sampled_from([0.0, -0.0, 2.0**53, 1e308, -5e-324])
numbers = ints | floats
names = st.sampled_from(sorted(OPERATORS))


def array_of(value):
    return np.array([value], np.float64 if isinstance(value, float) else np.int64)


def bits(got, wanted):
    assert got.dtype == wanted.dtype
    assert got.shape == ()
    both_nan = wanted != wanted
    assert both_nan or np.asarray(got).tobytes() == wanted.tobytes(), (got.item(), wanted.item())


@settings(max_examples=400, deadline=None)
@given(names, numbers, numbers)
@example("add", LARGE, 1)
@example("multiply", LARGE, LARGE)
@example("divide", 2**53 + 1, 3)
@example("floor_divide", -(2**63), -1)
@example("remainder", 7, 0)
@example("divide", -1.0, 0.0)
@example("less", 2**53 + 1, 2.0**53)
@example("divide", 1, 0)
def test_an_operation_of_two_numbers_is_that_of_arrays(name, x, y):
    if name in BITWISE and (isinstance(x, float) or isinstance(y, float)):
        return
    one, two = array_of(x), array_of(y)
    apply = OPERATORS[name]
    with np.errstate(all="ignore"):
        wanted = apply(one, two)[0]
        reflected, weak = apply(x, two), apply(one, y)
    a, b = onebuf.asarray(one)[0], onebuf.asarray(two)[0]
    bits(apply(a, b), wanted)
    bits(apply(a, y), weak[0])
    bits(apply(x, b), reflected[0])


@settings(max_examples=100, deadline=None)
@given(numbers)
@example(-(2**63))
@example(-0.0)
def test_signs_of_a_number_are_those_of_an_array(x):
    for apply in (operator.neg, operator.abs, operator.pos):
        with np.errstate(all="ignore"):
            wanted = apply(array_of(x))[0]
        bits(apply(onebuf.asarray(array_of(x))[0]), wanted)


@pytest.mark.parametrize("name", ["add", "less", "multiply", "divide"])
def test_usual_numbers_need_no_array(name):
    forward, reflected = quick(BINARY[name])
    for x, y in ((1.5, 2.5), (1, 2), (1.5, 2), (1, 2.5)):
        one, two = (Number.of(v, array_of(v).dtype) for v in (x, y))
        for found in (forward(one, two), forward(one, y), reflected(two, x)):
            assert isinstance(found, Number)
            assert found.scalar == OPERATORS[name](x, y)


@pytest.mark.parametrize("dtype", ["float32", "int8", "uint8", "bool", "complex64", "float16"])
def test_other_dtypes_are_left_to_arrays(dtype):
    array = np.array([1, 3]).astype(dtype)
    x = onebuf.asarray(array)
    assert quick(BINARY["add"])[0](x[0]._node, x[1]._node) is None
    for apply in (operator.add, operator.mul, operator.eq):
        bits(apply(x[0], x[1]), apply(array[:1], array[1:])[0])
        bits(apply(x[0], 2), apply(array[:1], 2)[0])


def test_numbers_a_dtype_cannot_hold_are_an_error_as_for_arrays():
    for bad in (2**63, -(2**70)):
        with pytest.raises(OverflowError):
            onebuf.asarray([1, 2])[0] + bad
    assert onebuf.asarray([1, 2])[0] != 2**70
