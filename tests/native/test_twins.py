"""Every function of the native core does what its Python twin does: to the bit, in its words."""

from __future__ import annotations

import operator
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from native.twins import check, needs_core

import onebuf
from onebuf import Buffer

pytestmark = needs_core

DTYPES = (
    *("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
    *("float16", "float32", "float64", "complex64"),
)
INFIX = (
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod),
    *(operator.pow, operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift),
    *(operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge),
    operator.matmul,
)
IN_PLACE = (
    *(operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv),
    *(operator.imod, operator.ipow, operator.iand, operator.ior, operator.ixor, operator.ilshift),
)
UNARY = (operator.neg, operator.pos, operator.abs, operator.invert, bool, float, int, len, list)
FUNCTIONS = ("exp", "log", "sqrt", "sin", "tanh", "floor", "isnan", "square", "sign", "logical_not")
PAIRS = ("maximum", "minimum", "atan2", "hypot", "add", "logical_and", "copysign", "remainder")
REDUCTIONS = ("sum", "prod", "max", "min", "all", "any", "argmax", "argmin", "mean")
AXES: tuple[tuple[Any, ...], ...] = ((), (0,), (1,), (-1,), (None,), (5,))
SHAPES = ((), (1,), (3,), (16,), (4, 4), (1, 4), (4, 1), (2, 3, 4), (0,), (3, 0), (40, 60))
SCALARS = (0, 1, -1, 2, 2.0, 0.5, -0.0, True, 300, 2**40, 2**63, 1e300, float("nan"), 1j, "a", None)
KEYS: tuple[Any, ...] = (
    *(0, -1, 2, 99, -99, slice(1, 3), slice(None, None, -1), slice(None, None, 2), ..., None),
    *((0, 0), (1, 2), (slice(None), 0), (..., 1), (0, slice(1, None)), (None, 0), (0, 0, 0)),
    *(
        Buffer([1])[0],
        (Buffer([1])[0], 0),
        (slice(None), Buffer([0], "uint8")[0]),
        Buffer([0.5])[0],
    ),
    *(True, [0, 2], "i", 1.0, (0, 0, 0, 0, 0), slice(0, 0)),
)


@st.composite
def arrays(draw: st.DrawFn, shapes: tuple[tuple[int, ...], ...] = SHAPES) -> np.ndarray[Any, Any]:
    """Arrays of all dtypes, some with gaps, turned or backwards."""
    shape = draw(st.sampled_from(shapes))
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    seed = draw(st.integers(0, 2**16))
    values = np.random.default_rng(seed).integers(-4, 5, shape).astype(dtype)
    if dtype.kind == "f" and draw(st.booleans()):
        values = np.asarray(values / dtype.type(3))
        if values.size and draw(st.booleans()):
            values[(0,) * values.ndim] = draw(st.sampled_from([np.nan, np.inf, -0.0]))
    return values


@st.composite
def makers(draw: st.DrawFn, shapes: tuple[tuple[int, ...], ...] = SHAPES) -> Any:
    """Functions that make a buffer: new memory, NumPy's, a view, a number that was read."""
    values = draw(arrays(shapes))
    how = draw(st.sampled_from(["own", "foreign", "view", "turned", "number", "computed"]))
    if how == "foreign":
        return lambda: onebuf.asarray(values.copy())
    if how == "view" and values.ndim:
        return lambda: Buffer(np.repeat(values, 2, axis=0), copy=True)[::2]
    if how == "turned":
        return lambda: Buffer(values, copy=True).T
    if how == "number" and values.size:
        return lambda: Buffer(values.reshape(-1), copy=True)[0]
    if how == "computed" and values.dtype != bool:
        return lambda: Buffer(values, copy=True) + 0
    return lambda: Buffer(values, copy=True)


OPERANDS = st.one_of(makers(), st.sampled_from(SCALARS).map(lambda x: lambda: x))


@settings(max_examples=600, deadline=None)
@given(makers(), OPERANDS, st.sampled_from(INFIX), st.booleans())
def test_an_operator_gives_what_its_twin_gives(x: Any, y: Any, op: Any, swapped: bool) -> None:
    check(lambda: (x(), y()), (lambda a, b: op(b, a)) if swapped else op)


