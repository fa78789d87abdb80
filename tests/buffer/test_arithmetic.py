"""Arithmetic, with NumPy as the oracle: every function, dtype and layout; at once or later."""

from __future__ import annotations

import operator
import warnings

import numpy as np
import pytest
from buffer.cases import (
    MODES,
    assert_bits,
    assert_same,
    broadcast_pairs,
    cases,
    fill,
    in_mode,
    lazily,
    make,
    values,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import onebuf
from onebuf import Buffer, dtypes
from onebuf.array_api import elementwise
from onebuf.errors import DTypeError
from onebuf.graph import BINARY, UNARY
from onebuf.testing.contract import numpys

both_modes = pytest.mark.parametrize("mode", MODES)
EXACT = {
    *("abs", "bitwise_invert", "ceil", "conj", "floor", "imag", "isfinite", "isinf", "isnan"),
    *("logical_not", "negative", "positive", "real", "round", "sign", "signbit", "trunc"),
    *("add", "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift"),
    *("bitwise_xor", "copysign", "equal", "greater", "greater_equal", "less", "less_equal"),
    *("logical_and", "logical_or", "logical_xor", "maximum", "minimum", "nextafter", "not_equal"),
    "subtract",
}
REAL = tuple(dtype for dtype in dtypes.STANDARD if dtypes.kind(dtype) != "c")


def ulps(name: str) -> int:
    return 0 if name in EXACT else 8


def oracle(name, *operands):
    with np.errstate(all="ignore"):
        result = numpys(name, *operands)
        if name == "floor_divide" and np.asarray(result).dtype.kind == "f":
            # With one operand infinite, the standard asks for the quotient, NumPy gives others.
            one, two = np.isfinite(operands[0]), np.isfinite(operands[1])
            infinite = (np.isinf(operands[0]) & two) | (one & np.isinf(operands[1]))
            result = np.where(infinite, np.divide(*operands).astype(result.dtype), result)
        return result


def defined(name, *operands):
    """Whether NumPy has this operation for these operands."""
    try:
        oracle(name, *operands)
    except TypeError:
        return False
    return True


def test_the_namespace_has_every_operation():
    named = {name for name, value in vars(elementwise).items() if callable(value)}
    assert set(UNARY) | set(BINARY) <= named
    assert all(hasattr(onebuf, name) for name in (*UNARY, *BINARY))


# One operand


@pytest.mark.parametrize("name", sorted(UNARY))
@settings(max_examples=12, deadline=None)
@given(case=cases())
def test_unary_functions_equal_numpys(name, case):
    array = case.array()
    assume(defined(name, array) and not (name == "round" and array.dtype == bool))
    wanted = oracle(name, array)
    for mode in MODES:
        with in_mode(mode):
            assert_same(getattr(onebuf, name)(case.buffer(mode)), wanted, ulps(name))


@pytest.mark.parametrize("name", sorted(UNARY))
@pytest.mark.parametrize("dtype", dtypes.STANDARD, ids=str)
@both_modes
def test_unary_functions_refuse_what_numpy_refuses_when_they_are_called(name, dtype, mode):
    array = np.ones(2, dtype)
    if not defined(name, array):
        with in_mode(mode), pytest.raises(DTypeError, match=f"{name}.*{dtype.name}"):
            getattr(onebuf, name)(make(array, mode))


@pytest.mark.parametrize("name", sorted(UNARY))
@settings(max_examples=10, deadline=None)
@given(case=cases())
def test_unary_functions_give_the_same_bits_at_once_and_later(name, case):
    assume(defined(name, case.array()) and not (name == "round" and case.base.dtype == bool))
    at_once = getattr(onebuf, name)(case.buffer())
    with lazily():
        later = getattr(onebuf, name)(case.buffer())
        assert not later.is_realized or later.numel == 0
        assert_bits(at_once, later)


# Two operands


@pytest.mark.parametrize("name", sorted(BINARY))
@settings(max_examples=12, deadline=None)
@given(pair=broadcast_pairs())
def test_binary_functions_equal_numpys(name, pair):
    x, y = pair
    if name == "pow" and dtypes.kind(np.result_type(x.base, y.base)) in "iu":
        y = y._replace(base=y.base & 3 if y.base.dtype != bool else y.base)
    if "shift" in name:
        y = y._replace(base=y.base & 3 if dtypes.kind(y.base.dtype) in "iu" else y.base)
    arrays = x.array(), y.array()
    assume(defined(name, *arrays))
    if name == "pow" and any(dtypes.kind(array.dtype) == "c" for array in arrays):
        # Infinite bases and exponents follow the standard (tests/array_api/special_values).
        assume(all(np.isfinite(array).all() for array in arrays))
    wanted = oracle(name, *arrays)
    for mode in MODES:
        with in_mode(mode):
            assert_same(getattr(onebuf, name)(x.buffer(mode), y.buffer(mode)), wanted, ulps(name))


@pytest.mark.parametrize("name", sorted(BINARY))
@settings(max_examples=10, deadline=None)
@given(pair=broadcast_pairs(dtypes.ALL))
def test_binary_functions_give_the_same_bits_at_once_and_later(name, pair):
    x, y = pair
    function = getattr(onebuf, name)
    try:
        at_once = function(x.buffer(), y.buffer())
        at_once.realize()
    except (TypeError, ValueError) as error:
        with lazily(), pytest.raises(type(error)):
            function(x.buffer(), y.buffer()).realize()
        return
    with lazily():
        assert_bits(at_once, function(x.buffer(), y.buffer()))


@pytest.mark.parametrize("name", sorted(BINARY))
@pytest.mark.parametrize("scalar", [True, 3, 2.5, 1 + 2j])
@pytest.mark.parametrize("swapped", [False, True])
def test_a_python_scalar_on_either_side_is_numpys(name, scalar, swapped):
    for dtype in dtypes.STANDARD:
        array = fill(dtype, (3, 2), 0, tame=True)
        pair = (scalar, array) if swapped else (array, scalar)
        if not defined(name, *pair):
            continue
        wanted = oracle(name, *pair)
        for mode in MODES:
            x = make(array, mode)
            with in_mode(mode):
                got = getattr(onebuf, name)(*((scalar, x) if swapped else (x, scalar)))
                assert_same(got, wanted, ulps(name))


@pytest.mark.parametrize("name", sorted(BINARY))
@pytest.mark.parametrize("scalar", [True, 3, 2.5, -0.0])
@settings(max_examples=4, deadline=None)
@given(case=cases())
def test_a_python_scalar_gives_the_same_bits_at_once_and_later(name, scalar, case):
    function = getattr(onebuf, name)
    for arrange in (lambda x: (x, scalar), lambda x: (scalar, x)):
        try:
            at_once = function(*arrange(case.buffer())).realize()
        except (TypeError, ValueError):
            continue
        with lazily():
            assert_bits(at_once, function(*arrange(case.buffer())))


OPERATORS = {
    "+": (operator.add, operator.iadd),
    "-": (operator.sub, operator.isub),
    "*": (operator.mul, operator.imul),
    "/": (operator.truediv, operator.itruediv),
    "//": (operator.floordiv, operator.ifloordiv),
    "%": (operator.mod, operator.imod),
    "**": (operator.pow, operator.ipow),
    "&": (operator.and_, operator.iand),
    "|": (operator.or_, operator.ior),
    "^": (operator.xor, operator.ixor),
    "<<": (operator.lshift, operator.ilshift),
    ">>": (operator.rshift, operator.irshift),
}
COMPARISONS = ["lt", "le", "gt", "ge", "eq", "ne"]


@both_modes
@pytest.mark.parametrize("sign", OPERATORS)
@pytest.mark.parametrize("dtype", ["int32", "float32", "bool", "uint8"])
def test_operators_equal_numpys(sign, dtype, mode):
    apply, _ = OPERATORS[sign]
    a, b = fill(np.dtype(dtype), (2, 3), 1, tame=True), fill(np.dtype(dtype), (3,), 2, tame=True)
    x, y = make(a, mode), make(b, mode)
    for one, two, p, q in ((a, b, x, y), (a, a.dtype.type(2).item(), x, a.dtype.type(2).item())):
        try:
            with np.errstate(all="ignore"):
                wanted, back = apply(one, two), apply(two, one)
        except TypeError:
            with in_mode(mode), pytest.raises(TypeError):
                apply(p, q)
            continue
        with in_mode(mode):
            assert_same(apply(p, q), wanted, 8)
            assert_same(apply(q, p), back, 8)


@both_modes
@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_equal_numpys(name, mode):
    compare = getattr(operator, name)
    a = np.array([0.0, -0.0, 1.0, np.nan, np.inf])
    x = make(a, mode)
    with in_mode(mode):
        assert_same(compare(x, x[::-1]), compare(a, a[::-1]))
        assert_same(compare(x, 1), compare(a, 1))


@both_modes
def test_prefix_operators_equal_numpys(mode):
    a = np.array([3, -4, 0], np.int32)
    x = make(a, mode)
    with in_mode(mode):
        for apply in (operator.neg, operator.pos, operator.abs, operator.invert):
            assert_same(apply(x), apply(a))


@both_modes
def test_a_numpy_array_on_either_side_is_an_operand(mode):
    a = np.array([1.0, 2.0])
    x = make(np.array([3, 4], np.int32), mode)
    with in_mode(mode):
        assert_same(x + a, np.array([4.0, 6.0]))
        assert_same(a - x, np.array([-2.0, -2.0]))
        assert_same(np.float32(2) * x, np.array([6.0, 8.0]))


# Promotion


@pytest.mark.parametrize(
    "name", ["add", "divide", "less", "floor_divide", "maximum", "hypot", "atan2", "logaddexp"]
)
def test_promotion_is_numpys_for_all_pairs(name):
    for one in dtypes.STANDARD:
        for two in dtypes.STANDARD:
            a, b = np.ones(1, one), np.ones(1, two)
            if not defined(name, a, b):
                continue
            for mode in MODES:
                with in_mode(mode):
                    got = getattr(onebuf, name)(make(a, mode), make(b, mode))
                    assert (one, two, got.dtype) == (one, two, oracle(name, a, b).dtype)


@both_modes
@pytest.mark.parametrize("narrow", dtypes.EXTENDED, ids=str)
def test_a_narrow_float_keeps_its_type_next_to_python_numbers(narrow, mode):
    x = make(np.array([1, 2, 0.5]).astype(narrow), mode)
    with in_mode(mode):
        for result in (x + 1, 1 - x, x * 1.5, 2.0 / x, x**2, x + True, x.exp(), x.sum(), x.mean()):
            assert result.dtype == narrow
        assert (x + 1).astype("float32").to_python() == [2.0, 3.0, 1.5]
        assert (1 - x).astype("float32").to_python() == [0.0, -1.0, 0.5]
        assert (x < 1).to_python() == [False, False, True]


@pytest.mark.parametrize(
    "one, two, wanted",
    [
        ("bfloat16", "float16", "float32"),
        ("bfloat16", "float32", "float32"),
        ("bfloat16", "float64", "float64"),
        ("bfloat16", "int8", "bfloat16"),
        ("bfloat16", "uint8", "bfloat16"),
        ("bfloat16", "int32", "float64"),
        ("bfloat16", "bool", "bfloat16"),
        ("bfloat16", "complex64", "complex64"),
        ("float16", "int8", "float16"),
        ("float16", "int16", "float32"),
        ("float8_e4m3fn", "float8_e5m2", "float32"),
        ("float8_e4m3fn", "bfloat16", "float32"),
        ("float8_e5m2", "float16", "float32"),
        ("float8_e5m2", "float32", "float32"),
        ("float8_e5m2", "bfloat16", "float32"),
        ("float8_e5m2", "bool", "float8_e5m2"),
    ],
)
@both_modes
def test_narrow_floats_meet_other_types(one, two, wanted, mode):
    x, y = (make(np.array([1, 2]).astype(dtypes.BY_NAME[name]), mode) for name in (one, two))
    with in_mode(mode):
        for result in (x + y, y + x):
            assert result.dtype == wanted
            total = [2, 3] if two == "bool" else [2, 4]
            assert result.astype("complex64").to_python() == total


# In place


@both_modes
@pytest.mark.parametrize("sign", OPERATORS)
def test_in_place_operators_keep_the_object_and_reach_every_view(sign, mode):
    _, apply = OPERATORS[sign]
    dtype = np.dtype("float64" if sign == "/" else "int64")
    array = fill(dtype, (3, 4), 3, tame=True)
    x = make(array, mode)
    turned, row = x.T, x[1]
    same = x
    with in_mode(mode):
        x = apply(x, 2)
    apply(array, 2)
    assert x is same
    np.testing.assert_array_equal(values(turned), array.T)
    np.testing.assert_array_equal(values(row), array[1])


@both_modes
@settings(max_examples=50, deadline=None)
@given(pair=broadcast_pairs(dtypes.STANDARD), sign=st.sampled_from(["+", "-", "*", "/"]))
def test_in_place_operators_equal_numpys_or_refuse(mode, pair, sign):
    _, apply = OPERATORS[sign]
    (x, y), (a, b) = [case.buffer(mode) for case in pair], [case.array() for case in pair]
    assume(np.broadcast_shapes(a.shape, b.shape) == a.shape)
    try:
        with np.errstate(all="ignore"):
            apply(a, b)
    except TypeError:
        with in_mode(mode), pytest.raises(DTypeError):
            apply(x, y)
        return
    with in_mode(mode):
        assert_same(apply(x, y), a, 8)


@both_modes
def test_in_place_on_a_view_changes_the_base(mode):
    x = make(np.arange(6), mode)
    with in_mode(mode):
        v = x[::2]
        v *= 10
        x[1:3] += 100
    assert x.to_python() == [0, 101, 120, 3, 40, 5]


@both_modes
def test_in_place_reads_its_operand_before_it_writes(mode):
    x = make(np.arange(1, 6), mode)
    with in_mode(mode):
        x[1:] += x[:-1]
        x += x[::-1]
    array = np.arange(1, 6)
    array[1:] += array[:-1].copy()
    array += array[::-1].copy()
    assert x.to_python() == array.tolist()


@both_modes
def test_work_that_waits_sees_the_elements_before_an_in_place_change(mode):
    x = make(np.arange(3), mode)
    with in_mode(mode):
        later = x * 2
        x += 10
        assert later.to_python() == [0, 2, 4]
        assert (x * 2).to_python() == [20, 22, 24]


# Reductions


NUMPY_REDUCTIONS = ["sum", "prod", "max", "min", "all", "any", "mean", "var", "std"]


@st.composite
def axes(draw, ndim):
    some = st.lists(st.integers(-ndim, ndim - 1), max_size=3, unique_by=lambda n: n % max(ndim, 1))
    if not ndim:
        return draw(st.sampled_from([None, ()]))
    return draw(st.none() | st.integers(-ndim, ndim - 1) | some.map(tuple))


@pytest.mark.parametrize("name", NUMPY_REDUCTIONS)
@settings(max_examples=40, deadline=None)
@given(case=cases(dtypes.STANDARD, tame=True), data=st.data())
def test_reductions_equal_numpys(name, case, data):
    array = case.array()
    axis, keepdims = data.draw(axes(array.ndim)), data.draw(st.booleans())
    assume(dtypes.kind(array.dtype) != "c" or name not in ("max", "min", "var", "std"))
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the mean of nothing
            wanted = getattr(np, name)(array, axis=axis, keepdims=keepdims)
    except ValueError:
        for mode in MODES:
            with in_mode(mode), pytest.raises(ValueError):
                getattr(case.buffer(mode), name)(axis, keepdims=keepdims)
        return
    for mode in MODES:
        with in_mode(mode):
            got = getattr(case.buffer(mode), name)(axis, keepdims=keepdims)
            assert_same(got, wanted, 0 if name in ("max", "min", "all", "any") else 64)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@settings(max_examples=40, deadline=None)
@given(case=cases(REAL), data=st.data())
def test_positions_of_extremes_equal_numpys(name, case, data):
    array = case.array()
    ndim = array.ndim
    axis = data.draw(st.none() | st.integers(-ndim, ndim - 1) if ndim else st.none())
    keepdims = data.draw(st.booleans())
    assume(array.size)
    wanted = getattr(np, name)(array, axis=axis, keepdims=keepdims)
    for mode in MODES:
        with in_mode(mode):
            assert_same(getattr(case.buffer(mode), name)(axis, keepdims=keepdims), wanted)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("axis", [(0, 1), (1, 2), (0, 2)])
@both_modes
def test_the_position_along_some_of_the_axes_is_right_or_refused(name, axis, mode):
    array = np.random.default_rng(3).permutation(24).reshape(2, 3, 4)
    (rest,) = {0, 1, 2} - set(axis)
    wanted = getattr(np, name)(np.moveaxis(array, rest, 0).reshape(array.shape[rest], -1), axis=1)
    x = make(array, mode)
    with in_mode(mode):
        if refuses(lambda: getattr(x, name)(axis=axis)):
            return
        assert_same(getattr(x, name)(axis=axis), wanted)


def refuses(call):
    """Whether ``call`` raises an error of onebuf's."""
    try:
        call()
    except onebuf.OnebufError:
        return True
    return False


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "var", "argmax", "all"])
@settings(max_examples=10, deadline=None)
@given(case=cases(dtypes.ALL))
def test_reductions_give_the_same_bits_at_once_and_later(name, case):
    try:
        at_once = getattr(case.buffer(), name)().realize()
    except (TypeError, ValueError):
        assume(False)
    with lazily():
        assert_bits(at_once, getattr(case.buffer(), name)())


