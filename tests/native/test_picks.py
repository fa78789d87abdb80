"""Elements picked by arrays and lists, numbers, and views without blocks, next to their twins."""

from __future__ import annotations

import gc
import operator
import weakref
from typing import Any

import children
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from native.test_twins import OPERANDS, makers
from native.twins import check, needs_core

import onebuf
from onebuf import Buffer
from onebuf.errors import ExportError

pytestmark = needs_core

SHAPES = ((3,), (16,), (4, 4), (1, 4), (2, 3, 4), (0,))


def indices(*values: int, dtype: str = "int64") -> Any:
    return lambda: Buffer(np.array(values, dtype), copy=True)


def mask(shape: tuple[int, ...], seed: int) -> Any:
    bits = np.random.default_rng(seed).random(shape) < 0.5
    return lambda: Buffer(bits, copy=True)


KEYS: tuple[Any, ...] = (
    *(indices(0, 2), indices(2, 0, 1), indices(-1), indices(1, dtype="int32"), indices(99)),
    *(indices(), mask((3,), 1), mask((16,), 2), mask((4, 4), 3), mask((4,), 4), mask((2, 3), 5)),
    *(lambda: [0, 2], lambda: [], lambda: [True, False, True], lambda: [[0], [1]], lambda: [99]),
    *(lambda: (indices(0, 1)(), indices(1, 0)()), lambda: (slice(None), indices(1, 0)())),
    *(lambda: (indices(0)(), 1), lambda: ([0, 1], slice(1, None)), lambda: (..., [0, 0])),
    *(lambda: (None, indices(0, 1)()), lambda: (mask((4,), 6)(), 0), lambda: ([0, 1], [0, 1])),
    *(lambda: (Buffer([1])[0], [0, 1]), lambda: Buffer([0.5, 1.0]), lambda: "i", lambda: ("a",)),
)


@settings(max_examples=600, deadline=None)
@given(makers(SHAPES), st.sampled_from(KEYS))
def test_picked_elements_are_those_of_the_twin(x: Any, key: Any) -> None:
    check(lambda: (x(), key()), lambda a, k: a[k])


@settings(max_examples=800, deadline=None)
@given(makers(SHAPES), st.sampled_from(KEYS), OPERANDS)
def test_a_write_to_picked_elements_does_what_the_twin_does(x: Any, key: Any, value: Any) -> None:
    check(lambda: (x(), key(), value()), lambda a, k, v: operator.setitem(a, k, v))


@settings(max_examples=200, deadline=None)
@given(makers(SHAPES), st.sampled_from(KEYS), st.sampled_from(KEYS))
def test_picked_elements_written_to_others(x: Any, one: Any, two: Any) -> None:
    check(lambda: (x(),), lambda a: operator.setitem(a, one(), a[two()]))


def test_an_index_that_is_written_by_itself() -> None:
    def write(x: Buffer) -> None:
        x[x] = 2
        x[x[::-1]] = x

    check(lambda: (Buffer(np.array([1, 2, 0]), copy=True),), write)


NUMBERS: tuple[Any, ...] = (
    *(lambda: onebuf.arange(3)[1], lambda: onebuf.arange(3.0)[1], lambda: onebuf.arange(3.0).sum()),
    *(lambda: onebuf.asarray([2**53 + 1])[0], lambda: onebuf.asarray([-(2**63)])[0]),
    *(lambda: onebuf.asarray([float("nan")])[0], lambda: onebuf.asarray([0.0])[0]),
    *(lambda: onebuf.asarray([0])[0], lambda: onebuf.asarray([1.5], dtype="float32")[0]),
    *(
        lambda: 2,
        lambda: 2.5,
        lambda: 0,
        lambda: -0.0,
        lambda: True,
        lambda: 2**63,
        lambda: 2**53 + 1,
    ),
)
OPERATORS = (
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.lt, operator.le),
    *(operator.eq, operator.ne, operator.gt, operator.ge, operator.iadd, operator.isub),
)


@pytest.mark.parametrize("op", OPERATORS)
def test_numbers(op: Any) -> None:
    for x in NUMBERS:
        for y in NUMBERS:
            if isinstance(x(), Buffer) or isinstance(y(), Buffer):
                check(lambda: (x(), y()), op)  # noqa: B023
                check(lambda: (x(), y()), lambda a, b: bool(op(a, b)))  # noqa: B023