@settings(max_examples=400, deadline=None)
@given(makers(), OPERANDS, st.sampled_from(IN_PLACE))
def test_an_operator_in_place_does_what_its_twin_does(x: Any, y: Any, op: Any) -> None:
    if op is operator.iadd and (y() is None or isinstance(y(), str)):
        return  # the interpreter words this error, and names the other operator
    check(lambda: (x(), y()), op)


@settings(max_examples=200, deadline=None)
@given(makers(), st.sampled_from(IN_PLACE[:3]), st.sampled_from(KEYS), st.sampled_from(KEYS))
def test_overlapping_views_in_place(x: Any, op: Any, one: Any, two: Any) -> None:
    def change(whole: Buffer) -> Buffer:
        part = whole[one]
        part = op(part, whole[two])
        return whole

    check(lambda: (x(),), change)


@settings(max_examples=300, deadline=None)
@given(makers(), st.sampled_from(UNARY))
def test_a_conversion_or_sign_gives_what_its_twin_gives(x: Any, call: Any) -> None:
    check(lambda: (x(),), lambda a: tuple(call(a)) if call is list else call(a))


@settings(max_examples=300, deadline=None)
@given(OPERANDS, st.sampled_from(FUNCTIONS), st.booleans())
def test_a_function_gives_what_its_twin_gives(x: Any, name: str, into: bool) -> None:
    def call(a: Any) -> Any:
        out = onebuf.zeros_like(a) if into and isinstance(a, Buffer) and a.ndim else None
        return getattr(onebuf, name)(a, out=out) if out is not None else getattr(onebuf, name)(a)

    check(lambda: (x(),), call)


@settings(max_examples=300, deadline=None)
@given(OPERANDS, OPERANDS, st.sampled_from(PAIRS))
def test_a_function_of_two_gives_what_its_twin_gives(x: Any, y: Any, name: str) -> None:
    check(lambda: (x(), y()), getattr(onebuf, name))


@settings(max_examples=200, deadline=None)
@given(makers(), OPERANDS, OPERANDS)
def test_where_gives_what_its_twin_gives(condition: Any, x: Any, y: Any) -> None:
    check(lambda: (condition() != 0, x(), y()), onebuf.where)


@settings(max_examples=400, deadline=None)
@given(makers(), st.sampled_from(REDUCTIONS), st.sampled_from(AXES))
def test_a_reduction_gives_what_its_twin_gives(x: Any, name: str, axis: tuple[Any, ...]) -> None:
    check(lambda: (x(),), lambda a: getattr(a, name)(*axis))
    check(lambda: (x(),), lambda a: getattr(onebuf, name)(a, *axis))


@pytest.mark.parametrize("name", ["sum", "prod"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(7,), (1000,), (20, 30), (200, 3), (3, 200)])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_a_reduction_that_is_asked_for_often_keeps_its_bits(
    name: str, dtype: str, shape: tuple[int, ...], axis: int | None
) -> None:
    if axis == 1 and len(shape) == 1:
        return
    values = np.random.default_rng(3).normal(1, 0.01, shape).astype(dtype)
    x = Buffer(values, copy=True)
    first = getattr(x, name)(axis=axis)
    for _ in range(120):  # a kernel takes over
        last = getattr(x, name)(axis=axis)
    assert np.asarray(first).tobytes() == np.asarray(last).tobytes()
    check(lambda: (Buffer(values, copy=True),), lambda a: getattr(a, name)(axis=axis))


@settings(max_examples=400, deadline=None)
@given(makers(), st.sampled_from(KEYS))
def test_a_part_is_what_its_twin_gives(x: Any, key: Any) -> None:
    check(lambda: (x(),), lambda a: a[key])


@settings(max_examples=600, deadline=None)
@given(makers(), st.sampled_from(KEYS), OPERANDS)
def test_a_write_does_what_its_twin_does(x: Any, key: Any, value: Any) -> None:
    check(lambda: (x(), value()), lambda a, v: operator.setitem(a, key, v))


@settings(max_examples=200, deadline=None)
@given(makers(), st.sampled_from(KEYS), st.sampled_from(KEYS))
def test_a_part_written_to_another_part(x: Any, one: Any, two: Any) -> None:
    check(lambda: (x(),), lambda a: operator.setitem(a, one, a[two]))


