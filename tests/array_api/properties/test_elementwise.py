"""Element-wise functions and the operators: every dtype, layout, state and pair of shapes."""

from __future__ import annotations

import operator
from functools import partial
from typing import Any

import numpy as np
import pytest
from array_api.properties.arrays import (
    BOOL,
    COMPLEX,
    EVERY,
    FLOATS,
    INTEGERS,
    NARROW,
    REAL,
    STANDARD,
    Array,
    Operand,
    agree,
    assert_apart,
    assert_same,
    broadcastable,
    covers,
    each,
    elements,
    examples,
    modes,
    operands,
    pairs,
    quietly,
)
from buffer.cases import in_mode
from hypothesis import assume, given
from hypothesis import strategies as st

import onebuf as xp
from onebuf import Buffer, dtypes
from onebuf.graph import BINARY, UNARY
from onebuf.testing.contract import numpys

# Computed by one correctly rounded operation, so that no other answer is right.
OF_COMPLEX = {
    *("abs", "reciprocal", "sign", "sqrt", "square"),
    *("divide", "floor_divide", "multiply", "remainder"),
}
"""Those that are not exact of complex numbers, or of infinities."""
EXACT_UNARY = [name for name, op in UNARY.items() if op.is_exact and name not in OF_COMPLEX]
CLOSE_UNARY = [name for name in UNARY if name not in EXACT_UNARY]
EXACT_BINARY = [name for name, op in BINARY.items() if op.is_exact and name not in OF_COMPLEX]
CLOSE_BINARY = [name for name in BINARY if name not in EXACT_BINARY]
NO_SIGN_OF_ZERO = {"maximum", "minimum"}
"""The larger of two zeros may be either."""
ULPS = 16

few = examples(12)


def theirs(name: str, *arrays: Any) -> Any:
    function = getattr(np, name, None) or partial(numpys, name)
    result = quietly(lambda: function(*arrays))
    # NumPy calls bfloat16 a type of no kind; the kind of `dtypes` is that of its values.
    if name == "floor_divide" and dtypes.kind(np.asarray(result).dtype) == "f":
        # With one operand infinite the standard wants the quotient, NumPy has NaN or -1.
        one, two = (np.asarray(array) for array in arrays)
        special = (np.isinf(one) & np.isfinite(two)) | (np.isfinite(one) & np.isinf(two))
        quotient = quietly(lambda: np.divide(*arrays)).astype(np.asarray(result).dtype)
        return np.where(special, quotient, result)
    if name == "reciprocal" and np.asarray(result).dtype.kind == "c":
        # NumPy's own has neither the zeros nor the poles of a quotient.
        return quietly(lambda: np.divide(np.asarray(1, result.dtype), *arrays))
    return result


def unary_types(name: str) -> tuple[Any, ...]:
    if name == "round":  # NumPy makes float16 of bool, the standard knows no such case
        return INTEGERS + FLOATS + NARROW + COMPLEX
    if name in ("real", "imag"):  # NumPy gives an array of ints for bool
        return EVERY
    return EVERY


@each(*EXACT_UNARY)
@few
@given(data=st.data(), mode=modes)
def test_an_exact_function_of_one_operand_gives_numpys_bits(
    name: str, data: st.DataObject, mode: str
) -> None:
    x = data.draw(operands(unary_types(name)))
    agree(mode, lambda: getattr(xp, name)(x.buffer), lambda: theirs(name, x.array), x)


@each(*CLOSE_UNARY)
@few
@given(data=st.data(), mode=modes)
def test_a_function_of_one_operand_gives_numpys_elements(
    name: str, data: st.DataObject, mode: str
) -> None:
    # NumPy misses the standard's special values of complex numbers, so these stay finite.
    x = data.draw(operands(BOOL + REAL + NARROW) | operands(COMPLEX, values="tame"))
    agree(mode, lambda: getattr(xp, name)(x.buffer), lambda: theirs(name, x.array), x, ulps=ULPS)


@each(*EXACT_BINARY)
@few
@given(data=st.data(), mode=modes)
def test_an_exact_function_of_two_operands_gives_numpys_bits(
    name: str, data: st.DataObject, mode: str
) -> None:
    x, y = data.draw(pairs() | pairs(EVERY, same=True))
    agree(
        mode,
        lambda: getattr(xp, name)(x.buffer, y.buffer),
        lambda: theirs(name, x.array, y.array),
        *(x, y),
        zeros=name not in NO_SIGN_OF_ZERO,
    )


