"""An extent counts as an integer, and what is decided by it is noted."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onebuf.capture.dynamic.extent import Extent, Lengths, plain
from onebuf.capture.dynamic.polynomial import Polynomial

BINARY = (operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod)
COMPARISONS = (
    *(operator.lt, operator.le, operator.eq),
    *(operator.ne, operator.gt, operator.ge),
)


@given(
    st.integers(1, 40),
    st.integers(1, 40),
    st.integers(-9, 9).filter(bool),
    st.sampled_from(BINARY),
    st.booleans(),
)
def test_arithmetic_gives_what_integers_give_and_is_right_where_all_decisions_hold(
    here: int, there: int, k: int, operation: Callable[[Any, Any], Any], is_left: bool
) -> None:
    def compute(n: Any) -> Any:
        once = operation(n * n + 3, k) if is_left or k < 0 else operation(k, n)
        return once + 2 * n

    lengths = Lengths([here])
    found = compute(lengths.extent(0))
    assert plain(found) == compute(here)
    if not lengths.opaque and all(one.holds((there,)) for one in lengths.decisions):
        assert type(found) is Extent
        assert found.polynomial.at((there,)) == compute(there)


@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 20), st.sampled_from(COMPARISONS))
def test_a_comparison_is_noted_and_holds_where_it_comes_out_the_same(
    here: int, there: int, k: int, compare: Callable[[Any, Any], bool]
) -> None:
    for is_left in (True, False):
        lengths = Lengths([here])
        n = lengths.extent(0)
        outcome = compare(n, k) if is_left else compare(k, n)
        assert outcome == (compare(here, k) if is_left else compare(k, here))
        again = compare(there, k) if is_left else compare(k, there)
        assert all(one.holds((there,)) for one in lengths.decisions) == (outcome == again)


@pytest.mark.parametrize(
    "use",
    [
        *(float, str, repr, hash, range, math.sqrt, "{}".format, np.zeros, operator.invert),
        *(lambda n: n / 2, lambda n: 2 / n, lambda n: n**0.5, lambda n: n & 1, lambda n: 7 // n),
        *(lambda n: n * 0.5, lambda n: n > 0.5, lambda n: [1, 2, 3, 4][n], lambda n: [1] * n),
    ],
)
def test_what_cannot_be_followed_is_noted(use: Callable[[Any], Any]) -> None:
    lengths = Lengths([3])
    use(lengths.extent(0))
    assert "of a length at " in lengths.opaque


def test_nothing_is_noted_after_the_call() -> None:
    lengths = Lengths([3])
    n = lengths.extent(0)
    lengths.is_open = False
    assert n > 2
    assert (float(n), type(n + 1)) == (3.0, int)
    assert (lengths.decisions, lengths.opaque) == ({}, "")


def test_a_comparison_that_no_length_changes_is_not_noted() -> None:
    lengths = Lengths([3])
    n = lengths.extent(0)
    assert n - n == 0
    assert n >= 0
    assert not n + 1 < 0
    assert n * 4 % 2 == 0
    assert not lengths.decisions


def test_a_remainder_by_another_extent_is_followed_where_it_changes_nothing() -> None:
    lengths = Lengths([8])
    n = lengths.extent(0)
    assert str(((n - 1) % n).polynomial) == "n - 1"
    assert 3 % n == 3
    assert [one.holds((2,)) for one in lengths.decisions] == [True, False]


def test_caches_keep_extents_and_integers_apart() -> None:
    lengths = Lengths([3])
    n = lengths.extent(0)
    table = {(3, 4): "plain"}
    table[(n, 4)] = "followed"
    assert table[(3, 4)] == "plain"
    assert table[(n + 0, 4)] == "followed"
    assert len(table) == 2


def test_polynomials_read_as_people_write_them() -> None:
    n, m = Polynomial.symbol(0), Polynomial.symbol(1)
    three = Polynomial.number(3)
    assert str(n * m * three - n - three) == "3*n*m - n - 3"
    assert str(three - n) == "-n + 3"
    assert str(n - n) == "0"
