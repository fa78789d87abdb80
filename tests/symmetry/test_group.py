"""Groups of symmetries, against tensors that have them and orbits that are listed."""

import copy
import pickle
from itertools import product
from math import comb, factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onebuf
from onebuf.errors import ArgumentError, ArgumentTypeError, ShapeError
from onebuf.symmetry import Antisymmetric, Group, Hermitian, Operation, Permutation, Symmetric

EXAMPLES = [
    Group(rank=0),
    Group(rank=3),
    Symmetric(0, 1),
    Symmetric(0, 2),
    Symmetric(0, 1, rank=3),
    Symmetric(0, 1, 2),
    Antisymmetric(0, 1, 2),
    Hermitian(0, 1),
    Hermitian(0, 1, 2),
    Group(Operation(Permutation([1, 0]), -1, True)),
    Group(Symmetric(0, 1), Antisymmetric(2, 3)),
    Group(Hermitian(0, 1), Antisymmetric(2, 3)),
    Group(Symmetric(0, 1), Symmetric(2, 3), Symmetric((0, 1), (2, 3))),
    Group(Antisymmetric(0, 1), Antisymmetric(2, 3), Hermitian((0, 1), (2, 3))),
    Group(Permutation([1, 2, 0])),
    Group(Operation(Permutation([1, 2, 3, 0]), -1)),
    Group(Operation(Permutation([1, 2, 3, 0]), -1, True)),
]


def listed_orbits(group: Group, extents: tuple[int, ...]) -> int:
    """The number of orbits that are not zero, by visiting each element."""
    seen, count = set(), 0
    for index in product(*map(range, extents)):
        if index in seen:
            continue
        images = [(operation.permutation.apply(index), operation) for operation in group]
        seen.update(image for image, _ in images)
        count += not any(
            image == index and operation.sign < 0 and not operation.conjugate
            for image, operation in images
        )
    return count


def symmetrised(group: Group, extents: tuple[int, ...], seed: int = 0):
    """A tensor that has the symmetries of the group, and is random otherwise."""
    random = np.random.default_rng(seed)
    x = random.normal(size=extents) + 1j * random.normal(size=extents)
    total = np.zeros(extents, complex)
    for operation in group:
        # y[index] = x[p.apply(index)] has the axes of x in the order of the inverse.
        moved = x.transpose(operation.permutation.inverse.one_line)
        total += operation.sign * (moved.conj() if operation.conjugate else moved)
    return total


@pytest.mark.parametrize("group", EXAMPLES, ids=repr)
def test_a_tensor_with_the_symmetry_has_each_operation_as_documented(group) -> None:
    x = symmetrised(group, (3,) * group.rank)
    for operation in group:
        for index in product(range(3), repeat=group.rank):
            right = x[index].conj() if operation.conjugate else x[index]
            assert np.isclose(x[operation.permutation.apply(index)], operation.sign * right)


@pytest.mark.parametrize("group", EXAMPLES, ids=repr)
@pytest.mark.parametrize("extent", range(5))
def test_unique_counts_the_orbits_that_are_not_zero(group, extent) -> None:
    extents = (extent,) * group.rank
    assert group.unique(extents) == listed_orbits(group, extents)


@pytest.mark.parametrize("group", EXAMPLES, ids=repr)
def test_a_group_is_closed_and_has_inverses(group) -> None:
    operations = set(group.operations)
    assert group.operations[0].is_identity
    assert len(operations) == len(group) == len({one.permutation for one in operations})
    assert {one @ other for one in group for other in group} == operations
    assert {one.inverse for one in group} == operations


@pytest.mark.parametrize("group", EXAMPLES, ids=repr)
def test_a_group_evaluates_from_its_repr_and_can_be_pickled_and_copied(group) -> None:
    for same in (eval(repr(group)), pickle.loads(pickle.dumps(group)), copy.deepcopy(group)):
        assert same == group
        assert hash(same) == hash(group)
        assert type(same) is type(group)