@each(*CLOSE_BINARY)
@few
@given(data=st.data(), mode=modes)
def test_a_function_of_two_operands_gives_numpys_elements(
    name: str, data: st.DataObject, mode: str
) -> None:
    x, y = data.draw(
        pairs(BOOL + REAL) | pairs(BOOL + REAL + NARROW, same=True) | pairs(STANDARD, values="tame")
    )
    agree(
        mode,
        lambda: getattr(xp, name)(x.buffer, y.buffer),
        lambda: theirs(name, x.array, y.array),
        *(x, y),
        ulps=ULPS,
    )


SCALARS = st.sampled_from([True, False, 0, 1, 3, -2, 100, 0.5, -0.0, float("inf"), 2.0, 1j])


@each(*EXACT_BINARY, *CLOSE_BINARY)
@few
@given(data=st.data(), mode=modes, scalar=SCALARS, first=st.booleans())
def test_a_number_next_to_a_buffer_takes_its_type(
    name: str, data: st.DataObject, mode: str, scalar: Any, first: bool
) -> None:
    close = name in CLOSE_BINARY
    x = data.draw(operands(values="tame" if close else "any"))
    if name == "pow" and x.array.dtype.kind == "c":
        assume(np.isfinite(scalar))  # where NumPy has NaN, exp(y log x) knows more
    number = scalar
    if x.array.dtype == dtypes.bfloat16 and not isinstance(scalar, complex):
        number = x.array.dtype.type(scalar)  # a rule that NumPy has for its own floats alone
    elif x.array.dtype == dtypes.bfloat16:
        number = np.complex64(scalar)
    arrays = (number, x.array) if first else (x.array, number)
    buffers = (scalar, x.buffer) if first else (x.buffer, scalar)
    agree(
        mode,
        lambda: getattr(xp, name)(*buffers),
        lambda: theirs(name, *arrays),
        x,
        ulps=ULPS if close else 0,
        zeros=name not in NO_SIGN_OF_ZERO,
    )


@covers("clip")
@few
@given(data=st.data(), mode=modes)
def test_clip_bounds_elements_and_keeps_their_type(data: st.DataObject, mode: str) -> None:
    dtype = data.draw(st.sampled_from(REAL + NARROW))
    whole, low, high = data.draw(broadcastable(3))
    x = data.draw(operands((dtype,), whole))
    given_low = data.draw(st.none() | st.sampled_from([0, 1]) | operands((dtype,), low))
    given_high = data.draw(st.none() | st.sampled_from([2, 3]) | operands((dtype,), high))

    def bounds(part: int) -> list[Any]:
        return [b[part] if isinstance(b, Operand) else b for b in (given_low, given_high)]

    def clipped() -> Array:
        found = x.array
        for bound, choose in zip(bounds(1), (np.maximum, np.minimum), strict=True):
            if bound is not None:
                found = choose(found, np.asarray(bound).astype(dtype))
        return found

    bounding = [b for b in (given_low, given_high) if isinstance(b, Operand)]
    agree(mode, lambda: xp.clip(x.buffer, *bounds(0)), clipped, x, *bounding, zeros=False)


# -- operators -------------------------------------------------------------------------------------

INFIX = {
    "__add__": "add",
    "__and__": "bitwise_and",
    "__eq__": "equal",
    "__floordiv__": "floor_divide",
    "__ge__": "greater_equal",
    "__gt__": "greater",
    "__le__": "less_equal",
    "__lshift__": "bitwise_left_shift",
    "__lt__": "less",
    "__mod__": "remainder",
    "__mul__": "multiply",
    "__ne__": "not_equal",
    "__or__": "bitwise_or",
    "__pow__": "pow",
    "__rshift__": "bitwise_right_shift",
    "__sub__": "subtract",
    "__truediv__": "divide",
    "__xor__": "bitwise_xor",
}
COMPARISONS = {"__eq__", "__ge__", "__gt__", "__le__", "__lt__", "__ne__"}
CHANGING = sorted(set(INFIX) - COMPARISONS)
PREFIX = {
    "__abs__": "abs",
    "__invert__": "bitwise_invert",
    "__neg__": "negative",
    "__pos__": "positive",
}


@pytest.mark.parametrize("name", PREFIX)
@few
@given(x=operands(BOOL + REAL + NARROW), mode=modes)
def test_a_prefix_operator_is_its_function(name: str, x: Operand, mode: str) -> None:
    function = PREFIX[name]
    agree(mode, lambda: getattr(operator, name)(x.buffer), lambda: theirs(function, x.array), x)


