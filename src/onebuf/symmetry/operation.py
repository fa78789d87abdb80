"""Operations: a permutation of a tensor's axes with the factor that comes along."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from onebuf.errors import ArgumentError, ArgumentTypeError
from onebuf.symmetry.permutation import Permutation, integer


@dataclass(frozen=True, slots=True)
class Operation:
    """One symmetry of a tensor: a permutation of indices, a sign, and perhaps a conjugation.

    A tensor ``x`` has the operation if for every index
    ``x[permutation.apply(index)] == sign * x[index]``, the right side conjugated if ``conjugate``.

    >>> swap = Operation(Permutation([1, 0]), sign=-1)
    >>> (swap @ swap).is_identity
    True
    """

    permutation: Permutation
    sign: int = 1
    conjugate: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.permutation, Permutation):
            raise ArgumentTypeError(
                f"an operation needs a Permutation, got {self.permutation!r}; "
                f"Permutation([1, 0]) exchanges two axes"
            )
        sign = integer(self.sign, "the sign of an operation")
        if sign not in (1, -1):
            raise ArgumentError(f"the sign of an operation is 1 or -1, got {sign}")
        if not isinstance(self.conjugate, bool):
            raise ArgumentTypeError(
                f"whether an operation conjugates is True or False, got {self.conjugate!r}"
            )
        object.__setattr__(self, "sign", sign)

    @property
    def rank(self) -> int:
        """How many axes the permutation is of."""
        return self.permutation.rank

    @property
    def is_identity(self) -> bool:
        """Whether the operation says nothing: every element is itself."""
        return self.permutation.is_identity and self.sign == 1 and not self.conjugate

    @property
    def inverse(self) -> Operation:
        """The operation that undoes this one."""
        return Operation(self.permutation.inverse, self.sign, self.conjugate)

    def __matmul__(self, other: Operation) -> Operation:
        """This operation after ``other``."""
        if not isinstance(other, Operation):
            return NotImplemented
        return Operation(
            self.permutation @ other.permutation,
            self.sign * other.sign,
            self.conjugate != other.conjugate,
        )

    __mul__ = __matmul__

    def on(self, rank: int) -> Operation:
        """The same operation on a tensor with more axes."""
        return Operation(self.permutation.on(rank), self.sign, self.conjugate)

    def __str__(self) -> str:
        sign = "-" if self.sign < 0 else "+"
        return f"{sign}{self.permutation}{'*' if self.conjugate else ''}"

    def __repr__(self) -> str:
        arguments = [repr(self.permutation)]
        arguments += ["sign=-1"] if self.sign < 0 else []
        arguments += ["conjugate=True"] if self.conjugate else []
        return f"Operation({', '.join(arguments)})"


def as_operation(given: Any) -> Operation:
    """The operation that a permutation, an operation, or a (permutation, sign) pair stands for.

    >>> as_operation((Permutation([1, 0]), -1))
    Operation(Permutation([1, 0]), sign=-1)
    """
    if isinstance(given, Operation):
        return given
    if isinstance(given, Permutation):
        return Operation(given)
    if isinstance(given, tuple) and len(given) == 2:
        return Operation(*given)
    raise ArgumentTypeError(
        f"a group is made of permutations, operations, (permutation, sign) pairs and groups, got "
        f"{given!r}"
    )