def test_a_view_keeps_the_memory_of_what_is_gone() -> None:
    x = onebuf.arange(6.0) + 1
    view = x[2:4]
    del x
    others = [onebuf.arange(6.0) + n for n in range(9)]
    assert view.tolist() == [3.0, 4.0]
    del others


def test_a_view_of_a_view_and_its_owner_see_each_other() -> None:
    x = onebuf.arange(6.0) + 0
    part = x[1:][::2]
    part[0] = 9.0
    x[3] = 7.0
    assert (x.tolist(), part.tolist()) == ([0, 9, 2, 7, 4, 5], [9, 7, 5])
    assert np.shares_memory(np.asarray(x), np.asarray(part))


def test_a_write_from_a_view_to_its_owner() -> None:
    for one, two in ((slice(1, None), slice(None, -1)), (slice(None, -1), slice(1, None))):

        def shift(x: Buffer) -> Buffer:
            view = x[two]  # noqa: B023
            x[one] = view  # noqa: B023
            return x

        def back(x: Buffer) -> Buffer:
            view = x[:]
            view[one] = x[two]  # noqa: B023
            view[...] = x
            return x

        for change in (shift, back):
            check(lambda: (onebuf.arange(6.0) + 1,), change)


def test_memory_with_a_view_on_it_is_not_freed() -> None:
    x = onebuf.arange(6.0) + 1
    view = x[1:3]
    with pytest.raises(ExportError, match="freed"):
        x.free()
    del view
    x.free()


def test_a_view_whose_owner_is_gone_can_be_freed() -> None:
    x = onebuf.arange(6.0) + 1
    view = x[1:3]
    other = x[2:]
    del x
    with pytest.raises(ExportError, match="freed"):
        view.free()
    assert other.tolist() == [3.0, 4.0, 5.0, 6.0]
    del other
    view.free()


def test_pending_readers_of_a_view_see_the_elements_before_a_write() -> None:
    x = onebuf.arange(100_000.0) + 1
    view = x[:50_000]
    later = (view * 2.0).sin()
    x[0] = 100.0
    assert np.asarray(later)[0] == pytest.approx(np.sin(2.0))


def test_views_die_with_their_owners() -> None:
    x = onebuf.asarray(np.arange(6.0))
    view = x[1:3]
    node = weakref.ref(x._node)
    assert x._node.parts == 1
    del view
    assert x._node.parts == 0
    del x
    gc.collect()
    assert node() is None


def test_more_shapes_than_there_are_shelves() -> None:
    program = """
        import onebuf
        for n in range(1, 700):
            x = onebuf.arange(n) * 2
            assert x[n - 1] == 2 * n - 2
            assert (x[n // 2 :] + 1)[0] == 2 * (n // 2) + 1
    """
    assert children.run(program) == ""  # shelves stay, and other tests want some


BOUNDS = (0, 3, -2, 5.0, 0.5, -1.5, 1, 2**60, float("nan"), float("inf"), True, None)


def test_ranges() -> None:
    for start in BOUNDS:
        if start != 2**60:
            check(lambda: (), lambda: onebuf.arange(start))  # noqa: B023
        for stop in BOUNDS:
            if 2**60 not in (start, stop):
                check(lambda: (), lambda: onebuf.arange(start, stop))  # noqa: B023
            for step in (1, -1, 2, 0.3, -0.7, 0, 3.0):
                if 2**60 not in (start, stop):
                    check(lambda: (), lambda: onebuf.arange(start, stop, step))  # noqa: B023


@pytest.mark.parametrize("value", [0, 1, -1, 2.5, True, 300, 2**63, "a", 1j, None])
@pytest.mark.parametrize("dtype", [None, "int8", "float32", "bool", np.uint16, int])
def test_filled_memory(value: Any, dtype: Any) -> None:
    for shape in (3, (2, 3), (), 0, -1, [2]):
        check(lambda: (), lambda: onebuf.full(shape, value))  # noqa: B023
        check(lambda: (), lambda: onebuf.full(shape, value, dtype=dtype))  # noqa: B023