@pytest.mark.parametrize("name", INFIX)
@few
@given(pair=pairs(values="tame"), mode=modes)
def test_an_infix_operator_is_its_function(
    name: str, pair: tuple[Operand, Operand], mode: str
) -> None:
    x, y = pair
    agree(
        mode,
        lambda: getattr(operator, name)(x.buffer, y.buffer),
        lambda: theirs(INFIX[name], x.array, y.array),
        *(x, y),
        ulps=ULPS,
    )


@pytest.mark.parametrize("name", CHANGING)
@few
@given(x=operands(STANDARD, values="tame"), scalar=st.sampled_from([True, 2, 1.5]), mode=modes)
def test_a_reflected_operator_is_its_function_with_the_operands_exchanged(
    name: str, x: Operand, scalar: Any, mode: str
) -> None:
    agree(
        mode,
        lambda: getattr(operator, name)(scalar, x.buffer),
        lambda: theirs(INFIX[name], scalar, x.array),
        x,
        ulps=ULPS,
    )


WRITABLE = ("whole", "offset", "step", "back", "back step", "pad")


@pytest.mark.parametrize("name", CHANGING)
@few
@given(data=st.data(), mode=modes)
def test_an_operator_in_place_keeps_the_buffer_and_writes_its_memory(
    name: str, data: st.DataObject, mode: str
) -> None:
    one, two = data.draw(broadcastable())
    x = data.draw(operands(STANDARD, one, "tame", WRITABLE))
    y = data.draw(operands(STANDARD, two, "tame") | st.sampled_from([True, 2, 1.5]))
    other = y if not isinstance(y, Operand) else y.array

    def in_numpy() -> Array:
        new = theirs(INFIX[name], x.array, other)
        if new.shape != x.array.shape:
            raise ValueError("the result is larger than the target")
        target = np.array(x.array)
        np.copyto(target, new, casting="same_kind")
        return target

    whole = x.buffer.base
    before = x.buffer

    def in_place() -> Buffer:
        changed = getattr(operator, f"__i{name[2:]}")(
            before, y if not isinstance(y, Operand) else y.buffer
        )
        assert changed is before
        return before

    wanted = agree(mode, in_place, in_numpy, *([y] if isinstance(y, Operand) else []), ulps=ULPS)
    if wanted is None:
        x.check()
    elif x.array.size and whole is not before:
        assert np.shares_memory(before.unwrap(), whole.unwrap())


@few
@given(x=operands(STANDARD, st.sampled_from([(4,), (3, 4)]), "tame", ("whole", "back")), mode=modes)
def test_an_operator_in_place_reads_what_it_overwrites_first(x: Operand, mode: str) -> None:
    if x.array.dtype == bool:
        return
    wanted = np.array(x.array)
    wanted[..., 1:] = x.array[..., 1:] + x.array[..., :-1]
    with in_mode(mode):
        part = x.buffer[..., 1:]
        part += x.buffer[..., :-1]
    assert_same(x.buffer, wanted)


@few
@given(data=st.data(), mode=modes)
def test_two_results_of_one_expression_are_two_buffers(data: st.DataObject, mode: str) -> None:
    x = data.draw(operands(REAL, (3,), "tame"))
    for make in (lambda: x.buffer + 1, lambda: -x.buffer, lambda: x.buffer.sum(keepdims=True)):
        with in_mode(mode):
            one, two = make(), make()
            wanted = np.array(make().unwrap())
            two[...] = 0
        assert_apart(one, two)
        assert_same(one, wanted)
        assert_same(two, np.zeros_like(wanted))
    x.check()


def test_the_quotient_of_an_infinity_is_the_oracles_in_every_float() -> None:
    for dtype in FLOATS + NARROW:
        x, y = np.array(-np.inf, dtype), np.array(-0.25, dtype)
        assert theirs("floor_divide", x, y) == np.inf
        assert_same(xp.floor_divide(xp.asarray(x), xp.asarray(y)), x / y)


def test_elements_try_limits_and_both_zeros() -> None:
    drawn = elements(dtypes.float64, (4000,), 0)
    assert {0.0, np.inf, -np.inf, np.finfo(float).max} <= set(drawn.tolist())
    assert np.isnan(drawn).any()
    assert np.signbit(drawn[drawn == 0]).any()
