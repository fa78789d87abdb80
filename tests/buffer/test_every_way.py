"""Every way to say an operation gives the same bits: function, ufunc, operator, in place, out=."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from random_expressions import assert_same_bits

import onebuf
from onebuf import Buffer, config
from onebuf.dtypes import bfloat16
from onebuf.errors import OnebufError
from onebuf.graph import BINARY, UNARY

DTYPES = ["float16", bfloat16, "float32", "float64", "complex64", "complex128"]
NAMES = sorted(name for name in {**UNARY, **BINARY} if hasattr(onebuf, name))
OPERATORS: dict[str, Callable[..., Any]] = {
    "abs": operator.abs,
    "add": operator.add,
    "divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "multiply": operator.mul,
    "negative": operator.neg,
    "pow": operator.pow,
    "remainder": operator.mod,
    "subtract": operator.sub,
}
IN_PLACE = {
    "add": operator.iadd,
    "divide": operator.itruediv,
    "floor_divide": operator.ifloordiv,
    "multiply": operator.imul,
    "pow": operator.ipow,
    "remainder": operator.imod,
    "subtract": operator.isub,
}


def operands(name: str, dtype: Any, gaps: bool) -> list[Buffer]:
    rng = np.random.default_rng(6)
    found = []
    for _ in range(1 if name in UNARY else 2):
        array = rng.normal(size=(4, 37)) * 2
        if np.dtype(dtype).kind == "c":
            array = array + 1j * rng.normal(size=array.shape)
        array = array.astype(dtype)
        found.append(onebuf.asarray(np.repeat(array, 2, axis=1) if gaps else array))
    return [x[:, ::2] for x in found] if gaps else found


def ways(
    name: str, dtype: Any, gaps: bool, like: np.ndarray[Any, Any]
) -> Iterator[tuple[str, Any]]:
    ours, theirs = getattr(onebuf, name), getattr(np, name, None)

    def given() -> list[Buffer]:
        return operands(name, dtype, gaps)

    def memory() -> Buffer:
        return onebuf.asarray(np.zeros(like.shape, like.dtype))

    def with_gaps() -> Buffer:
        return onebuf.asarray(np.zeros((4, 74), like.dtype))[:, ::2]

    if isinstance(theirs, np.ufunc):
        array = np.zeros(like.shape, like.dtype)
        yield "ufunc", theirs(*given())
        yield "ufunc, out=", theirs(*given(), out=memory())
        yield "ufunc, out= with gaps", theirs(*given(), out=with_gaps())
        yield "ufunc, out= of NumPy", theirs(*given(), out=array)
        yield "function, out=", ours(*given(), out=memory())
        yield "function, out= with gaps", ours(*given(), out=with_gaps())
        if like.dtype == np.dtype(dtype):
            first, *others = given()
            yield "ufunc, out= of an operand", theirs(first, *others, out=first)
    if name in OPERATORS:
        yield "operator", OPERATORS[name](*given())
    if name in IN_PLACE and like.dtype == np.dtype(dtype):
        first, second = given()
        yield "in place", IN_PLACE[name](first, second)
    for tier in ("compile", "interpret"):
        with config(eager_numel=0, tier=tier):
            yield tier, ours(*given()).realize()


@pytest.mark.parametrize("gaps", [False, True], ids=["contiguous", "with gaps"])
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)
def test_every_way_to_say_an_operation_gives_the_same_bits(dtype, gaps):
    checked = 0
    for name in NAMES:
        try:
            wanted = np.asarray(getattr(onebuf, name)(*operands(name, dtype, gaps)))
        except OnebufError:
            continue  # not defined for this dtype, which others test
        for way, found in ways(name, dtype, gaps, wanted):
            try:
                assert_same_bits(np.asarray(found), wanted)
            except AssertionError as error:
                raise AssertionError(f"{name}, {way}: {error}") from None
            checked += 1
    assert checked > 100


def test_what_numpy_refuses_to_write_is_refused():
    x = onebuf.asarray(np.ones(3))
    with pytest.raises(TypeError, match="cast"):
        np.exp(x, out=onebuf.asarray(np.ones(3, "int64")))
    with pytest.raises(ValueError, match=r"broadcast|shape"):
        np.exp(x, out=onebuf.asarray(np.ones(4)))
    wide = onebuf.asarray(np.zeros((2, 3)))
    assert np.exp(x, out=wide) is wide
    np.testing.assert_allclose(np.asarray(wide), np.full((2, 3), np.e))


@pytest.mark.parametrize("exponent", [2, 2.0, 0.5, -1, 3, 0, 1])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_powers_of_complex_numbers_are_numpys(dtype, exponent):
    z = (np.arange(1, 9) - 3.5 + 1j * np.arange(8)).astype(dtype)
    wanted = z**exponent
    x = onebuf.asarray(z)
    np.testing.assert_allclose(np.asarray(x**exponent), wanted, rtol=2e-6)
    assert (x**exponent).dtype == wanted.dtype
    x **= exponent
    np.testing.assert_allclose(np.asarray(x), wanted, rtol=2e-6)
