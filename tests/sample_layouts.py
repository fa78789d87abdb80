"""Layouts that the library does not have, to show that one hook is all that a layout needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from onebuf.layout import Place, View
from onebuf.layout.expression import Expression, Table, maximum, minimum


@dataclass(frozen=True)
class Packed:
    """An ``n`` by ``n`` matrix of which the lower triangle is stored, row by row."""

    n: int

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.n, self.n)

    @property
    def span(self) -> tuple[int, int]:
        return 0, self.n * (self.n + 1) // 2

    @property
    def key(self) -> Packed:
        return self

    def place(self, index: Sequence[Expression]) -> Place:
        row, column = maximum(*index), minimum(*index)
        return Place(row * (row + 1) // 2 + column)


class Hermitian(Packed):
    """The same for ``x[i, j] == conj(x[j, i])``."""

    def place(self, index: Sequence[Expression]) -> Place:
        i, j = index
        return Place(super().place(index).position, conjugated=i < j)


class Antisymmetric(Packed):
    """``x[i, j] == -x[j, i]``: the lower triangle without the diagonal, which is 0."""

    @property
    def span(self) -> tuple[int, int]:
        return 0, self.n * (self.n - 1) // 2

    def place(self, index: Sequence[Expression]) -> Place:
        i, j = index
        row, column = maximum(i, j), minimum(i, j)
        position = row * (row - 1) // 2 + column
        return Place(position, (i < j) | (j < i), negated=i < j)


@dataclass(frozen=True)
class Indexed:
    """``count`` elements, each where an index table says; -1 says that it is ``elsewhere``."""

    count: int
    stored: int
    elsewhere: float = 0

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.count,)

    @property
    def span(self) -> tuple[int, int]:
        return 0, self.stored

    @property
    def key(self) -> Indexed:
        return self

    def place(self, index: Sequence[Expression]) -> Place:
        found = Table(0, index[0])
        return Place(found, found >= 0, self.elsewhere)


@dataclass(frozen=True)
class Tiled:
    """A matrix stored tile by tile, each tile row by row."""

    rows: int
    columns: int
    tile: int

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.rows * self.tile, self.columns * self.tile)

    @property
    def span(self) -> tuple[int, int]:
        return 0, self.rows * self.columns * self.tile**2

    @property
    def key(self) -> Tiled:
        return self

    def place(self, index: Sequence[Expression]) -> Place:
        i, j = index
        t = self.tile
        return View.contiguous((self.rows, self.columns, t, t)).place(
            (i // t, j // t, i % t, j % t)
        )
