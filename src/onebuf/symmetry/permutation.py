"""Permutations: where each of some positions goes.

Two forms say the same. In *cycle form*, ``(1, 3, 2)`` says that what is at position 1 goes to 3,
what is at 3 goes to 2, and what is at 2 goes to 1. In *one-line form*, a permutation is what it
makes of ``0, 1, 2, ...``: entry ``i`` is the position from which position ``i`` is filled, as in
NumPy's ``x[line]`` and ``x.transpose(line)``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import index as as_int
from typing import Any, TypeAlias

import numpy as np

from onebuf.errors import ArgumentError, ArgumentTypeError, ShapeError

Line: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True, init=False, repr=False, order=True)
class Permutation:
    """A permutation of the positions ``0 .. rank - 1``.

    Parameters
    ----------
    form
        The one-line form; or the rank, followed by cycles or by one sequence of them. Positions
        that no cycle names stay where they are.

    >>> p = Permutation(6, (2, 1, 3), (4, 5))
    >>> p.cycles
    ((1, 3, 2), (4, 5))
    >>> p.apply([0, 1, 2, 3, 4, 5])
    [0, 2, 3, 1, 5, 4]
    >>> p == Permutation([0, 2, 3, 1, 5, 4])
    True
    """

    one_line: Line
    """What the permutation makes of ``0, 1, 2, ...``."""

    def __init__(self, form: Any = (), *cycles: Any) -> None:
        if isinstance(form, Iterable) and not isinstance(form, (str, bytes)):
            if cycles:
                raise ArgumentTypeError(
                    f"Permutation needs either its one-line form or a rank and cycles, got "
                    f"{form!r} and {cycles!r}"
                )
            line = _checked_line(form)
        else:
            line = _line_of_cycles(integer(form, "the rank of a permutation"), _cycles(cycles))
        object.__setattr__(self, "one_line", line)

    @property
    def rank(self) -> int:
        """How many positions there are."""
        return len(self.one_line)

    @property
    def cycles(self) -> tuple[Line, ...]:
        """The cycles, each from its smallest position on, in order; without fixed positions."""
        source, seen, cycles = self.one_line, set[int](), []
        for start in range(len(source)):
            # One-line form says where a position comes from: the cycle, read backwards.
            backwards = []
            while start not in seen:
                seen.add(start)
                backwards.append(start)
                start = source[start]
            if len(backwards) > 1:
                cycles.append((backwards[0], *backwards[:0:-1]))
        return tuple(cycles)

    def image(self, position: int) -> int:
        """Where the entry at ``position`` goes.

        >>> Permutation(3, (0, 1, 2)).image(0)
        1
        """
        if not 0 <= integer(position, "a position") < self.rank:
            raise ArgumentError(
                f"image needs a position in 0..{self.rank - 1} of {self!r}, got {position}"
            )
        return self.one_line.index(position)

    def apply(self, sequence: Any) -> Any:
        """The entries of ``sequence`` in their new order: entry ``i`` goes to ``image(i)``.

        A tuple gives a tuple, an array gives an array, anything else a list.
        """
        entries = sequence if isinstance(sequence, np.ndarray) else tuple(sequence)
        if len(entries) != self.rank:
            raise ShapeError(
                f"{self!r} applies to a sequence of {self.rank} entries, got {len(entries)}"
            )
        if isinstance(entries, np.ndarray):
            return entries[list(self.one_line)]
        moved = [entries[i] for i in self.one_line]
        return tuple(moved) if isinstance(sequence, tuple) else moved

    @property
    def inverse(self) -> Permutation:
        """The permutation that undoes this one."""
        line = [0] * self.rank
        for i, source in enumerate(self.one_line):
            line[source] = i
        return of_line(tuple(line))

    def __matmul__(self, other: Permutation) -> Permutation:
        """This permutation after ``other``.

        >>> p, q = Permutation(3, (0, 1)), Permutation(3, (1, 2))
        >>> (p @ q).apply("abc") == p.apply(q.apply("abc"))
        True
        """
        if not isinstance(other, Permutation):
            return NotImplemented
        if other.rank != self.rank:
            raise ShapeError(
                f"a product of permutations needs equal ranks, got {self.rank} and {other.rank}; "
                f"on(rank) extends one"
            )
        return of_line(tuple([other.one_line[i] for i in self.one_line]))

    __mul__ = __matmul__

    @property
    def parity(self) -> int:
        """0 if an even number of exchanges makes this permutation, else 1."""
        return sum([len(cycle) - 1 for cycle in self.cycles]) % 2

    @property
    def sign(self) -> int:
        """1 if the permutation is even, -1 if it is odd."""
        return -1 if self.parity else 1

    @property
    def order(self) -> int:
        """How often it has to be applied until everything is where it was.

        >>> Permutation(5, (0, 1, 2), (3, 4)).order
        6
        """
        return int(np.lcm.reduce([1, *[len(cycle) for cycle in self.cycles]]))

    @property
    def is_identity(self) -> bool:
        """Whether everything stays where it is."""
        return self.one_line == tuple(range(self.rank))

    def on(self, rank: int) -> Permutation:
        """The same exchanges among more positions.

        >>> Permutation([1, 0]).on(4)
        Permutation([1, 0, 2, 3])
        """
        if integer(rank, "a rank") < self.rank:
            raise ArgumentError(f"on needs a rank of {self.rank} or more for {self!r}, got {rank}")
        return of_line(self.one_line + tuple(range(self.rank, rank)))

    def __str__(self) -> str:
        """The cycles, as in ``(1 3 2)(4 5)``; ``()`` for the identity."""
        return "".join([f"({' '.join(map(str, cycle))})" for cycle in self.cycles]) or "()"

    def __repr__(self) -> str:
        return f"Permutation({list(self.one_line)})"


def integer(value: Any, what: str) -> int:
    """``value`` as an int; ``what`` names it in the error."""
    if not isinstance(value, bool):
        try:
            return as_int(value)
        except TypeError:
            pass  # the error below says the same of every other type
    raise ArgumentTypeError(f"{what} has to be an integer, got {value!r}; pass an int")


def of_line(line: Line) -> Permutation:
    """The permutation with a one-line form that is known to be right."""
    made = object.__new__(Permutation)
    object.__setattr__(made, "one_line", line)
    return made


def _checked_line(form: Iterable[Any]) -> Line:
    line = tuple([integer(i, "an entry of a permutation") for i in form])
    if sorted(line) != list(range(len(line))):
        raise ArgumentError(
            f"the one-line form of a permutation has each of 0..{len(line) - 1} exactly once, got "
            f"{list(line)}"
        )
    return line


def _cycles(cycles: tuple[Any, ...]) -> list[Line]:
    """The cycles, given one by one or as one sequence of them."""
    if len(cycles) == 1 and isinstance(cycles[0], Iterable):
        inner = tuple(cycles[0])
        if all(isinstance(one, Iterable) for one in inner):
            cycles = inner
    for cycle in cycles:
        if not isinstance(cycle, Iterable) or isinstance(cycle, (str, bytes)):
            raise ArgumentTypeError(
                f"a cycle is a sequence of positions, as (0, 1), got {cycle!r}; the one-line form "
                f"is passed as one list"
            )
    return [tuple([integer(i, "a position in a cycle") for i in cycle]) for cycle in cycles]


def _line_of_cycles(rank: int, cycles: list[Line]) -> Line:
    if rank < 0:
        raise ArgumentError(f"a permutation needs a rank of 0 or more, got {rank}")
    line, owner = list(range(rank)), dict[int, Line]()
    for cycle in cycles:
        for i, position in enumerate(cycle):
            if not 0 <= position < rank:
                raise ArgumentError(
                    f"a permutation of rank {rank} has the positions 0..{rank - 1}, got {position} "
                    f"in the cycle {cycle}"
                )
            if position in owner:
                other = owner[position]
                where = f"twice in the cycle {cycle}"
                if other is not cycle:
                    where = f"in the cycles {other} and {cycle}"
                raise ArgumentError(
                    f"cycles name each position at most once, got {position} {where}"
                )
            owner[position] = cycle
            line[position] = cycle[i - 1]
    return tuple(line)
