"""Elements one by one: those that are not 0, in row-major order, found by binary search.

The tables are those of compressed rows: where each row begins among the stored elements, and the
column of each stored element. All axes but the first count as columns. Rows are only worth their
table if there are not many more of them than elements; otherwise there is one row.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from onebuf.layout.arrangement.packing import Tables
from onebuf.layout.expression import Expression, Table, equal, expression, minimum, unravel, where
from onebuf.layout.index_map import Place

_EMPTY_ROWS = 4
"""There is a table of rows if it has at most so many for each element."""


class Elements:
    """Stored elements at sorted row-major positions ``flat`` of a shape."""

    def __init__(
        self,
        shape: tuple[int, ...],
        flat: np.ndarray[Any, Any] | None,
        starts: np.ndarray[Any, Any] | None = None,
        columns: np.ndarray[Any, Any] | None = None,
    ) -> None:
        self.shape = shape
        if starts is not None and columns is not None:
            self.rows, self.width = shape[0], prod(shape[1:])
        else:
            assert flat is not None
            has_rows = len(shape) > 1 and shape[0] <= _EMPTY_ROWS * (flat.size + 64)
            self.rows = shape[0] if has_rows else 1
            self.width = prod(shape[1:]) if has_rows else prod(shape)
            starts = np.searchsorted(flat, np.arange(self.rows + 1, dtype=np.int64) * self.width)
            columns = flat % self.width if self.rows > 1 else flat
        self.starts, self.columns = starts, columns
        self.size = int(columns.size)
        if flat is not None:
            self.flat = flat

    @cached_property
    def flat(self) -> np.ndarray[Any, Any]:
        """The row-major position of each stored element."""
        rows = np.repeat(np.arange(self.rows, dtype=np.int64), np.diff(self.starts))
        return rows * self.width + self.columns

    @property
    def storage(self) -> tuple[int, ...]:
        """The shape in which the positions count."""
        return (self.size,)

    @property
    def tables(self) -> tuple[np.ndarray[Any, Any], ...]:
        """Where rows begin, and the columns."""
        return (self.starts, self.columns) if self.size else ()

    @cached_property
    def _longest(self) -> int:
        return int(np.diff(self.starts).max()) if self.size else 0

    def place(self, index: Sequence[Expression]) -> Place:
        """Where the element at ``index`` is."""
        flat = expression(0)
        inside = self.shape[1:] if self.rows > 1 else self.shape
        for i, extent in zip(index[len(index) - len(inside) :], inside, strict=True):
            flat = flat * extent + i
        return self.find(index[0] if self.rows > 1 else expression(0), flat)

    def find(self, row: Expression, column: Expression) -> Place:
        """Where the element in a row and a column is."""
        if not self.size:
            return Place(expression(0), expression(1) <= 0)
        last = self.size - 1
        position: Expression = Table(0, row)
        end = Table(0, row + 1)
        step = 1 << self._longest.bit_length()
        while step > 1:
            step >>= 1
            beyond = position + step
            is_before = Table(1, minimum(beyond - 1, last)) < column
            position = where((beyond <= end) & is_before, beyond, position)
        there = equal(Table(1, minimum(position, last)), column)
        return Place(position, (position < end) & there)

    def find_flat(self, flat: Expression) -> Place:
        """Where the element at a row-major position is."""
        if self.rows == 1:
            return self.find(expression(0), flat)
        return self.find(flat // self.width, flat % self.width)

    def indices(self, at: Sequence[Expression], tables: Tables) -> tuple[Expression, ...]:
        """The index of the element that is stored at ``at``."""
        tables.append(self.flat)
        return unravel(Table(len(tables) - 1, at[0]), self.shape)

    def weight(self, at: Sequence[Expression], tables: Tables) -> Expression | None:
        """How many elements the one at ``at`` stands for: one."""
        return None
