"""Permutations, against NumPy's indexing and lists of all of them."""

import copy
import pickle
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onebuf.errors import ArgumentError, ArgumentTypeError, ShapeError
from onebuf.symmetry import Permutation

lines = st.integers(0, 6).flatmap(lambda rank: st.permutations(range(rank)))


def pairs(count: int = 2):
    return st.integers(0, 6).flatmap(
        lambda rank: st.tuples(*[st.permutations(range(rank))] * count)
    )


def test_cycles_are_canonical() -> None:
    assert Permutation(6, (2, 1, 3), (4, 5)).cycles == ((1, 3, 2), (4, 5))
    assert Permutation(6, (5, 4), (3, 2, 1)).cycles == ((1, 3, 2), (4, 5))
    assert Permutation(5, (4,), (1, 0)).cycles == ((0, 1),)
    assert Permutation(5).cycles == Permutation([0, 1, 2]).cycles == Permutation().cycles == ()


def test_cycles_may_be_one_list() -> None:
    assert Permutation(6, [(2, 1, 3), (4, 5)]) == Permutation(6, (2, 1, 3), (4, 5))
    assert Permutation(6, [2, 1, 3]) == Permutation(6, (2, 1, 3))
    assert Permutation(3, []) == Permutation(3, ()) == Permutation(3)


def test_a_cycle_carries_entries_from_each_position_to_the_next() -> None:
    p = Permutation(6, (1, 3, 2), (4, 5))
    assert p.apply(range(6)) == [0, 2, 3, 1, 5, 4]
    assert [p.image(i) for i in range(6)] == [0, 3, 1, 2, 5, 4]
    assert p == Permutation([0, 2, 3, 1, 5, 4])
    assert str(p) == "(1 3 2)(4 5)"


def test_permutations_of_different_ranks_differ() -> None:
    assert Permutation(1) != Permutation(2)
    assert Permutation([1, 0]) != Permutation([1, 0, 2])
    assert Permutation([1, 0, 2]) == Permutation([1, 0]).on(3)


@given(lines)
def test_the_one_line_form_is_what_becomes_of_the_positions(line) -> None:
    p = Permutation(line)
    assert p.apply(range(len(line))) == list(line) == list(p.one_line)
    letters = np.array(list("abcdef")[: len(line)])
    np.testing.assert_array_equal(p.apply(letters), letters[list(line)] if line else letters)
    assert p.apply(tuple(letters)) == tuple(p.apply(letters))


@given(lines)
def test_cycles_and_one_line_form_say_the_same(line) -> None:
    p = Permutation(line)
    assert Permutation(len(line), *p.cycles) == p
    assert all(cycle[0] == min(cycle) and len(cycle) > 1 for cycle in p.cycles)
    assert list(p.cycles) == sorted(p.cycles)
    result = p.apply(range(len(line)))
    assert all(result[p.image(i)] == i for i in range(len(line)))


@given(pairs())
def test_a_product_applies_the_right_one_first(two) -> None:
    p, q = map(Permutation, two)
    entries = list("abcdef")[: p.rank]
    assert (p @ q).apply(entries) == p.apply(q.apply(entries))
    assert p * q == p @ q
    assert p @ p.inverse == p.inverse @ p == Permutation(p.rank)


@given(pairs(3))
def test_products_are_associative(three) -> None:
    p, q, r = map(Permutation, three)
    assert (p @ q) @ r == p @ (q @ r)


@given(lines)
def test_parity_is_that_of_the_determinant(line) -> None:
    p = Permutation(line)
    matrix = np.eye(len(line))[list(line)]
    assert p.sign == round(np.linalg.det(matrix)) if line else p.sign == 1
    assert p.sign == (-1) ** p.parity
    assert p.inverse.sign == p.sign


@given(lines)
def test_the_order_is_how_often_until_the_identity(line) -> None:
    p = Permutation(line)
    power, count = p, 1
    while not power.is_identity:
        power, count = power @ p, count + 1
    assert count == p.order


@given(lines)
def test_a_permutation_evaluates_from_its_repr_and_can_be_pickled(line) -> None:
    p = Permutation(line)
    for same in (eval(repr(p)), pickle.loads(pickle.dumps(p)), copy.deepcopy(p)):
        assert same == p
        assert hash(same) == hash(p)


def test_all_permutations_differ() -> None:
    assert len({Permutation(line) for line in permutations(range(4))}) == 24


@pytest.mark.parametrize(
    "arguments, error, match",
    [
        (([0, 2],), ArgumentError, "exactly once"),
        (([0, 0],), ArgumentError, "exactly once"),
        (([-1, 0],), ArgumentError, "exactly once"),
        (([0.0, 1.0],), ArgumentTypeError, "integer"),
        (([True, False],), ArgumentTypeError, "integer"),
        (("10",), ArgumentTypeError, "rank"),
        ((None,), ArgumentTypeError, "rank"),
        ((-1,), ArgumentError, "rank"),
        (([1, 0], (0, 1)), ArgumentTypeError, "either"),
        ((3, (0, 1), (1, 2)), ArgumentError, r"1 in the cycles \(0, 1\) and \(1, 2\)"),
        ((3, (0, 1, 0)), ArgumentError, "0 twice"),
        ((3, (0, 3)), ArgumentError, "got 3"),
        ((3, (-1, 0)), ArgumentError, "got -1"),
        ((3, 0, 1), ArgumentTypeError, "cycle"),
        ((3, "01"), ArgumentTypeError, "cycle|integer"),
        ((3, (0.0, 1)), ArgumentTypeError, "integer"),
    ],
)
def test_what_is_no_permutation_is_an_error(arguments, error, match) -> None:
    with pytest.raises(error, match=match):
        Permutation(*arguments)


def test_wrong_lengths_ranks_and_positions_are_errors() -> None:
    p = Permutation([1, 0])
    with pytest.raises(ShapeError):
        p.apply([1, 2, 3])
    with pytest.raises(ShapeError):
        p @ Permutation(3)
    with pytest.raises(ArgumentError):
        p.on(1)
    for position in (2, -1):
        with pytest.raises(ArgumentError):
            p.image(position)
    with pytest.raises(TypeError):
        p @ 3
    with pytest.raises(AttributeError):
        p.one_line = (0, 1)
