"""Packing: one stored element for all that a symmetry makes equal, at a position with a formula.

A packing is a tree. An `Axis` counts the indices of one axis. A `Product` has parts that no
symmetry exchanges, in row-major order. A `Power` has factors that may be exchanged: of two, a
triangle is stored; of more, the sorted tuples. Factors may be powers themselves: the two-electron
integrals of chemistry, with 8 equal elements each, are a power of two powers of two axes.

The triangle of a power of two is folded into a rectangle, the second half of its columns lying
transposed above the first (known as rectangular full packed format). So the square below the
diagonal, and every square inside the two smaller triangles, is a strided matrix: BLAS multiplies
with it where it is, and neither direction needs a root.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations, pairwise
from math import comb, factorial, prod
from operator import and_, mul, xor
from typing import Any, TypeAlias

import numpy as np

from onebuf.layout.expression import (
    Expression,
    Table,
    equal,
    expression,
    maximum,
    minimum,
    unravel,
    where,
)
from onebuf.layout.index_map import Place

Tables: TypeAlias = list[np.ndarray[Any, Any]]
"""Index tables, in the order of their numbers; who asks for more appends to it."""
Packing: TypeAlias = "Axis | Product | Power"


@dataclass(frozen=True, slots=True)
class Axis:
    """The indices of one axis as they are."""

    number: int
    size: int

    @property
    def storage(self) -> tuple[int, ...]:
        """The shape in which the positions count."""
        return (self.size,)

    def place(self, index: Sequence[Expression]) -> Place:
        """Where the element at ``index`` is."""
        return Place(index[self.number])

    def indices(self, at: Sequence[Expression], tables: Tables) -> dict[int, Expression]:
        """An index, by axis, of which the element is stored at ``at``, an index of the storage."""
        return {self.number: at[0]}

    def weight(self, at: Sequence[Expression], tables: Tables) -> Expression | None:
        """How many elements the one at ``at`` stands for; None: one."""
        return None


@dataclass(frozen=True, slots=True)
class Product:
    """Parts on axes of their own, in row-major order."""

    parts: tuple[Packing, ...]

    @property
    def size(self) -> int:
        """The number of stored elements."""
        return prod([part.size for part in self.parts])

    @property
    def storage(self) -> tuple[int, ...]:
        """The shape in which the positions count."""
        return tuple([extent for part in self.parts for extent in part.storage])

    def place(self, index: Sequence[Expression]) -> Place:
        """Where the element at ``index`` is."""
        places = [part.place(index) for part in self.parts]
        position = expression(0)
        for part, place in zip(self.parts, places, strict=True):
            position = position * part.size + place.position
        return _joined(position, places)

    def indices(self, at: Sequence[Expression], tables: Tables) -> dict[int, Expression]:
        """An index, by axis, of which the element is stored at ``at``."""
        found: dict[int, Expression] = {}
        for part, mine in self._split(at):
            found |= part.indices(mine, tables)
        return found

    def weight(self, at: Sequence[Expression], tables: Tables) -> Expression | None:
        """How many elements the one at ``at`` stands for; None: one."""
        found = [part.weight(mine, tables) for part, mine in self._split(at)]
        return _times([weight for weight in found if weight is not None])

    def _split(self, at: Sequence[Expression]) -> list[tuple[Packing, Sequence[Expression]]]:
        found, begin = [], 0
        for part in self.parts:
            end = begin + len(part.storage)
            found.append((part, at[begin:end]))
            begin = end
        return found


@dataclass(frozen=True, slots=True)
class Power:
    """Factors of one structure that a symmetry exchanges; the first one stored has the highest
    position.

    Two of them exchanged give the element with the opposite sign if it ``negates``, and the complex
    conjugate if it ``conjugates``.
    """

    factors: tuple[Packing, ...]
    negates: bool = False
    conjugates: bool = False

    @property
    def is_strict(self) -> bool:
        """Whether elements with two equal factors are 0, and not stored."""
        return self.negates and not self.conjugates

    @property
    def side(self) -> int:
        """The number of positions of a factor."""
        return self.factors[0].size

    @property
    def size(self) -> int:
        """The number of stored elements."""
        count = len(self.factors)
        return comb(self.side if self.is_strict else self.side + count - 1, count)

    @property
    def storage(self) -> tuple[int, ...]:
        """The shape in which the positions count: a rectangle for two factors."""
        if len(self.factors) != 2:
            return (self.size,)
        triangle = self.triangle
        return (triangle.rows, triangle.columns)

    @property
    def triangle(self) -> Triangle:
        """The triangle of two factors; without its diagonal where that is 0."""
        return Triangle(max(0, self.side - self.is_strict))

    def place(self, index: Sequence[Expression]) -> Place:
        """Where the element at ``index`` is."""
        places = [factor.place(index) for factor in self.factors]
        ranks = [place.position for place in places]
        if len(ranks) == 2:
            high, low = maximum(*ranks), minimum(*ranks)
            position = self.triangle.position(high - int(self.is_strict), low)
        else:
            position = expression(0)
            for count, rank in enumerate(_ascending(ranks), 1):
                position = position + _choose(rank + (0 if self.is_strict else count - 1), count)
        pairs = list(combinations(ranks, 2))
        conditions = [place.condition for place in places]
        if self.is_strict:
            conditions += [(one < two) | (two < one) for one, two in pairs]
        odd = reduce(xor, [one < two for one, two in pairs])
        joined = _joined(position, places)
        return Place(
            position,
            _all(and_, conditions),
            0,
            _all(xor, [joined.negated, odd if self.negates else None]),
            _all(xor, [joined.conjugated, odd if self.conjugates else None]),
        )

    def indices(self, at: Sequence[Expression], tables: Tables) -> dict[int, Expression]:
        """An index, by axis, of which the element is stored at ``at``."""
        found: dict[int, Expression] = {}
        for factor, rank in zip(self.factors, self._ranks(at, tables), strict=True):
            found |= factor.indices(unravel(rank, factor.storage), tables)
        return found

    def weight(self, at: Sequence[Expression], tables: Tables) -> Expression | None:
        """How many elements the one at ``at`` stands for; None: one."""
        count = len(self.factors)
        ranks = self._ranks(at, tables)
        if self.is_strict:
            orders = expression(factorial(count))
        elif count == 2:
            orders = where(equal(*ranks), 1, 2)
        else:
            tables.append(_orders(_tuples(self.side, count)))
            orders = Table(len(tables) - 1, at[0])
        weights = [
            factor.weight(unravel(rank, factor.storage), tables)
            for factor, rank in zip(self.factors, ranks, strict=True)
        ]
        return _times([orders, *[weight for weight in weights if weight is not None]])

    def _ranks(self, at: Sequence[Expression], tables: Tables) -> list[Expression]:
        """The positions of the factors of the element at ``at``, the highest first."""
        if len(self.factors) == 2:
            high, low = self.triangle.corner(*at)
            return [high + int(self.is_strict), low]
        columns = _tuples(self.side, len(self.factors), self.is_strict)
        begin = len(tables)
        tables.extend(columns)
        return [Table(begin + number, at[0]) for number in range(len(columns))]


@dataclass(frozen=True, slots=True)
class Triangle:
    """The lower triangle of a ``side`` by ``side`` matrix, with its diagonal, in a rectangle.

    >>> Triangle(4).rows, Triangle(4).columns
    (5, 2)
    """

    side: int

    @property
    def columns(self) -> int:
        """The columns of the rectangle; so many columns of the triangle lie as they are."""
        return (self.side + 1) // 2

    @property
    def rows(self) -> int:
        """The rows of the rectangle."""
        return self.side + self.shift

    @property
    def shift(self) -> int:
        """The row at which the first column begins: 1 if the side is even, else 0."""
        return 1 - self.side % 2

    def position(self, row: Expression, column: Expression) -> Expression:
        """Where the element at ``row`` and ``column``, which is not larger, is in the rectangle."""
        half = self.columns
        below = (row + self.shift) * half + column
        above = (column - half) * half + row - (half - 1 + self.shift)
        return where(column < half, below, above)

    def corner(self, r: Expression, c: Expression) -> tuple[Expression, Expression]:
        """The row and the column of the element at row ``r`` and column ``c`` of the rectangle."""
        half, shift = self.columns, self.shift
        is_below = c + shift <= r
        return where(is_below, r - shift, c + (half - 1 + shift)), where(is_below, c, r + half)


def _joined(position: Expression, places: Sequence[Place]) -> Place:
    """A place at ``position`` that is there, negated and conjugated as all of ``places`` are."""
    return Place(
        position,
        _all(and_, [place.condition for place in places]),
        0,
        _all(xor, [place.negated for place in places]),
        _all(xor, [place.conjugated for place in places]),
    )


def _all(how: Any, parts: Sequence[Expression | None]) -> Expression | None:
    there = [part for part in parts if part is not None]
    return reduce(how, there) if there else None


def _times(factors: Sequence[Expression]) -> Expression | None:
    return reduce(mul, factors) if factors else None


def _ascending(ranks: Sequence[Expression]) -> list[Expression]:
    """Expressions sorted, by compare and exchange."""
    found = list(ranks)
    for end in range(len(found) - 1, 0, -1):
        for n in range(end):
            found[n], found[n + 1] = minimum(found[n], found[n + 1]), maximum(*found[n : n + 2])
    return found


def _choose(n: Expression, count: int) -> Expression:
    """The binomial coefficient of an expression over a number."""
    product = reduce(mul, [n - k for k in range(count)])
    return product if count == 1 else product // factorial(count)


def _tuples(side: int, count: int, is_strict: bool = False) -> Tables:
    """The sorted tuples of ``count`` numbers below ``side`` by position, a table for each place,
    the highest first."""
    ends = side if is_strict else side + count - 1
    left = np.arange(comb(ends, count), dtype=np.int64)
    found = []
    for place in range(count, 0, -1):
        steps = [comb(n if is_strict else n + place - 1, place) for n in range(side + 1)]
        firsts = np.asarray(steps, np.int64)
        rank = np.searchsorted(firsts, left, side="right") - 1
        left -= firsts[rank]
        found.append(rank.astype(np.int64, copy=False))
    return found


def _orders(columns: Tables) -> np.ndarray[Any, Any]:
    """In how many orders each of some sorted tuples can be written."""
    repeats = np.ones(columns[0].size, np.int64)
    run = np.ones_like(repeats)
    for one, two in pairwise(columns):
        run = np.where(one == two, run + 1, 1)
        repeats *= run
    return factorial(len(columns)) // repeats
