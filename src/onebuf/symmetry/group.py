"""Groups: all operations that follow from some.

A group has every product of its operations, each permutation once. So it is the same whichever
operations it was made from, and a permutation has one sign and one conjugation in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from onebuf.errors import ArgumentError, ShapeError
from onebuf.symmetry.counting import independent_elements
from onebuf.symmetry.operation import Operation, as_operation
from onebuf.symmetry.permutation import Line, Permutation, integer, of_line

MOST_OPERATIONS = 50_000
"""Groups of more are refused: nine axes that may all be exchanged have 362,880."""

Factor: TypeAlias = tuple[int, bool]
"""Sign and conjugation."""


class Group:
    """The symmetries of a tensor.

    Parameters
    ----------
    *generators
        Permutations, operations, (permutation, sign) pairs or groups. The group has all that
        follows from them.
    rank
        How many axes the tensor has; by default, as many as the generators name.

    >>> exchange, turn = Permutation([1, 0, 2]), Permutation([1, 2, 0])
    >>> group = Group(exchange, turn)
    >>> len(group), group.rank
    (6, 3)
    >>> Group((exchange, -1), (turn, 1)).sign(exchange)
    -1
    """

    __slots__ = ("rank", "operations", "_generators", "_factors", "_hash")

    rank: int
    """How many axes the operations permute."""
    operations: tuple[Operation, ...]
    """All operations, by the one-line forms of their permutations: the identity is the first."""
    _generators: tuple[Operation, ...]
    _factors: dict[Line, Factor]
    _hash: int

    def __init__(self, *generators: Any, rank: int | None = None) -> None:
        given: list[Operation] = []
        least = 0 if rank is None else integer(rank, "the rank of a group")
        ranks = [0]
        for one in generators:
            parts = one._generators if isinstance(one, Group) else [as_operation(one)]
            given += [part for part in parts if not part.is_identity]
            ranks.append(one.rank if isinstance(one, Group) else parts[0].rank)
        if rank is not None and least < max(ranks):
            raise ArgumentError(f"a group on {max(ranks)} axes needs that rank or more, got {rank}")
        size = max(least, *ranks)
        extended = tuple(dict.fromkeys([part.on(size) for part in given]))
        factors = _closure(extended, size)
        self._set("rank", size)
        self._set("_generators", extended)
        self._set("_factors", factors)
        self._set(
            "operations",
            tuple([Operation(of_line(line), *factors[line]) for line in sorted(factors)]),
        )
        self._set("_hash", hash((size, frozenset(factors.items()))))

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any = None) -> None:
        raise AttributeError(f"a group does not change: {name} cannot be set; make another group")

    __delattr__ = __setattr__

    def __reduce__(self) -> Any:
        return _group, (self._generators, self.rank)

    @property
    def generators(self) -> tuple[Operation, ...]:
        """Operations from which all others follow."""
        return self._generators

    @property
    def is_trivial(self) -> bool:
        """Whether the identity is all there is, so that every element is independent."""
        return len(self.operations) == 1

    @property
    def conjugates(self) -> bool:
        """Whether an operation conjugates."""
        return any(operation.conjugate for operation in self.operations)

    def sign(self, permutation: Permutation) -> int:
        """The sign with which ``permutation`` is in the group."""
        return self.operation(permutation).sign

    def operation(self, permutation: Permutation) -> Operation:
        """The operation of the group with this permutation."""
        if not isinstance(permutation, Permutation) or permutation not in self:
            raise ArgumentError(f"{permutation!r} is no permutation of {self!r}")
        return Operation(permutation, *self._factor(permutation.one_line))

    def _factor(self, line: Line) -> Factor:
        return self._factors[line]

    def on(self, rank: int) -> Group:
        """The same group for a tensor with more axes, which it leaves alone.

        >>> Group(Permutation([1, 0])).on(3)
        Group(Operation(Permutation([1, 0, 2])))
        """
        return self if rank == self.rank else Group(self, rank=rank)

    def check(self, extents: Sequence[int]) -> None:
        """Raise unless a tensor with these extents can have the symmetry.

        >>> Group(Permutation([1, 0])).check((3, 4))
        Traceback (most recent call last):
        onebuf.errors.ShapeError: axes 0 and 1 are exchanged by +(0 1), so they need one extent, ...
        """
        if len(extents) != self.rank:
            raise ShapeError(
                f"a symmetry of rank {self.rank} needs {self.rank} extents, got {tuple(extents)}; "
                f"on(rank) extends it to more axes"
            )
        for operation in self.generators:
            for axis, other in enumerate(operation.permutation.one_line):
                if extents[axis] != extents[other]:
                    low, high = sorted((axis, other))
                    raise ShapeError(
                        f"axes {low} and {high} are exchanged by {operation}, so they need one "
                        f"extent, got {extents[low]} and {extents[high]} in {tuple(extents)}"
                    )

    def unique(self, extents: Sequence[int]) -> int:
        """How many elements of a tensor have to be stored: one of all that follow from another.

        Elements that are zero by symmetry, as on the diagonal of an antisymmetric matrix, are not
        counted.

        >>> Group(Permutation([1, 0])).unique((10, 10))
        55
        >>> Group((Permutation([1, 0]), -1)).unique((10, 10))
        45
        """
        self.check(extents)
        return independent_elements(self.operations, tuple([int(extent) for extent in extents]))

    def __len__(self) -> int:
        return len(self.operations)

    def __iter__(self) -> Iterator[Operation]:
        return iter(self.operations)

    def __contains__(self, one: object) -> bool:
        """Whether an operation, or a permutation with any factor, is in the group."""
        if isinstance(one, Permutation):
            return one.one_line in self._factors
        if isinstance(one, Operation):
            line = one.permutation.one_line
            return one.permutation in self and self._factor(line) == (one.sign, one.conjugate)
        return False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Group):
            return NotImplemented
        return self.rank == other.rank and self.operations == other.operations

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        arguments = [repr(operation) for operation in self.generators]
        if not arguments:
            arguments.append(f"rank={self.rank}")
        return f"Group({', '.join(arguments)})"


def _closure(generators: tuple[Operation, ...], rank: int) -> dict[Line, Factor]:
    """Every product of the generators, by one-line form, with its sign and conjugation.

    Each product is reached from each neighbour in the group's Cayley graph. So a permutation with
    two factors is found if there is one: a factor is a character iff it agrees on all its edges.
    """
    steps = [(one.permutation.one_line, one.sign, one.conjugate) for one in generators]
    identity = tuple(range(rank))
    factors: dict[Line, Factor] = {identity: (1, False)}
    found = [identity]
    for line in found:
        sign, conjugate = factors[line]
        for step, step_sign, step_conjugate in steps:
            product = tuple([line[i] for i in step])
            factor = (sign * step_sign, conjugate != step_conjugate)
            known = factors.setdefault(product, factor)
            if known is factor:
                found.append(product)
                if len(found) > MOST_OPERATIONS:
                    raise ArgumentError(
                        f"a group may have {MOST_OPERATIONS} operations, and these generators "
                        f"give more: {', '.join([str(one) for one in generators])}; use fewer axes"
                    )
            elif known != factor:
                _refuse(product, known, factor, generators)
    return factors


def _refuse(line: Line, one: Factor, other: Factor, generators: tuple[Operation, ...]) -> None:
    permutation = Permutation(line)
    first, second = Operation(permutation, *one), Operation(permutation, *other)
    what = "signs" if one[0] != other[0] else "conjugations"
    raise ArgumentError(
        f"the permutation {permutation} follows with two {what}, as {first} and as {second}, from "
        f"{', '.join([str(generator) for generator in generators])}; a tensor has one of them"
    )


def _group(generators: tuple[Operation, ...], rank: int) -> Group:
    return Group(*generators, rank=rank)
