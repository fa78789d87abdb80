"""The usual groups: symmetric, antisymmetric and Hermitian axes.

All exchanges of some axes generate each of them; what differs is the factor of an exchange. An
entry may also be a tuple of axes, which then move together: ``Symmetric((0, 1), (2, 3))`` says that
``x[i, j, k, l] == x[k, l, i, j]``. One sequence alone is taken for the axes.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, pairwise
from typing import Any, ClassVar, TypeAlias

from onebuf.errors import ArgumentError, ArgumentTypeError
from onebuf.symmetry.group import Group
from onebuf.symmetry.operation import Operation
from onebuf.symmetry.permutation import Line, Permutation, integer

Axes: TypeAlias = int | tuple[int, ...]


class _Family(Group):
    """All permutations of some axes, with one factor for each exchange of two."""

    __slots__ = ("axes",)

    axes: tuple[Axes, ...]
    """The axes that are exchanged; in a tuple, those that move together."""
    _sign: ClassVar[int] = 1
    _conjugate: ClassVar[bool] = False

    def __init__(self, *axes: Any, rank: int | None = None) -> None:
        name = type(self).__name__
        if len(axes) == 1 and isinstance(axes[0], (tuple, list)):
            axes = tuple(axes[0])
        units = _units(name, axes)
        needed = max(chain(*units), default=-1) + 1
        size = needed if rank is None else integer(rank, f"the rank of {name}")
        if size < needed:
            raise ArgumentError(f"{name} of axis {needed - 1} needs a rank of {needed}, got {rank}")
        exchanges = [
            Permutation(size, *zip(one, other, strict=True)) for one, other in pairwise(units)
        ]
        super().__init__(
            *[Operation(one, self._sign, self._conjugate) for one in exchanges], rank=size
        )
        self._set("axes", tuple([unit if len(unit) > 1 else unit[0] for unit in units]))

    def __reduce__(self) -> Any:
        return _family, (type(self), self.axes, self.rank)

    def on(self, rank: int) -> Group:
        """The same axes of a tensor with more."""
        if rank == self.rank:
            return self
        return type(self)(*self.axes, rank=rank)

    def __repr__(self) -> str:
        arguments = [repr(axis) for axis in self.axes]
        needed = max(chain(*_units("", self.axes)), default=-1) + 1
        if needed != self.rank:
            arguments.append(f"rank={self.rank}")
        return f"{type(self).__name__}({', '.join(arguments)})"


class Symmetric(_Family):
    """The group of all permutations of some axes, which change no element.

    >>> len(Symmetric(0, 1, 2)), Symmetric(0, 1).unique((4, 4))
    (6, 10)
    """

    __slots__ = ()


class Antisymmetric(_Family):
    """The group of all permutations of some axes; an exchange of two changes the sign.

    >>> Antisymmetric(0, 1).unique((4, 4))
    6
    """

    __slots__ = ()
    _sign = -1


class Hermitian(_Family):
    """The group of all permutations of some axes; an exchange of two conjugates the elements.

    >>> Hermitian(0, 1).operations
    (Operation(Permutation([0, 1])), Operation(Permutation([1, 0]), conjugate=True))
    """

    __slots__ = ()
    _conjugate = True


def _units(name: str, axes: Iterable[Any]) -> list[Line]:
    """The axes as tuples of those that move together, checked."""
    units: list[Line] = []
    for entry in axes:
        if isinstance(entry, (tuple, list)):
            units.append(tuple([integer(axis, f"an axis of {name}") for axis in entry]))
        else:
            units.append((integer(entry, f"an axis of {name}"),))
    if len({len(unit) for unit in units}) > 1 or () in units:
        raise ArgumentTypeError(
            f"{name} needs axes, or tuples of equally many axes that move together, got "
            f"{tuple(axes)}"
        )
    named = list(chain(*units))
    for axis in named:
        if axis < 0:
            raise ArgumentError(
                f"{name} needs axes of 0 or more, because the rank is not known, got {axis}"
            )
        if named.count(axis) > 1:
            raise ArgumentError(f"{name} needs each axis once, got axis {axis} in {tuple(axes)}")
    return units


def _family(kind: type[_Family], axes: tuple[Axes, ...], rank: int) -> Group:
    return kind(*axes, rank=rank)