def test_no_two_examples_are_equal() -> None:
    assert len(set(EXAMPLES)) == len(EXAMPLES)
    assert Symmetric(0, 1) != 3


@pytest.mark.parametrize("group", EXAMPLES, ids=repr)
def test_a_group_on_more_axes_leaves_them_alone(group) -> None:
    larger = group.on(group.rank + 1)
    assert larger.rank == group.rank + 1
    assert len(larger) == len(group)
    assert larger == Group(*group.operations, rank=group.rank + 1)
    assert larger.unique((2,) * larger.rank) == 2 * group.unique((2,) * group.rank)
    assert group.on(group.rank) == group


def test_groups_are_an_attribute_of_the_namespace() -> None:
    assert onebuf.symmetry.Group is Group


def test_families_are_groups_and_equal_those_of_the_same_operations() -> None:
    assert isinstance(Symmetric(0, 1), Group)
    assert Symmetric(0, 1) == Group(Permutation([1, 0])) == Symmetric(1, 0) == Symmetric((0, 1))
    assert hash(Symmetric(0, 1)) == hash(Group(Permutation([1, 0])))
    assert Antisymmetric(0, 1) == Group((Permutation([1, 0]), -1))
    assert Hermitian(0, 1) == Group(Operation(Permutation([1, 0]), conjugate=True))
    assert Symmetric(0, 1) != Antisymmetric(0, 1)
    assert Group(Symmetric(0, 1), Symmetric(1, 2)) == Symmetric(0, 1, 2)


def test_the_symmetric_group_of_three_axes_has_six_operations() -> None:
    group = Symmetric(0, 1, 2)
    assert len(group) == 6
    assert {operation.sign for operation in group} == {1}
    assert [operation.sign for operation in Antisymmetric(0, 1, 2)] == [
        operation.permutation.sign for operation in Antisymmetric(0, 1, 2)
    ]


def test_signs_membership_and_operations_by_permutation() -> None:
    group, swap = Antisymmetric(0, 1), Permutation([1, 0])
    assert group.sign(swap) == -1
    assert group.operation(swap) == Operation(swap, -1)
    assert swap in group
    assert Operation(swap, -1) in group
    assert Operation(swap, 1) not in group
    assert Operation(swap, -1, True) not in group
    assert Permutation([1, 0, 2]) not in group
    assert "swap" not in group
    with pytest.raises(ArgumentError):
        group.sign(Permutation(3))
    assert Group(rank=2).is_trivial
    assert not group.is_trivial
    assert Hermitian(0, 1).conjugates
    assert not group.conjugates


@pytest.mark.parametrize("n", [0, 1, 2, 7, 10**6])
def test_packed_sizes_are_the_binomials(n) -> None:
    assert Symmetric(0, 1).unique((n, n)) == n * (n + 1) // 2
    assert Antisymmetric(0, 1).unique((n, n)) == n * (n - 1) // 2
    assert Hermitian(0, 1).unique((n, n)) == n * (n + 1) // 2
    assert Symmetric(0, 1, 2, 3).unique((n,) * 4) == comb(n + 3, 4)
    assert Antisymmetric(0, 1, 2, 3).unique((n,) * 4) == comb(n, 4)


def test_a_large_group_is_closed_and_counted() -> None:
    group = Symmetric(*range(7))
    assert len(group) == factorial(7)
    assert group.unique((20,) * 7) == comb(26, 7)


def test_a_group_that_would_be_too_large_is_an_error() -> None:
    with pytest.raises(ArgumentError, match="50000 operations"):
        Symmetric(*range(9))