MOVES = (
    *(lambda a: a.T, lambda a: a.transpose(), lambda a: a.transpose(1, 0), lambda a: a.permute()),
    *(lambda a: a.permute((1, 0)), lambda a: a.permute(0, 0), lambda a: a.reshape(-1)),
    *(lambda a: a.reshape(4, 4), lambda a: a.reshape((2, 8)), lambda a: a.reshape(-1, -1)),
    *(lambda a: a.reshape(-2), lambda a: a.reshape(3), lambda a: a.ravel(), lambda a: a.item()),
    *(lambda a: a.shape, lambda a: a.reshape(()), lambda a: a.reshape(4, 4, order="F")),
)


@settings(max_examples=300, deadline=None)
@given(makers(), st.sampled_from(MOVES))
def test_a_movement_gives_what_its_twin_gives(x: Any, move: Any) -> None:
    check(lambda: (x(),), move)


MADE = (
    *(lambda: onebuf.zeros(3), lambda: onebuf.zeros((2, 3)), lambda: onebuf.ones(3, dtype=int)),
    *(
        lambda: onebuf.ones((2, 2), np.float32),
        lambda: onebuf.zeros(2, "int8"),
        lambda: onebuf.eye(3),
    ),
    *(lambda: onebuf.eye(2, 3), lambda: onebuf.arange(5), lambda: onebuf.arange(2, 7)),
    *(lambda: onebuf.arange(5, 2), lambda: onebuf.arange(-3), lambda: onebuf.zeros(-1)),
    *(lambda: onebuf.arange(2.5), lambda: onebuf.zeros(()), lambda: onebuf.zeros(2, onebuf.uint16)),
    *(lambda: onebuf.ones(3, dtype="float16"), lambda: onebuf.zeros([2, 2]), lambda: onebuf.eye(0)),
    *(lambda: onebuf.zeros(True), lambda: onebuf.zeros((2, "a")), lambda: onebuf.ones(2, bool)),
    *(lambda: onebuf.asarray(np.arange(3)), lambda: onebuf.asarray([1, 2])),
    *(
        lambda: onebuf.array([1, 2]),
        lambda: onebuf.array([1, 2.5]),
        lambda: onebuf.array([[1.0, 2]]),
    ),
    *(lambda: onebuf.array([]), lambda: onebuf.array([[]]), lambda: onebuf.array([[1], [2, 3]])),
    *(
        lambda: onebuf.array([True, 2]),
        *(lambda: onebuf.asarray([1, 2]), lambda: onebuf.asarray([[1.5, 2]])),
        *(
            lambda: onebuf.asarray([]),
            lambda: onebuf.asarray([1, "a"]),
            lambda: onebuf.asarray([3j]),
        ),
        lambda: onebuf.array([2**63]),
        lambda: onebuf.array([[1], 2]),
    ),
    *(
        lambda: onebuf.array([onebuf.arange(3)[1], 2.0]),
        lambda: onebuf.array([1j]),
        lambda: onebuf.array(3),
    ),
    *(lambda: onebuf.array([2**60 + 1, 0.5]), lambda: onebuf.array([onebuf.arange(2.0)[1], 2])),
    *(lambda: onebuf.asarray(np.arange(4).reshape(2, 2).T), lambda: onebuf.asarray(np.array(3))),
)


LISTS: tuple[Any, ...] = (
    *([1, 2], [1, 2.5], [[1.0, 2]], [], [[]], [[1], [2, 3]], [True, 2], [2**63], [[1], 2], [1j], 3),
    *([2**60 + 1, 0.5], ["a"], [None], [[[1]]], [[1, 2], (3, 4)], [np.float32(1), 2.0]),
    *([Buffer([1, 2])[1], 2.0], [onebuf.arange(3)[1], 2.0], [onebuf.arange(3.0)[1], 2]),
    *([onebuf.arange(3)[1], 2], [onebuf.arange(3), onebuf.arange(3)], list(range(300))),
)


@pytest.mark.parametrize("entries", LISTS, ids=str)
@pytest.mark.parametrize("default_float", ["float64", "float32"])
def test_arrays_of_lists_are_those_of_the_twin(entries: Any, default_float: str) -> None:
    with onebuf.config(default_float=default_float):
        check(lambda: (), lambda: onebuf.array(entries))
        check(lambda: (), lambda: onebuf.asarray(entries))