@pytest.mark.parametrize("dtype", dtypes.EXTENDED, ids=str)
def test_a_sum_of_narrow_floats_does_not_stall(dtype):
    assert Buffer(np.ones(64, dtype)).sum().astype("float32").item() == 64


def test_a_mean_of_halves_does_not_overflow_on_the_way():
    array = np.full(3000, 100.0, np.float16)
    assert Buffer(array).mean().item() == array.mean().item() == 100.0


@pytest.mark.parametrize("correction", [0, 1, 0.5, 4, 5])
def test_var_divides_by_the_count_less_the_correction(correction):
    array = np.array([1.0, 2.0, 4.0, 8.0])
    got = Buffer(array).var(correction=correction)
    if correction < 4:
        assert got.item() == pytest.approx(array.var(ddof=correction))
    else:
        assert np.isnan(got.item())  # as the standard says; NumPy divides by zero


# Warnings


@both_modes
def test_no_operation_warns(mode):
    x = make(np.array([0.0, -1.0, np.inf, np.nan, 1e308]), mode)
    i = make(np.array([0, 5, -(2**31)], np.int32), mode)
    with in_mode(mode), warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in UNARY:
            if name != "bitwise_invert":
                getattr(onebuf, name)(x).realize()
        for result in (1 / x, x / 0, x % 0, x // 0, x**0.5, x * 1e308, i // 0, i % 0, i / 0):
            result.realize()
        x.astype("float32").realize()
        x.astype("int32").realize()
        x.sum().realize()
        x[:0].mean().realize()
        x *= 1e308
        i //= 0
        x[0] = np.float64(1e300)
        i[...] = x[:3]


@both_modes
def test_imaginary_parts_are_dropped_by_name_alone(mode):
    x = make(np.array([1 + 2j]), mode)
    with in_mode(mode):
        with pytest.raises(TypeError, match=r"lose the imaginary parts; convert real\(x\)"):
            x.astype("float64")
        assert onebuf.real(x).astype("float32").to_python() == [1.0]
        assert x.astype("bool").to_python() == [True]


# More than one operation


@settings(max_examples=40, deadline=None)
@given(pair=broadcast_pairs([dtypes.float32, dtypes.float64, dtypes.int32]))
def test_whole_expressions_give_the_same_bits_at_once_and_later(pair):
    def expression(x, y):
        z = (x * 2 + y) / (abs(y) + 1)
        return onebuf.where(z > x, z.T.T, x - y).sum(axis=()) + onebuf.tanh(z).max(keepdims=True)

    x, y = pair
    assume(np.broadcast_shapes(x.array().shape, y.array().shape) and x.array().size)
    assume(y.array().size)
    at_once = expression(x.buffer(), y.buffer())
    with lazily():
        assert_bits(at_once, expression(x.buffer("lazy"), y.buffer("lazy")))


@both_modes
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_matmul_equals_numpys(mode, data):
    n, k, m = (data.draw(st.integers(0, 4)) for _ in range(3))
    batch = data.draw(st.sampled_from([(), (2,), (1,), (3, 1)]))
    left = data.draw(st.sampled_from([(k,), (n, k), (*batch, n, k)]))
    right = data.draw(st.sampled_from([(k,), (k, m), (2, k, m)]))
    dtype = data.draw(st.sampled_from([dtypes.float64, dtypes.int64, dtypes.complex128]))
    a, b = fill(dtype, left, 1, tame=True), fill(dtype, right, 2, tame=True)
    try:
        wanted = np.matmul(a, b)
    except ValueError:
        assume(False)
    with in_mode(mode):
        assert_same(make(a, mode) @ make(b, mode), wanted, 16)


@both_modes
def test_concat_stack_where_and_take_equal_numpys(mode):
    a = np.arange(6.0, dtype=np.float32).reshape(2, 3)
    b = np.arange(6).reshape(2, 3)
    x, y = make(a, mode), make(b, mode)
    with in_mode(mode):
        assert_same(
            onebuf.concat([x, y.astype("float32")[:1]]), np.concatenate([a, b[:1].astype("f")])
        )
        assert_same(onebuf.concat([x, y], axis=1), np.concatenate([a, b], axis=1))
        assert_same(onebuf.concat([x, y], axis=None), np.concatenate([a, b], axis=None))
        assert_same(onebuf.stack([x, x.T.T], axis=-1), np.stack([a, a], axis=-1))
        assert_same(onebuf.where(y > 2, x, 0), np.where(b > 2, a, np.float32(0)))
        assert_same(onebuf.where(y[:, :1] > 2, x, y), np.where(b[:, :1] > 2, a, b))
        assert_same(onebuf.take(x, Buffer([2, 0, -1]), axis=1), np.take(a, [2, 0, -1], axis=1))


def test_where_tells_zeros_apart():
    never = Buffer([False])
    x = Buffer([1.0])
    with lazily():
        plus, minus = onebuf.where(never, x, 0.0), onebuf.where(never, x, -0.0)
        assert np.signbit(np.asarray(plus)).tolist() == [False]
        assert np.signbit(np.asarray(minus)).tolist() == [True]


@pytest.mark.parametrize("convert", [lambda x: Buffer(x, copy=True), lambda x: x.copy()])
@both_modes
def test_two_copies_are_two_buffers(convert, mode):
    x = make(np.array([1.0, 2.0]), mode)
    with in_mode(mode):
        y, z = convert(x), x.copy()
        y[0] = 9
        assert (x.to_python(), z.to_python()) == ([1.0, 2.0], [1.0, 2.0])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@both_modes
def test_astype_is_always_a_buffer_of_its_own(dtype, mode):
    x = Buffer([1.0, 2.0])
    with in_mode(mode):
        y, z = Buffer(x, dtype), x.astype(dtype)
        z[0] = 9
        assert x.to_python() == [1.0, 2.0]
        assert y.to_python() == [1.0, 2.0]