def test_contradicting_signs_are_refused_with_the_permutation() -> None:
    one, other = Permutation(3, (0, 1)), Permutation(3, (1, 2))
    with pytest.raises(ArgumentError, match=r"permutation \(0 2\) follows with two signs"):
        Group(one, (other, -1))
    with pytest.raises(ArgumentError, match=r"permutation \(0 1\) follows with two signs"):
        Group(Permutation([1, 0]), (Permutation([1, 0]), -1))
    with pytest.raises(ArgumentError, match="two conjugations"):
        Group(Symmetric(0, 1), Hermitian(0, 1))
    with pytest.raises(ArgumentError, match="two signs"):
        Group(Symmetric(0, 1), Antisymmetric(0, 1))
    with pytest.raises(ArgumentError, match=r"permutation \(\) follows with two signs"):
        Group((Permutation(2), -1))
    with pytest.raises(ArgumentError, match="two signs"):
        Group((Permutation([1, 2, 0]), -1))


def test_extents_of_exchanged_axes_have_to_agree() -> None:
    with pytest.raises(ShapeError, match="axes 0 and 2 are exchanged"):
        Symmetric(0, 2).check((3, 4, 5))
    Symmetric(0, 2).check((3, 4, 3))
    with pytest.raises(ShapeError, match="on\\(rank\\)"):
        Symmetric(0, 1).check((3, 3, 3))
    with pytest.raises(ShapeError, match="axes 0 and 1"):
        Symmetric(0, 1).unique((3, 4))


@pytest.mark.parametrize(
    "make, error",
    [
        (lambda: Group(3), ArgumentTypeError),
        (lambda: Group([1, 0]), ArgumentTypeError),
        (lambda: Group((Permutation(2), 2)), ArgumentError),
        (lambda: Group((Permutation(2), 1.0)), ArgumentTypeError),
        (lambda: Group(Symmetric(0, 1), rank=1), ArgumentError),
        (lambda: Group(rank=-1), ArgumentError),
        (lambda: Group(rank=1.5), ArgumentTypeError),
        (lambda: Symmetric(0, 0), ArgumentError),
        (lambda: Symmetric(-1, 0), ArgumentError),
        (lambda: Symmetric(0, 1.0), ArgumentTypeError),
        (lambda: Symmetric("01"), ArgumentTypeError),
        (lambda: Symmetric((0, 1), 2), ArgumentTypeError),
        (lambda: Symmetric((0, 1), (1, 2)), ArgumentError),
        (lambda: Symmetric((), ()), ArgumentTypeError),
        (lambda: Symmetric(0, 1, rank=1), ArgumentError),
        (lambda: Symmetric(0, 1).on(1), ArgumentError),
        (lambda: Operation([1, 0]), ArgumentTypeError),
        (lambda: Operation(Permutation(2), 0), ArgumentError),
        (lambda: Operation(Permutation(2), 1, 1), ArgumentTypeError),
    ],
)
def test_what_makes_no_group_is_an_error(make, error) -> None:
    with pytest.raises(error):
        make()


def test_a_group_does_not_change() -> None:
    with pytest.raises(AttributeError, match="does not change"):
        Symmetric(0, 1).rank = 3


operations = st.builds(
    lambda line, sign, conjugate: Operation(Permutation(line), sign, conjugate),
    st.permutations(range(4)),
    st.sampled_from([1, -1]),
    st.booleans(),
)


@settings(max_examples=150)
@given(st.lists(operations, max_size=2), st.integers(1, 3))
def test_random_generators_give_a_group_or_a_contradiction(generators, extent) -> None:
    try:
        group = Group(*generators, rank=4)
    except ArgumentError:
        # Then some product of them has the permutation of the identity and not its factor.
        products = {Operation(Permutation(4))}
        while True:
            more = products | {one @ other for one in products for other in generators}
            if more == products:
                break
            products = more
        assert any(one.permutation.is_identity and not one.is_identity for one in products)
        return
    assert all(generator in group for generator in generators)
    assert {one @ other for one in group for other in group} == set(group)
    extents = (extent,) * 4
    assert group.unique(extents) == listed_orbits(group, extents)
    assert Group(*reversed(group.operations)) == group
