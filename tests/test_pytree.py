"""Pytrees come apart and together again, and structures are equal only if containers are."""

from collections import OrderedDict, namedtuple
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onebuf import pytree
from onebuf.errors import ArgumentError, ArgumentTypeError

Pair = namedtuple("Pair", "first second")


@dataclass
class Point:
    x: Any
    y: Any = field(default=0, init=False)


@dataclass(frozen=True, slots=True)
class Frozen:
    x: Any

    def __post_init__(self) -> None:
        if not isinstance(self.x, int):
            raise TypeError(self.x)


keys = st.text(max_size=3) | st.integers() | st.booleans() | st.tuples(st.integers())
trees = st.recursive(
    st.integers() | st.text(max_size=3) | st.none(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(keys, inner, max_size=3)
        | st.builds(Pair, inner, inner)
        | st.builds(Point, inner)
    ),
    max_leaves=12,
)


@given(trees)
def test_unflatten_undoes_flatten(tree: Any) -> None:
    leaves, structure = pytree.flatten(tree)
    again = structure.unflatten(leaves)
    assert again == tree
    assert pytree.flatten(again)[1] == structure


@given(trees, trees)
def test_structures_are_equal_exactly_if_their_texts_are(one: Any, other: Any) -> None:
    first, second = pytree.flatten(one)[1], pytree.flatten(other)[1]
    assert (first == second) == (repr(first) == repr(second))
    if first == second:
        assert hash(first) == hash(second)


def test_leaves_come_from_left_to_right() -> None:
    leaves, structure = pytree.flatten(({"b": 1, "a": [2]}, None, Pair(3, (4,))))
    assert leaves == [1, 2, 3, 4]
    assert structure.count == 4


@pytest.mark.parametrize(
    "one, other",
    [
        ({"a": 1, "b": 2}, {"b": 1, "a": 2}),
        ({1: 0}, {True: 0}),
        ({0.0: 0}, {-0.0: 0}),
        ({(1,): 0}, {(True,): 0}),
        ([1], (1,)),
        (None, ()),
        (None, 1),
        (Pair(1, 2), (1, 2)),
    ],
)
def test_other_containers_or_keys_are_another_structure(one: Any, other: Any) -> None:
    assert pytree.flatten(one)[1] != pytree.flatten(other)[1]


def test_a_dataclass_is_made_again_without_init() -> None:
    _, structure = pytree.flatten(Frozen(3))
    assert structure.unflatten(["text"]).x == "text"


def test_attributes_of_a_dataclass_that_are_no_fields_are_kept() -> None:
    point = Point(1)
    point.extra = 5
    again = pytree.map(lambda leaf: leaf + 1, point)
    assert (again.x, again.y, again.extra) == (2, 1, 6)


def test_a_class_of_a_dataclass_is_a_leaf() -> None:
    assert pytree.is_leaf(Point)


def test_an_instance_of_a_subclass_of_dict_is_a_leaf() -> None:
    assert pytree.flatten(OrderedDict(a=1))[0] == [OrderedDict(a=1)]


def test_a_registered_class_is_a_container_also_if_it_was_a_leaf_before() -> None:
    class Box:
        def __init__(self, content: Any) -> None:
            self.content = content

    assert len(pytree.flatten(Box([1, 2]))[0]) == 1
    pytree.register(Box, lambda box: ([box.content], "b"), lambda rest, parts: Box(*parts))
    assert pytree.map(lambda leaf: -leaf, Box([1, 2])).content == [-1, -2]


def test_a_built_in_container_cannot_be_registered() -> None:
    with pytest.raises(ArgumentTypeError, match="no container yet, got list"):
        pytree.register(list, lambda x: (x, None), lambda rest, parts: list(parts))


def test_a_cycle_is_an_error_that_says_so() -> None:
    cycle: list[Any] = [1]
    cycle.append({"again": cycle})
    with pytest.raises(ArgumentError, match="a list that contains itself"):
        pytree.flatten(cycle)


def test_the_same_container_twice_is_no_cycle() -> None:
    inner = [1]
    assert pytree.flatten([inner, inner])[0] == [1, 1]


def test_a_wrong_number_of_leaves_is_an_error() -> None:
    with pytest.raises(ArgumentError, match=r"needed 2 leaves .* got 1"):
        pytree.flatten((1, 2))[1].unflatten([1])