@pytest.mark.parametrize("make", MADE)
@pytest.mark.parametrize("default_float", ["float64", "float32"])
def test_new_buffers_are_those_of_the_twins(make: Any, default_float: str) -> None:
    with onebuf.config(default_float=default_float):
        check(lambda: (), make)


@settings(max_examples=200, deadline=None)
@given(st.lists(makers(((3,), (2, 3), (0, 3), (5,))), max_size=4))
def test_joined_buffers_are_those_of_the_twin(parts: list[Any]) -> None:
    check(lambda: tuple(part() for part in parts), lambda *given: onebuf.concat(list(given)))
    check(
        lambda: tuple(part() for part in parts), lambda *given: tuple(map(onebuf.zeros_like, given))
    )


@st.composite
def wide(draw: st.DrawFn) -> Any:
    """Functions that make a buffer of more elements than are few, if these were doubles."""
    dtype = np.dtype(
        draw(st.sampled_from(["bool", "uint8", "int16", "float16", "float32", "int64"]))
    )
    shape = draw(
        st.sampled_from([(33_000,), (182, 182), (65_536,), (257, 256), (70_000,), (1, 512)])
    )
    key = draw(st.sampled_from([(..., slice(None)), (..., slice(None, None, -1)), (..., None, 0)]))
    values = np.random.default_rng(prod(shape)).integers(0, 5, shape).astype(dtype)
    return lambda: Buffer(values, copy=True)[key]


MANY: dict[str, Any] = {
    "add": operator.add,
    "less": operator.lt,
    "maximum": onebuf.maximum,
    "divide": operator.truediv,
    "scalar": lambda x, y: x * 2,
    "in place": operator.iadd,
    "negative": lambda x, y: onebuf.logical_not(x),
    "exp": lambda x, y: onebuf.exp(x),
    "where": lambda x, y: onebuf.where(x > 1, x, y),
    "roll": lambda x, y: onebuf.roll(x, 3, axis=0),
    "flat roll": lambda x, y: onebuf.roll(x, -7),
    "astype": lambda x, y: x.astype("int32"),
    "copy": lambda x, y: x.copy(),
    "flatten": lambda x, y: x.flatten(),
    "concat": lambda x, y: onebuf.concat([x, y]),
    "stack": lambda x, y: onebuf.stack([x, y], axis=-1),
    "cumsum": lambda x, y: x.cumsum(),
    "clip": lambda x, y: onebuf.clip(x, 1, 3),
}


@settings(max_examples=200, deadline=None)
@given(wide(), wide(), st.sampled_from(sorted(MANY)))
def test_many_small_elements_have_the_twins_results(x: Any, y: Any, name: str) -> None:
    check(lambda: (x(), y()), MANY[name])


@settings(max_examples=200, deadline=None)
@given(makers(), st.sampled_from(DTYPES) | st.none(), st.sampled_from(["cumsum", "cumprod"]))
def test_running_results_of_a_dtype_are_the_twins(x: Any, dtype: Any, name: str) -> None:
    check(lambda: (x(),), lambda x: getattr(onebuf, name)(x, dtype=dtype))
    check(lambda: (x(),), lambda x: getattr(x, name)(-1, dtype=dtype))
    check(lambda: (x(),), lambda x: onebuf.add.accumulate(x, dtype=dtype))


@settings(max_examples=200, deadline=None)
@given(makers(), st.lists(st.integers(-3, 3) | st.booleans(), max_size=3))
def test_an_item_at_a_place_is_the_twins(x: Any, place: list[Any]) -> None:
    check(lambda: (x(),), lambda x: x.item(*place))
    check(lambda: (x(),), lambda x: x.item(tuple(place)))


@pytest.mark.parametrize("values", [(1, 0), (1.5, -2.0), (True, False), (2**70, 1), (1, 0.5)])
def test_a_choice_of_two_numbers_is_the_twins(values: tuple[Any, Any]) -> None:
    for numbers in ([[1, 0, 3]], [0], [[[2.0]]]):
        check(lambda n=numbers: (Buffer(n) != 0,), lambda mask: onebuf.where(mask, *values))
        with onebuf.config(default_float="float32"):
            check(lambda n=numbers: (Buffer(n) != 0,), lambda mask: onebuf.where(mask, *values))
